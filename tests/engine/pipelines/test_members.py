"""Every bookmark is a source of its own: searchable at once, followed nowhere, edited and reverted like a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from msgspec import structs

from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.members import BATCH_MEMBERS, Membership, foresee_members, take_members
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
        ("Links", "Physics", "Physics > Light"),
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


def test_a_bookmark_in_another_folder_or_with_another_tag_is_a_new_version(keep, rooms: Rooms):
    keep(bookmark(1, path=("Old",), tags=("a",)))
    (moved,) = keep(bookmark(1, path=("New",), tags=("a",)))
    (tagged,) = keep(bookmark(1, path=("New",), tags=("b",)))
    assert (moved.version, tagged.version) == (2, 3)
    source = rooms.shelf.get(tagged.source_id)
    assert (source.collections, source.tags) == (("Links", "New"), ("b",))


def test_a_bookmark_is_found_by_its_folder_its_tag_and_its_day(keep, rooms: Rooms):
    keep(bookmark(1, path=("Optics",), tags=("speed",), observed_at=datetime(2016, 5, 19, 19, 41, tzinfo=UTC)))
    for word in ("optics", "speed", "2016", "may"):
        assert titles(rooms, word) == ["Mirror 1"], word


def test_a_page_under_another_address_in_another_file_is_a_duplicate(keep, rooms: Rooms):
    keep(bookmark(1))
    other = Membership(label="/c.html", container="/c.html", namespace=Namespace())
    url = "http://www.example.org/1/?copy=3#top"
    listing = Listing(key=url, title="Same page", url=url, text="Same page")
    (result,) = take_members(rooms, other, [listing])
    assert outcomes([result]) == [("skipped", "duplicate of 'Mirror 1' (https://example.org/1?utm_source=x&copy=3)")]
    assert rooms.shelf.counts() == {"active": 1}


def test_one_address_in_two_files_is_one_bookmark_in_the_folders_of_both(keep, rooms: Rooms):
    keep(bookmark(1, path=("Optics",), tags=("speed",)))
    other = Membership(label="/c.html", container="/c.html", namespace=Namespace())
    (result,) = take_members(rooms, other, [bookmark(1, path=("Later",), tags=("read",))])
    source = rooms.shelf.get(result.source_id)
    assert (result.version, source.collections, source.tags) == (2, ("Later", "Links", "Optics"), ("read", "speed"))
    (record,) = rooms.log.of_source(result.source_id, Kind.RAW_SOURCE)
    assert (record.locator.path, record.fields["also in"], record.fields["tags"]) == (
        ("Later",),
        "Optics",
        "read, speed",
    )


def test_of_two_files_the_earlier_date_and_the_only_note_stay(keep, rooms: Rooms):
    early, late = datetime(2016, 5, 19, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    noted = structs.replace(bookmark(1, observed_at=early), text="Mirror 1\nOn remembering.")
    bare = structs.replace(bookmark(1, "Renamed", observed_at=late), text="Renamed")
    keep(noted)
    (result,) = take_members(rooms, structs.replace(FILE, container="/c.html"), [bare])
    (record,) = rooms.log.of_source(result.source_id, Kind.RAW_SOURCE)
    assert (record.text, record.observed_at) == ("Renamed\nOn remembering.", early)


def test_two_files_that_name_one_address_can_be_read_again_without_a_change(keep, rooms: Rooms):
    other = Membership(label="/c.html", container="/c.html", namespace=Namespace())
    keep(bookmark(1, path=("Optics",)))
    list(take_members(rooms, other, [bookmark(1, path=("Later",))]))
    head = rooms.log.head()
    assert outcomes(keep(bookmark(1, path=("Optics",)))) == [("skipped", "unchanged")]
    assert outcomes([*take_members(rooms, other, [bookmark(1, path=("Later",))])]) == [("skipped", "unchanged")]
    assert rooms.log.head() == head


def test_a_dry_run_says_what_would_become_of_each_and_writes_nothing(keep, rooms: Rooms):
    keep(bookmark(1), bookmark(2))
    head = rooms.log.head()
    listings = [
        bookmark(1),
        bookmark(2, "Renamed"),
        bookmark(3),
        bookmark(4, duplicate_of=bookmark(3).key),
        bookmark(5, skipped="'javascript:' is no web address"),
        Listing(key="http://example.org/1/?copy=3", title="T", url="http://example.org/1/?copy=3", text="T"),
    ]
    assert [result.reason for result in foresee_members(rooms, FILE, listings)] == [
        "duplicate",
        "changed",
        "new",
        f"duplicate of {bookmark(3).key}",
        "'javascript:' is no web address",
        f"duplicate of 'Mirror 1' ({bookmark(1).url})",
    ]
    assert rooms.log.head() == head


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


BIBLIOGRAPHY = Membership(label="/r.bib", container="/r.bib", namespace=Namespace(), loader="bibtex")


def entry(number: int, **said) -> Listing:
    title = said.pop("title", f"A long title of work {number}")
    return Listing(
        key=f"k{number}", title=title, kind="reference", text=said.pop("text", f"{title}\nFoucault, Léon"),
        authors=("Foucault, Léon",), published="1862-11", identifiers={"doi": f"10.1000/{number}"},
        fields={"type": "article", "journal": "Comptes rendus"}, entry=f"@article{{k{number}}}", **said,
    )  # fmt: skip


@pytest.fixture
def cite(rooms: Rooms) -> Callable[..., list[IngestResult]]:
    def run(*listings: Listing) -> list[IngestResult]:
        return list(take_members(rooms, BIBLIOGRAPHY, listings))

    return run


def test_a_reference_is_a_source_with_all_that_its_entry_says(cite, rooms: Rooms):
    (result,) = cite(entry(1, path=("Thesis", "Light"), tags=("speed",), collections=("To read",)))
    assert (result.status, result.kind, result.input) == (Outcome.SUCCESS, "reference", "/r.bib#k1")
    source = rooms.shelf.get(result.source_id)
    assert (source.authors, source.published, source.identifiers) == (
        ("Foucault, Léon",),
        "1862-11",
        {"doi": "10.1000/1"},
    )
    assert (source.tags, source.container) == (("speed",), "/r.bib")
    assert {"Thesis > Light", "To read"} <= set(source.collections)
    (details,) = rooms.log.of_source(source.source_id, Kind.SOURCE)
    assert (details.payload.entry, details.payload.loader) == ("@article{k1}", "bibtex")
    (record,) = rooms.log.of_source(source.source_id, Kind.RAW_SOURCE)
    assert (record.modality, record.fields["journal"]) == (Modality.STRUCTURED, "Comptes rendus")
    assert titles(rooms, "comptes") == ["A long title of work 1"]


def test_any_change_of_an_entry_is_a_new_version_and_none_is_none(cite, rooms: Rooms):
    cite(entry(1), entry(2))
    results = cite(entry(1), entry(2, tags=("new",)))
    assert outcomes(results) == [("skipped", "unchanged"), ("success", "new version")]


def test_the_same_entry_of_another_bibliography_is_told(cite, rooms: Rooms):
    (first,) = cite(entry(1))
    other = Membership(label="/s.bib", container="/s.bib", namespace=Namespace(), loader="bibtex")
    (result,) = take_members(rooms, other, [entry(1)])
    assert (result.source_id, result.reason) == (first.source_id, "duplicate of 'A long title of work 1'")


def test_her_own_tags_survive_a_new_version_and_those_of_the_file_follow_it(cite, rooms: Rooms):
    (first,) = cite(entry(1, tags=("old",), collections=("Old",)))
    curation = Curation(rooms.log, rooms.shelf)
    curation.tag(first.source_id, "mine")
    curation.collect(first.source_id, "My own")
    (second,) = cite(entry(1, tags=("new",), collections=("New",)))
    source = rooms.shelf.get(second.source_id)
    assert (source.tags, source.collections) == (("new", "mine"), ("New", "My own"))


def test_long_notes_go_on_in_further_records_that_lie_in_the_page(cite, rooms: Rooms):
    text = "A title\n\n" + " ".join(f"Sentence number {n} of a long note says something." for n in range(100))
    (result,) = cite(entry(1, text=text))
    records = rooms.log.of_source(result.source_id, Kind.RAW_SOURCE)
    assert len(records) == result.record_count > 3
    page = rooms.log.page(result.source_id, 1)
    assert all(page.text[one.locator.start : one.locator.end] == one.text for one in records)
    assert ["journal" in one.fields for one in records] == [True, *[False] * (len(records) - 1)]
    assert check_log(rooms.log, rooms.blobs)[0] == []
