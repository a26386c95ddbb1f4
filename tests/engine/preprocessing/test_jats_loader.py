"""Articles in JATS and NLM XML: who wrote them, what they say and where, and what their references name."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError
from trisynapse_memory.preprocessing.loaders.jats import JatsLoader
from trisynapse_memory.types import Modality, PageVerdict

META = (
    "<article-id pub-id-type='doi'>10.1000/X.1</article-id><title-group><article-title>T</article-title></title-group>"
)


def article(body="", meta=META, back="", attributes="article-type='research-article'", lead=""):
    return (
        f"<?xml version='1.0'?>{lead}<article {attributes} xmlns:mml='http://www.w3.org/1998/Math/MathML'>"
        f"<front><article-meta>{meta}</article-meta></front><body>{body}</body><back>{back}</back></article>"
    )


def opened(tmp_path, xml, name="a.nxml"):
    path = tmp_path / name
    path.write_bytes(xml.encode() if isinstance(xml, str) else xml)
    return JatsLoader().open(path)


def text(tmp_path, *parts, **more):
    ((page, _),) = opened(tmp_path, article(*parts, **more)).pages(1)
    return page.text


def sections(tmp_path, *parts, **more):
    ((page, found),) = opened(tmp_path, article(*parts, **more)).pages(1)
    return [(page.text[one.start : one.end], one) for one in found]


@pytest.mark.parametrize(
    ("head", "name", "sure"),
    [
        (article().encode(), "a.xml", 0.95),
        (b"<pmc-articleset><article article-type='x'><front><article-meta>", "a.xml", 0.95),
        (b"<article><p>Of a shop.</p></article>", "a.xml", 0.0),
        (b"<!doctype html><html><body><article>", "a.html", 0.0),
        (b"words about <article> <front> article-type=", "a.txt", 0.0),
    ],
)
def test_only_articles_with_the_marks_of_jats_suit(head, name, sure):
    assert JatsLoader().suits(head, name) == sure


def test_the_heading_says_who_wrote_what_and_when(tmp_path):
    meta = (
        "<article-id pub-id-type='pmid'>123</article-id><article-id pub-id-type='doi'>https://doi.org/10.1000/X.1</article-id>"
        "<title-group><article-title>On <italic>birds</italic></article-title></title-group><contrib-group>"
        "<contrib contrib-type='author'><name><surname>Lee</surname><given-names>Ann B.</given-names></name></contrib>"
        "<contrib contrib-type='author'><collab>The Bird Group</collab></contrib>"
        "<contrib contrib-type='editor'><name><surname>Ruler</surname></name></contrib></contrib-group>"
        "<pub-date pub-type='collection'><year>2020</year></pub-date>"
        "<pub-date pub-type='ppub'><month>Feb</month><day>3</day><year>2021</year></pub-date>"
    )
    heading = opened(tmp_path, article(meta=meta)).heading
    assert (heading.title, heading.authors) == ("On birds", ("Ann B. Lee", "The Bird Group"))
    assert (heading.published, heading.media_type) == ("2021-02-03", "application/jats+xml")
    assert heading.identifiers == {"doi": "10.1000/x.1", "pmid": "123"}


def test_text_before_inside_and_behind_a_list_of_a_paragraph_stays_in_order(tmp_path):
    body = "<sec><title>A</title><p>Before<list><list-item><p>one</p></list-item></list>behind.</p></sec>"
    assert text(tmp_path, body) == "T\n\nA\n\nBefore\n\n- one\n\nbehind."


def test_sections_nest_and_text_knows_its_path(tmp_path):
    body = "<sec><title>A</title><sec><label>1.</label><title>B</title><p>Words.</p></sec></sec>"
    assert sections(tmp_path, body)[-1][1].path == ("T", "A", "1. B")


def test_a_table_has_its_caption_headers_and_notes(tmp_path):
    body = (
        "<table-wrap><label>Table 2</label><caption><p>Yields.</p></caption><table><thead><tr>"
        "<th rowspan='2'>Place</th><th colspan='2'>Year</th></tr><tr><th>2019</th><th>2020</th></tr></thead>"
        "<tbody><tr><td>North</td><td>3<sup>a</sup></td><td>5</td></tr></tbody></table><table-wrap-foot><fn><label>a</label><p>Late.</p></fn>"
        "</table-wrap-foot></table-wrap>"
    )
    found = sections(tmp_path, body)
    assert [(words, one.kind) for words, one in found[1:]] == [
        ("Table 2. Yields.", "caption"),
        ("Place | Year | Year\nPlace | 2019 | 2020\nNorth | 3a | 5", "table"),
        ("a Late.", "body"),
    ]
    assert found[2][1].fields == {"headers": "Place | Year 2019 | Year 2020"}
    assert found[2][1].modality is Modality.TABLE


def test_formulas_are_written_as_tex_or_read_aloud(tmp_path):
    body = (
        r"<p>It is <inline-formula><tex-math>\begin{document}$x^2$\end{document}</tex-math></inline-formula>.</p>"
        "<disp-formula><label>(3)</label><mml:math><mml:msub><mml:mi>a</mml:mi><mml:mi>i</mml:mi></mml:msub></mml:math>"
        "</disp-formula>"
    )
    assert text(tmp_path, body) == "T\n\nIt is $x^2$.\n\na_i (3)"


def test_a_raised_mark_of_a_reference_is_none_of_the_word_before_it(tmp_path):
    marks = "<xref ref-type='bibr' rid='r1'>1</xref>,<xref ref-type='bibr' rid='r2'>2</xref>"
    body = f"<p>Old<sup>{marks}</sup> m<sup>2</sup></p>"
    assert text(tmp_path, body) == "T\n\nOld [1,2] m2"


def test_references_are_entries_with_their_identifiers(tmp_path):
    back = (
        "<ref-list><ref><label>[1]</label><mixed-citation><name><surname>Rao</surname>"
        "<given-names>RU</given-names></name> Birds. Nature; 1951."
        "<pub-id pub-id-type='doi'>10.1000/b</pub-id></mixed-citation></ref><ref><element-citation>"
        "<name><surname>Ek</surname><given-names>B</given-names></name><article-title>Barns.</article-title>"
        "<year>2019</year><volume>7</volume><fpage>1</fpage><lpage>9</lpage></element-citation></ref></ref-list>"
    )
    found = sections(tmp_path, back=back)
    assert [words for words, _ in found[1:]] == [
        "References",
        "1. Rao RU Birds. Nature; 1951. 10.1000/b",
        "- Ek B. Barns. 2019; 7: 1-9.",
    ]
    assert found[2][1].fields == {"doi": "10.1000/b"}


def test_what_serves_machines_is_no_text(tmp_path):
    meta = f"{META}<permissions><license><p>Free.</p></license></permissions><counts><fig-count count='3'/></counts>"
    assert text(tmp_path, "<p>Words.<object-id>x</object-id></p>", meta=meta) == "T\n\nWords."


def test_entities_are_not_expanded_and_nothing_is_fetched(tmp_path):
    bomb = "<!DOCTYPE article [<!ENTITY a 'xxxxxxxxxx'><!ENTITY b '&a;&a;&a;'><!ENTITY c SYSTEM 'file:///etc/passwd'>]>"
    found = text(tmp_path, "<p>Before &b;&c; behind.</p>", lead=bomb)
    assert "xxx" not in found
    assert "root" not in found
    assert "behind." in found


def test_an_article_nested_very_deep_costs_only_its_depth(tmp_path):
    body = "<sec>" * 150 + "<p>Deep.</p>" + "</sec>" * 150
    assert "Deep." in text(tmp_path, body)
    assert list(opened(tmp_path, article("<sec>" * 3000 + "<p>Deep.</p>")).pages(1))


def test_a_cut_article_is_read_as_far_as_it_goes(tmp_path):
    whole = article("<p>First words of it.</p><p>Later words of it.</p>")
    document = opened(tmp_path, whole[: whole.index("Later") + 5])
    (page, _), (missing, none) = document.pages(1)
    assert page.verdict is PageVerdict.OK
    assert "First words of it." in page.text
    assert (missing.verdict, missing.text, none) == (PageVerdict.DAMAGED, "", ())
    assert "breaks off" in missing.note


@pytest.mark.parametrize(("content", "error"), [(b"", SourceEmptyError), (b"<x><y/></x>", SourceDamagedError)])
def test_what_is_no_article_is_refused(tmp_path, content, error):
    with pytest.raises(error):
        opened(tmp_path, content)
