"""A new highlight in, her note on it out; a quiet bar over the page that never stands in the way of reading on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconButton, IconLabel
from trisynapse_desktop.widgets.layout import button, label, row

QUOTE_LENGTH = 40  # characters of the quote, so that she knows what the note is on


class NoteBar(QFrame):
    """Says that words are kept and takes a note on them. Enter keeps it, Escape goes on without one.

    ``noted`` carries the note; ``closed`` says that the bar is gone.
    """

    noted = Signal(str)
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("paneHeader")
        self._words = label("", "small")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Add a note, or read on")
        self.field.setAccessibleName("Note on the highlight")
        self.field.installEventFilter(self)
        keep = button("Keep the note")
        close = IconButton(theme, "x", "Go on without a note")
        line = row(IconLabel(theme, "highlighter", "muted", 16), self._words, self.field, keep, close, gap=2)
        line.setContentsMargins(16, 4, 8, 4)
        line.setStretch(2, 1)
        self.setLayout(line)
        self.field.returnPressed.connect(self._keep)
        keep.clicked.connect(lambda _checked=False: self._keep())
        close.clicked.connect(self.leave)
        self.hide()

    def ask(self, quote: str) -> None:
        """Show the bar for a highlight, with the cursor in its field."""
        short = quote if len(quote) <= QUOTE_LENGTH else f"{quote[: QUOTE_LENGTH - 1].rstrip()}…"
        self._words.setText(f"Kept “{short}”")
        self.field.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Hide the bar; what was typed is dropped, the highlight stays."""
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self.leave()
            return True
        return super().eventFilter(watched, event)

    def _keep(self) -> None:
        if note := self.field.text().strip():
            self.noted.emit(note)
        self.leave()
