"""What models write instead of JSON is read where nothing has to be guessed, and named where something would."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.replies import (
    CUT_OFF,
    NO_JSON,
    RowReader,
    is_true,
    mapping_of,
    numbers_of,
    read_object,
    read_reply,
    share_of,
    text_of,
    texts_of,
)

ROW = {"subject": "Light", "object": "fast", "evidence": 1}
PLAIN = json.dumps({"facts": [ROW]})


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"Sure! Here are the facts [as asked]:\n\n{PLAIN}\n\nLet me know if {{you}} need more.",
        f"<think>The passage says [[passage 1]] {{x}}.</think>{PLAIN}",
        '{"facts": [{"subject": "Light", "object": "fast", "evidence": 1,},],}',
        json.dumps({"facts": json.dumps([ROW])}),
        json.dumps({"facts": [json.dumps(ROW)]}),
        json.dumps({"facts": ROW}),
        json.dumps({"result": {"facts": [ROW]}}),
        json.dumps([ROW]),
        json.dumps(PLAIN),
        f"\ufeff{PLAIN}",
    ],
    ids=[
        "plain",
        "fenced",
        "prose around",
        "thoughts before",
        "trailing commas",
        "list as string",
        "rows as strings",
        "a single row",
        "wrapped",
        "bare list",
        "all of it as a string",
        "byte order mark",
    ],
)
def test_a_reply_in_any_wrapping_is_whole(text: str):
    reply = read_reply(text, "facts")
    assert (reply.rows, reply.fault) == ((ROW,), "")


def test_trailing_commas_inside_strings_stay():
    reply = read_reply('{"facts": [{"quote": "a, ]b,}",}],}', "facts")
    assert reply.rows == ({"quote": "a, ]b,}"},)


def test_line_ends_inside_a_string_are_read():
    assert read_reply('{"facts": [{"quote": "two\nlines"}]}', "facts").rows == ({"quote": "two\nlines"},)


def test_an_empty_list_is_a_whole_reply_and_other_fields_stand_beside_the_rows():
    assert read_reply('{"facts": []}', "facts").fault == ""
    reply = read_reply('{"topic": "Light", "sentences": [], "alt_phrasings": ["a"]}', "sentences")
    assert reply.fields == {"topic": "Light", "alt_phrasings": ["a"]}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", NO_JSON),
        ("I'm sorry, but I can't help with that.", NO_JSON),
        ('{"facts": "none of them"}', "it has no list named 'facts'"),
        ('{"error": "refused"}', "it has no list named 'facts'"),
        ("[1, 2]", "it has no list named 'facts'"),
        ('{"facts": [', CUT_OFF),
        ("{'facts': [{'subject': 'single quotes'}]}", CUT_OFF),
    ],
)
def test_what_is_no_reply_says_why(text: str, fault: str):
    reply = read_reply(text, "facts")
    assert (reply.rows, reply.fault) == ((), fault)


def test_a_reply_that_was_cut_off_keeps_its_complete_rows():
    rows = [ROW, {**ROW, "subject": "Sound"}, {**ROW, "subject": "Heat"}]
    text = json.dumps({"facts": rows})
    reply = read_reply(text[: text.index("Heat") + 2], "facts")
    assert (reply.rows, reply.fault) == (tuple(rows[:2]), CUT_OFF)


def test_a_broken_row_costs_itself_only():
    text = '{"facts": [{"subject": "A", "object": "B"}, {"subject": "C" "object": }, {"subject": "D", "object": "E"}]}'
    reply = read_reply(text, "facts")
    assert [row["subject"] for row in reply.rows] == ["A", "D"]
    assert reply.fault == CUT_OFF


def test_a_whole_list_inside_a_broken_object_is_only_a_part():
    reply = read_reply('{"topic": "T", "sentences": [{"text": "a"}], "alt_phrasings": ["unfinished', "sentences")
    assert (reply.rows, reply.fault) == (({"text": "a"},), CUT_OFF)


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '{"a":' * 50_000, '{"facts": [' + '{"x": "' * 20_000, "{" * 3_000 + ",}" * 3_000, '"' * 100_000],
)
def test_garbage_of_any_size_is_read_in_bounded_time(text: str):
    started = time.monotonic()
    assert read_reply(text, "facts").fault
    assert time.monotonic() - started < 5.0


@given(st.text(max_size=300))
def test_no_text_raises(text: str):
    reply = read_reply(text, "facts")
    assert reply.rows or reply.fault


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.just("facts"), inner),
    max_leaves=12,
)


@given(JSON_VALUES, st.integers(min_value=0, max_value=200))
def test_no_json_raises_whole_or_cut_and_rows_are_objects(value: object, cut: int):
    text = json.dumps(value)
    for given_text in (text, text[:cut]):
        for row in read_reply(given_text, "facts").rows:
            assert isinstance(row, dict)


@given(st.lists(st.dictionaries(st.text(min_size=1, max_size=6), st.text(max_size=30), min_size=1), max_size=5))
def test_well_formed_rows_come_back_unchanged(rows: list[dict[str, str]]):
    reply = read_reply(f"Here: {json.dumps({'facts': rows})} Done.", "facts")
    assert (list(reply.rows), reply.fault) == (rows, "")


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        (2, (2,)),
        (2.0, (2,)),
        ("2", (2,)),
        ("passage 2", (2,)),
        ("[1, 2]", (1, 2)),
        ([1, "2", 1], (1, 2)),
        ("1 and 3", (1, 3)),
        ("rec_4711", ()),
        ("r7", ()),
        ([["x"], None, [1]], ()),
        (json.loads("[" * 400 + "]" * 400), ()),
        (True, ()),
        (2.5, ()),
        (float("inf"), ()),
        (float("nan"), ()),
        (None, ()),
    ],
)
def test_passage_numbers_are_read_and_invented_ids_are_not(cell: object, numbers: tuple[int, ...]):
    assert numbers_of(cell) == numbers


@pytest.mark.parametrize(
    ("cell", "share"),
    [
        (0.9, 0.9),
        ("0.9", 0.9),
        (85, 0.85),
        ("85%", 0.85),
        (1, 1.0),
        (-3, 0.0),
        (1e9, 1.0),
        ("high", 0.5),
        (None, 0.5),
        (float("nan"), 0.5),
        (True, 0.5),
    ],
)
def test_confidence_is_clamped(cell: object, share: float):
    assert share_of(cell, 0.5) == pytest.approx(share)


def test_cells_of_other_types_are_read_or_empty():
    assert (text_of(" a "), text_of(3), text_of(None), text_of(["a"]), text_of(True)) == ("a", "3", "", "", "")
    assert texts_of('["a", "b", 3]') == ("a", "b", "3")
    assert (texts_of("one question?"), texts_of([" ", "a"]), texts_of(None)) == (("one question?",), ("a",), ())
    assert [is_true(one) for one in (True, "True", "yes", 1, False, "false", "no", 0, None, [])] == [True] * 4 + [
        False
    ] * 6
    assert mapping_of('{"dataset": " GLUE ", "metric": null, "year": 2018}') == {"dataset": "GLUE", "year": "2018"}
    assert mapping_of("none") == {}


# ---------------------------------------------------------------- while it is written


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_rows_are_read_as_soon_as_they_are_complete_however_the_reply_is_cut(size: int):
    rows = [{"text": 'A "quoted" } brace', "n": [1]}, {"text": "B\\n[2]", "n": [2, 3]}, {}]
    reply = json.dumps({"topic": "[x] {y}", "rows": rows})
    reader = RowReader("rows")
    found: list[dict[str, object]] = []
    for start in range(0, len(reply), size):
        found.extend(reader.feed(reply[start : start + size]))
    assert found == rows


def test_a_row_is_told_before_the_next_one_begins():
    reader = RowReader("rows")
    assert reader.feed('{"rows": [{"a": 1') == ()
    assert reader.feed("}") == ({"a": 1},)
    assert reader.feed(', {"a": 2}, {"a":') == ({"a": 2},)


def test_what_is_thought_aloud_is_passed_over_also_while_it_goes_on():
    reader = RowReader("rows")
    assert reader.feed('<think>Maybe {"rows": [{"a": 0}]}') == ()
    assert reader.feed(' or not.</think>Well: ```json\n{"rows": [{"a": 1}') == ({"a": 1},)


@pytest.mark.parametrize(
    "reply", ["I will not.", '[{"a": 1}]', '{"other": [{"a": 1}]}', '{"rows": [1, {"a": 1}]}', "}}}"]
)
def test_what_is_not_in_the_form_is_left_to_the_end(reply: str):
    assert RowReader("rows").feed(reply) == ()


@given(st.text(max_size=200), st.integers(1, 9))
def test_no_reply_can_break_the_reader(text: str, size: int):
    reader = RowReader("rows")
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
    assert RowReader("rows").feed('{"rows": [' + "[" * 100_000 + "}") == ()


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"question": "Who?"}', {"question": "Who?"}),
        ('<think>{"question": "No"}</think>Sure:\n```json\n{"question": "Who?",}\n```', {"question": "Who?"}),
        ('["Who?"]', None),
        ("Who?", None),
        ('{"question": "Wh', None),
        ("", None),
    ],
)
def test_one_object_is_read_from_a_reply(reply: str, found: dict[str, object] | None):
    assert read_object(reply) == found
