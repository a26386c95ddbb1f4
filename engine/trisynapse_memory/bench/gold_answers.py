"""An answer and what a right one holds in, whether it is right out. The rule is written here, once, for all sets.

Both sides are folded (Unicode NFKC, case) and cut into words and numbers. Articles and the signs and names of per cent
are left out, commas inside numbers too, number words up to twelve are digits; numbers are equal by value (5.0 is 5).
A wording stands in an answer where its words stand there in a row. A wording of more than eight words need not be
repeated: four fifths of its content words, anywhere in the answer, are enough. A list is right when all of its items
are. An answer that refuses is never right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.bench.probes import Gold
from trisynapse_memory.text.words import FUNCTION_WORDS

LONG_WORDS: Final = 8
LONG_SHARE: Final = 0.8

_WORD: Final = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_COMMA: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SILENT: Final = frozenset({"a", "an", "the", "percent", "per", "cent"})
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split(" "))
}


def is_right(answer: str, gold: Gold) -> bool:
    """Say whether an answer holds everything it must, each in one of its wordings.

    Args:
        answer: its sentences as one text; empty for a refusal.
        gold: at least one thing, or there is nothing to be right about.
    """
    words = words_of(answer)
    return bool(words and gold) and all(any(_holds(words, words_of(one)) for one in wordings) for wordings in gold)


def words_of(text: str) -> list[str]:
    """Cut a text as the rule has it."""
    folded = _COMMA.sub("", unicodedata.normalize("NFKC", text).casefold())
    found = [_NUMBERS.get(word, word) for word in (match.group() for match in _WORD.finditer(folded))]
    return [_plain(word) for word in found if word not in _SILENT]


def _plain(word: str) -> str:
    return f"{float(word):g}" if word[0].isdigit() and "." in word else word.lstrip("0") or word


def _holds(answer: Sequence[str], wanted: Sequence[str]) -> bool:
    if not wanted:
        return False
    if any(list(answer[start : start + len(wanted)]) == list(wanted) for start in range(len(answer))):
        return True
    content = {word for word in wanted if word not in FUNCTION_WORDS}
    return len(wanted) > LONG_WORDS and len(content & set(answer)) >= LONG_SHARE * len(content)
