"""The runs of words of one line and the borders of columns in, the cells they stand in out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.pdf.cells import Piece
from trisynapse_memory.preprocessing.pdf.headers import Cells, said_in

STICKS_OUT: Final = 0.15  # of its width that a run of words may reach into the next column
HEADER_HOLE_EM: Final = 0.4  # em; headers closer than this are words of one
WORD_HOLE_EM: Final = 0.3  # em; a blank within a cell is no wider
_FIGURE: Final = re.compile(r"\d")


def covered_by(run: Sequence[Piece], columns: Sequence[float]) -> range:
    """Return the columns over which a run of words stands; what only sticks out into one does not stand over it."""
    left, right = run[0].left, max(word.right for word in run)
    borders = [left, *(column for column in columns if left < column < right), right]
    first = sum(column <= left for column in columns)
    shares = [(after - before) / max(right - left, 0.1) for before, after in pairwise(borders)]
    while len(shares) > 1 and shares[-1] < STICKS_OUT:
        shares.pop()
    skipped = 0
    while len(shares) - skipped > 1 and shares[skipped] < STICKS_OUT:
        skipped += 1
    return range(first + skipped, first + len(shares))


def parts_of(run: Sequence[Piece], columns: Sequence[float], em: float) -> list[list[Piece]]:
    """Cut a run of header words over several columns where a hole is as wide as headers stand apart."""
    if len(covered_by(run, columns)) == 1:
        return [list(run)]
    parts = [[run[0]]]
    for before, after in pairwise(run):
        if after.left - before.right > HEADER_HOLE_EM * em:
            parts.append([])
        parts[-1].append(after)
    return parts


def spread_over(line: Sequence[Sequence[Piece]], columns: Sequence[float], *, by_run: bool = False) -> Cells:
    """Put the runs of a line into their columns; one that crosses a border is cut there, unless it is the only one."""
    cells: list[list[Piece]] = [[] for _ in range(len(columns) + 1)]
    for run in line:
        covered = covered_by(run, columns)
        if by_run or len(line) == 1 or len(covered) == 1:
            cells[covered[0]] += run
            continue
        place, end = covered[0], run[0].left
        for word in run:
            if word is run[0] or word.left - end > WORD_HOLE_EM * word.fragment.looks[0].size:
                place = sum(column <= (word.left + word.right) / 2 for column in columns)
            cells[place].append(word)
            end = word.right
    return tuple(tuple(cell) for cell in cells)


def unwrapped(rows: Sequence[Cells]) -> list[Cells]:
    """Lines that only carry words on, below cells that have words, belong to the row above."""
    whole: list[Cells] = []
    for row in rows:
        said = [column for column, cell in enumerate(row) if cell]
        goes_on = (
            bool(whole)
            and bool(said)
            and not row[0]
            and not any(_FIGURE.search(said_in(row[column])) for column in said)
            and all(whole[-1][column] for column in said)
            and 2 * len(said) <= len(row)
        )
        if goes_on:
            whole[-1] = tuple((*above, *below) for above, below in zip(whole[-1], row, strict=True))
        else:
            whole.append(row)
    return whole


def names_over(lines: Sequence[Sequence[Sequence[Piece]]], columns: Sequence[float]) -> list[str]:
    """Return what stands over each column, from top to bottom; of two runs in one line, the one with more of it."""
    names = [""] * (len(columns) + 1)
    for line in lines:
        owners: dict[int, tuple[float, Sequence[Piece]]] = {}
        for run in line:
            for column in covered_by(run, columns):
                share = _share(run, columns, column)
                if column not in owners or share > owners[column][0]:
                    owners[column] = share, run
        for column, (_, run) in owners.items():
            names[column] = f"{names[column]} {said_in(run)}".strip()
    return names


def _share(run: Sequence[Piece], columns: Sequence[float], column: int) -> float:
    """How many points of a column a run stands over."""
    left = columns[column - 1] if column else float("-inf")
    right = columns[column] if column < len(columns) else float("inf")
    return min(right, max(word.right for word in run)) - max(left, run[0].left)
