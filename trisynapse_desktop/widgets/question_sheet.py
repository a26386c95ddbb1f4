"""What would leave this machine and what would not in, her yes or no out; the words are the caller's."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, lift, row

WIDTH = 560  # px
LISTED = "Every request is listed under Settings, Privacy."


class QuestionSheet(QFrame):
    """A sheet over the window. No is the answer that Enter and Escape give; ``answered`` carries hers."""

    answered = Signal(bool)

    def __init__(self, window: QWidget, theme: Theme, foot: str = LISTED) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self.setProperty("role", "palette")
        self._title = label("", "heading", wrap=True)
        self._sent, self._kept = column(gap=1), column(gap=1)
        self._yes, self._no = button("Agree"), button("Not now", "primary")
        self._yes.clicked.connect(lambda _checked=False: self._leave(True))
        self._no.clicked.connect(lambda _checked=False: self._leave(False))
        self.setLayout(
            column(
                self._title,
                label("What is sent", "section"),
                boxed(self._sent),
                label("What stays here", "section"),
                boxed(self._kept),
                label(foot, "small", True),
                row(None, self._yes, self._no),
                gap=3,
                margins=(5, 4, 5, 4),
            )
        )
        lift(self)
        self.hide()
        window.installEventFilter(self)

    def put(self, title: str, sent: Sequence[str], kept: Sequence[str], yes: str) -> None:
        """Ask a question: both sides in whole sentences, and what the button of consent says that it does."""
        self._title.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join((*sent, *kept)))
        self._fill(self._sent, sent, "send", "warning")
        self._fill(self._kept, kept, "lock", "good")
        self._yes.setText(yes)
        self._yes.setAccessibleName(yes)
        self._place()
        self.show()
        self.raise_()
        self._no.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave(False)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._leave(self._yes.hasFocus())
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep Tab between the two answers: what lies under the sheet waits until one is given."""
        (self._yes if self._no.hasFocus() else self._no).setFocus(
            Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _fill(self, place: QVBoxLayout, sentences: Sequence[str], icon: str, tone: str) -> None:
        clear(place)
        for sentence in sentences:
            mark = IconLabel(self._theme, icon, tone, 16)
            line = row(mark, label(sentence, wrap=True), gap=2)
            line.setStretch(1, 1)
            line.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
            place.addLayout(line)

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 8 * GRID)
        wanted = self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
        height = min(wanted, self._window.height() - 16 * GRID)
        self.setGeometry((self._window.width() - width) // 2, (self._window.height() - height) // 3, width, height)

    def _leave(self, agreed: bool) -> None:
        self.hide()
        self._window.setFocus(Qt.FocusReason.PopupFocusReason)
        self.answered.emit(agreed)
