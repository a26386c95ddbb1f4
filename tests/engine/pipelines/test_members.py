"""Every bookmark is a source of its own: searchable at once, followed nowhere, edited and reverted like a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.members import BATCH_MEMBERS, Membership, take_members
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestResult, Kind, Listing, Modality, Namespace, Outcome, QueryTerm, Scope

FILE = Membership(label="/b.html", container="/b.html", namespace=Namespace(), collections=("Links",))


def bookmark(number: int, title: str = "", **fields) -> Listing:
    url = f"https://example.org/{number}?utm_source=x&copy=3"
    title = title or f"Mirror {number}"
    return Listing(key=url, title=title, url=url, text=f"{title}\n{url}", **fields)


@pytest.fixture
def keep(rooms: Rooms) -> Callable[..., list[IngestResult]]:
    def run(*listings: Listing) -> list[IngestResult]:
        return list(take_members(rooms, FILE, listings))

    return run


def titles(rooms: Rooms, word: str) -> list[str]:
    hits = rooms.lexical.search([QueryTerm(word)], Scope(), 1000)
    return sorted(record.text.splitlines()[0] for record in rooms.log.by_seqs([hit.seq for hit in hits]))


def outcomes(results: Sequence[IngestResult]) -> list[tuple[str, str]]:
    return [(result.status.value, result.reason) for result in results]


def test_a_bookmark_is_a_source_with_one_page_that_can_be_cited(keep, rooms: Rooms):
    (result,) = keep(bookmark(1, path=("Physics", "Light"), tags=("speed",)))
    assert (result.status, result.kind, result.record_count, result.verdicts) == (
        Outcome.SUCCESS,
        "bookmark",
        1,
        {"ok": 1},
    )
    source = rooms.shelf.get(result.source_id)
    assert (source.uri, source.container, source.collections, source.tags) == (
        "https://example.org/1?utm_source=x&copy=3",
        "/b.html",
        ("Links",),
        ("speed",),
    )
    (record,) = rooms.log.of_source(result.source_id, Kind.RAW_SOURCE)
    assert (record.modality, record.locator.kind, record.fields["folder"]) == (
        Modality.BOOKMARK,
        "link",
        "Physics > Light",
    )
    page = rooms.log.page(result.source_id, 1)
    assert page.text[record.locator.start : record.locator.end] == record.text
    assert titles(rooms, "physics") == titles(rooms, "mirror") == ["Mirror 1"]


def test_the_same_file_again_writes_nothing(keep, rooms: Rooms):
    keep(bookmark(1), bookmark(2))
    head = rooms.log.head()
    assert outcomes(keep(bookmark(1), bookmark(2))) == [("skipped", "unchanged")] * 2
    assert rooms.log.head() == head


def test_left_out_and_repeated_links_say_why_and_write_nothing(keep, rooms: Rooms):
    results = keep(bookmark(1, skipped="javascript: is no page"), bookmark(2, duplicate_of="https://example.org/1"))
    assert outcomes(results) == [
        ("skipped", "javascript: is no page"),
        ("skipped", "duplicate of https://example.org/1"),
    ]
    assert rooms.log.head() == 0


def test_a_renamed_bookmark_is_a_new_version_and_the_old_name_leaves(keep, rooms: Rooms):
    keep(bookmark(1, "An old mirror"))
    (result,) = keep(bookmark(1, "A new mirror"))
    assert (result.version, titles(rooms, "mirror")) == (2, ["A new mirror"])


def test_a_bookmark_that_gets_its_old_name_back_is_the_old_version_again(keep, rooms: Rooms):
    (first,) = keep(bookmark(1, "An old mirror"))
    keep(bookmark(1, "A new mirror"))
    (back,) = keep(bookmark(1, "An old mirror"))
    assert (back.source_id, back.status, titles(rooms, "mirror")) == (
        first.source_id,
        Outcome.SUCCESS,
        ["An old mirror"],
    )
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_many_bookmarks_come_in_batches_and_none_is_lost(keep, rooms: Rooms):
    count = BATCH_MEMBERS + 5
    results = keep(*(bookmark(n) for n in range(count)))
    assert len(results) == len(titles(rooms, "mirror")) == rooms.shelf.counts()["active"] == count
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_a_crash_between_two_batches_costs_the_second_one_only(keep, rooms: Rooms):
    def listings():
        yield from (bookmark(n) for n in range(BATCH_MEMBERS))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(take_members(rooms, FILE, listings()))
    assert rooms.shelf.counts() == {"active": BATCH_MEMBERS}
    again = keep(*(bookmark(n) for n in range(BATCH_MEMBERS + 1)))
    assert sum(result.status is Outcome.SUCCESS for result in again) == 1
