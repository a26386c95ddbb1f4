"""One word: its whole, its parts and its other forms."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.shapes import Shape
from trisynapse_memory.text.words import STEM_PREFIX, TERM_LENGTH_LIMIT, Form, read_word, stem


def forms(raw: str, shape: Shape = Shape.PLAIN) -> set[tuple[str, str, int]]:
    return {(reading.term, reading.form.value, reading.step) for reading in read_word(raw, shape).readings}


def test_inflections_meet_in_their_stem():
    assert stem("measured") == stem("measures") == stem("measuring") == "measur"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("kx-00120", {("kx-00120", "exact", 0), ("kx", "part", 0), ("00120", "part", 1), ("kx00120", "folded", 0)}),
        ("v1.2.3", {("v1.2.3", "exact", 0), ("v1", "part", 0), ("2", "part", 1), ("3", "part", 2)}),
        ("3.14", {("3.14", "exact", 0)}),
        ("U.S.A", {("u.s.a", "exact", 0), ("u", "part", 0), ("s", "part", 1), ("a", "part", 2), ("usa", "folded", 0)}),
        ("don’t", {("don't", "exact", 0), ("dont", "folded", 0)}),
        ("2026-10-14", {("2026-10-14", "exact", 0), ("2026", "part", 0), ("10", "part", 1), ("14", "part", 2)}),
    ],
)
def test_a_word_is_read_exactly_as(raw, expected):
    assert forms(raw) == expected


def test_code_names_are_whole_and_in_parts():
    assert {("getuserid", "exact", 0), ("get", "part", 0), ("user", "part", 0), ("id", "part", 0)} <= forms("getUserId")
    assert {("get_user_id", "exact", 0), ("get", "part", 0), ("user", "part", 1), ("id", "part", 2)} <= forms(
        "get_user_id"
    )


def test_a_capital_inside_a_short_name_is_spelling():
    assert {form for _, form, _ in forms("LoRA")} == {"exact", "stem"}


def test_possessives_and_elisions_give_their_word():
    assert ("holmes", "part", 0) in forms("Holmes's")
    assert ("homme", "part", 0) in forms("l’homme")
    assert ("obrien", "folded", 0) in forms("O'Brien")


def test_a_function_word_has_no_stem_and_a_content_word_always_has():
    assert forms("the") == {("the", "exact", 0)}
    assert ("run", "stem", 0) in forms("run")


def test_the_same_key_stands_once_at_a_step():
    keys = [(reading.key, reading.step) for reading in read_word("test-test-test", Shape.PLAIN).readings]
    assert len(keys) == len(set(keys))


def test_a_stem_never_shares_a_key_with_a_word():
    reads = read_word("run", Shape.PLAIN)
    assert reads.keys == ("run", STEM_PREFIX + "run")


def test_readings_stand_in_order_of_their_steps_with_the_whole_first():
    readings = read_word("state-of-the-art", Shape.PLAIN).readings
    assert readings[0].form is Form.EXACT
    assert [reading.step for reading in readings] == sorted(reading.step for reading in readings)


def test_offsets_reach_through_invisible_characters_and_decomposed_accents():
    raw = "cafe\u0301-re\u00adsult"
    parts = {reading.term: raw[reading.start : reading.end] for reading in read_word(raw, Shape.PLAIN).readings}
    assert parts["café"] == "cafe\u0301"
    assert parts["result"] == "re\u00adsult"


def test_a_blob_is_cut_to_the_same_key_on_both_sides():
    (reading,) = read_word("a1" * 500, Shape.PLAIN).readings
    assert reading.term == ("a1" * 500)[:TERM_LENGTH_LIMIT]
    assert reading.end == 1000
