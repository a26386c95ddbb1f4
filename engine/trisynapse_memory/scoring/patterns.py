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
LEFT_OUT: Final = frozenset({"authorship.loose", "cause.loose", "comparison.loose", "dates.loose", "definition.loose"})
"""Patterns whose facts are not kept at all: on 16 real PDFs 37 of 77 were right, against 141 of 142 of the shown ones.
The labels alone (.83 to .93) make them look better than they are."""
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
    Worth("acronym", 195, 195),
    Worth("acronym.loose", 6, 6),
    Worth("authorship", 106, 106),
    Worth("authorship.loose", 15, 14),
    Worth("cause", 100, 100),
    Worth("cause.loose", 25, 22),
    Worth("citations", 114, 114),
    Worth("citations.loose", 9, 9),
    Worth("code", 136, 136),
    Worth("code.member", 11, 11),
    Worth("columns", 107, 107),
    Worth("comparison", 129, 128),
    Worth("comparison.loose", 15, 13),
    Worth("composition", 128, 128),
    Worth("composition.loose", 77, 74),
    Worth("contents", 129, 129),
    Worth("conversation", 109, 109),
    Worth("conversation.loose", 22, 22),
    Worth("dates", 140, 140),
    Worth("dates.loose", 14, 13),
    Worth("definition", 160, 159),
    Worth("definition.loose", 47, 39),
    Worth("fields", 125, 125),
    Worth("laws", 115, 115),
    Worth("menus", 101, 100),
    Worth("named", 179, 178),
    Worth("named.loose", 44, 32),
    Worth("notes", 106, 106),
    Worth("numbers", 186, 186),
    Worth("numbers.loose", 42, 37),
    Worth("reports", 106, 106),
    Worth("results", 130, 130),
    Worth("results.loose", 24, 18),
    Worth("rosters", 117, 117),
    Worth("shares", 132, 132),
    Worth("shares.loose", 17, 14),
    Worth("tables", 120, 120),
    Worth("usage", 133, 133),
    Worth("usage.loose", 32, 30),
    Worth("values", 136, 136),
    Worth("values.loose", 27, 25),
)

PATTERNS: Final[Mapping[str, Worth]] = MappingProxyType({row.pattern: row for row in _ROWS})


def worth_of(pattern: str) -> Worth:
    """Return what is known of a pattern; nothing for one that was never measured."""
    return PATTERNS.get(pattern) or Worth(pattern, 0, 0)


def shown_patterns() -> tuple[str, ...]:
    """Return the names of all patterns whose facts are shown, for indexes that must be rebuilt when they change."""
    return tuple(sorted(JUDGED | {row.pattern for row in PATTERNS.values() if row.shown}))
