"""What a draft is checked into: its sentences, each with what the vault says of it; values only."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from trisynapse_memory.types.answer import Citation
from trisynapse_memory.types.query import Coverage


class DraftVerdict(StrEnum):
    """How the vault stands to one sentence of a draft.

    ``SUPPORTED``: a source says it, in the same or in faithful other words. ``CONTRADICTED``: none does, and one says
    the same with another value, the opposite, or with the roles swapped. ``UNKNOWN``: neither, which is no verdict on
    its truth. ``NO_CLAIM``: a question, a heading, a courtesy; nothing to look for.
    """

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"
    NO_CLAIM = "no-claim"


class DraftSentence(Struct, frozen=True, kw_only=True):
    """One sentence of a draft, ``draft[start:end]``.

    ``citations`` are the numbers of those that say it, ``against`` of those that say otherwise; a supported sentence
    may have both, and is then disputed. ``differs`` says in words what is otherwise ("1931 here, 1926 in the source").
    """

    text: str
    start: int
    end: int
    verdict: DraftVerdict
    citations: tuple[int, ...] = ()
    against: tuple[int, ...] = ()
    differs: str = ""


class DraftCheck(Struct, frozen=True, kw_only=True):
    """A draft against the vault, sentence by sentence in its order, with the passages it was held against."""

    sentences: tuple[DraftSentence, ...]
    citations: tuple[Citation, ...]
    coverage: Coverage = Coverage()
