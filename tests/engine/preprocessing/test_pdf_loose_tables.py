"""Tables that few rules show, or none: groups of rows, words in a cell, lists in a cell, one row below names."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from tests.engine.preprocessing.test_pdf_tables import fill, read, tables_of


def test_a_line_over_a_group_of_rows_parts_no_table(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    rows = [
        ["", "", "Hours", "Rate", "Cost"], ["Parts", "", "", "", "2,100"], ["Labor", "", "2", "150", "300"],
        ["Supplies"], ["", "Paint", "", "", "60"], ["", "Body", "", "", "30"], ["Tax", "", "", "10.20%", "278.46"],
    ]  # fmt: skip
    fill(page, rows, 72, 100, (80, 14))
    ((found, section),) = tables_of(document, tmp_path)
    assert found == [
        ["", "", "Hours", "Rate", "Cost"], ["Parts", "", "", "", "2,100"], ["Labor", "", "2", "150", "300"],
        ["Supplies"], ["", "Paint", "", "", "60"], ["", "Body", "", "", "30"], ["Tax", "", "", "10.20%", "278.46"],
    ]  # fmt: skip
    assert section.locator is not None
    assert section.locator.headers == ("", "", "Hours", "Rate", "Cost")


def test_a_heading_between_two_tables_is_in_neither(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    first = [["Code", "Stock", "Sold"], ["A-1", "450", "12"], ["A-2", "31", "7"]]
    second = [["Month", "Shows", "Gross"], ["May", "48", "125"], ["June", "12", "90"]]
    fill(page, first, 72, 100, (120, 14))
    page.insert_text((72, 164), "Totals of the year", fontsize=12)
    fill(page, second, 72, 184, (120, 14))
    assert [found for found, _ in tables_of(document, tmp_path)] == [first, second]
    assert "Totals of the year" in read(document, tmp_path)[0].text.splitlines()


def test_words_that_only_a_blank_parts_stay_in_one_cell(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    rows = [[f"row {number}", "x", str(number), str(number * 7)] for number in range(1, 9)]
    fill(page, rows, 72, 100, (70, 14))
    fill(page, [["Note", "Minor rear bumper repair"]], 72, 212, (70, 14))
    ((found, _),) = tables_of(document, tmp_path)
    assert found == [*rows, ["Note", "Minor rear bumper repair"]]


def test_one_row_below_names_may_be_mostly_words(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    rows = [["Name", "Place", "Region", "Dates", "Share"], ["Sarah", "Metro", "NORTH", "12/20/24 - 12/31/24", "all"]]
    fill(page, rows, 60, 100, (100, 14))
    assert tables_of(document, tmp_path) == [], "too few figures for two rows that nothing else shows to be a table"
    document = pymupdf.open()
    rows[1][-1] = "100%"
    fill(document.new_page(), rows, 60, 100, (100, 14))
    ((found, section),) = tables_of(document, tmp_path)
    assert found == rows
    assert section.fields["headers"] == "Name | Place | Region | Dates | Share"


def test_a_list_within_a_cell_is_no_rows(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for height in (100, 120, 190, 210):
        page.draw_line((72, height), (372, height))
    for place in (72, 222, 372):
        page.draw_line((place, 100), (place, 210))
    fill(page, [["Column A", "Column B"]], 78, 114, (150, 0))
    entries = [
        ["This is a list:", "Another list:"],
        *[[f"\u2022 A {word}", f"\u2022 B {word}"] for word in ("x", "y", "z")],
    ]
    font = pymupdf.Font("helv")
    for row, texts in enumerate(entries):
        for column, text in enumerate(texts):
            writer = pymupdf.TextWriter(page.rect)
            writer.append((78 + 150 * column, 134 + 14 * row), text, font=font, fontsize=10)
            writer.write_text(page)
    fill(page, [["last", "row"]], 78, 204, (150, 0))
    ((found, _),) = tables_of(document, tmp_path)
    assert found == [
        ["Column A", "Column B"],
        ["This is a list: \u2022 A x \u2022 A y \u2022 A z", "Another list: \u2022 B x \u2022 B y \u2022 B z"],
        ["last", "row"],
    ]
