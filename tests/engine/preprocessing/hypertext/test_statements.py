"""What a page says of itself: for machines first, then in its marks."""

from __future__ import annotations

from trisynapse_memory.preprocessing.loaders.html import HtmlLoader


def opened(tmp_path, html, name="page.html", **more):
    path = tmp_path / name
    path.write_bytes(html.encode() if isinstance(html, str) else html)
    return HtmlLoader().open(path, **more)


def body(inner, head=""):
    return f"<html><head><title>T</title>{head}</head><body>{inner}</body></html>"


HEAD = """<meta name="citation_title" content="On swallows"><meta name="citation_author" content="Lee, Ann">
<meta name="citation_author" content="Bo Ek"><meta name="citation_publication_date" content="2021/03/04">
<meta name="citation_doi" content="https://doi.org/10.1000/ABC.1"><meta name="citation_arxiv_id" content="2005.11401v2">
<meta name="citation_issn" content="1234-5679"><link rel="canonical" href="https://a.example/x">"""


def test_what_a_paper_states_for_machines_is_its_heading(tmp_path):
    heading = opened(tmp_path, body("<p>A page about swallows. They fly.</p>", HEAD)).heading
    assert (heading.title, heading.authors, heading.published) == ("On swallows", ("Ann Lee", "Bo Ek"), "2021-03-04")
    assert heading.identifiers == {
        "doi": "10.1000/abc.1",
        "arxiv": "2005.11401",
        "issn": "1234-5679",
        "url": "https://a.example/x",
    }


def test_linked_data_and_marks_are_read_where_the_head_says_nothing(tmp_path):
    data = (
        '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type": ["NewsArticle"], '
        '"headline": "Told", "author": [{"name": "Ann Lee"}, {"name": "Bo Ek"}], '
        '"datePublished": "2020-05-06T01:00Z"}]}'
        "</script><script type='application/ld+json'>{broken</script>"
    )
    heading = opened(tmp_path, body("<p>A page about swallows. They fly.</p>", data)).heading
    assert (heading.title, heading.authors, heading.published) == ("Told", ("Ann Lee", "Bo Ek"), "2020-05-06")
    signed = body(
        '<p class="byline">By Ann Lee</p><time itemprop=datePublished datetime="2019">x</time><p>It flew.</p>'
    )
    heading = opened(tmp_path, signed).heading
    assert (heading.authors, heading.published) == (("Ann Lee",), "2019")
    assert opened(tmp_path, body('<p class="author">Username</p><p>Words of it.</p>')).heading.authors == ()
