"""Which sentences may stand for a group, and which are taken."""

from __future__ import annotations

import pytest

from graph_cases import fact, raw
from trisynapse_memory.indexing.summary_sentences import as_read, candidates_of, choose, fact_candidates, stands_alone
from trisynapse_memory.types import Modality, RecordId

GOOD = "LoRA freezes the pretrained weights and trains small matrices instead."


@pytest.mark.parametrize(
    "sentence",
    [
        GOOD,
        "We propose a method that reduces the number of trainable parameters.",
        "In this paper we propose a method that needs far fewer trainable parameters.",
        "In 1926 Michelson measured the speed of light between two mountains.",
        "The model has 7 billion parameters and was trained on public data (2023).",
    ],
)
def test_a_whole_statement_stands_alone(sentence: str):
    assert stands_alone(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It freezes the pretrained weights and trains small matrices instead.",
        "However, the method has a cost that nobody has measured so far.",
        "This is why the pretrained weights are frozen in all experiments.",
        "To address this, we propose a method that trains small matrices only.",
        "In this way the pretrained weights are frozen in all of the experiments.",
        "We say in this section how the weights are frozen and trained again.",
        "Figure 3 shows that the method is faster than all of the others.",
        "The method is faster than all others, as shown in Table 2.",
        "LoRA freezes the weights.",  # too short
        " ".join(["The method is good and"] * 10) + ".",  # too long
        "LoRA freezes the pretrained weights and trains small matrices instead",  # no end
        "freezes the pretrained weights and trains small matrices instead of them.",
        "[12] E. Hu and others have shown that it is fast. In Proceedings of ICLR.",
        "The code is free and can be had at https://example.org today.",
        "Commodity Distribution Program to the Federal Child Nutrition Programs in Schools.",
        "1. Open the app and touch the name of your device there.",
        "12 34 56 78 90 were 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8.",
        "The method was tested on many tasks (see the list that follows there.",
        "Can the method be used for all of the other tasks?",
    ],
)
def test_a_piece_of_something_else_does_not(sentence: str):
    assert not stands_alone(sentence)


def test_broken_lines_are_joined_for_reading_and_the_span_stays():
    text = "ABSTRACT\n\nLoRA freezes the pre-\ntrained weights and trains small ma-\ntrices instead. It is fast."
    (one,) = candidates_of([raw(1, text)])
    assert one.text == "LoRA freezes the pretrained weights and trains small matrices instead."
    assert text[one.start : one.end] == "LoRA freezes the pre-\ntrained weights and trains small ma-\ntrices instead."
    assert (one.record_ids, one.seqs) == (("r1",), (1,))
    assert as_read(" two\n words ") == "two words"


def test_a_run_in_heading_is_cut_off():
    (one,) = candidates_of([raw(1, f"Abstract. {GOOD}")])
    assert (one.text, one.start) == (GOOD, 10)


def test_abstracts_weigh_more_and_reference_lists_and_tables_nothing():
    other = "Adam keeps two running averages of every gradient that it has seen."
    records = [
        raw(1, GOOD, fields={"section": "3 Method"}),
        raw(2, other, fields={"section": "Abstract"}),
        raw(3, "Others have shown that nothing of this kind was ever needed.", fields={"section": "References"}),
        raw(4, "Rows of tables are no sentences even where they look like one.", modality=Modality.TABLE),
    ]
    found = candidates_of(records)
    assert [one.seqs for one in found] == [(1,), (2,)]
    assert found[1].weight > found[0].weight


def test_a_sentence_that_two_chunks_share_comes_once():
    assert len(candidates_of([raw(1, GOOD), raw(2, f"{GOOD} So it is.")])) == 1


def test_facts_bring_their_evidence_and_its_span():
    evidence = raw(1, f"Some words before. {GOOD}")
    one = fact(2, ("LoRA", "uses", "matrices"), [1], text=GOOD)
    lost = fact(3, ("LoRA", "uses", "it"), [9], text="It uses small matrices that are trained on the new task.")
    run_in = fact(4, ("LoRA", "uses", "matrices"), [1], text=f"Abstract. {GOOD}")
    (found,) = fact_candidates([one, lost, run_in], {RecordId("r1"): evidence})
    assert (found.record_ids, found.seqs) == (("r1",), (2, 1))
    assert evidence.text[found.start : found.end] == GOOD


def test_choice_keeps_the_order_of_the_text_and_the_word_limit():
    long = "The method freezes {} weights of the large model and trains {} much smaller matrices for {} of the tasks."
    texts = [long.format(*(f"{word}{number}" for word in ("all", "two", "each"))) for number in range(12)]
    found = choose(candidates_of([raw(seq, text) for seq, text in enumerate(texts, start=1)]))
    assert [one.seqs for one in found] == sorted(one.seqs for one in found)
    assert 1 <= len(found) <= 4
    assert choose([]) == []
