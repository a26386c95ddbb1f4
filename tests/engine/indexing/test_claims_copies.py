"""Copies of one text are one source: their facts support once, and never dispute each other; each is still shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from claim_cases import Case, fact, reread, whole
from trisynapse_memory.scoring.confidence import support_of
from trisynapse_memory.types import Claim, Scope, SourceId


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def support(claim: Claim) -> float:
    return next(part.value for part in claim.confidence_parts if part.name == "support")


def both(case: Case) -> list[Claim]:
    """The one claim as it is stored, and as a scope that is compiled on the spot sees it."""
    sources = tuple(SourceId(one) for one in ("a", "b", "c"))
    return [case.only(), case.only(Scope(source_ids=sources))]


def test_two_copies_support_once_and_a_third_text_twice(case: Case) -> None:
    case.tell(events=[whole(1, "a", "same"), whole(2, "b", "same"), whole(3, "c", "other")])
    case.tell(fact(4, "BERT", "uses", "Adam", source="a"), fact(5, "BERT", "uses", "Adam", source="b"))
    assert [support(one) for one in both(case)] == [support_of(1)] * 2
    case.tell(fact(6, "BERT", "uses", "Adam", source="c"))
    assert [support(one) for one in both(case)] == [support_of(2)] * 2
    assert {one.source_id for one in case.only().sides[0].supports} == {"a", "b", "c"}


def test_a_text_that_gives_two_values_in_one_sentence_is_no_dispute_of_its_copies(case: Case) -> None:
    listed = "It was trained with Adam or AdamW."
    for seq, source in ((1, "a"), (3, "b")):
        case.tell(
            fact(seq, "BERT", "pretrained_with", "Adam", source=source, text=listed),
            fact(seq + 1, "BERT", "pretrained_with", "AdamW", source=source, text=listed),
        )
    assert case.claims(status="contested") != ()
    case.tell(events=[whole(5, "a", "same"), whole(6, "b", "same")])
    assert case.claims(status="contested") == ()
    assert case.claims(Scope(source_ids=(SourceId("a"), SourceId("b"))), status="contested") == ()


def test_what_another_text_says_still_disputes_copies(case: Case) -> None:
    case.tell(events=[whole(1, "a", "same"), whole(2, "b", "same")])
    case.tell(*(fact(seq, "BERT", "has_result", "92%", source=source) for seq, source in ((3, "a"), (4, "b"))))
    case.tell(fact(5, "BERT", "has_result", "70%", source="c"))
    assert case.only(status="contested").objects == ("92%", "70%")


def test_a_scan_that_is_read_late_turns_into_a_copy_and_back(case: Case) -> None:
    case.tell(events=[whole(1, "a", "text"), whole(2, "b", "")])
    case.tell(fact(3, "BERT", "uses", "Adam", source="a"), fact(4, "BERT", "uses", "Adam", source="b"))
    assert [support(one) for one in both(case)] == [support_of(2)] * 2
    case.tell(events=[reread(5, "b", "text")])
    assert [support(one) for one in both(case)] == [support_of(1)] * 2
    case.tell(events=[reread(6, "b", "text and more")])
    assert [support(one) for one in both(case)] == [support_of(2)] * 2


def test_a_hidden_copy_leaves_the_support_of_the_other(case: Case) -> None:
    case.tell(events=[whole(1, "a", "same"), whole(2, "b", "same")])
    case.tell(fact(3, "BERT", "uses", "Adam", source="a"), fact(4, "BERT", "uses", "Adam", source="b"))
    case.tell(visibility={3: False})
    assert [support(one) for one in both(case)] == [support_of(1)] * 2
    assert {one.source_id for one in case.only().sides[0].supports} == {"b"}


def test_a_conversation_that_quotes_a_copy_is_a_voice_of_its_own(case: Case) -> None:
    case.tell(events=[whole(1, "a", "same"), whole(2, "b", "same")])
    case.tell(
        fact(3, "BERT", "uses", "Adam", source="a"),
        fact(4, "BERT", "uses", "Adam", source="b", group_id="chat:one"),
    )
    assert [support(one) for one in both(case)] == [support_of(2)] * 2
