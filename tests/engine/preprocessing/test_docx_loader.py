"""A Word document written by hand in, what a reader of it sees out; each odd case of the format once."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import (
    STRICT_W,
    W,
    cell,
    core,
    docx,
    p,
    package,
    relations,
    style,
    table,
    types,
)
from tests.engine.preprocessing.office.reading import reader
from trisynapse_memory.errors import PasswordNeededError, SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.types import Modality, PageVerdict

HEADINGS = style("berschrift1", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>') + style("Titre2", "Titre 2")
LISTS = (
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>'
    "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    "</w:lvlOverride></w:num>"
)


@pytest.fixture
def read(tmp_path):
    return reader("docx", ".docx", tmp_path)


def entry(text, list_id=1, level=0):
    return p(text, more=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def run(inner):
    return f"<w:p><w:r>{inner}</w:r></w:p>"


def test_headings_are_known_by_outline_level_and_by_names_of_any_language(read):
    found = read(docx(p("One", "berschrift1") + p("Two", "Titre2") + p("Words."), styles=HEADINGS))
    assert found.blocks == [("heading", "One"), ("heading", "Two"), ("body", "Words.")]
    assert found.section("Words.").path == ("One", "Two")


def test_a_title_stands_above_the_chapters(read):
    body = p("The report", "T") + p("One", "berschrift1") + p("Words.")
    found = read(docx(body, styles=HEADINGS + style("T", "Title")))
    assert found.section("Words.").path == ("The report", "One")
    assert found.heading.title == "The report"


def test_an_outline_level_of_the_paragraph_itself_makes_a_heading(read):
    found = read(docx(p("Plain", more='<w:outlineLvl w:val="0"/>') + p("Body", more='<w:outlineLvl w:val="9"/>')))
    assert found.blocks == [("heading", "Plain"), ("body", "Body")]


def test_lists_are_numbered_as_word_shows_them(read):
    body = entry("a") + entry("b") + entry("c", level=1) + entry("d", level=1) + p("between") + entry("e")
    found = read(docx(body + entry("x", 2) + entry("f", 3), numbering=LISTS))
    assert found.texts == ["1. a", "2. b", "  2.a) c", "  2.b) d", "between", "3. e", "- x", "5. f"]


def test_a_numbered_heading_keeps_its_number(read):
    numbered = style(
        "H", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    )
    found = read(docx(p("First", "H") + p("Second", "H"), styles=numbered, numbering=LISTS))
    assert found.texts == ["1. First", "2. Second"]


def test_the_level_that_names_a_style_wins_over_the_style(read):
    numbering = LISTS.replace(
        '<w:numFmt w:val="lowerLetter"/>', '<w:pStyle w:val="H2"/><w:numFmt w:val="lowerLetter"/>'
    )
    in_list = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = style("H1", "heading 1", in_list) + style("H2", "heading 2", in_list)
    assert read(docx(p("One", "H1") + p("Two", "H2"), styles=styles, numbering=numbering)).texts == [
        "1. One",
        "1.a) Two",
    ]


def test_inserted_text_is_read_and_deleted_text_is_not(read):
    body = (
        "<w:p><w:r><w:t>A</w:t></w:r><w:ins><w:r><w:t> new</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText> old</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t> from</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t> to</w:t></w:r></w:moveTo></w:p>"
    )
    assert read(docx(body)).texts == ["A new to"]


def test_hidden_text_is_kept_apart_also_when_a_style_hides_it(read):
    styles = style("Gone", "Gone", "<w:rPr><w:vanish/></w:rPr>") + style("Back", "Back", based_on="Gone")
    body = p("Seen.") + p("Secret one.", run="<w:vanish/>") + p("Secret two.", "Back")
    body += p("Seen too.", "Gone", run='<w:vanish w:val="0"/>')
    found = read(docx(body, styles=styles))
    assert found.texts == ["Seen.", "Seen too."]
    assert found.hidden == "Secret one.\nSecret two."
    assert found.pages[0].flags == ("hidden-text",)


def test_fields_show_their_result_and_never_their_code(read):
    body = (
        '<w:p><w:r><w:t>See </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        "<w:r><w:instrText>IF </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>inner</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        '<w:r><w:t>page 4</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>.</w:t></w:r></w:p>'
    )
    assert read(docx(body)).texts == ["See page 4."]


def test_a_field_may_end_in_a_later_paragraph(read):
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>One 1</w:t></w:r></w:p>'
        '<w:p><w:r><w:t>Two 2</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert read(docx(body)).texts == ["One 1", "Two 2"]


def test_notes_follow_their_paragraph_and_comments_are_margins(read):
    body = (
        '<w:p><w:r><w:t>Told.</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r>'
        '<w:r><w:commentReference w:id="1"/></w:r></w:p>' + p("After.")
    )
    parts = {
        "word/footnotes.xml": f'<w:footnotes {W}><w:footnote w:type="separator" w:id="0">{p("-")}</w:footnote>'
        f'<w:footnote w:id="7">{p("By whom.")}</w:footnote></w:footnotes>',
        "word/comments.xml": f'<w:comments {W}><w:comment w:id="1" w:author="Bo" w:date="2024-02-09T00:00:00Z">'
        f"{p('Sure?')}</w:comment></w:comments>",
    }
    arrows = {"f": ("footnotes", "footnotes.xml"), "k": ("comments", "comments.xml")}
    found = read(docx(body, parts=parts, arrows=arrows))
    assert found.blocks == [
        ("body", "Told."),
        ("body", "[1] By whom."),
        ("body", "After."),
        ("margin", "Bo, 2024-02-09: Sure?"),
    ]
    assert found.section("By whom").fields == {"note": "footnote 1"}


def test_headers_and_footers_are_margins_and_told_once(read):
    body = p("Words.") + '<w:sectPr><w:headerReference r:id="h1"/><w:headerReference r:id="h2"/></w:sectPr>'
    parts = {f"word/header{n}.xml": f"<w:hdr {W}>{p('Draft')}</w:hdr>" for n in (1, 2)}
    found = read(docx(body, parts=parts, arrows={f"h{n}": ("header", f"header{n}.xml") for n in (1, 2)}))
    assert found.blocks == [("margin", "Draft"), ("body", "Words.")]


def test_merged_cells_say_their_words_wherever_they_reach(read):
    wide = cell("Loss", '<w:gridSpan w:val="2"/>')
    high = cell("A", '<w:vMerge w:val="restart"/>')
    body = table(
        f"<w:tr>{cell('')}{wide}</w:tr>",
        ["", "mg", "%"],
        f"<w:tr>{high}{cell('4.2')}{cell('1')}</w:tr>",
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('3.9')}{cell('2')}</w:tr>",
    )
    found = read(docx(body))
    (section,) = [section for _, section in found.sections]
    assert found.texts == [" | Loss | Loss\n | mg | %\nA | 4.2 | 1\nA | 3.9 | 2"]
    assert section.modality is Modality.TABLE
    assert section.locator.headers == ("", "Loss mg", "Loss %")


def test_a_marked_header_row_wins_over_a_guess(read):
    head = f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('2019')}{cell('12.5')}</w:tr>"
    found = read(docx(table(head, ["a", "1"])))
    assert found.section("12.5").locator.headers == ("2019", "12.5")


def test_a_table_in_a_cell_is_read_in_its_place(read):
    inner = table(["X", "Y"], ["1", "2"])
    found = read(docx(table(["Name", "What"], f"<w:tr>{cell('A')}{cell(p('See') + inner)}</w:tr>")))
    assert found.texts == ["Name | What\nA | See X Y 1 2"]


def test_a_frame_of_one_column_is_no_table(read):
    inner = table(["X", "Y"], ["1", "2"])
    found = read(docx(table(f"<w:tr>{cell(p('Before') + inner)}</w:tr>")))
    assert found.blocks == [("body", "Before"), ("table", "X | Y\n1 | 2")]


def test_deleted_rows_are_left_out(read):
    gone = f"<w:tr><w:trPr><w:del/></w:trPr>{cell('x')}{cell('y')}</w:tr>"
    assert read(docx(table(["A", "B"], gone, ["1", "2"]))).texts == ["A | B\n1 | 2"]


def test_a_text_box_is_read_once(read):
    box = f"<w:txbxContent>{p('In the box.')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Anchor.</w:t></w:r><w:r><mc:AlternateContent>"
        f'<mc:Choice Requires="wps"><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert read(docx(body)).texts == ["Anchor.", "In the box."]


def test_content_controls_are_read_and_their_prompts_are_not(read):
    body = (
        f"<w:sdt><w:sdtContent>{p('Filled in.')}</w:sdtContent></w:sdt>"
        f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{p('Click here')}</w:sdtContent></w:sdt>"
    )
    assert read(docx(body)).texts == ["Filled in."]


def test_an_equation_is_one_line_in_its_sentence(read):
    fraction = (
        "<m:oMath><m:r><m:t>v=</m:t></m:r><m:f><m:num><m:r><m:t>s</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>2t</m:t></m:r></m:den></m:f></m:oMath>"
    )
    body = (
        f"<w:p><w:r><w:t>With</w:t></w:r>{fraction}<w:r><w:t>, we go.</w:t></w:r></w:p><w:p>{fraction}{fraction}</w:p>"
    )
    assert read(docx(body)).texts == ["With v=s/(2t), we go.", "v=s/(2t) v=s/(2t)"]


def test_raised_digits_behind_digits_are_a_power(read):
    body = (
        '<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>-4</w:t></w:r>'
        "<w:r><w:t> m</w:t></w:r>"
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r></w:p>'
    )
    assert read(docx(body)).texts == ["10^-4 m2"]


def test_characters_of_symbol_fonts_are_what_a_reader_sees(read):
    body = run(
        '<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0E0"/>'
        '<w:sym w:char="zz"/><w:sym w:char="D800"/>'
    )
    assert read(docx(body)).texts == ["α→•"]


def test_signs_and_breaks_of_a_run(read):
    body = run(
        "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:softHyphen/><w:t>d</w:t><w:br/><w:t>e</w:t>"
    )
    assert read(docx(body)).texts == ["a\tb\u2011cd\ne"]


def test_the_list_of_contents_is_a_margin_and_a_caption_a_caption(read):
    styles = style("V1", "toc 1") + style("B", "caption") + style("K", "HTML Preformatted")
    found = read(docx(p("One 3", "V1") + p("Figure 1", "B") + p("a = 1", "K") + p("b = 2", "K"), styles=styles))
    assert found.blocks == [("margin", "One 3"), ("caption", "Figure 1"), ("body", "a = 1\nb = 2")]
    assert found.section("b = 2").modality is Modality.CODE


def test_what_the_file_states_of_itself(read):
    found = read(docx(p("A study of alloys."), properties=core("A study of alloys", "Ann Lee; Bo Chen")))
    heading = found.heading
    assert (heading.title, heading.authors, heading.published) == (
        "A study of alloys",
        ("Ann Lee", "Bo Chen"),
        "2024-02-10",
    )
    assert found.section("study").observed_at.isoformat() == "2024-02-10T09:00:00+00:00"


@pytest.mark.parametrize("title", ["Microsoft Word - x.doc", "Untitled", "Document1", "report.docx"])
def test_a_title_that_programs_fill_in_is_none(read, title):
    found = read(docx(p("Alloys", "berschrift1"), styles=HEADINGS, properties=core(title, "python-docx")))
    assert (found.heading.title, found.heading.authors) == ("Alloys", ())


def test_a_strict_document_reads_the_same(read):
    assert read(docx(p("Strict words."), space=STRICT_W)).texts == ["Strict words."]


def test_the_main_part_may_have_any_name_and_be_named_absolutely(read):
    content = package(
        {
            "docProps/x.xml": "<x/>",
            "word/document2.xml": f"<w:document {W}><w:body>{p('Found.')}</w:body></w:document>",
            "_rels/.rels": relations({"d": ("officeDocument", "/word/document2.xml")}),
            "[Content_Types].xml": types("word/document2.xml", "x.wordprocessingml.document.main+xml"),
        }
    )
    assert read(content).texts == ["Found."]


def test_missing_parts_and_dangling_arrows_cost_nothing_else(read):
    arrows = {"f": ("footnotes", "gone.xml"), "i": ("image", "NULL"), "c": ("comments", "https://x.example/c.xml")}
    body = '<w:p><w:r><w:t>Here.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    assert read(docx(body, arrows=arrows)).texts == ["Here."]


def test_embedded_documents_are_members_and_wrapped_ones_are_skipped(read):
    inner = docx(p("Inner."))
    parts = {"word/embeddings/a.docx": inner, "word/embeddings/o.bin": b"\xd0\xcf"}
    arrows = {"e": ("package", "embeddings/a.docx"), "o": ("oleObject", "embeddings/o.bin")}
    first, second = read(docx(p("Outer."), parts=parts, arrows=arrows)).members
    assert (first.kind, first.filename, first.content) == ("file", "a.docx", inner)
    assert second.skipped
    assert not second.content


def test_pictures_are_counted_in_the_note_of_the_first_page(read):
    picture = "<w:p><w:r><w:drawing><a:blip/></w:drawing></w:r></w:p>"
    found = read(docx(p("Words.") + picture + picture))
    assert found.pages[0].note == "2 pictures, not read"
    assert found.pages[0].verdict is PageVerdict.OK
    assert read(docx(picture)).pages[0].verdict is PageVerdict.IMAGE_ONLY


def test_a_long_document_is_cut_at_chapters_and_keeps_its_headings(read):
    chapter = p("Chapter", "berschrift1") + p("Section", "Titre2") + p("Long words here. " * 80) * 30
    found = read(docx(chapter * 3, styles=HEADINGS))
    assert len(found.pages) == 3
    assert all(page.text.startswith("Chapter\n\nSection\n\n") for page in found.pages)
    endless = read(docx(p("Chapter", "berschrift1") + p("Long words here. " * 80) * 200, styles=HEADINGS), "endless")
    assert all(len(page.text) <= 70_000 for page in endless.pages)
    assert len(endless.pages) == 5
    assert {section.path for _, section in endless.sections} == {("Chapter",)}


def nested(depth):
    content = p("Core.")
    for _ in range(depth):
        content = f"<w:tbl><w:tr><w:tc>{content}</w:tc><w:tc>{p('x')}</w:tc></w:tr></w:tbl>"
    return docx(p("Before.") + content)


def test_tables_nested_beyond_reason_keep_their_words(read):
    found = read(nested(70))
    assert "Core." in found.pages[0].text
    assert found.pages[0].text.count("x") == 70


def test_what_is_nested_deeper_than_any_document_is_told_as_damage(read):
    found = read(nested(400))
    assert found.texts[0] == "Before."
    assert (found.pages[-1].verdict, found.pages[-1].text) == (PageVerdict.DAMAGED, "")


def test_entities_are_not_expanded(read):
    bomb = (
        '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
    )
    body = f"{bomb}<w:document {W}><w:body><w:p><w:r><w:t>A&b;&x;</w:t></w:r></w:p></w:body></w:document>"
    content = docx(p("x"), parts={"word/document.xml": body})
    assert "aaaa" not in "".join(read(content).texts)
    assert "root:" not in "".join(read(content).texts)


def test_a_body_that_breaks_off_gives_what_was_there(read):
    whole = f"<w:document {W}><w:body>{p('First.')}{p('Second.')}"
    found = read(docx("", parts={"word/document.xml": whole}))
    assert found.texts == ["First.", "Second."]
    assert [page.verdict for page in found.pages] == [PageVerdict.OK, PageVerdict.DAMAGED]
    assert "breaks off" in found.pages[1].note


def test_a_document_without_a_body_is_damaged(read):
    with pytest.raises(SourceDamagedError, match=r"file\.docx"):
        read(docx("", parts={"word/document.xml": "<x/>"}))


def test_an_empty_document_is_one_empty_page(read):
    (page,) = read(docx("")).pages
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, "no words")


def wide(name):
    return name.encode("utf-16-le") + b"\0\0"


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def test_an_encrypted_document_asks_for_an_open_copy(read):
    with pytest.raises(PasswordNeededError, match=r"file\.docx"):
        read(COMPOUND + b"\0" * 2000 + wide("EncryptedPackage"))


def test_a_document_of_before_2007_is_refused_with_what_to_do(read):
    with pytest.raises(SourceUnsupportedError) as caught:
        read(COMPOUND + b"\0" * 2000 + wide("WordDocument"))
    assert ".docx" in caught.value.hint
