"""Cells with spans in, rows and headers out."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.office.grids import Cell, column_names, grid_block, header_count, spread
from trisynapse_memory.types import Locator


def test_a_cell_stands_wherever_it_reaches():
    rows = [[Cell("a", rows=3), Cell("b", columns=2)], [Cell("c"), Cell("d", rows=2)], [Cell("e")]]
    assert spread(rows) == [["a", "b", "b"], ["a", "c", "d"], ["a", "e", "d"]]


def test_rows_are_made_equally_long():
    assert spread([[Cell("a")], [Cell("b"), Cell("c")]]) == [["a", ""], ["b", "c"]]


def test_a_cell_from_above_may_lie_behind_the_last_cell_of_a_row():
    assert spread([[Cell("a"), Cell("b"), Cell("c", rows=2)], [Cell("d")]]) == [["a", "b", "c"], ["d", "", "c"]]


def test_spans_that_no_table_has_are_bounded():
    assert len(spread([[Cell("a", columns=10**9, rows=10**9)], [Cell("b")]])[0]) == 1024


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([["Alloy", "mg"], ["A1", "4.2"]], 1),
        ([["", "mg"], ["A1", "4.2"]], 1),
        ([["Year", "2019", "2020"], ["A1", "4.2", "3"]], 1),
        ([["", "Loss", "Loss"], ["", "mg", "%"], ["A1", "4.2", "1"]], 2),
        ([["A1", "4.2"], ["B7", "3.9"]], 0),
        ([["One", "Two"]], 0),
        ([["- an entry", "- another"], ["a", "b"]], 0),
        ([["This is a whole sentence. It goes on", "x"], ["a", "b"]], 0),
        ([["only"], ["one"]], 0),
    ],
)
def test_how_many_rows_are_headers(rows, count):
    assert header_count(rows) == count


def test_what_the_document_marks_wins():
    assert header_count([["1", "2"], ["3", "4"], ["5", "6"]], stated=2) == 2
    assert header_count([["1", "2"], ["3", "4"]], stated=2) == 1


def test_names_join_the_rows_of_a_header_and_say_nothing_twice():
    assert column_names([["", "Loss", "Day"], ["", "mg", "Day"]], 2) == ("", "Loss mg", "Day")


def test_a_block_leaves_out_what_is_blank_and_carries_its_headers():
    block = grid_block([["Alloy", "", "mg"], ["", "", ""], ["A1", "", "4.2"]], locator=Locator(kind="slide", slide=2))
    assert block.text == "Alloy | mg\nA1 | 4.2"
    assert block.headers == "Alloy | mg"
    assert block.locator == Locator(kind="slide", slide=2, headers=("Alloy", "mg"))
    assert grid_block([["", ""]]) is None
