"""What sites let programs read, and the pause between two requests to one of them."""

from __future__ import annotations

import threading
import time

import pytest

from tests.web_site import Page, WebSite
from trisynapse_memory.errors import HostUnknownError, RobotsDeniedError, SourceBusyError, SourceTimedOutError
from trisynapse_memory.preprocessing.web.politeness import PoliteDoor, Rules
from trisynapse_memory.preprocessing.web.robots import KEPT_S, Robots
from trisynapse_memory.providers.egress import Reply

ROBOTS = b"""User-agent: *
Disallow: /private
Allow: /private/open
Crawl-delay: 3

User-agent: BadBot
Disallow: /
"""


class Door:
    """Stands for the door: what lies where, who was asked and when."""

    def __init__(self, pages=None, now=time.monotonic):
        self.pages = pages or {}
        self.asked = []
        self._now = now

    def get(self, url, purpose, headers=None, stop=None, before=None):
        if before is not None:
            before(url)
        self.asked.append((url, self._now()))
        found = self.pages.get(url, (404, b""))
        if isinstance(found, Exception):
            raise found
        return Reply(url, found[0], {}, found[1])


def robots(pages, **more):
    door = Door(pages)
    return door, Robots(door, threading.Event(), **more)


def test_a_site_says_what_may_be_read_and_how_fast():
    _, asked = robots({"https://a.example/robots.txt": (200, ROBOTS)})
    assert asked.rules("https://a.example/page?x=1") == Rules(allowed=True, delay_s=3.0)
    assert not asked.rules("https://a.example/private/x").allowed
    assert asked.rules("https://a.example/private/open/x").allowed


@pytest.mark.parametrize(("status", "content"), [(404, b""), (403, b""), (200, b""), (200, b"\xff\xfe\x00" * 90)])
def test_a_site_without_rules_may_be_read(status, content):
    _, asked = robots({"https://a.example/robots.txt": (status, content)})
    assert asked.rules("https://a.example/page") == Rules(allowed=True)


@pytest.mark.parametrize("answer", [(500, b""), (503, b""), (429, b""), SourceTimedOutError("slow")])
def test_a_site_that_cannot_say_so_is_left_alone_for_now(answer):
    door, asked = robots({"https://a.example/robots.txt": answer})
    with pytest.raises(SourceBusyError):
        asked.rules("https://a.example/page")
    door.pages["https://a.example/robots.txt"] = (200, ROBOTS)
    assert not asked.rules("https://a.example/private").allowed


def test_a_network_that_is_down_says_nothing_of_rules():
    _, asked = robots({"https://a.example/robots.txt": HostUnknownError("who")})
    with pytest.raises(HostUnknownError):
        asked.rules("https://a.example/page")


def test_rules_are_asked_once_a_day_and_a_site():
    now = [0.0]
    door, asked = robots({"https://a.example/robots.txt": (200, ROBOTS)}, clock=lambda: now[0])
    for _ in range(3):
        asked.rules("https://a.example/page")
    asked.rules("https://b.example/page")
    assert len(door.asked) == 2
    now[0] = KEPT_S + 1
    asked.rules("https://a.example/page")
    assert len(door.asked) == 3


def test_a_delay_beyond_reason_is_cut():
    _, asked = robots({"https://a.example/robots.txt": (200, b"User-agent: *\nCrawl-delay: 86400\n")})
    assert asked.rules("https://a.example/page").delay_s == 60.0


def polite(door, delay_s, rules=lambda url: Rules(allowed=True), stop=None):
    return PoliteDoor(door, rules, delay_s, stop or threading.Event())


def test_two_requests_to_one_host_lie_apart_and_another_host_does_not_wait():
    door = Door()
    through = polite(door, 0.15)
    begun = time.monotonic()
    for url in ("https://a.example/1", "https://b.example/1", "https://a.example/2"):
        through.get(url, "test")
    times = {url: at - begun for url, at in door.asked}
    assert times["https://b.example/1"] < 0.1
    assert times["https://a.example/2"] >= 0.15


def test_the_longer_pause_of_a_site_is_kept():
    door = Door()
    through = polite(door, 0.0, lambda url: Rules(allowed=True, delay_s=0.15))
    through.get("https://a.example/1", "test")
    through.get("https://a.example/2", "test")
    assert door.asked[1][1] - door.asked[0][1] >= 0.15


def test_what_robots_forbid_is_not_asked_and_an_interface_for_programs_is():
    door = Door()
    through = polite(door, 0.0, lambda url: Rules(allowed=False))
    with pytest.raises(RobotsDeniedError, match=r"a\.example"):
        through.get("https://a.example/1", "test")
    through.get("https://export.arxiv.org/api/query?id_list=1", "test")
    assert [url for url, _ in door.asked] == ["https://export.arxiv.org/api/query?id_list=1"]


def test_a_redirect_to_a_page_that_robots_forbid_is_not_followed():
    with WebSite() as site:
        site.pages["https://short.example/x"] = Page(b"", {"Location": "https://far.example/private"}, 302)
        site.pages["https://far.example/robots.txt"] = Page(ROBOTS)
        door = site.door()
        through = polite(door, 0.0, Robots(door, threading.Event()).rules)
        with pytest.raises(RobotsDeniedError, match=r"far\.example"):
            through.get("https://short.example/x", "test")
        assert "https://far.example/private" not in site.asked


def test_a_stop_ends_every_wait():
    stop = threading.Event()
    through = polite(Door(), 30.0, stop=stop)
    through.get("https://a.example/1", "test")
    threading.Timer(0.1, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(SourceTimedOutError):
        through.get("https://a.example/2", "test")
    assert time.monotonic() - begun < 5
