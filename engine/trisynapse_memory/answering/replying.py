"""A question for yes or no and the sentences chosen for it in, "Yes." or "No." out where one of them says so.

The question is turned into a statement and judged as any citation is: Yes where a sentence states it, No where a
sentence states its opposite (``contradiction``). All else is left to the sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.answering.contradiction import differs_in
from trisynapse_memory.answering.forms import Wanted
from trisynapse_memory.answering.selection import Choice
from trisynapse_memory.answering.sentences import one_line
from trisynapse_memory.text.verdicts import judge

SENTENCES_JUDGED: Final = 3  # of those chosen; each is held against some statements, at a few ms
PLACES_TRIED: Final = 7  # words behind which the verb of a question may stand in its statement
# What stands behind such words is asked, wished, planned, doubted or told of somebody, and stated by nobody.
_UNSURE: Final = re.compile(
    r"\b(?:whether|if|unless|would|could|should|might|may|perhaps|probably|possibly|likely|supposed(?:ly)?|alleged(?:ly)?"
    r"|(?:is|are|was|were) to|planned|hoped|intended|proposed|expected|feared|believed?|thought|wondered|asked"
    r"|denie[ds]|rumou?red|according to|(?:said|says|claimed|claims|argued|reported|suggested) (?:that|it|to))\b",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"[:;]\s")
_AUXILIARIES: Final = frozenset("do does did".split())

YES: Final = "Yes."
NO: Final = "No."


class Reply(NamedTuple):
    """``YES`` or ``NO``, and which of the choices says it."""

    word: str
    place: int


def reply_to(wanted: Wanted, choices: Sequence[Choice]) -> Reply | None:
    """Return what the chosen sentences reply, or None where none of them states it or its opposite."""
    statements = list(_statements(wanted))
    asked = _unsure(f"{wanted.verb} {wanted.rest}")
    told = [(place, *_read(choice)) for place, choice in enumerate(choices[:SENTENCES_JUDGED])]
    read = [row for row in told if _unsure(_part_with(wanted.rest, row[1])) <= asked]
    for place, text, earlier in read:
        if any(judge(one, text, earlier).passes for one in statements):
            return Reply(YES, place)
    for place, text, earlier in read:
        others = [other for index, other, _ in told if index != place]
        for one in statements:
            found = differs_in(one, text, earlier)
            if found is not None and not _is_said_elsewhere(found.strange, text, wanted.rest, others):
                return Reply(NO, place)
    return None


def _part_with(words: str, text: str) -> str:
    """The part of a sentence, between colons and semicolons, that has most of some words."""
    wanted = set(words.lower().split())
    parts = _PARTS.split(text)
    return max(parts, key=lambda part: len(wanted & set(part.lower().rstrip(".").split())))


def _unsure(text: str) -> set[str]:
    return {match.group().lower() for match in _UNSURE.finditer(text)}


def _read(choice: Choice) -> tuple[str, list[str]]:
    """The sentence of a choice, and those before it that say who "it" is."""
    sentence = choice.sentence
    before = [sentence.previous.text] if sentence.previous is not None else []
    return (sentence.text if sentence.is_row else one_line(sentence.text)), before


def _statements(wanted: Wanted) -> Iterator[str]:
    """The question as a statement; where its subject ends is not known, so the verb is tried behind each word."""
    words = wanted.rest.split()
    if wanted.verb in _AUXILIARIES:
        yield _sentence(words)
        return
    for place in range(1, min(len(words), PLACES_TRIED + 1)):
        yield _sentence([*words[:place], wanted.verb, *words[place:]])


def _sentence(words: Sequence[str]) -> str:
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}."


def _is_said_elsewhere(strange: Sequence[str], text: str, question: str, others: Sequence[str]) -> bool:
    """Whether another sentence has the values that this one lacks, with all that it shares with the question."""
    shared = set(question.lower().split()) & set(text.lower().rstrip(".").split())
    return bool(strange) and any(
        all(value in told for value in strange) and shared <= set(told.lower().rstrip(".").split()) for told in others
    )
