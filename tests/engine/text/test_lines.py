"""The place of a stretch goes with the line breaks above it."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.lines import narrowed
from trisynapse_memory.types import Locator

TEXT = "one\ntwo\nthree\nfour"


@pytest.mark.parametrize(
    ("words", "row", "lines"),
    [("one", 7, (10, 10)), ("two\nthree", 8, (11, 12)), ("four", 10, (13, 13)), (TEXT, 7, (10, 13))],
)
def test_rows_and_lines_are_those_of_the_stretch(words, row, lines):
    start = TEXT.index(words)
    end = start + len(words)
    assert narrowed(Locator(kind="row", row=7, headers=("a",)), TEXT, start, end) == Locator(
        kind="row", row=row, headers=("a",)
    )
    found = narrowed(Locator(kind="symbol", symbol="f", start_line=10, end_line=13), TEXT, start, end)
    assert (found.start_line, found.end_line, found.symbol) == (*lines, "f")


def test_other_places_stay():
    place = Locator(kind="cell", cell=3)
    assert narrowed(place, TEXT, 4, 7) is place
