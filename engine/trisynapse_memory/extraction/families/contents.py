"""A passage in, what its source has sections on out (has_section): entries of a table of contents, titles of divisions.

"Filling the tank ........ 4" counts where the lines stand in a table of contents, or where three of them follow each
other with rising pages; "UNIT 3: Reading Tide Tables" where it is a line of its own. Headings that every book has
("Introduction", "References") say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.extraction.lines import Row, rows_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "contents"

_DIVISION: Final = r"(?:unit|chapter|part|module|lesson|appendix|annex|session)"
_ORDINAL: Final = r"(?:\d{1,3}|[IVXL]{1,6}|[A-Z]|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)"
_NUMBER: Final = (
    rf"(?:(?:(?i:{_DIVISION})\s+{_ORDINAL}\s*[.:\u2013-]?"
    r"|\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.\d{1,2}|[IVX]{1,5}\.)\s+)"
)
_LEADER: Final = re.compile(
    rf"(?P<number>{_NUMBER})?(?P<name>\S.*?)\s*(?:\.\s?){{4,}}\s*(?P<page>\d{{1,4}}|[ivxl]{{1,6}})"
)
_TABBED: Final = re.compile(rf"(?P<number>{_NUMBER})?(?P<name>[^\t]+?)\s*\t+(?P<page>\d{{1,4}})")
_TITLED: Final = re.compile(rf"(?i:{_DIVISION})\s+{_ORDINAL}\s*(?:[:.]|\s[\u2013\u2014-])\s+(?P<name>[A-Z\d].*)")
_CONTENTS: Final = re.compile(r"(?:table\s+of\s+)?contents", re.IGNORECASE)
_GENERIC: Final = frozenset(
    """abstract acknowledgements acknowledgments appendices appendix background bibliography conclusion conclusions
    contents discussion executive_summary figures foreword glossary index introduction list_of_figures
    list_of_tables methods notes overview preface references results summary table_of_contents tables""".split()
)
_OF_OTHERS: Final = re.compile(r"(?:fig(?:ure|\.)|table|exhibit|box|plate)s?\s+[\dA-Z]", re.IGNORECASE)
_UNFINISHED: Final = re.compile(
    r"(?:[,;&(-]|\b(?:of|the|an?|and|or|for|in|on|to|from|with|by|at|as|their|its|your|our|that|which))$", re.IGNORECASE
)
_FEWEST: Final = 3  # entries with dots and rising pages that make a table of contents without its heading
_LONGEST: Final = 16  # words of a title
_LONG_WORD: Final = 4  # letters; a title writes half of such words with a capital


class _Entry(NamedTuple):
    """One line of a table of contents."""

    row: Row
    start: int
    name: str
    page: int
    is_led: bool


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield what a source has sections on; nothing for one without a title."""
    if not passage.title or passage.speaker or passage.modality in (Modality.CODE, Modality.TABLE):
        return
    rows = rows_of(passage.text)
    seen: set[str] = set()
    for start, name in (*_listed(passage, rows), *_divisions(rows)):
        folded = name.casefold()
        if folded not in seen and folded not in passage.title.casefold():
            seen.add(folded)
            yield Proposal(
                seq=passage.seq,
                start=start,
                end=start + len(name),
                subject=passage.title,
                relation="has_section",
                object=name,
                pattern=PATTERN,
                confidence=confidence_of(PATTERN),
            )


def _listed(passage: Passage, rows: list[Row]) -> Iterator[tuple[int, str]]:
    """The entries of a table of contents: where each name stands, and the name."""
    named = any(_CONTENTS.fullmatch(part.strip()) for part in passage.section.split(" > "))
    named = named or any(_CONTENTS.fullmatch(row.text) for row in rows)
    entries = [entry for row in rows if (entry := _entry(row, rows)) is not None and (named or entry.is_led)]
    if not named:
        entries = _unbroken(entries, rows, is_cut=bool(passage.before))
    pages = [entry.page for entry in entries if entry.page]
    if pages != sorted(pages) or not (named or len(entries) >= _FEWEST):
        return
    for entry in entries:
        if _is_title(entry.name):
            yield entry.start, entry.name


def _unbroken(entries: list[_Entry], rows: list[Row], *, is_cut: bool) -> list[_Entry]:
    """The entries where nothing else stands between them, without one that may begin before the passage."""
    if not entries or len(entries) != entries[-1].row.place - entries[0].row.place + 1:
        return []
    return entries[1:] if is_cut and entries[0].row is rows[0] else entries


def _entry(row: Row, rows: list[Row]) -> _Entry | None:
    """The entry on a line; None where the line is the rest of one that began above."""
    led = _LEADER.fullmatch(row.text)
    match = led or _TABBED.fullmatch(row.text)
    if match is None:
        return None
    above = rows[row.place - 1] if row.place and not row.is_apart else None
    if above is not None and not match["number"] and not _ends_entry(above.text):
        return None
    page = int(match["page"]) if match["page"].isdigit() else 0
    return _Entry(row, row.start + match.start("name"), match["name"], page, led is not None)


def _ends_entry(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_LEADER, _TABBED, _CONTENTS))


def _divisions(rows: list[Row]) -> Iterator[tuple[int, str]]:
    """Titles of units, chapters, parts and appendices that stand on lines of their own."""
    for row in rows:
        match = _TITLED.fullmatch(row.text)
        below = rows[row.place + 1] if row.place + 1 < len(rows) else None
        goes_on = (
            below is not None
            and not below.is_apart
            and not (below.text[0].isupper() or below.text[0] in "\u2022\u25cf*")
        )
        if match is not None and not goes_on and _is_title(match["name"]) and _is_capital(match["name"]):
            yield row.start + match.start("name"), match["name"]


def _is_title(name: str) -> bool:
    words = name.split()
    return (
        len(words) <= _LONGEST
        and not words[0][0].islower()
        and any(letter.isalpha() for letter in name)
        and "_".join(words).casefold() not in _GENERIC
        and not _OF_OTHERS.match(name)
        and not _UNFINISHED.search(name)
        and "\t" not in name
        and not re.search(r"\.{3}|[:;.]$", name)
    )


def _is_capital(name: str) -> bool:
    """Whether a line is written as titles are: at least half of its longer words begin with a capital."""
    long = [word for word in re.findall(r"[^\W\d_]+", name) if len(word) >= _LONG_WORD]
    return 2 * sum(word[0].isupper() for word in long) >= len(long)
