"""A passage in, the works that its notes cite by title out (cites): “Foghorns,” Coastal History 12 (1999): 45.

Footnotes of the humanities and of older science put a title in quotation marks and the place behind it. Quoted words
count as a title only with a volume, number or page and a year behind them. Lists of references are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "notes"

_YEAR: Final = r"\b(?:1[5-9]|20)\d\d(?:\s?[-\u2013]\s?\d{2,4})?\b"
_PLACE: Final = (
    r"(?:\b(?i:vol|no|pp?)\s?\.\s*(?:[\dIVXLC]+)|\b(?i:series|edition)\b|\b\d{1,3}(?:,\s*no\.\s*\d+)?\s*\((?:[A-Z][a-z]+\s)?"
    r"(?:1[5-9]|20)\d\d\)(?::\s*\d+)?)"
)
_TITLE: Final = re.compile(
    r"(?<![\w\u201c\"])[\u201c\"]\s?(?P<title>[A-Z][^\u201c\u201d\"]{3,160}?)\s?(?P<stop>[.,?!]?)\s?[\u201d\"]"
    r"(?P<behind>[^\u201c\u201d\"]{0,160})"
)
_SAID: Final = re.compile(
    r"\s*,?\s*(?:he|she|they|it|we|I|said|wrote|writes|says|asked|cried|as|is|was|were|are|of|and|on|at|stands?|fell)\b|\s+the\b"
)
_END_OF_NOTE: Final = re.compile(r"\n\s*\n|;\s|\.\s+(?=[A-Z*\u2020\u2021+])(?!(?:Vol|No)\b)|\n(?=[*\u2020\u2021+\d])")
_PROSE: Final = re.compile(r"\b(?!(?:from|vols?|pages?|edition|series|edited|translated|print|note)\b)[a-z]{4,}\b")
"""Between a title and its year stand names; a word like this is of a sentence."""
_LIST: Final = re.compile(r"(?:^|>|\d)\s*(?:references|bibliography|works cited|literature cited)\s*$", re.IGNORECASE)
_ENTRY: Final = re.compile(r"^\s*\[\d{1,3}\]\s", re.MULTILINE)
_LONGEST_TITLE: Final = 24  # words


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the titled works that a source with a title cites, each once a passage."""
    if not passage.title or passage.speaker or passage.modality in (Modality.CODE, Modality.TABLE):
        return
    if _LIST.search(passage.section) or _ENTRY.search(passage.text):
        return
    seen: set[str] = set()
    for match in _TITLE.finditer(passage.text):
        title = _flat(match["title"]) + (match["stop"] if match["stop"] in ("?", "!") else "")
        end = _end_of_note(match)
        if end and title not in seen and len(title.split()) <= _LONGEST_TITLE and title != passage.title:
            seen.add(title)
            yield Proposal(
                seq=passage.seq,
                start=match.start(),
                end=end,
                subject=passage.title,
                relation="cites",
                object=title,
                pattern=PATTERN,
                confidence=confidence_of(PATTERN),
            )


def _end_of_note(match: re.Match[str]) -> int:
    """Where the note ends; 0 where what stands behind the quotation says no place and year."""
    behind = match["behind"]
    border = next((one for one in _END_OF_NOTE.finditer(behind) if re.search(_YEAR, behind[: one.start()])), None)
    note = behind[: border.start()] if border else behind
    year, place = re.search(_YEAR, note), re.search(_PLACE, note)
    if year is None or place is None or _SAID.match(behind):
        return 0
    end = max(year.end(), place.end())
    return 0 if _PROSE.search(note, 0, end) else match.start("behind") + end


def _flat(title: str) -> str:
    return " ".join(re.sub(r"\u00ad\s*", "", title).split())
