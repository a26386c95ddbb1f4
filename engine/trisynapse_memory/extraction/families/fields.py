"""A form's or a data sheet's lines in, its fields out (has_cell): the source, the label in ``part``, what is filled in.

"Voltage: 230 V" alone may be anything, so at least two such lines must follow each other, half of them with figures,
names or dates. Speakers, steps, notes and sentences are no fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.extraction.families.tables import cell_fact
from trisynapse_memory.extraction.lines import Row, rows_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "fields"

_FIELD: Final = re.compile(r"(?P<label>[^\W\d_][^\t:?!\"\u201c\u201d\u2022]{0,44}?)[ \t]*:(?:[ \t]+(?P<value>\S.*))?")
_NO_LABEL: Final = re.compile(
    r"(?:for|note|notes|warning|caution|danger|important|tip|hint|example|keep|be|in|on|at|to|if|when|he|she|it|they|we|"
    r"remember|question|answer|see|the|this|these|there|and|but|or|as|output|prompt|premise|hypothesis|context|claim|"
    r"user|assistant|human|system|theorem|proof|lemma|definition|proposition|corollary|step|method|figure|table|source|"
    r"sources|attention|part|section|unit|chapter|appendix|annex|module|lesson|goal|objective|objectives|values|mission|vision|with|from|dear|re|using)\b|.*\b(?:is|are|was|were|"
    r"said|says|asked|follows|following|include|includes|including|please)\b|.*\d",
    re.IGNORECASE,
)
_NO_VALUE: Final = re.compile(
    r"(?:an?|the|this|these|to|how|what|why|when|we|you|i|he|she|they|it|do|does|open|press|swipe|touch|tap|go|use|insert|"
    r"select|choose|click|check|set|make|turn|keep|remove|see|please|increase|reduce|describe|explain|list|write|give|"
    r"every|each|if|of|by|and|or)\b(?!\s*$)|n/?a\.?$|[-\u2013\u2014_.\u2026\s]+$",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(
    r"[?!;,:]$|(?<!\bLtd)(?<!\bInc)(?<!\bCo)(?<!\bCorp)(?<!\bNo)(?<!\bSt)(?<!\b[A-Za-z]\.[A-Za-z])(?<!\b[A-Z])\.$"
)
_LITERAL: Final = re.compile(r"\d|@|://|www\.")
_LONGEST_VALUE: Final = 12  # words
_LONGEST_LABEL: Final = 5
_FEWEST: Final = 2  # fields that follow each other


class _Field(NamedTuple):
    """A line that looks like a field; ``value`` is empty where it cannot be told."""

    row: Row
    label: str
    value: str


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the fields of a source that has a title."""
    is_prose = passage.modality not in (Modality.CODE, Modality.TABLE) and not passage.speaker
    if not passage.title or not is_prose or ":" not in passage.text:
        return
    for run in _runs(rows_of(passage.text)):
        counts = Counter(one.label.casefold() for one in run)
        if max(counts.values()) > 1:
            continue  # a dialogue, or a form filled in twice
        told = [one for one in run if one.value and not _is_spelled_out(one)]
        if len(told) < _FEWEST or 2 * sum(_is_literal(one.value) for one in told) < len(told):
            continue
        for one in told:
            # The source itself is what a form describes.
            yield cell_fact(passage, (one.row.start, one.row.end), (passage.title, one.label, one.value), PATTERN)


def _runs(rows: Sequence[Row]) -> Iterator[list[_Field]]:
    """Fields that follow each other, whatever the gaps."""
    run: list[_Field] = []
    for row in rows:
        match = _FIELD.fullmatch(row.text)
        if match is not None and len(match["label"].split()) <= _LONGEST_LABEL and not _NO_LABEL.match(match["label"]):
            run.append(_Field(row, match["label"].strip(), _value(match["value"] or "", row, rows)))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _value(value: str, row: Row, rows: Sequence[Row]) -> str:
    """The value, or nothing where it is a sentence, an order, several fields, or goes on below."""
    below = rows[row.place + 1] if row.place + 1 < len(rows) else None
    goes_on = below is not None and not below.is_apart and not _FIELD.fullmatch(below.text)
    several = "\t" in value or re.search(r"\w:\s", value) is not None
    unfit = len(value.split()) > _LONGEST_VALUE or _NO_VALUE.match(value) or _SENTENCE_END.search(value)
    dotted = re.search(r"(?:\.\s?){4}", value) is not None  # a line of a table of contents
    torn = value.count("(") != value.count(")")  # "Estimate (ID: 8)" is no field
    return "" if not value or goes_on or several or unfit or dotted or torn else " ".join(value.split())


def _is_spelled_out(field: _Field) -> bool:
    """Whether a line of a legend says what letters stand for, which is no property of the source."""
    return field.label.isupper() and field.label.casefold() == "".join(re.findall(r"\b[^\W_]", field.value)).casefold()


def _is_literal(value: str) -> bool:
    """Whether a value is a figure, an address, or names: every longer word with a capital."""
    words = [word for word in re.findall(r"[^\W\d_]+", value) if len(word) > len("and")]
    return _LITERAL.search(value) is not None or (bool(words) and all(word[0].isupper() for word in words))
