"""A text in, the spans of its words out, each with the shape that says how it is taken apart. No word is read here.

Addresses, DOIs, arXiv ids, grouped numbers and the names of a few languages (C++, C#) hold characters that end any
other word, so they are found first; ordinary words fill the gaps between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from trisynapse_memory.text.characters import HYPHENS, INVISIBLE_RANGES, mark_ranges

# "(?<![\w.])": an id never starts inside a word or a longer number.
DOI: Final = r"(?<![\w.])10\.\d{4,9}/[^\s\"<>\u201c\u201d]{1,200}"
ARXIV: Final = r"(?<![\w.])\d{4}\.\d{4,5}(?:v\d{1,3})?(?![\w])"
OLD_ARXIV: Final = r"(?<![\w.])[a-z]{2,8}(?:-[a-z]{2,4})?(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,3})?(?!\w)"
_URL: Final = r"(?<!\w)(?:(?:https?|ftp)://|www\.(?=\w))[^\s\"<>\u201c\u201d]{1,2000}"
_EMAIL: Final = r"(?<![\w.+-])[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+"
_SHARP: Final = r"(?<![\w+#])[A-Za-z]{1,12}(?:\+\+\d{0,2}|\#)(?![\w+#])"
_GROUPED: Final = r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,]*\d)"
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}


class Shape(StrEnum):
    """How a word is taken apart."""

    PLAIN = "plain"
    URL = "url"
    EMAIL = "email"
    DOI = "doi"
    ARXIV = "arxiv"
    SHARP = "sharp"
    GROUPED = "grouped"


class Word(NamedTuple):
    """The span of one word in the text that was scanned."""

    shape: Shape
    start: int
    end: int


# What a text must contain before the pattern is worth a pass over it: most texts hold none of them.
_SPECIAL: Final = (
    (Shape.URL, ("://", "www."), re.compile(_URL, re.IGNORECASE)),
    (Shape.EMAIL, ("@",), re.compile(_EMAIL)),
    (Shape.DOI, ("10.",), re.compile(DOI)),
    (Shape.ARXIV, ("v", "/"), re.compile(rf"{ARXIV}|{OLD_ARXIV}")),
    (Shape.SHARP, ("++", "#"), re.compile(_SHARP)),
    (Shape.GROUPED, (",",), re.compile(_GROUPED)),
)


@cache
def plain_pattern() -> re.Pattern[str]:
    """A run of letters, digits and marks, joined by single hyphens, apostrophes and dots, or a hyphen at a line end."""
    body = rf"[\w{mark_ranges()}{INVISIBLE_RANGES}]"
    line_end = r"[ \t]{0,80}\r?\n[ \t]{0,80}"
    # Possessive (++, *+) where the alternatives cannot overlap: no backtracking over long runs.
    joint = rf"[{HYPHENS}'\u2019\u02bc.]|[{HYPHENS}][{INVISIBLE_RANGES}]{{0,4}}{line_end}|(?<=\u00ad){line_end}"
    return re.compile(rf"\w{body}*+(?:(?:{joint})(?=\w){body}++)*+")


def _trimmed(text: str, start: int, end: int) -> int:
    """The end of an address without the punctuation of the sentence around it; a bracket it opened itself stays."""
    while end > start:
        last = text[end - 1]
        opener = _CLOSERS.get(last)
        if opener is not None:
            if text.count(opener, start, end) >= text.count(last, start, end):
                break
        elif last not in ".,;:!?'*\u2019\u2026":
            break
        end -= 1
    return end


def _special_words(text: str) -> list[Word]:
    """Addresses and ids, in text order; where two overlap the earlier row of the table holds the ground."""
    found: list[Word] = []
    for shape, cues, pattern in _SPECIAL:
        if not any(cue in text for cue in cues):
            continue
        for match in pattern.finditer(text):
            start, end = match.start(), match.end()
            if shape in (Shape.URL, Shape.DOI):
                end = _trimmed(text, start, end)
            found.append(Word(shape, start, end))
    if len(found) < 2:
        return found
    rank = {shape: index for index, (shape, _, _) in enumerate(_SPECIAL)}
    found.sort(key=lambda word: (word.start, rank[word.shape]))
    kept: list[Word] = []
    for word in found:
        if not kept or word.start >= kept[-1].end:
            kept.append(word)
    return kept


def scan_words(text: str) -> Iterator[Word]:
    """Yield the words of ``text`` in order, without overlap; what lies between them is no word."""
    pattern = plain_pattern()
    cursor = 0
    for special in _special_words(text):
        for match in pattern.finditer(text, cursor, special.start):
            yield Word(Shape.PLAIN, match.start(), match.end())
        yield special
        cursor = special.end
    for match in pattern.finditer(text, cursor):
        yield Word(Shape.PLAIN, match.start(), match.end())


def spelled_words(text: str) -> Iterator[tuple[Shape, list[str]]]:
    """Yield what ``scan_words`` finds as bare strings, in runs of one shape, for those who count words and place none.

    A match object and a ``Word`` for each word cost more than all of the counting.
    """
    pattern = plain_pattern()
    cursor = 0
    for special in _special_words(text):
        yield Shape.PLAIN, pattern.findall(text, cursor, special.start)
        yield special.shape, [text[special.start : special.end]]
        cursor = special.end
    yield Shape.PLAIN, pattern.findall(text, cursor)
