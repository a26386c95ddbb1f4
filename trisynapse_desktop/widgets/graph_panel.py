"""What she chose in a graph in, its claims and their evidence out: the panel beside the picture. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QWidget

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.claim_card import ClaimCard
from trisynapse_desktop.widgets.graph_geometry import spoken
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, counted, follow_by_tab, label, row
from trisynapse_desktop.widgets.wrapped_link import WrappedLink
from trisynapse_memory.types import Claim, Edge, Fault, Graph, Node

WIDTH = 320  # px; two lines of evidence read well
CLAIM_LIMIT = 40  # rows of a chosen concept
HINT = (
    "Arrow keys walk from concept to concept, Enter makes one the centre, Tab comes here. An amber edge is a claim that"
    " sources dispute: choose it to see both passages."
)
EDGE_WORDS = {
    "similar_to": "These passages read alike",
    "followed_by": "One passage follows the other",
    "about_same_entity": "Both name the same thing",
    "mention": "The passage names it",
    "evidence": "One rests on the other",
    "citation": "One cites the other",
}


class GraphPanel(QScrollArea):
    """A concept, a claim or an edge in words. Tab comes from the widget ``before`` and goes from top to bottom.

    ``edge_wanted`` carries an edge, ``centre_wanted`` and ``read_wanted`` a node, ``page_wanted`` a concept's name;
    ``claim_shown`` the new claim card, for whoever listens to its signals.
    """

    edge_wanted = Signal(object)
    centre_wanted = Signal(object)
    read_wanted = Signal(object)
    page_wanted = Signal(str)
    claim_shown = Signal(object)

    def __init__(self, theme: Theme, before: QWidget) -> None:
        super().__init__()
        self._theme, self._before = theme, before
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what it holds takes the keys, and is scrolled into sight
        self._rows = column(gap=3, margins=(4, 4, 4, 4))
        self._inner = QWidget()
        self._inner.setLayout(self._rows)
        self.setObjectName("sidePanel")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(WIDTH)
        self.setMaximumWidth(WIDTH + 25 * GRID)
        self.setWidget(self._inner)
        self.setAccessibleName("Evidence of the chosen claim")
        self.show_hint()

    def show_hint(self) -> None:
        """Say what can be chosen."""
        self._show(label("Choose a concept or a claim", "heading", wrap=True), label(HINT, "muted", wrap=True))

    def show_fault(self, fault: Fault) -> None:
        """Say why the claim cannot be shown."""
        self._show(label(fault.message, "warning", wrap=True), label(fault.hint, "muted", wrap=True))

    def show_node(self, node: Node, graph: Graph) -> None:
        """Show a concept: its other names, where to go from here, and its claims, disputed ones first."""
        touching = [edge for edge in graph.edges if node.node_id in (edge.source, edge.target)]
        touching.sort(key=lambda one: one.status != "contested")
        parts: list[QWidget] = [label(node.label, "heading", wrap=True, selectable=True)]
        if node.aliases:
            parts.append(label(f"Also {', '.join(node.aliases)}", "small", wrap=True))
        parts.append(boxed(self._ways(node, graph)))
        parts.append(label(counted(len(touching), "claim here", "claims here"), "section"))
        names = {one.node_id: one.label for one in graph.nodes}
        parts += [self._claim_link(edge, names) for edge in touching[:CLAIM_LIMIT]]
        self._show(*parts)

    def show_claim(self, claim: Claim) -> None:
        """Show a claim with all its sides."""
        card = ClaimCard(self._theme, claim)
        self._show(card)
        self.claim_shown.emit(card)

    def show_edge(self, edge: Edge, graph: Graph) -> None:
        """Show an edge that is no claim: how its ends belong together, each a way to read it."""
        ends = [node for node in graph.nodes if node.node_id in (edge.source, edge.target)]
        words = EDGE_WORDS.get(edge.kind, spoken(edge) or edge.kind.replace("_", " "))
        links = [WrappedLink(node.label, lambda node=node: self.read_wanted.emit(node)) for node in ends]
        self._show(label(words, "heading", wrap=True), *links)

    def _ways(self, node: Node, graph: Graph) -> QHBoxLayout:
        parts: list[QWidget | None] = []
        if node.source_id:
            parts.append(_way("Read", lambda: self.read_wanted.emit(node), "primary"))
        if node.label.casefold() != graph.about.casefold():
            parts.append(_way("Centre here", lambda: self.centre_wanted.emit(node)))
        parts.append(_way("Wiki page", lambda: self.page_wanted.emit(node.label)))
        return row(*parts, None)

    def _claim_link(self, edge: Edge, names: dict[str, str]) -> QWidget:
        words = f"{names.get(edge.source, '')} {spoken(edge) or '–'} {names.get(edge.target, '')}"
        link = WrappedLink(words, lambda: self.edge_wanted.emit(edge))
        if edge.status != "contested":
            return link
        sign = IconLabel(self._theme, "alert", "warning", 16)
        line = row(sign, link, gap=2)
        line.setAlignment(sign, Qt.AlignmentFlag.AlignTop)
        line.setStretch(1, 1)
        return boxed(line)

    def _show(self, *parts: QWidget) -> None:
        clear(self._rows)
        for part in parts:
            self._rows.addWidget(part)
        self._rows.addStretch(1)
        follow_by_tab(self._before, self._inner)
        self.verticalScrollBar().setValue(0)


def _way(text: str, do: Callable[[], object], role: str = "") -> QPushButton:
    made = button(text, role)
    made.clicked.connect(lambda _checked=False: do())
    return made
