"""A passage's text in, its lines out, with where they stand and whether a gap parts them. No fact is made here.

Lists, forms and tables say with line ends what prose says with grammar; a line that directly follows another may be its
rest, one behind an empty line is not.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A line that is not empty: ``text`` is ``passage.text[start:end]`` without the space at its edges.

    ``place`` counts such lines from 0; ``is_apart`` tells whether an empty line, or nothing, stands above.
    """

    place: int
    start: int
    end: int
    text: str
    is_apart: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """What tabs part, each on one line; a single cell for a line without any."""
        return tuple(" ".join(cell.split()) for cell in self.text.split("\t"))


def rows_of(text: str) -> list[Row]:
    """Return the lines of a text that are not empty, in order."""
    rows: list[Row] = []
    position, is_apart = 0, True
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            start = position + line.index(stripped[0])
            rows.append(Row(len(rows), start, start + len(stripped), stripped, is_apart))
        is_apart = not stripped
        position += len(line)
    return rows
