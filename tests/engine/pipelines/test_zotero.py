"""A Zotero folder is read without touching it, its files stay in place, and what changes there changes here."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.preprocessing.references.zotero_cases import ZoteroFolder
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.log.lifecycle import forget_source
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.zotero import read_library
from trisynapse_memory.types import (
    HighlightDetails,
    IngestResult,
    IngestRun,
    Locator,
    Namespace,
    Outcome,
    Source,
    SourceStatus,
)

TEXT = "A turning mirror measures light.\n\nThe speed of light was found with a rotating mirror in 1862.\n"


@pytest.fixture
def zotero(tmp_path: Path) -> ZoteroFolder:
    """One paper with two authors, a tag, two collections, a note, a file with a mark; and one entry in the bin."""
    folder = ZoteroFolder(tmp_path / "Zotero")
    paper = folder.item(
        "AAAA1111",
        title="On a <i>turning</i> mirror",
        date="1862-11-00 November 1862",
        publicationTitle="Comptes rendus",
        volume="55",
        pages="501-503",
        DOI="10.1000/Mirror",
        url="https://example.org/mirror",
        abstractNote="How fast light is.",
        extra="Citation Key: foucault1862\ntex.ids: other",
    )
    folder.creator(paper, "Foucault", "Léon")
    folder.creator(paper, "Académie des sciences", mode=1)
    folder.tag(paper, "optics")
    physics = folder.collection("Physics")
    folder.collect(folder.collection("Light", physics), paper)
    folder.collect(folder.collection("To read"), paper)
    folder.note("NNNN1111", "<p>Compare with <b>Fizeau</b>.</p><ul><li>toothed wheel</li></ul>", paper)
    file = folder.attach("FFFF1111", "storage:mirror.txt", paper, content=TEXT.encode())
    folder.annotate("MMMM1111", file, "found with a rotating mirror", "the method!", "#5fb236")
    folder.bin(folder.item("BBBB1111", title="Thrown away"))
    return folder


@pytest.fixture
def sync(take: Callable[..., IngestRun], zotero: ZoteroFolder) -> Callable[[], list[IngestResult]]:
    return lambda: list(take(zotero.folder).results)


def active(rooms: Rooms, kind: str) -> dict[str, Source]:
    found = [one for one in rooms.shelf.list(Namespace()) if one.kind == kind]
    return {one.title: one for one in found if one.status is SourceStatus.ACTIVE}


def outcomes(results: list[IngestResult]) -> list[tuple[str, str]]:
    return [(one.status.value, one.reason) for one in results]


def test_an_item_becomes_a_reference_with_all_that_zotero_says_of_it(sync, rooms: Rooms):
    sync()
    (entry,) = active(rooms, "reference").values()
    assert (entry.title, entry.authors, entry.published) == (
        "On a turning mirror",
        ("Foucault, Léon", "Académie des sciences"),
        "1862-11",
    )
    assert entry.identifiers == {
        "doi": "10.1000/mirror",
        "citekey": "foucault1862",
        "url": "https://example.org/mirror",
    }
    assert entry.uri == "zotero://select/library/items/AAAA1111"
    assert entry.tags == ("optics",)
    assert entry.collections == ("Physics", "Physics > Light", "To read")
    page = rooms.log.page(entry.source_id, 1)
    assert page is not None
    text = page.text
    assert "Citation Key" not in text
    assert "tex.ids" not in text
    assert "Compare with Fizeau.\ntoothed wheel" in text
    assert "p. 1: \u201cfound with a rotating mirror\u201d \u2014 the method!" in text


def test_a_file_stays_where_it_lies_and_is_described_by_its_entry(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    (file,) = active(rooms, "text").values()
    (entry,) = active(rooms, "reference").values()
    place = zotero.folder / "storage" / "FFFF1111" / "mirror.txt"
    assert rooms.blobs.path(file.blob_hash) == place
    assert rooms.blobs.is_linked(file.blob_hash)
    assert list(rooms.blobs.hashes()) == []
    assert (file.reference, entry.files) == (entry.source_id, (file.source_id,))
    assert (file.title, file.authors[0], file.identifiers["citekey"]) == (
        "On a turning mirror",
        "Foucault, Léon",
        "foucault1862",
    )
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_a_mark_becomes_a_highlight_on_the_same_words(sync, rooms: Rooms):
    sync()
    (file,) = active(rooms, "text").values()
    (mark,) = Curation(rooms.log, rooms.shelf).highlights(file.source_id)
    assert mark.text == "found with a rotating mirror"
    assert mark.payload == HighlightDetails(colour="green", note="the method!")
    page = rooms.log.page(file.source_id, 1)
    assert page is not None
    assert mark.locator is not None
    assert page.text[mark.locator.start : mark.locator.end] == mark.text


def test_the_same_folder_again_writes_nothing(sync, rooms: Rooms):
    sync()
    head = rooms.log.head()
    assert {status for status, _ in outcomes(sync())} == {"skipped"}
    assert rooms.log.head() == head


def test_only_what_has_changed_is_new(sync, rooms: Rooms, zotero: ZoteroFolder):
    second = zotero.item("CCCC1111", "book", title="Optics")
    sync()
    zotero.set(second, "title", "Opticks")
    results = sync()
    assert [(one.title, one.version) for one in results if one.status is Outcome.SUCCESS] == [("Opticks", 2)]
    assert set(active(rooms, "reference")) == {"On a turning mirror", "Opticks"}


def test_what_has_left_zotero_is_archived_and_comes_back_with_it(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    zotero.bin(1)
    results = sync()
    assert [one.reason for one in results] == ["no longer in Zotero: archived"] * 2
    assert active(rooms, "reference") == active(rooms, "text") == {}
    zotero.run("DELETE FROM deletedItems WHERE itemID = 1")
    sync()
    assert set(active(rooms, "reference")) == set(active(rooms, "text")) == {"On a turning mirror"}


def test_what_she_forgot_here_stays_forgotten(sync, rooms: Rooms):
    sync()
    for kind in ("reference", "text"):
        (source,) = active(rooms, kind).values()
        forget_source(rooms.log, rooms.shelf, source.source_id, "not mine")
    assert outcomes(sync()) == [("skipped", "forgotten by you; bring it back from the library")] * 2
    assert active(rooms, "reference") == active(rooms, "text") == {}


def test_a_mark_that_changes_or_leaves_zotero_does_so_here(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    (file,) = active(rooms, "text").values()
    curation = Curation(rooms.log, rooms.shelf)
    curation.highlight(file.source_id, "speed of light", Locator(kind="page", page=1, start=38, end=52))
    zotero.run("UPDATE itemAnnotations SET comment = 'changed'")
    sync()
    notes = [mark.payload.note for mark in curation.highlights(file.source_id)]
    assert sorted(notes) == ["", "changed"]
    zotero.run("DELETE FROM itemAnnotations")
    sync()
    assert [mark.text for mark in curation.highlights(file.source_id)] == ["speed of light"]


def test_a_zotero_that_runs_is_neither_blocked_nor_read_half_written(sync, rooms: Rooms, zotero: ZoteroFolder):
    """Zotero holds an exclusive lock; what it is about to write is not there before it has written it."""
    running = zotero.connect()
    running.execute("PRAGMA locking_mode = EXCLUSIVE")
    running.execute("BEGIN EXCLUSIVE")
    running.execute("UPDATE itemDataValues SET value = 'Half written' WHERE value LIKE 'On a%'")
    try:
        sync()
        assert set(active(rooms, "reference")) == {"On a turning mirror"}
        running.execute("COMMIT")
    finally:
        running.close()


def test_nothing_in_the_folder_is_written(sync, zotero: ZoteroFolder):
    def states() -> dict[str, tuple[int, int]]:
        files = [path for path in zotero.folder.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    before = states()
    sync()
    assert states() == before


def test_a_file_that_is_not_on_this_machine_is_told_and_its_entry_is_there(sync, rooms: Rooms, zotero: ZoteroFolder):
    zotero.attach("GGGG1111", "storage:elsewhere.pdf", 1)
    assert ("skipped", "its file is not on this machine; open it in Zotero to fetch it") in outcomes(sync())


def test_a_path_that_leaves_the_storage_by_a_trick_is_not_followed(sync, rooms: Rooms, zotero: ZoteroFolder):
    (zotero.folder / "secret.txt").write_text("a secret of another program")
    zotero.attach("HHHH1111", "storage:../../secret.txt", 1)
    sync()
    assert set(active(rooms, "text")) == {"On a turning mirror"}


def test_groups_have_links_and_collections_of_their_own_and_feeds_are_left_out(
    sync, rooms: Rooms, zotero: ZoteroFolder
):
    zotero.item("GRUP1111", "report", library=2, title="A report of the lab")
    zotero.item("FEED1111", library=3, title="News of today")
    sync()
    entries = active(rooms, "reference")
    assert set(entries) == {"On a turning mirror", "A report of the lab"}
    report = entries["A report of the lab"]
    assert (report.uri, report.collections) == ("zotero://select/groups/4711/items/GRUP1111", ("Our lab",))


def test_an_empty_library_is_refused_rather_than_archiving_everything(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    zotero.run("DELETE FROM items")
    (result,) = sync()
    assert (result.status, result.error.code if result.error else "") == (Outcome.FAILED, SourceDamagedError.code)
    assert set(active(rooms, "reference")) == {"On a turning mirror"}


def test_a_file_that_is_no_database_is_refused(tmp_path: Path):
    (tmp_path / "zotero.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(SourceDamagedError, match=r"zotero\.sqlite"):
        read_library(tmp_path)


def test_citekeys_of_better_bibtex_are_found_in_its_own_database(zotero: ZoteroFolder):
    zotero.item("DDDD1111", "book", title="Keyed")
    other = sqlite3.connect(zotero.folder / "better-bibtex.sqlite")
    other.execute("CREATE TABLE citationkey (itemID INT, itemKey TEXT, citationKey TEXT)")
    other.execute("INSERT INTO citationkey VALUES (9, 'DDDD1111', 'keyed2020')")
    other.commit()
    other.close()
    entries = {entry.title: entry for entry in read_library(zotero.folder).entries()}
    assert entries["Keyed"].identifiers["citekey"] == "keyed2020"


def test_a_dry_run_says_what_would_become_of_everything_and_writes_nothing(take, rooms: Rooms, zotero: ZoteroFolder):
    results = take(zotero.folder, dry_run=True).results
    assert [(one.kind, one.reason) for one in results] == [("reference", "new"), ("text", "new")]
    assert rooms.log.head() == 0


def test_a_file_that_was_not_written_to_is_not_read_again(sync, rooms: Rooms, zotero: ZoteroFolder, monkeypatch):
    sync()

    def refuse(path: Path) -> None:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(rooms.blobs, "link_file", refuse)
    assert ("skipped", "unchanged") in outcomes(sync())


def test_a_file_that_has_changed_is_a_new_version(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    (zotero.folder / "storage" / "FFFF1111" / "mirror.txt").write_text(f"{TEXT}\nA second edition.\n")
    assert ("success", "new version") in outcomes(sync())
    (file,) = active(rooms, "text").values()
    assert (file.version, file.identifiers["citekey"]) == (2, "foucault1862")
    assert [mark.text for mark in Curation(rooms.log, rooms.shelf).highlights(file.source_id)] == [
        "found with a rotating mirror"
    ]


def test_a_file_goes_along_when_its_item_gets_another_collection(sync, rooms: Rooms, zotero: ZoteroFolder):
    sync()
    zotero.collect(zotero.collection("Secret"), 1)
    zotero.tag(1, "new")
    sync()
    (file,) = active(rooms, "text").values()
    assert "Secret" in file.collections
    assert "new" in file.tags


def test_a_watched_folder_of_zotero_is_followed_when_its_database_changes(engine: MemoryEngine, zotero: ZoteroFolder):
    engine.watching.add(str(zotero.folder))
    (run,) = engine.watching.sync()
    assert [(one.kind, one.status.value) for one in run.results] == [("reference", "success"), ("text", "success")]
    assert engine.watching.sync() == ()
    zotero.bin(1)
    (run,) = engine.watching.sync()
    assert [one.reason for one in run.results] == ["no longer in Zotero: archived"] * 2
