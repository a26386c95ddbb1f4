"""What she types becomes an address or a search at arXiv; what a feed says of its rhythm is heard."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from trisynapse_memory.errors import InvalidInputError, SourceDamagedError
from trisynapse_memory.preprocessing.web.feeds import (
    LONGEST_PAUSE_S,
    pause_asked,
    read_address,
    refuse_arxiv_error,
    refuse_no_feed,
)

# As export.arxiv.org answers a search it cannot read (user manual, section 3.4).
ARXIV_ERROR = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">ArXiv Query: search_query=ti:(</title>
<entry><id>http://arxiv.org/api/errors#malformed_query</id><title>Error</title>
<summary>malformed query: ti:(</summary><author><name>arXiv api core</name></author></entry></feed>"""


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://example.org/feed.xml", "https://example.org/feed.xml"),
        ("  http://example.org/rss?x=1 ", "http://example.org/rss?x=1"),
        ("feed://example.org/rss", "https://example.org/rss"),
        ("feed:https://example.org/rss", "https://example.org/rss"),
        ("example.org/feed", "https://example.org/feed"),
        ("blog.example.co.uk", "https://blog.example.co.uk"),
    ],
)
def test_an_address_is_asked_as_it_stands(typed, url):
    assert read_address(typed, 100) == (url, "")


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("cat:cs.CL AND abs:retrieval", "cat:cs.CL AND abs:retrieval"),
        ("cat:cs.CL", "cat:cs.CL"),
        ("sparse  retrieval", "all:sparse AND all:retrieval"),
        ('"speed of light" mirror', 'all:"speed of light" AND all:mirror'),
    ],
)
def test_words_are_a_search_at_arxiv_newest_first(typed, asked):
    url, query = read_address(typed, 40)
    parts = urlsplit(url)
    assert (parts.scheme, parts.hostname, parts.path) == ("https", "export.arxiv.org", "/api/query")
    assert parse_qs(parts.query) == {
        "search_query": [asked],
        "sortBy": ["submittedDate"],
        "sortOrder": ["descending"],
        "start": ["0"],
        "max_results": ["40"],
    }
    assert query == " ".join(typed.split())


def test_an_address_of_the_interface_tells_its_search():
    url = "http://export.arxiv.org/api/query?search_query=au:del_maestro"
    assert read_address(url, 40) == (url, "au:del_maestro")


@pytest.mark.parametrize("typed", ["", "  ", "ftp://example.org/feed", "file:///etc/passwd"])
def test_what_is_neither_is_refused(typed):
    with pytest.raises(InvalidInputError):
        read_address(typed, 40)


@pytest.mark.parametrize(
    ("content", "seconds"),
    [
        (b"<rss><channel><ttl>90</ttl></channel></rss>", 5400.0),
        (b"<rss><channel><ttl> 999999 </ttl></channel></rss>", LONGEST_PAUSE_S),
        (b"<sy:updatePeriod>weekly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>", 302_400.0),
        (b"<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>", 86_400.0),
        (b"<sy:updatePeriod>sometimes</sy:updatePeriod>", 0.0),
        (b"<feed/>", 0.0),
    ],
)
def test_a_feed_says_how_long_it_may_be_left_alone(content, seconds):
    assert pause_asked(content) == seconds


def test_a_page_is_no_feed_but_may_offer_some():
    page = b"""<!DOCTYPE html><html><head><link rel="alternate" type="application/rss+xml" href="/rss.xml">
<link rel=stylesheet type="text/css" href="/a.css"><link rel="alternate" hreflang="de" href="/de"></head></html>"""
    with pytest.raises(SourceDamagedError, match="a page, not a feed") as caught:
        refuse_no_feed(page, "https://example.org/blog/")
    assert caught.value.hint == "It offers these feeds: https://example.org/rss.xml."
    with pytest.raises(SourceDamagedError, match="something that is no feed"):
        refuse_no_feed(b"\x00\x01", "https://example.org/")


def test_what_arxiv_says_of_a_search_it_cannot_read_is_repeated():
    with pytest.raises(SourceDamagedError, match=r"did not understand the search: malformed query: ti:\(\."):
        refuse_arxiv_error(ARXIV_ERROR)
    refuse_arxiv_error(b"<feed><entry><id>http://arxiv.org/abs/2005.11401v4</id></entry></feed>")
