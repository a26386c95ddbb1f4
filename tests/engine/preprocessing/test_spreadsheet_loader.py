"""A workbook written by hand in, its tables with headers and row numbers out; the odd cases of sheets once each."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import core, odf, relations, rows, xlsx
from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import PasswordNeededError, SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.types import PageVerdict

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.fixture
def read(tmp_path):
    return reader("spreadsheet", ".xlsx", tmp_path)


def place(section):
    locator = section.locator
    return locator.sheet, locator.row, locator.headers


def test_every_row_names_its_sheet_its_number_and_its_headers(read):
    found = read(xlsx({"Loss": rows(["Alloy", "mg"], ["A1", 4.2], ["B7", 3.0])}))
    assert place(found.section("A1")) == ("Loss", 2, ("Alloy", "mg"))
    assert place(found.section("B7")) == ("Loss", 3, ("Alloy", "mg"))
    assert found.section("B7").path == ("Loss",)
    assert found.pages[0].label == "Loss"


def test_values_are_written_as_a_reader_knows_them(read):
    values = [4.0, 0.1 + 0.2, 1e20, True, (45292, 1), (45292.5, 1), "two\nlines", 123456789012]
    found = read(xlsx({"S": rows(["a"] * len(values), values)}))
    assert found.texts[-1] == "4 | 0.3 | 1e+20 | TRUE | 2024-01-01 | 2024-01-01 12:00:00 | two lines | 123456789012"


def test_the_result_of_a_formula_is_read_and_not_the_formula(read):
    cells = '<row r="1"><c r="A1" t="str"><f>CONCAT("a")</f><v>done</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>'
    assert read(xlsx({"S": f"<sheetData>{cells}</sheetData>"})).texts[-1] == "done | 2"


def test_a_title_above_a_table_is_part_of_its_path_and_no_header(read):
    found = read(xlsx({"S": rows(["Loss of alloys"], None, ["Alloy", "mg"], ["A1", 4.2])}))
    assert found.section("A1").path == ("S", "Loss of alloys")
    assert place(found.section("A1")) == ("S", 4, ("Alloy", "mg"))
    attached = read(xlsx({"S": rows(["Loss of alloys"], ["Alloy", "mg"], ["A1", 4.2])}), "attached")
    assert attached.section("A1").path == ("S", "Loss of alloys")
    assert place(attached.section("A1")) == ("S", 3, ("Alloy", "mg"))


def test_blank_rows_part_tables(read):
    found = read(xlsx({"S": rows(["Alloy", "mg"], ["A1", 4.2], None, ["Balance", "error"], ["fine", 0.1])}))
    assert place(found.section("A1"))[2] == ("Alloy", "mg")
    assert place(found.section("fine")) == ("S", 5, ("Balance", "error"))


def test_blank_columns_part_tables_of_different_height(read):
    lines = [["Alloy", "mg", "", "Day", "°C"], ["A1", 4.2, "", "Mon", 20], ["B7", 3, "", "", ""]]
    found = read(xlsx({"S": rows(*lines)}))
    assert place(found.section("A1"))[2] == ("Alloy", "mg")
    assert place(found.section("Mon"))[2] == ("Day", "°C")
    assert "A1 | 4.2" in found.texts


def test_a_blank_column_inside_a_table_parts_nothing(read):
    found = read(xlsx({"S": rows(["Alloy", "mg", "", "Day"], ["A1", 4.2, "", "Mon"])}))
    assert "A1 | 4.2 | Mon" in found.texts
    assert place(found.section("A1"))[2] == ("Alloy", "mg", "Day")


def test_tables_that_touch_at_a_corner_are_two(read):
    found = read(xlsx({"S": rows(["Alloy", "mg"], ["A1", 4.2], ["", "", "Day", "°C"], ["", "", "Mon", 20])}))
    assert place(found.section("Mon")) == ("S", 4, ("Day", "°C"))


def test_a_merged_header_names_all_its_columns(read):
    sheet = rows(["", "Loss", ""], ["", "mg", "percent"], ["A1", 4.2, 1.5])
    found = read(xlsx({"S": sheet + '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>'}))
    assert place(found.section("A1"))[2] == ("", "Loss mg", "Loss percent")


def test_a_merged_label_stands_in_front_of_each_of_its_rows(read):
    sheet = rows(["Group", "Alloy", "mg"], ["old", "A1", 4.2], ["", "B7", 3])
    found = read(xlsx({"S": sheet + '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'}))
    assert "old | B7 | 3" in found.texts


def test_a_form_has_no_header(read):
    found = read(xlsx({"S": rows(["Voltage", ":", "130 kV"], ["Phases", ":", "3"])}))
    assert place(found.section("Phases"))[2] == ()


def test_hidden_sheets_rows_and_columns_are_kept_apart(read):
    sheet = '<cols><col min="2" max="2" hidden="1"/></cols>' + rows(
        ["Alloy", "note", "mg"], ["A1", "obey", 4.2], ["B7", "me", 3]
    ).replace('<row r="3">', '<row r="3" hidden="1">')
    found = read(xlsx({"S": sheet, "Gone": rows(["order", "x"])}, states={"Gone": "veryHidden"}))
    assert "Alloy | mg\nA1 | 4.2" in found.pages[0].text
    assert found.pages[0].hidden_text == "note\nobey\nB7 | me | 3"
    assert found.pages[0].flags == ("hidden-text",)
    assert (found.pages[1].text, found.pages[1].flags) == ("", ("hidden-text", "hidden-sheet"))
    assert "order" in found.pages[1].hidden_text
    assert found.pages[1].verdict is PageVerdict.EMPTY


def test_rows_that_a_filter_hides_are_read(read):
    sheet = rows(["Alloy", "mg"], ["A1", 4.2]).replace('<row r="2">', '<row r="2" hidden="1">')
    filtered = '<autoFilter ref="A1:B2"><filterColumn colId="0"/></autoFilter>'
    (page,) = read(xlsx({"S": sheet + filtered})).pages
    assert "A1 | 4.2" in page.text
    assert page.flags == ("filtered-rows",)


def test_comments_and_boxes_stand_below_the_cells(read):
    people = '<personList xmlns="t"><person id="p1" displayName="Bo Chen"/></personList>'
    thread = '<threadedComment ref="B2" personId="p1"><text>Sure?</text></threadedComment>'
    thread = f'<ThreadedComments xmlns="t">{thread}</ThreadedComments>'
    old = (
        "<comments><authors><author>Ann</author></authors><commentList>"
        '<comment ref="A1" authorId="0"><text><r><t>Name it.</t></r></text></comment>'
        '<comment ref="B2" authorId="0"><text><t>[Threaded comment] Your version cannot read this.</t></text></comment>'
        "</commentList></comments>"
    )
    arrows = relations({"a": ("comments", "../comments1.xml"), "b": ("threadedComment", "../threads/t1.xml")})
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": arrows,
        "xl/comments1.xml": old,
        "xl/threads/t1.xml": thread,
        "xl/persons/person.xml": people,
    }
    found = read(xlsx({"S": rows(["Alloy", "mg"], ["A1", 4.2])}, parts=parts))
    assert found.blocks[-2:] == [
        ("margin", "Ann: Name it."),
        ("margin", "Bo Chen: Sure?"),
    ]
    assert found.section("Sure?").fields == {"note": "comment on B2"}
    assert place(found.section("Sure?")) == ("S", 2, ())


def corner(place):
    """A sheet with a cell at its beginning and one in its last row."""
    last = f'<row r="1048576"><c r="{place}"><v>2</v></c></row>'
    return f'<sheetData><row r="1"><c r="A1"><v>1</v></c></row>{last}</sheetData>'


def test_a_cell_at_the_end_of_the_world_costs_only_its_sheet(read):
    far = corner("XFD1048576")
    found = read(xlsx({"Far": far, "Near": rows(["a", "b"], ["c", 1])}))
    assert [page.verdict for page in found.pages] == [PageVerdict.UNSUPPORTED, PageVerdict.OK]
    assert "span" in found.pages[0].note


def test_a_million_blank_rows_are_no_pages(read):
    found = read(xlsx({"S": corner("A1048576")}))
    assert len(found.pages) == 1
    assert found.sections[-1][1].locator.row == 1_048_576


def test_a_long_sheet_is_cut_into_pages_that_keep_the_headers(read):
    lines = [["Alloy", "mg"], *([f"A{number}", number] for number in range(1, 5001))]
    found = read(xlsx({"S": rows(*lines)}))
    assert len(found.pages) > 1
    assert found.pages[1].label.startswith("S, rows ")
    last = found.sections[-1][1]
    assert last.locator.headers == ("Alloy", "mg")
    words = sum(page.text.count("\n") + 1 for page in found.pages)
    assert words == 5001 + 2  # the rows, the name of the sheet, the blank line below it
    first = next(section for page, section in found.sections if page.number == 2)
    row = found.pages[1].text.split("\n")[0].split(" | ")[1]
    assert first.locator.row == int(row) + 1


def test_what_the_file_states_of_itself(read):
    heading = read(xlsx({"S": rows(["a", "b"], ["c", 1])}, properties=core("Loss of alloys", "Ann Lee"))).heading
    assert (heading.title, heading.authors, heading.published) == ("Loss of alloys", ("Ann Lee",), "2024-02-10")


def test_a_workbook_of_opendocument_is_read_by_the_same_loader(tmp_path):
    def cell(text):
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    number = '<table:table-cell office:value-type="float" office:value="4.2"><text:p>4.20</text:p></table:table-cell>'
    lines = "".join(
        f"<table:table-row>{one}</table:table-row>" for one in (cell("Alloy") + cell("mg"), cell("A1") + number)
    )
    content = odf(
        "spreadsheet",
        f'<table:table table:name="Loss">{lines}</table:table>',
        meta="<dc:title>Loss of alloys</dc:title>",
    )
    found = reader("spreadsheet", ".ods", tmp_path)(content)
    assert place(found.section("A1")) == ("Loss", 2, ("Alloy", "mg"))
    assert found.texts[-1] == "A1 | 4.2"
    assert found.heading.title == "Loss of alloys"
    assert found.heading.media_type == "application/vnd.oasis.opendocument.spreadsheet"


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        ("EncryptedPackage", PasswordNeededError),
        ("WordDocument", SourceUnsupportedError),
        ("Workbook", SourceDamagedError),
    ],
)
def test_what_cannot_be_read_says_why(read, stream, error):
    with pytest.raises(error, match=r"file\.xlsx"):
        read(COMPOUND + b"\0" * 600 + stream.encode("utf-16-le") + b"\0\0" + b"\0" * 600)
