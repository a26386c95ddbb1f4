"""A sentence in, wholes and their parts out: has_part, part_of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.clauses import clauses_of, phrases_of, propose
from trisynapse_memory.extraction.frames import Frame, Shape, behind, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.extraction.tiers import is_ruined
from trisynapse_memory.types import Proposal

PATTERN: Final = "composition"

_HAVING: Final = frozenset(("have", "include", "comprise", "contain", "consist", "compose"))
_PARTS: Final = frozenset("chapter component element layer module part phase piece section stage step unit".split())
_NO_PART: Final = re.compile(
    r"(?:no\s+)?(?:errors?|mistakes?|bugs?|information|evidence|references?|details?|history|life|everything|words?|typos?"
    r"|(?:[\w-]+ )?(?:amount|degree|form|kind|sort) of .*|bias(?:es)?|noise)"
)

_FRAMES: Final = by_lemma(
    Frame("consist", Shape.BEHIND, "has_part", "of"),
    Frame("compose", Shape.GIVEN, "has_part", "of"),
    Frame("comprise", Shape.BEHIND, "has_part", "of"),  # "is comprised of"
    Frame("make", Shape.GIVEN, "has_part", "of|up of"),
    Frame("build", Shape.GIVEN, "has_part", "from"),
    Frame("divide", Shape.GIVEN, "has_part", "into"),
    Frame("subdivide", Shape.GIVEN, "has_part", "into"),
    *(Frame(lemma, Shape.DIRECT, "has_part") for lemma in ("comprise", "contain", "include", "incorporate")),
    *(
        Frame(noun, Shape.QUALITY, "part_of", "of")
        for noun in ("part", "component", "division", "subset", "subsidiary", "subunit", "department", "branch")
    ),
    Frame("belong", Shape.BEHIND, "part_of", "to"),
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield what the sentence says is a part of what.

    "Made of wood" tells a material, "contains errors" a fault, "part of history" a manner of speaking.
    """
    for proposal in find_framed(sentence, _FRAMES, PATTERN):
        if not _NO_PART.fullmatch(proposal.object) and (" made " not in sentence.text or " made up " in sentence.text):
            yield proposal
    yield from _counted(sentence)


def _counted(sentence: Sentence) -> Iterator[Proposal]:
    """Parts that are counted and listed: "X has three components: a, b and c", "X consists of two stages: ..."."""
    for clause in clauses_of(sentence):
        whole = sentence.child(clause.verb, "dobj", "pobj")
        whole = whole if whole is not None else behind(sentence, clause.verb, "of")
        if clause.lemma not in _HAVING or whole is None or sentence.words[whole].lemma.lower() not in _PARTS:
            continue
        if ":" not in {sentence.words[one].text for one in sentence.children(whole)}:
            continue
        parts = phrases_of(sentence, _listed(sentence, whole))
        named = clause.subject_head is not None and sentence.words[clause.subject_head].pos == "PROPN"
        plain = named and not clause.mood.hedged and not clause.mood.negated
        for subject in clause.subjects:
            plain = plain and not subject.anaphor and not is_ruined(subject.text)
            for part in parts:
                yield propose(
                    sentence, subject, "has_part", part, PATTERN if plain else f"{PATTERN}.loose", clause.mood
                )


def _listed(sentence: Sentence, whole: int) -> list[int]:
    """The nouns of a list behind a colon: each hangs on the one before it."""
    found = sentence.children(whole, "appos")
    for one in found:
        found.extend(child for child in sentence.children(one, "appos", "conj") if child > one)
    return sorted(found)
