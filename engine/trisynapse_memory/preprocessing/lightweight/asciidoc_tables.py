"""The lines of an AsciiDoc table in, a block of rows out; pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block, table_block
from trisynapse_memory.preprocessing.tabular.headers import find_header

# What may stand before the bar of a cell: how many columns and rows it spans, its alignment, its style.
_SPEC: Final = re.compile(r"(?<=\s)(?:\d+(?:\.\d+)?[+*]|\.\d+\+)?(?:[<^>](?:\.[<^>])?|\.[<^>])?[adehlmsv]?\Z")
_COLUMNS: Final = re.compile(r"cols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]]*))")
_REPEAT: Final = re.compile(r"(\d+)\*")
_TIMES: Final = re.compile(r"(\d+)\*[adehlmsv]?$")
_HEADER: Final = re.compile(r"%[\w%]*header|options\s*=\s*\"[^\"]*header|opts\s*=\s*\"[^\"]*header")
COPIES_MAX: Final = 50


def table_from(lines: Sequence[str], mark: str, style: str, words: Callable[[str], str]) -> Block | None:
    """Read a table.

    Args:
        lines: what stands between its borders.
        mark: ``|`` or ``!`` before each cell; ``,`` or ``:`` between them.
        style: the attributes of the line above.
        words: takes the marks out of a cell.
    """
    if mark in ",:":
        delimiter = "," if mark == "," else ":"
        rows = [[words(cell) for cell in row] for row in csv.reader(lines, delimiter=delimiter) if row]
    else:
        rows = [[words(cell) for cell in row] for row in _rows(lines, mark, _width(style))]
    if not rows:
        return None
    width = max(map(len, rows))
    told = _HEADER.search(style) is not None or (len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip())
    headers = rows[0] if told else find_header(rows, width).names
    # A row of nothing but bars would be no row; the header names what it names.
    return table_block(rows, headers) if headers else _plain(rows)


def _plain(rows: Sequence[Sequence[str]]) -> Block | None:
    block = table_block(rows)
    return replace(block, headers="") if block is not None else None


def _rows(lines: Sequence[str], mark: str, width: int) -> list[list[str]]:
    """Cells by lines where each line is a row, as most authors write; else as many to a row as there are columns."""
    told = [line for line in lines if line.strip()]
    by_line = [_cells(line, mark) for line in told]
    starts = all(mark in line for line in told)
    width = width or (len(by_line[0]) if by_line else 0)
    if not width or (starts and sum(len(row) >= width for row in by_line) >= 0.6 * len(by_line)):
        return [row for row in by_line if row]
    cells = _cells("\n".join(told), mark)
    return [cells[start : start + width] for start in range(0, len(cells), width)]


def _cells(text: str, mark: str) -> list[str]:
    parts = re.split(rf"(?<!\\){re.escape(mark)}", text)
    cells: list[str] = []
    copies = _copies(parts[0])
    for place, part in enumerate(parts[1:]):
        last = place == len(parts) - 2
        spec = None if last else _SPEC.search(part)
        cells += [" ".join((part[: spec.start()] if spec else part).replace("\\" + mark, mark).split())] * copies
        copies = _copies(part[spec.start() :]) if spec else 1
    while cells and not cells[-1] and text.rstrip().endswith(mark) and len(cells) > 1:
        cells.pop()
        break
    return cells


def _copies(spec: str) -> int:
    match = _TIMES.search(spec.strip())
    return min(COPIES_MAX, int(match[1])) if match else 1


def _width(style: str) -> int:
    match = _COLUMNS.search(style)
    if match is None:
        return 0
    told = next((part for part in match.groups() if part), "")
    if told.strip().isdecimal():
        return 1
    return sum(
        min(COPIES_MAX, int(repeat[1])) if (repeat := _REPEAT.match(part.strip())) else 1 for part in told.split(",")
    )
