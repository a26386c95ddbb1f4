"""Two addresses of one page: the bookmark that is there already is found, whatever the second file calls the page."""

from __future__ import annotations

import pytest

from trisynapse_memory.pipelines.known_pages import KnownPages
from trisynapse_memory.pipelines.members import Membership, take_members
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Listing, Namespace

FILE = Membership(label="/b.html", container="/b.html", namespace=Namespace())


def bookmark(url: str) -> Listing:
    return Listing(key=url, title=f"T {url}", url=url, text=f"T {url}")


@pytest.fixture
def known(rooms: Rooms) -> KnownPages:
    list(take_members(rooms, FILE, [bookmark("https://www.a.example/p?id=7&utm_source=x#top"), bookmark("?note")]))
    return KnownPages(rooms.shelf, Namespace())


@pytest.mark.parametrize(
    "url",
    [
        "https://www.a.example/p?id=7",
        "http://a.example/p?id=7",
        "https://a.example:443/p/?id=7",
        "http://A.Example/p?id=7",
    ],
)
def test_the_same_page_under_another_address_is_a_twin(known: KnownPages, url: str):
    twin = known.twin(bookmark(url))
    assert twin is not None
    assert twin.uri == "https://www.a.example/p?id=7&utm_source=x#top"


@pytest.mark.parametrize(
    "url", ["https://a.example/p?id=8", "https://a.example/q?id=7", "https://b.example/p?id=7", "?other", ""]
)
def test_another_page_is_none(known: KnownPages, url: str):
    assert known.twin(bookmark(url)) is None


def test_the_very_same_address_is_a_version_and_no_twin(known: KnownPages):
    assert known.twin(bookmark("https://www.a.example/p?id=7&utm_source=x#top")) is None


def test_only_bookmarks_of_the_same_namespace_are_looked_at(known: KnownPages, rooms: Rooms):
    url = "https://a.example/p?id=7"
    assert KnownPages(rooms.shelf, Namespace(user_id="her")).twin(bookmark(url)) is None
    reference = Listing(key="k", title="T", kind="reference", url=url)
    assert known.twin(reference) is None
