"""Tables of PDF pages: rules or none, their cells, their headers, and the place of every word in them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader
from trisynapse_memory.text.geometry import quads_for, unpack_layout
from trisynapse_memory.types import Modality, Page, Section

PROSE = "Rivers remember where they flowed, and banks keep what they carried along."


def read(document: pymupdf.Document, tmp_path: Path) -> tuple[Page, tuple[Section, ...]]:
    document.save(tmp_path / "x.pdf")
    opened = PdfLoader().open(tmp_path / "x.pdf")
    page = next(opened.pages(1))
    opened.close()
    return page


def tables_of(document: pymupdf.Document, tmp_path: Path) -> list[tuple[list[list[str]], Section]]:
    page, sections = read(document, tmp_path)
    return [(cells(page, section), section) for section in sections if section.kind == "table"]


def cells(page: Page, section: Section) -> list[list[str]]:
    return [line.split(" | ") for line in page.text[section.start : section.end].split("\n")]


def fill(page: pymupdf.Page, rows: Sequence[Sequence[str]], left: float, top: float, step: tuple[float, float]) -> None:
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            if text:
                page.insert_text((left + column * step[0], top + row * step[1]), text, fontsize=10)


def ruled(rows: Sequence[Sequence[str]], rotation: int = 0) -> pymupdf.Document:
    """A grid of cells of 100 x 20 points whose corner lies at (72, 100)."""
    document = pymupdf.open()
    page = document.new_page()
    width, height = len(rows[0]), len(rows)
    for row in range(height + 1):
        page.draw_line((72, 100 + 20 * row), (72 + 100 * width, 100 + 20 * row))
    for column in range(width + 1):
        page.draw_line((72 + 100 * column, 100), (72 + 100 * column, 100 + 20 * height))
    fill(page, rows, 78, 114, (100, 20))
    page.set_rotation(rotation)
    return document


RIVERS = [["River", "Length", "Mouth"], ["Elbe", "1094", "North Sea"], ["Oder", "840", ""], ["Isar", "292", "Danube"]]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_ruled_table_keeps_its_cells_its_headers_and_its_place(rotation: int, tmp_path: Path):
    page, sections = read(ruled(RIVERS, rotation), tmp_path)
    (section,) = [section for section in sections if section.kind == "table"]
    assert page.text[section.start : section.end].split("\n") == [
        "River | Length | Mouth", "Elbe | 1094 | North Sea", "Oder | 840", "Isar | 292 | Danube",
    ]  # fmt: skip
    assert section.modality is Modality.TABLE
    assert section.fields["headers"] == "River | Length | Mouth"
    assert section.locator is not None
    assert section.locator.kind == "region"
    assert section.locator.headers == ("River", "Length", "Mouth")
    assert section.locator.rect == pytest.approx((78, 104, 325, 178), abs=8)


def test_every_word_of_a_table_has_its_own_place_and_the_bars_have_none(tmp_path: Path):
    page, _ = read(ruled(RIVERS), tmp_path)
    layout = unpack_layout(page.layout)
    words = [page.text[start:end] for start, end in zip(layout.starts, layout.ends, strict=True)]
    assert "|" not in words
    assert len(words) == 12
    start = page.text.index("Danube")
    (quad,) = quads_for(page.layout, start, start + 6)
    assert quad[0] == pytest.approx(278, abs=1)
    assert 160 < quad[1] < 180


def test_a_bar_that_is_drawn_has_a_place(tmp_path: Path):
    page, _ = read(ruled([["a", "b"], ["c | d", "1"], ["e", "2"]]), tmp_path)
    layout = unpack_layout(page.layout)
    assert [page.text[s:e] for s, e in zip(layout.starts, layout.ends, strict=True)].count("|") == 1


def test_rows_between_three_rules_are_a_table_and_headers_over_several_columns_go_to_each(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for height in (100, 136, 200):
        page.draw_line((72, height), (372, height))
    page.insert_text((185, 114), "German rivers all", fontsize=10)
    fill(page, [["Name", "Long", "Deep", "Wide"]], 78, 130, (75, 0))
    fill(
        page, [["Elbe", "1094", "6", "300"], ["Oder", "840", "4", "200"], ["Isar", "292", "2", "90"]], 78, 154, (75, 18)
    )
    ((rows, section),) = tables_of(document, tmp_path)
    assert rows[2:] == [["Elbe", "1094", "6", "300"], ["Oder", "840", "4", "200"], ["Isar", "292", "2", "90"]]
    headers = section.fields["headers"].split(" | ")
    assert [header.split()[-1] for header in headers] == ["Name", "Long", "Deep", "Wide"]
    assert "German rivers" in headers[2]


def test_figures_in_columns_are_a_table_without_any_rule(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE, fontsize=10)
    rows = [["Code", "Stock", "Sold"], ["A-1", "450", "12"], ["A-2", "", "7"], ["B-9", "80", "31"], ["C-3", "9", ""]]
    fill(page, rows, 72, 100, (120, 14))
    page.insert_text((72, 200), PROSE, fontsize=10)
    ((found, section),) = tables_of(document, tmp_path)
    assert found == [
        ["Code", "Stock", "Sold"],
        ["A-1", "450", "12"],
        ["A-2", "", "7"],
        ["B-9", "80", "31"],
        ["C-3", "9"],
    ]
    assert section.fields["headers"] == "Code | Stock | Sold"


def test_text_that_wraps_in_a_cell_stays_one_row(tmp_path: Path):
    document = ruled([["Key", "Meaning"], ["", ""], ["b", "second"]])
    page = document[0]
    page.insert_text((78, 127), "a", fontsize=8)
    page.insert_text((178, 127), "first in the", fontsize=8)
    page.insert_text((178, 137), "alphabet", fontsize=8)
    ((rows, _),) = tables_of(document, tmp_path)
    assert rows == [["Key", "Meaning"], ["a", "first in the alphabet"], ["b", "second"]]


def test_rows_without_rules_of_their_own_inside_a_frame_are_told_apart(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for height in (100, 120, 200):
        page.draw_line((72, height), (372, height))
    for place in (72, 172, 272, 372):
        page.draw_line((place, 100), (place, 200))
    fill(page, RIVERS[:1], 78, 114, (100, 0))
    fill(page, [*RIVERS[1:], ["Ruhr", "219", "Rhine"]], 78, 136, (100, 18))
    ((rows, section),) = tables_of(document, tmp_path)
    assert [row[0] for row in rows] == ["River", "Elbe", "Oder", "Isar", "Ruhr"]
    assert section.fields["headers"] == "River | Length | Mouth"


def test_a_first_row_that_holds_a_value_names_no_column(tmp_path: Path):
    ((_, section),) = tables_of(ruled([["Name:", "Ada"], ["Born:", "1815"], ["Died:", "1852"]]), tmp_path)
    assert "headers" not in section.fields
    ((_, section),) = tables_of(ruled([["id", "A2SUAM1"], ["votes", "5"], ["stars", "4"]]), tmp_path)
    assert "headers" not in section.fields


@pytest.mark.parametrize("place", [94, 196])
def test_a_table_knows_its_caption_above_or_below(place: int, tmp_path: Path):
    document = ruled(RIVERS)
    document[0].insert_text((72, place), "Table 3: Rivers and where they end.", fontsize=9)
    _, sections = read(document, tmp_path)
    table = next(section for section in sections if section.kind == "table")
    caption = next(section for section in sections if section.kind == "caption")
    assert table.fields["caption"] == "Table 3: Rivers and where they end."
    assert table.locator is not None
    assert caption.locator is not None
    assert caption.locator.rect == table.locator.rect
    assert caption.locator.caption == table.locator.caption == "Table 3: Rivers and where they end."


def test_two_columns_of_prose_between_two_rules_are_no_table(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    page.draw_line((60, 80), (540, 80))
    page.draw_line((60, 380), (540, 380))
    for row in range(18):
        page.insert_text((60, 100 + 14 * row), "The left column goes on and on here.", fontsize=10)
        page.insert_text((320, 100 + 14 * row), "The right column has its own words.", fontsize=10)
    assert tables_of(document, tmp_path) == []


def test_the_labels_of_a_plot_are_no_table(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for row in range(6):
        page.insert_text((72, 100 + 12 * row), str(100 - 20 * row), fontsize=9)
        page.insert_text((300, 100 + 12 * row), str(60 - 10 * row), fontsize=9)
        page.insert_text((500, 100 + 12 * row), str(30 - 5 * row), fontsize=9)
    for start in (90, 320):
        page.draw_bezier((start, 160), (start + 60, 60), (start + 120, 200), (start + 170, 100))
        page.draw_bezier((start, 150), (start + 60, 80), (start + 120, 180), (start + 170, 90))
    assert tables_of(document, tmp_path) == []


def test_a_listing_in_a_box_is_no_table(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for height in (80, 130, 190):
        page.draw_line((60, height), (540, height))
    for row, line in enumerate(
        ("Claim = they are both rock bands", "Question = Is Superdrag a band", "Answer = Yes it is")
    ):
        page.insert_text((72, 95 + 14 * row), line, fontsize=10, fontname="cour")
        page.insert_text((72, 145 + 14 * row), line, fontsize=10, fontname="cour")
    assert tables_of(document, tmp_path) == []


def test_a_table_in_a_column_stands_where_it_is_read(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for row in range(24):
        if not 8 <= row < 14:
            page.insert_text((60, 100 + 14 * row), f"Line {row} of the left column of text.", fontsize=10)
        page.insert_text((320, 100 + 14 * row), f"Line {row} of the right column of text.", fontsize=10)
    for height in (206, 222, 278):
        page.draw_line((60, height), (260, height))
    fill(page, [["Name", "Size"], ["one", "11"], ["two", "22"], ["three", "33"]], 66, 218, (120, 18))
    read_page, _ = read(document, tmp_path)
    text = read_page.text
    order = ["Line 7 of the left", "Name | Size", "three | 33", "Line 14 of the left", "Line 0 of the right"]
    assert [text.index(mark) for mark in order] == sorted(text.index(mark) for mark in order)


def test_a_page_full_of_rules_is_read_in_time(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    shape = page.new_shape()
    for index in range(1_400):
        shape.draw_line((50, 50 + index / 2), (550, 50 + index / 2))
        shape.draw_line((50 + index / 3, 50), (50 + index / 3, 750))
    shape.finish()
    shape.commit()
    page.insert_text((72, 100), PROSE)
    started = time.perf_counter()
    read_page, _ = read(document, tmp_path)
    assert time.perf_counter() - started < 20
    assert read_page.text == PROSE


def test_on_a_cropped_page_rules_words_and_rectangle_are_told_from_its_corner(tmp_path: Path):
    document = ruled(RIVERS)
    document[0].set_cropbox(pymupdf.Rect(40, 60, 560, 800))
    ((rows, section),) = tables_of(document, tmp_path)
    assert rows[1] == ["Elbe", "1094", "North Sea"]
    assert section.locator is not None
    assert section.locator.rect == pytest.approx((38, 44, 285, 118), abs=8)


def test_a_table_set_sideways_on_an_upright_page_is_read_along_its_own_direction(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for place in range(5):
        page.draw_line((100 + 20 * place, 400), (100 + 20 * place, 100))
    for place in range(4):
        page.draw_line((100, 400 - 100 * place), (180, 400 - 100 * place))
    for row, texts in enumerate(RIVERS):
        for column, text in enumerate(texts):
            if text:
                page.insert_text((114 + 20 * row, 394 - 100 * column), text, fontsize=10, rotate=90)
    ((rows, section),) = tables_of(document, tmp_path)
    assert rows == [
        ["River", "Length", "Mouth"],
        ["Elbe", "1094", "North Sea"],
        ["Oder", "840"],
        ["Isar", "292", "Danube"],
    ]
    assert section.locator is not None
    assert section.locator.rect == pytest.approx((104, 147, 178, 394), abs=8)


def test_a_ledger_without_rules_keeps_what_its_rows_go_on_with(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    rows = [
        ["No", "Paid to", "Amount"],
        ["A-1", "Rail", "920.68"],
        ["", "Berlin to Bonn", ""],
        ["A-2", "Hotel", "80.00"],
        ["", "two nights", ""],
        ["A-3", "Rail", "12.50"],
        ["", "Bonn to Berlin", ""],
        ["A-4", "Tram", "3.10"],
    ]
    fill(page, rows, 72, 100, (110, 13))
    ((found, _),) = tables_of(document, tmp_path)
    assert found == [
        ["No", "Paid to", "Amount"], ["A-1", "Rail Berlin to Bonn", "920.68"], ["A-2", "Hotel two nights", "80.00"],
        ["A-3", "Rail Bonn to Berlin", "12.50"], ["A-4", "Tram", "3.10"],
    ]  # fmt: skip


def test_names_that_do_not_stand_in_rows_above_rows_that_do(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for height in (100, 136, 200):
        page.draw_line((72, height), (372, height))
    page.insert_text((235, 112), "Accuracy", fontsize=10)
    page.insert_text((78, 121), "Model", fontsize=10)
    fill(page, [["", "Test Set", "Hard Set"]], 78, 131, (110, 0))
    fill(
        page,
        [["Longformer", "39.5", "35.3"], ["DeBERTa", "55.4", "46.1"], ["CoLISA", "62.3", "54.7"]],
        78,
        154,
        (110, 18),
    )
    ((_, section),) = tables_of(document, tmp_path)
    assert section.fields["headers"] == "Model | Accuracy Test Set | Accuracy Hard Set"


def test_the_title_row_of_a_table_names_no_column(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for row in range(5):
        page.draw_line((72, 100 + 20 * row), (372, 100 + 20 * row))
    for column in range(4):
        page.draw_line((72 + 100 * column, 100 if column in (0, 3) else 120), (72 + 100 * column, 180))
    page.insert_text((78, 114), "Performance of all rivers", fontsize=10)
    fill(page, RIVERS[:3], 78, 134, (100, 20))
    ((rows, section),) = tables_of(document, tmp_path)
    assert rows[0] == ["Performance of all rivers"]
    assert section.fields["headers"] == "River | Length | Mouth"


def test_of_two_tables_with_a_caption_between_the_page_tells_whose_it_is(tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for top in (100, 210):
        for height in (top, top + 20, top + 80):
            page.draw_line((72, height), (372, height))
        fill(page, RIVERS, 78, top + 14, (100, 20))
        page.insert_text((72, top + 104), f"Table {top}: The rivers of {top}.", fontsize=9)
    found = [section.fields["caption"] for _, section in tables_of(document, tmp_path)]
    assert found == ["Table 100: The rivers of 100.", "Table 210: The rivers of 210."]
