"""A word that nobody wrote and the words of some texts in, those it is probably a misspelling of out. Letters only.

A question types "Beriods" for "Beroids"; the texts that were found hold the right spelling.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SHORTEST: Final = 5  # letters; among shorter words too many are one letter apart ("form", "from", "farm")
LONG: Final = 8  # letters from which two slips are allowed instead of one


def near_spellings(word: str, vocabulary: Iterable[str]) -> frozenset[str]:
    """Return the words within one slip of ``word`` (two in a long one) that begin with the same letter.

    Args:
        word: in lower case; one with digits, or shorter than ``SHORTEST``, has none.
        vocabulary: lower-case words.
    """
    if len(word) < SHORTEST or not word.isalpha():
        return frozenset()
    most = 2 if len(word) >= LONG else 1
    near = (
        other
        for other in vocabulary
        if other[:1] == word[0] and other != word and other.isalpha() and abs(len(other) - len(word)) <= most
    )
    return frozenset(other for other in near if len(other) >= SHORTEST and slips_between(word, other) <= most)


def slips_between(one: str, two: str) -> int:
    """Count the letters put in, left out, replaced, or swapped with their neighbour that make one word of the other.

    Source:
        Optimal string alignment: Boytsov, "Indexing methods for approximate dictionary searching", JEA 2011.
    """
    before_last: list[int] = []
    last = list(range(len(two) + 1))
    for row, letter in enumerate(one, start=1):
        line = [row]
        for column, other in enumerate(two, start=1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == two[column - 2] and one[row - 2] == other:
                cost = min(cost, before_last[column - 2] + 1)
            line.append(cost)
        before_last, last = last, line
    return last[-1]
