"""Names that mean one thing, what readers of different scopes see, and what is left when records are erased."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from claim_cases import EVERYTHING, Case, correction, fact, merge, record, resolution, source, unmerge
from trisynapse_memory.types import ClaimStatus, Kind, Namespace, RecordId, Scope, SourceId


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


# ---------------------------------------------------------------- names


def test_a_short_form_and_its_long_form_are_one_entity(case: Case) -> None:
    case.tell(
        fact(1, "LoRA", "uses", "Transformer", source="a"),
        fact(2, "Low-Rank Adaptation", "uses", "the Transformers", source="b"),
    )
    assert len(case.claims()) == 2
    case.tell(fact(3, "LoRA", "stands_for", "Low-Rank Adaptation", source="b", evidence_ids=(RecordId("r9"),)))
    merged = case.claims(about="low rank adaptation")
    assert {claim.relation for claim in merged} == {"uses", "stands_for"}
    assert {claim.subject for claim in merged} == {"LoRA"}
    assert case.claims(about="LoRA") == merged
    (expansion,) = [claim for claim in merged if claim.relation == "stands_for"]
    assert (expansion.subject, expansion.object) == ("LoRA", "Low-Rank Adaptation"), "one entity, two spellings"
    (alias,) = case.index.aliases(EVERYTHING)
    assert (alias.canonical, alias.names, alias.origin, alias.record_ids) == (
        "LoRA",
        ("Low-Rank Adaptation", "LoRA"),
        "evidence",
        ("r9",),
    )


def test_an_ambiguous_short_form_is_merged_in_its_own_group_only(case: Case) -> None:
    case.tell(
        fact(1, "CNN", "stands_for", "convolutional neural network", source="a"),
        fact(2, "CNN", "uses", "pooling", source="a"),
        fact(3, "convolutional neural network", "uses", "pooling", source="b"),
    )
    assert len(case.claims(about="pooling")) == 1
    case.tell(
        fact(4, "CNN", "stands_for", "Cable News Network", source="c"), fact(5, "CNN", "uses", "pooling", source="d")
    )
    pooling = case.claims(about="pooling")
    assert [len(claim.sides[0].supports) for claim in pooling] == [2, 1]
    case.tell(visibility={4: False})
    assert [len(claim.sides[0].supports) for claim in case.claims(about="pooling")] == [3]


def test_a_titled_surname_is_the_one_full_name_of_its_group(case: Case) -> None:
    case.tell(
        fact(1, "Sherlock Holmes", "lives_in", "Baker Street", source="a"),
        fact(2, "Mr. Holmes", "lives_in", "Sussex", source="a"),
        fact(3, "Mr. Holmes", "lives_in", "Boston", source="b"),
    )
    disputed = case.only(status="contested")
    assert (disputed.subject, disputed.objects) == ("Mr. Holmes", ("Sussex", "Baker Street"))
    assert case.only(status="active").objects == ("Boston",)
    (alias,) = case.index.aliases(EVERYTHING)
    assert (alias.names, alias.record_ids) == (("Sherlock Holmes", "Mr. Holmes"), ("r1", "r2"))
    case.tell(fact(4, "Mycroft Holmes", "works_at", "Whitehall", source="a"))
    assert [status for status, _, _ in case.statuses()] == ["active"] * 4
    case.tell(visibility={4: False})
    assert len(case.claims(status="contested")) == 1


def test_her_merge_joins_and_her_unmerge_brings_back_exactly_what_was(case: Case) -> None:
    case.tell(
        fact(1, "the Atlas project", "owned_by", "Acme", source="a"),
        fact(2, "Project X", "owned_by", "Globex", source="b"),
    )
    before = case.claims()
    case.tell(events=[merge(3, "Atlas project", "Project X", canonical="Project X")])
    claim = case.only()
    assert (claim.status, set(claim.objects)) == (ClaimStatus.CONTESTED, {"Acme", "Globex"})
    (alias,) = case.index.aliases(EVERYTHING)
    assert (alias.alias_id, alias.canonical, alias.origin) == ("r3", "Project X", "user")
    case.tell(events=[unmerge(4, "r3")])
    assert case.claims() == before
    assert case.index.aliases(EVERYTHING) == ()


def test_a_merge_found_in_the_sources_can_be_undone(case: Case) -> None:
    case.tell(
        fact(1, "LoRA", "stands_for", "Low-Rank Adaptation"),
        fact(2, "LoRA", "uses", "SVD"),
        fact(3, "Low-Rank Adaptation", "uses", "SVD", source="b"),
    )
    assert len(case.claims(about="SVD")) == 1
    (alias,) = case.index.aliases(EVERYTHING)
    case.tell(events=[unmerge(4, alias.alias_id)])
    assert len(case.claims(about="SVD")) == 2
    assert case.index.aliases(EVERYTHING) == ()


def test_entities_are_those_of_shown_claims_most_connected_first(case: Case) -> None:
    case.tell(
        correction(1, 90, "Atlas", "uses", "Redis"),
        correction(2, 91, "Atlas", "owned_by", "Acme"),
        fact(3, "Borealis", "uses", "Redis"),
    )
    assert [(node.node_id, node.label, node.weight) for node in case.index.entities(EVERYTHING)] == [
        ("entity:atlas", "Atlas", 1.0),
        ("entity:acme", "Acme", 0.5),
        ("entity:redis", "Redis", 0.5),
    ]
    assert [node.label for node in case.index.entities(EVERYTHING, prefix="re")] == ["Redis"]
    assert [node.label for node in case.index.entities(EVERYTHING, limit=1)] == ["Atlas"]


# ---------------------------------------------------------------- reading


def test_supports_carry_the_words_the_place_and_the_title(case: Case) -> None:
    case.tell(
        fact(
            2,
            "BERT",
            "pretrained_with",
            "Adam",
            text="BERT was pretrained with Adam.",
            evidence_ids=(RecordId("r1"),),
            spans=((10, 40),),
            pattern="usage",
        ),
        events=[source(3, "s1", "BERT, a paper")],
    )
    claim = case.only()
    (support,) = claim.sides[0].supports
    assert (support.excerpt, support.start, support.end) == ("BERT was pretrained with Adam.", 10, 40)
    assert (support.record_id, support.fact_id, support.title, support.pattern) == (
        "r1",
        "r2",
        "BERT, a paper",
        "usage",
    )
    assert claim.text == "BERT was pretrained with Adam."
    assert claim.evidence == ("r1",)


def test_claims_are_found_by_their_evidence_and_their_source(case: Case) -> None:
    raw = record(1, Kind.RAW_SOURCE, text="BERT was pretrained with Adam.", source_id=SourceId("a"))
    case.tell(
        type(fact(9, "a", "b", "c"))(raw),
        fact(2, "BERT", "pretrained_with", "Adam", source="a", evidence_ids=(RecordId("r1"),)),
        fact(3, "BERT", "pretrained_with", "AdamW", source="b"),
        fact(4, "BERT", "uses", "attention", source="a"),
    )
    by_record = case.index.of_records([1], EVERYTHING)
    assert [claim.status for claim in by_record] == [ClaimStatus.CONTESTED]
    assert case.index.of_records([3], EVERYTHING) == by_record
    assert case.index.of_records([4, 77], EVERYTHING) == case.claims(about="attention")
    of_source = case.index.of_source("a", EVERYTHING)
    assert [claim.status.value for claim in of_source] == ["contested", "active"]
    assert case.index.of_source("a", EVERYTHING, shown=True) == ()
    assert [claim.status.value for claim in case.index.of_source("a", EVERYTHING, limit=1)] == ["contested"]


def test_a_reader_sees_its_namespace_with_the_right_statistics(case: Case) -> None:
    ada, bob = Namespace(user_id="ada"), Namespace(user_id="bob")
    case.tell(
        fact(1, "BERT", "pretrained_with", "Adam", source="a", namespace=ada),
        fact(2, "BERT", "pretrained_with", "AdamW", source="b", namespace=bob),
    )
    mine = case.only(Scope(namespace=ada))
    assert (mine.status, mine.objects) == (ClaimStatus.ACTIVE, ("Adam",))
    assert case.only(Scope(namespace=Namespace())).status is ClaimStatus.CONTESTED
    assert case.claims(Scope(namespace=Namespace(user_id="eve"))) == ()
    assert case.index.get(mine.claim_id, Scope(namespace=bob)) != mine
    assert case.claims(Scope(namespace=ada), about="AdamW") == ()


def test_chosen_sources_are_the_only_ones_that_count(case: Case) -> None:
    case.tell(
        fact(1, "BERT", "pretrained_with", "Adam", source="a"), fact(2, "BERT", "pretrained_with", "AdamW", source="b")
    )
    assert case.only(Scope(source_ids=(SourceId("b"),))).objects == ("AdamW",)
    assert case.claims(Scope(source_ids=())) == ()
    assert case.index.of_source("b", Scope(source_ids=(SourceId("a"),))) == ()


def test_an_earlier_moment_is_read_as_it_was(tmp_path: Path) -> None:
    hidden_from = {1: 3}  # fact 1 was forgotten at position 3

    def visible_as_of(seqs: object, as_of: int) -> set[int]:
        return {seq for seq in seqs if as_of < hidden_from.get(seq, 99)}  # type: ignore[attr-defined]

    case = Case(tmp_path, visible_as_of=visible_as_of)
    case.tell(fact(1, "BERT", "pretrained_with", "Adam", source="a"))
    then = case.claims()
    case.tell(fact(2, "BERT", "pretrained_with", "AdamW", source="b"))
    case.index.apply((), {1: False}, 3)
    assert case.only().objects == ("AdamW",)
    assert case.claims(Scope(as_of_seq=1)) == then
    assert case.only(Scope(as_of_seq=2)).status is ClaimStatus.CONTESTED
    assert case.claims(Scope(as_of_seq=2), about="Adam") == case.claims(Scope(as_of_seq=2))
    assert case.claims(Scope(as_of_seq=3)) == case.claims()
    assert case.claims(Scope(as_of_seq=0)) == ()


def test_listing_filters_and_orders(case: Case) -> None:
    case.tell(
        fact(1, "One", "uses", "Redis", source="a"),
        fact(2, "Two", "uses", "Redis", source="a"),
        fact(3, "Two", "uses", "Redis", source="b"),
        fact(4, "Three", "uses", "Redis", source="a", confidence=0.9),
    )
    assert [claim.subject for claim in case.claims()] == ["Two", "Three", "One"]
    assert [claim.subject for claim in case.claims(limit=1)] == ["Two"]
    assert [claim.subject for claim in case.claims(about="three")] == ["Three"]
    assert case.claims(shown=True) == case.claims(status="contested") == case.claims(about="nobody") == ()


def test_a_subject_with_very_many_values_is_a_class_and_never_contested(case: Case) -> None:
    case.tell(*(fact(seq, "Sample", "located_in", f"Place{seq}x", source=f"s{seq}") for seq in range(1, 33)))
    case.tell(*(fact(seq, "Kestrel", "located_in", f"Place{seq}x", source=f"s{seq}") for seq in range(33, 65)))
    assert len(case.only(about="Kestrel").sides) == 32
    case.tell(fact(65, "Kestrel", "located_in", "Elsewhere", source="z"))
    assert {claim.status for claim in case.claims(about="Kestrel")} == {ClaimStatus.ACTIVE}
    assert len(case.claims(about="Kestrel")) == 33
    case.tell(fact(66, "Kestrel", "located_in", "Place40x", source="y"))
    assert len(case.claims(about="Kestrel")) == 33
    assert [len(claim.sides[0].supports) for claim in case.claims(about="Kestrel", limit=2)] == [2, 1]
    case.tell(visibility={65: False})
    assert len(case.only(about="Kestrel").sides) == 32


# ---------------------------------------------------------------- erasing


def test_dropped_facts_leave_no_byte_behind(case: Case) -> None:
    words = ["zqxsubjectone", "zqxobjectone", "zqxsentenceone", "zqxqualifier", "zqxlongname", "zqxtitle"]
    raw = record(1, Kind.RAW_SOURCE, text="anything", source_id=SourceId("a"))
    entry_type = type(fact(99, "a", "b", "c"))
    case.tell(
        entry_type(raw),
        fact(
            2,
            words[0],
            "located_in",
            words[1],
            source="a",
            text=words[2],
            evidence_ids=(RecordId("r1"),),
            qualifiers={"dataset": words[3]},
        ),
        fact(3, "zqx", "stands_for", words[4], source="a", evidence_ids=(RecordId("r1"),)),
        fact(4, "kept subject", "located_in", "kept object", source="b"),
        events=[source(5, "a", words[5])],
    )
    case.tell(events=[merge(6, "zqxsaid", "kept subject"), resolution(7, "claim_x", "zqxvalue")])
    case.index.drop([1, 5, 6, 7])
    stored = b"".join(path.read_bytes() for path in case.path.parent.glob(f"{case.path.name}*"))
    assert b"kept object" in stored
    assert [word for word in [*words, "zqx"] if word.encode() in stored] == []
    assert case.statuses() == [("active", "kept subject", ("kept object",))]
    case.index.drop([1, 2])
    case.index.drop([])


def test_dropping_every_second_fact_leaves_no_byte_of_it(case: Case) -> None:
    facts = [fact(seq, "Common", "uses", f"unique{seq:05d}x", source=f"source-of-{seq:05d}") for seq in range(1, 120)]
    for start in range(0, len(facts), 20):
        case.tell(*facts[start : start + 20])
    case.index.drop(range(1, 120, 2))
    stored = b"".join(path.read_bytes() for path in case.path.parent.glob(f"{case.path.name}*"))
    assert all(f"unique{seq:05d}x".encode() in stored for seq in range(2, 120, 2))
    words = ("unique{:05d}x", "source-of-{:05d}")
    assert [seq for seq in range(1, 120, 2) if any(word.format(seq).encode() in stored for word in words)] == []


def test_one_fact_more_about_a_popular_thing_takes_as_many_steps_as_the_first_ones(case: Case) -> None:
    steps: list[int] = []

    def count(seq: int) -> int:
        steps.clear()
        entry = fact(seq, "BERT", "pretrained_with", "Adam", source=f"s{seq}", group_id=f"g{seq}")
        writer: Any = case.index._database._writer
        writer.exec_trace = lambda *_: steps.append(1) or True
        case.tell(entry)
        writer.exec_trace = None
        return len(steps)

    case.tell(*(fact(seq, "BERT", "pretrained_with", "Adam", source=f"s{seq}") for seq in range(1, 30)))
    few = count(30)
    case.tell(*(fact(seq, "BERT", "pretrained_with", "Adam", source=f"s{seq}") for seq in range(31, 1500)))
    assert count(1500) == few
    assert case.only().confidence_parts[1].value == 1.0


def test_wiping_empties_everything(case: Case) -> None:
    case.tell(fact(1, "A1", "uses", "B1"), events=[merge(2, "A1", "C1"), source(3, "s1", "title")])
    case.index.wipe()
    assert (case.index.applied_seq(), case.claims(), case.index.aliases(EVERYTHING)) == (0, (), ())
    case.tell(fact(1, "A1", "uses", "B1"))
    assert case.only().subject == "A1"


def test_facts_without_a_triple_and_repeated_records_change_nothing(case: Case) -> None:
    case.tell(fact(1, "A1", "uses", "B1"), fact(2, "", "uses", "B1"))
    before = case.claims()
    case.tell(fact(1, "A1", "uses", "B1"))
    assert case.claims() == before
    assert case.index.applied_seq() == 2
