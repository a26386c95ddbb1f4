"""A quote with what stood around it in, where it stands in another edition of its text out. No log is read here.

A new edition moves, rewrites and deletes what she marked. A quote is looked for by its words first, as they stand or
slightly changed; among several places what stands around them decides, then how far they lie from the old one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from trisynapse_memory.text.spans import NormalisedText, normalise

CONTEXT_CHARS: Final = 48  # about a line; two sentences that begin alike differ within it
FLOOR: Final = 0.6
"""Below it a place is no place: the quote is shown as one that is gone, with its words."""
# Weights chosen on the pairs of tests/engine/text/test_anchors.py; they sum to 1.
_WORDS, _AROUND, _PLACE = 0.7, 0.2, 0.1
_CHANGED_MIN_WORDS: Final = 4  # fewer changed words are other words
_CHANGED_FLOOR: Final = 0.7  # of the words of a quote that a changed place must still hold, in order
_WORD: Final = re.compile(r"[^\W_]+")
_WINDOWS: Final = 3  # places a page that are looked at closely


@dataclass(frozen=True, slots=True)
class Mark:
    """A quote and where it stood: what stood before and after it, and at which share of its document, in [0, 1]."""

    quote: str
    before: str = ""
    after: str = ""
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a quote stands: offsets into the text of a page, and how sure that is, in [0, 1]."""

    page: int
    start: int
    end: int
    confidence: float


def context_of(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and after a span of a page."""
    return text[max(0, start - CONTEXT_CHARS) : start], text[end : end + CONTEXT_CHARS]


def anchors(marks: list[Mark], pages: Iterable[tuple[int, str]], page_count: int) -> list[Anchor | None]:
    """Find marks in another edition.

    Args:
        marks: what is looked for.
        pages: number and text of every page, in order; each is looked at once and let go.
        page_count: how many pages there are, at least 1.

    Returns:
        For each mark its best place, or None where none is sure enough.
    """
    best: list[Anchor | None] = [None] * len(marks)
    for number, text in pages:
        page = normalise(text)
        for index, mark in enumerate(marks):
            for start, end, likeness in _places(page, text, mark.quote):
                share = (number - 1 + start / max(1, len(text))) / max(1, page_count)
                sure = _confidence(mark, text, (start, end), likeness, share)
                known = best[index]
                if sure >= FLOOR and (known is None or sure > known.confidence):
                    best[index] = Anchor(number, start, end, round(sure, 3))
    return best


def _confidence(mark: Mark, text: str, span: tuple[int, int], likeness: float, share: float) -> float:
    before, after = context_of(text, *span)
    around = [_likeness(*pair) for pair in ((mark.before, before), (mark.after, after)) if pair[0].strip()]
    # Without anything around it in the old edition (the whole page is marked) the words alone speak.
    near = sum(around) / len(around) if around else 1.0
    return likeness * (_WORDS + _AROUND * near + _PLACE * (1.0 - abs(share - mark.share)))


def _places(page: NormalisedText, text: str, quote: str) -> Iterator[tuple[int, int, float]]:
    """Where a quote stands on a page: as it is, else slightly changed, each with how alike the words are."""
    exact = page.find(quote) or page.find(quote, ignore_case=True)
    if exact:
        yield from ((start, end, 1.0) for start, end in exact)
        return
    wanted = [word.casefold() for word in _WORD.findall(quote)]
    if len(wanted) >= _CHANGED_MIN_WORDS:
        yield from _changed(text, wanted)


def _changed(text: str, wanted: list[str]) -> Iterator[tuple[int, int, float]]:
    """The stretches of a page that share most words with a quote, cut to the first and last word they share."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    for start in _windows(words, wanted):
        window = words[start : start + _reach(wanted)]
        blocks = [
            one for one in SequenceMatcher(None, window, wanted, autojunk=False).get_matching_blocks() if one.size
        ]
        shared = sum(one.size for one in blocks)
        if not blocks or shared < _CHANGED_FLOOR * len(wanted):
            continue
        first, last = start + blocks[0].a, start + blocks[-1].a + blocks[-1].size - 1
        likeness = 2 * shared / (len(wanted) + last - first + 1)
        yield found[first].start(), found[last].end(), min(likeness, 0.99)


def _windows(words: list[str], wanted: list[str]) -> list[int]:
    """Where the windows begin that hold most of the wanted words; counted in one pass over the page."""
    need, have, shared = Counter(wanted), Counter[str](), 0
    size, scores = _reach(wanted), list[tuple[int, int]]()
    for index, word in enumerate(words):
        have[word] += 1
        shared += have[word] <= need[word]
        if index >= size:
            gone = words[index - size]
            shared -= have[gone] <= need[gone]
            have[gone] -= 1
        if shared >= _CHANGED_FLOOR * len(wanted):
            scores.append((-shared, max(0, index - size + 1)))
    chosen: list[int] = []
    for _, start in sorted(scores):
        at = bisect_left(chosen, start)
        if all(abs(start - other) >= len(wanted) for other in chosen[max(0, at - 1) : at + 1]):
            chosen.insert(at, start)
        if len(chosen) == _WINDOWS:
            break
    return chosen


def _reach(wanted: list[str]) -> int:
    """How many words a changed quote may take: some were put in."""
    return len(wanted) + max(2, len(wanted) // 4)


def _likeness(one: str, other: str) -> float:
    left, right = " ".join(one.split()).casefold(), " ".join(other.split()).casefold()
    return SequenceMatcher(None, left, right, autojunk=False).ratio()
