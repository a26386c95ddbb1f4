"""Followed feeds: one consent, and each entry a source once, whatever becomes of it in the feed."""

from __future__ import annotations

import pytest

from tests.engine.pipelines.feed_cases import URL, again, entry, followed, open_vault, rss, site, titles
from tests.web_site import Page
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.types import FeedStatus, Namespace, SourceStatus

__all__ = ["open_vault", "site"]  # fixtures

# As export.arxiv.org sends it (user manual, section 3.3), shortened.
ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
 xmlns:arxiv="http://arxiv.org/schemas/atom">
  <link href="http://arxiv.org/api/query?search_query=cat:cs.CL" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=cat:cs.CL&amp;id_list=&amp;start=0&amp;max_results=100</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id><updated>2026-12-01T00:00:00-05:00</updated>
  <opensearch:totalResults>1</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2005.11401v{version}</id>
    <published>2020-05-22T21:34:34Z</published><updated>2021-04-12T15:42:18Z</updated>
    <title>Retrieval-Augmented Generation for
  Knowledge-Intensive NLP Tasks</title>
    <summary>  Large pre-trained models store {what}.
</summary>
    <author><name>Patrick Lewis</name></author><author><name>Ethan Perez</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/XYZ.1</arxiv:doi>
    <link href="http://arxiv.org/abs/2005.11401v{version}" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2005.11401v{version}" rel="related" type="application/pdf"/>
    <arxiv:primary_category term="cs.CL"/><category term="cs.CL"/>
  </entry>
</feed>"""


# ---------------------------------------------------------------- consent


def test_a_plan_names_the_host_and_how_often_and_asks_nobody(open_vault, site):
    with open_vault() as engine:
        plan = engine.feeds.plan("cat:cs.CL AND abs:retrieval")
        assert (plan.host, plan.query, plan.interval_h) == ("export.arxiv.org", "cat:cs.CL AND abs:retrieval", 24.0)
        assert not plan.is_followed
        engine.feeds.follow(URL)
        assert engine.feeds.plan(URL).is_followed
        assert (site.asked, engine.feeds.list()[0].status) == ([], FeedStatus.WAITING)


def test_an_address_with_a_password_is_never_kept(open_vault, tmp_path):
    with open_vault() as engine, pytest.raises(InvalidInputError, match="user name or password"):
        engine.feeds.follow("https://ada:secret@example.org/feed")
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "v.vault").rglob("*") if path.is_file())


def test_a_feed_is_followed_once_and_stays_so_over_a_restart(open_vault):
    with open_vault() as engine:
        first = engine.feeds.follow(URL, "Optics")
        with pytest.raises(InvalidInputError, match="followed already"):
            engine.feeds.follow(URL)
    with open_vault() as engine:
        assert engine.feeds.list() == (first,)
        assert engine.feeds.unfollow(first.feed_id) == ()
        with pytest.raises(InvalidInputError, match="There is no feed"):
            engine.feeds.pause(first.feed_id)


def test_each_namespace_has_feeds_of_its_own(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        ada, bob = (engine.view(Namespace(user_id=name)) for name in ("ada", "bob"))
        assert followed(ada).feed_id != followed(bob).feed_id
        assert [one.namespace.user_id for one in ada.feeds.list()] == ["ada"]
        assert (len(engine.feeds.list()), titles(ada), len(titles(engine))) == (2, ["mirror"], 2)


# ---------------------------------------------------------------- entries


def test_each_entry_becomes_a_source_and_no_page_behind_it_is_asked_for(open_vault, site):
    enclosure = (
        "<item><title>talk</title><link>https://example.org/talk</link><author>Ann</author>"
        '<enclosure url="https://example.org/t.mp3" length="9" type="audio/mpeg"/>'
        "<pubDate>Tue, 02 Jan 2024 03:04:05 GMT</pubDate></item>"
    )
    site.pages[URL] = Page(rss(entry("mirror", guid="urn:1", says="How Foucault measured."), enclosure))
    with open_vault() as engine:
        feed = followed(engine)
        assert (feed.title, feed.status, feed.entry_count, feed.new_count) == ("Light", FeedStatus.FINE, 2, 2)
        assert site.asked == [URL]
        talk, mirror = sorted(engine.sources.list(), key=lambda one: one.title, reverse=True)
        assert (mirror.uri, mirror.kind, mirror.container) == ("https://example.org/mirror", "bookmark", URL)
        assert (talk.authors, talk.published, talk.collections) == (("Ann",), "2024-01-02", ("Light",))
        assert engine.search("Foucault").hits[0].title == "mirror"
        assert engine.validate().ok
        assert engine.links.plan((mirror.source_id,)).hosts == {"example.org": 1}  # her way to the page itself


def test_entries_go_to_the_collection_she_names(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        followed(engine, collection="Optics")
        assert [one.collections for one in engine.sources.list()] == [("Optics",)]


def test_the_same_bytes_without_a_stamp_are_not_read_again(open_vault, site, monkeypatch):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        followed(engine)
        monkeypatch.setattr(engine._opened.feeds, "_take", None)  # whoever reads them now fails
        assert (again(engine).status, len(site.asked)) == (FeedStatus.FINE, 2)


def test_what_is_unchanged_is_not_sent_again(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")), {"ETag": '"1"'})
    with open_vault() as engine:
        first, second = followed(engine), again(engine)
        assert site.headers[1]["if-none-match"] == '"1"'
        assert (second.status, second.new_count, second.run_id) == (FeedStatus.FINE, 1, first.run_id)
        assert len(engine.runs.list()) == 1


def test_without_a_stamp_the_same_entries_change_nothing_and_leave_no_run(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror"), entry("turbine")))
    with open_vault() as engine:
        followed(engine)
        sources = engine.list_records(kind="source")
        site.pages[URL] = Page(rss(entry("mirror"), entry("turbine"), head="<ttl>5</ttl>"))
        again(engine)
        assert (engine.list_records(kind="source"), len(engine.runs.list())) == (sources, 1)


def test_a_changed_entry_is_a_new_version_and_one_that_vanishes_stays(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror"), entry("turbine")))
    with open_vault() as engine:
        followed(engine)
        site.pages[URL] = Page(rss(entry("mirror", says="It was measured anew."), entry("clock")))
        feed = again(engine)
        assert (feed.new_count, feed.changed_count, feed.entry_count) == (1, 1, 2)
        assert titles(engine) == ["clock", "mirror", "turbine"]
        assert {one.title: one.version for one in engine.sources.list()}["mirror"] == 2
        rows = {row.title: row.reason for row in engine.runs.show(feed.run_id).results}
        assert rows == {"mirror": "new version", "clock": ""}


def test_an_entry_is_known_by_its_id_where_its_link_moves(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror", guid="urn:1")))
    with open_vault() as engine:
        followed(engine)
        site.pages[URL] = Page(rss(entry("mirror", guid="urn:1", link="https://new.example/mirror")))
        again(engine)
        (only,) = engine.sources.list()
        assert (only.version, only.uri) == (2, "https://new.example/mirror")


def test_entries_that_share_one_id_are_told_apart_by_their_links(open_vault, site):
    twice = entry("mirror", guid="urn:1") + entry("mirror", guid="urn:1")
    site.pages[URL] = Page(rss(twice, entry("turbine", guid="urn:1"), entry("clock", guid="urn:1")))
    with open_vault() as engine:
        assert followed(engine).entry_count == 3
        assert titles(engine) == ["clock", "mirror", "turbine"]
        assert again(engine).changed_count == 0


def test_an_entry_without_a_link_is_known_by_its_id_in_its_feed(open_vault, site):
    other = "https://other.example/rss"
    site.pages[URL] = Page(rss(entry("note", link="", guid="1", says="The mirror turns.")))
    site.pages[other] = Page(rss(entry("word", link="", guid="1", says="The turbine turns."), title="Other"))
    with open_vault() as engine:
        followed(engine)
        assert [engine.feeds.refresh(engine.feeds.follow(other).feed_id)[0].new_count, titles(engine)] == [
            1,
            ["note", "word"],
        ]
        engine.feeds.refresh()
        assert {one.version for one in engine.sources.list()} == {1}


def test_what_she_forgot_or_removed_of_a_feed_stays_so(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror"), entry("turbine"), entry("clock")))
    with open_vault() as engine:
        followed(engine)
        ids = {one.title: one.source_id for one in engine.sources.list()}
        engine.sources.forget(ids["mirror"], "seen")
        engine.sources.remove(ids["turbine"], "not hers")
        site.pages[URL] = Page(rss(entry("mirror", says="Anew."), entry("turbine"), entry("clock")))
        again(engine)
        assert titles(engine) == ["clock"]
        assert SourceStatus.FORGOTTEN in {one.status for one in engine.sources.list(include_all=True)}


def test_a_page_she_bookmarked_herself_is_one_source_with_the_entry(open_vault, site, tmp_path):
    netscape = '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="https://example.org/mirror">Hers</A></DL>'
    (tmp_path / "b.html").write_text(netscape)
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        engine.ingest(tmp_path / "b.html")
        followed(engine)
        assert titles(engine) == ["mirror"]


def test_five_thousand_entries_come_in_once(open_vault, site):
    site.pages[URL] = Page(rss(*(entry(f"paper {n}", link=f"https://example.org/{n}") for n in range(5000))))
    with open_vault() as engine:
        engine.jobs.pause()
        assert followed(engine).new_count == 5000
        assert (again(engine).entry_count, len(engine.sources.list())) == (5000, 5000)


def test_a_paper_at_arxiv_is_one_source_in_all_its_versions(open_vault, site):
    with open_vault() as engine:
        query = "cat:cs.CL AND abs:retrieval"
        url = engine.feeds.plan(query).url
        site.pages[url] = Page(ARXIV.replace("{version}", "1").replace("{what}", "knowledge").encode())
        feed = followed(engine, query)
        assert (feed.title, feed.query, feed.new_count) == (f"arXiv: {query}", query, 1)
        site.pages[url] = Page(ARXIV.replace("{version}", "4").replace("{what}", "factual knowledge").encode())
        assert (again(engine).changed_count, len(engine.sources.list())) == (1, 1)
        (paper,) = engine.sources.list()
        assert paper.title == "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks"
        assert (paper.authors, paper.published) == (("Patrick Lewis", "Ethan Perez"), "2020-05-22")
        assert (paper.identifiers["arxiv"], paper.identifiers["doi"]) == ("2005.11401", "10.1000/xyz.1")
        assert (paper.version, paper.uri) == (2, "http://arxiv.org/abs/2005.11401v4")
        assert (paper.tags, site.asked) == (("cs.CL",), [url, url])
