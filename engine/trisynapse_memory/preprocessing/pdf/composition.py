"""Fragments in, the stored text of a page with the place of every word and its blocks out. Nothing is judged here.

Lines are joined by a line feed, blocks by an empty line. Hyphens at line ends, ligatures and Arabic presentation forms
stay as the page has them: ``text/spans.py`` maps them when something is searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.pdf.bidi import is_right_to_left
from trisynapse_memory.preprocessing.pdf.captions import CAPTION
from trisynapse_memory.preprocessing.pdf.cells import Piece, rows_of
from trisynapse_memory.preprocessing.pdf.columns import order_fragments
from trisynapse_memory.preprocessing.pdf.glyphs import Fragment, Frame
from trisynapse_memory.preprocessing.pdf.lines import CELL_EM, Line, line_of
from trisynapse_memory.preprocessing.pdf.rules import Rules
from trisynapse_memory.preprocessing.pdf.scribe import Block, Scribe
from trisynapse_memory.preprocessing.pdf.tables import MIN_LOOSE_ROWS, Table, find_tables, loose_table

TABLE_CHARS: Final = 400  # characters that a table counts for when columns are sought: as much as prose
CARRY_ON_EM: Final = 1.9  # em; a line of a cell stands no further below the one before
BLOCK_PITCH: Final = 1.3  # times the usual distance of two lines
INDENT_EM: Final = 0.8  # em
SIZE_STEP: Final = 1.08  # times; other type size, other block
LABEL_CHARS: Final = 40  # characters; what stands alone over a group of rows and is longer is a sentence
LABEL_PITCH: Final = 1.2  # times the distance of the rows before
EDGE_EM: Final = 0.3  # em
MINOR_CHARS: Final = 150  # characters; turned text shorter than this is a stamp or an axis label

Row = tuple[list[Fragment], Line]
"""The fragments that stand at one height, and the line they make."""


@dataclass(frozen=True, slots=True)
class Composition:
    """A page as text, packed word geometry and blocks."""

    text: str
    layout: bytes
    blocks: tuple[Block, ...]
    uncertain: bool
    body_size: float


def compose(fragments: Sequence[Fragment], rules: Rules | None = None) -> Composition:
    """Put a page into reading order and write it down; the main direction of the text comes first.

    Args:
        fragments: the text of the page.
        rules: what is drawn between it, by which tables are known; None: nothing.
    """
    frames: dict[Frame, list[Fragment]] = {}
    for fragment in fragments:
        frames.setdefault(fragment.frame, []).append(fragment)
    groups = sorted(frames.values(), key=lambda group: -_length(group))
    sizes = Counter[float]()
    for fragment in groups[0] if groups else ():
        sizes[round(fragment.looks[0].size, 1)] += len(fragment.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    em = max(body_size, 1.0)
    scribe = Scribe()
    uncertain = False
    for rank, group in enumerate(groups):
        drawn = rules.seen_from(group[0].frame) if rules else Rules()
        tables = find_tables(group, drawn, em)
        regions, doubt = _ordered(group, tables, em)
        minor = rank > 0 and _length(group) < MINOR_CHARS
        uncertain = uncertain or (doubt and not minor)
        for region in regions:
            _write(scribe, list(_with_loose_tables(region, drawn, em)), minor)
    return Composition("".join(scribe.pieces), scribe.layout(), tuple(scribe.blocks), uncertain, body_size)


def _length(group: Sequence[Fragment]) -> int:
    return sum([len(fragment.text) for fragment in group])


def _ordered(
    group: Sequence[Fragment], tables: Sequence[Table], em: float
) -> tuple[list[list[list[Fragment] | Table]], bool]:
    """The regions of a frame in reading order, each a list of rows; a table takes part as one large piece."""
    taken = frozenset[int]().union(*(table.members for table in tables))
    free = [fragment for index, fragment in enumerate(group) if index not in taken]
    boxes = [fragment.box for fragment in free] + [table.box for table in tables]
    placed = boxes
    text = "".join([fragment.text for fragment in group])
    if not text.isascii() and is_right_to_left(text):
        placed = [(-right, top, -left, bottom) for left, top, right, bottom in boxes]
    ordering = order_fragments(placed, [len(one.text) for one in free] + [TABLE_CHARS] * len(tables), em)
    regions: list[list[list[Fragment] | Table]] = []
    for region in ordering.regions:
        rows: list[list[Fragment] | Table] = []
        for row in region:
            rows += [tables[index - len(free)] for index in row if index >= len(free)]
            if own := [free[index] for index in row if index < len(free)]:
                rows.append(own)
        regions.append(rows)
    return regions, ordering.uncertain


def _write(scribe: Scribe, region: Sequence[Line | Table], minor: bool) -> None:
    lines: list[Line] = []
    for part in region:
        if isinstance(part, Table):
            for block in _blocks(lines):
                scribe.write(block, minor)
            lines = []
            rows = [[_cell_lines(cell) for cell in row] for row in part.rows]
            scribe.write_table(rows, part.headers, minor)
        else:
            lines.append(part)
    for block in _blocks(lines):
        scribe.write(block, minor)


def _with_loose_tables(region: Sequence[list[Fragment] | Table], rules: Rules, em: float) -> Iterator[Line | Table]:
    """The lines of a region, with neighbours that make a table without any rule as that table."""
    run: list[Row] = []
    parts = [(part, part if isinstance(part, Table) else _line_of_row(part)) for part in region]
    for (part, line), (_, after) in zip(parts, [*parts[1:], (None, None)], strict=True):
        if not isinstance(part, Table) and isinstance(line, Line) and _belongs(run, line, after, em):
            run.append((part, line))
            continue
        yield from _table_or_lines(run, rules, em)
        run = []
        yield line
    yield from _table_or_lines(run, rules, em)


def _belongs(run: Sequence[Row], line: Line, after: Line | Table | None, em: float) -> bool:
    """Whether a line can be a row of a table: it has cells, goes on in one, or stands over a group of rows."""
    return line.cell_count > 1 or (bool(run) and _goes_on_in_a_cell(run, line, em)) or _is_label(run, line, after, em)


def _line_of_row(row: Sequence[Fragment]) -> Line:
    return line_of([(fragment.box, fragment) for fragment in row])


def _is_label(run: Sequence[Row], line: Line, after: Line | Table | None, em: float) -> bool:
    """Whether a lone line stands over a group of rows: at their edge, and no further from them than they are apart."""
    if len(run) < MIN_LOOSE_ROWS or not isinstance(after, Line) or after.cell_count == 1:
        return False
    pitch = run[-1][1].top - run[-2][1].top
    steps = (line.top - run[-1][1].top, after.top - line.top)
    return (
        len(line.glyphs.text) <= LABEL_CHARS
        and _is_at_edge(run, line, em)
        and all(0 < step < LABEL_PITCH * pitch for step in steps)
        and CAPTION.match(line.glyphs.text) is None
    )


def _is_at_edge(run: Sequence[Row], line: Line, em: float) -> bool:
    return abs(line.left - min(one.left for _, one in run)) < EDGE_EM * em


def _goes_on_in_a_cell(run: Sequence[Row], line: Line, em: float) -> bool:
    """Whether a line can carry on a cell of the row above: it stands close below, and not at the edge of the rows."""
    first, last = run[0][1], run[-1][1]
    near = 0 < line.top - last.top < CARRY_ON_EM * em and first.left + CELL_EM * em < line.left < first.right
    return near and CAPTION.match(line.glyphs.text) is None


def _table_or_lines(run: Sequence[Row], rules: Rules, em: float) -> Iterator[Line | Table]:
    """The table that a run of rows makes, what hangs below it as lines; or what its parts between labels make."""
    count = len(run)
    while count and run[count - 1][1].cell_count == 1 and not _is_interleaved(run[:count], em):
        count -= 1  # what stands below the last row is its caption as likely as its end
    table = loose_table([row for row, _ in run[:count]], rules, em) if count >= MIN_LOOSE_ROWS else None
    label = next((at for at, (_, line) in enumerate(run) if line.cell_count == 1 and _is_at_edge(run, line, em)), None)
    if table is not None:
        yield table
        yield from (line for _, line in run[count:])
    elif label is not None:
        yield from _table_or_lines(run[:label], rules, em)
        yield run[label][1]
        yield from _table_or_lines(run[label + 1 :], rules, em)
    else:
        yield from (line for _, line in run)


def _is_interleaved(run: Sequence[Row], em: float) -> bool:
    """Whether cells of the run go on below their row elsewhere too; labels over groups of rows are no such cells."""
    inner = [line for _, line in run[:-1] if line.cell_count > 1 or not _is_at_edge(run, line, em)]
    return any(line.cell_count == 1 and after.cell_count > 1 for line, after in pairwise(inner))


def _cell_lines(cell: Sequence[Piece]) -> list[Line]:
    lines = [line_of([(piece.box, piece.fragment) for piece in row]) for row in rows_of(cell)]
    for line in lines:
        line.glyphs.text = line.glyphs.text.replace("\t", " ")
    return lines


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Cut a region where the distance, the type size or the weight changes, or a first line is indented."""
    if not lines:
        return []
    steps = sorted(
        after.bottom - before.bottom
        for before, after in pairwise(lines)
        if 0 < after.bottom - before.bottom < 2.2 * before.size
    )
    pitch = steps[len(steps) // 2] if steps else 0.0
    edge = sorted(line.left for line in lines)[len(lines) // 4]
    blocks = [[lines[0]]]
    for before, after in pairwise(lines):
        if _starts_block(before, after, pitch, edge):
            blocks.append([])
        blocks[-1].append(after)
    return blocks


def _starts_block(before: Line, after: Line, pitch: float, edge: float) -> bool:
    step = after.bottom - before.bottom
    usual = max(pitch, before.size * 1.05) * BLOCK_PITCH
    larger, smaller = max(before.size, after.size), min(before.size, after.size)
    if step > usual or larger > smaller * SIZE_STEP or before.bold != after.bold:
        return True
    if before.cell_count > 1 or after.cell_count > 1:
        return (before.cell_count > 1) != (after.cell_count > 1)
    indented = INDENT_EM * after.size < after.left - edge < 4 * after.size
    return indented and before.left - edge < INDENT_EM * before.size / 2
