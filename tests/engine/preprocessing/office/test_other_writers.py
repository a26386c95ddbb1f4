"""Files written by the libraries of the field in, our reading of them out: it says what was written."""

from __future__ import annotations

import io

import pytest

from tests.engine.preprocessing.office.reading import reader


def saved(document):
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def test_a_document_of_python_docx(tmp_path):
    library = pytest.importorskip("docx")
    document = library.Document()
    document.core_properties.title, document.core_properties.author = "Water use", "Ann Lee"
    document.add_heading("Water use", 0)
    document.add_heading("Methods", 1)
    document.add_paragraph("Samples were weighed.")
    document.add_paragraph("fine", style="List Bullet")
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    table = document.add_table(rows=2, cols=3)
    for place, (name, value) in enumerate((("Alloy", "A1"), ("mg", "4.2"), ("days", "30"))):
        table.cell(0, place).text, table.cell(1, place).text = name, value
    document.sections[0].header.paragraphs[0].text = "Draft"
    document.add_comment(document.paragraphs[2].runs, "Sure?", "Bo")
    found = reader("docx", ".docx", tmp_path)(saved(document))
    assert found.blocks[:-1] == [
        ("margin", "Draft"),
        ("heading", "Water use"),
        ("heading", "Methods"),
        ("body", "Samples were weighed."),
        ("body", "- fine"),
        ("body", "1. first"),
        ("body", "2. second"),
        ("table", "Alloy | mg | days\nA1 | 4.2 | 30"),
    ]
    assert found.texts[-1].startswith("Bo")
    assert found.texts[-1].endswith(": Sure?")
    assert (found.heading.title, found.heading.authors) == ("Water use", ("Ann Lee",))


def test_a_presentation_of_python_pptx(tmp_path):
    library = pytest.importorskip("pptx")
    chart_data = pytest.importorskip("pptx.chart.data").CategoryChartData()
    kind = pytest.importorskip("pptx.enum.chart").XL_CHART_TYPE.COLUMN_CLUSTERED
    show = library.Presentation()
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Water use"
    first.placeholders[1].text = "weigh\ndry"
    first.notes_slide.notes_text_frame.text = "Thank Bo."
    second = show.slides.add_slide(show.slide_layouts[3])
    second.shapes.title.text = "Two columns"
    second.placeholders[1].text, second.placeholders[2].text = "left", "right"
    third = show.slides.add_slide(show.slide_layouts[5])
    third.shapes.title.text = "Loss"
    chart_data.categories = ["A1", "B7"]
    chart_data.add_series("mg", (4.2, 3.9))
    third.shapes.add_chart(kind, 0, 1_000_000, 4_000_000, 3_000_000, chart_data)
    found = reader("pptx", ".pptx", tmp_path)(saved(show))
    assert found.texts == [
        "Water use", "- weigh", "- dry", "Thank Bo.", "Two columns", "left", "right", "Loss",
        " | mg\nA1 | 4.2\nB7 | 3.9",
    ]  # fmt: skip
    assert found.members == []  # the workbook behind a chart is the chart


def test_a_text_of_odfdo(tmp_path):
    library = pytest.importorskip("odfdo")
    document = library.Document("text")
    document.body.clear()
    document.body.append(library.Header(1, "Methods"))
    document.body.append(library.Paragraph("Samples were weighed."))
    table = library.Table("T")
    table.set_values([["Alloy", "mg"], ["A1", 4.2]])
    document.body.append(table)
    found = reader("odf", ".odt", tmp_path)(saved(document))
    assert [kind for kind, _ in found.blocks] == ["heading", "body", "table"]
    assert found.texts[0].endswith("Methods")
    assert found.texts[1:] == ["Samples were weighed.", "Alloy | mg\nA1 | 4.2"]


def test_a_book_of_ebooklib(tmp_path):
    library = pytest.importorskip("ebooklib.epub")
    book = library.EpubBook()
    book.set_identifier("urn:isbn:9780306406157")
    book.set_title("Weighing")
    book.add_author("Ann Lee")
    chapters = [library.EpubHtml(title=f"Chapter {number}", file_name=f"c{number}.xhtml") for number in (1, 2)]
    for number, chapter in enumerate(chapters, 1):
        chapter.content = f"<html><body><p>Words {number}.</p></body></html>"
        book.add_item(chapter)
    book.toc = ((library.Section("Part one"), chapters),)
    book.add_item(library.EpubNcx())
    book.add_item(library.EpubNav())
    book.spine = ["nav", *chapters]
    path = tmp_path / "written.epub"
    library.write_epub(str(path), book)
    found = reader("epub", ".epub", tmp_path)(path.read_bytes())
    assert [page.label for page in found.pages] == ["", "Chapter 1", "Chapter 2"]
    assert found.section("Words 2.").path == ("Part one", "Chapter 2")
    assert (found.heading.title, found.heading.identifiers) == ("Weighing", {"isbn": "9780306406157"})
