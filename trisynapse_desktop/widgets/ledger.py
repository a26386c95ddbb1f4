"""Requests in, the list of everything that left this computer out, or the good news that nothing did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStackedWidget, QTableView

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.layout import boxed, column, counted, label, row
from trisynapse_desktop.widgets.setting_parts import StateLine, section
from trisynapse_memory.types import EgressRow

HEIGHT = 320  # px; about ten rows, the rest scrolls
WIDTHS = (130, 170, 150, 80, 80)  # px; sources take what is left


class Ledger(QFrame):
    """The egress ledger as a table.

    Args:
        theme: colours and icons.
        table: the item model that holds the rows; its ``show`` is called by the pane.
    """

    def __init__(self, theme: Theme, table: QAbstractItemModel) -> None:
        super().__init__()
        self._sum = label("", "muted")
        self._view = QTableView()
        self._view.setModel(table)
        self._view.setAccessibleName("Requests that left this computer")
        self._view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._view.setTabKeyNavigation(False)
        self._view.setShowGrid(False)
        self._view.setWordWrap(False)
        self._view.verticalHeader().hide()
        head = self._view.horizontalHeader()
        head.setHighlightSections(False)
        head.setStretchLastSection(True)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for place, width in enumerate(WIDTHS):
            self._view.setColumnWidth(place, width)
        self._none = StateLine(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(boxed(column(self._none, None)))
        self._stack.addWidget(self._view)
        hint = "Every request of the whole program, with how much was sent and whose words it carried."
        self.setLayout(column(section("What has left this computer", hint, row(self._sum, None), self._stack)))

    def show_rows(self, rows: Sequence[EgressRow], titles: Mapping[str, str]) -> None:
        """Show the rows, newest first, and their sum."""
        self._view.model().show(rows, titles)  # type: ignore[attr-defined]
        gone = [one for one in rows if not one.refused]
        hosts = len({one.host for one in gone})
        self._sum.setText(f"{counted(len(gone), 'request')} to {counted(hosts, 'host')}" if gone else "")
        self._sum.setVisible(bool(gone))
        self._none.say("Nothing has left this computer.", "good")
        self._stack.setCurrentIndex(1 if rows else 0)
        self._stack.setFixedHeight(self._height() if rows else self._none.sizeHint().height())

    def _height(self) -> int:
        """As high as its rows, up to where they scroll."""
        view = self._view
        rows = view.model().rowCount() * view.verticalHeader().defaultSectionSize()
        return min(HEIGHT, view.horizontalHeader().sizeHint().height() + rows + 2 * GRID)
