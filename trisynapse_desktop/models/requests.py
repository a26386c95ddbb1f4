"""Rows of the ledger in, a table of what left this computer out; newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from trisynapse_memory.types import EgressRow

COLUMNS = ("When", "To", "What for", "Sent", "Received", "Words of")
TIME, HOST, PURPOSE, SENT, RECEIVED, SOURCES = range(len(COLUMNS))
UNFINISHED = "unfinished"  # under way, or the process died meanwhile
FIRST_ERROR = 400  # from this status on a server says no
Place = QModelIndex | QPersistentModelIndex


class RequestTable(QAbstractTableModel):
    """One row for each request that left, or was refused at the door."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[EgressRow, ...] = ()
        self._titles: Mapping[str, str] = {}

    def show(self, rows: Sequence[EgressRow], titles: Mapping[str, str]) -> None:
        """Show these rows; ``titles`` names the sources by their id."""
        self.beginResetModel()
        self._rows, self._titles = tuple(rows), titles
        self.endResetModel()

    def rowCount(self, parent: Place = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Place = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, place: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(place)
        return COLUMNS[place] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row, index.column())
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._tip(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return None

    def _words(self, row: EgressRow, column: int) -> str:
        if column == TIME:
            moment = row.at.astimezone()
            return f"{moment.day} {moment:%b %H:%M:%S}"
        if column == PURPOSE:
            return f"{row.purpose} ({state})" if (state := state_of(row)) else row.purpose
        if column == SOURCES:
            return self._sources(row, 2)
        return {HOST: row.host, SENT: bytes_words(row.sent_bytes), RECEIVED: bytes_words(row.received_bytes)}[column]

    def _tip(self, row: EgressRow, column: int) -> str:
        if column == SOURCES:
            return self._sources(row, len(row.source_ids))
        if row.refused and column == PURPOSE:
            return f"Nothing left: {row.refused}"
        if row.failed and column == PURPOSE:
            return f"It left, and no whole answer came back: {row.failed}"
        return self._words(row, column)

    def _sources(self, row: EgressRow, limit: int) -> str:
        names = [self._titles.get(one, one) for one in row.source_ids]
        rest = len(names) - limit
        return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def state_of(row: EgressRow) -> str:
    """Say in a word how a request ended, nothing where all went well."""
    if row.refused:
        return "refused"
    if row.failed == UNFINISHED:
        return UNFINISHED
    return "failed" if row.failed or row.status >= FIRST_ERROR else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (SENT, RECEIVED) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def bytes_words(count: int) -> str:
    """Say how many bytes passed."""
    return f"{count:,} B" if count < 10_000 else f"{count / 1000:,.0f} kB"
