"""Values become records: small enough for one thought, under the keys that lead to them, and nothing is lost."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as some

from trisynapse_memory.preprocessing.structured.json_text import parse
from trisynapse_memory.preprocessing.structured.records import LIST_MAX, RECORD_CHARS, stretches, write


def told(value):
    return [(one.path, one.text) for one in stretches(parse(json.dumps(value)))]


def test_a_small_object_is_one_record_with_key_paths():
    assert told({"a": 1, "b": {"c": {"d": "x"}}, "tags": ["p", "q"], "people": [{"name": "Ann"}]}) == [
        ((), "a: 1\nb.c.d: x\ntags: p, q\npeople[0].name: Ann")
    ]


def test_each_of_several_like_objects_is_a_record_of_its_own():
    assert told({"unit": "K", "metals": [{"name": "Tin"}, {"name": "Lead", "uses": [{"a": 1}, {"a": 2}]}]}) == [
        ((), "unit: K"),
        (("metals", "[0]"), "name: Tin"),
        (("metals", "[1]"), "name: Lead\nuses[0].a: 1\nuses[1].a: 2"),
    ]
    assert told([{"a": 1}, {"a": 2}]) == [(("[0]",), "a: 1"), (("[1]",), "a: 2")]


def test_a_large_record_is_told_in_parts_that_bear_its_name():
    value = {"id": "m1", "title": "Metals", "abstract": "word " * 400, "methods": {str(n): "x" * 30 for n in range(40)}}
    found = list(stretches(parse(json.dumps(value))))
    assert {one.path for one in found} == {(), ("methods",)}
    assert {one.label for one in found if not one.path} == {"Metals"}
    assert max(len(one.text) for one in found if one.path) <= RECORD_CHARS
    assert "".join(one.text for one in found).count("x" * 30) == 40


def test_a_long_list_is_told_with_a_line_for_each_element():
    value = [{"id": number, "geo": {"lat": number / 4}, "note": "two\nlines"} for number in range(LIST_MAX + 5)]
    text, sections = write(list(stretches(parse(json.dumps(value)))))
    (section,) = sections
    assert (section.start, section.end) == (0, len(text))
    assert (section.locator.kind, section.locator.row) == ("row", 1)
    lines = text.split("\n")
    assert lines[17] == "id: 17; geo.lat: 4.25; note: two lines"
    assert len(lines) == len(value)


def test_a_long_list_of_numbers_is_told_in_short():
    ((_, text),) = told({"vector": [n / 8 for n in range(1536)]})
    assert text == "vector: 0.0, 0.125, 0.25, \u2026 191.875 (1536 numbers)"


def test_depth_is_bounded_and_the_words_at_the_bottom_are_found():
    value = parse("[" * 300 + '"deep", "down"' + "]" * 300)
    assert "deep, down" in "\n".join(one.text for one in stretches(value))


JSON = some.recursive(
    some.text("abc xyz", max_size=40) | some.integers(0, 999),
    lambda inner: (
        some.lists(inner, max_size=6) | some.dictionaries(some.text("klm", min_size=1, max_size=5), inner, max_size=6)
    ),
    max_leaves=60,
)


def words_in(value):
    if isinstance(value, dict):
        return [word for inner in value.values() for word in words_in(inner)]
    return [word for inner in value for word in words_in(inner)] if isinstance(value, list) else str(value).split()


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_every_word_is_told_once_in_order_and_sections_hold_it(value):
    found = list(stretches(parse(json.dumps(value))))
    text, sections = write(found)
    assert "".join(text[one.start : one.end] for one in sections) == "".join(one.text for one in found).strip() or text
    leaves = re.sub(r"(?m)^[\w.\[\]]*: ?", "", text).replace(",", " ").split()
    assert sorted(leaves) == sorted(words_in(value))
    assert all(one.start < one.end <= len(text) for one in sections)
