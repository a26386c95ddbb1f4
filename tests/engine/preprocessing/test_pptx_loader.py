"""A presentation written by hand in, its slides as a reader goes through them out."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.engine.preprocessing.office.office_files import A, C, P, R, core, package, pptx, relations, shape, slide
from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.types import Locator, PageVerdict

WIDE = (0, 0, 900, 100)


@pytest.fixture
def read(tmp_path):
    return reader("pptx", ".pptx", tmp_path)


def frame(inner, box=(0, 200, 400, 300)):
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="g"/><p:cNvGraphicFramePr/><p:nvPr/>'
        f'</p:nvGraphicFramePr><p:xfrm><a:off x="{box[0]}" y="{box[1]}"/><a:ext cx="{box[2]}" cy="{box[3]}"/></p:xfrm>'
        f"<a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic></p:graphicFrame>"
    )


def cell(text, more=""):
    return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"


def paragraphs(*lines):
    body = "".join(
        f"<a:p><a:pPr{level}>{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>" for text, mark, level in lines
    )
    return shape("", (0, 200, 400, 300)).replace("<a:p><a:r><a:t></a:t></a:r></a:p>", body)


def test_a_slide_is_a_page_and_its_title_the_heading(read):
    found = read(pptx([slide(shape("Alloys", WIDE, "title")), slide(shape("Loss", WIDE, "title"))]))
    assert [(page.number, page.label) for page in found.pages] == [(1, "Slide 1"), (2, "Slide 2")]
    assert found.blocks == [("heading", "Alloys"), ("heading", "Loss")]
    assert found.section("Loss").locator == Locator(kind="slide", slide=2)


def test_shapes_are_read_from_the_top_and_column_by_column(read):
    shapes = (
        shape("right low", (500, 450, 300, 200))
        + shape("right high", (500, 200, 300, 200))
        + shape("left", (0, 200, 400, 500))
        + shape("foot", (0, 800, 900, 50))
        + shape("The title", (0, 900, 900, 50), "title")
    )
    assert read(pptx([slide(shapes)])).texts == ["The title", "left", "right high", "right low", "foot"]


def test_a_placeholder_lies_where_its_layout_puts_it(read):
    layout = slide(shape("", (0, 100, 900, 100), "subTitle", "1"))
    shapes = shape("below", (0, 500, 900, 100)) + shape("above", None, "subTitle", "1")
    found = read(
        pptx(
            [slide(shapes)],
            arrows={1: {"l": ("slideLayout", "../slideLayouts/l.xml")}},
            parts={"ppt/slideLayouts/l.xml": layout},
        )
    )
    assert found.texts == ["above", "below"]


def test_shapes_in_a_group_lie_where_the_group_puts_them(read):
    group = (
        '<p:grpSp><p:nvGrpSpPr/><p:grpSpPr><a:xfrm><a:off x="0" y="600"/><a:ext cx="100" cy="100"/>'
        '<a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>'
        f"{shape('in the group', (0, 0, 500, 500))}</p:grpSp>"
    )
    assert read(pptx([slide(group + shape("above it", (0, 300, 500, 100)))])).texts == ["above it", "in the group"]


def test_lists_carry_their_marks(read):
    auto = '<a:buAutoNum type="arabicPeriod"/>'
    letters = '<a:buAutoNum type="alphaLcParenR" startAt="3"/>'
    body = paragraphs(
        ("one", auto, ""),
        ("two", auto, ""),
        ("c", letters, ' lvl="1"'),
        ("dot", '<a:buChar char="x"/>', ""),
        ("bare", "", ""),
    )
    assert read(pptx([slide(body)])).texts == ["1. one", "2. two", "  c) c", "- dot", "bare"]


def test_the_lines_of_a_body_are_entries(read):
    found = read(pptx([slide(shape("first\nsecond", WIDE, "body", "1"))]))
    assert found.pages[0].text == "- first\n- second"


def test_a_table_keeps_its_headers_and_merged_cells(read):
    head = cell("Alloy") + cell("Loss", 'gridSpan="2"') + cell("", 'hMerge="1"')
    table = f"<a:tbl><a:tr>{head}</a:tr><a:tr>{cell('A1')}{cell('4.2')}{cell('3.9')}</a:tr></a:tbl>"
    found = read(pptx([slide(frame(table))]))
    assert found.blocks == [("table", "Alloy | Loss | Loss\nA1 | 4.2 | 3.9")]
    assert found.section("A1").locator.headers == ("Alloy", "Loss", "Loss")
    assert found.section("A1").locator.slide == 1


def test_a_chart_is_a_table_of_its_series(read):
    def cache(*points):
        return "".join(f'<c:pt idx="{place}"><c:v>{value}</c:v></c:pt>' for place, value in enumerate(points))

    chart = (
        f"<c:chartSpace {C} {A}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Mass loss</a:t></a:r></a:p></c:rich>"
        f"</c:tx></c:title><c:plotArea><c:ser><c:tx>{cache('mg')}</c:tx><c:cat>{cache('A1', 'B7')}</c:cat>"
        f"<c:val>{cache('4.2000000000000002', '3')}</c:val></c:ser></c:plotArea></c:chart></c:chartSpace>"
    )
    content = pptx(
        [slide(frame(f'<c:chart {C} {R} r:id="c1"/>'))],
        arrows={1: {"c1": ("chart", "../charts/chart1.xml")}},
        parts={"ppt/charts/chart1.xml": chart},
    )
    found = read(content)
    assert found.blocks == [("caption", "Mass loss"), ("table", " | mg\nA1 | 4.2\nB7 | 3")]
    assert found.section("A1").locator.headers == ("", "mg")


def test_a_diagram_gives_the_words_of_its_nodes(read):
    space = 'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    points = "".join(
        f'<d:pt type="{kind}"><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>'
        for kind, text in (("node", "weigh"), ("parTrans", "x"), ("node", "dry"))
    )
    content = pptx(
        [slide(frame(f'<d:relIds {space} {R} r:dm="d1"/>'))],
        arrows={1: {"d1": ("diagramData", "../diagrams/data1.xml")}},
        parts={"ppt/diagrams/data1.xml": f"<d:dataModel {space} {A}>{points}</d:dataModel>"},
    )
    assert read(content).texts == ["weigh\ndry"]


def test_speaker_notes_come_last_and_say_what_they_are(read):
    notes = slide(shape("1", None, "sldNum", "2") + shape("Thank Bo.", None, "body", "1"))
    content = pptx(
        [slide(shape("Loss", WIDE, "title"))],
        arrows={1: {"n": ("notesSlide", "../notesSlides/n.xml")}},
        parts={"ppt/notesSlides/n.xml": notes},
    )
    found = read(content)
    assert found.texts == ["Loss", "Thank Bo."]
    assert found.section("Thank").fields == {"note": "speaker notes"}


def test_comments_on_a_slide_are_margins(read):
    old = f'<p:cmLst {P}><p:cm authorId="0" dt="2024-02-09T08:00:00"><p:text>Sure?</p:text></p:cm></p:cmLst>'
    body = "<x:txBody><a:p><a:r><a:t>Yes.</a:t></a:r></a:p></x:txBody>"
    new = f'<x:cmLst xmlns:x="x" {A}><x:cm authorId="g" created="2024-02-10T08:00:00">{body}</x:cm></x:cmLst>'
    content = pptx(
        [slide(shape("Loss", WIDE, "title"))],
        arrows={1: {"a": ("comments", "../comments/a.xml"), "b": ("comments", "../comments/b.xml")}},
        parts={
            "ppt/comments/a.xml": old,
            "ppt/comments/b.xml": new,
            "ppt/commentAuthors.xml": f'<p:cmAuthorLst {P}><p:cmAuthor id="0" name="Bo Chen"/></p:cmAuthorLst>',
        },
    )
    assert read(content).blocks[1:] == [("margin", "Bo Chen, 2024-02-09: Sure?"), ("margin", "2024-02-10: Yes.")]


def test_a_hidden_slide_is_read_and_says_that_it_is_hidden(read):
    (page,) = read(pptx([slide(shape("Spare", WIDE, "title"), 'show="0"')])).pages
    assert (page.text, page.flags) == ("Spare", ("hidden-slide",))
    assert "hidden" in page.note


def test_a_hidden_shape_is_not_read_and_a_footer_is_a_margin(read):
    ghost = shape("ghost", WIDE).replace('name="x"', 'name="x" hidden="1"')
    found = read(pptx([slide(ghost + shape("Oslo", None, "ftr", "3") + shape("Words", (0, 300, 9, 9)))]))
    assert found.blocks == [("body", "Words"), ("margin", "Oslo")]


def test_a_slide_without_words_says_how_many_pictures_it_has(read):
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="3" name="p"/></p:nvPicPr><p:spPr/></p:pic>'
    (page,) = read(pptx([slide(picture * 2)])).pages
    assert (page.verdict, page.note) == (PageVerdict.IMAGE_ONLY, "2 pictures, not read")


def test_a_broken_slide_costs_only_itself(read):
    found = read(pptx(["<p:sld", slide(shape("Whole", WIDE))]))
    assert [page.verdict for page in found.pages] == [PageVerdict.DAMAGED, PageVerdict.OK]


def test_slides_come_in_the_order_of_the_show_not_of_their_names(read):
    content = pptx([slide(shape("first file", WIDE)), slide(shape("second file", WIDE))])
    swapped = relations({"s1": ("slide", "slides/slide2.xml"), "s2": ("slide", "slides/slide1.xml")})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert read(package({**parts, "ppt/_rels/presentation.xml.rels": swapped})).texts == ["second file", "first file"]
    bare = package({**parts, "ppt/_rels/presentation.xml.rels": "<x/>"})
    assert read(bare, "bare").texts == ["first file", "second file"]


def test_what_the_file_states_of_itself(read):
    heading = read(
        pptx([slide(shape("Shown title", WIDE, "title"))], properties=core("PowerPoint Presentation", "Ann Lee"))
    ).heading
    assert (heading.title, heading.authors, heading.published) == ("Shown title", ("Ann Lee",), "2024-02-10")


def test_a_presentation_without_slides_is_damaged(read):
    with pytest.raises(SourceDamagedError, match=r"file\.pptx"):
        read(pptx([]))


def test_a_presentation_of_before_2007_is_refused_with_what_to_do(read):
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "PowerPoint Document".encode("utf-16-le") + b"\0\0"
    with pytest.raises(SourceUnsupportedError) as caught:
        read(raw)
    assert ".pptx" in caught.value.hint
