"""What the facts of each extraction pattern are worth: measured precision on labelled sentences. A table; rows only.

Every row is measured by ``packaging/scripts/measure_extraction.py`` on ``tests/corpora/extraction/``, whose sentences
were labelled before the pattern was written; a test measures again and holds this table against the result. A pattern
is shown when its precision is at least ``SHOWN_PRECISION`` on at least ``SHOWN_HITS`` judged hits (engine.md 0.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

SHOWN_PRECISION: Final = 0.97
SHOWN_HITS: Final = 100
JUDGED: Final = frozenset({"llm.verbatim"})
"""Facts that were judged one by one instead: proposed by a model, and verbatim by the verdict of engine.md 0.5."""
UNMEASURED: Final = 0.5
"""Confidence of a pattern that nobody has measured; such facts help retrieval and are never shown."""


class Worth(NamedTuple):
    """One pattern: hits judged, hits right."""

    pattern: str
    hits: int
    right: int

    @property
    def precision(self) -> float:
        """The share of judged hits that are right, in [0, 1]; ``UNMEASURED`` without any."""
        return self.right / self.hits if self.hits else UNMEASURED

    @property
    def shown(self) -> bool:
        """Whether claims that rest on this pattern may be shown."""
        return self.pattern in JUDGED or (self.hits >= SHOWN_HITS and self.precision >= SHOWN_PRECISION)


_ROWS: Final[tuple[Worth, ...]] = (
    Worth("acronym", 143, 141),
    Worth("acronym.loose", 6, 6),
    Worth("authorship", 78, 77),
    Worth("authorship.loose", 8, 8),
    Worth("cause", 101, 100),
    Worth("cause.loose", 24, 20),
    Worth("citations", 110, 109),
    Worth("citations.loose", 9, 9),
    Worth("code", 75, 69),
    Worth("code.member", 8, 0),
    Worth("comparison", 122, 121),
    Worth("comparison.loose", 21, 15),
    Worth("composition", 102, 101),
    Worth("composition.loose", 53, 45),
    Worth("conversation", 109, 107),
    Worth("conversation.loose", 22, 22),
    Worth("dates", 125, 121),
    Worth("dates.loose", 14, 14),
    Worth("definition", 109, 108),
    Worth("definition.loose", 61, 57),
    Worth("named", 151, 151),
    Worth("named.loose", 30, 24),
    Worth("numbers", 181, 171),
    Worth("numbers.loose", 45, 41),
    Worth("results", 130, 123),
    Worth("results.loose", 24, 18),
    Worth("shares", 52, 47),
    Worth("shares.loose", 8, 8),
    Worth("tables", 120, 120),
    Worth("usage", 135, 134),
    Worth("usage.loose", 30, 28),
)

PATTERNS: Final[Mapping[str, Worth]] = MappingProxyType({row.pattern: row for row in _ROWS})


def worth_of(pattern: str) -> Worth:
    """Return what is known of a pattern; nothing for one that was never measured."""
    return PATTERNS.get(pattern) or Worth(pattern, 0, 0)


def shown_patterns() -> tuple[str, ...]:
    """Return the names of all patterns whose facts are shown, for indexes that must be rebuilt when they change."""
    return tuple(sorted(JUDGED | {row.pattern for row in PATTERNS.values() if row.shown}))
