"""A drag over the window in, a veil that says where it goes out; the drop itself is the window's."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import column, label, row

MARGIN = 3 * GRID


class DropVeil(QFrame):
    """Lies over the whole window while something is dragged over it, and lets every event through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("role", "dropVeil")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setLayout(column(None, row(None, label("Drop to add to the vault", "heading"), None), None))
        self.hide()

    def cover(self) -> None:
        """Lie over the window now."""
        self.setGeometry(self._window.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN))
        self.show()
        self.raise_()
