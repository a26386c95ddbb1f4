"""Passages in, the same with the rows of their tables as statements an answer may quote out. Nothing is ranked here.

A row says something only with the headers of its columns ("ResNet50 \u2013 Accuracy: 63.7"); of a wide row the cells
are told in which its words and the headers' meet those of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from trisynapse_memory.answering.inquiry import Inquiry, TextKeys
from trisynapse_memory.answering.sentences import Passage, Sentence
from trisynapse_memory.text.table_rows import cells_of, header_names, headers_for, label_place, row_statement
from trisynapse_memory.text.unsaid import holds_order
from trisynapse_memory.types import Hit, Modality

STATEMENT_CHARS: Final = 500  # of a row; as long as an excerpt may be
HEADER_SHARE: Final = 0.6  # of the question's weight in headers and caption of a table, for a list of all its rows
FEWEST_COMPARED: Final = 3  # rows with a figure in a column, for the highest of them to be told
NEAR_HEADER: Final = 0.5  # of the best header's share of the question, for another column to be told too
_SAME: Final = 1e-9

_LINE: Final = re.compile(r"[^\n]*\S[^\n]*")
_FIGURE: Final = re.compile(r"[\u2212-]?\d[\d,]*(?:\.\d+)?")
_HIGHEST: Final = re.compile(
    r"\b(?:highest|most|largest|biggest|greatest|longest|best|top|maximum|wins?|(?:comes?|ranks?) first)\b",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(r"\b(?:what|which) (?:part|share|proportion|fraction)\b|\bper ?cent", re.IGNORECASE)
_PERCENT: Final = re.compile(r"%|\bper ?cent|\bproportion|\bshare\b", re.IGNORECASE)
_LOWEST: Final = re.compile(
    r"\b(?:lowest|least|fewest|smallest|shortest|worst|minimum|(?:comes?|ranks?) last)\b", re.IGNORECASE
)


class _Row(NamedTuple):
    """One row: its place in the text of the record, its cells, a header for each, and the line that heads its group."""

    start: int
    end: int
    cells: tuple[str, ...]
    headers: tuple[str, ...]
    group: str


def with_rows(passages: Sequence[Passage], inquiry: Inquiry, *, whole: bool = False) -> tuple[Passage, ...]:
    """Add to each passage of a table those of its rows that share a word with the question.

    ``whole`` adds all rows of a table whose headers have most of the question: "the heights of all stations".
    """
    return tuple(
        replace(passage, sentences=(*passage.sentences, *_statements(passage, inquiry, whole)))
        if passage.hit.record.modality is Modality.TABLE and passage.is_cut
        else passage
        for passage in passages
    )


def headers_of(hit: Hit) -> tuple[str, ...]:
    """The headers of the columns of a table; empty where none are known."""
    return header_names(hit.record.fields.get("headers", ""))


def _statements(passage: Passage, inquiry: Inquiry, whole: bool) -> Iterator[Sentence]:
    hit = passage.hit
    rows = list(_rows_of(hit))
    headers = headers_of(hit)
    shares = tuple(inquiry.coverage(TextKeys.of(header)) if header else 0.0 for header in headers)
    extreme = _extreme_of(inquiry, rows, shares)
    around: dict[str, TextKeys] = {}
    is_asked = whole and _asks_for_rows(hit, inquiry, headers)
    for row in rows:
        if row is not extreme and not is_asked and not inquiry.covered(TextKeys.of(" ".join(row.cells))):
            continue
        columns = _told_columns(inquiry, row, shares if any(row.headers) else (0.0,) * len(row.cells))
        text = row_statement(row.cells, row.headers, columns)
        if len(text) > STATEMENT_CHARS or holds_order(text):
            continue
        if row.group not in around:
            around[row.group] = TextKeys.of(_said_around(hit, row.group))
        yield Sentence(
            hit,
            passage.rank,
            row.start,
            row.end,
            text,
            TextKeys.of(text),
            row_of=headers,
            around=around[row.group],
            is_extreme=row is extreme,
        )


def _asks_for_rows(hit: Hit, inquiry: Inquiry, headers: Sequence[str]) -> bool:
    """Whether a table is what a question wants listed: it names a column, and little that the table has not."""
    named, around = TextKeys.of(" ".join(headers)), TextKeys.of(_said_around(hit, ""))
    return inquiry.coverage(named) > 0 and inquiry.coverage(named, around) >= HEADER_SHARE


def _said_around(hit: Hit, group: str) -> str:
    fields = hit.record.fields
    return "\n".join([*(fields.get(name, "") for name in ("caption", "section", "headers")), group, hit.title])


def _rows_of(hit: Hit) -> Iterator[_Row]:
    headers = headers_of(hit)
    group = ""
    for match in _LINE.finditer(hit.record.text):
        cells = cells_of(match.group(), len(headers))
        told = [cell for cell in cells if cell]
        if len(told) < 2:
            group = told[0] if told else match.group().strip() if not cells else group
        elif not _is_header(cells, headers):
            yield _Row(match.start(), match.end(), cells, headers_for(cells, headers), group)


def _is_header(cells: Sequence[str], headers: Sequence[str]) -> bool:
    """Whether a row is one of those that name the columns; names of two rows stand together in ``headers``."""
    names = " ".join(headers)
    return bool(names) and all(cell in names for cell in cells)


def _told_columns(inquiry: Inquiry, row: _Row, shares: Sequence[float]) -> list[int]:
    """The cells in which row and question meet: those with most words of it under their header, or all.

    ``shares`` are the coverages of the headers.
    """
    label = label_place(row.cells)
    columns = [index for index, cell in enumerate(row.cells) if cell and index != label]
    named = [shares[index] for index in columns]
    if not named or max(named) - min(named) < _SAME:
        return columns
    best = {index for index in columns if shares[index] >= NEAR_HEADER * max(named)}
    if _SHARE.search(inquiry.question):
        best |= {index for index in columns if _PERCENT.search(f"{row.headers[index]} {row.cells[index]}")}
    return sorted(best | {index for index in columns if inquiry.covered(TextKeys.of(row.cells[index]))})


def _extreme_of(inquiry: Inquiry, rows: Sequence[_Row], shares: Sequence[float]) -> _Row | None:
    """The row with the highest or lowest figure in the column that the question names; None where it asks for none."""
    highest = _HIGHEST.search(inquiry.question) is not None
    column = _named_column(shares)
    if column is None or highest == (_LOWEST.search(inquiry.question) is not None):
        return None
    figures = [(_figure(row.cells[column]), row) for row in rows if any(row.headers)]
    told = [(figure, row) for figure, row in figures if figure is not None]
    if len(told) < FEWEST_COMPARED:
        return None
    return (max if highest else min)(told, key=lambda pair: pair[0])[1]


def _named_column(shares: Sequence[float]) -> int | None:
    """The one column of values whose header has more words of the question than any other; None where several tie."""
    values = shares[1:]  # the first one names the rows
    best = [index for index, share in enumerate(values, start=1) if share and share > max(values) - _SAME]
    return best[0] if len(best) == 1 else None


def _figure(cell: str) -> float | None:
    match = _FIGURE.match(cell.lstrip("$\u20ac\u00a3*~< "))
    return float(match.group().replace(",", "").replace("\u2212", "-")) if match else None
