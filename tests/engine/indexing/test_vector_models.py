"""Changing the embedding model, and any history of records, against a plain index of dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from trisynapse_memory.errors import InvalidSettingError, VaultFormatError
from trisynapse_memory.indexing import vector_models
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Namespace, Scope
from vector_cases import ADA, ANYONE, BOB, computed, entry, kept_vector_of, opened, seqs_near, vector_of


def waiting(index: VectorIndex) -> list[int]:
    return [seq for seq, _ in index.pending(100)]


def test_the_old_model_answers_until_the_new_set_is_whole(tmp_path: Path) -> None:
    old = opened(tmp_path, "old")
    old.apply([entry(1, "a"), entry(2, "b"), entry(3, "c", visible=False)], {}, 3)
    old.put(computed("a", "b"))
    old.close()

    new = opened(tmp_path, "new", 16)
    assert (new.serving_model, new.model_id, waiting(new)) == ("old", "new", [2, 1])
    assert seqs_near(new, "a") == [1, 2]
    new.put(computed("b", dimension=16))
    new.apply([entry(4, "d")], {1: False}, 4)
    assert (new.serving_model, waiting(new)) == ("old", [4])
    assert seqs_near(new, "a") == [2]
    new.put(computed("d", dimension=16))
    assert new.serving_model == "new"
    assert [one.seq for one in new.nearest(vector_of("d", 16), ANYONE, 9)] == [4, 2]
    new.close()

    back = opened(tmp_path, "old")
    assert waiting(back) == [4]  # the first model's vectors were kept
    back.put(computed("d"))
    assert back.serving_model == "old"
    assert set(seqs_near(back, "b")) == {2, 4}
    back.close()


def test_failed_texts_do_not_keep_the_old_model_for_ever(tmp_path: Path) -> None:
    opened_old = opened(tmp_path, "old")
    opened_old.apply([entry(1, "a"), entry(2, "b"), entry(3, "c")], {}, 3)
    opened_old.put(computed("a", "b", "c"))
    opened_old.close()
    new = opened(tmp_path, "new")
    new.put(computed("b", "c"))
    for _ in range(3):
        assert new.serving_model == "old"
        new.note_failures({text_hash_of("a", {}): "bad"})
    assert new.serving_model == "new"
    new.close()


def test_a_model_that_fails_for_most_texts_never_answers(tmp_path: Path) -> None:
    opened_old = opened(tmp_path, "old")
    opened_old.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    opened_old.put(computed("a", "b"))
    opened_old.close()
    new = opened(tmp_path, "new")
    new.put(computed("b"))
    for _ in range(3):
        new.note_failures({text_hash_of("a", {}): "bad"})
    assert not new.switch()
    assert (new.serving_model, waiting(new)) == ("old", [])
    new.retry_failures()
    new.put(computed("a"))
    assert new.serving_model == "new"
    new.close()


def test_dropping_the_last_record_that_waits_lets_the_new_model_answer(tmp_path: Path) -> None:
    old = opened(tmp_path, "old")
    old.apply([entry(1, "a")], {}, 1)
    old.put(computed("a"))
    old.close()
    new = opened(tmp_path, "new")
    assert not new.switch()
    new.drop([1])
    assert new.switch()
    assert new.serving_model == "new"
    assert not new.switch()
    new.close()


def test_leaving_a_half_built_model_for_a_third_keeps_its_vectors(tmp_path: Path) -> None:
    first = opened(tmp_path, "first")
    first.apply([entry(1, "a"), entry(2, "b")], {}, 2)
    first.put(computed("a", "b"))
    first.close()
    second = opened(tmp_path, "second")
    second.put(computed("a"))
    second.close()
    third = opened(tmp_path, "third")
    assert (third.serving_model, waiting(third)) == ("first", [2, 1])
    third.close()
    second = opened(tmp_path, "second")
    assert waiting(second) == [2]
    second.close()


def test_a_model_cannot_change_its_number_of_dimensions(tmp_path: Path) -> None:
    opened(tmp_path, "m", 8).close()
    with pytest.raises(InvalidSettingError, match="8 dimensions"):
        opened(tmp_path, "m", 9)


def test_a_file_of_a_later_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    index = opened(tmp_path)
    with index._database.write() as connection:
        connection.execute("UPDATE state SET value = 99 WHERE name = 'format'")
    index.close()
    for _ in range(2):
        with pytest.raises(VaultFormatError, match="format 99"):
            opened(tmp_path)


# ---------------------------------------------------------------- files of format 1

FORMAT_1 = """
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE namespaces (id INTEGER PRIMARY KEY, user_id TEXT, agent_id TEXT, project_id TEXT, session_id TEXT);
CREATE TABLE sources (id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, priority INTEGER NOT NULL DEFAULT 0);
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,
    attempts INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY, text INTEGER NOT NULL, model INTEGER NOT NULL, vector BLOB NOT NULL, UNIQUE (text, model)
);
CREATE TABLE owners (
    seq INTEGER PRIMARY KEY, text INTEGER NOT NULL, namespace INTEGER NOT NULL, source INTEGER NOT NULL,
    visible INTEGER NOT NULL
);
CREATE TABLE pending (
    seq INTEGER PRIMARY KEY, text INTEGER NOT NULL, source INTEGER NOT NULL, priority INTEGER NOT NULL,
    failed INTEGER NOT NULL
);
INSERT INTO models VALUES (1, 'old', 8), (2, 'm', 384);
INSERT INTO namespaces VALUES (1, 'ada', NULL, 'default', NULL);
INSERT INTO state VALUES ('format', 1), ('serving', 2), ('target', 2), ('revision', 9), ('applied_seq', 300);
CREATE VIRTUAL TABLE vectors_2 USING vec0(
    seq INTEGER PRIMARY KEY, namespace INTEGER PARTITION KEY, source INTEGER, position INTEGER,
    embedding FLOAT[384] distance_metric=cosine, chunk_size=128
);
"""


def file_of_format_1(folder: Path, count: int) -> None:
    """Records 1 to ``count`` with texts ``t1`` on: the first is hidden, the last waits; a former model knew ``t1``."""
    database = Database(folder / "vectors.db", FORMAT_1, vectors=True)
    with database.write() as connection:
        connection.execute("INSERT INTO state VALUES ('vector_count', ?)", (count - 2,))
        for seq in range(1, count + 1):
            text = f"t{seq}"
            connection.execute("INSERT INTO texts (id, hash) VALUES (?, ?)", (seq, text_hash_of(text, {})))
            connection.execute("INSERT INTO owners VALUES (?, ?, 1, 0, ?)", (seq, seq, int(seq > 1)))
            if seq == count:
                connection.execute("INSERT INTO pending VALUES (?, ?, 0, 0, 0)", (seq, seq))
                continue
            vector = vector_of(text, 384).tobytes()
            connection.execute("INSERT INTO embeddings (text, model, vector) VALUES (?, 2, ?)", (seq, vector))
            if seq > 1:
                connection.execute("INSERT INTO vectors_2 VALUES (?, 1, 0, ?, ?)", (seq, seq, vector))
        connection.execute(
            "INSERT INTO embeddings (text, model, vector) VALUES (1, 1, ?)", (vector_of("t1").tobytes(),)
        )
    database.checkpoint()
    database.close()


def test_a_file_of_format_1_is_laid_out_anew_and_nothing_is_embedded_again(tmp_path: Path) -> None:
    file_of_format_1(tmp_path, 300)
    size = (tmp_path / "vectors.db").stat().st_size
    for _ in range(2):
        index = opened(tmp_path, "m", 384)
        assert (index.applied_seq(), waiting(index), index.serving_model) == (300, [300], "m")
        best = index.nearest(vector_of("t7", 384), ANYONE, 400)
        assert (best[0].seq, len(best)) == (7, 298)
        assert best[0].score == pytest.approx(1.0, abs=1e-4)
        index.apply([], {1: True}, 301)
        assert seqs_near_of(index, "t1") == 1
        index.apply([], {1: False}, 300)
        index.close()
    assert (tmp_path / "vectors.db").stat().st_size < size / 2
    former = opened(tmp_path, "old")
    assert 1 not in waiting(former)
    former.apply([], {1: True}, 302)
    assert 1 not in waiting(former)
    former.close()


def test_a_move_that_is_broken_off_leaves_the_old_file_and_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_of_format_1(tmp_path, 40)
    with monkeypatch.context() as broken:
        broken.setattr(vector_models.tables, "set_state", interrupted)
        with pytest.raises(InterruptedError):
            opened(tmp_path, "m", 384)
    index = opened(tmp_path, "m", 384)
    assert (len(index.nearest(vector_of("t7", 384), ANYONE, 400)), waiting(index)) == (38, [40])
    index.close()


def interrupted(*_: object) -> None:
    raise InterruptedError


def seqs_near_of(index: VectorIndex, text: str) -> int:
    return index.nearest(vector_of(text, 384), ANYONE, 1)[0].seq


FORMAT_2 = """
ALTER TABLE blocks RENAME TO pressed;
CREATE TABLE blocks (id INTEGER PRIMARY KEY, model INTEGER NOT NULL, vectors BLOB NOT NULL);
DROP TABLE pressed;
DELETE FROM gaps; DELETE FROM slots;
UPDATE state SET value = 2 WHERE name = 'format';
"""


def test_the_blocks_of_format_2_are_pressed_and_nothing_is_embedded_again(tmp_path: Path) -> None:
    texts = [f"t{seq}" for seq in range(1, 31)]
    new = opened(tmp_path, "m", 384)
    new.apply([entry(seq, text) for seq, text in enumerate(texts, start=1)], {}, 30)
    new.put(computed(*texts[:27], dimension=384))
    before = [one.seq for one in new.nearest(vector_of("t7", 384), ANYONE, 30)]
    lay_out_as_format_2(new, texts[:27])
    new.close()
    for _ in range(2):
        index = opened(tmp_path, "m", 384)
        assert sorted(waiting(index)) == [28, 29, 30]
        assert [one.seq for one in index.nearest(vector_of("t7", 384), ANYONE, 30)] == before
        index.close()
    index = opened(tmp_path, "m", 384)
    index.drop(range(1, 31))
    with index._database.read() as connection:
        left = connection.execute("SELECT (SELECT count(*) FROM blocks) + (SELECT count(*) FROM gaps)").get
    assert left == 0  # every row had a slot or a gap
    index.close()


def lay_out_as_format_2(index: VectorIndex, texts: list[str]) -> None:
    """Eight vectors a block, in float32; every third row is a gap, as removals leave them."""
    with index._database.write() as connection:
        connection.execute(FORMAT_2).fetchall()
        slots = [slot for slot in range(8, 100) if slot % 3][: len(texts)]
        rows = {slot: vector_of(text, 384).tobytes() for slot, text in zip(slots, texts, strict=True)}
        for block in range(1, slots[-1] // 8 + 1):
            held = b"".join(rows.get(slot, bytes(4 * 384)) for slot in range(8 * block, 8 * block + 8))
            connection.execute("INSERT INTO blocks VALUES (?, 1, ?)", (block, held))
            free = [(1, slot) for slot in range(8 * block, 8 * block + 8) if slot not in rows]
            connection.executemany("INSERT INTO gaps VALUES (?, ?)", free)
        for slot, text in zip(slots, texts, strict=True):
            key = bytes.fromhex(text_hash_of(text, {}))
            connection.execute("INSERT INTO slots SELECT id, 1, ? FROM texts WHERE hash = ?", (slot, key))


# ---------------------------------------------------------------- any history


class AnyHistory(RuleBasedStateMachine):
    """Whatever happens in whatever order, the index finds exactly the visible records whose text was embedded."""

    texts = st.sampled_from(["a", "b", "c", "d"])
    seqs = st.integers(1, 12)

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.records: dict[int, tuple[str, Namespace, bool]] = {}
        self.embedded: dict[str, set[str]] = {"m": set(), "n": set()}
        self.model = "m"
        self.serving = "m"
        self.next_seq = 1

    @initialize(exact=st.booleans())
    def start(self, exact: bool) -> None:
        self.limit = 1000 if exact else 0
        self.index = opened(Path(self.folder.name), self.model, exact_limit=self.limit)

    @rule(text=texts, namespace=st.sampled_from([ADA, BOB]), visible=st.booleans())
    def append(self, text: str, namespace: Namespace, visible: bool) -> None:
        self.index.apply([entry(self.next_seq, text, namespace, visible=visible)], {}, self.next_seq)
        self.records[self.next_seq] = (text, namespace, visible)
        self.next_seq += 1

    @rule(seq=seqs, visible=st.booleans())
    def turn(self, seq: int, visible: bool) -> None:
        self.index.apply([], {seq: visible}, self.next_seq)
        if seq in self.records:
            self.records[seq] = (*self.records[seq][:2], visible)

    @rule(seq=seqs)
    def drop(self, seq: int) -> None:
        self.index.drop([seq])
        text = self.records.pop(seq, ("", ADA, False))[0]
        if text not in {kept for kept, _, _ in self.records.values()}:
            for known in self.embedded.values():
                known.discard(text)

    @rule(text=texts)
    def embed(self, text: str) -> None:
        self.index.put(computed(text))
        if text in {kept for kept, _, _ in self.records.values()}:
            self.embedded[self.model].add(text)
        self.note_switch()

    @rule()
    def rebuild(self) -> None:
        self.index.wipe()
        entries = [entry(seq, text, space, visible=seen) for seq, (text, space, seen) in sorted(self.records.items())]
        self.index.apply(entries, {}, self.next_seq)

    @rule(model=st.sampled_from(["m", "n"]))
    def reopen(self, model: str) -> None:
        self.index.close()
        self.model = model
        self.index = opened(Path(self.folder.name), model, exact_limit=self.limit)
        self.serving = self.index.serving_model

    def note_switch(self) -> None:
        if not self.missing():
            self.serving = self.model

    def missing(self) -> set[int]:
        known = self.embedded[self.model]
        return {seq for seq, (text, _, visible) in self.records.items() if visible and text not in known}

    def expected(self, namespace: Namespace | None) -> Mapping[int, str]:
        return {
            seq: text
            for seq, (text, space, visible) in self.records.items()
            if visible and text in self.embedded[self.serving] and namespace in (None, space)
        }

    @precondition(lambda self: hasattr(self, "index"))
    @invariant()
    def answers_follow_the_log(self) -> None:
        assert self.index.serving_model == self.serving
        assert self.index.pending_count() == len(self.missing())
        for scope in (ANYONE, Scope(namespace=ADA)):
            expected = self.expected(None if scope is ANYONE else ADA)
            found = self.index.nearest(vector_of("q"), scope, 50)
            assert {one.seq for one in found} == set(expected)
            assert [one.seq for one in found] == [
                one.seq for one in sorted(found, key=lambda one: (-one.score, one.seq))
            ]
            for one in found:
                assert one.score == pytest.approx(float(vector_of("q") @ kept_vector_of(expected[one.seq])), abs=1e-5)

    def teardown(self) -> None:
        if hasattr(self, "index"):
            self.index.close()
        self.folder.cleanup()


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
