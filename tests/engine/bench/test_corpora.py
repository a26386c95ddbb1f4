from __future__ import annotations

import json
from pathlib import Path

import pytest

from trisynapse_memory.bench import corpora as reading
from trisynapse_memory.errors import InvalidInputError

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def read_one(corpora):
    (dialogue,) = reading.read_dialogues(corpora / "locomo" / "tiny.json")
    return dialogue


def test_turns_come_in_order_with_speaker_date_and_caption(corpora):
    first, second = read_one(corpora).sessions
    assert [turn.turn_id for turn in first.turns] == ["D1:1", "D1:2", "D1:3"]
    assert first.moment == "2023-05-08T13:56:00"
    assert second.moment == "2023-06-01T10:05:00"
    assert first.turns[2].text == "Look! [shares a photo of Saturn with rings]"


def test_adversarial_questions_are_not_read(corpora):
    assert [question.category for question in read_one(corpora).questions] == ["single-hop", "multi-hop", "single-hop"]


def test_malformed_evidence_is_left_out_and_counted(corpora):
    _, second, third = read_one(corpora).questions
    assert (second.gold, second.malformed) == (("D2:1", "D2:2"), 1)
    assert (third.gold, third.malformed) == ((), 1)


def test_evidence_given_twice_counts_once(corpora, conversation):
    conversation[0]["qa"] = [{"question": "q", "category": 1, "evidence": ["D1:1", "D1:1"]}]
    path = corpora / "locomo" / "tiny.json"
    path.write_text(json.dumps(conversation))
    assert read_one(corpora).questions[0].gold == ("D1:1",)


@pytest.mark.parametrize("text", ["{", "[1]", '[{"qa": []}]', '{"a": 1}'])
def test_a_file_of_another_form_is_named(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=r"'other\.json' is not a LoCoMo file"):
        reading.read_dialogues(path)


def test_page_lists_written_as_python_are_read(tmp_path):
    path = tmp_path / "questions.json"
    row = {"doc_id": "a.pdf", "question": "q", "evidence_pages": "[7, 9]", "evidence_sources": "['Table']"}
    path.write_text(json.dumps([{**row, "answer": "3"}, {**row, "answer": "Not answerable", "evidence_pages": "[]"}]))
    first, second = reading.read_page_questions(path)
    assert (first.pages, first.sources, first.answerable) == ((7, 9), ("Table",), True)
    assert (second.pages, second.answerable) == ((), False)


def test_page_lists_are_data_and_never_run(tmp_path):
    path = tmp_path / "questions.json"
    row = {"doc_id": "a", "question": "q", "answer": "", "evidence_pages": "print('x')", "evidence_sources": "[]"}
    path.write_text(json.dumps([row]))
    with pytest.raises(InvalidInputError, match="is not a MMLongBench-Doc question file"):
        reading.read_page_questions(path)


def test_a_missing_folder_and_an_empty_one_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="There is no folder"):
        reading.files_in(tmp_path / "none", "*.json")
    with pytest.raises(InvalidInputError, match="holds no file"):
        reading.files_in(tmp_path, "*.json")


@pytest.mark.skipif(not DATA.is_dir(), reason="the development corpora lie outside the project (../shared/data)")
def test_the_development_corpora_are_read_whole():
    dialogues = reading.read_dialogues(DATA / "locomo" / "locomo_dev.json")
    questions = [question for dialogue in dialogues for question in dialogue.questions]
    assert sum(bool(question.gold) for question in questions) == 705
    assert len(reading.read_page_questions(DATA / "papers" / "questions.json")) == 134
