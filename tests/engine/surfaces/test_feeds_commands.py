"""``feeds``: the host is named before it is asked, and every state is said in a line."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.engine.surfaces.test_links_commands import Run, Terminal, run, site
from tests.web_site import Page, WebSite
from trisynapse_memory.surfaces.commands.feeds import question, standing
from trisynapse_memory.surfaces.printing import novelty_line
from trisynapse_memory.types import Fault, Feed, FeedPlan, FeedStatus, Novelty, SourceId

__all__ = ["run", "site"]  # fixtures

URL = "https://feeds.example/rss"
RSS = b"""<rss version="2.0"><channel><title>Light</title><item><title>The mirror</title>
<link>https://example.org/m</link><description>How Foucault measured.</description></item></channel></rss>"""
MOMENT = datetime(2026, 12, 1, 12, tzinfo=UTC)


def test_without_a_word_of_hers_nobody_is_asked_and_nothing_followed(run: Run, site: WebSite):
    body, _ = run("feeds", "follow", URL, code=2)
    assert "'feeds.example' would be asked for this feed, every 24 hours" in body["error"]["message"]
    assert (run("feeds", "list")[0]["feeds"], site.asked) == ([], [])


@pytest.mark.parametrize("word", ["no\n", "\n", ""])
def test_on_a_terminal_only_yes_is_a_yes(run: Run, site: WebSite, monkeypatch: pytest.MonkeyPatch, word: str):
    monkeypatch.setattr("sys.stdin", Terminal(word))
    body, said = run("feeds", "follow", URL, code=2)
    assert body["error"]["message"] == "Nothing is followed."
    assert URL in said
    assert site.asked == []


def test_a_feed_from_its_following_to_its_end(run: Run, site: WebSite, monkeypatch: pytest.MonkeyPatch):
    site.pages[URL] = Page(RSS)
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    feed = run("feeds", "follow", URL, "--collection", "Optics")[0]["feed"]
    assert (feed["title"], feed["status"], feed["new_count"], feed["collection"]) == ("Light", "fine", 1, "Optics")
    assert run("feeds", "pause", feed["feed_id"])[0]["feed"]["status"] == "paused"
    assert run("feeds", "refresh")[0]["feeds"] == []
    assert run("feeds", "resume", feed["feed_id"])[0]["feed"]["status"] == "fine"
    assert run("feeds", "unfollow", feed["feed_id"])[0]["feeds"] == []
    (source,) = run("sources", "list")[0]["sources"]
    assert (source["title"], source["collections"]) == ("The mirror", ["Optics"])


def test_a_feed_that_cannot_be_had_is_an_input_that_failed(run: Run, site: WebSite):
    site.pages[URL] = Page(RSS)
    other = run("feeds", "follow", "--yes", "https://feeds.example/gone", code=4)[0]["feed"]
    assert other["fault"]["code"] == "source.missing"
    run("feeds", "follow", "--yes", URL)
    assert [one["status"] for one in run("feeds", "refresh", code=3)[0]["feeds"]] == ["failing", "fine"]


def test_the_question_names_host_purpose_and_rhythm():
    plan = FeedPlan(url="u", host="export.arxiv.org", query="cat:cs.CL", interval_h=12)
    assert question(plan) == (
        "'export.arxiv.org' would be asked for the newest papers of 'cat:cs.CL',"
        " every 12 hours while the vault is open."
    )


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, "not asked yet"),
        ({"status": FeedStatus.OFFLINE}, "waits: offline is on"),
        ({"status": FeedStatus.PAUSED, "checked_at": MOMENT}, "paused; last asked 2026-12-01 12:00 UTC"),
        (
            {"status": FeedStatus.FAILING, "checked_at": MOMENT, "next_at": MOMENT, "failure_count": 1},
            "could not be had, once, last 2026-12-01 12:00 UTC; asked again from 2026-12-01 12:00 UTC",
        ),
        (
            {"status": FeedStatus.FINE, "checked_at": MOMENT, "came_at": MOMENT, "entry_count": 9, "new_count": 2},
            "9 entries (2 new, 0 changed on 2026-12-01); last asked 2026-12-01 12:00 UTC",
        ),
    ],
)
def test_every_state_is_one_line(more, line):
    fault = Fault(code="x", message="m") if more.get("status") is FeedStatus.FAILING else None
    assert standing(Feed(feed_id="f", url=URL, title="Light", fault=fault, **more)) == line


def test_novelty_is_said_in_words_and_numbers():
    found = Novelty(
        source_id=SourceId("s"),
        median=0.62,
        highest=0.8,
        level="new",
        passage_count=3,
        claim_count=5,
        new_claim_count=4,
        contradicting_count=1,
    )
    assert novelty_line(found) == (
        "mostly new to the vault (novelty 0.62, highest passage 0.80;"
        " 4 of 5 claims new, 1 in dispute with other sources)"
    )
