"""The rounds of followed feeds: manners towards servers, a reason for what went wrong, offline, and what is due."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.engine.pipelines.feed_cases import NOW, URL, again, clock, entry, followed, open_vault, rss, site, titles
from tests.web_site import Page
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import feed_rounds, furnishing
from trisynapse_memory.preprocessing.web import feeds as feed_addresses
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.types import Feed, FeedStatus

__all__ = ["clock", "open_vault", "site"]  # fixtures

# ---------------------------------------------------------------- servers


@pytest.mark.parametrize(
    ("page", "code", "hours"),
    [
        (Page(b"gone", status=404), "source.missing", 24),
        (Page(b"gone", status=410), "source.missing", 24),
        (Page(b"no", status=401), "source.denied", 24),
        (Page(b"broken", status=500), "source.busy", 0.25),
        (Page(b"later", {"Retry-After": "7200"}, 429), "source.busy", 2),
        (Page(b"<rss version='2.0'><channel><title>"), "source.damaged", 24),
        (Page(b"<html><head></head><body>Hello there</body></html>"), "source.damaged", 24),
        (Page(rss()), "source.damaged", 24),
        (Page(b""), "source.empty", 24),
    ],
    ids=["404", "410", "401", "500", "429", "bad xml", "a page", "no entries", "nothing"],
)
def test_a_feed_that_cannot_be_had_says_why_and_is_left_alone(open_vault, site, clock, page, code, hours):
    site.pages[URL] = page
    with open_vault() as engine:
        feed = followed(engine)
        assert (feed.status, feed.fault and feed.fault.code, feed.failure_count) == (FeedStatus.FAILING, code, 1)
        assert feed.next_at == NOW + timedelta(hours=hours)
        assert engine.sources.list() == ()


def test_failures_in_a_row_are_left_alone_longer_and_one_success_ends_them(open_vault, site, clock):
    site.pages[URL] = Page(b"gone", status=404)
    with open_vault() as engine:
        followed(engine)
        moments = [again(engine).next_at or NOW for _ in range(4)]
        rests = [(at - NOW).total_seconds() / 3600 for at in moments]
        assert rests == [48, 96, 168, 168]
        site.pages[URL] = Page(rss(entry("mirror")))
        feed = again(engine)
        assert (feed.status, feed.failure_count, feed.fault) == (FeedStatus.FINE, 0, None)


def test_a_server_that_names_a_time_is_not_asked_before_it(open_vault, site, clock):
    site.pages[URL] = Page(b"later", {"Retry-After": "7200"}, 503)
    with open_vault() as engine:
        followed(engine)
        asked = len(site.asked)
        assert (again(engine).status, len(site.asked)) == (FeedStatus.FAILING, asked)
        clock[0] = NOW + timedelta(hours=2, seconds=1)
        again(engine)
        assert len(site.asked) == asked + 1


def test_a_feed_that_wants_more_rest_gets_it_also_after_no_change(open_vault, site, clock):
    site.pages[URL] = Page(rss(entry("mirror"), head="<ttl>2880</ttl>"), {"ETag": '"1"'})
    with open_vault() as engine:
        assert followed(engine).next_at == NOW + timedelta(hours=48)
        assert again(engine).next_at == NOW + timedelta(hours=48)


def test_a_feed_that_has_moved_is_read_where_it_is_and_the_host_named(open_vault, site):
    site.pages[URL] = Page(b"", {"Location": "https://moved.example/rss"}, 301)
    site.pages["https://moved.example/rss"] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        feed = followed(engine)
        assert (feed.status, feed.answers_from, feed.url) == (FeedStatus.FINE, "moved.example", URL)


class _Leading(BaseHTTPRequestHandler):
    """A server that leads whoever asks into a private network."""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", "http://10.0.0.1/rss")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


def test_a_redirect_into_a_private_network_is_refused(open_vault, monkeypatch):
    monkeypatch.setattr(furnishing, "Egress", lambda **given: Egress(allowed=("127.0.0.1",), **given))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Leading)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    with open_vault() as engine:
        feed = followed(engine, f"http://127.0.0.1:{server.server_port}/rss")
        assert feed.fault is not None
        assert "'10.0.0.1' leads to this machine or a private network" in feed.fault.message
    server.shutdown()
    server.server_close()


def test_what_arxiv_says_of_a_search_is_told(open_vault, site):
    said = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id>
<title>Error</title><summary>malformed query: ti:(</summary></entry></feed>"""
    with open_vault() as engine:
        site.pages[engine.feeds.plan("ti:(").url] = Page(said.encode(), status=400)
        feed = followed(engine, "ti:(")
        assert feed.fault is not None
        assert "malformed query: ti:(" in feed.fault.message


def test_two_requests_to_arxiv_lie_three_seconds_apart():
    assert feed_addresses.ARXIV_DELAY_S == 3.0
    assert feed_rounds.ARXIV_DELAY_S is feed_addresses.ARXIV_DELAY_S


# ---------------------------------------------------------------- offline, and by itself


def test_offline_waits_and_says_so_and_goes_on_when_it_is_lifted(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault(offline=False) as engine:
        engine.privacy.set_offline(True)
        feed = followed(engine)
        assert (feed.status, feed.failure_count, site.asked) == (FeedStatus.OFFLINE, 0, [])
        arrived = heard(engine, lambda one: one.status is FeedStatus.FINE)
        engine._opened.feeds.start()
        engine.privacy.set_offline(False)
        assert arrived.wait(20)
        assert titles(engine) == ["mirror"]


def heard(engine: MemoryEngine, wanted: Callable[[Feed], bool]) -> threading.Event:
    seen = threading.Event()
    engine.feeds.listen(lambda feed: seen.set() if wanted(feed) else None)
    return seen


def test_nothing_is_asked_by_itself_before_the_window_is_open_and_then_what_is_due(open_vault, site, clock):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        followed(engine)
        paused = "https://paused.example/rss"
        engine.feeds.pause(engine.feeds.follow(paused).feed_id)
    clock[0] = NOW + timedelta(hours=25)
    with open_vault() as engine:
        assert site.asked == [URL]
        came = heard(engine, lambda one: one.url == URL)
        engine._opened.feeds.start()
        assert came.wait(20)
        assert site.asked == [URL, URL]
    clock[0] = NOW + timedelta(hours=26)
    with open_vault() as engine:
        engine._opened.feeds.start()
        engine._opened.feeds.close()
        assert site.asked == [URL, URL]


def test_a_paused_feed_is_asked_only_by_name(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        feed = engine.feeds.follow(URL)
        assert engine.feeds.pause(feed.feed_id).status is FeedStatus.PAUSED
        assert engine.feeds.refresh() == ()
        assert engine.feeds.refresh(feed.feed_id)[0].new_count == 1
        assert engine.feeds.resume(feed.feed_id).status is FeedStatus.FINE


def test_unfollowing_keeps_the_entries(open_vault, site):
    site.pages[URL] = Page(rss(entry("mirror")))
    with open_vault() as engine:
        feed = followed(engine)
        assert engine.feeds.unfollow(feed.feed_id) == ()
        assert titles(engine) == ["mirror"]
        assert followed(engine).new_count == 0
