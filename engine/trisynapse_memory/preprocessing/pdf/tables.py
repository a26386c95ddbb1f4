"""The fragments and rules of a page in, its tables out: which words stand in which cell, and the column headers.

A table is found by its rules, or, without any, by rows of short pieces in columns that hold figures. What is no table
is left alone: a plot between axes, a form of prose in boxes, two columns of text between two rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.pdf.cells import Box, Piece, Row, columns_of, rows_of, runs_of, words_of
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment
from trisynapse_memory.preprocessing.pdf.grids import Grid, Stack, find_grids
from trisynapse_memory.preprocessing.pdf.headers import VALUE, Cells, headers_above, said_in
from trisynapse_memory.preprocessing.pdf.lines import CELL_EM
from trisynapse_memory.preprocessing.pdf.rules import Rules
from trisynapse_memory.preprocessing.pdf.spreading import spread_over
from trisynapse_memory.preprocessing.pdf.stacks import cellish_runs, table_from_stack
from trisynapse_memory.preprocessing.pdf.tabulation import Table, inside, is_list, is_plain, table_of, words_in

LAYOUT_CHARS: Final = 1_000  # characters; a cell with more holds a page's text and no entry
MIN_FILLED: Final = 0.3  # of the cells of a grid
LOOSE_PITCH_EM: Final = 2.6  # em; rows of such a table stand no further apart: labels of an axis do
MIN_LOOSE_ROWS: Final = 2
FEW_LOOSE_ROWS: Final = 3  # rows; with fewer, all cells must be filled, below names, in four columns at least
ALIGNED: Final = 0.9  # of the lines of the cells of a band that stand at the height of a line beside them
PARTNERED: Final = 0.75  # of the lines of its longest cell that have one beside them
LABELLED: Final = 0.6  # of these lines that have a label at the edge of the table
FEW_LINES: Final = 4  # lines; with fewer, text that wraps in two cells looks like rows
MANY_BANDS: Final = 4  # stretches between rules that hold words; with as many, every row is taken to have its rule
LIST_MARKS: Final = frozenset("•◦▪‣∙·■□●○–-*")  # before the entries of a list that stands in one cell
NARROW: Final = 0.75  # em; how much closer two headers may stand where each has a column of its own


def find_tables(group: Sequence[Fragment], rules: Rules, em: float) -> list[Table]:
    """Return the tables that rules draw around or between the fragments of one frame.

    Args:
        group: the fragments of the frame.
        rules: the rules as they lie in it.
        em: the usual type size, in points.
    """
    grids, stacks = find_grids(rules)
    if not grids and not stacks:
        return []
    boxes = [fragment.box for fragment in group]
    tables: list[Table] = []
    for grid in grids:
        table = (
            None if _overlaps(grid.box, tables) or rules.is_drawn_over(grid.box) else _from_grid(group, boxes, grid, em)
        )
        if table is not None:
            tables.append(table)
        elif grid.is_open:
            stacks.append(Stack(grid.box[0], grid.box[2], grid.heights))
    for stack in stacks:
        for run in cellish_runs(group, boxes, stack, em):
            area = stack.left, run[0], stack.right, run[-1]
            if not _overlaps(area, tables) and not rules.is_drawn_over(area):
                table = table_from_stack(group, boxes, (stack.left, stack.right), run, em)
                if table is not None:
                    tables.append(table)
    return tables


def loose_table(rows: Sequence[Sequence[Fragment]], rules: Rules, em: float) -> Table | None:
    """Return the table that neighbouring rows of a region make without any rule, or None."""
    tops = [row[0].box[1] for row in rows]
    steps = sorted(after - before for before, after in pairwise(tops))
    if len(steps) + 1 < MIN_LOOSE_ROWS or steps[len(steps) // 2] > LOOSE_PITCH_EM * em:
        return None
    lines = [runs_of([word for fragment in row for word in words_of(fragment)], em) for row in rows]
    columns = columns_of(lines, em)
    if not columns:
        return None
    spread = [spread_over(line, columns) for line in lines]
    several = [row for row in spread if sum(map(bool, row)) > 1]
    cells = _carried_on(spread)
    headers = headers_above(cells, range(len(cells)))
    few = len(several) < FEW_LOOSE_ROWS
    # Names hold no figures; above one row of them, they are half of what is looked at.
    if len(several) < MIN_LOOSE_ROWS or not is_plain(several[1:] if few and headers else several):
        return None
    two = len(columns) == 1
    if two and not all(VALUE.fullmatch(said_in(row[1])) for row in cells[1:] if row[1]):
        return None
    if few and (not headers or len(columns) < 3 or not all(cell for row in cells for cell in row)):
        return None
    table = table_of(cells, headers, frozenset())
    left, top, right, bottom = table.box
    around = left, top - LOOSE_PITCH_EM * em, right, bottom + LOOSE_PITCH_EM * em
    return None if rules.is_drawn_over(around) else table


def _carried_on(rows: Sequence[Cells]) -> list[Cells]:
    """Rows with the lines below them that hold one cell only, and not the first: they belong to that cell."""
    whole: list[Cells] = []
    for row in rows:
        said = [column for column, cell in enumerate(row) if cell]
        if whole and len(said) == 1 and said[0] and whole[-1][said[0]]:
            whole[-1] = tuple((*above, *below) for above, below in zip(whole[-1], row, strict=True))
        else:
            whole.append(row)
    return whole


def _from_grid(group: Sequence[Fragment], boxes: Sequence[Box], grid: Grid, em: float) -> Table | None:
    members = inside(boxes, grid.box)
    words = list(words_in(group, members))
    grid = _without_rows_of_cells(grid, words, em)
    bands: list[dict[int, list[Piece]]] = [{} for _ in grid.owner]
    width = len(grid.places) - 1
    for word in words:
        anchor = grid.owner_of(word.box)
        bands[anchor // width].setdefault(anchor % width, []).append(word)
    filled = sum(len(band) for band in bands)
    anchors = len({owner for row in grid.owner for owner in row})
    longest = max((sum(len(word.text) for word in cell) for band in bands for cell in band.values()), default=0)
    nested = any(_holds_a_table(cell, em) for band in bands for cell in band.values())
    if filled < 4 or filled < MIN_FILLED * anchors or longest > LAYOUT_CHARS or nested:
        return None
    rows: list[Cells] = []
    origins: list[int] = []
    wraps = sum(map(bool, bands)) >= MANY_BANDS
    for index, band in enumerate(bands):
        lines = [tuple(tuple(line.get(column, ())) for column in range(width)) for line in _lines_of_band(band, wraps)]
        rows += lines
        origins += [index] * len(lines)
    rows, kept = _without_empty_columns(rows)
    if len(rows) < 2 or len(kept) < 2 or is_list(rows):
        return None
    covers = [_covers(grid, kept, origin) for origin in origins]
    return table_of(rows, headers_above(rows, origins, covers), members)


def _without_rows_of_cells(grid: Grid, words: Sequence[Piece], em: float) -> Grid:
    """Part cells that are one for want of a rule only: each run of their words keeps to a column of its own."""
    cells: dict[int, list[Piece]] = {}
    for word in words:
        cells.setdefault(grid.owner_of(word.box), []).append(word)
    parted: set[int] = set()
    for owner, cell in cells.items():
        fields = sum(row.count(owner) for row in grid.owner)
        for reach in (2 * em, NARROW * em):
            runs = [run for row in rows_of(cell) for run in runs_of(row, reach)]
            columns = [{grid.column_of(run[0].left), grid.column_of(max(word.right for word in run))} for run in runs]
            used = len(set[int]().union(*columns))
            if all(len(own) == 1 for own in columns) and (used == fields > 1 or (used > 1 and reach > em)):
                parted.add(owner)
    return grid.parted(parted) if parted else grid


def _holds_a_table(cell: Sequence[Piece], em: float) -> bool:
    """Whether the words of one cell stand in rows and columns themselves: then the grid is the frame of a form."""
    rows = rows_of(cell)
    parted = [row for row in rows if any(b.left - a.right > CELL_EM * em for a, b in pairwise(row))]
    return len(rows) >= 3 and 2 * len(parted) >= len(rows)


def _covers(grid: Grid, kept: Sequence[int], row: int) -> list[int]:
    """For each column that is kept, the one whose cell of a row of the grid lies over it."""
    width = len(grid.places) - 1
    anchors = [grid.owner[row][column] % width for column in kept]
    return [kept.index(anchor) if anchor in kept else place for place, anchor in enumerate(anchors)]


def _lines_of_band(band: dict[int, list[Piece]], wraps: bool) -> Iterator[dict[int, Sequence[Piece]]]:
    """One row, or several where the cells of a band hold lines that stand side by side: not every row has its rule.

    ``wraps`` where the table has a rule for every row, as far as one can see: then some lines are text that wraps.
    """
    lines = {column: rows_of(words) for column, words in band.items()}
    most = max(lines.values(), key=len, default=())
    few = wraps and len(most) < FEW_LINES
    if few or not _stand_side_by_side([lines[column] for column in sorted(lines)], most):
        if band:
            yield {column: [word for row in rows for word in row] for column, rows in lines.items()}
        return
    middles = [_middle(row) for row in most]
    for index in range(len(most)):
        row: dict[int, Sequence[Piece]] = {}
        for column, own in lines.items():
            near = [one for one in own if _nearest(middles, _middle(one)) == index]
            if near:
                row[column] = [word for line in near for word in line]
        yield row


def _stand_side_by_side(columns: Sequence[Sequence[Row]], most: Sequence[Row]) -> bool:
    """Whether the lines of the cells are rows of their own: they share their heights, and are no text that wraps."""
    count = len(most)
    entries = sum(len(row) > 1 and row[0].text in LIST_MARKS for rows in columns for row in rows)
    if count < 2 or len(columns) < 2 or 2 * entries >= sum(map(len, columns)):
        return False
    middles = [_middle(row) for row in most]
    reach = 0.5 * (most[0][0].bottom - most[0][0].top)
    others = [_middle(row) for rows in columns if rows is not most for row in rows]
    aligned = [_nearest(middles, at) for at in others if abs(middles[_nearest(middles, at)] - at) < reach]
    if len(aligned) < ALIGNED * len(others):
        return False
    if count < FEW_LINES:
        return sum(len(rows) == count for rows in columns) > 0.5 * len(columns)
    labels = max(len(columns[0]), len(columns[-1]))
    return len(set(aligned)) >= PARTNERED * count and labels >= LABELLED * count


def _nearest(middles: Sequence[float], at: float) -> int:
    return min(range(len(middles)), key=lambda index: abs(middles[index] - at))


def _middle(row: Row) -> float:
    return (min(word.top for word in row) + max(word.bottom for word in row)) / 2


def _without_empty_columns(rows: Sequence[Cells]) -> tuple[list[Cells], list[int]]:
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)] if rows else []
    return [tuple(row[column] for column in kept) for row in rows], kept


def _overlaps(box: Box, tables: Sequence[Table]) -> bool:
    return any(
        min(box[2], table.box[2]) > max(box[0], table.box[0]) and min(box[3], table.box[3]) > max(box[1], table.box[1])
        for table in tables
    )
