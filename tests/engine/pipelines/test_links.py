"""Pages of bookmarks: one consent that names hosts, polite fetching in the background, a verdict for each link."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.web_site import ARTICLE, Page, WebSite
from trisynapse_memory.config import Config
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import furnishing
from trisynapse_memory.types import LinkStatus, Outcome

SHELL = b"""<html><head><title>App</title></head><body><noscript>Enable JavaScript.</noscript></body></html>"""
FINE = {
    "https://one.example/a": "A mirror",
    "https://one.example/b": "A turbine",
    "https://two.example/gone": "What was",
    "https://two.example/login": "What is hers",
    "https://three.example/private": "What robots must not read",
    "https://four.example/app": "A shell",
    "https://five.example/busy": "A busy one",
}


def bookmarks(links: dict[str, str]) -> str:
    rows = "\n".join(f'<DT><A HREF="{url}" ADD_DATE="1700000000">{title}</A>' for url, title in links.items())
    return f"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>Light</H3>\n<DL><p>\n{rows}\n</DL><p>\n</DL><p>\n"


@pytest.fixture
def site() -> Iterator[WebSite]:
    with WebSite() as opened:
        for url in ("https://one.example/a", "https://one.example/b"):
            opened.pages[url] = Page(ARTICLE.replace(b"Froment", url.encode()), {"Content-Type": "text/html"})
        opened.pages["https://two.example/login"] = Page(b"no", status=401)
        opened.pages["https://three.example/robots.txt"] = Page(b"User-agent: *\nDisallow: /private\n")
        opened.pages["https://three.example/private"] = Page(ARTICLE)
        opened.pages["https://four.example/app"] = Page(SHELL, {"Content-Type": "text/html"})
        opened.pages["https://five.example/busy"] = Page(b"later", {"Retry-After": "120"}, 503)
        yield opened


@pytest.fixture
def open_vault(tmp_path: Path, site: WebSite, in_process: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(furnishing, "Egress", lambda **given: site.door(**given))

    def open_it(**more) -> MemoryEngine:
        return MemoryEngine.open(tmp_path / "v.vault", create=True, config=Config(link_delay_s=0.0), **more)

    return open_it


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    path = tmp_path / "bookmarks.html"
    path.write_text(bookmarks(FINE))
    return path


def test_a_plan_names_hosts_and_counts_and_asks_nobody(open_vault, site, shelf):
    with open_vault() as engine:
        engine.ingest(shelf)
        plan = engine.links.plan()
        assert plan.hosts == {
            "one.example": 2,
            "two.example": 2,
            "three.example": 1,
            "four.example": 1,
            "five.example": 1,
        }
        assert (plan.total, len(plan.source_ids), plan.fetched) == (7, 7, 0)
        assert (site.asked, engine.links.list()) == ([], ())


def test_a_plan_names_the_hosts_that_are_asked_besides(open_vault, tmp_path):
    links = {"https://arxiv.org/abs/2005.11401": "R", "https://github.com/a/b.git": "G", "https://one.example/a": "A"}
    (tmp_path / "b.html").write_text(bookmarks(links))
    with open_vault() as engine:
        engine.ingest(tmp_path / "b.html")
        assert engine.links.plan().also == ("codeload.github.com", "export.arxiv.org")


def test_after_her_consent_each_link_gets_its_page_or_its_verdict(open_vault, site, shelf):
    with open_vault() as engine:
        engine.ingest(shelf)
        engine.links.fetch(engine.links.plan().source_ids)
        waiting = engine.links.wait(20)
        links = {link.url: link for link in engine.links.list()}
        assert {url: (link.status.value, link.verdict) for url, link in links.items()} == {
            "https://one.example/a": ("fetched", ""),
            "https://one.example/b": ("fetched", ""),
            "https://two.example/gone": ("failed", "gone"),
            "https://two.example/login": ("failed", "needs a login"),
            "https://three.example/private": ("failed", "robots say no"),
            "https://four.example/app": ("fetched", "no article text"),
            "https://five.example/busy": ("waiting", "busy"),
        }
        assert [link.url for link in waiting] == ["https://five.example/busy"]
        assert "status 404" in links["https://two.example/gone"].note
        assert "https://three.example/private" not in site.asked
        page = engine.sources.show(links["https://one.example/a"].page_source_id)
        assert (page.source_key, page.title) == ("https://one.example/a", "How the mirror turned")
        assert engine.links.plan().hosts == {"two.example": 2, "three.example": 1}
        assert site.asked.count("https://one.example/robots.txt") == 1
        assert engine.search("stroboscope").hits


def test_what_a_busy_server_asked_for_is_kept_over_a_restart(open_vault, site, tmp_path):
    path = tmp_path / "one.html"
    path.write_text(bookmarks({"https://five.example/busy": "A busy one"}))
    with open_vault() as engine:
        engine.ingest(path)
        engine.links.fetch(engine.links.plan().source_ids)
        (link,) = engine.links.wait(20)
        left = link.retry_at - datetime.now(UTC)
        assert timedelta(seconds=100) < left <= timedelta(seconds=120)
        assert (link.attempts, link.status) == (1, LinkStatus.WAITING)
    with open_vault() as engine:
        assert [one.url for one in engine.links.list("waiting")] == ["https://five.example/busy"]


def test_offline_lets_links_wait_and_lifting_it_goes_on(open_vault, site, tmp_path):
    path = tmp_path / "one.html"
    path.write_text(bookmarks({"https://one.example/a": "A mirror"}))
    with open_vault(offline=True) as engine:
        engine.ingest(path)
        engine.links.fetch(engine.links.plan().source_ids)
        assert [one.url for one in engine.links.wait(5)] == ["https://one.example/a"]
        (task,) = (one for one in engine.jobs.list() if one.name == "links")
        assert (task.pending, task.trouble) == (1, "offline is on; the links wait")
        assert site.asked == []
    with open_vault() as engine:
        assert engine.links.wait(20) == ()
        assert [one.status for one in engine.links.list()] == [LinkStatus.FETCHED]


def test_ingest_with_fetch_writes_the_pages_behind_the_bookmarks_of_its_run(open_vault, site, tmp_path):
    path = tmp_path / "one.html"
    path.write_text(bookmarks({"https://one.example/a": "A mirror", "https://two.example/gone": "Gone"}))
    with open_vault() as engine:
        run = engine.ingest(path, fetch=True)
        assert sorted((one.kind, one.status) for one in run.results) == [
            ("bookmark", Outcome.SUCCESS),
            ("bookmark", Outcome.SUCCESS),
            ("html", Outcome.SUCCESS),
        ]
        assert engine.runs.show(run.run_id).counts["success"] == 3


def test_one_host_is_asked_one_page_at_a_time_and_others_meanwhile(open_vault, site, tmp_path):
    at_once, most = set(), []
    lock = threading.Lock()

    def slow(url):
        def answer():
            with lock:
                at_once.add(url)
                most.append(sorted(at_once))
            time.sleep(0.1)
            with lock:
                at_once.discard(url)
            return Page(ARTICLE, {"Content-Type": "text/html"})

        return answer

    urls = {f"https://h{host}.example/{page}": "x" for host in range(3) for page in range(2)}
    for url in urls:
        site.pages[url] = slow(url)
    path = tmp_path / "many.html"
    path.write_text(bookmarks(urls))
    with open_vault() as engine:
        engine.ingest(path)
        engine.links.fetch(engine.links.plan().source_ids)
        assert engine.links.wait(20) == ()
    hosts = [[url.split("/")[2] for url in row] for row in most]
    assert all(len(row) == len(set(row)) for row in hosts)
    assert max(map(len, hosts)) >= 2


def test_a_network_that_is_down_is_no_reason_to_give_a_link_up(open_vault, site, tmp_path, monkeypatch):
    path = tmp_path / "one.html"
    path.write_text(bookmarks({"https://one.example/a": "A mirror"}))
    with open_vault() as engine:
        engine.ingest(path)
        monkeypatch.setattr(engine._rooms.egress, "_resolve", lambda host, port: ())
        engine.links.fetch(engine.links.plan().source_ids)
        (link,) = engine.links.wait(20)
        assert (link.status, link.verdict, link.attempts) == (LinkStatus.WAITING, "no such host", 1)
        assert "is not known" in link.note


def test_cancelled_links_are_left_alone(open_vault, site, tmp_path):
    path = tmp_path / "one.html"
    path.write_text(bookmarks({"https://one.example/a": "A mirror"}))
    with open_vault(offline=True) as engine:
        engine.ingest(path)
        engine.links.fetch(engine.links.plan().source_ids)
        assert engine.links.cancel() == 1
        assert [one.status for one in engine.links.list()] == [LinkStatus.CANCELLED]
    with open_vault() as engine:
        engine.links.wait(5)
        assert site.asked == []


def test_refreshing_asks_for_what_changed_only(open_vault, site):
    url = "https://one.example/a"
    site.pages[url] = Page(ARTICLE, {"Content-Type": "text/html", "ETag": '"1"'})
    with open_vault() as engine:
        engine.ingest(url)
        assert engine.links.refresh().hosts == {"one.example": 1}
        engine.links.wait(20)
        (link,) = engine.links.list()
        assert (link.status, link.note) == (LinkStatus.FETCHED, "unchanged")
        site.pages[url] = Page(ARTICLE.replace(b"Froment", b"Breguet"), {"Content-Type": "text/html", "ETag": '"2"'})
        engine.links.refresh()
        engine.links.wait(20)
        (link,) = engine.links.list()
        assert link.note == "new version"
        assert engine.sources.show(link.page_source_id).version == 2


def test_an_address_she_names_while_offline_is_on_waits_and_says_so(open_vault, site):
    with open_vault(offline=True) as engine:
        (result,) = engine.ingest("https://three.example/private").results
        assert (result.status, result.error.code) == (Outcome.FAILED, "network.offline")
        assert result.reason == "offline is on; the address waits, and is fetched once that is lifted"
        assert site.asked == []
    with open_vault() as engine:
        assert engine.links.wait(20) == ()
        (link,) = engine.links.list()
        assert link.status is LinkStatus.FETCHED
        assert engine.sources.show(link.page_source_id).source_key == "https://three.example/private"
