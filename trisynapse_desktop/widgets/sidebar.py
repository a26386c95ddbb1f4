"""The side panes in, one sidebar with a switch at its top out; which one is shown is told from outside."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QStackedWidget, QToolButton, QWidget

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import boxed, column, row

MIN_WIDTH = 80 * GRID


class Sidebar(QFrame):
    """The right edge of the window. ``chosen`` carries the id of the page she clicked."""

    chosen = Signal(str)

    def __init__(self, pages: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self.setMinimumWidth(MIN_WIDTH)
        self._switches: dict[str, QToolButton] = {}
        self._stack = QStackedWidget()
        header = row(gap=1, margins=(2, 1, 2, 1))
        for page_id, title in pages:
            switch = QToolButton()
            switch.setText(title)
            switch.setAccessibleName(f"Show {title}")
            switch.setObjectName(page_id)
            switch.setCheckable(True)
            switch.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            switch.clicked.connect(self._click)
            self._switches[page_id] = switch
            header.addWidget(switch)
        header.addStretch(1)
        top = boxed(header, "sidebarHeader")
        top.setFixedHeight(10 * GRID)
        self.setLayout(column(top, self._stack, gap=0))

    def add(self, widget: QWidget) -> None:
        """Add a page's widget."""
        self._stack.addWidget(widget)

    def show_page(self, page_id: str, widget: QWidget) -> None:
        """Show a page and mark its switch."""
        self._stack.setCurrentWidget(widget)
        for name, switch in self._switches.items():
            switch.setChecked(name == page_id)

    def _click(self) -> None:
        sender = self.sender()
        if isinstance(sender, QToolButton):
            sender.setChecked(True)
            self.chosen.emit(sender.objectName())
