"""The backlog of embeddings against embedders that fail in every way we know (case R37)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import (
    BadEmbeddingError,
    PromptTooLongError,
    ProviderError,
    ProviderRefusedError,
    WorkerDiedError,
)
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.pipelines.backlog import EmbeddingBacklog
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Kind, Record, RecordId, Scope, Terms

DIMENSION = 4
NO_TERMS = Terms((), (), 0)
EVERYTHING = Scope()
Embed = Callable[[Sequence[str]], FloatArray]


@dataclass(frozen=True)
class Entry:
    record: Record
    terms: Terms = NO_TERMS
    visible: bool = True


def unit(texts: Sequence[str]) -> FloatArray:
    rows = np.array([[1.0, len(text), sum(map(ord, text)) % 7, 0.5] for text in texts], dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).reshape(len(texts), DIMENSION)


@dataclass
class Shelf:
    """The log as the backlog reads it, with the index that follows it."""

    index: VectorIndex
    records: dict[int, Record] = field(default_factory=dict)

    def add(self, *texts: str) -> None:
        first = len(self.records) + 1
        added = [
            Record(
                id=RecordId(f"r{seq}"),
                seq=seq,
                device_id="d",
                device_seq=seq,
                written_at=datetime(2026, 1, 1, tzinfo=UTC),
                kind=Kind.RAW_SOURCE,
                content_hash="",
                chain_hash="",
                text=text,
                fields={"title": "T"},
            )
            for seq, text in enumerate(texts, start=first)
        ]
        self.records.update({record.seq: record for record in added})
        self.index.apply([Entry(record) for record in added], {}, added[-1].seq)

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        return tuple(self.records[seq] for seq in seqs if seq in self.records)

    def found(self) -> set[int]:
        return {one.seq for one in self.index.nearest(unit(["x"])[0], EVERYTHING, 100)}

    def failed(self) -> dict[int, str]:
        return dict(self.index.failures())


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    index = VectorIndex(Database(tmp_path / "vectors.db", vectors=True), "stub/1", DIMENSION)
    yield Shelf(index)
    index.close()


def backlog(shelf: Shelf, embed: Embed, batch: int = 4) -> EmbeddingBacklog:
    return EmbeddingBacklog(shelf.index, shelf, lambda texts, _: embed(texts), Config(embed_batch_count=batch))


def drain(work: EmbeddingBacklog, shelf: Shelf, most: int = 60) -> int:
    """Step until nothing waits; a worker that died is forgiven, as ``run`` forgives it."""
    for count in range(most):
        if not shelf.index.pending(1):
            return count
        try:
            work.step()
        except WorkerDiedError:
            continue
    raise AssertionError("the backlog never ends")


# ---------------------------------------------------------------- steps


def test_a_step_embeds_one_batch_newest_first_and_says_how_many(shelf: Shelf) -> None:
    shelf.add("a", "b", "c", "d", "e")
    asked: list[list[str]] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        asked.append(list(texts))
        return unit(texts)

    work = backlog(shelf, embed, batch=3)
    assert [work.step(), work.step(), work.step()] == [3, 2, 0]
    assert asked == [["e\ntitle: T", "d\ntitle: T", "c\ntitle: T"], ["b\ntitle: T", "a\ntitle: T"]]
    assert shelf.found() == {1, 2, 3, 4, 5}


def test_each_record_gets_its_own_vector_even_if_the_log_answers_in_another_order(shelf: Shelf) -> None:
    shelf.add("a", "bb", "ccc")
    original = shelf.by_seqs
    shelf.by_seqs = lambda seqs: original(seqs)[::-1]  # type: ignore[method-assign]
    backlog(shelf, unit).step()
    seqs, rows = shelf.index.embeddings([1, 2, 3])
    scores = dict(zip(seqs, (rows @ unit(["bb\ntitle: T"])[0]).tolist(), strict=True))
    assert max(scores, key=scores.__getitem__) == 2
    assert scores[2] == pytest.approx(1.0, abs=1e-4)  # kept in a byte per dimension


def test_a_kill_at_any_moment_loses_only_the_batch_in_hand(tmp_path: Path) -> None:
    embedded: list[str] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        if len(embedded) == 4:
            raise KeyboardInterrupt  # stands for the end of the process between the model and the commit
        embedded.extend(texts)
        return unit(texts)

    def opened() -> VectorIndex:
        return VectorIndex(Database(tmp_path / "vectors.db", vectors=True), "stub/1", DIMENSION)

    before = Shelf(opened())
    before.add("a", "b", "c", "d", "e", "f")
    work = backlog(before, embed, batch=4)
    work.step()
    with pytest.raises(KeyboardInterrupt):
        work.step()
    after = Shelf(opened(), before.records)
    again: list[str] = []

    def embed_the_rest(texts: Sequence[str]) -> FloatArray:
        again.extend(texts)
        return unit(texts)

    drain(backlog(after, embed_the_rest), after)
    assert sorted(embedded + again) == [f"{text}\ntitle: T" for text in "abcdef"]
    assert after.found() == {1, 2, 3, 4, 5, 6}
    before.index.close()
    after.index.close()


def test_a_record_that_left_the_log_does_not_block_the_others(shelf: Shelf) -> None:
    shelf.add("a", "b", "c")
    del shelf.records[3]
    drain(backlog(shelf, unit), shelf)
    assert shelf.found() == {1, 2}
    assert "no longer holds" in shelf.failed()[3]


def test_a_record_removed_while_it_is_embedded_does_not_come_back(shelf: Shelf) -> None:
    shelf.add("a", "b")

    def embed(texts: Sequence[str]) -> FloatArray:
        shelf.index.drop([1])
        return unit(texts)

    backlog(shelf, embed).step()
    assert shelf.found() == {2}
    assert shelf.index.pending_count() == 0


# ---------------------------------------------------------------- embedders that fail (R37)


def spoiling(change: Callable[[FloatArray, Sequence[str]], object]) -> Embed:
    def embed(texts: Sequence[str]) -> FloatArray:
        return change(unit(texts), texts)  # type: ignore[return-value]

    return embed


def with_nan(rows: FloatArray, texts: Sequence[str]) -> FloatArray:
    rows[[text.startswith("bad") for text in texts]] = np.nan
    return rows


def with_zeros(rows: FloatArray, texts: Sequence[str]) -> FloatArray:
    rows[[text.startswith("bad") for text in texts]] = 0.0
    return rows


def without_the_bad(rows: FloatArray, texts: Sequence[str]) -> FloatArray:
    return rows[[not text.startswith("bad") for text in texts]]


def ragged_for_the_bad(rows: FloatArray, texts: Sequence[str]) -> object:
    return [row.tolist()[: 2 if text.startswith("bad") else 9] for row, text in zip(rows, texts, strict=True)]


def none_with_the_bad(rows: FloatArray, texts: Sequence[str]) -> object:
    return None if any(text.startswith("bad") for text in texts) else rows


def raising_for_the_bad(rows: FloatArray, texts: Sequence[str]) -> object:
    if any(text.startswith("bad") for text in texts):
        raise BadEmbeddingError("not a vector")
    return rows


def dying_of_the_bad(rows: FloatArray, texts: Sequence[str]) -> object:
    if any(text.startswith("bad") for text in texts):
        raise WorkerDiedError("the worker died")
    return rows


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_nan, "not finite"),
        (with_zeros, "not of length 1"),
        (without_the_bad, "shape (0, 4) for 1 texts"),
        (ragged_for_the_bad, "2 numbers instead of 4"),
        (none_with_the_bad, "shape () for 1 texts"),
        (raising_for_the_bad, "not a vector"),
        (dying_of_the_bad, "died"),
    ],
)
def test_one_bad_text_fails_alone_after_three_tries_and_says_why(
    shelf: Shelf, change: Callable[[FloatArray, Sequence[str]], object], reason: str
) -> None:
    shelf.add("a", "bad", "c", "d", "e", "f")
    drain(backlog(shelf, spoiling(change), batch=4), shelf)
    assert shelf.found() == {1, 3, 4, 5, 6}
    assert list(shelf.failed()) == [2]
    assert reason in shelf.failed()[2]
    assert shelf.index.pending_count() == 1  # coverage still says that one record has no vector


@pytest.mark.parametrize(
    "result", [None, [], np.zeros((0, DIMENSION)), "text", np.ones((1, 2, 3)), [[1.0], [2.0, 3.0]]]
)
def test_an_embedder_that_never_returns_vectors_ends_with_every_text_failed_and_nothing_stored(
    shelf: Shelf, result: object
) -> None:
    shelf.add("a", "b", "c")
    drain(backlog(shelf, spoiling(lambda rows, texts: result)), shelf)
    assert set(shelf.failed()) == {1, 2, 3}
    assert shelf.found() == set()


def test_vectors_of_another_length_are_never_stored(shelf: Shelf) -> None:
    shelf.add("a", "b")
    drain(backlog(shelf, lambda texts: np.ones((len(texts), 3), dtype=np.float32)), shelf)
    assert shelf.failed()[1] == "The embedder returned 3 numbers instead of 4."


def test_an_embedder_that_does_not_work_at_all_blames_no_text(shelf: Shelf) -> None:
    shelf.add("a")

    def embed(texts: Sequence[str]) -> FloatArray:
        raise ProviderError("the model is gone")

    work = backlog(shelf, embed)
    for _ in range(5):
        with pytest.raises(ProviderError):
            work.step()
    assert shelf.failed() == {}
    assert len(shelf.index.pending(9)) == 1


# ---------------------------------------------------------------- services that refuse


@pytest.mark.parametrize("kind", [PromptTooLongError, ProviderRefusedError])
def test_a_text_that_a_service_refuses_does_not_stop_the_others(shelf: Shelf, kind: type[ProviderError]) -> None:
    shelf.add("a", "b", "poison", "c", "d")

    def embed(texts: Sequence[str]) -> FloatArray:
        if any(text.startswith("poison") for text in texts):
            raise kind("It would not take the request.")
        return unit(texts)

    drain(backlog(shelf, embed), shelf)
    assert shelf.found() == {1, 2, 4, 5}
    assert shelf.failed() == {3: "It would not take the request."}


def test_a_service_that_refuses_everything_is_not_asked_about_each_text(shelf: Shelf) -> None:
    shelf.add(*(f"text {number}" for number in range(60)))
    asked: list[int] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        asked.append(len(texts))
        raise ProviderRefusedError("This model embeds nothing.")

    work = backlog(shelf, embed)
    with pytest.raises(ProviderRefusedError):
        drain(work, shelf)
    with pytest.raises(ProviderRefusedError):
        work.step()
    assert len(asked) < 20
    assert shelf.failed() == {}
    assert shelf.index.pending_count() == 60
