"""A question or an answer in, what the chat shows of it out, in each of its states; nothing is asked here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QToolButton, QVBoxLayout

from trisynapse_desktop.theme import GRID, RADIUS, Theme
from trisynapse_desktop.widgets.answer_text import CITE, answer_html, coverage_line, timings_line, withheld_line
from trisynapse_desktop.widgets.citation import SourceNames, tooltip_of
from trisynapse_desktop.widgets.icon import IconButton, IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, row
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_memory.types import Answer, Citation, Fault, Hit, Nearest

EVIDENCE_LIMIT = 5  # cards; more would push the answer off the sidebar
WITHHELD_WHY = (
    "A sentence is withheld when its words do not stand in the passage it names. "
    "Nothing is shown that your sources do not say."
)

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
    address of any other link; ``copy_wanted`` and ``retry_wanted`` are the buttons.
    """

    passage_wanted = Signal(object)
    link_wanted = Signal(str)
    copy_wanted = Signal()
    retry_wanted = Signal()

    def __init__(self, theme: Theme, question: str) -> None:
        super().__init__()
        self._theme, self._question = theme, question
        self._answer: Answer | None = None
        self._column: QVBoxLayout = column(gap=2)
        self.setLayout(self._column)
        self._cards: QFrame | None = None
        self._evidence: tuple[Hit, ...] = ()

    @property
    def answer(self) -> Answer | None:
        """The answer shown, if there is one."""
        return self._answer

    def show_waiting(self) -> None:
        """Say that the search has begun."""
        self._restart("Searching your sources…", busy=True)

    def show_evidence(self, hits: Sequence[Hit]) -> None:
        """Show the best passages while the answer is written."""
        self._evidence = tuple(hits[:EVIDENCE_LIMIT])
        self._restart("The best passages, while the answer is written" if hits else "Writing the answer…", busy=True)
        self._column.addWidget(self._passages(self._evidence))

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
        by_address = {f"{CITE}{citation.n}": citation for citation in answer.citations}

        def tooltip(address: str) -> str:
            return tooltip_of(by_address[address]) if address in by_address else ""

        def follow(address: str) -> None:
            if address in by_address:
                self.passage_wanted.emit(by_address[address])
            else:
                self.link_wanted.emit(address)

        body = RichText(self._theme, tooltip)
        body.setAccessibleName("Answer")
        body.link_wanted.connect(follow)
        self._column.addWidget(body)
        body.show_html(lambda: answer_html(answer, names, self._theme.tones))
        self.setAccessibleName(f"Answer: {answer.answer}")

    def _add_abstention(self, answer: Answer) -> None:
        head = label("Your sources do not say", "heading", wrap=True)
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
        self.setAccessibleName(f"Your sources do not say. {answer.reason}")

    def _add_foot(self, answer: Answer) -> None:
        coverage = label(coverage_line(answer), "small", wrap=True)
        timings = label(timings_line(answer), "small", wrap=True)
        timings.hide()
        copy = IconButton(self._theme, "copy", "Copy with citations")
        copy.clicked.connect(self.copy_wanted)
        times = self._switch("clock", "How long it took", timings)
        foot = row(coverage, gap=0)
        foot.setStretch(0, 1)
        if answer.withheld:
            why = label(WITHHELD_WHY, "small", wrap=True)
            why.hide()
            link = button(f"{withheld_line(answer.withheld)} · show why", "link")
            link.clicked.connect(lambda: why.setVisible(why.isHidden()))
            self._column.addLayout(row(link, None))
            self._column.addWidget(why)
        if self._evidence and not answer.abstain:
            passages = self._passages(self._evidence)
            passages.hide()
            foot.addWidget(self._switch("layers", f"The {len(self._evidence)} best passages", passages))
            self._column.addLayout(foot)
            self._column.addWidget(passages)
        else:
            self._column.addLayout(foot)
        foot.addWidget(times)
        foot.addWidget(copy)
        self._column.addWidget(timings)

    def _switch(self, icon: str, name: str, part: QFrame | QLabel) -> QToolButton:
        made = IconButton(self._theme, icon, name)
        made.setCheckable(True)
        made.toggled.connect(part.setVisible)
        return made

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
