"""Every earlier end of the log can be read again: what was visible then is what a shorter log shows now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.moments import seq_at, visible_as_of
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.state import fold
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import struck_spans
from trisynapse_memory.types import (
    CompletionDetails,
    Draft,
    FactDetails,
    Kind,
    Record,
    SourceDetails,
    SourceId,
    SourceStatus,
)

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TEXT = "One is one. Two is two. Three is three."
SPANS = ((0, 11), (12, 23), (24, 39))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("grow", "half", "fact", "correct", "correct", "forget", "reinstate", "forget source", "reinstate source")
        ),
        st.integers(0, 30),
        st.integers(0, 2),
    ),
    max_size=14,
)


class Life:
    """One random life of a log, with what was visible after each record, as a log that ended there shows it."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.shelf = Shelf(log)
        self.versions = 0

    def take(self, verb: str, index: int, place: int) -> None:
        """Do one step, if the log has something to do it to."""
        citable = [one for one in self.log.after(0, 10_000) if one.kind in (Kind.RAW_SOURCE, Kind.FACT)]
        sources = [one.source_id for one in self.log.of_kind(Kind.SOURCE)]
        target = citable[index % len(citable)] if citable else None
        if verb in ("grow", "half"):
            self.grow(f"key {index % 2}", complete=verb == "grow")
        elif target is None:
            return
        elif verb == "fact":
            self.fact(target, place)
        elif verb == "correct":
            lifecycle.correct(self.log, target.id, f"Right is {index}.", "because")
        elif verb == "forget":
            lifecycle.forget_record(self.log, target.id, "no")
        elif verb == "reinstate":
            lifecycle.reinstate_record(self.log, target.id, "yes")
        elif verb == "forget source":
            lifecycle.forget_source(self.log, self.shelf, str(sources[index % len(sources)]), "no")
        else:
            lifecycle.reinstate_source(self.log, self.shelf, str(sources[index % len(sources)]), "yes")

    def grow(self, key: str, *, complete: bool) -> None:
        """Append one version of a source with one record."""
        self.versions += 1
        source_id = SourceId(f"src_{self.versions}")
        current = self.shelf.active(key, Draft(kind=Kind.PAGE).namespace)
        details = SourceDetails(
            source_key=key,
            kind="text",
            title=key,
            version=self.versions,
            content_hash=str(self.versions),
            replaces=None if current is None else current.source_id,
        )
        self.log.append(
            [
                Draft(kind=Kind.SOURCE, source_id=source_id, payload=details),
                Draft(kind=Kind.RAW_SOURCE, text=TEXT, source_id=source_id),
            ]
        )
        if complete:
            lifecycle.complete(self.log, self.shelf, source_id, {})

    def fact(self, target: Record, place: int) -> None:
        """Append a fact on a record."""
        details = FactDetails(pattern="p", extractor="pattern", extractor_version=1, spans=(SPANS[place],))
        self.log.append(
            [Draft(kind=Kind.FACT, text="f", evidence_ids=(target.id,), source_id=target.source_id, payload=details)]
        )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lives")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_the_past_is_what_a_log_that_ended_there_shows(place: Path, steps: list[tuple[str, int, int]]):
    for part in place.glob("life*"):
        part.unlink()
    log = MemoryLog(place / "life.db", "dev")
    life = Life(log)
    indexed: dict[int, bool] = {}
    for step in steps:
        before = log.head()
        life.take(*step)
        fresh = log.after(before, 100)
        indexed |= log.changed_visibility(fresh)
        seen = log.visible([one.seq for one in fresh])
        indexed |= {one.seq: one.seq in seen for one in fresh if one.kind in (Kind.RAW_SOURCE, Kind.FACT)}
    records = log.after(0, 10_000)
    seqs = [one.seq for one in records]
    # An index that only hears of changes knows what a full look shows.
    assert {seq for seq, shown in indexed.items() if shown} == log.visible(seqs) & set(indexed)
    past = {n: (visible_as_of(log, seqs, n), struck_spans(log, seqs, n)) for n in range(len(seqs) + 1)}
    assert past[len(seqs)] == (log.visible(seqs), struck_spans(log, seqs))
    shorter = MemoryLog(place / "life-shorter.db", "dev")
    for record in records:
        _copy(log, shorter, record)
        upto = seqs[: record.seq]
        assert shorter.visible(upto) == past[record.seq][0]
        assert struck_spans(shorter, upto) == past[record.seq][1]
    before = _derived(log)
    log.refold()
    assert _derived(log) == before == _derived(shorter)
    shorter.close()
    log.close()


def _copy(log: MemoryLog, other: MemoryLog, record: Record) -> None:
    """Append one record of a log to another one, as it is."""
    with log.database.read() as connection:
        row = connection.execute("SELECT * FROM records WHERE seq = ?", (record.seq,)).fetchone()
    assert row is not None
    with other.database.write() as connection:
        connection.execute(f"INSERT INTO records VALUES ({','.join('?' * len(row))})", row)
        fold(connection, record)


def _derived(log: MemoryLog) -> list[tuple]:
    from trisynapse_memory.log.schema import DERIVED_TABLES

    with log.database.read() as connection:
        return [
            (table, tuple(sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)))
            for table in DERIVED_TABLES
        ]


def test_a_superseded_version_is_visible_as_of_its_days(log: MemoryLog, grow: Callable[..., str]):
    old = log.of_source(grow("a", "old"), Kind.RAW_SOURCE)[0]
    days = log.head()
    new = log.of_source(grow("a", "new"), Kind.RAW_SOURCE)[0]
    assert visible_as_of(log, [old.seq, new.seq], days) == {old.seq}
    assert visible_as_of(log, [old.seq, new.seq], log.head()) == {new.seq}
    assert visible_as_of(log, [old.seq, new.seq], new.seq) == {old.seq}, "it was not whole yet"


def test_the_past_costs_what_its_candidates_cost_not_what_the_log_holds(log: MemoryLog):
    log.append([Draft(kind=Kind.RAW_SOURCE, text=str(number)) for number in range(300)])
    with log.database.read() as connection:
        from trisynapse_memory.log import visibility

        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT r.seq FROM records r WHERE r.seq IN (SELECT value FROM json_each('[1]'))"
            f" AND {visibility._VISIBLE_THEN_SQL}",
            {"then": 1},
        ).fetchall()
    steps = [str(row[3]) for row in plan]
    assert [step for step in steps if step.startswith("SCAN") and "json_each" not in step] == []


@pytest.mark.parametrize(("milliseconds", "seq"), [(-1, 0), (0.5, 0), (1, 1), (2.9, 2), (3, 3), (1e9, 5)])
def test_a_moment_is_the_last_record_written_by_then(log: MemoryLog, milliseconds: float, seq: int):
    log.append([Draft(kind=Kind.RAW_SOURCE, text=str(number)) for number in range(5)])  # one a millisecond
    assert seq_at(log, START + timedelta(milliseconds=milliseconds)) == seq


def test_an_empty_log_has_no_moment(log: MemoryLog):
    assert seq_at(log, START) == 0


def test_a_source_completed_twice_has_one_spell(log: MemoryLog, shelf: Shelf, grow: Callable[..., str]):
    source_id = grow("a", "one")
    log.append([Draft(kind=Kind.COMPLETION, payload=CompletionDetails(target_source_id=source_id, verdicts={"ok": 1}))])
    assert shelf.get(source_id).status is SourceStatus.ACTIVE
    with log.database.read() as connection:
        spells = connection.execute("SELECT status, to_seq IS NULL FROM source_spells ORDER BY from_seq").fetchall()
    assert spells == [("arriving", 0), ("active", 1)]
