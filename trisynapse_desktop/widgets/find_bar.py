"""Typed words in, a wish to find them out, with where she is among them; the searching is done by the view."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import label, row

DELAY_MS = 120  # between the last letter and the search: a whole document is searched


class FindBar(QFrame):
    """Find in this document. Enter goes on, Shift+Enter back, Escape closes."""

    searched = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("paneHeader")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in this document")
        self.field.setAccessibleName("Find in this document")
        self.field.setClearButtonEnabled(True)
        self.field.setFixedWidth(70 * GRID)
        self.field.installEventFilter(self)
        self._count = label("", "small")
        back = IconButton(theme, "chevron-up", "Previous place")
        onward = IconButton(theme, "chevron-down", "Next place")
        close = IconButton(theme, "x", "Close the find bar")
        back.clicked.connect(lambda: self.stepped.emit(-1))
        onward.clicked.connect(lambda: self.stepped.emit(1))
        close.clicked.connect(self.leave)
        self.setLayout(row(self.field, back, onward, self._count, None, close, gap=1, margins=(3, 1, 2, 1)))
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._search)
        self.field.textChanged.connect(self._timer.start)
        self.hide()

    def enter(self) -> None:
        """Show the bar with the cursor in its field."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def leave(self) -> None:
        """Hide the bar; what it found is no longer marked."""
        self._timer.stop()
        self.hide()
        self.searched.emit("")
        self.closed.emit()

    def show_count(self, place: int, count: int) -> None:
        """Say which of how many places is shown."""
        text = f"{place:,} of {count:,}" if count else "Not in this document"
        self._count.setText(text if self.field.text() else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                if self._timer.isActive():
                    self._search()
                else:
                    self.stepped.emit(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
        return super().eventFilter(watched, event)

    def _search(self) -> None:
        self._timer.stop()
        self.searched.emit(self.field.text().strip())
