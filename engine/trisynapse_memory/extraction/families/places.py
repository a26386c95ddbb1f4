"""A sentence in, where things are, who works where and who owns what out: located_in, works_at, owned_by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.frames import Frame, Shape, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "named"

_FRAMES: Final = by_lemma(
    *(
        Frame(lemma, Shape.GIVEN, "located_in", "in|at|near")
        for lemma in ("locate", "situate", "headquarter", "base", "house")
    ),
    Frame("lie", Shape.BEHIND, "located_in", "in"),
    Frame("work", Shape.BEHIND, "works_at", "at|for"),
    Frame("employ", Shape.GIVEN, "works_at", "at|by"),
    Frame("own", Shape.DIRECT, "owned_by", turned=True),
    Frame("belong", Shape.BEHIND, "owned_by", "to"),
)
_NAMED: Final = frozenset(("located_in", "works_at", "owned_by"))


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield where the sentence says something is, where somebody works and who owns something.

    The place, the employer and the owner must be names; "works for a living" and "is based in part" are none.
    """
    for proposal in find_framed(sentence, _FRAMES, PATTERN):
        if proposal.object[:1].isupper() and proposal.relation in _NAMED:
            yield proposal
