"""However facts, visibility, merges and her words arrive, the claims are those of an index built from scratch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claim_cases import EVERYTHING, Case, Entry, correction, fact, merge, reread, resolution, unmerge, whole
from trisynapse_memory.types import Kind, Namespace, Record, Scope, SourceId

SUBJECTS = ("LoRA", "Low-Rank Adaptation", "Mr. Holmes", "Sherlock Holmes", "Mycroft Holmes", "the model", "BERT")
NAMESPACES = (Namespace(), Namespace(user_id="ada"))
DATES = (None, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC))
STATEMENTS = (
    ("uses", "Adam"),
    ("uses", "LoRA"),
    ("pretrained_with", "Adam"),
    ("pretrained_with", "AdamW"),
    ("owned_by", "Acme"),
    ("owned_by", "Mr. Holmes"),
    ("has_result", "92.3%"),
    ("has_result", "92%"),
    ("has_result", "88%"),
    ("stands_for", "Low-Rank Adaptation"),
    ("stands_for", "Long Range Attention"),
)

facts = st.fixed_dictionaries(
    {
        "subject": st.sampled_from(SUBJECTS),
        "statement": st.sampled_from(STATEMENTS),
        "source": st.sampled_from(("a", "b", "c", "")),
        "namespace": st.sampled_from(NAMESPACES),
        "observed_at": st.sampled_from(DATES),
        "confidence": st.sampled_from((0.3, 0.7, 0.9)),
        "negated": st.booleans(),
        "hedged": st.booleans(),
        "qualifiers": st.sampled_from(({}, {}, {"dataset": "X"}, {"task": "one"}, {"task": "two"})),
        "corrects": st.booleans(),
    }
)
steps = st.lists(
    st.one_of(
        facts.map(lambda drawn: ("fact", drawn)),
        facts.map(lambda drawn: ("fact", drawn)),
        facts.map(lambda drawn: ("fact", drawn)),
        st.tuples(st.just("flip"), st.integers(0, 40)),
        st.tuples(st.just("merge"), st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(SUBJECTS))),
        st.tuples(st.just("unmerge"), st.integers(0, 5)),
        st.tuples(st.just("resolve"), st.integers(0, 5)),
        st.tuples(st.just("whole"), st.tuples(st.sampled_from("abc"), st.sampled_from(("h1", "h2", "")))),
        st.just(("commit", None)),
    ),
    max_size=40,
)


class Story:
    """Tells one index step by step, and remembers what it told so that another one can hear it at once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.entries: dict[int, Entry] = {}
        self.events: list[Record] = []
        self.visible: dict[int, bool] = {}
        self.seq = 0
        self._fresh: list[Entry] = []
        self._fresh_events: list[Record] = []
        self._flips: dict[int, bool] = {}

    def step(self, kind: str, drawn: Any) -> None:
        if kind == "commit":
            self.commit()
            return
        if kind == "flip":
            self._flip(drawn)
            return
        self.seq += 1
        if kind == "fact":
            self._fact(dict(drawn))
        elif kind == "whole":
            self._event((whole if self.seq % 2 else reread)(self.seq, *drawn))
        elif kind == "merge":
            self._event(merge(self.seq, *drawn))
        elif kind == "unmerge":
            self.commit()
            known = self.case.index.aliases(EVERYTHING)
            if known:
                self._event(unmerge(self.seq, known[drawn % len(known)].alias_id))
        else:
            self.commit()
            contested = self.case.claims(status="contested")
            if contested:
                claim = contested[drawn % len(contested)]
                self._event(resolution(self.seq, claim.claim_id, claim.objects[-1], removed=drawn == 5))

    def _fact(self, drawn: dict[str, Any]) -> None:
        relation, value = drawn.pop("statement")
        if drawn.pop("corrects"):
            kept = {key: drawn[key] for key in ("namespace", "observed_at")}
            entry = correction(self.seq, 1, drawn["subject"], relation, value, source=drawn["source"] or "a", **kept)
        else:
            entry = fact(self.seq, drawn.pop("subject"), relation, value, **drawn)
        self.entries[self.seq] = entry
        self.visible[self.seq] = True
        self._fresh.append(entry)

    def _event(self, event: Record) -> None:
        self.events.append(event)
        self._fresh_events.append(event)

    def _flip(self, position: int) -> None:
        if not self.entries:
            return
        seq = sorted(self.entries)[position % len(self.entries)]
        self.visible[seq] = not self.visible[seq]
        self._flips[seq] = self.visible[seq]

    def commit(self) -> None:
        """Apply what has gathered: visibility of what is new comes with it, of what is old beside it."""
        fresh = {entry.record.seq for entry in self._fresh}
        entries = [Entry(one.record, self.visible[one.record.seq]) for one in self._fresh]
        older = {seq: seen for seq, seen in self._flips.items() if seq not in fresh}
        self.case.index.apply(entries, older, self.seq, self._fresh_events)
        self._fresh, self._fresh_events, self._flips = [], [], {}

    def replayed(self, batch: int) -> Iterator[tuple[list[Entry], list[Record], int]]:
        """Yield the whole story again, in batches of so many positions, as a rebuild hears it."""
        for start in range(0, self.seq, batch):
            inside = range(start + 1, start + batch + 1)
            entries = [Entry(self.entries[seq].record, self.visible[seq]) for seq in inside if seq in self.entries]
            yield entries, [event for event in self.events if event.seq in inside], min(start + batch, self.seq)


def told(case: Case) -> list[bytes]:
    """Everything a reader can see, in several scopes, as bytes."""
    scopes = [EVERYTHING, Scope(namespace=NAMESPACES[1]), Scope(source_ids=(SourceId("a"),)), Scope(as_of_seq=8)]
    seen: list[object] = []
    for scope in scopes:
        seen += [case.claims(scope, limit=1000), case.claims(scope, about="LoRA"), case.index.aliases(scope)]
        seen += [case.index.entities(scope), case.index.of_source("b", scope), case.index.of_records([1, 2, 3], scope)]
    return [msgspec.json.encode(one) for one in seen]


def stored(case: Case) -> dict[str, list[Any]]:
    """Every row of every table of the index; buckets by their hash, for their numbers tell the order of arrival."""
    with case.index._database.read() as connection:
        hashes = dict(connection.execute("SELECT id, hash FROM claims_buckets").fetchall())
        names = connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'claims_*' AND type = 'table'")
        found: dict[str, list[Any]] = {}
        for (name,) in names.fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})").fetchall()]
            number = "id" if name == "claims_buckets" else "bucket"
            rows = (
                [hashes[value] if column == number else value for column, value in zip(columns, row, strict=True)]
                for row in connection.execute(f"SELECT * FROM {name}").fetchall()
            )
            found[name] = sorted(rows, key=repr)
    return found


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps, batch=st.integers(1, 50))
def test_incremental_equals_rebuilt(steps: list[tuple[str, Any]], batch: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Case(Path(folder), "told"))
        for kind, drawn in steps:
            story.step(kind, drawn)
        story.commit()
        rebuilt = Case(Path(folder), "rebuilt")
        for entries, events, through in story.replayed(batch):
            rebuilt.index.apply(entries, {}, through, events)
        assert told(story.case) == told(rebuilt)
        assert stored(story.case) == stored(rebuilt)
        # A scope that holds everything but is not known to do so is compiled on the spot, and agrees with the stored.
        sources = tuple(SourceId(one) for one in ("a", "b", "c"))
        told_alone = {Kind.COMPLETION, Kind.METADATA}.issuperset(event.kind for event in story.events)
        if all(entry.record.source_id for entry in story.entries.values()) and told_alone:
            kept = [(one.claim_id, one.status, one.objects, one.confidence) for one in story.case.claims(limit=1000)]
            fresh = story.case.claims(Scope(source_ids=sources), limit=1000)
            assert [(one.claim_id, one.status, one.objects, one.confidence) for one in fresh] == kept
        story.case.index.close()
        rebuilt.index.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_dropping_everything_leaves_nothing(steps: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Case(Path(folder)))
        for kind, drawn in steps:
            story.step(kind, drawn)
        story.commit()
        index = story.case.index
        index.drop(range(1, story.seq + 1))
        rows = stored(story.case)
        assert [name for name, left in rows.items() if left and name != "claims_namespaces"] == []
        index.close()


odd = st.text(max_size=30) | st.sampled_from(
    (
        "",
        " ",
        "1e999",
        "-5",
        "10^400 km",
        "9" * 400,
        "± 3",
        "0000-13-45",
        "..",
        "not ",
        "£",
        "3 % %",
        "Mr. ",
        "(x)",
        "FY",
    )
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(odd, st.sampled_from(("is_a", "has_value", "owned_by", "stands_for")), odd, odd, odd), max_size=8
    )
)
def test_whatever_a_fact_says_it_is_taken_in(rows: list[tuple[str, str, str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        case = Case(Path(folder))
        for seq, (subject, relation, value, anchor, qualifier) in enumerate(rows, start=1):
            qualifiers = {"unit": qualifier, "dataset": qualifier, "task": qualifier}
            case.tell(
                fact(seq, subject, relation, value, temporal_anchor=anchor, qualifiers=qualifiers, source=f"s{seq}")
            )
            assert case.claims(about=subject) is not None
        case.tell(visibility=dict.fromkeys(range(1, len(rows) + 1), False))
        assert case.claims() == ()
        case.index.close()
