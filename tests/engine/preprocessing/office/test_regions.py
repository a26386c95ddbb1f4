"""Tables of a sheet: what one blank column parts and what it does not, and how far a name reaches."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_memory.preprocessing.office.regions import Region, find_regions
from trisynapse_memory.preprocessing.tabular.rows import Row


def regions(*lines: Sequence[str]) -> list[Region]:
    return find_regions([Row(number, tuple(line)) for number, line in enumerate(lines, start=1)])


def texts(region: Region) -> list[tuple[str, ...]]:
    return [row.cells for row in region.shaped(region.rows)]


FORM = (
    ("Power",),
    ("1", "", "Voltage", "kV", ":", "130"),
    ("2", "", "Frequency", "Hz", ":", "50"),
    ("Location",),
    ("3", "", "Place", "", ":", "Indoor"),
)


def test_the_rows_of_a_form_stay_whole_although_headings_make_one_part_of_it_higher():
    (form,) = regions(*FORM)
    assert texts(form) == [
        ("Power", "", "", "", ""),
        ("1", "Voltage", "kV", ":", "130"),
        ("2", "Frequency", "Hz", ":", "50"),
        ("Location", "", "", "", ""),
        ("3", "Place", "", ":", "Indoor"),
    ]
    assert form.names == ()


def test_a_list_that_goes_on_below_the_table_beside_it_is_none_of_its_columns():
    found = regions(("Ann", "", "Year", "Sum"), ("Bob", "", "2019", "5"), ("Cy",), ("Di",))
    assert [texts(one) for one in found] == [
        [("Ann",), ("Bob",), ("Cy",), ("Di",)],
        [("Year", "Sum"), ("2019", "5")],
    ]


def test_a_table_of_two_columns_that_goes_on_below_the_one_beside_it_is_its_own():
    found = regions(("A", "B", "", "Year", "Sum"), ("1", "2", "", "2019", "5"), ("3", "4"), ("5", "6"))
    assert [one.columns for one in found] == [(0, 1), (3, 4)]


def test_a_name_reaches_over_the_merged_cells_below_it():
    (table,) = regions(("Package", "", "", "Document", "", "Rev"), ("131", "131", "131", "144", "144", "A"))
    assert table.names == ("Package", "Package", "Package", "Document", "Document", "Rev")
    assert table.header_row == 1


def test_a_column_without_a_name_that_says_something_of_its_own_takes_none():
    (table,) = regions(("Package", "", "Document", "Rev"), ("131", "7", "144", "A"), ("132", "132", "145", "B"))
    assert "Package" not in table.names[1:]
