"""What the log says now: versions, hidden records, tags; the same rows as they came or folded all over again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.schema import DERIVED_TABLES
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, Kind, SourceStatus

Grow = Callable[..., str]


def rows(log: MemoryLog) -> list[tuple]:
    with log.database.read() as connection:
        return [
            (table, *row)
            for table in DERIVED_TABLES
            for row in sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
        ]


def seen(log: MemoryLog) -> list[str]:
    records = [record for record in log.after(0, 1000) if record.kind is Kind.RAW_SOURCE]
    visible = log.visible([record.seq for record in records])
    return [record.text for record in records if record.seq in visible]


def test_a_first_version_is_seen_while_it_arrives(log: MemoryLog, grow: Grow):
    grow("a", "one", complete=False)
    assert seen(log) == ["one"]


def test_a_second_version_is_seen_only_when_it_is_whole_and_takes_the_first_away(log: MemoryLog, grow: Grow):
    grow("a", "old")
    new = grow("a", "new", complete=False)
    assert seen(log) == ["old"]
    lifecycle.complete(log, Shelf(log), new, {"ok": 1})
    assert seen(log) == ["new"]


def test_a_version_that_never_finished_leaves_with_the_next_one(log: MemoryLog, shelf: Shelf, grow: Grow):
    # A crash in the first version, an edit, and the file again: half of the old text must not stay beside the new.
    half = grow("a", "half of the old", complete=False)
    whole = grow("a", "the new")
    assert seen(log) == ["the new"]
    assert shelf.get(half).status is SourceStatus.SUPERSEDED
    assert shelf.get(whole).status is SourceStatus.ACTIVE
    completion = log.of_kind(Kind.COMPLETION)[-1]
    changed = log.changed_visibility([completion])
    assert sorted(changed.values()) == [False, True], "the indexes must hear of both"


def test_a_completion_touches_no_other_key(log: MemoryLog, shelf: Shelf, grow: Grow):
    other = grow("b", "arriving still", complete=False)
    grow("a", "whole")
    assert shelf.get(other).status is SourceStatus.ARRIVING
    assert set(seen(log)) == {"arriving still", "whole"}


def test_a_forgotten_record_is_hidden_and_comes_back(log: MemoryLog, grow: Grow):
    grow("a", "one", "two")
    target = next(record for record in log.after(0, 99) if record.text == "one" and record.kind is Kind.RAW_SOURCE)
    lifecycle.forget_record(log, target.id, "wrong")
    assert seen(log) == ["two"]
    lifecycle.reinstate_record(log, target.id, "right after all")
    assert seen(log) == ["one", "two"]


def test_a_record_hidden_by_itself_stays_hidden_when_its_source_comes_back(log: MemoryLog, shelf: Shelf, grow: Grow):
    source_id = grow("a", "one", "two")
    target = next(record for record in log.after(0, 99) if record.text == "one" and record.kind is Kind.RAW_SOURCE)
    lifecycle.forget_record(log, target.id, "wrong")
    lifecycle.forget_source(log, shelf, source_id, "all of it")
    assert seen(log) == []
    lifecycle.reinstate_source(log, shelf, source_id, "back")
    assert seen(log) == ["two"]


def test_changed_visibility_is_what_really_changed(log: MemoryLog, shelf: Shelf, grow: Grow):
    old = grow("a", "one", "two")
    grow("b", "other")
    lifecycle.forget_source(log, shelf, old, "no")
    (retraction,) = log.of_kind(Kind.RETRACTION)
    changed = log.changed_visibility([retraction])
    assert [log.by_seqs([seq])[0].text for seq in changed] == ["one", "two"]
    assert set(changed.values()) == {False}
    assert log.changed_visibility(log.of_kind(Kind.PAGE)) == {}


def test_counts_and_pages_are_the_sources_own(shelf: Shelf, grow: Grow):
    source = shelf.get(grow("a", "one", "two"))
    assert (source.record_count, source.page_count, source.verdicts) == (2, 2, {"ok": 2})


def test_a_removed_content_is_seen_by_nobody(log: MemoryLog, grow: Grow):
    grow("a", "one", "two")
    with log.database.write() as connection:
        connection.execute("UPDATE records SET salt = NULL, content = NULL WHERE seq = 3")
    assert seen(log) == ["two"]
    assert log.visible_count() == 1


def test_a_source_record_that_is_repeated_changes_nothing(log: MemoryLog, shelf: Shelf, grow: Grow):
    grow("a", "one")
    before = rows(log)
    source = log.of_kind(Kind.SOURCE)[0]
    log.append([Draft(kind=Kind.SOURCE, text="x", source_id=source.source_id, payload=source.payload)])
    assert rows(log) == before


@pytest.fixture
def busy(log: MemoryLog, shelf: Shelf, grow: Grow) -> MemoryLog:
    """A log in which everything that can happen to a source has happened."""
    one = grow("a", "one", "two", collections=("first",), tags=("t",))
    grow("a", "three")
    lifecycle.reinstate_source(log, shelf, one, "back to the first")
    two = grow("b", "four", title="B")
    lifecycle.forget_source(log, shelf, two, "away")
    grow("c", "five", complete=False)
    grow("c", "six")
    curation = Curation(log, shelf)
    curation.tag(one, "x")
    curation.untag(one, "t")
    curation.collect(one, "light")
    curation.uncollect(one, "first")
    curation.retitle(one, "A better title")
    target = next(record for record in log.after(0, 99) if record.text == "two" and record.kind is Kind.RAW_SOURCE)
    lifecycle.forget_record(log, target.id, "no")
    return log


def test_folding_all_over_again_gives_the_same_rows(busy: MemoryLog):
    before, visible = rows(busy), seen(busy)
    busy.refold()
    assert rows(busy) == before
    assert seen(busy) == visible == ["one", "six"]


def test_tags_collections_and_titles_are_what_was_said_last(busy: MemoryLog, shelf: Shelf):
    (source,) = [one for one in shelf.list(Draft(kind=Kind.PAGE).namespace) if one.source_key == "a"]
    assert (source.tags, source.collections, source.title) == (("x",), ("light",), "A better title")
