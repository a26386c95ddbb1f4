"""A sentence in, what it compares out: outperforms, compared_with, improves, reduces, increases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.frames import Frame, Shape, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "comparison"

_FRAMES: Final = by_lemma(
    *(Frame(lemma, Shape.DIRECT, "outperforms") for lemma in ("outperform", "beat", "surpass", "outclass", "outdo")),
    Frame("better", Shape.QUALITY, "outperforms", "than"),
    Frame("superior", Shape.QUALITY, "outperforms", "to"),
    Frame("worse", Shape.QUALITY, "outperforms", "than", turned=True),
    Frame("inferior", Shape.QUALITY, "outperforms", "to", turned=True),
    Frame("improve", Shape.BEHIND, "improves", "on|upon"),
    *(Frame(lemma, Shape.GIVEN, "compared_with", "with|to|against") for lemma in ("compare", "contrast")),
    *(Frame(lemma, Shape.DIRECT, "improves") for lemma in ("improve", "enhance", "ameliorate")),
    *(
        Frame(lemma, Shape.DIRECT, "reduces")
        for lemma in ("reduce", "decrease", "lower", "lessen", "diminish", "halve")
    ),
    Frame("cut", Shape.DIRECT, "reduces", weak=True),
    Frame("raise", Shape.DIRECT, "increases", weak=True),
    *(Frame(lemma, Shape.DIRECT, "increases") for lemma in ("increase", "boost", "elevate", "double")),
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield what the sentence says is better than what, or changes what."""
    yield from find_framed(sentence, _FRAMES, PATTERN)
