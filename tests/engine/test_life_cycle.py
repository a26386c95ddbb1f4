"""Whatever happens to a vault, in whatever order: what it says is what the log says.

Random sequences of everything she can do are run on one vault; then a second one is built from a copy of its log and
originals alone. Answers, search, claims, summaries, graph and aliases of both must be equal, and the chain whole.
``TRISYNAPSE_LIFE_CYCLE_RUNS`` sets how many sequences are tried.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import ClaimStatus, Message, Record, Scope, SourceInput, SourceStatus

RUNS = int(os.environ.get("TRISYNAPSE_LIFE_CYCLE_RUNS", "500"))
STEPS = 9

TEXTS = (
    (
        "Priya Raman is the tech lead of Project Atlas. Project Atlas launches on 14 October 2026.",
        "Priya Raman is the tech lead of Project Atlas. Project Atlas launches on 2 November 2026.",
        "Tomas Berg is the tech lead of Project Atlas. The budget was agreed in spring.",
    ),
    (
        "Project Atlas launches on 2026-10-14. It will run on two machines.",
        "Project Atlas launches on 1 December 2026.",
        "Nothing was decided about the launch.",
    ),
    ("Bert was pretrained with Adam.", "Bert was pretrained with AdamW. It took four days.", "Bert is a model."),
    ("Bert was pretrained with AdamW.", "Bert was pretrained with Adam.", "Roberta was pretrained with Adam."),
)
CORRECTIONS = (
    "Project Atlas launches on 9 January 2027.",
    "Tomas Berg is the tech lead of Project Atlas.",
    "Bert was pretrained with LAMB.",
)
QUESTIONS = (
    "When does Project Atlas launch?",
    "Who is the tech lead of Project Atlas?",
    "What was Bert pretrained with?",
    "Who painted the ceiling?",
)
NAMES = (("Bert", "Roberta"), ("Project Atlas", "Atlas"), ("Adam", "AdamW"))
DAY = datetime(2026, 3, 2, tzinfo=UTC)


class Walk:
    """One vault and what may happen to it. A step that is not possible now does nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = self._open()

    def _open(self) -> MemoryEngine:
        return MemoryEngine.open(self.folder, create=True, offline=True)

    def take(self, step: tuple[str, int, int]) -> None:
        name, first, second = step
        getattr(self, name)(first, second)

    def add(self, first: int, second: int) -> None:
        versions = TEXTS[first % len(TEXTS)]
        text = versions[second % len(versions)]
        key = f"note-{first % len(TEXTS)}"
        self.engine.ingest(SourceInput(text=text, source_key=key, title=f"Note {key}", observed_at=DAY))

    def copy(self, first: int, second: int) -> None:
        """The same words in another file, with other line ends."""
        versions = TEXTS[first % len(TEXTS)]
        text = versions[second % len(versions)].replace(". ", ".\n\n")
        key = f"copy-{first % len(TEXTS)}"
        self.engine.ingest(SourceInput(text=text, source_key=key, title=f"Note {key}", observed_at=DAY))

    def say(self, first: int, second: int) -> None:
        text = CORRECTIONS[first % len(CORRECTIONS)]
        message = Message(role="user", content=text, id=f"m{first}", speaker="Ada", observed_at="2026-04-01T10:00:00Z")
        self.engine.ingest_messages([message], group_id=f"chat-{second % 2}")

    def correct(self, first: int, second: int) -> None:
        if record := self._pick(self._seen(), first):
            self.engine.correct(record.id, CORRECTIONS[second % len(CORRECTIONS)], "it was written down wrongly")

    def forget(self, first: int, _second: int) -> None:
        if record := self._pick(self._seen(), first):
            self.engine.forget(record.id, "no longer wanted")

    def reinstate(self, first: int, _second: int) -> None:
        seen = {record.id for record in self._seen()}
        hidden = [record for record in self._seen(everything=True) if record.id not in seen]
        if record := self._pick(hidden, first):
            self.engine.reinstate(record.id, "wanted again")

    def forget_source(self, first: int, _second: int) -> None:
        if source := self._pick(self.engine.sources.list(), first):
            self.engine.sources.forget(source.source_id, "no longer wanted")

    def reinstate_source(self, first: int, _second: int) -> None:
        gone = [
            source
            for source in self.engine.sources.list(include_all=True)
            if source.status in (SourceStatus.FORGOTTEN, SourceStatus.SUPERSEDED)
        ]
        if source := self._pick(gone, first):
            self.engine.sources.reinstate(source.source_id, "wanted again")

    def remove(self, first: int, _second: int) -> None:
        if record := self._pick(self._seen(), first):
            self.engine.remove([record.id], "must go")

    def remove_source(self, first: int, _second: int) -> None:
        if source := self._pick(self.engine.sources.list(), first):
            self.engine.sources.remove(source.source_id, "must go")

    def merge(self, first: int, _second: int) -> None:
        self.engine.aliases.merge(*NAMES[first % len(NAMES)])

    def unmerge(self, first: int, _second: int) -> None:
        said = [alias for alias in self.engine.aliases.list() if alias.origin == "user"]
        if alias := self._pick(said, first):
            self.engine.aliases.unmerge(alias.alias_id)

    def resolve(self, first: int, second: int) -> None:
        disputed = self.engine.claims.list(status=ClaimStatus.CONTESTED, include_all=True)
        if claim := self._pick(disputed, first):
            side = claim.sides[second % len(claim.sides)]
            self.engine.claims.resolve(claim.claim_id, side.value, "I was there")

    def restart(self, _first: int, _second: int) -> None:
        self.engine.close()
        self.engine = self._open()

    def reindex(self, first: int, _second: int) -> None:
        names = ((), ("claims",), ("graph", "summaries"), ("lexical",), ("facts",))
        self.engine.reindex(names[first % len(names)])

    def settle(self, _first: int, _second: int) -> None:
        self.engine.jobs.wait()

    def _seen(self, *, everything: bool = False) -> list[Record]:
        kinds = ("raw_source", "fact")
        return [
            record
            for kind in kinds
            for record in self.engine.list_records(kind=kind, limit=500, include_retracted=everything)
            if record.text != "[removed]"
        ]

    @staticmethod
    def _pick(choices: Any, number: int) -> Any:
        return choices[number % len(choices)] if choices else None


STEP_NAMES = (
    *("add",) * 5,
    *("copy",) * 2,
    "say",
    *("correct",) * 2,
    *("forget",) * 2,
    "reinstate",
    "forget_source",
    "reinstate_source",
    "remove",
    "remove_source",
    "merge",
    "unmerge",
    "resolve",
    "restart",
    "reindex",
    *("settle",) * 2,
)
walks = st.lists(st.tuples(st.sampled_from(STEP_NAMES), st.integers(0, 7), st.integers(0, 7)), max_size=STEPS)


def picture(engine: MemoryEngine) -> dict[str, Any]:
    """Everything a reader of this vault can see."""
    engine.jobs.wait()
    answers = [engine.query(question) for question in QUESTIONS]
    graph = engine.graph.around(limit=300)
    claims = engine.claims.list(include_all=True, limit=1000)
    return {
        "answers": [
            (answer.answer, answer.abstain, answer.reason, [one.record_id for one in answer.citations], answer.struck)
            for answer in answers
        ],
        "contested": [sorted(claim.claim_id for claim in answer.contested) for answer in answers],
        "search": [[(hit.record.id, round(hit.score, 6)) for hit in engine.search(one).hits] for one in QUESTIONS],
        "claims": {
            claim.claim_id: (
                (claim.status, claim.objects, claim.shown, claim.resolution),
                [[support.fact_id for support in side.supports] for side in claim.sides],
            )
            for claim in claims
        },
        "confidence": {one.claim_id: one.confidence for one in claims},
        "summaries": {
            one.group_id: ([sentence.text for sentence in one.sentences], one.topic, one.evidence_hash, one.stale)
            for one in engine.groups.list(limit=1000)
        },
        "nodes": sorted((node.node_id, node.label, node.record_ids) for node in graph.nodes),
        "edges": sorted((edge.source, edge.target, edge.kind, edge.label, edge.status) for edge in graph.edges),
        "record graph": record_graph(engine),
        "aliases": sorted((alias.canonical, alias.names, alias.origin) for alias in engine.aliases.list()),
    }


def record_graph(engine: MemoryEngine) -> list[tuple[str, str, str, float]]:
    """The edges out of every visible record."""
    records = [record for kind in ("raw_source", "fact") for record in engine.list_records(kind=kind, limit=500)]
    edges = engine._rooms.graph.neighbours([record.seq for record in records], Scope())
    return sorted((edge.source, edge.target, edge.kind, round(edge.weight, 6)) for edge in edges)


def rebuilt(folder: Path, place: Path) -> MemoryEngine:
    """A vault made of the truth alone: manifest, log and originals."""
    place.mkdir()
    for name in ("vault.toml", "log.db"):
        shutil.copy2(folder / name, place / name)
    shutil.copytree(folder / "blobs", place / "blobs")
    return MemoryEngine.open(place, offline=True)


def check(walk: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        walked = Walk(Path(place, "one.vault"))
        try:
            for step in walk:
                try:
                    walked.take(step)
                except InvalidInputError:
                    continue  # a clear refusal: nothing has changed
            seen = picture(walked.engine)
            proof = walked.engine.validate()
        finally:
            walked.engine.close()
        assert proof.ok, proof.findings
        with rebuilt(Path(place, "one.vault"), Path(place, "two.vault")) as second:
            again = picture(second)
            # Recency falls while the test runs, so confidence is equal but for that.
            assert again.pop("confidence") == pytest.approx(seen.pop("confidence"), abs=1e-5)
            assert again == seen
            assert second.validate().ok


@settings(max_examples=RUNS, deadline=None, suppress_health_check=list(HealthCheck))
@given(walk=walks)
@example(walk=[("add", 0, 0), ("correct", 0, 0), ("remove", 2, 0)])
@example(walk=[("add", 2, 0), ("copy", 2, 0), ("forget_source", 1, 0), ("add", 3, 0), ("copy", 3, 0)])
@pytest.mark.timeout(max(1500, 4 * RUNS))  # 0.6 s a run on an idle core
def test_what_a_vault_says_is_what_its_log_says(
    in_process: Callable[..., None], walk: list[tuple[str, int, int]]
) -> None:
    check(walk)
