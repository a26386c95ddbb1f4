"""Files of each corpus in, stores out; the vault itself stands in test_evidence.py."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.bench import beam, multihop, nfcorpus, xquad
from trisynapse_memory.errors import InvalidInputError


def write(folder, name, value):
    folder.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value)
    (folder / name).write_text(text, encoding="utf-8")


def test_hotpot_gold_is_the_passages_whose_titles_support(tmp_path):
    folder = tmp_path / "multihop"
    write(folder, "hotpot_corpus.json", {"Alu": ["Alu is a demon.", " It comes at night."], "Lilu": ["Lilu is one."]})
    asked = {
        "question": "What is Lilu?",
        "type": "bridge",
        "supporting_facts": [["Lilu", 0], ["Gone", 1]],
        "context": [["Alu", ["Alu is a demon.", " It comes at night."]], ["Lilu", ["Lilu is one."]], ["Gone", ["-"]]],
    }
    write(folder, "hotpot.json", [asked])
    (store,) = multihop.read(tmp_path)
    assert store.corpus == "hotpot"
    assert next((one.title, one.text) for one in store.passages) == ("Alu", "Alu is a demon. It comes at night.")
    (question,) = store.questions
    keys = {one.key: one.title for one in store.passages}
    assert [keys[key] for key in question.gold] == ["Lilu"]
    assert (question.category, question.malformed) == ("bridge", 1)


def test_musique_passages_of_one_title_are_told_apart_by_their_words(tmp_path):
    folder = tmp_path / "multihop"
    pages = [{"title": "Lyon", "text": "Lyon lies in France."}, {"title": "Lyon", "text": "Lyon has two rivers."}]
    write(folder, "musique_corpus.json", pages)
    paragraphs = [
        {"title": "Lyon", "paragraph_text": "Lyon lies in France.", "is_supporting": False},
        {"title": "Lyon", "paragraph_text": "Lyon has two rivers.", "is_supporting": True},
    ]
    write(folder, "musique.json", [{"id": "2hop__1_2", "question": "How many rivers?", "paragraphs": paragraphs}])
    (store,) = multihop.read(tmp_path)
    (question,) = store.questions
    assert question.category == "2hop"
    assert list(question.gold) == [store.passages[1].key] != [store.passages[0].key]


def chat_of(*messages):
    return [{"batch_number": 7, "turns": [list(messages)]}]


def test_a_chat_keeps_its_dates_and_loses_the_marks_of_the_corpus(tmp_path):
    folder = tmp_path / "beam" / "100K" / "3"
    first = {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I use Flask. ->-> 1,1"}
    second = {"role": "assistant", "id": 1, "content": "Good choice."}
    write(folder, "chat.json", chat_of(first, second))
    probes = {
        "contradiction_resolution": [{"question": "Flask?", "source_chat_ids": {"first": [0], "second": [[1, 99]]}}],
        "abstention": [{"question": "Which editor do I use?"}],
    }
    write(folder, "probing_questions.json", probes)
    (store,) = beam.read(tmp_path)
    (talk,) = store.talks
    assert talk.group_id == "beam-3/7"
    assert [(one.role, one.content, one.observed_at) for one in talk.messages] == [
        ("user", "I use Flask.", "2024-03-15"),
        ("assistant", "Good choice.", "2024-03-15"),
    ]
    (question,) = store.questions
    assert (set(question.gold), question.malformed) == ({"0", "1"}, 1)
    assert len(beam.read_chat(folder, unanswerable=True).questions) == 2


def test_grades_are_kept_and_a_grade_of_nothing_is_no_gold(tmp_path):
    folder = tmp_path / "nfcorpus"
    write(folder, "corpus.jsonl", '{"_id": "M1", "title": "Fat", "text": "Fat and health."}\n')
    queries = '{"_id": "Q1", "text": "fat"}\n\n{"_id": "Q2", "text": "not in this split"}\n'
    write(folder, "queries.jsonl", queries)
    write(folder, "test.tsv", "query-id\tcorpus-id\tscore\nQ1\tM1\t2\nQ1\tM9\t1\nQ1\tM8\t0\n")
    (store,) = nfcorpus.read(tmp_path)
    (question,) = store.questions
    assert (question.text, question.gold, question.malformed) == ("fat", {"M1": 2.0}, 1)


def squad(*paragraphs):
    return {"data": [{"title": "Kite_flying", "paragraphs": list(paragraphs)}]}


def test_languages_are_stores_of_their_own_and_english_comes_first(tmp_path):
    asked = {"id": "1", "question": "Who?", "answers": [{"text": "Ann"}, {"text": "Ann"}]}
    for language in ("ar", "en"):
        write(tmp_path / "xquad", f"xquad.{language}.json", squad({"context": "Ann flies.", "qas": [asked]}))
    stores = list(xquad.read(tmp_path))
    assert [store.name for store in stores] == ["en", "ar"]
    assert stores[0].passages[0].title == "Kite flying"
    assert stores[0].questions[0].gold == {"0/0": 1.0}
    assert xquad.read_language(xquad.files(tmp_path)[0]).questions[0].answers == ("Ann",)


@pytest.mark.parametrize(
    ("read", "path"),
    [
        (multihop.read, "multihop/a.json"),
        (beam.read, "beam/100K/1/chat.json"),
        (xquad.read, "xquad/xquad.en.json"),
        (nfcorpus.read, "nfcorpus/corpus.jsonl"),
    ],
)
def test_a_file_of_another_form_is_named(tmp_path, read, path):
    place = tmp_path / path
    for name in (place.name, "a_corpus.json", "probing_questions.json", "queries.jsonl", "test.tsv"):
        write(place.parent, name, '{"rows": 1}')
    with pytest.raises(InvalidInputError, match="is not a"):
        list(read(tmp_path))
