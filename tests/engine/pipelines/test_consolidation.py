"""Idle work: importance, names that may be one, contradictions that are new; in small steps that can be broken off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_cases import Ledger, fact, raw
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.indexing.indexes.graph import GraphIndex
from trisynapse_memory.pipelines import consolidation as consolidation_module
from trisynapse_memory.pipelines.consolidation import Consolidation
from trisynapse_memory.types import Alias, Claim, ClaimStatus, Scope

ANGLES = {"low rank adaptation": 0, "low rank adapter": 10, "bert": 90, "gpt3": 180, "gpt4": 181, "adam": 270}


def embed(texts: Sequence[str]) -> FloatArray:
    """A direction in a plane for each known name; cos 10 = .985, cos 23 = .9205."""
    radians = np.radians([ANGLES.get(text, 45) for text in texts])
    return np.stack((np.cos(radians), np.sin(radians)), axis=1).astype(np.float32)


class Claims:
    """As much of a claim reader as consolidation asks for."""

    def __init__(self) -> None:
        self.contested: list[str] = []
        self.merged: tuple[str, ...] = ()

    def list(self, scope: Scope, *, status: str = "", about: str = "", shown: bool | None = None, limit: int = 100):
        assert (status, shown, limit) == ("contested", True, 1000)
        return tuple(_claim(claim_id) for claim_id in self.contested)

    def aliases(self, scope: Scope) -> tuple[Alias, ...]:
        return (Alias(alias_id="a", canonical="", names=self.merged, origin="user"),) if self.merged else ()


def _claim(claim_id: str) -> Claim:
    return Claim(
        claim_id=claim_id, subject="s", relation="r", object="o", text="t", status=ClaimStatus.CONTESTED, sides=()
    )


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[GraphIndex]:
    opened = GraphIndex(tmp_path / "index.db", Config())
    yield opened
    opened.close()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def drain(job: Consolidation) -> int:
    count = 0
    while job.step():
        count += 1
    assert job.pending() == 0
    return count


def test_importance_is_cached_and_scaled_by_the_largest(graph: GraphIndex, ledger: Ledger):
    ledger.add(raw(1, "We compare LoRA with Adam here."))
    ledger.add(raw(2, "We compare LoRA with BERT here."))
    ledger.tell(graph)
    job = Consolidation(graph.upkeep)
    assert job.pending() == 1
    assert graph.importance(["lora"]) == {"lora": 0.0}
    assert drain(job) > 0
    found = graph.importance(["lora", "adam", "bert", "unknown"])
    assert found["lora"] == 1.0
    assert found["unknown"] == 0.0
    assert found["adam"] == found["bert"] == pytest.approx(0.2625 / 0.475)  # by hand in test_importance
    assert job.step() == 0


def test_subject_and_object_of_a_fact_are_linked(graph: GraphIndex, ledger: Ledger):
    ledger.add(fact(1, ("BERT", "uses", "Adam")))
    ledger.add(fact(2, ("BERT", "uses", "WordPiece")))
    ledger.tell(graph)
    drain(Consolidation(graph.upkeep))
    found = graph.importance(["bert", "adam", "wordpiece"])
    assert found["bert"] == 1.0 > found["adam"] == found["wordpiece"] > 0


def test_a_hidden_mention_takes_its_importance(graph: GraphIndex, ledger: Ledger):
    ledger.add(raw(1, "We compare LoRA with Adam here."))
    ledger.add(raw(2, "We compare BERT with GPT here."))
    ledger.tell(graph)
    job = Consolidation(graph.upkeep)
    drain(job)
    ledger.hidden = {1}
    ledger.tell(graph, [1])
    drain(job)
    assert graph.importance(["lora", "bert"]) == {"lora": 0.0, "bert": 1.0}


def test_what_was_broken_off_is_begun_anew(graph: GraphIndex, ledger: Ledger, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(consolidation_module, "READ_POSITIONS", 1)
    for seq in range(1, 6):
        ledger.add(raw(seq, "We compare LoRA with Adam here."))
    ledger.tell(graph)
    first = Consolidation(graph.upkeep)
    assert [first.step() for _ in range(3)] == [1, 1, 1]
    assert first.pending() == 1
    again = Consolidation(graph.upkeep)
    drain(again)
    assert graph.importance(["lora"]) == {"lora": 1.0}


def test_a_change_meanwhile_is_ranked_too(graph: GraphIndex, ledger: Ledger):
    ledger.add(raw(1, "We compare LoRA with Adam here."))
    ledger.tell(graph)
    job = Consolidation(graph.upkeep)
    job.step()
    ledger.add(raw(2, "We compare LoRA with BERT here."))
    ledger.tell(graph)
    drain(job)
    assert graph.importance(["bert"])["bert"] > 0


def test_names_that_mean_nearly_the_same_are_proposed_and_never_merged(graph: GraphIndex, ledger: Ledger):
    texts = ("We use Low-Rank Adaptation with GPT-3 here.", "We use a Low-Rank Adapter with GPT-4 and BERT here.")
    for seq in range(1, 7):
        ledger.add(raw(seq, texts[seq % 2 - 1]))
    ledger.tell(graph)
    claims = Claims()
    job = Consolidation(graph.upkeep, claims, embed, model="plane", dimension=2)  # pyright: ignore[reportArgumentType]
    drain(job)
    (found,) = job.duplicates()
    assert (found.first, found.second, found.cosine) == ("low rank adaptation", "low rank adapter", 0.9848)
    assert found.record_ids == ("r1", "r3", "r5", "r2", "r4", "r6")
    assert graph.mentions(["Low-Rank Adapter"], Scope(), 5) == {"Low-Rank Adapter": (6, 4, 2)}
    claims.merged = ("Low Rank Adaptation", "low rank adapter")
    assert job.duplicates() == ()
    graph.drop([2])
    claims.merged = ()
    assert job.duplicates() == ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("gpt3", "gpt4", False),
        ("zhang", "j zhang", False),
        ("paul christiano", "paul f christiano", True),
        ("department of agriculture", "us department of agriculture", True),
        ("causal", "causality", True),
    ],
)
def test_what_speaks_against_two_names_being_one(one: str, other: str, expected: bool):
    assert consolidation_module._may_be_one(one, other) is expected
    assert consolidation_module._may_be_one(other, one) is expected


def test_no_embedder_looks_for_no_duplicates_and_a_failing_one_says_so(graph: GraphIndex, ledger: Ledger):
    def fail(texts: Sequence[str]) -> FloatArray:
        raise WorkerDiedError("gone")

    for seq in (1, 2, 3):
        ledger.add(raw(seq, "We use LoRA here."))
    ledger.tell(graph)
    drain(Consolidation(graph.upkeep))
    job = Consolidation(graph.upkeep, None, fail, model="plane", dimension=2)
    assert job.pending() == 1
    with pytest.raises(WorkerDiedError):
        job.step()


def test_contradictions_are_told_once(graph: GraphIndex):
    claims = Claims()
    job = Consolidation(graph.upkeep, claims)  # pyright: ignore[reportArgumentType]
    claims.contested = ["one", "two"]
    assert [claim.claim_id for claim in job.contradictions()] == ["one", "two"]
    assert job.acknowledge() == 2
    assert job.contradictions() == ()
    claims.contested = ["two", "three"]
    assert [claim.claim_id for claim in job.contradictions()] == ["three"]
    job.acknowledge()
    claims.contested = ["one", "two", "three"]
    assert [claim.claim_id for claim in job.contradictions()] == ["one"]  # it was settled, and is contested again
    assert Consolidation(graph.upkeep).contradictions() == ()


NAMES = ("LoRA", "BERT", "Adam", "RAPTOR", "Priya Raman")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(["raw", "flip", "step"]), st.integers(0, 4), st.integers(0, 4)), max_size=25))
def test_a_rebuild_gives_the_same_importance_to_the_last_bit(deeds: list[tuple[str, int, int]]):
    with TemporaryDirectory() as folder:
        graph, again = (GraphIndex(Path(folder) / name, Config()) for name in ("one.db", "two.db"))
        ledger, job = Ledger(), Consolidation(graph.upkeep)
        for deed, first, second in deeds:
            if deed == "raw":
                ledger.add(raw(ledger.head + 1, f"Here {NAMES[first]} meets {NAMES[second]} again."))
                ledger.tell(graph)
            elif deed == "flip" and ledger.head:
                seq = (5 * first + second) % ledger.head + 1
                ledger.hidden ^= {seq}
                ledger.tell(graph, [seq])
            elif deed == "step":
                job.step()
        ledger.tell(again)
        drain(job)
        drain(Consolidation(again.upkeep))
        keys = ["lora", "bert", "adam", "raptor", "priya raman"]
        assert graph.importance(keys) == again.importance(keys)
        graph.close()
        again.close()
