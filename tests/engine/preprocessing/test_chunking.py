"""Chunks hold one thought, cross no section, fit the embedder and lose no word (engine.md 0.2, R31)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trisynapse_memory.config import Config
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import Locator, Modality, Page, PageVerdict, Section

SMALL = Config(chunk_max_tokens=32)
SPECIAL = 2


class Counter:
    """Counts words as wordpieces, four characters each, and the two special tokens of the default model."""

    def __init__(self):
        self.call_count = 0

    def __call__(self, texts):
        self.call_count += 1
        return [SPECIAL + sum(-(-len(word) // 4) for word in text.split()) for text in texts]


def page(text, **changes):
    return Page(number=changes.pop("number", 1), text=text, verdict=changes.pop("verdict", PageVerdict.OK), **changes)


def sections_of(text, *rows):
    """Sections by their words: (words, path) or (words, path, more)."""
    found = []
    for words, path, *more in rows:
        start = text.index(words)
        found.append(Section(start=start, end=start + len(words), path=path, **(more[0] if more else {})))
    return found


def texts(chunks):
    return [chunk.text for chunk in chunks]


SENTENCES = " ".join(f"Sentence number {word} speaks about memory." for word in ("one", "two", "three", "four", "five"))


def test_a_chunk_is_exactly_the_text_its_locator_points_at():
    here = page(SENTENCES)
    for chunk in chunk_page(here, (), Counter(), SMALL):
        assert chunk.text == here.text[chunk.locator.start : chunk.locator.end]


def test_chunks_end_where_sentences_end_and_repeat_the_last_one():
    chunks = texts(chunk_page(page(SENTENCES), (), Counter(), SMALL))
    assert len(chunks) > 1
    assert all(text.startswith("Sentence") and text.endswith(".") for text in chunks)
    for first, second in itertools.pairwise(chunks):
        assert second.startswith(first[first.rindex("Sentence") :])


def test_no_overlap_when_it_is_turned_off():
    chunks = texts(chunk_page(page(SENTENCES), (), Counter(), Config(chunk_max_tokens=32, chunk_overlap_sentences=0)))
    assert "".join(chunks).count("number one") == 1
    assert sum(text.count("Sentence") for text in chunks) == 5


def test_overlap_gives_way_when_the_next_sentence_needs_the_room():
    text = "A first sentence of quite some length stands here now. " + "Word " * 24 + "ends."
    chunks = texts(chunk_page(page(text), (), Counter(), SMALL))
    assert all(Counter()([chunk])[0] <= 32 for chunk in chunks)
    assert chunks[1].startswith("Word")


def test_a_chunk_never_crosses_from_one_heading_into_another():
    text = "Alpha is first.\n\nBeta is second."
    chunks = chunk_page(
        page(text), sections_of(text, ("Alpha is first.", ("A",)), ("Beta is second.", ("B",))), Counter(), Config()
    )
    assert [(chunk.text, chunk.locator.path, chunk.fields["section"]) for chunk in chunks] == [
        ("Alpha is first.", ("A",), "A"),
        ("Beta is second.", ("B",), "B"),
    ]


def test_tiny_paragraphs_of_one_heading_are_packed_with_their_heading():
    text = "Results\n\nOne.\n\nTwo.\n\nThree."
    path = ("Paper", "Results")
    rows = (("Results", path, {"kind": "heading"}), ("One.", path), ("Two.", path), ("Three.", path))
    (chunk,) = chunk_page(page(text), sections_of(text, *rows), Counter(), Config())
    assert chunk.text == text
    assert chunk.fields == {"section": "Paper > Results"}
    assert chunk.locator.heading == "Results"


def test_paragraphs_with_foreign_text_between_them_are_not_packed():
    text = "Left column.\nRunning header 17\nStill left column."
    rows = (("Left column.", ()), ("Still left column.", ()))
    assert texts(chunk_page(page(text), sections_of(text, *rows), Counter(), Config())) == [
        "Left column.",
        "Still left column.",
    ]


def test_running_heads_and_page_numbers_are_no_chunks_unless_there_is_nothing_else():
    text = "Journal of Memory\nThe finding.\n17"
    margin = {"kind": "margin"}
    rows = (("Journal of Memory", (), margin), ("The finding.", ()), ("17", (), margin))
    assert texts(chunk_page(page(text), sections_of(text, *rows), Counter(), Config())) == ["The finding."]
    alone = sections_of("Journal of Memory", ("Journal of Memory", (), margin))
    assert texts(chunk_page(page("Journal of Memory"), alone, Counter(), Config())) == ["Journal of Memory"]


def test_tables_stay_alone_and_are_cut_between_rows():
    rows = "\n".join(f"row{index} | value. with stop | {index}" for index in range(12))
    text = f"Before.\n\n{rows}"
    table = {"kind": "table", "modality": Modality.TABLE, "fields": {"headers": "name | value"}}
    first, *others = chunk_page(page(text), sections_of(text, ("Before.", ()), (rows, (), table)), Counter(), SMALL)
    assert first.text == "Before."
    assert "\n".join(chunk.text for chunk in others) == rows
    assert {chunk.fields["headers"] for chunk in others} == {"name | value"}
    assert {chunk.modality for chunk in others} == {Modality.TABLE}


def test_a_heading_that_only_announces_the_next_one_is_no_chunk_of_its_own():
    text = "Methods\n\nModel\n\nWe train it."
    rows = (
        ("Methods", ("Methods",), {"kind": "heading"}),
        ("Model", ("Methods", "Model"), {"kind": "heading"}),
        ("We train it.", ("Methods", "Model")),
    )
    (chunk,) = chunk_page(page(text), sections_of(text, *rows), Counter(), Config())
    assert chunk.text == "Model\n\nWe train it."
    assert chunk.fields["section"] == "Methods > Model"


def test_a_last_heading_is_kept_for_nothing_else_says_its_words():
    text = "Body.\n\nAcknowledgements"
    rows = (("Body.", ("A",)), ("Acknowledgements", ("Acknowledgements",), {"kind": "heading"}))
    assert "Acknowledgements" in texts(chunk_page(page(text), sections_of(text, *rows), Counter(), Config()))


def test_a_sentence_longer_than_the_embedder_is_cut_at_clauses_and_loses_nothing():
    text = "; ".join(f"clause number {index} goes on about recall" for index in range(20)) + "."
    chunks = texts(chunk_page(page(text), (), Counter(), SMALL))
    assert " ".join(chunks) == text
    assert all(chunk.endswith((";", ".")) for chunk in chunks)


def test_a_word_longer_than_the_embedder_is_cut_and_loses_nothing():
    text = "ACGT" * 500
    chunks = texts(chunk_page(page(text), (), Counter(), SMALL))
    assert "".join(chunks) == text
    assert max(Counter()(chunks)) <= 32


def test_an_encoded_image_does_not_become_one_giant_chunk():
    # A wordpiece model counts a word of more than 100 characters as one unknown piece.
    chunks = chunk_page(
        page("x" * 100_000), (), lambda texts: [SPECIAL + len(text.split()) for text in texts], Config()
    )
    assert max(len(chunk.text) for chunk in chunks) <= 4000


@pytest.mark.parametrize(
    "verdict",
    [PageVerdict.IMAGE_ONLY, PageVerdict.EMPTY, PageVerdict.GARBLED, PageVerdict.TIMED_OUT, PageVerdict.DAMAGED],
)
def test_unusable_pages_give_no_chunk(verdict):
    assert chunk_page(page("Some text.", verdict=verdict), (), Counter(), Config()) == ()


@pytest.mark.parametrize("verdict", [PageVerdict.OCR, PageVerdict.ORDER_UNCERTAIN, PageVerdict.HIDDEN_TEXT])
def test_pages_with_a_lesser_fault_do(verdict):
    assert texts(chunk_page(page("Some text.", verdict=verdict), (), Counter(), Config())) == ["Some text."]


def test_a_blank_page_gives_nothing_and_counts_nothing():
    counter = Counter()
    assert chunk_page(page(" \n\t "), (), counter, Config()) == ()
    assert counter.call_count == 0


def test_drawn_pages_are_located_by_page_others_by_section():
    drawn = chunk_page(page("Text.", number=3, label="117", width=612.0), (), Counter(), Config())[0].locator
    assert (drawn.kind, drawn.page, drawn.page_label) == ("page", 3, "117")
    assert chunk_page(page("Text."), (), Counter(), Config())[0].locator.kind == "section"


def test_a_section_with_its_own_locator_keeps_it_and_stands_alone():
    text = "Row one.\nRow two."
    rows = [
        ("Row one.", (), {"locator": Locator(kind="row", row=1)}),
        ("Row two.", (), {"locator": Locator(kind="row", row=2)}),
    ]
    chunks = chunk_page(page(text), sections_of(text, *rows), Counter(), Config())
    assert [(chunk.locator.kind, chunk.locator.row, chunk.text) for chunk in chunks] == [
        ("row", 1, "Row one."),
        ("row", 2, "Row two."),
    ]


def test_tokens_are_counted_in_batches_not_per_sentence():
    counter = Counter()
    chunk_page(page(" ".join([SENTENCES] * 40)), (), counter, SMALL)
    assert counter.call_count <= 4


WORDS = st.lists(
    st.sampled_from(["memory", "a", "Synapse", "ends.", "Really?", "x" * 300, "\n\n", "，", "記憶。"]), max_size=80
)


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(32, 64))
def test_every_visible_character_is_in_a_chunk_and_every_chunk_fits(words, limit):
    here = page(" ".join(words))
    chunks = chunk_page(here, (), Counter(), Config(chunk_max_tokens=limit))
    covered = {place for chunk in chunks for place in range(chunk.locator.start, chunk.locator.end)}
    assert all(place in covered for place, letter in enumerate(here.text) if not letter.isspace())
    assert all(number <= limit for number in Counter()([chunk.text for chunk in chunks]))
    assert [chunk.locator.start for chunk in chunks] == sorted(chunk.locator.start for chunk in chunks)


def test_terms_hold_each_key_once_with_its_positions_and_fields_count():
    terms = terms_of("memory and memory", {"section": "Recall"})
    at = dict(zip(terms.keys, terms.positions, strict=True))
    assert at["memory"] == (0, 2)
    assert at["recall"] == (4,)  # after "section"
    assert terms.length == 5
    assert len(set(terms.keys)) == len(terms.keys)


def test_a_text_without_words_has_no_terms():
    terms = terms_of(" … ", {})
    assert (terms.keys, terms.positions, terms.length) == ((), (), 0)
