"""What was read becomes claims, a graph, summaries; corrections, forgetting and time reach all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trisynapse_memory.errors import (
    InvalidInputError,
    UnknownClaimError,
    UnknownGroupError,
    UnknownRecordError,
)
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Answer, Claim, ClaimStatus, SourceInput

ATLAS = (
    "Project Atlas is the new search service of the team. Priya Raman is the tech lead of Project Atlas. "
    "Project Atlas launches on 14 October 2026. The budget was approved in spring."
)
LAUNCH = "When does Project Atlas launch?"


def claim_of(engine: MemoryEngine, relation: str) -> Claim:
    (found,) = [claim for claim in engine.claims() if claim.relation == relation]
    return found


def texts(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


# ---------------------------------------------------------------- Project Atlas


def test_a_text_becomes_claims_with_their_evidence(atlas: MemoryEngine):
    lead = claim_of(atlas, "role_held_by")
    assert (lead.subject, lead.object, lead.qualifiers["part"]) == ("Project Atlas", "Priya Raman", "tech lead")
    launch = claim_of(atlas, "launch_date")
    assert (launch.objects, launch.status) == (("14 October 2026",), ClaimStatus.ACTIVE)
    (support,) = launch.sides[0].supports
    evidence = atlas.get(support.record_id)
    assert evidence.text[support.start : support.end] == "Project Atlas launches on 14 October 2026."
    assert atlas.jobs.backlog().facts == 0


def test_a_correction_is_answered_from_then_on_and_history_shows_both(atlas: MemoryEngine):
    before = atlas.query(LAUNCH)
    assert "14 October 2026" in before.answer
    evidence = before.citations[0].record_id
    change = atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "the board moved it")
    after = atlas.query(LAUNCH)
    assert texts(after)[0] == "Project Atlas launches on 2 November 2026."
    assert "14 October" not in after.answer
    assert after.sentences[0].status == "correction"
    assert after.citations[0].record_id == change.record_id
    (struck,) = after.struck
    assert (struck.text, struck.reason) == ("Project Atlas launches on 14 October 2026.", "the board moved it")
    assert (struck.record_id, struck.correction_id) == (evidence, change.record_id)
    kinds = [record.kind.value for record in atlas.history(evidence)]
    assert kinds[0] == "raw_source"
    assert change.record_id in [record.id for record in atlas.history(evidence)]
    assert "14 October 2026" in atlas.get(evidence).text


def test_the_rest_of_a_corrected_record_stays_evidence(atlas: MemoryEngine):
    evidence = atlas.query(LAUNCH).citations[0].record_id
    atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    assert "Priya Raman" in atlas.query("Who is the tech lead of Project Atlas?").answer
    hits = atlas.search("Project Atlas launch").hits
    assert all("14 October" not in hit.excerpt for hit in hits)


def test_a_correction_changes_the_claim_and_forgetting_it_brings_the_old_value_back(atlas: MemoryEngine):
    evidence = atlas.query(LAUNCH).citations[0].record_id
    change = atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    assert claim_of(atlas, "launch_date").object == "2 November 2026"
    assert claim_of(atlas, "launch_date").status is ClaimStatus.ACTIVE
    atlas.forget(change.record_id, "it was not moved after all")
    assert claim_of(atlas, "launch_date").object == "14 October 2026"
    assert "14 October 2026" in atlas.query(LAUNCH).answer


def test_who_asks_in_the_old_words_is_led_to_the_new_ones(atlas: MemoryEngine):
    evidence = atlas.query(LAUNCH).citations[0].record_id
    atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    answer = atlas.query("Does Project Atlas launch on 14 October 2026?")
    assert texts(answer)[:1] == ["Project Atlas launches on 2 November 2026."]


def test_a_correction_of_a_correction_wins(atlas: MemoryEngine):
    evidence = atlas.query(LAUNCH).citations[0].record_id
    first = atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    atlas.correct(first.record_id, "Project Atlas launches on 9 November 2026.", "moved again")
    answer = atlas.query(LAUNCH)
    assert texts(answer)[0] == "Project Atlas launches on 9 November 2026."
    assert "2 November" not in answer.answer


def test_a_correction_needs_words_a_reason_and_a_record(atlas: MemoryEngine):
    record = atlas.list_records(kind="raw_source")[0]
    for text, reason in (("", "r"), ("x is y", " ")):
        with pytest.raises(InvalidInputError):
            atlas.correct(record.id, text, reason)
    with pytest.raises(UnknownRecordError):
        atlas.correct("r_none", "Project Atlas launches never.", "r")


# ---------------------------------------------------------------- contested


def test_two_sources_that_disagree_are_both_shown_and_confidence_falls(bert: MemoryEngine):
    claim = claim_of(bert, "pretrained_with")
    assert claim.status is ClaimStatus.CONTESTED
    assert set(claim.objects) == {"Adam", "AdamW"}
    factors = {part.name: part for part in claim.confidence_parts}
    support = min(1.0, math.log(1 + 2) / math.log(5))
    undisputed = 0.45 * 0.98 + 0.35 * support + 0.20
    assert claim.confidence == pytest.approx(undisputed * 0.72, abs=1e-3)
    assert any(abs(part.value - 0.72) < 1e-9 or abs(part.weight - 0.72) < 1e-9 for part in factors.values())
    answer = bert.query("What was BERT pretrained with?")
    assert {sentence.status for sentence in answer.sentences} == {"contested"}
    assert {citation.title for citation in answer.citations} == {"The paper", "The code"}
    assert [found.claim_id for found in answer.contested] == [claim.claim_id]


def test_the_other_side_is_added_where_only_one_was_found(bert: MemoryEngine):
    (paper,) = [source for source in bert.sources.list() if source.title == "The paper"]
    answer = bert.query("What was BERT pretrained with?", top_k=1)
    assert len(answer.sentences) == 2
    cited = {citation.n: citation for citation in answer.citations}
    for sentence in answer.sentences:
        (number,) = sentence.citations
        assert sentence.text in bert.get(cited[number].record_id).text
    alone = bert.query("What was BERT pretrained with?", source_ids=[str(paper.source_id)])
    assert [sentence.status for sentence in alone.sentences] == [""]


def test_her_word_settles_a_dispute_and_can_be_taken_back(bert: MemoryEngine):
    claim = claim_of(bert, "pretrained_with")
    settled = bert.claims.resolve(claim.claim_id, "Adam", "the paper's appendix says so")
    assert (settled.status, settled.object) == (ClaimStatus.ACTIVE, "Adam")
    assert bert.query("What was BERT pretrained with?").contested == ()
    assert bert.claims.unresolve(claim.claim_id).status is ClaimStatus.CONTESTED
    with pytest.raises(InvalidInputError):
        bert.claims.resolve(claim.claim_id, "", "")
    with pytest.raises(UnknownClaimError):
        bert.claims.show("claim_none")
    with pytest.raises(InvalidInputError, match="active, contested"):
        bert.claims(status="wrong")


# ---------------------------------------------------------------- forgetting


def test_what_is_forgotten_leaves_claims_graph_and_summaries_and_comes_back(atlas: MemoryEngine):
    (source,) = atlas.sources.list()
    group = f"source:{source.source_id}"
    claims, graph, summary = atlas.claims(), atlas.graph.around(about="Project Atlas"), atlas.groups.show(group)
    assert (len(claims), len(graph.edges)) == (2, 2)
    atlas.sources.forget(source.source_id, "the wrong plan")
    atlas.jobs.wait(10)
    assert atlas.claims() == ()
    assert atlas.graph.around(about="Project Atlas").nodes == ()
    with pytest.raises(UnknownGroupError):
        atlas.groups.show(group)
    assert atlas.query(LAUNCH).abstain
    atlas.sources.reinstate(source.source_id, "it was right")
    atlas.jobs.wait(10)
    assert [claim.claim_id for claim in atlas.claims()] == [claim.claim_id for claim in claims]
    again = atlas.graph.around(about="Project Atlas")
    assert [edge.claim_id for edge in again.edges] == [edge.claim_id for edge in graph.edges]
    assert atlas.groups.show(group).sentences == summary.sentences


def test_a_fact_rests_on_its_record(atlas: MemoryEngine):
    record = atlas.list_records(kind="raw_source")[0]
    atlas.forget(record.id, "a slip")
    assert atlas.claims() == ()
    atlas.reinstate(record.id, "no slip")
    assert len(atlas.claims()) == 2


def test_a_new_version_retires_the_facts_of_the_old_one_without_a_contradiction(engine: MemoryEngine):
    engine.ingest(SourceInput(text=ATLAS, title="Plan", source_key="plan"))
    engine.ingest(SourceInput(text=ATLAS.replace("14 October", "21 October"), title="Plan", source_key="plan"))
    claim = claim_of(engine, "launch_date")
    assert (claim.objects, claim.status) == (("21 October 2026",), ClaimStatus.ACTIVE)
    engine.ingest(SourceInput(text=ATLAS, title="Plan", source_key="plan"))
    assert claim_of(engine, "launch_date").objects == ("14 October 2026",)


def test_what_is_removed_leaves_no_claim_and_a_receipt(atlas: MemoryEngine, tmp_path: Path):
    record = atlas.list_records(kind="raw_source")[0]
    receipt = atlas.remove([record.id], "private")
    assert receipt.blanked["raw_source"] == 1
    assert atlas.claims() == ()
    assert atlas.get(record.id).text == "[removed]"
    atlas.close()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "one.vault").rglob("*") if path.is_file())
    assert b"Priya Raman" not in kept


# ---------------------------------------------------------------- time


@pytest.fixture
def next_day(engine: MemoryEngine) -> Callable[[], None]:
    """Write the log on a day of its own until the next one is called for."""
    now = [datetime(2026, 1, 1, 12, tzinfo=UTC)]
    engine._rooms.log._clock = lambda: now[0]

    def turn() -> None:
        now[0] += timedelta(days=1)

    return turn


def test_an_earlier_day_is_answered_as_it_was_then(engine: MemoryEngine, next_day: Callable[[], None]):
    engine.ingest(SourceInput(text=ATLAS, title="Atlas plan"))
    evidence = engine.query(LAUNCH).citations[0].record_id
    next_day()
    engine.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    next_day()
    engine.sources.forget(engine.sources.list()[0].source_id, "over")
    assert engine.query(LAUNCH).abstain
    assert "14 October" in engine.query(LAUNCH, as_of="2026-01-01").answer
    second = engine.query(LAUNCH, as_of="2026-01-02")
    assert (texts(second)[0], second.sentences[0].status) == (
        "Project Atlas launches on 2 November 2026.",
        "correction",
    )
    assert second.as_of_seq is not None
    assert engine.query(LAUNCH, as_of="2025-12-31").abstain
    with pytest.raises(InvalidInputError, match="is no date"):
        engine.query(LAUNCH, as_of="yesterday")


def test_an_entered_snapshot_is_read_until_it_is_left(atlas: MemoryEngine):
    snapshot = atlas.snapshots.create("before the review")
    evidence = atlas.query(LAUNCH).citations[0].record_id
    atlas.correct(evidence, "Project Atlas launches on 2 November 2026.", "moved")
    assert atlas.snapshots.enter(snapshot.snapshot_id).entered
    assert "14 October" in atlas.query(LAUNCH).answer
    assert claim_of(atlas, "launch_date").object == "14 October 2026"
    atlas.snapshots.leave()
    assert "2 November" in atlas.query(LAUNCH).answer
    assert [one.label for one in atlas.snapshots.list()] == ["before the review"]
