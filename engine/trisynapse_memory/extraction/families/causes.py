"""A sentence in, what it says about causes and evidence out: causes, prevents, supports, contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.frames import Frame, Shape, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "cause"

_EVIDENTIAL: Final = frozenset(("supports",))
_THOUGHT: Final = re.compile(
    r"\b(?:account|argument|assertion|assumption|belief|case|claim|conclusion|conjecture|contention|dating|doctrine|estimate"
    r"|explanation|finding|hypothes[ie]s|idea|interpretation|model|notion|prediction|premise|proposal|proposition|report"
    r"|result|statement|theor(?:y|ies)|thes[ie]s|view)s?\b",
    re.IGNORECASE,
)

_FRAMES: Final = by_lemma(
    *(Frame(lemma, Shape.DIRECT, "causes") for lemma in ("cause", "trigger", "induce", "provoke")),
    Frame("lead", Shape.BEHIND, "causes", "to"),
    Frame("result", Shape.BEHIND, "causes", "in"),
    Frame("result", Shape.BEHIND, "causes", "from", turned=True),
    *(Frame(lemma, Shape.BEHIND, "causes", "from", turned=True) for lemma in ("stem", "arise")),
    Frame("rise", Shape.QUALITY, "causes", "to"),
    Frame("attributable", Shape.QUALITY, "causes", "to", turned=True),
    Frame("protect", Shape.BEHIND, "prevents", "against"),
    Frame("due", Shape.QUALITY, "causes", "to", turned=True),
    *(Frame(lemma, Shape.DIRECT, "prevents") for lemma in ("prevent", "avert", "forestall")),
    *(Frame(lemma, Shape.DIRECT, "supports") for lemma in ("support", "corroborate")),
    *(Frame(lemma, Shape.DIRECT, "contradicts") for lemma in ("contradict", "refute", "disprove", "rebut")),
    Frame("inconsistent", Shape.QUALITY, "contradicts", "with"),
    Frame("incompatible", Shape.QUALITY, "contradicts", "with"),
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield what the sentence says brings about, prevents, supports or contradicts what.

    Support is meant between thoughts: "X supports Windows" and "the beam supports the roof" are none.
    """
    for proposal in find_framed(sentence, _FRAMES, PATTERN):
        if proposal.relation not in _EVIDENTIAL or _THOUGHT.search(proposal.object):
            yield proposal
