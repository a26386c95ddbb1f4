"""Feeds of every kind: each entry a link with its title, summary, date, authors, tags; hostile ones cost themselves."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError
from trisynapse_memory.preprocessing.loaders.feed import SUMMARY_MAX_CHARS, FeedLoader

RSS = """<?xml version="1.0" encoding="utf-8"?><!-- made by hand -->
<rss version="2.0"><channel><title>Light &amp; more</title><link>https://example.org/</link>
<item><title>The mirror</title><link>https://example.org/mirror</link>
<description>&lt;p&gt;How &lt;b&gt;Foucault&lt;/b&gt; measured.&lt;/p&gt;&lt;p&gt;In Paris.&lt;/p&gt;</description>
<pubDate>Tue, 02 Jan 2024 03:04:05 +0100</pubDate><category>optics</category><author>L&#233;on</author></item>
<item><title>No link</title><guid isPermaLink="false">urn:1</guid></item>
<item><title>Again</title><link>https://example.org/mirror?utm_source=feed</link></item>
</channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>arXiv query</title>
<entry><id>http://arxiv.org/abs/2005.11401v4</id><title>Retrieval-Augmented
 Generation</title><summary>We explore a recipe.</summary><published>2020-05-22T21:34:34Z</published>
<author><name>Patrick Lewis</name></author><author><name>Ethan Perez</name></author>
<link href="http://arxiv.org/abs/2005.11401v4" rel="alternate" type="text/html"/>
<link title="pdf" href="http://arxiv.org/pdf/2005.11401v4" rel="related"/><category term="cs.CL"/></entry></feed>"""
RDF = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel>
<item rdf:about="https://example.org/a"><title>A</title><link>https://example.org/a</link></item></rdf:RDF>"""
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Notes",
        "items": [
            {
                "id": "1",
                "url": "https://example.org/n1",
                "title": "A note",
                "content_html": "<p>Hello <i>there</i></p>",
                "date_published": "2024-01-02T03:04:05Z",
                "authors": [{"name": "Ann"}],
                "tags": ["x"],
            }
        ],
    }
)


def members(tmp_path: Path, content: str | bytes):
    path = tmp_path / "feed.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    document = FeedLoader().open(path)
    return document.heading.title, list(document.members())


@pytest.mark.parametrize("feed", [RSS, ATOM, RDF, JSON_FEED, "\ufeff" + RSS], ids=["rss", "atom", "rdf", "json", "bom"])
def test_a_feed_is_known_by_how_it_begins(feed):
    assert FeedLoader().suits(feed.encode(), "x") > 0.9


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><body><rss></body></html>",
        b"<?xml version='1.0'?><article><feed/></article>",
        b'{"version": "1.1", "items": []}',
        b"<feed>home made</feed>",
        b"An <rss version='2.0'> is a feed.",
        b"\x00\x01<rss>",
    ],
)
def test_what_only_speaks_of_feeds_is_none(content):
    assert FeedLoader().suits(content, "feed.xml") == 0.0


def test_an_entry_of_rss_is_a_link_with_all_it_says(tmp_path):
    title, found = members(tmp_path, RSS)
    assert title == "Light & more"
    first, without, again = found
    assert (first.url, first.title, first.path, first.tags) == (
        "https://example.org/mirror",
        "The mirror",
        ("Light & more",),
        ("optics",),
    )
    assert first.text == "The mirror\nHow Foucault measured.\nIn Paris."
    assert first.observed_at == datetime(2024, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert first.fields == {"author": "L\u00e9on"}
    assert without.skipped == "no address"
    assert again.duplicate_of == "https://example.org/mirror"


def test_an_entry_of_atom_has_its_authors_and_the_link_of_its_page(tmp_path):
    _, (entry,) = members(tmp_path, ATOM)
    assert (entry.url, entry.title) == ("http://arxiv.org/abs/2005.11401v4", "Retrieval-Augmented Generation")
    assert entry.fields == {"author": "Patrick Lewis, Ethan Perez"}
    assert (entry.observed_at.date().isoformat(), entry.tags) == ("2020-05-22", ("cs.CL",))


def test_rdf_and_json_feeds_are_read_too(tmp_path):
    _, (entry,) = members(tmp_path, RDF)
    assert (entry.url, entry.title) == ("https://example.org/a", "A")
    title, (entry,) = members(tmp_path, JSON_FEED)
    assert (title, entry.url, entry.text) == ("Notes", "https://example.org/n1", "A note\nHello there")
    assert (entry.fields, entry.tags, entry.observed_at.year) == ({"author": "Ann"}, ("x",), 2024)


def test_the_charset_of_the_server_is_used(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_bytes(RSS.replace('encoding="utf-8"', "").replace("The mirror", "Зеркало").encode("cp1251", "replace"))
    (first, *_) = FeedLoader().open(path, charset="windows-1251").members()
    assert first.title == "Зеркало"


def test_a_whole_article_is_cut_to_an_abstract(tmp_path):
    long = "This is a sentence of a long article. " * 200
    _, (entry, *_) = members(tmp_path, RSS.replace("&lt;p&gt;In Paris.&lt;/p&gt;", long))
    assert len(entry.text) <= SUMMARY_MAX_CHARS + 20
    assert entry.text.endswith("article.")


def test_entities_that_a_feed_declares_are_not_expanded(tmp_path):
    bomb = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    text = RSS.replace("<rss", f'<!DOCTYPE rss [<!ENTITY l0 "lol">{bomb}]><rss').replace(
        "The mirror", "The mirror &l8;"
    )
    begun = time.monotonic()
    _, (entry, *_) = members(tmp_path, text)
    assert time.monotonic() - begun < 20
    assert "lollol" not in entry.text


@pytest.mark.parametrize(
    "content",
    [
        b"<rss version='2.0'>",
        b"<rss",
        b'{"version": "https://jsonfeed.org/version/1"',
        b"[1]",
        b"<rss>" * 2000,
        b"plain",
    ],
)
def test_a_damaged_feed_is_named(tmp_path, content):
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(SourceDamagedError, match=r"news\.xml"):
        FeedLoader().open(tmp_path / "f", filename="news.xml")


def test_an_empty_feed_is_named(tmp_path):
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(SourceEmptyError):
        FeedLoader().open(tmp_path / "f", filename="news.xml")


@pytest.mark.parametrize("value", [3, None, [], {}, ["x"], "\ud800"])
def test_odd_values_in_a_json_feed_cost_nothing_else(tmp_path, value):
    odd = {
        "version": "https://jsonfeed.org/version/1",
        "items": [
            {"url": "https://example.org/a", "title": value, "authors": value, "tags": value, "date_published": value},
            value,
        ],
    }
    _, found = members(tmp_path, json.dumps(odd))
    assert found[0].url == "https://example.org/a"
