"""The centre panes in, a narrow column of icons out; which pane is in front is told, not decided here."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QToolButton

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import ActionButton, IconButton, IconLabel
from trisynapse_desktop.widgets.layout import column, row

ICON = 20  # px
WIDTH = 13 * GRID


class Rail(QFrame):
    """The left edge of the window: one icon per pane, the palette and the appearance at its foot.

    ``chosen`` carries the id of the pane she clicked.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, places: Iterable[tuple[str, str, str, str]], foot: Iterable[QAction]) -> None:
        """Args: places are (pane id, title, icon, tooltip); foot are the actions at the lower end."""
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName("Panes")
        self.setFixedWidth(WIDTH)
        self._buttons: dict[str, QToolButton] = {}
        layout = column(
            2, row(None, IconLabel(theme, "trisynapse", "accent", 26), None), 3, gap=1, margins=(0, 1, 0, 2)
        )
        for pane_id, title, icon, tip in places:
            made = IconButton(theme, icon, title)
            made.setToolTip(tip)
            made.setCheckable(True)
            made.setIconSize(QSize(ICON, ICON))
            made.setObjectName(pane_id)
            made.clicked.connect(self._click)
            self._buttons[pane_id] = made
            layout.addWidget(made, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        for action in foot:
            made_foot = ActionButton(action)
            made_foot.setIconSize(QSize(ICON, ICON))
            layout.addWidget(made_foot, 0, Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(layout)

    def show_chosen(self, pane_id: str) -> None:
        """Mark the pane in front; an id without an icon marks none."""
        for name, made in self._buttons.items():
            made.setChecked(name == pane_id)

    def enable(self, pane_id: str, possible: bool) -> None:
        """Let a pane be chosen or not."""
        if pane_id in self._buttons:
            self._buttons[pane_id].setEnabled(possible)

    def _click(self) -> None:
        sender = self.sender()
        if isinstance(sender, QToolButton):
            sender.setChecked(True)
            self.chosen.emit(sender.objectName())
