"""The sums of one bucket in, the claims they make out: which values agree, which dispute, which were replaced. Pure.

Everything is decided from sums over facts, never from the facts themselves, so that a claim with ten thousand facts
costs no more than one with three. The same rules serve the stored claims of the whole vault and those of a narrower
scope.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.indexing.claim_facts import Variant
from trisynapse_memory.scoring.confidence import FULL_SUPPORT
from trisynapse_memory.scoring.relations import Nature, Relation
from trisynapse_memory.text.quantities import ValueKind, agree, normalise
from trisynapse_memory.types import ClaimStatus

VALUES_LIMIT: Final = 32
"""Values of one bucket that are compared. A subject with more of them for one relation is a class, not a thing."""


class Tally(Struct, frozen=True, kw_only=True):
    """The sums over the facts of one variant.

    ``written`` is its value as one fact writes it, ready to compare; ``confidence`` is in millionths. ``first`` is the
    earliest day its facts are dated to, ``last_start`` and ``last_end`` bound the latest statement (ISO; empty without
    any date). ``origins`` are one or two of the sources behind it, ``groups`` at most four. ``best`` is the log
    position of the fact whose sentence speaks for it.
    """

    variant: int
    form: Variant
    written: str
    fact_count: int
    confidence: int
    newest_us: int
    first: str
    last_start: str
    last_end: str
    best: int
    rank: int
    origins: frozenset[str]
    groups: frozenset[str]


class SideOutline(Struct, frozen=True, array_like=True):
    """One side of a claim before its facts are read; ``best`` is the fact whose value and words stand for it."""

    best: int
    normalised: str
    variants: tuple[int, ...]
    negated: bool = False
    valid_from: str = ""
    valid_to: str = ""
    preferred: bool = False


class Outline(Struct, frozen=True, array_like=True):
    """One claim before its facts are read; ``mark`` tells it from the others of its bucket (``claim_id_of``)."""

    mark: str
    status: ClaimStatus
    sides: tuple[SideOutline, ...]
    shown: bool
    fact_count: int
    confidence: int
    newest_us: int
    group_count: int
    resolution: str = ""

    @property
    def mean(self) -> int:
        """The mean confidence of its facts, in whole millionths."""
        return self.confidence // self.fact_count

    @property
    def best(self) -> int:
        """The log position of the fact that speaks for it."""
        return self.sides[0].best

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sorts the best supported first: by groups, facts, mean confidence; ties in log order."""
        return -self.group_count, -self.fact_count, -self.mean, self.best


Resolution = Callable[[str], tuple[str, str] | None]
"""The mark of a claim in, the value she took and her reason out, or None."""
SentenceAt = Callable[[int], str]
"""The log position of a fact in, its sentence out."""


def outline_claims(
    tallies: Sequence[Tally], relation: Relation, resolution: Resolution, sentence_at: SentenceAt
) -> tuple[Outline, ...]:
    """Return the claims of one bucket, the main one first.

    Facts of well-measured patterns, and corrections, push the others aside (engine.md 0.6: two tiers).
    """
    if len(tallies) > VALUES_LIMIT:
        return tuple(sorted((outline_alone(tally) for tally in tallies), key=lambda one: one.order))
    shown = [tally for tally in tallies if tally.form.shown]
    chosen = shown or list(tallies)
    outlines: list[Outline] = []
    for mark, group in _comparable_groups(chosen):
        outlines += _Bucket(_cluster(group, relation), relation, mark, bool(shown), sentence_at).outlines(resolution)
    return tuple(outlines)


def outline_alone(tally: Tally) -> Outline:
    """Return the claim of one variant of a crowded bucket, where nothing is compared."""
    side = _Side([tally])
    return _outline(f"also|{tally.variant:x}", ClaimStatus.ACTIVE, [side], [side.outlined()], tally.form.shown)


class _Side:
    """Tallies that give one value; knows who says so, when, and how surely."""

    def __init__(self, tallies: list[Tally]) -> None:
        self.tallies = tallies
        seed = tallies[0]
        self.negated = seed.form.negated
        self.soft = seed.form.soft
        asserted = [tally for tally in tallies if not tally.form.hedged]
        self.asserted = bool(asserted)
        self.origins = frozenset[str]().union(*(tally.origins for tally in asserted))
        self.corrected_in = frozenset[str]().union(*(tally.origins for tally in tallies if tally.form.corrected))
        self.softs = {tally.form.soft for tally in asserted}
        # A correction is the newest word on its value, whatever the others' confidence.
        best = max(tallies, key=lambda tally: (tally.form.corrected, not tally.form.hedged, tally.rank, -tally.best))
        self.best, self.value, self.written = best.best, best.form.value, best.written
        self.first = min((tally.first for tally in tallies if tally.first), default="")
        last = max(tallies, key=lambda tally: (tally.last_start, tally.last_end))
        self.last_start, self.last_end = last.last_start, last.last_end

    @property
    def order(self) -> tuple[int, int, bool, int, str]:
        """The best supported first, at equal support what is said before what is denied, then the newest."""
        groups = frozenset[str]().union(*(tally.groups for tally in self.tallies))
        facts = sum(tally.fact_count for tally in self.tallies)
        newest_us = max(tally.newest_us for tally in self.tallies)
        return -len(groups), -facts, self.negated, -newest_us, self.value

    def outlined(self, *, valid_from: str = "", valid_to: str = "", preferred: bool = False) -> SideOutline:
        """Return the side without its sums."""
        variants = tuple(sorted(tally.variant for tally in self.tallies))
        return SideOutline(self.best, self.value, variants, self.negated, valid_from, valid_to, preferred)


class _Bucket:
    """Compares the sides of one bucket with each other."""

    def __init__(self, sides: list[_Side], relation: Relation, mark: str, shown: bool, sentence_at: SentenceAt) -> None:
        self._sentence_at = sentence_at
        self._sides = sorted(sides, key=lambda side: side.order)
        self._relation = relation
        self._mark = mark
        self._shown = shown
        self._disputes: set[tuple[int, int]] = set()
        self._replaced: dict[int, list[int]] = {}  # side -> the sides that came after it
        for left, right in combinations(range(len(self._sides)), 2):
            self._compare(left, right)
        if self._sides and len(self._replaced) == len(self._sides):
            # Corrections and dates can run in a circle; then her correction stands, else the latest.
            newest = max(
                self._replaced,
                key=lambda index: (bool(self._sides[index].corrected_in), self._sides[index].last_start, -index),
            )
            del self._replaced[newest]

    def outlines(self, resolution: Resolution) -> list[Outline]:
        """Return the claim of the bucket, then its former values, then what stands beside it undisputed."""
        tied = {index for pair in self._disputes for index in pair} | set(self._replaced)
        tied |= {later for others in self._replaced.values() for later in others}
        main = sorted(tied) or [0]
        outlines = [self._main(main, resolution)]
        outlines += [self._former(index) for index in main if index in self._replaced]
        beside = [side for index, side in enumerate(self._sides) if index not in main]
        outlines += [self._beside(side) for side in beside]
        return outlines

    def _compare(self, left: int, right: int) -> None:
        first, second = self._sides[left], self._sides[right]
        if not (first.asserted and second.asserted and _contradict(first, second, self._relation)):
            return
        later = _later(first, second, self._relation)
        if later is not None:
            older, newer = (left, right) if later is second else (right, left)
            self._replaced.setdefault(older, []).append(newer)
        elif len(first.origins | second.origins) > 1 or self._contradicts_itself(first, second):
            self._disputes.add((left, right))

    def _contradicts_itself(self, first: _Side, second: _Side) -> bool:
        """Whether one source says both of the same thing; a sentence that gives two values lists them."""
        return first.softs == second.softs and self._sentence_at(first.best) != self._sentence_at(second.best)

    def _main(self, main: Sequence[int], resolution: Resolution) -> Outline:
        current = [index for index in main if index not in self._replaced]
        disputed = any(left in current and right in current for left, right in self._disputes)
        word = resolution(self._mark) if disputed else None
        preferred = self._preferred(current, word[0]) if word else None
        state = self._relation.nature is Nature.STATE
        current.sort(key=lambda index: (index != preferred, index))
        former = sorted(set(main) - set(current), key=lambda index: self._sides[index].last_end, reverse=True)
        outlined = [
            self._sides[index].outlined(
                valid_from=self._sides[index].first if state else "",
                valid_to=self._ended(index),
                preferred=index == preferred,
            )
            for index in (*current, *former)
        ]
        contested = disputed and word is None
        return _outline(
            self._mark,
            ClaimStatus.CONTESTED if contested else ClaimStatus.ACTIVE,
            [self._sides[index] for index in current],
            outlined,
            self._shown,
            word[1] if word else "",
        )

    def _former(self, index: int) -> Outline:
        side = self._sides[index]
        outlined = side.outlined(valid_from=side.first, valid_to=self._ended(index))
        return _outline(self._apart("was", side), ClaimStatus.SUPERSEDED, [side], [outlined], self._shown)

    def _beside(self, side: _Side) -> Outline:
        kind = "not" if side.negated else "also" if side.asserted else "perhaps"
        dated = side.first if self._relation.nature is Nature.STATE else ""
        return _outline(
            self._apart(kind, side), ClaimStatus.ACTIVE, [side], [side.outlined(valid_from=dated)], self._shown
        )

    def _apart(self, kind: str, side: _Side) -> str:
        return f"{self._mark}|{kind}|{side.value}"

    def _ended(self, index: int) -> str:
        """The day the next value was stated, for a value that was replaced by a later one."""
        newer = [self._sides[other] for other in self._replaced.get(index, ())]
        last = self._sides[index].last_end
        return min((side.first if side.first > last else side.last_start for side in newer), default="")

    def _preferred(self, current: Sequence[int], value: str) -> int | None:
        """The side she took, by the value she named."""
        return next((index for index in current if self._is_taken(self._sides[index], value.strip())), None)

    def _is_taken(self, side: _Side, value: str) -> bool:
        denied = value.lower().startswith("not ")
        if side.negated:
            return denied and _same(side, value[4:], self._relation)
        return side.written == value or (not denied and _same(side, value, self._relation))


def _comparable_groups(tallies: Sequence[Tally]) -> list[tuple[str, list[Tally]]]:
    """Split tallies whose soft qualifiers (task, method, speaker) tell them apart.

    As long as no two of them differ in the same qualifier, one that is missing may be the same as one that is given.
    As soon as two differ, nobody knows which of them an unqualified statement means.
    """
    softs = sorted({tally.form.soft for tally in tallies})
    read = [msgspec.json.decode(soft, type=dict[str, str]) for soft in softs]
    if all(_compatible(left, right) for left, right in combinations(read, 2)):
        return [("", list(tallies))]
    return [(f"{soft}", [tally for tally in tallies if tally.form.soft == soft]) for soft in softs]


def _compatible(left: dict[str, str], right: dict[str, str]) -> bool:
    return all(right.get(name, value) == value for name, value in left.items())


def _cluster(tallies: Sequence[Tally], relation: Relation) -> list[_Side]:
    """Put tallies of one value together; the exactest value of a side is its first, and decides who joins it."""
    clusters: list[list[Tally]] = []
    for tally in sorted(tallies, key=_exactness):
        home = next((one for one in clusters if _joins(tally, one[0], relation)), None)
        if home is None:
            clusters.append([tally])
        else:
            home.append(tally)
    return [_Side(cluster) for cluster in clusters]


def _exactness(tally: Tally) -> tuple[bool, float, int, str, bool, bool, bool, str]:
    value = normalise(tally.written)
    numeric = value is not None and value.kind is not ValueKind.TEXT
    width = (value.high - value.low) + value.step if value is not None and numeric else 0.0
    form = tally.form
    return (not numeric, width, -tally.fact_count, form.value, form.negated, form.hedged, form.corrected, form.soft)


def _joins(tally: Tally, seed: Tally, relation: Relation) -> bool:
    if tally.form.negated != seed.form.negated:
        return False
    return tally.form.value == seed.form.value or agree(tally.written, seed.written, exact=relation.literal).same


def _same(side: _Side, value: str, relation: Relation) -> bool:
    return side.written == value or agree(side.written, value, exact=relation.literal).same


def _contradict(first: _Side, second: _Side, relation: Relation) -> bool:
    """Whether two sides cannot both be right: one denies what the other says, or one place holds two values."""
    if first.negated and second.negated:
        return False
    if first.negated != second.negated:
        return first.value == second.value or _same(first, second.written, relation)
    return not relation.many and agree(first.written, second.written, exact=relation.literal).different


def _later(first: _Side, second: _Side, relation: Relation) -> _Side | None:
    """The side that replaced the other: a correction inside its own source, or, for a state, a later explicit date."""
    for newer, older in ((first, second), (second, first)):
        if len(older.origins) == 1 and older.origins <= newer.corrected_in and not older.corrected_in:
            return newer
    if relation.nature is not Nature.STATE or not first.last_end or not second.last_end:
        return None
    if second.last_start > first.last_end:
        return second
    return first if first.last_start > second.last_end else None


def _outline(
    mark: str,
    status: ClaimStatus,
    counted: Sequence[_Side],
    sides: Sequence[SideOutline],
    shown: bool,
    resolution: str = "",
) -> Outline:
    tallies = [tally for side in counted for tally in side.tallies]
    groups = frozenset[str]().union(*(tally.groups for tally in tallies))
    return Outline(
        mark,
        status,
        tuple(sides),
        shown,
        sum(tally.fact_count for tally in tallies),
        sum(tally.confidence for tally in tallies),
        max(tally.newest_us for tally in tallies),
        min(max(len(groups), 1), FULL_SUPPORT),
        resolution,
    )
