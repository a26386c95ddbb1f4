"""A file of records in, where its pages lie out: so many whole elements or lines as make some 64 KiB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from trisynapse_memory.preprocessing.paging import PAGE_BYTES
from trisynapse_memory.preprocessing.structured.json_text import ELEMENT_MAX_CHARS, elements


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One page: its bytes, and the number of its first record (from 1)."""

    start: int
    end: int
    first: int


def element_pages(file: IO[bytes]) -> tuple[tuple[RecordPage, ...], int]:
    """Return the pages of a JSON list and the number of its elements; all of it is read once.

    Raises:
        NotJsonError: the list is damaged.
    """
    return _pages((one.number, one.end) for one in elements(file, 0, None, 1))


def line_pages(file: IO[bytes]) -> tuple[tuple[RecordPage, ...], int]:
    """Return the pages of JSON Lines and the number of lines that hold something; none of them is parsed."""
    return _pages(_line_ends(file))


def _line_ends(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    file.seek(0)
    number, position = 0, 0
    while line := file.readline(ELEMENT_MAX_CHARS):
        number, position = number + 1, position + len(line)
        if not line.isspace():
            yield number, position


def _pages(ends: Iterable[tuple[int, int]]) -> tuple[tuple[RecordPage, ...], int]:
    pages: list[RecordPage] = []
    start, first, count, position = 0, 1, 0, 0
    for number, position in ends:
        count += 1
        if position - start >= PAGE_BYTES:
            pages.append(RecordPage(start, position, first))
            start, first = position, number + 1
    if position > start or not pages:
        pages.append(RecordPage(start, max(position, start), first))
    return tuple(pages), count
