"""What a proposal must stand before it becomes a fact."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.extraction.runner import check_proposals, extract_facts, fault_of, sort_proposals
from trisynapse_memory.types import Modality, Passage, Proposal

TEXT = "AdaFold (Lee, 2019) uses segmen-\ntations of Low-\nRank kind. It uses Adam."
PASSAGE = Passage(seq=7, text=TEXT, title="A Paper", speaker="Ines")
FACT = Proposal(
    seq=7, start=0, end=len(TEXT), subject="AdaFold", relation="uses", object="Adam", pattern="usage", confidence=0.9
)


def changed(**fields: object) -> Proposal:
    return msgspec.structs.replace(FACT, **fields)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, ""),
        ({"seq": 8}, "unknown passage"),
        ({"start": -1}, "span outside"),
        ({"end": len(TEXT) + 1}, "span outside"),
        ({"start": 5, "end": 5}, "span outside"),
        ({"confidence": 0.0}, "confidence"),
        ({"confidence": 1.5}, "confidence"),
        ({"relation": "makes_use"}, ""),
        ({"relation": "Makes use"}, "relation"),
        ({"object": " "}, "empty side"),
        ({"object": "Adam" * 100}, "long side"),
        ({"object": "adafold"}, "equal sides"),
        ({"object": "it"}, "vague side"),
        ({"object": "2019"}, "vague side"),
        ({"object": "SGD"}, "object not in span"),
        ({"subject": "RetroNet"}, "subject not in span"),
        ({"object": "segmentations"}, ""),
        ({"object": "Low-Rank kind"}, ""),
        ({"subject": "Ines"}, ""),
        ({"subject": "A Paper"}, "subject not in span"),
        ({"subject": "A Paper", "relation": "about"}, ""),
        ({"subject": "A Paper", "relation": "cites", "object": "Lee 2019"}, ""),
        ({"subject": "A Paper", "relation": "cites", "object": "Park 2019"}, "object not in span"),
        ({"relation": "published_on", "object": "2019"}, ""),
    ],
)
def test_a_fault_is_named(fields: dict[str, object], fault: str) -> None:
    assert fault_of(changed(**fields), PASSAGE if fields.get("seq") != 8 else None) == fault


def test_a_resolved_pronoun_may_take_its_subject_from_before() -> None:
    start = TEXT.index("It uses")
    plain = changed(start=start)
    assert fault_of(plain, PASSAGE) == "subject not in span"
    assert fault_of(changed(start=start, qualifiers={"anaphor": "It"}), PASSAGE) == ""
    assert fault_of(changed(start=start, qualifiers={"anaphor": "They"}), PASSAGE) == "subject not in span"


def test_a_name_that_looks_like_a_pronoun_is_a_name() -> None:
    passage = Passage(seq=7, text="WHO (World Health Organization) met.")
    fact = changed(end=36, subject="WHO", relation="stands_for", object="World Health Organization")
    assert fault_of(fact, passage) == ""


def test_code_may_name_what_its_file_name_says() -> None:
    passage = Passage(seq=7, text="def area(): ...", modality=Modality.CODE)
    assert fault_of(changed(end=15, subject="geometry.py", relation="defines", object="area"), passage) == ""


def test_what_fails_and_what_comes_twice_is_counted() -> None:
    found = sort_proposals([PASSAGE], [FACT, FACT, changed(object="it"), changed(object="SGD")])
    assert found.proposals == (FACT,)
    assert found.dropped == {"repeated": 1, "vague side": 1, "object not in span": 1}
    assert check_proposals([PASSAGE], [FACT, FACT]) == (FACT,)


class Scripted:
    name, version = "scripted", 1

    def extract(self, passages: object) -> tuple[Proposal, ...]:
        return (FACT, changed(seq=9))


def test_an_extractor_is_run_and_checked() -> None:
    found = extract_facts([PASSAGE], Scripted())
    assert (found.proposals, found.dropped) == ((FACT,), {"unknown passage": 1})


@given(
    st.lists(
        st.builds(
            Proposal,
            seq=st.sampled_from([7, 8]),
            start=st.integers(-2, 80),
            end=st.integers(-2, 80),
            subject=st.sampled_from(["AdaFold", "it", ""]),
            relation=st.sampled_from(["uses", "Uses", "cites"]),
            object=st.sampled_from(["Adam", "SGD", "2019"]),
            pattern=st.just("usage"),
            confidence=st.floats(-1, 2, allow_nan=False),
        )
    )
)
def test_everything_is_kept_or_counted_and_checking_twice_changes_nothing(proposals: list[Proposal]) -> None:
    found = sort_proposals([PASSAGE], proposals)
    assert len(found.proposals) + sum(found.dropped.values()) == len(proposals)
    again = sort_proposals([PASSAGE], found.proposals)
    assert (again.proposals, again.dropped) == (found.proposals, {})


def test_facts_of_patterns_that_are_too_often_wrong_are_not_kept() -> None:
    doubtful = changed(pattern="definition.loose")
    assert sort_proposals([PASSAGE], [doubtful]).proposals == (doubtful,), "they are judged all the same"
    assert check_proposals([PASSAGE], [doubtful]) == ()
