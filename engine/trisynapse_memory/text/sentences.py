"""A text in, the spans of its sentences out. Nothing is rewritten: offsets count in the text that was given.

nupunkt proposes the borders; the rules here are for what PDF text does to it: a line end inside a sentence is a space;
blank lines, headings, list marks and table rows are borders; abbreviations of papers ("et al.", "Fig. 3", "i.e.") are
none; CJK and Arabic stops are. Every visible character lies in exactly one span.

Limits: headings are known by their look (number, capitals, a usual name), so one set in running style joins the
sentence after it; a verse or an address of short lines without stops is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Final

_HEADING_LENGTH: Final = 90  # characters
_HEADING_WORDS: Final = 12
_LOOKAHEAD: Final = 400  # characters read after a border; all of them would make a long paragraph quadratic
_TITLE_SHARE: Final = 0.6  # of the words, capitalised; the others are "of", "the", "for"
_HEADING_TO_NEXT_LINE: Final = 0.7  # a heading is shorter than a full line of the paragraph below it

_CELLS: Final = " | "  # between the cells of a row; alone in its paragraph a bar is one of mathematics
_BULLET: Final = re.compile(r"[\u2022\u2023\u25aa\u25e6\u25cf\u25cb\u25a0\u2043\uf0b7]\s*\S")
# Also a wrapped line may begin like these, so they count only where a sentence has ended or a list is under way.
_LIST_MARK: Final = re.compile(r"(?:[-\u2013\u2014*+]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\[\d{1,3}\])\s+\S")
_MARKDOWN_HEADING: Final = re.compile(r"#{1,6}\s+\S")
_NUMBERED_HEADING: Final = re.compile(r"(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.(?:\d+\.?)*)\s+[^\W\d_a-z]")
_KNOWN_HEADING: Final = re.compile(
    r"(?:\d+\.?\s+)?(?:abstract|acknowledge?ments?|appendix|background|conclusions?|contents|discussion|evaluation"
    r"|experiments?|future work|introduction|keywords|limitations|materials and methods|methodology|methods?"
    r"|references|related works?|results(?: and discussion)?|summary)",
    re.IGNORECASE,
)
_END: Final = re.compile(r"[.!?:\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964][\"'\u201d\u2019)\]]*$")
# Full stops that nupunkt does not cut at; quotes and brackets that close stay with their sentence.
_OTHER_STOP: Final = re.compile(
    "[\u3002\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965]+[\u300d\u300f\u201d\u2019\uff09\u3011\u300b)\"']*"
)
_CITATION: Final = re.compile(r"\s*(?:\[\d+(?:\s*[,\u2013-]\s*\d+)*\]\s*)+(?=\S)")

_NEVER_LAST: Final = re.compile(
    r"(?<![\w.])(?:e\.\s?g|i\.\s?e|cf|vs|viz|resp|approx|ca|a\.k\.a|w\.r\.t|s\.t|dr|mr|mrs|ms|prof|st|mt)\.$",
    re.IGNORECASE,
)
_BEFORE_NUMBER: Final = re.compile(
    r"(?<!\w)(?:figs?|eqs?|eqns?|secs?|sects?|tabs?|refs?|nos?|vols?|pp?|chaps?|ch|defs?|thms?|lems?|props?|algs?|apps?"
    r"|arts?|cols?|ex|vers?|rs)\.$",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[(\[\u00a7]*(?:\d|[A-Z]\b|[A-Z]\.\d|[IVX]+\b)")
_ET_AL: Final = re.compile(r"\bet\s+al\.$", re.IGNORECASE)
_OPENER: Final = re.compile(
    r"(?:a|all|although|an|as|both|despite|due|each|finally|first|for|furthermore|here|however|if|in|it|its|moreover"
    r"|note|on|our|recently|second|since|some|such|that|the|their|then|there|these|they|this|those|thus|to|unlike|we"
    r"|when|while|with|you)\b",
    re.IGNORECASE,
)
_ENUMERATOR: Final = re.compile(r"\s*(?:#{1,6}|[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[IVXivx]{1,5}|[A-Za-z])[.)\]]{1,2})\s*$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Cut a text into sentences, to chunk it, to cite from it and to show the sentence around a match.

    Returns:
        (start, end) offsets, ascending, not overlapping, without white space at their ends. Headings, list entries and
        table rows count as sentences. Empty for a text without visible characters.
    """
    spans: list[tuple[int, int]] = []
    for block_start, block_end in _block_spans(text):
        if text[block_start:block_end].isspace():
            continue
        flat = text[block_start:block_end].translate(_LINE_ENDS)
        borders = [0, *_cuts(flat), len(flat)]
        for start, end in pairwise(borders):
            span = _trimmed(text, block_start + start, block_start + end)
            if span[0] < span[1]:
                spans.append(span)
    return spans


_LINE_ENDS: Final = str.maketrans("\r\n\u2028\u000b\u000c", "     ")


@cache
def _splitter() -> Callable[[str], list[tuple[int, int]]]:
    from nupunkt import sent_spans  # Its model takes a tenth of a second, which the window's first paint must not pay.

    return sent_spans


def _cuts(flat: str) -> list[int]:
    """Offsets inside one block where a sentence ends, ascending."""
    proposed = {end for _, end in _splitter()(flat)} | {match.end() for match in _OTHER_STOP.finditer(flat)}
    cuts: list[int] = []
    last = 0
    for cut in sorted(proposed):
        citation = _CITATION.match(flat, cut)
        end = citation.end() if citation and flat[last:cut].rstrip().endswith((".", "!", "?")) else cut
        if end <= last or not _ends_here(flat[last:end].rstrip(), flat[end : end + _LOOKAHEAD]):
            continue
        cuts.append(end)
        last = end
    return cuts


def _ends_here(left: str, right: str) -> bool:
    """Whether the proposed border between two stretches of a block is one."""
    following = right.lstrip()
    if not any(letter.isalnum() for letter in following) or _ENUMERATOR.match(left):
        return False
    if following.startswith("|"):  # the end of a cell, not of its row
        return False
    if left.endswith(".") and following[0].islower():
        return False
    return not _is_abbreviated(left, following)


def _is_abbreviated(left: str, following: str) -> bool:
    tail = left[-16:]
    if _NEVER_LAST.search(tail):
        return True
    if _BEFORE_NUMBER.search(tail):
        return _NUMBER.match(following) is not None
    return _ET_AL.search(tail) is not None and not (following[:1].isupper() and _OPENER.match(following))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Stretches no sentence leaves: paragraphs, headings, list entries, table rows."""
    lines = _lines(text)
    start = 0
    previous = ""
    listing = closed = False
    for index, (line, at) in enumerate(lines):
        following = lines[index + 1][0] if index + 1 < len(lines) else ""
        fresh = not previous or closed or _ends_sentence(previous)
        marked = _BULLET.match(line) is not None or ((fresh or listing) and _LIST_MARK.match(line) is not None)
        heading = not marked and _is_heading(line, following, fresh)
        row = line.startswith("|") or (_CELLS in line and (_CELLS in previous or _CELLS in following))
        if index and (not line or not previous or closed or marked or heading or row):
            yield start, at
            start = at
        listing = marked or (listing and bool(line) and not heading)
        closed = heading or row
        previous = line
    if start < len(text):
        yield start, len(text)


def _lines(text: str) -> list[tuple[str, int]]:
    """Each line without the white space around it, and its offset."""
    lines: list[tuple[str, int]] = []
    at = 0
    for line in text.split("\n"):
        lines.append((line.strip(), at))
        at += len(line) + 1
    return lines


def _ends_sentence(line: str) -> bool:
    return _END.search(line) is not None and not (
        _NEVER_LAST.search(line[-16:]) or _BEFORE_NUMBER.search(line[-16:]) or _ET_AL.search(line[-16:])
    )


def _is_heading(line: str, following: str, fresh: bool) -> bool:
    """By its look. ``fresh``: nothing is left open by the line before."""
    if _MARKDOWN_HEADING.match(line):
        return True
    words = line.split()
    if not 0 < len(words) <= _HEADING_WORDS or len(line) > _HEADING_LENGTH or line[-1] in ".,;:!?-\u2013\u3002":
        return False
    # The text below begins anew; a lower-case start means that the line was a wrapped one.
    if following and (following[0].islower() or not fresh):
        return False
    if _KNOWN_HEADING.fullmatch(line):
        return True
    if not fresh or not (line[0].isupper() or line[0].isdigit()):
        return False
    short = not following or len(line) < _HEADING_TO_NEXT_LINE * len(following)
    return short and (_NUMBERED_HEADING.match(line) is not None or line.isupper() or _is_title(words))


def _is_title(words: list[str]) -> bool:
    capitalised = sum(word[0].isupper() or word[0].isdigit() for word in words)
    return capitalised >= _TITLE_SHARE * len(words)
