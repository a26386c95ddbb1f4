"""One line of words in, as much of it as there is room for out; the tooltip and screen readers have all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from trisynapse_desktop.hints import hint_of


class ElidedLabel(QLabel):
    """A line that ends in dots where there is no room for it.

    Args:
        words: what it says.
        hint: what its tooltip says; the words themselves by default.
    """

    def __init__(self, words: str = "", hint: str = "") -> None:
        super().__init__()
        self._words = words
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setToolTip(hint_of(hint or words))
        self.setAccessibleName(words)
        self.setText(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, self.width()))
