"""A remote model is shown what no mark and no rule holds back; a model in this machine is shown everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.staffing.sharing import SENSITIVE, Held, Sharer
from trisynapse_memory.types import (
    CorrectionDetails,
    Draft,
    FactDetails,
    IngestRun,
    Kind,
    Record,
    Sharing,
    SourceInput,
    SummaryDetails,
)


class Leaving(NamedTuple):
    is_remote: bool = True


REMOTE, LOCAL = Leaving(), Leaving(is_remote=False)


@pytest.fixture
def rules() -> dict[str, Sharing]:
    return {}


@pytest.fixture
def sharer(rooms: Rooms, rules: dict[str, Sharing]) -> Sharer:
    return Sharer(rooms.log, lambda: rules)


@pytest.fixture
def put(rooms: Rooms, take: Callable[..., IngestRun]) -> Callable[..., Record]:
    """Take one text in, in some collections, and return its record."""

    def put_one(text: str, *collections: str) -> Record:
        take(SourceInput(text=text, title=text, collections=collections))
        return rooms.log.of_kind(Kind.RAW_SOURCE)[-1]

    return put_one


def summary_of(log: MemoryLog, *records: Record) -> Record:
    details = SummaryDetails(group_id="collection:A", evidence_hash="h", topic="", sentences=(), sentence_record_ids=())
    draft = Draft(kind=Kind.SUMMARY, text="Both.", evidence_ids=tuple(record.id for record in records), payload=details)
    return log.append([draft])[0]


def fact_of(log: MemoryLog, record: Record) -> Record:
    details = FactDetails(extractor="pattern", extractor_version=1, pattern="p", spans=((0, 3),))
    draft = Draft(kind=Kind.FACT, text="fact", source_id=record.source_id, evidence_ids=(record.id,), payload=details)
    return log.append([draft])[0]


def shown(sharer: Sharer, *records: Record, once: tuple[str, ...] = ()) -> list[int]:
    return list(sharer.split([record.seq for record in records], REMOTE, once).shown)


def test_without_a_rule_everything_is_shown(sharer: Sharer, put: Callable[..., Record]):
    record = put("One.", "A")
    assert shown(sharer, record) == [record.seq]
    assert sharer.split((), REMOTE) == ((), ())


def test_a_marked_source_is_held_back_from_remote_models_only(rooms: Rooms, sharer: Sharer, put: Callable[..., Record]):
    record = put("Secret.")
    Sensitivity(rooms.log).mark([str(record.source_id)])
    assert sharer.split([record.seq], REMOTE).held == (Held(record.seq, SENSITIVE),)
    assert sharer.split([record.seq], LOCAL).shown == (record.seq,)
    assert sharer.forbidden_sources([str(record.source_id)]) == {record.source_id}


def test_the_strictest_rule_of_several_collections_holds(
    sharer: Sharer, rules: dict[str, Sharing], put: Callable[..., Record]
):
    record = put("One.", "A", "B", "C")
    rules |= {"A": Sharing.ALLOW, "B": Sharing.ASK, "C": Sharing.NEVER}
    assert sharer.split([record.seq], REMOTE).held == (Held(record.seq, "never", ("C",)),)
    rules["C"] = Sharing.ALLOW
    assert sharer.split([record.seq], REMOTE).asks == ("B",)
    assert shown(sharer, record, once=("B",)) == [record.seq]
    assert shown(sharer, record, once=("A",)) == []


def test_sharing_once_never_lifts_never(sharer: Sharer, rules: dict[str, Sharing], put: Callable[..., Record]):
    record = put("One.", "A")
    rules["A"] = Sharing.NEVER
    assert shown(sharer, record, once=("A", "")) == []


def test_the_empty_name_is_the_rule_of_sources_whose_collections_have_none(
    sharer: Sharer, rules: dict[str, Sharing], put: Callable[..., Record]
):
    free, other, allowed = put("One."), put("Two.", "B"), put("Three.", "A")
    rules |= {"": Sharing.NEVER, "A": Sharing.ALLOW}
    assert shown(sharer, free, other, allowed) == [allowed.seq]


def test_facts_summaries_and_corrections_follow_what_they_rest_on(
    rooms: Rooms, sharer: Sharer, rules: dict[str, Sharing], put: Callable[..., Record]
):
    secret, free = put("Secret.", "A"), put("Free.")
    fact = fact_of(rooms.log, secret)
    both, clean = summary_of(rooms.log, free, fact), summary_of(rooms.log, free)
    correction = Draft(
        kind=Kind.FACT, text="Right.", payload=CorrectionDetails(target_record_id=secret.id, reason="typo")
    )
    (correct,) = rooms.log.append([correction])
    rules["A"] = Sharing.NEVER
    assert shown(sharer, secret, free, fact, both, clean, correct) == [free.seq, clean.seq]


def test_a_summary_is_not_held_back_for_having_no_source(
    rooms: Rooms, sharer: Sharer, rules: dict[str, Sharing], put: Callable[..., Record]
):
    record = put("One.", "A")
    rules |= {"": Sharing.NEVER, "A": Sharing.ALLOW}
    summary = summary_of(rooms.log, record)
    assert shown(sharer, summary) == [summary.seq]


def test_a_new_version_and_one_that_comes_back_stay_under_the_rule(
    rooms: Rooms, sharer: Sharer, rules: dict[str, Sharing], take: Callable[..., IngestRun]
):
    rules["A"] = Sharing.NEVER
    curation = Curation(rooms.log, rooms.shelf)

    def write(text: str) -> Record:
        take(SourceInput(text=text, source_key="k", title="t"))
        return next(one for one in reversed(rooms.log.of_kind(Kind.RAW_SOURCE)) if one.text == text)

    first = write("First.")
    curation.collect(str(first.source_id), "A")
    second = write("Second.")
    assert shown(sharer, first, second) == []
    curation.uncollect(str(second.source_id), "A")
    assert shown(sharer, first, second) == [first.seq, second.seq]


def test_the_stamp_changes_with_each_mark_each_move_and_each_rule(rooms: Rooms, put: Callable[..., Record]):
    revision = [0]
    sharer = Sharer(rooms.log, dict, lambda: revision[0])
    record = put("One.")
    stamps = {sharer.stamp()}
    Sensitivity(rooms.log).mark([str(record.source_id)])
    stamps.add(sharer.stamp())
    Curation(rooms.log, rooms.shelf).collect(str(record.source_id), "A")
    stamps.add(sharer.stamp())
    revision[0] += 1
    stamps.add(sharer.stamp())
    assert len(stamps) == 4
