"""What sources say is counted, compared and kept apart as engine.md 0.6 asks, each rule by one small case."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from claim_cases import EVERYTHING, NOW, Case, correction, fact, resolution
from trisynapse_memory.indexing import claim_facts
from trisynapse_memory.scoring.patterns import Worth
from trisynapse_memory.types import ClaimStatus, RecordId


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


# ---------------------------------------------------------------- agreement and dispute


def test_a_day_without_a_zone_counts_as_utc_and_stops_nothing(case: Case) -> None:
    case.tell(fact(1, "BERT", "pretrained_with", "Adam", source="a", observed_at=NOW.replace(tzinfo=None)))
    assert case.only().objects == ("Adam",)
    assert case.only().confidence_parts[2].value == pytest.approx(1.0)


def test_two_sources_that_differ_on_a_finding_are_contested_and_cost_confidence(case: Case) -> None:
    case.tell(
        fact(1, "BERT", "pretrained_with", "Adam", source="paper", observed_at=NOW, confidence=0.9),
        fact(2, "BERT", "pretrained_with", "AdamW", source="blog", observed_at=NOW, confidence=0.7),
    )
    claim = case.only()
    assert (claim.status, claim.objects, claim.subject) == (ClaimStatus.CONTESTED, ("Adam", "AdamW"), "BERT")
    # 0.72 * (0.45 * 0.8 + 0.35 * ln 3 / ln 5 + 0.20 * 1)
    assert claim.confidence == pytest.approx(0.575216761, abs=1e-9)
    assert [part.name for part in claim.confidence_parts] == ["mean", "support", "recency", "contested"]
    assert {side.value: [one.source_id for one in side.supports] for side in claim.sides} == {
        "Adam": ["paper"],
        "AdamW": ["blog"],
    }


@pytest.mark.parametrize(
    ("relation", "left", "right"),
    [
        ("launch_date", "14 October 2026", "2026-10-14"),
        ("has_value", "1.2 million", "1,200,000"),
        ("measured_as", "5 km", "5000 m"),
        ("measured_as", "299,796 ± 4 km/s", "299,798 ± 3 km/s"),
        ("role_held_by", "Dr. Jane Smith", "Jane Smith"),
        ("founded_in", "1957", "October 1957"),
        ("has_result", "92.3%", "92%"),
    ],
)
def test_one_value_written_twice_is_one_side(case: Case, relation: str, left: str, right: str) -> None:
    case.tell(fact(1, "Thing X", relation, left, source="a"), fact(2, "Thing X", relation, right, source="b"))
    claim = case.only()
    assert claim.status is ClaimStatus.ACTIVE
    assert len(claim.sides) == 1
    assert claim.confidence_parts[1].because == "2 sources or conversations say so."


@pytest.mark.parametrize(
    ("relation", "left", "right"),
    [
        ("measured_as", "299,796 ± 4 km/s", "299,774 ± 11 km/s"),
        ("has_version", "2.1", "2.10"),
        ("born_on", "3 June 1878", "4 June 1878"),
        ("located_in", "Paris", "Berlin"),
        ("costs", "$5 million", "$7 million"),
    ],
)
def test_values_that_cannot_both_be_right_are_contested(case: Case, relation: str, left: str, right: str) -> None:
    case.tell(fact(1, "Thing X", relation, left, source="a"), fact(2, "Thing X", relation, right, source="b"))
    assert case.only().status is ClaimStatus.CONTESTED


@pytest.mark.parametrize(
    ("relation", "left", "right"),
    [
        ("measured_as", "5 km", "6 kg"),
        ("costs", "$5 million", "€7 million"),
        ("uses", "Adam", "SGD"),
        ("has_result", "92%", "high"),
        ("authored_by", "Ada", "Bob"),
    ],
)
def test_values_that_cannot_be_compared_stand_side_by_side(case: Case, relation: str, left: str, right: str) -> None:
    case.tell(fact(1, "Thing X", relation, left, source="a"), fact(2, "Thing X", relation, right, source="b"))
    assert [status for status, _, _ in case.statuses()] == ["active", "active"]


@pytest.mark.parametrize("name", ["dataset", "metric", "condition", "population", "place", "time", "version", "part"])
def test_a_discriminating_qualifier_keeps_statements_apart_also_when_one_lacks_it(case: Case, name: str) -> None:
    case.tell(
        fact(1, "Net", "has_result", "90%", source="a", qualifiers={name: "one"}),
        fact(2, "Net", "has_result", "80%", source="b", qualifiers={name: "two"}),
        fact(3, "Net", "has_result", "70%", source="c"),
    )
    assert [status for status, _, _ in case.statuses()] == ["active"] * 3


def test_a_missing_task_may_be_the_same_until_two_tasks_differ(case: Case) -> None:
    case.tell(
        fact(1, "Net", "has_result", "90%", source="a", qualifiers={"task": "parsing"}),
        fact(2, "Net", "has_result", "80%", source="b"),
    )
    assert case.only().status is ClaimStatus.CONTESTED
    case.tell(fact(3, "Net", "has_result", "70%", source="c", qualifiers={"task": "tagging"}))
    assert [status for status, _, _ in case.statuses()] == ["active"] * 3


def test_a_unit_in_the_qualifiers_belongs_to_the_number(case: Case) -> None:
    case.tell(
        fact(1, "The canal", "measured_as", "5", source="a", qualifiers={"unit": "km"}),
        fact(2, "the canal", "measured_as", "5000 m", source="b", qualifiers={"unit": "m"}),
    )
    assert len(case.only().sides) == 1


def test_a_denial_disputes_the_same_statement_only(case: Case) -> None:
    case.tell(
        fact(1, "A1", "uses", "B1", source="a"),
        fact(2, "A1", "uses", "B1", source="b", negated=True),
        fact(3, "A1", "uses", "C1", source="b", negated=True),
        fact(4, "A1", "uses", "D1", source="b", negated=True, qualifiers={"dataset": "X"}),
        fact(5, "A1", "uses", "D1", source="a", qualifiers={"dataset": "Y"}),
    )
    assert case.statuses(status="contested") == [("contested", "A1", ("B1", "not B1"))]
    denials = [claim for claim in case.claims(status="active") if claim.negated]
    assert sorted(claim.objects for claim in denials) == [("C1",), ("D1",)]


def test_a_denial_of_a_single_value_meets_that_value(case: Case) -> None:
    case.tell(
        fact(1, "The lab", "located_in", "Paris", source="a"),
        fact(2, "The lab", "located_in", "Rome", source="b", negated=True),
    )
    assert {(claim.objects, claim.negated) for claim in case.claims()} == {(("Paris",), False), (("Rome",), True)}
    case.tell(fact(3, "The lab", "located_in", "Paris", source="c", negated=True))
    disputed = case.only(status="contested")
    assert (disputed.objects, disputed.negated, disputed.object) == (("Paris", "not Paris"), False, "Paris")
    case.tell(events=[resolution(4, disputed.claim_id, "not Paris", "it burned down")])
    resolved = next(claim for claim in case.claims() if claim.claim_id == disputed.claim_id)
    assert (resolved.status, resolved.object, resolved.objects) == (
        ClaimStatus.ACTIVE,
        "not Paris",
        ("not Paris", "Paris"),
    )


def test_hedged_facts_never_contest_and_still_support(case: Case) -> None:
    case.tell(
        fact(1, "Net", "pretrained_with", "Adam", source="a"),
        fact(2, "Net", "pretrained_with", "SGD", source="b", hedged=True),
        fact(3, "Net", "pretrained_with", "Adam", source="c", hedged=True),
    )
    assert case.statuses() == [("active", "Net", ("Adam",)), ("active", "Net", ("SGD",))]
    adam = case.claims()[0]
    assert [one.fact_id for one in adam.sides[0].supports] == ["r1", "r3"]


def test_one_source_contests_itself_only_under_equal_qualifiers(case: Case) -> None:
    case.tell(
        fact(1, "Net", "has_result", "90%", qualifiers={"method": "beam"}),
        fact(2, "Net", "has_result", "80%"),
    )
    assert case.statuses(status="contested") == []
    case.tell(fact(3, "Net", "has_result", "70%"))
    assert case.only(status="contested").objects == ("70%", "80%")


def test_a_sentence_that_gives_two_values_does_not_contradict_itself(case: Case) -> None:
    both = "The plant stands at Andheri and the other one at Guldhar."
    case.tell(
        fact(1, "The plant", "located_in", "Andheri", text=both),
        fact(2, "The plant", "located_in", "Guldhar", text=both),
    )
    assert [status for status, _, _ in case.statuses()] == ["active", "active"]
    case.tell(fact(3, "The plant", "located_in", "Guldhar", text="The plant stands at Guldhar.", confidence=0.9))
    assert case.only().status is ClaimStatus.CONTESTED


def test_generic_subjects_never_meet_across_sources_nor_with_another_value(case: Case) -> None:
    case.tell(
        fact(1, "our model", "has_result", "90%", source="a"),
        fact(2, "the model", "has_result", "80%", source="b"),
        fact(3, "the model", "has_result", "70%", source="b"),
    )
    assert [status for status, _, _ in case.statuses()] == ["active"] * 3
    assert case.index.entities(EVERYTHING) == ()


def test_facts_of_a_good_pattern_push_the_others_aside(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_facts, "worth_of", lambda pattern: Worth(pattern, 200, 199 if pattern == "good" else 150))
    case.tell(
        fact(1, "Net", "pretrained_with", "SGD", source="a", pattern="loose"),
        fact(2, "Net", "uses", "Redis", source="a", pattern="good", hedged=True),
    )
    assert [claim.shown for claim in case.claims()] == [False, False]
    case.tell(
        fact(3, "Net", "pretrained_with", "Adam", source="b", pattern="good"),
        fact(4, "Net", "pretrained_with", "Lion", source="c", pattern="llm.verbatim", visible=False),
    )
    claim = case.only(shown=True)
    assert (claim.status, claim.objects, len(claim.sides[0].supports)) == (ClaimStatus.ACTIVE, ("Adam",), 1)
    assert claim.subject_entity == "net"
    case.tell(visibility={4: True})
    assert case.only(shown=True).status is ClaimStatus.CONTESTED
    case.tell(visibility={3: False, 4: False})
    assert case.only(about="SGD").objects == ("SGD",)


# ---------------------------------------------------------------- time


def test_a_later_date_replaces_a_state_and_keeps_its_interval(case: Case) -> None:
    case.tell(
        fact(
            1, "Atlas", "role_held_by", "Priya", source="a", observed_at=at("2026-01-10"), qualifiers={"part": "lead"}
        ),
        fact(
            2, "Atlas", "role_held_by", "Marcus", source="b", observed_at=at("2026-03-01"), qualifiers={"part": "lead"}
        ),
    )
    current = case.only(status="active")
    assert (current.objects, current.valid_from, current.valid_to) == (("Marcus", "Priya"), "2026-03-01", "")
    assert (current.sides[1].valid_from, current.sides[1].valid_to) == ("2026-01-10", "2026-03-01")
    former = case.only(status="superseded")
    assert (former.objects, former.valid_from, former.valid_to) == (("Priya",), "2026-01-10", "2026-03-01")
    assert current.claim_id != former.claim_id


def test_a_state_without_dates_or_of_one_day_is_contested(case: Case) -> None:
    case.tell(
        fact(1, "Atlas", "owned_by", "Acme", source="a"),
        fact(2, "Atlas", "owned_by", "Globex", source="b", observed_at=at("2026-03-01")),
        fact(3, "Borealis", "owned_by", "Acme", source="a", observed_at=at("2026-03-01")),
        fact(4, "Borealis", "owned_by", "Globex", source="b", observed_at=at("2026-03-01")),
    )
    assert [status for status, _, _ in case.statuses()] == ["contested", "contested"]


def test_the_date_a_sentence_speaks_of_counts_before_the_date_it_was_seen(case: Case) -> None:
    case.tell(
        fact(1, "Atlas", "owned_by", "Acme", source="a", observed_at=at("2026-05-01"), temporal_anchor="2024"),
        fact(2, "Atlas", "owned_by", "Globex", source="b", observed_at=at("2026-03-01"), temporal_anchor="2025-06"),
    )
    assert case.only(status="active").object == "Globex"
    case.tell(fact(3, "Atlas", "owned_by", "Initech", source="c", temporal_anchor="2025"))
    assert case.only(status="contested").objects[2:] == ("Acme",)


def test_a_date_that_is_the_value_does_not_date_the_statement(case: Case) -> None:
    case.tell(
        fact(1, "Atlas", "launch_date", "14 October 2026", source="a", temporal_anchor="2026-10-14"),
        fact(2, "Atlas", "launch_date", "20 October 2026", source="b", temporal_anchor="2026-10-20"),
    )
    assert case.only().status is ClaimStatus.CONTESTED


def test_a_finding_is_never_replaced_by_a_later_one(case: Case) -> None:
    case.tell(
        fact(1, "speed of light", "measured_as", "299,796 ± 4 km/s", source="a", temporal_anchor="1926"),
        fact(2, "speed of light", "measured_as", "299,710 ± 22 km/s", source="b", temporal_anchor="1907"),
    )
    assert case.only().status is ClaimStatus.CONTESTED


def test_quantities_of_two_years_are_two_statements(case: Case) -> None:
    case.tell(
        fact(1, "population of Oslo", "has_value", "600,000", source="a", temporal_anchor="2010"),
        fact(2, "population of Oslo", "has_value", "700,000", source="b", qualifiers={"time": "2020"}),
        fact(3, "population of Oslo", "has_value", "800,000", source="c"),
    )
    assert [status for status, _, _ in case.statuses()] == ["active"] * 3
    case.tell(fact(4, "population of Oslo", "has_value", "650,000", source="d", qualifiers={"time": "2010"}))
    assert case.only(status="contested").objects == ("650,000", "600,000")


# ---------------------------------------------------------------- the life cycle


def test_hiding_a_source_settles_the_dispute_and_showing_it_brings_it_back(case: Case) -> None:
    case.tell(
        fact(1, "BERT", "pretrained_with", "Adam", source="a"), fact(2, "BERT", "pretrained_with", "AdamW", source="b")
    )
    before = case.claims()
    case.tell(visibility={2: False})
    assert case.statuses() == [("active", "BERT", ("Adam",))]
    case.tell(visibility={1: False})
    assert case.claims() == ()
    case.tell(visibility={1: True, 2: True})
    assert case.claims() == before


def test_a_correction_is_shown_and_supersedes_inside_its_source(case: Case) -> None:
    case.tell(
        fact(1, "Atlas", "launch_date", "14 October 2026", source="a", evidence_ids=(RecordId("r0"),)),
        fact(2, "Atlas", "launch_date", "14 October 2026", source="a"),
        correction(3, 1, "Atlas", "launch_date", "21 October 2026", source="a"),
        visibility={1: False},
    )
    claim = case.only()
    assert (claim.shown, claim.status, claim.objects) == (True, ClaimStatus.ACTIVE, ("21 October 2026",))
    support = claim.sides[0].supports[0]
    assert (support.record_id, support.fact_id, support.pattern) == ("r3", "r3", "correction")


def test_a_circle_of_corrections_and_dates_ends_with_the_correction(case: Case) -> None:
    case.tell(
        correction(1, 90, "Atlas", "owned_by", "Acme", source="a", observed_at=at("2026-01-01")),
        correction(2, 91, "Borealis", "owned_by", "Acme", source="a"),
        fact(3, "Atlas", "owned_by", "Globex", source="a", observed_at=at("2026-05-01"), pattern="llm.verbatim"),
        fact(4, "Atlas", "owned_by", "Initech", source="b", observed_at=at("2026-03-01"), pattern="llm.verbatim"),
    )
    assert case.only(about="Atlas", status="active").objects == ("Acme", "Globex", "Initech")
    assert len(case.claims(about="Atlas", status="superseded")) == 2


def test_a_resolution_holds_until_it_is_taken_back(case: Case) -> None:
    case.tell(
        fact(1, "BERT", "pretrained_with", "Adam", source="a"), fact(2, "BERT", "pretrained_with", "AdamW", source="b")
    )
    contested = case.only()
    case.tell(events=[resolution(3, contested.claim_id, "AdamW", "the code says so")])
    resolved = case.only()
    assert (resolved.status, resolved.object, resolved.resolution) == (ClaimStatus.ACTIVE, "AdamW", "the code says so")
    assert [side.preferred for side in resolved.sides] == [True, False]
    assert resolved.confidence == pytest.approx(contested.confidence / 0.72)
    case.tell(fact(4, "BERT", "pretrained_with", "Adam", source="c"))
    assert case.only().object == "AdamW"
    case.tell(events=[resolution(5, contested.claim_id, "", removed=True)])
    assert case.only().status is ClaimStatus.CONTESTED


def test_a_claim_keeps_its_id_while_values_come_and_go(case: Case) -> None:
    case.tell(fact(1, "BERT", "pretrained_with", "Adam", source="a"))
    first = case.only().claim_id
    case.tell(
        fact(2, "BERT", "pretrained_with", "AdamW", source="b"), fact(3, "BERT", "pretrained_with", "AdamW", source="c")
    )
    assert case.only().claim_id == first
    case.tell(visibility={1: False})
    assert case.only().claim_id == first
    found = case.index.get(first, EVERYTHING)
    assert found is not None
    assert found == case.only()
    assert case.index.get("claim_unknown", EVERYTHING) is None
