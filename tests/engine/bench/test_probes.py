"""Corpora and labels in, probes out; and all three suites that answer, end to end over a tiny vault."""

from __future__ import annotations

import json

import pymupdf
import pytest

from trisynapse_memory.bench import runner
from trisynapse_memory.bench.corpora import PageQuestion
from trisynapse_memory.bench.probes import paper_probes, read_rows, removed_paragraphs, swapped_speakers
from trisynapse_memory.bench.stores import Order
from trisynapse_memory.errors import InvalidInputError

PARAGRAPHS = {
    "Foucault measured the speed of light with a rotating mirror in 1862.": (
        "Who measured the speed of light?",
        "Foucault",
    ),
    "Penguins swim under ice and eat krill in winter.": ("What do penguins eat in winter?", "krill"),
    "The bridge of Millau was opened in December 2004.": ("When was the bridge of Millau opened?", "December 2004"),
}


def write(folder, name, value):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def everything(corpora):
    """All corpora that answers are asked of, tiny, beside the one of LoCoMo."""
    rows = [
        {"context": text, "qas": [{"id": asked, "question": asked, "answers": [{"text": answer}]}]}
        for text, (asked, answer) in PARAGRAPHS.items()
    ]
    write(corpora / "xquad", "xquad.en.json", {"data": [{"title": "Things", "paragraphs": rows}]})
    chat = corpora / "beam" / "100K" / "1"
    message = {"role": "user", "id": 0, "content": "My cat is called Miso."}
    write(chat, "chat.json", [{"batch_number": 1, "turns": [[message]]}])
    asked = {"question": "What is my cat called?", "source_chat_ids": [0]}
    write(
        chat,
        "probing_questions.json",
        {"information_extraction": [asked], "abstention": [{"question": "Where do I live?"}]},
    )
    (corpora / "papers" / "pdfs").mkdir(parents=True)
    with pymupdf.open() as document:
        for text in PARAGRAPHS:
            document.new_page().insert_text((72, 100), text, fontsize=12)
        document.save(corpora / "papers" / "pdfs" / "things.pdf")
    row = {"doc_id": "things.pdf", "evidence_sources": "['Pure-text (Plain-text)']"}
    questions = [
        {
            **row,
            "question": "Who measured the speed of light?",
            "answer": "Foucault",
            "answer_format": "Str",
            "evidence_pages": "[1]",
        },
        {
            **row,
            "question": "Who won the cup?",
            "answer": "Not answerable",
            "answer_format": "None",
            "evidence_pages": "[]",
        },
        {**row, "question": "Which colours?", "answer": "[]", "answer_format": "List", "evidence_pages": "[2]"},
    ]
    write(corpora / "papers", "questions.json", questions)
    return corpora


@pytest.fixture
def labels(tmp_path):
    folder = tmp_path / "labels"
    own = {
        "document": "things.pdf",
        "question": "When was the bridge of Millau opened?",
        "pages": [3],
        "evidence": "text",
    }
    write(folder / "paper_answers", "a.json", {"rows": [{**own, "answer": "2004", "accept": ["December 2004"]}]})
    false = {"document": "things.pdf", "question": "Who designed the tower of Millau?", "type": "absent-attribute"}
    gone = {"document": "elsewhere.pdf", "question": "Where?", "type": "almost"}
    write(folder / "false_premises", "a.json", {"rows": [false, gone]})
    pair = {"span": "The mirror is old.", "part": "rules", "kind": "verbatim", "class": "negation"}
    write(folder, "mutations.json", {"rows": [{**pair, "sentence": "The mirror is not old."}]})
    write(folder, "paraphrases.json", {"rows": [{**pair, "sentence": "Old is the mirror."}]})
    write(folder, "verbatim.json", {"rows": [{**pair, "sentence": "The mirror is old."}]})
    return folder


def test_each_paragraph_is_asked_about_with_it_and_without_it(everything):
    (store,) = removed_paragraphs(everything, None)
    there = [one for one in store.probes if one.answerable]
    gone = [one for one in store.probes if not one.answerable]
    assert [one.text for one in there] == [one.text for one in gone]
    assert [one.key for one in there] == [one.without for one in gone] == ["0/0", "0/1", "0/2"]


def test_the_wrong_speaker_is_asked_for_what_the_right_one_said(everything):
    (store,) = swapped_speakers(everything, None)
    assert [(one.text, one.answerable) for one in store.probes][-1] == ("Did Ben buy a telescope?", False)
    assert sum(one.answerable for one in store.probes) == 2


def test_paper_questions_of_both_hands_stand_side_by_side_and_unknown_pdfs_are_left_out(everything, labels):
    store = paper_probes(everything, labels, None)
    assert [(one.group, one.kind, one.answerable) for one in store.probes] == [
        ("papers", "text", True),
        ("papers", "text", True),
        ("papers", "text", False),
        ("own-papers", "text", True),
        ("own-papers", "absent-attribute", False),
    ]
    assert store.probes[3].gold == (("2004", "December 2004"),)
    assert store.probes[1].gold == ()


def test_a_limit_keeps_so_many_of_each_kind(everything, labels):
    store = paper_probes(everything, labels, 1)
    assert [(one.group, one.answerable) for one in store.probes] == [
        ("papers", True),
        ("papers", False),
        ("own-papers", True),
        ("own-papers", False),
    ]


def test_every_item_of_a_list_is_owed(everything):
    from trisynapse_memory.bench.probes import _public_probe

    row = PageQuestion(
        text="-", document="d", pages=(1,), sources=("Table", "Chart"), answerable=True, answer="['a', 2]", form="List"
    )
    assert _public_probe(row).gold == (("a",), ("2",))
    assert _public_probe(row).kind == "picture"


def test_labels_that_are_not_there_are_none_and_broken_ones_are_named(tmp_path):
    assert read_rows(tmp_path, "paper_answers") == []
    (tmp_path / "mutations.json").write_text("[1]")
    with pytest.raises(InvalidInputError, match=r"'mutations\.json' is not a set"):
        read_rows(tmp_path, "mutations")


def test_refusals_are_told_for_each_set_and_never_pooled(everything, labels, in_process):
    report = runner.run("abstention", everything, labels=labels)
    rows = {row.corpus: row for row in report.by_category if row.category == "all"}
    assert set(rows) == {"xquad-removed", "locomo-5", "beam", "papers", "own-papers"}
    assert rows["xquad-removed"].count == 6
    assert rows["xquad-removed"].metrics["answerable"] == 3
    assert rows["xquad-removed"].metrics["auroc"] == 1.0
    assert rows["xquad-removed"].metrics["right_refusals"] == 1.0
    assert report.metrics["xquad-removed_auroc"] == 1.0
    assert "auroc" not in report.metrics


def test_an_answer_is_right_where_it_holds_the_gold(everything, labels, in_process):
    report = runner.run("answers", everything, labels=labels)
    rows = {(row.corpus, row.category): row for row in report.by_category}
    assert rows["xquad", "all"].metrics["right"] == 1.0
    assert rows["xquad", "all"].metrics["cites_gold"] == 1.0
    assert rows["xquad", "all"].metrics["evidence_tokens_p50"] >= rows["xquad", "all"].metrics["answer_tokens_p50"] > 0
    assert rows["own-papers", "text"].metrics["right"] == 1.0
    assert [(skip.what, skip.count) for skip in report.skipped] == [("question", 1)]


def test_a_part_that_is_off_is_asked_once_more_and_told_apart(everything, labels, in_process):
    report = runner.run("answers", everything, labels=labels, order=Order(ablate=("lexical-only", "grounding")))
    assert set(report.ablations) == {"lexical-only", "grounding"}
    off = report.ablations["grounding"]
    assert off.changes == {"answer_beside_records": "0"}
    assert off.metrics["xquad_right"] == 1.0
    assert {(one.corpus, one.measure, one.count) for one in off.differences} >= {("xquad", "right", 3)}
    assert report.by_category[0].count == 3  # the engine's own answers alone
    assert [(skip.what, skip.count) for skip in report.skipped] == [("question", 1)]


def test_every_sentence_is_judged_anew_and_labelled_pairs_beside_it(everything, labels, in_process):
    report = runner.run("citations", everything, labels=labels)
    assert report.metrics["precision"] == 1.0
    assert report.metrics["sentences_with_a_passing_verdict"] == 1.0
    assert report.metrics["mutations_caught"] == 1.0
    assert report.metrics["verbatim_accepted"] == 1.0
    rows = {(row.corpus, row.category): row.count for row in report.by_category}
    assert rows["xquad", "all"] == 3  # answers
    assert {("mutations", "negation"), ("paraphrases", "all"), ("xquad", "all")} <= set(rows)


def test_a_citation_of_another_record_than_it_says_does_not_hold(everything, labels, in_process, monkeypatch):
    from msgspec import structs

    from trisynapse_memory.bench.citations import judged_anew
    from trisynapse_memory.bench.machine import Stopwatch
    from trisynapse_memory.bench.probing import ask_all

    (store,) = removed_paragraphs(everything, 2)
    rows = []
    for reply in ask_all(structs.replace(store, probes=store.probes[:2]), Stopwatch(), lambda _: None):
        other = next(record for record in reply.place.records() if record.id != reply.answer.citations[0].record_id)
        swapped = structs.replace(reply.answer.citations[0], record_id=other.id)
        false = structs.replace(reply.answer, citations=(swapped, *reply.answer.citations[1:]))
        rows.extend(judged_anew(reply._replace(answer=false)))
    assert min(row["precision"] for row in rows if "precision" in row) == 0.0
