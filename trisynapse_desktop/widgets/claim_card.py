"""A claim in, its sides with their evidence out, each passage a click away; disputes are settled in place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.inline_form import Entry, InlineForm
from trisynapse_desktop.widgets.layout import Part, boxed, button, column, label, row
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_memory.types import Claim, ClaimSide, ClaimStatus, Support

SUPPORT_LIMIT = 4  # passages a side; the others are counted
ROLES = {ClaimStatus.ACTIVE: "good", ClaimStatus.CONTESTED: "warning", ClaimStatus.SUPERSEDED: "muted"}
ICONS = {ClaimStatus.ACTIVE: "check", ClaimStatus.CONTESTED: "alert", ClaimStatus.SUPERSEDED: "clock"}


class ClaimCard(QFrame):
    """One claim: what is said, by whom, how sure, and, where sources disagree, a way to say which side she takes.

    ``opened`` carries the ``Support`` whose passage she wants to see; ``resolved`` a value and her reason;
    ``taken_back`` says that her word no longer holds; ``forgotten`` carries the ``Support`` whose passage shall not
    answer any more; ``corrected`` the ``Support``, what is right, and her reason.
    """

    opened = Signal(object)
    resolved = Signal(str, str)
    taken_back = Signal()
    forgotten = Signal(object)
    corrected = Signal(object, str, str)

    def __init__(self, theme: Theme, claim: Claim) -> None:
        super().__init__()
        self._theme, self._claim = theme, claim
        self.setAccessibleName(sentence_of(claim))
        tone = "muted" if claim.resolution else ROLES[claim.status]
        state = row(IconLabel(theme, ICONS[claim.status], tone, 16), label(status_text(claim), tone), None)
        parts: list[Part] = [label(sentence_of(claim), "heading", wrap=True, selectable=True), state]
        if qualifiers := ", ".join(f"{name}: {value}" for name, value in sorted(claim.qualifiers.items())):
            parts.append(label(qualifiers, "small", wrap=True))
        parts += [self._sureness(), *map(self._side, claim.sides)]
        if claim.resolution:
            parts.append(self._word())
        self.setLayout(column(*parts, gap=2))

    @property
    def claim(self) -> Claim:
        """The claim shown."""
        return self._claim

    def _sureness(self) -> QWidget:
        because = "\n".join(
            f"{part.name}: {part.value:.2f} × {part.weight:g}  {part.because}" for part in self._claim.confidence_parts
        )
        made = label(f"Confidence {self._claim.confidence:.2f}", "small")
        made.setToolTip(because)
        made.setAccessibleDescription(because)
        return made

    def _side(self, side: ClaimSide) -> QWidget:
        several = len(self._claim.sides) > 1
        parts: list[Part] = []
        if several:
            parts.append(label(side.value, "heading", wrap=True, selectable=True))
            parts += [label(words, "small")] if (words := span_text(side)) else []
        supports = distinct(side.supports)
        parts += [self._passage(side, support) for support in supports[:SUPPORT_LIMIT]]
        if len(supports) > SUPPORT_LIMIT:
            parts.append(label(f"and {len(supports) - SUPPORT_LIMIT} more", "small"))
        disputed = several and self._claim.status is ClaimStatus.CONTESTED
        if disputed and not self._claim.resolution:
            parts.append(self._choice(side))
        if disputed:
            return boxed(column(*parts, gap=1, margins=(3, 0, 0, 0)), role="dispute")
        return boxed(column(*parts, gap=1))

    def _passage(self, side: ClaimSide, support: Support) -> QWidget:
        card = PassageCard(self._theme, support.title, support.locator, support.excerpt, side.value)
        card.opened.connect(lambda: self.opened.emit(support))
        forget = button("Forget this passage", "quiet", "No answer uses it any more; it can be brought back")
        forget.setAccessibleName(f"Forget this passage of {support.title}")
        forget.clicked.connect(lambda _checked=False: self.forgotten.emit(support))
        correct = InlineForm(
            "Correct…",
            (Entry("What is right", "What is right", support.excerpt), Entry("Why it is wrong", "Why it is wrong")),
            "Say what is right; the old words stay in the history",
            f"Correct this passage of {support.title}",
            "quiet",
        )
        correct.submitted.connect(lambda texts: self.corrected.emit(support, *texts))
        correct.unfolded.connect(forget.hide)
        correct.folded.connect(forget.show)
        line = row(correct, forget, None, gap=1)
        line.setStretch(0, 1)
        line.setStretch(2, 0)
        return boxed(column(card, line, gap=0))

    def _choice(self, side: ClaimSide) -> QWidget:
        made = InlineForm(
            "Resolve as mine, because …",
            (Entry(f"Why you take {side.value}", "Your reason"),),
            "Say which side you take; both are kept",
            f"Resolve as {side.value}",
            "inline",
        )
        made.submitted.connect(lambda texts: self.resolved.emit(side.value, texts[0]))
        return made

    def _word(self) -> QWidget:
        undo = button("Take it back", "inline", "Let the claim be contested again")
        undo.clicked.connect(lambda _checked=False: self.taken_back.emit())
        words = label(self._claim.resolution, wrap=True, selectable=True)
        return boxed(column(label("Your decision", "section"), words, row(undo, None), gap=1))


def distinct(supports: Sequence[Support]) -> tuple[Support, ...]:
    """Return each passage once: two facts read from the same words are one piece of evidence to a reader."""
    seen: dict[tuple[object, ...], Support] = {}
    for one in supports:
        seen.setdefault((one.source_id or one.record_id, one.locator and one.locator.page, one.excerpt), one)
    return tuple(seen.values())


def sentence_of(claim: Claim) -> str:
    """Say a claim in its own words: subject, relation, and its one value or how many there are."""
    relation = f"{'not ' if claim.negated else ''}{claim.relation.replace('_', ' ')}"
    if len(claim.sides) > 1:
        return f"{claim.subject} {relation}: {len(claim.sides)} values"
    return f"{claim.subject} {relation} {claim.object}"


def status_text(claim: Claim) -> str:
    """Say where a claim stands, as a reader would ask: who says so, and does anybody disagree?"""
    if claim.resolution:
        return "Sources disagree; you took a side"
    if claim.status is ClaimStatus.CONTESTED:
        return "Sources disagree"
    if claim.status is ClaimStatus.SUPERSEDED:
        return "Replaced by a newer statement"
    count = len({one.source_id or one.record_id for side in claim.sides for one in side.supports})
    return "One source says so" if count == 1 else f"{count} sources agree"


def span_text(side: ClaimSide) -> str:
    """Say since when and until when a value held, where a source says so."""
    if side.valid_from and side.valid_to:
        return f"{side.valid_from} to {side.valid_to}"
    return f"until {side.valid_to}" if side.valid_to else f"since {side.valid_from}" if side.valid_from else ""
