"""One passage in, a small card she can open out; the words of the question are marked in it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.citation import place_text
from trisynapse_desktop.widgets.hit_list import marks_of
from trisynapse_desktop.widgets.layout import column, label, row
from trisynapse_memory.types import Locator

EXCERPT_LENGTH = 180  # characters; three lines of a sidebar
LEAD_LENGTH = 40  # characters shown before the first word asked for
FRAME_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how in is it its of on or that the"
    " their them then there these they this those to was were what when where which who whom whose why will with"
    " would".split()
)
"""Words that hold a question together. Marked in a passage, they would hide the words that were asked for."""


class PassageCard(QFrame):
    """Title, page and the words around what was asked. Click, Enter or Space opens it."""

    opened = Signal()

    def __init__(self, theme: Theme, title: str, locator: Locator | None, excerpt: str, question: str) -> None:
        super().__init__()
        self._theme, self._question = theme, asked_words(question)
        self._excerpt = clip(" ".join(excerpt.split()), self._question)
        place = place_text(locator)
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{title}, {place}: {self._excerpt}" if place else f"{title}: {self._excerpt}")
        self._title = label(title)
        self._title.setMinimumWidth(1)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(True)
        head = row(self._title, label(place, "small"), gap=2)
        head.setStretch(0, 1)
        self.setLayout(column(head, self._words, gap=1, margins=(3, 2, 3, 2)))
        self._full_title = title
        self._paint_words()
        theme.changed.connect(self._paint_words)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            room = self._title.width()
            self._title.setText(
                self._title.fontMetrics().elidedText(self._full_title, Qt.TextElideMode.ElideRight, room)
            )
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def _paint_words(self) -> None:
        tones = self._theme.tones
        parts: list[str] = []
        at = 0
        for start, length in marks_of(self._excerpt, self._question):
            parts.append(escape(self._excerpt[at:start]))
            marked = escape(self._excerpt[start : start + length])
            parts.append(f"<span style='background-color: {tones.mark}; color: {tones.on_mark};'>{marked}</span>")
            at = start + length
        self._words.setText("".join([*parts, escape(self._excerpt[at:])]))


def asked_words(question: str) -> str:
    """Return the words of a question that say what it is about; all of them where none do."""
    kept = [word for word in question.split() if word.strip("?.,;:!\"'()“”").casefold() not in FRAME_WORDS]
    return " ".join(kept) or question


def clip(text: str, question: str) -> str:
    """Cut a passage to a few lines, where most of the words asked for stand together, at a word's edge."""
    if len(text) <= EXCERPT_LENGTH:
        return text
    places = [start for start, _length in marks_of(text, question)] or [0]
    room = EXCERPT_LENGTH - LEAD_LENGTH
    best = max(places, key=lambda first: (sum(first <= place < first + room for place in places), -first))
    start = text.find(" ", best - LEAD_LENGTH) + 1 if best > LEAD_LENGTH else 0
    piece = text[start : start + EXCERPT_LENGTH]
    if start + EXCERPT_LENGTH < len(text):
        piece = f"{piece.rsplit(' ', 1)[0]} …"
    return f"… {piece}" if start else piece
