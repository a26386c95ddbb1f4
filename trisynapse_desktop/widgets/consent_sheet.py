"""A remote service in, her yes or no out: what would be sent, and what never is, before the first byte leaves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, counted, label, lift, row
from trisynapse_memory.types import ConsentSheet

WIDTH = 560  # px


class ConsentPanel(QFrame):
    """A sheet over the window. No is the answer that Enter and Escape give.

    ``agreed`` carries the name of the service; ``declined`` too.
    """

    agreed = Signal(str)
    declined = Signal(str)

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._service = ""
        self.setProperty("role", "palette")
        self._title = label("", "heading", wrap=True)
        self._sent, self._kept = column(gap=1), column(gap=1)
        self._yes, self._no = button(""), button("Not now", "primary")
        self._yes.clicked.connect(lambda _checked=False: self._leave(True))
        self._no.clicked.connect(lambda _checked=False: self._leave(False))
        self.setLayout(
            column(
                self._title,
                label("What is sent", "section"),
                boxed(self._sent),
                label("What stays here", "section"),
                boxed(self._kept),
                label("Every request is listed under Settings, Privacy. You can take this back there.", "small", True),
                row(None, self._yes, self._no),
                gap=3,
                margins=(5, 4, 5, 4),
            )
        )
        lift(self)
        self.hide()
        window.installEventFilter(self)

    def ask(self, sheet: ConsentSheet) -> None:
        """Show what she would agree to."""
        self._service = sheet.service
        self._title.setText(f"Let {sheet.label} read passages of your sources?")
        self.setAccessibleName(self._title.text())
        self.setAccessibleDescription(" ".join((*sheet.sent, *sheet.kept_here, *marked_words(sheet))))
        self._fill(self._sent, sheet.sent, "send", "warning")
        self._fill(self._kept, (*sheet.kept_here, *marked_words(sheet)), "lock", "good")
        self._yes.setText(f"Send to {sheet.host}")
        self._yes.setAccessibleName(self._yes.text())
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
            line = row(IconLabel(self._theme, icon, tone, 16), label(sentence, wrap=True), gap=2)
            line.setStretch(1, 1)
            place.addLayout(line)

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 8 * GRID)
        wanted = self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
        height = min(wanted, self._window.height() - 16 * GRID)
        self.setGeometry((self._window.width() - width) // 2, (self._window.height() - height) // 3, width, height)

    def _leave(self, agreed: bool) -> None:
        self.hide()
        self._window.setFocus(Qt.FocusReason.PopupFocusReason)
        (self.agreed if agreed else self.declined).emit(self._service)


def marked_words(sheet: ConsentSheet) -> tuple[str, ...]:
    """Say what she has marked by now that is never sent; nothing where she has marked nothing."""
    parts = [f"{counted(sheet.sensitive_count, 'source')} marked sensitive"] if sheet.sensitive_count else []
    parts += [f"“{name}”" for name in sheet.never_collections]
    return (f"So far: {', '.join(parts)}.",) if parts else ()
