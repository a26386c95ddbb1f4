"""Three small stories with the real reader and the real embedder: a project, a dispute, and a chain of two hops."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Claim, ClaimStatus, Scope, SourceInput

pytestmark = [pytest.mark.journey, pytest.mark.timeout(300)]
STORIES = Path(__file__).parents[1] / "corpora" / "examples"
CONTESTED_FACTOR = 0.72  # engine.md A8.5


def story(name: str) -> dict[str, Any]:
    return json.loads((STORIES / f"{name}.json").read_text("utf-8"))


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], MemoryEngine]]:
    """Take the sources of a story in, oldest first, and read all of them for facts."""
    monkeypatch.setenv("TRISYNAPSE_DEVICE_ID", "dev_story")
    engine = MemoryEngine.open(tmp_path / "story.vault", offline=True)

    def take(name: str) -> MemoryEngine:
        for source in story(name)["sources"]:
            day = datetime.fromisoformat(source["date"]).replace(tzinfo=UTC)
            engine.ingest(
                SourceInput(text=source["text"], source_key=source["key"], title=source["title"], observed_at=day)
            )
        return engine

    yield take
    engine.close()


def claim(engine: MemoryEngine, subject: str, relation: str, status: ClaimStatus = ClaimStatus.ACTIVE) -> Claim:
    found = [
        one
        for one in engine.claims.list(about=subject, include_all=True)
        if (one.subject, one.relation, one.status) == (subject, relation, status)
    ]
    assert len(found) == 1, found
    return found[0]


def test_a_project_changes_its_lead_and_its_date_and_she_corrects_the_date(tell) -> None:
    engine = tell("project_atlas")
    lead = claim(engine, "Project Atlas", "role_held_by")
    assert lead.objects == ("Samuel Adeyemi", "Priya Raman")
    assert [(side.valid_from, side.valid_to) for side in lead.sides] == [
        ("2026-09-07", ""),
        ("2026-03-02", "2026-09-07"),
    ]
    former = claim(engine, "Project Atlas", "role_held_by", ClaimStatus.SUPERSEDED)
    assert former.objects == ("Priya Raman",)
    assert claim(engine, "Project Atlas", "launch_date").object == "1 December 2026"

    step = story("project_atlas")["steps"][0]
    moved = next(hit.record for hit in engine.search(step["passage"]).hits if step["passage"] in hit.record.text)
    correction = engine.correct(moved.id, step["text"], step["reason"])
    engine.jobs.wait()
    answer = engine.query("When does Project Atlas launch?")
    assert answer.sentences[0].text == step["text"]
    assert answer.sentences[0].status == "correction"
    assert [(one.text, one.reason) for one in answer.struck] == [(step["passage"], step["reason"])]
    assert claim(engine, "Project Atlas", "launch_date").object == step["object"]
    told = engine.history(moved.id)
    assert {moved.id, correction.record_id} <= {record.id for record in told}, "history shows both"
    assert claim(engine, "Project Atlas", "has_status").object == "delayed", "only the wrong sentence is struck"


def test_two_sources_dispute_and_she_takes_a_side(tell) -> None:
    engine = tell("bert_optimiser")
    disputed = claim(engine, "BERT", "pretrained_with", ClaimStatus.CONTESTED)
    assert set(disputed.objects) == {"Adam", "AdamW"}
    parts = {part.name: part for part in disputed.confidence_parts}
    assert parts["contested"].weight == CONTESTED_FACTOR
    whole = sum(part.value * part.weight for name, part in parts.items() if name != "contested")
    assert disputed.confidence == pytest.approx(whole * CONTESTED_FACTOR, abs=1e-6)
    answer = engine.query("Which optimiser was BERT pretrained with?")
    assert {sentence.status for sentence in answer.sentences} == {"contested"}
    assert {sentence.text for sentence in answer.sentences} == {
        "BERT was pretrained with Adam.",
        "BERT was pretrained with AdamW.",
    }
    amber = [edge for edge in engine.graph.around(about="BERT").edges if edge.status == "contested"]
    assert len(amber) == 2

    resolved = engine.claims.resolve(disputed.claim_id, "Adam", "The paper itself says so.")
    assert resolved.status is ClaimStatus.ACTIVE
    assert resolved.confidence == pytest.approx(whole, abs=1e-3)
    assert set(resolved.objects) == {"Adam", "AdamW"}, "both sides are kept"
    assert engine.claims.unresolve(disputed.claim_id).status is ClaimStatus.CONTESTED


def test_a_sentence_that_says_it_is_reached_in_two_hops(tell) -> None:
    engine = tell("lora_chain")
    assert claim(engine, "LoRA", "based_on").object == "Transformer"
    (alias,) = engine.aliases.list()
    assert set(alias.names) == {"LoRA", "Low-Rank Adaptation"}
    reached = claim(engine, "Transformer", "uses")
    assert reached.object == "self-attention", "the second hop: LoRA, the Transformer, self-attention"
    (support,) = reached.sides[0].supports
    assert support.excerpt == "It uses self-attention."
    titles = {source.source_id: source.title for source in engine.sources.list()}
    passages = {titles[record.source_id]: record for record in engine.list_records(kind="raw_source")}
    beside = neighbours(engine, passages["Notes on LoRA"].seq)
    assert passages["Notes on the Transformer"].seq in beside, "the passages are linked as well"
    assert passages["Harbour notes"].seq not in beside
    assert support.record_id == passages["Notes on the Transformer"].id


def neighbours(engine: MemoryEngine, seq: int) -> set[int]:
    """The passages one hop away from a passage: linked themselves, or by a name they share."""
    graph, scope = engine._rooms.graph, Scope()
    targets = [edge.target.partition(":") for edge in graph.neighbours([seq], scope)]
    linked = {int(rest) for kind, _, rest in targets if kind == "record" and rest.isdigit()}
    named = graph.mentions([rest for kind, _, rest in targets if kind == "entity"], scope, 20)
    return linked.union(*named.values()) - {seq}
