"""The labelled citations in, their form and number out: that a row says what its label claims. No verdict is asked."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
CLASSES = set("digit unit name role negation hedge quantifier population id comparison date".split())
# The sizes that the specification asks for; each set lies in two files.
FEWEST = {"mutations": 500, "paraphrases": 300, "verbatim": 1000}


@cache
def rows_of(name: str) -> tuple[dict[str, str], ...]:
    return tuple(json.loads((CORPORA / f"{name}.json").read_text("utf-8"))["rows"])


def both(name: str) -> list[dict[str, str]]:
    return [*rows_of(name), *rows_of(f"{name}_more")]


def plain(text: str) -> str:
    """Letters and digits only, so that the ways of setting a text do not count."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


@pytest.mark.parametrize(("name", "fewest"), FEWEST.items())
def test_the_two_files_of_a_set_have_the_rows_that_were_asked_for(name, fewest):
    assert len(both(name)) >= fewest


@pytest.mark.parametrize("name", FEWEST)
def test_no_row_stands_twice(name):
    times = Counter((row["span"], row["sentence"]) for row in both(name))
    assert [row for row, count in times.items() if count > 1] == []


def test_every_class_of_false_citation_has_rows_and_no_other_class_has():
    found = Counter(row["class"] for row in both("mutations"))
    assert set(found) == CLASSES
    assert min(found.values()) >= 15


def test_no_sentence_is_both_a_faithful_and_a_false_reading_of_one_span():
    readings = [{(row["span"], plain(row["sentence"])) for row in both(name)} for name in ("mutations", "paraphrases")]
    assert readings[0] & readings[1] == set()


@pytest.mark.parametrize("name", ["mutations_more", "paraphrases_more"])
def test_no_reading_is_the_span_itself(name):
    assert [row for row in rows_of(name) if plain(row["sentence"]) == plain(row["span"])] == []


def test_a_false_digit_brings_a_word_or_number_that_the_span_does_not_have():
    digits = [row for row in rows_of("mutations_more") if row["class"] == "digit"]
    assert [row for row in digits if words(row["sentence"]) <= words(row["span"])] == []


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w.]*\w", text))


def test_a_literal_citation_stands_in_its_span_letter_by_letter():
    assert [row for row in rows_of("verbatim_more") if plain(row["sentence"]) not in plain(row["span"])] == []
