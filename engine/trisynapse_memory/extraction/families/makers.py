"""A sentence in, who made or first proposed something out: developed_by, introduced_by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.frames import Frame, Shape, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "named"

_POINTER: Final = re.compile(r"(?:Section|Sec\.|Figure|Fig\.|Table|Chapter|Part|Appendix|Equation|Eq\.)\s")
_CITED: Final = re.compile(
    r"(?:,?\s+(?:and|&)\s+[\w\u2019'-]+)?(?:\s+et\s+al\.?,?)?\s*\(\d{4}|\s+and\s+(?:colleagues|co-?workers|others|collaborators)"
)

_FRAMES: Final = by_lemma(
    *(
        Frame(lemma, Shape.DIRECT, "developed_by", turned=True)
        for lemma in ("develop", "create", "build", "devise", "co-develop")
    ),
    *(
        Frame(lemma, Shape.DIRECT, "introduced_by", turned=True)
        for lemma in ("introduce", "propose", "invent", "pioneer", "coin")
    ),
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield who the sentence says made something; makers must be names, and what they made as well.

    "Ruth developed a chronic cough" and "we introduce a model" name no thing that was made, or no maker.
    """
    for proposal in find_framed(sentence, _FRAMES, PATTERN):
        named = (
            proposal.object[:1].isupper() and _is_name_like(proposal.subject) and not _POINTER.match(proposal.object)
        )
        if named and not _is_authors(sentence, proposal.object) and not _is_meeting(sentence, proposal.subject):
            yield proposal


def _is_name_like(phrase: str) -> bool:
    return any(letter.isupper() for letter in phrase)


def _is_authors(sentence: Sentence, makers: str) -> bool:
    """Whether the makers stand as in a citation, where they are one name ("Lee and Park (2019)")."""
    behind = sentence.raw.partition(makers)[2]
    return _CITED.match(behind) is not None


def _is_meeting(sentence: Sentence, subject: str) -> bool:
    """Whether "A introduced B to C" makes people known to each other."""
    return re.match(r"\s+to\s", sentence.raw.partition(subject)[2]) is not None
