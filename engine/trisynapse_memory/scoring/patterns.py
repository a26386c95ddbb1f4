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
        return self.hits >= SHOWN_HITS and self.precision >= SHOWN_PRECISION


_ROWS: Final[tuple[Worth, ...]] = ()

PATTERNS: Final[Mapping[str, Worth]] = MappingProxyType({row.pattern: row for row in _ROWS})


def worth_of(pattern: str) -> Worth:
    """Return what is known of a pattern; nothing for one that was never measured."""
    return PATTERNS.get(pattern) or Worth(pattern, 0, 0)
