"""A graph in, its edges as rows out: the list twin that says in words what the picture shows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from trisynapse_desktop.hints import hint_of
from trisynapse_memory.types import Edge, Graph

Index = QModelIndex | QPersistentModelIndex

COLUMNS = ("Subject", "Relation", "Object", "Status")
STATUS_TONES = {"contested": "warning", "superseded": "muted"}
STATUS_WORDS = {"active": "agreed", "contested": "contested", "superseded": "replaced"}


class EdgeModel(QAbstractTableModel):
    """One row per edge, contested ones first. ``EDGE_ROLE`` gives the edge itself, ``TONE_ROLE`` a tone's name."""

    EDGE_ROLE = Qt.ItemDataRole.UserRole
    TONE_ROLE = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edges: list[Edge] = []
        self._labels: dict[str, str] = {}

    def show_graph(self, graph: Graph) -> None:
        """Show the edges of a graph."""
        self.beginResetModel()
        self._labels = {node.node_id: node.label for node in graph.nodes}
        order = {"contested": 0, "active": 1, "superseded": 2}
        self._edges = sorted(
            graph.edges, key=lambda edge: (order.get(edge.status, 1), self._name(edge.source), edge.label)
        )
        self.endResetModel()

    def edge(self, row: int) -> Edge | None:
        """Return the edge of a row, or None outside the list."""
        return self._edges[row] if 0 <= row < len(self._edges) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._edges)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return COLUMNS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        edge = self.edge(index.row())
        if edge is None:
            return None
        if role == self.EDGE_ROLE:
            return edge
        if role == self.TONE_ROLE:
            return STATUS_TONES.get(edge.status, "") if index.column() == len(COLUMNS) - 1 else ""
        status = STATUS_WORDS.get(edge.status, edge.status)
        texts = (self._name(edge.source), edge.label.replace("_", " "), self._name(edge.target), status)
        if role == Qt.ItemDataRole.DisplayRole:
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return hint_of(texts[index.column()])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(texts[:3]) + f", {texts[3]}"
        return None

    def _name(self, node_id: str) -> str:
        return self._labels.get(node_id, node_id)
