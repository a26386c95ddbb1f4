"""What a candidate gains or loses besides its score, and that each kind of record is judged by its own measures."""

from __future__ import annotations

from datetime import UTC, datetime
from math import log

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.measures import AFTER_SHARE, Measurer, Surroundings, between_people, words_of
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.types import (
    Beside,
    Locator,
    MessageDetails,
    Modality,
    QueryPlan,
    Record,
    RecordId,
    TermHolders,
)
from trisynapse_memory.types.record import Kind

CONFIG = Config()
DAY = datetime(2023, 5, 8, tzinfo=UTC)


def record(seq: int, text: str, **fields) -> Record:
    return Record(
        id=RecordId(f"r{seq}"), seq=seq, device_id="d", device_seq=seq, written_at=DAY, kind=Kind.RAW_SOURCE,
        content_hash="", chain_hash="", text=text, **fields,
    )  # fmt: skip


def turn(seq: int, speaker: str, text: str, role: str = "user", group: str = "chat") -> Record:
    return record(
        seq,
        f"{speaker}: {text}",
        modality=Modality.CONVERSATION,
        group_id=group,
        observed_at=DAY,
        locator=Locator(kind="turn", index=seq, speaker=speaker),
        payload=MessageDetails(role=role),
    )


def parts_of(
    question: str,
    *records: Record,
    held: dict[str, set[int]] | None = None,
    beside: dict[int, Beside] | None = None,
    scores: dict[int, float] | None = None,
    mentions: dict[int, float] | None = None,
) -> dict[int, dict[str, float]]:
    plan = plan_question(question, CONFIG)
    holders = {key: frozenset(seqs) for key, seqs in (held or {}).items()}
    known = Surroundings(
        records={one.seq: one for one in records},
        scores=scores or {},
        beside=beside or {},
        mentions=mentions or {},
        holders=TermHolders(
            record_count=100, frequencies={key: len(seqs) for key, seqs in holders.items()}, holders=holders
        ),
    )
    measurer = Measurer(plan, known, CONFIG)
    return measurer.parts()


def test_the_words_of_a_question_are_told_by_their_keys():
    plan = plan_question("When did Caroline paint the lakes?", CONFIG)
    assert [word[0] for word in words_of(plan)] == ["caroline", "paint", "lakes"]
    assert all(len(word) > 1 for word in words_of(plan))  # a stem besides


def test_a_passage_gains_by_the_share_of_the_rare_words_it_holds():
    held = {"zebra": {1}, "paper": set(range(1, 60))}
    found = parts_of("zebra paper", record(1, "zebra paper"), record(2, "paper"), record(70, "x"), held=held)
    rare, common = log(1 + 99.5 / 1.5), log(1 + 41.5 / 59.5)
    assert found[1]["coverage"] == pytest.approx(CONFIG.coverage_weight)
    assert found[2]["coverage"] == pytest.approx(CONFIG.coverage_weight * common / (rare + common))
    assert found[70] == {}


def test_a_passage_gains_from_the_better_of_its_neighbours():
    found = parts_of("x", record(2, "b"), beside={2: Beside(1, 3)}, scores={1: 0.2, 3: 0.9})
    assert found[2]["neighbour"] == pytest.approx(CONFIG.document_neighbour_weight * 0.9)


def test_a_named_source_gains_whatever_it_is():
    assert parts_of("x", record(2, "b"), mentions={2: 0.5})[2] == {"mention": pytest.approx(CONFIG.mention_weight / 2)}


def test_a_turn_is_read_together_with_the_turn_before_it():
    answer, question = turn(5, "Melanie", "Yes, by the lake."), turn(4, "Caroline", "Did you paint?")
    found = parts_of(
        "painting lake", question, answer, held={"painting": {4}, "lake": {5}}, beside={5: Beside(4, None)}
    )
    assert found[5]["exchange"] == pytest.approx(CONFIG.exchange_weight)
    assert found[4]["exchange"] < found[5]["exchange"]
    assert found[4]["asking"] == -CONFIG.asking_weight
    assert "asking" not in found[5]


def test_the_person_who_is_asked_about_is_believed_first():
    found = parts_of("What does Caroline paint?", turn(1, "Caroline", "Lakes."), turn(2, "Melanie", "Dogs."))
    assert found[1]["speaker"] == CONFIG.speaker_weight
    assert found[2]["speaker"] == -CONFIG.speaker_weight


def test_where_no_speaker_is_named_all_are_equal():
    assert "speaker" not in parts_of("Who paints?", turn(1, "Caroline", "Lakes."))[1]


def test_a_question_about_a_time_looks_for_turns_that_name_another_day():
    turns = (
        turn(1, "Caroline", "Yesterday."),
        turn(2, "Caroline", "(8 May 2023) Lakes."),
        turn(3, "Caroline", "Lakes."),
    )
    found = parts_of("When did Caroline paint?", *turns)
    assert [one.get("time") for one in found.values()] == [CONFIG.time_weight, None, None]
    assert "time" not in parts_of("What did Caroline paint?", *turns)[1]


def test_what_an_assistant_wrote_stands_behind_what_she_said():
    turns = (turn(1, "You", "I like tea."), turn(2, "Assistant", "Tea is healthy.", role="assistant"))
    found = parts_of("Which drink do I like?", *turns)
    assert found[2] == {"assistant": -CONFIG.assistant_weight}
    assert found[1] == {}


def test_an_assistant_whose_words_are_asked_for_loses_nothing():
    turns = (turn(1, "You", "I like tea."), turn(2, "Assistant", "Tea is healthy.", role="assistant"))
    assert parts_of("What did you recommend to drink?", *turns)[2] == {}


def test_people_and_assistants_are_told_apart_by_conversation():
    turns = (
        turn(1, "Caroline", "Tea?", group="people"),
        turn(2, "Caroline", "Tea?", group="helped"),
        turn(3, "assistant", "Yes.", role="assistant", group="helped"),
    )
    found = parts_of("Caroline", *turns)
    assert "speaker" in found[1]
    assert found[2] == {}


def test_a_question_without_words_measures_nothing():
    assert parts_of("???", record(1, "a"))[1] == {}
    assert isinstance(plan_question("???", CONFIG), QueryPlan)


def test_what_the_turn_behind_holds_counts_by_its_share():
    first, second = turn(4, "Caroline", "Look at this."), turn(5, "Melanie", "A painting!")
    found = parts_of("painting", first, second, held={"painting": {5}}, beside={4: Beside(None, 5), 5: Beside(4, None)})
    assert found[5]["exchange"] == pytest.approx(CONFIG.exchange_weight)
    assert found[4]["exchange"] == pytest.approx(AFTER_SHARE * CONFIG.exchange_weight)


def test_a_turn_gains_from_the_best_of_its_conversation_and_a_passage_from_none():
    records = (turn(1, "Caroline", "Lakes."), turn(2, "Melanie", "Dogs."), turn(3, "Melanie", "Cats.", group="other"))
    found = parts_of("x", *records, record(9, "b"), scores={1: 0.8, 2: 0.1, 3: 0.5, 9: 0.9})
    assert found[1]["session"] == found[2]["session"] == pytest.approx(CONFIG.session_weight * 0.8)
    assert found[3]["session"] == pytest.approx(CONFIG.session_weight * 0.5)
    assert "session" not in found[9]


def test_turns_between_people_are_those_where_no_assistant_speaks():
    people = (turn(1, "Caroline", "Lakes."), turn(2, "Melanie", "Dogs."))
    assistant = (
        turn(3, "You", "Tea?", group="helped"),
        turn(4, "Assistant", "Tea is healthy.", role="assistant", group="helped"),
    )
    records = {one.seq: one for one in (*people, *assistant, record(9, "b"))}
    assert between_people(records) == {1, 2}


def test_how_much_an_exchange_holds_is_told_before_anything_is_read():
    plan = plan_question("zebra paper", CONFIG)
    holders = TermHolders(
        record_count=100,
        frequencies={"zebra": 1, "paper": 1},
        holders={"zebra": frozenset({1}), "paper": frozenset({2})},
    )
    known = Surroundings(records={}, scores={}, beside={2: Beside(1, None)}, mentions={}, holders=holders)
    measurer = Measurer(plan, known, CONFIG)
    assert measurer.exchange(2) == pytest.approx(1.0)
    assert measurer.exchange(1) == pytest.approx(0.5)
    assert measurer.exchange(7) == 0.0
