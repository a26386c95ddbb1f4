"""Flat rules above one another and the words between them in, the tables that books and papers draw so out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.pdf.captions import CAPTION
from trisynapse_memory.preprocessing.pdf.cells import Box, Piece, columns_of, rows_of, runs_of
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment
from trisynapse_memory.preprocessing.pdf.grids import Stack
from trisynapse_memory.preprocessing.pdf.headers import are_names
from trisynapse_memory.preprocessing.pdf.spreading import names_over, parts_of, spread_over, unwrapped
from trisynapse_memory.preprocessing.pdf.tabulation import Table, inside, is_list, is_plain, table_of, words_in

MAX_LABEL_WORDS: Final = 12  # of a row that stands alone over a group of rows
MAX_NAMES: Final = 24  # runs of words in a band of headers
PROSE_CELL_CHARS: Final = 30  # characters; two columns whose usual cells are both longer are prose


def cellish_runs(
    group: Sequence[Fragment], boxes: Sequence[Box], stack: Stack, em: float
) -> Iterator[tuple[float, ...]]:
    """Yield the heights of neighbouring rules between which the text stands in short cells."""
    run: list[float] = []
    above: float | None = None
    for top, bottom in pairwise(stack.heights):
        words = list(words_in(group, inside(boxes, (stack.left, top, stack.right, bottom))))
        if words and _is_cellish(words, em, bool(run)):
            run = run or ([above, top] if above is not None else [top])
            run.append(bottom)
            above = None
        elif words or bottom - top > 2 * em:
            if len(run) > 1:
                yield tuple(run)
            run, above = [], top if words and _may_be_names(words, em) else None
    if len(run) > 1:
        yield tuple(run)


def _may_be_names(words: Sequence[Piece], em: float) -> bool:
    """Whether a band over rows of cells can hold their names: some short pieces, which need not stand in rows."""
    runs = [run for row in rows_of(words) for run in runs_of(row, em)]
    return 1 < len(runs) <= MAX_NAMES and all(
        sum(len(word.text) + 1 for word in run) < PROSE_CELL_CHARS for run in runs
    )


def _is_cellish(words: Sequence[Piece], em: float, goes_on: bool) -> bool:
    """Whether most rows of a band have several pieces, which are no columns of prose; one lone row may be a label."""
    rows = [runs_of(row, em) for row in rows_of(words)]
    several = [row for row in rows if len(row) > 1]
    if len(rows) == 1 and not several:
        label = " ".join(word.text for word in rows_of(words)[0])
        return goes_on and len(words) < MAX_LABEL_WORDS and CAPTION.match(label) is None
    if len(several) < 0.5 * len(rows):
        return False
    if len(rows) == 1 or sorted(len(row) for row in rows)[len(rows) // 2] > 2:
        return True
    lengths = sorted(sum(len(word.text) + 1 for word in run) for row in rows for run in row)
    return lengths[len(lengths) // 2] < PROSE_CELL_CHARS


def table_from_stack(
    group: Sequence[Fragment], boxes: Sequence[Box], edges: tuple[float, float], heights: Sequence[float], em: float
) -> Table | None:
    """Return the table between rules at some heights; its columns are where its lines leave white strips.

    Args:
        group: the fragments of the frame, and ``boxes`` their boxes.
        boxes: left, top, right, bottom of each.
        edges: left and right end of the rules.
        heights: of the rules, from top to bottom.
        em: the usual type size, in points.
    """
    bands = [
        (members, [runs_of(row, em) for row in rows_of(list(words_in(group, members)))])
        for top, bottom in pairwise(heights)
        if (members := inside(boxes, (edges[0], top, edges[1], bottom)))
    ]
    lines = [line for _, band in bands for line in band]
    if len(lines) < 2:
        return None
    head_count = len(bands[0][1]) if len(bands) > 1 and len(bands[0][1]) <= len(lines) / 2 else 1
    columns = columns_of(lines[head_count:], em) or columns_of(lines, em)
    if not columns:
        return None
    heads = [[part for run in line for part in parts_of(run, columns, em)] for line in lines[:head_count]]
    head = [spread_over(line, columns, by_run=True) for line in heads]
    body = [spread_over(line, columns) for line in lines[head_count:]]
    names = names_over(heads, columns)
    rows = [*head, *unwrapped(body)]
    cells = [cell for row in rows for cell in row if cell]
    if len(cells) < 4 or (len(heights) == 2 and not is_plain(rows)) or is_list(rows):
        return None
    members = frozenset[int]().union(*(own for own, _ in bands))
    return table_of(rows, tuple(names) if are_names(names, rows[head_count:], ruled=True) else (), members)
