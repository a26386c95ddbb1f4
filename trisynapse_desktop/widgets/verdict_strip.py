"""The verdict of a page in, one line that says what it means for her out; hidden text is shown only when she asks."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import button, column, label, row
from trisynapse_memory.types import PageVerdict

MEANINGS = {
    PageVerdict.OCR: "This page was read from its picture: a letter or figure may be wrong. Check it before you cite.",
    PageVerdict.TRANSCRIBED: "A transcriber wrote this down: a word or figure may be wrong. Listen before you cite.",
    PageVerdict.EMPTY: "This page has no text.",
    PageVerdict.IMAGE_ONLY: "This page is a picture without text: it cannot be found or cited.",
    PageVerdict.AUDIO_ONLY: "What is said here is not written down yet: it cannot be found or cited.",
    PageVerdict.GARBLED: "The text behind this page is garbled: it cannot be found or cited.",
    PageVerdict.ORDER_UNCERTAIN: "The reading order of this page is uncertain: sentences may be joined wrongly.",
    PageVerdict.HIDDEN_TEXT: "This page holds text that you cannot see. It is not shown as evidence.",
    PageVerdict.NEEDS_PASSWORD: "This page is locked with a password: it cannot be found or cited.",
    PageVerdict.TIMED_OUT: "Reading this page took too long: it cannot be found or cited.",
    PageVerdict.DAMAGED: "This page is damaged: it cannot be found or cited.",
    PageVerdict.UNSUPPORTED: "This kind of page cannot be read yet.",
    PageVerdict.SKIPPED: "This page was left out.",
}


class VerdictStrip(QFrame):
    """A line under the reader's header.

    ``wanted`` asks for the hidden text of the page shown; ``approved`` carries a page (from 1) whose own shall count.
    """

    wanted = Signal()
    approved = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._icon = IconLabel(theme, "alert", "warning", 16)
        self._text = label("", wrap=True)
        self._hidden = label("", "small", wrap=True, selectable=True)
        self._page = 1
        self._show = button("Show it", "link")
        self._show.clicked.connect(self._toggle)
        self._approve = button("Let it count", "link", hint="From now on this text can be found and cited")
        self._approve.clicked.connect(self._let_count)
        line = row(self._icon, self._text, self._show, self._approve, gap=2)
        line.setStretch(1, 1)
        self.setLayout(column(line, self._hidden, gap=1, margins=(4, 1, 3, 1)))
        self._hidden.hide()
        self._approve.hide()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, with the hidden text where it is open."""
        return "\n".join(part.text() for part in (self._text, self._hidden) if not part.isHidden())

    def show_verdict(self, verdict: PageVerdict, note: str = "") -> None:
        """Say what a verdict means; a sound page says nothing."""
        self._hidden.hide()
        self._approve.hide()
        self._show.setText("Show it")
        self._show.setVisible(verdict is PageVerdict.HIDDEN_TEXT)
        self._text.setText(MEANINGS.get(verdict, ""))
        self._text.setToolTip(note)
        self.setAccessibleName(self._text.text())
        self.setVisible(verdict in MEANINGS)

    def show_hidden(self, page: int, text: str) -> None:
        """Show what a reader of the page (from 1) cannot see."""
        self._page = page
        self._hidden.setText(f"“{' '.join(text.split())}”" if text else "The hidden text was not kept.")
        self._hidden.show()
        self._show.setText("Hide it")
        self._approve.setVisible(bool(text.strip()))

    def _toggle(self) -> None:
        if self._hidden.isVisible():
            self._hidden.hide()
            self._approve.hide()
            self._show.setText("Show it")
        else:
            self.wanted.emit()

    def _let_count(self) -> None:
        self._approve.hide()
        self.approved.emit(self._page)
