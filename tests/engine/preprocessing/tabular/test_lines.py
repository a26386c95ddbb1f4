"""Rows become lines; a small table gives a record for each, a large one packs them, and each row keeps its number."""

from __future__ import annotations

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.preprocessing.tabular.lines import SMALL_CELLS, SMALL_ROWS, Table, is_small, write_rows
from trisynapse_memory.preprocessing.tabular.rows import Row
from trisynapse_memory.types import Modality, Page, PageVerdict

SMALL = Table(("name", "mass", "note"), small=True)
LARGE = Table(("name", "mass", "note"), small=False)


def told(rows, table, heading_rows=0):
    text, sections = write_rows(rows, table, heading_rows)
    return [(text[one.start : one.end], one.locator.row, one.locator.headers) for one in sections], sections


def test_each_row_of_a_small_table_is_a_section_with_its_headers():
    rows = [Row(1, ("name", "mass", "note")), Row(2, ("Tin", "118", "soft")), Row(4, ("Lead", "207", ""))]
    found, sections = told(rows, SMALL, heading_rows=1)
    assert found == [
        ("name | mass | note", 1, ()),
        ("Tin | 118 | soft", 2, ("name", "mass", "note")),
        ("Lead | 207", 4, ("name", "mass")),  # facts are read with as many names as there are cells
    ]
    assert [one.kind for one in sections] == ["margin", "table", "table"]
    assert sections[1].fields == {"headers": "name | mass | note"}
    assert {one.modality for one in sections[1:]} == {Modality.TABLE}


def test_a_cell_with_a_bar_in_it_tells_no_names_to_those_who_split_at_bars():
    found, _ = told([Row(2, ("a|b", "1", "2"))], SMALL)
    assert found == [("a|b | 1 | 2", 2, ())]


def test_rows_of_a_large_table_are_packed_and_every_chunk_knows_its_first_row():
    rows = [Row(number, (f"Station {number}", str(number * 3), "ok")) for number in range(2, 402)]
    del rows[100]  # row 102 is blank
    text, sections = write_rows(rows, LARGE)
    assert [(one.locator.row, one.modality) for one in sections] == [
        (2, Modality.STRUCTURED),
        (103, Modality.STRUCTURED),
    ]
    page = Page(number=1, text=text, verdict=PageVerdict.OK)
    chunks = chunk_page(page, sections, lambda texts: [2 + len(one) // 3 for one in texts], Config())
    assert 5 < len(chunks) < 100
    for chunk in chunks:
        assert chunk.text.startswith(f"Station {chunk.locator.row} |")
        assert chunk.fields["headers"] == "name | mass | note"


def test_a_wide_row_is_cut_between_cells_and_each_piece_says_whose_it_is():
    names = tuple(f"measurement number {number}" for number in range(100))
    table = Table(names, small=True)
    text, sections = write_rows([Row(7, ("Tin", *(str(number) for number in range(1, 100))))], table)
    assert len(sections) > 2
    assert {one.locator.row for one in sections} == {7}
    assert "row" not in sections[0].fields
    assert all(one.fields["row"] == "Tin" for one in sections[1:])
    assert " | ".join(one.fields["headers"] for one in sections) == " | ".join(names)
    assert all(one.locator.headers == () for one in sections[1:])
    assert " | ".join(text[one.start : one.end] for one in sections) == text


def test_blank_rows_say_nothing():
    assert write_rows([Row(1, ()), Row(2, ("", " "))], SMALL) == ("", ())


@pytest.mark.parametrize(
    ("rows", "cells", "small"),
    [(SMALL_ROWS, SMALL_CELLS, True), (SMALL_ROWS + 1, 1, False), (1, SMALL_CELLS + 1, False)],
)
def test_how_many_records_a_table_makes(rows, cells, small):
    assert is_small(rows, cells) is small
