"""An OpenDocument text or presentation written by hand in, what a reader of it sees out."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import ODF, odf
from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import PasswordNeededError, SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.types import Locator, Modality, PageVerdict

HIDDEN = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
LISTS = (
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
    'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" '
    'text:display-levels="2"/></text:list-style>'
)


@pytest.fixture
def read(tmp_path):
    return reader("odf", ".odt", tmp_path)


def p(text, style=""):
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def cell(text, more=""):
    return f"<table:table-cell {more}>{p(text)}</table:table-cell>"


def row(*cells):
    return f"<table:table-row>{''.join(one if one.startswith('<') else cell(one) for one in cells)}</table:table-row>"


def entry(*parts):
    return f"<text:list-item>{''.join(parts)}</text:list-item>"


def listing(*entries, style="L"):
    return f'<text:list text:style-name="{style}">{"".join(entries)}</text:list>'


def test_headings_by_their_level_below_the_title(read):
    titles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    body = p("The report", "P1") + '<text:h text:outline-level="1">One</text:h>' + p("Words.")
    found = read(odf("text", body, automatic=titles, styles='<style:style style:name="Title"/>'))
    assert found.blocks == [("heading", "The report"), ("heading", "One"), ("body", "Words.")]
    assert found.section("Words.").path == ("The report", "One")
    assert found.heading.title == "The report"


def test_white_space_is_what_the_elements_say(read):
    body = p("a\n   b<text:s text:c='2'/>c<text:tab/>d<text:line-break/>e<text:soft-page-break/>f")
    assert read(odf("text", body)).texts == ["a b c\td\nef"]


def test_lists_are_numbered_as_their_styles_say(read):
    inner = f"<text:list>{entry(p('x'))}{entry(p('y'))}</text:list>"
    body = listing(entry(p("a"), inner), entry(p("b"))) + p("between")
    again = listing(entry(p("c"))).replace("<text:list ", '<text:list text:continue-numbering="true" ')
    found = read(odf("text", body + again + listing(entry(p("dot")), style="none"), automatic=LISTS))
    assert found.texts == ["1. a", "  1.a) x", "  1.b) y", "2. b", "between", "3. c", "- dot"]


def test_deleted_text_is_not_read_and_hidden_text_is_kept_apart(read):
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion>" + p("gone") + "</text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        + p('Seen <text:span text:style-name="H">obey</text:span>too.')
        + '<text:section text:display="none">' + p("whole section") + "</text:section>"
    )  # fmt: skip
    found = read(odf("text", body, automatic=HIDDEN))
    assert found.texts == ["Seen too."]
    assert found.hidden == "obey\nwhole section"
    assert found.pages[0].flags == ("hidden-text",)


def test_notes_follow_their_paragraph_and_comments_and_footers_are_margins(read):
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        + p("By whom.") + "</text:note-body></text:note>"
    )  # fmt: skip
    comment = (
        "<office:annotation><dc:creator>Bo</dc:creator><dc:date>2024-02-09T1</dc:date>"
        + p("Sure?")
        + "</office:annotation>"
    )
    masters = "<style:master-page><style:footer>" + p("Draft") + "</style:footer></style:master-page>"
    found = read(odf("text", p(f"Told{note}{comment}.") + p("After."), masters=masters))
    assert found.blocks == [
        ("body", "Told."),
        ("body", "[1] By whom."),
        ("body", "After."),
        ("margin", "Bo, 2024-02-09: Sure?"),
        ("margin", "Draft"),
    ]


def test_a_table_with_repeated_and_merged_cells(read):
    table = (
        "<table:table><table:table-header-rows>" + row("Alloy", "Loss") + "</table:table-header-rows>"
        + row("A1", "4.2")
        + row(cell("both", 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>")
        + row('<table:table-cell table:number-columns-repeated="2"><text:p>same</text:p></table:table-cell>')
        + '<table:table-row table:number-rows-repeated="1048576"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )  # fmt: skip
    found = read(odf("text", table))
    assert found.blocks == [("table", "Alloy | Loss\nA1 | 4.2\nboth | both\nsame | same")]
    assert found.section("A1").locator.headers == ("Alloy", "Loss")
    assert found.section("A1").modality is Modality.TABLE


def test_a_text_box_a_formula_and_a_chart_are_read_where_they_are_anchored(read):
    def frame(inner):
        return f"<draw:frame>{inner}</draw:frame>"

    chart_table = "<table:table>" + row("", "mg") + row("A1", "4.2") + "</table:table>"
    parts = {
        "Object 1/content.xml": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>',
        "Object 2/content.xml": odf_part(
            f"<chart:chart><chart:title>{p('Loss')}</chart:title>{chart_table}</chart:chart>"
        ),
    }
    body = (
        p("Box" + frame("<draw:text-box>" + p("in it") + "</draw:text-box>"))
        + p("Formula" + frame('<draw:object xlink:href="./Object 1"/><draw:image/>'))
        + p("Chart" + frame('<draw:object xlink:href="./Object 2"/>'))
    )
    found = read(odf("text", body, parts=parts))
    assert found.texts == ["Box", "in it", "Formula", "a/b", "Chart", "Loss", " | mg\nA1 | 4.2"]


def odf_part(inner):
    body = f"<office:body><office:chart>{inner}</office:chart></office:body>"
    return f"<office:document-content {ODF}>{body}</office:document-content>"


def test_an_index_is_a_margin(read):
    index = (
        "<text:table-of-content><text:index-body>"
        + p("One 1")
        + p("Two 2")
        + "</text:index-body></text:table-of-content>"
    )
    assert read(odf("text", index + p("Words."))).blocks == [("margin", "One 1\nTwo 2"), ("body", "Words.")]


def test_raised_digits_behind_digits_are_a_power(read):
    raised = '<style:style style:name="R"><style:text-properties style:text-position="super 58%"/></style:style>'
    body = p('10<text:span text:style-name="R">-4</text:span> m<text:span text:style-name="R">2</text:span>')
    assert read(odf("text", body, automatic=raised)).texts == ["10^-4 m2"]


def test_what_the_file_states_of_itself(read):
    meta = "<dc:title>Alloys</dc:title><meta:initial-creator>Ann Lee</meta:initial-creator>"
    meta += "<meta:keyword>zinc</meta:keyword><meta:keyword>tin; lead</meta:keyword>"
    meta += "<dc:date>2024-02-10T09:00:00.123456789</dc:date>"
    heading = read(odf("text", p("Alloys"), meta=meta)).heading
    assert (heading.title, heading.authors, heading.published) == ("Alloys", ("Ann Lee",), "2024-02-10")
    assert heading.tags == ("zinc", "tin", "lead")


def test_a_slide_is_a_page_read_from_its_title_down(tmp_path):
    def frame(text, x, y, more=""):
        box = f'svg:x="{x}cm" svg:y="{y}cm" svg:width="10cm" svg:height="2cm"'
        return f"<draw:frame {box} {more}><draw:text-box>{p(text)}</draw:text-box></draw:frame>"

    notes = (
        '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box>'
        + p("Thank Bo.")
        + "</draw:text-box></draw:frame></presentation:notes>"
    )
    hidden = (
        '<style:style style:name="D"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    first = (
        frame("low", 1, 9)
        + frame("right", 15, 4)
        + frame("left", 1, 4)
        + frame("Loss", 1, 12, 'presentation:class="title"')
    )
    body = f'<draw:page>{first}{notes}</draw:page><draw:page draw:style-name="D">{frame("Spare", 1, 1)}</draw:page>'
    found = reader("odf", ".odp", tmp_path)(odf("presentation", body, automatic=hidden))
    assert found.texts == ["Loss", "left", "right", "low", "Thank Bo.", "Spare"]
    assert [(page.label, page.flags) for page in found.pages] == [("Slide 1", ()), ("Slide 2", ("hidden-slide",))]
    assert found.section("left").locator == Locator(kind="slide", slide=1)
    assert found.section("Thank").fields == {"note": "speaker notes"}
    assert found.heading.title == "Loss"


def test_an_encrypted_file_asks_for_an_open_copy(read):
    manifest = '<m:manifest xmlns:m="x"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    with pytest.raises(PasswordNeededError, match=r"file\.odt"):
        read(odf("text", p("x"), parts={"META-INF/manifest.xml": manifest}))


def test_what_breaks_off_is_read_so_far_and_told(read):
    found = read(odf("text", "", parts={"content.xml": odf_cut()}))
    assert found.texts == ["First."]
    assert [page.verdict for page in found.pages] == [PageVerdict.OK, PageVerdict.DAMAGED]


def odf_cut():
    return f"<office:document-content {ODF}><office:body><office:text>{p('First.')}<text:p>"


@pytest.mark.parametrize(("content", "error"), [("<x/>", SourceDamagedError), ("", SourceDamagedError)])
def test_a_file_without_a_body_is_damaged(read, content, error):
    with pytest.raises(error, match=r"file\.odt"):
        read(odf("text", "", parts={"content.xml": content}))


def test_a_workbook_is_not_read_as_a_text(read):
    with pytest.raises(SourceUnsupportedError):
        read(odf("spreadsheet", "<table:table/>"))
