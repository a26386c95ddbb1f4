"""What a source brings in, a card out: summary, key claims, what disagrees, what is new, questions it answers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, column, label, row
from trisynapse_desktop.widgets.wrapped_link import WrappedLink
from trisynapse_memory.types import Claim, RecordId, SourceCard

CLAIM_LIMIT = 5
SENTENCE_LINES = 8  # a sentence of a summary is shown whole, unless it is very long
CONCEPT_LIMIT = 8
NO_CLAIMS = "No claims were found in it; its words can be searched and asked."
NOT_READY = "Still being read: claims and summary follow."


class SourceCardView(QFrame):
    """The card of one source; its signals carry the claim, record id, concept or question that she clicked."""

    claim_wanted = Signal(object)
    record_wanted = Signal(str)
    concept_wanted = Signal(str)
    question_wanted = Signal(str)

    def __init__(self, theme: Theme, card: SourceCard) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(f"What {card.title} brings")
        parts = column(gap=1)
        if card.summary is not None:
            self._add(parts, "Summary", [self._sentence(one.text, one.record_ids) for one in card.summary.sentences])
        self._add(parts, "Disagrees with", [self._dispute(one) for one in card.disagreements[:CLAIM_LIMIT]])
        self._add(parts, "Key claims", [self._claim(one) for one in card.key_claims[:CLAIM_LIMIT]])
        concepts = [self._link(name, self.concept_wanted.emit, name) for name in card.new_concepts[:CONCEPT_LIMIT]]
        self._add(parts, "New here", concepts)
        questions = [self._link(text, self.question_wanted.emit, text) for text in card.questions]
        self._add(parts, "Questions it answers", questions)
        if not card.ready:
            parts.addSpacing(2 * GRID)
            parts.addWidget(label(NOT_READY, "small", wrap=True))
        elif parts.count() == 0:
            parts.addWidget(label(NO_CLAIMS, "small", wrap=True))
        self.setLayout(parts)

    def _add(self, parts: QVBoxLayout, title: str, widgets: list[QWidget]) -> None:
        if widgets:
            parts.addSpacing(3 * GRID)
            parts.addWidget(label(title, "section"))
        for widget in widgets:
            parts.addWidget(widget)

    def _sentence(self, text: str, record_ids: tuple[RecordId, ...]) -> QWidget:
        if not record_ids:
            return label(text, wrap=True, selectable=True)
        show = "Show the passage it stands in"
        return WrappedLink(text, lambda: self.record_wanted.emit(record_ids[0]), "sentence", show, SENTENCE_LINES)

    def _dispute(self, claim: Claim) -> QWidget:
        values = " ≠ ".join(side.value for side in claim.sides)
        link = self._link(f"{claim.subject}: {values}", self.claim_wanted.emit, claim)
        sign = IconLabel(self._theme, "alert", "warning", 16)
        line = row(sign, link, gap=2)
        line.setStretch(1, 1)
        line.setAlignment(sign, Qt.AlignmentFlag.AlignTop)
        return boxed(line)

    def _claim(self, claim: Claim) -> QWidget:
        return self._link(claim.text, self.claim_wanted.emit, claim)

    def _link(self, text: str, do: Callable[..., object], value: object) -> QWidget:
        """A whole sentence to click: wrapped text, with a button's keys and name."""
        return WrappedLink(text, lambda: do(value))
