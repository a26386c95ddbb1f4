"""A header is a row of names; a wrong one would say something wrong of every cell."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.tabular.headers import find_header


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["id", "name"], ["1", "Ann"]], ("id", "name")),
        ([["", "2019", "2020"], ["Bonn", "1.5", "2.5"]], ()),  # no word says that these are names
        ([["city", "2019", "2020"], ["Bonn", "1.5", "2.5"]], ("city", "2019", "2020")),
        ([["city", "2019"], ["Bonn", "2019"], ["Oslo", "2020"]], ()),  # years are values here
        ([["1", "2", "3"], ["a", "b", "c"]], ("1", "2", "3")),  # columns are only numbered
        ([["1", "2", "3"], ["4", "5", "6"]], ()),
        ([["Ann", "23"], ["Bo", "24"]], ()),
        ([["a", "a"], ["1", "2"]], ()),  # names differ
        ([["", "height", "width"], ["door", "2", "1"]], ("", "height", "width")),
        ([["2024-01-01", "x"], ["2024-01-02", "y"]], ()),
        ([["name", "mail"]], ()),  # nothing below it
    ],
)
def test_names_are_told_from_values(rows, names):
    assert find_header(rows, len(rows[0])).names == names


def test_what_stands_above_a_header_is_a_note():
    rows = [["# Measured in May"], [], ["Table 3"], ["# id", "mass"], ["1", "2.5"]]
    header = find_header(rows, 2)
    assert (header.names, header.note_count, header.row_count) == (("id", "mass"), 3, 4)
