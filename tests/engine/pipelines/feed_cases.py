"""Feeds on a site on loopback, a vault that follows them, and a clock that a test moves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.web_site import WebSite
from trisynapse_memory.config import Config
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import feed_rounds, furnishing
from trisynapse_memory.pipelines.feed_rounds import FeedRounds
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.types import Feed

URL = "https://feeds.example/rss"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def rss(*entries: str, title: str = "Light", head: str = "") -> bytes:
    text = f'<rss version="2.0"><channel><title>{title}</title>{head}{"".join(entries)}</channel></rss>'
    return text.encode()


def entry(name: str, *, link: str | None = None, guid: str = "", says: str = "How it was measured.") -> str:
    where = f"https://example.org/{name}" if link is None else link
    parts = (f"<link>{where}</link>" if where else "", f'<guid isPermaLink="false">{guid}</guid>' if guid else "")
    return f"<item><title>{name}</title>{''.join(parts)}<description>{says}</description></item>"


@pytest.fixture
def site() -> Iterator[WebSite]:
    with WebSite() as opened:
        yield opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The moment that feeds are judged by; a test moves it."""
    moment = [NOW]
    made = FeedRounds.__init__

    def init(self: FeedRounds, *given, **more) -> None:
        made(self, *given, **{**more, "clock": lambda: moment[0]})

    monkeypatch.setattr(FeedRounds, "__init__", init)
    return moment


@pytest.fixture
def open_vault(tmp_path: Path, site: WebSite, in_process: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(furnishing, "Egress", lambda **given: site.door(**given))
    monkeypatch.setattr(feed_rounds, "ARXIV_DELAY_S", 0.0)
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)

    def open_it(**more) -> MemoryEngine:
        return MemoryEngine.open(tmp_path / "v.vault", create=True, config=Config(link_delay_s=0.0), **more)

    return open_it


def followed(engine: MemoryEngine, address: str = URL, **more: str) -> Feed:
    (feed,) = engine.feeds.refresh(engine.feeds.follow(address, **more).feed_id)
    return feed


def again(engine: MemoryEngine) -> Feed:
    (feed,) = engine.feeds.refresh()
    return feed


def titles(engine: MemoryEngine) -> list[str]:
    return sorted(one.title for one in engine.sources.list())
