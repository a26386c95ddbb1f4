"""A question or an answer in, what the chat shows of it out, in each of its states; nothing is asked here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout

from trisynapse_desktop.theme import GRID, RADIUS, Theme
from trisynapse_desktop.widgets.answer_foot import AnswerFoot
from trisynapse_desktop.widgets.answer_quotes import CITE
from trisynapse_desktop.widgets.answer_text import answer_html, asked_line, writer_name
from trisynapse_desktop.widgets.citation import SourceNames, tooltip_of
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, row
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_memory.types import Answer, Citation, Fault, Hit, Nearest

# The two levels of a refusal: nothing is about it, or something is and does not say it for sure.
ABSTENTIONS = {"none": "Your sources do not say", "nearest": "Close, but not confirmed"}
EVIDENCE_LIMIT = 5  # cards; more would push the answer off the sidebar
Passage = Hit | Nearest | Citation


class QuestionView(QFrame):
    """What she asked, in a bubble at the right edge that is no wider than its words."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__()
        self.text = text
        self._words = label(text, wrap=True, selectable=True)
        self._bubble = _Bubble(theme, self._words)
        self.setAccessibleName(f"You asked: {text}")
        self.setLayout(row(None, self._bubble))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        metrics = self._words.fontMetrics()
        longest = max(metrics.horizontalAdvance(line) for line in self.text.split("\n"))
        self._bubble.setFixedWidth(min(longest + 7 * GRID, self.width() - 8 * GRID))


class _Bubble(QFrame):
    def __init__(self, theme: Theme, words: QLabel) -> None:
        super().__init__()
        self._theme = theme
        self.setLayout(column(words, margins=(3, 2, 3, 2)))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.tones.hover))
            painter.drawRoundedRect(self.rect(), RADIUS, RADIUS)


class AnswerView(QFrame):
    """What the vault says: searching, the best passages, then the answer, or why there is none.

    ``passage_wanted`` carries the hit, citation or nearest passage she wants to see on its page; ``link_wanted`` the
    address of any other link; ``copy_wanted`` and ``retry_wanted`` are the buttons; for ``share_chosen`` and ``judged``
    see ``AnswerFoot``.
    """

    passage_wanted = Signal(object)
    link_wanted = Signal(str)
    copy_wanted = Signal()
    retry_wanted = Signal()
    share_chosen = Signal(tuple, str)
    judged = Signal(bool)

    def __init__(self, theme: Theme, question: str) -> None:
        super().__init__()
        self._theme, self._question = theme, question
        self._answer: Answer | None = None
        self._column: QVBoxLayout = column(gap=2)
        self.setLayout(self._column)
        self._cards: QFrame | None = None
        self._evidence: tuple[Nearest, ...] = ()
        self._draft: RichText | None = None

    @property
    def answer(self) -> Answer | None:
        """The answer shown, if there is one; while a model writes, what stands of it."""
        return self._answer

    def show_waiting(self) -> None:
        """Say that the search has begun."""
        self._restart("Searching your sources…", busy=True)

    def show_evidence(self, passages: Sequence[Nearest], asked_as: str = "") -> None:
        """Show the best passages while the answer is written, and what was looked up for a follow-up question."""
        self._evidence = tuple(passages[:EVIDENCE_LIMIT])
        status = "The best passages, while the answer is written" if passages else "Writing the answer…"
        self._restart(status, busy=True)
        if asked_as:
            self._column.insertWidget(0, label(asked_line(asked_as), "small", wrap=True))
        self._column.addWidget(self._passages(self._evidence))

    def show_writing(self, draft: Answer, names: SourceNames) -> None:
        """Show the sentences of a model that stand so far, above the passages it was given."""
        self._answer = draft
        if self._draft is None:
            self._restart(f"{writer_name(draft.model)} is writing; each sentence is checked first", busy=True)
            self._draft = self._body()
            self._draft.hide()
            self._column.insertWidget(0, self._draft)
            self._column.addWidget(self._passages(self._evidence))
        if draft.sentences:
            self._draft.show_html(lambda: answer_html(draft, names, self._theme.tones))
            self._draft.show()

    def show_stopped(self) -> None:
        """Say that she stopped it; what was found stays."""
        self._restart("Stopped.")
        if self._evidence:
            self._column.addWidget(self._passages(self._evidence))
        self._column.addLayout(self._retry_row())

    def show_fault(self, fault: Fault) -> None:
        """Say what went wrong, and offer to ask again."""
        self._restart("")
        words = column(label(fault.message, wrap=True), gap=0)
        if fault.hint:
            words.addWidget(label(fault.hint, "small", wrap=True))
        line = row(IconLabel(self._theme, "alert", "warning"), words, gap=3)
        line.setStretch(1, 1)
        self._column.addLayout(line)
        self._column.addLayout(self._retry_row())

    def show_text(self, text: str) -> None:
        """Show a kept answer of which only the words are left."""
        self._restart("")
        self._column.addWidget(label(text, wrap=True, selectable=True))

    def show_answer(self, answer: Answer, names: SourceNames) -> None:
        """Show the answer; the passages found before stay one click away."""
        self._answer = answer
        self._restart("")
        if answer.abstain:
            self._add_abstention(answer)
        else:
            self._add_body(answer, names)
        self._add_foot(answer)

    # -- parts

    def _restart(self, status: str, busy: bool = False) -> None:
        clear(self._column)
        self._draft = None
        if status:
            self._column.addWidget(label(status, "small"))
            self.setAccessibleName(status)
        if busy:
            bar = QProgressBar()
            bar.setRange(0, 0)
            bar.setTextVisible(False)
            bar.setAccessibleName(status)
            self._column.addWidget(bar)

    def _add_body(self, answer: Answer, names: SourceNames) -> None:
        if answer.asked_as:
            self._column.addWidget(label(asked_line(answer.asked_as), "small", wrap=True))
        body = self._body()
        self._column.addWidget(body)
        body.show_html(lambda: answer_html(answer, names, self._theme.tones))
        self.setAccessibleName(f"Answer: {answer.answer}")

    def _body(self) -> RichText:
        """A text whose chips lead to the citations of the answer shown by then."""

        def cited(address: str) -> Citation | None:
            citations = self._answer.citations if self._answer is not None else ()
            return next((one for one in citations if address == f"{CITE}{one.n}"), None)

        def tooltip(address: str) -> str:
            found = cited(address)
            return "" if found is None else tooltip_of(found)

        def follow(address: str) -> None:
            found = cited(address)
            if found is not None:
                self.passage_wanted.emit(found)
            else:
                self.link_wanted.emit(address)

        body = RichText(self._theme, tooltip)
        body.setAccessibleName("Answer")
        body.link_wanted.connect(follow)
        return body

    def _add_abstention(self, answer: Answer) -> None:
        words = ABSTENTIONS.get(answer.level, ABSTENTIONS["none"])
        head = label(words, "heading", wrap=True)
        line = row(IconLabel(self._theme, "shield", "accent", 20), head, gap=2)
        line.setStretch(1, 1)
        self._column.addLayout(line)
        if answer.reason:
            self._column.addWidget(label(answer.reason, wrap=True, selectable=True))
        if answer.nearest:
            self._column.addSpacing(GRID)
            self._column.addWidget(label("The nearest passages", "section"))
            self._column.addWidget(self._passages(answer.nearest))
        if answer.would_answer:
            self._column.addSpacing(GRID)
            self._column.addWidget(label("What would answer it", "section"))
            self._column.addWidget(label(answer.would_answer, wrap=True, selectable=True))
        self.setAccessibleName(f"{words}. {answer.reason}")

    def _add_foot(self, answer: Answer) -> None:
        shown = self._evidence if not answer.abstain else ()
        foot = AnswerFoot(self._theme, answer, self._passages(shown) if shown else None, len(shown))
        foot.copy_wanted.connect(self.copy_wanted)
        foot.share_chosen.connect(self.share_chosen)
        foot.judged.connect(self.judged)
        self._column.addWidget(foot)

    def _retry_row(self) -> QHBoxLayout:
        retry = button("Ask again")
        retry.clicked.connect(self.retry_wanted)
        return row(retry, None)

    def _passages(self, passages: Sequence[Passage]) -> QFrame:
        cards = column(gap=2)
        for passage in passages:
            card = PassageCard(self._theme, passage.title, passage.locator, passage.excerpt, self._question)
            card.opened.connect(lambda passage=passage: self.passage_wanted.emit(passage))
            cards.addWidget(card)
        return boxed(cards)
