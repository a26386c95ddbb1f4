"""JSON of any size and any fault: numbers as written, both of two equal keys, and an error that names the line."""

from __future__ import annotations

import io
import json

import pytest

from trisynapse_memory.preprocessing.structured import json_text
from trisynapse_memory.preprocessing.structured.json_text import NotJsonError, elements, lines, parse
from trisynapse_memory.preprocessing.structured.values import Pairs


def test_values_stay_as_they_are_written():
    found = parse('{"a": 1.10, "b": [1e400, -0, NaN], "c": null, "d": true, "big": 123456789012345678901234567890}')
    assert found == Pairs(
        (
            ("a", "1.10"),
            ("b", ["1e400", "-0", "NaN"]),
            ("c", "null"),
            ("d", "true"),
            ("big", "123456789012345678901234567890"),
        )
    )


def test_both_of_two_equal_keys_are_kept():
    assert parse('{"a": 1, "a": 2}') == Pairs((("a", "1"), ("a", "2")))


def test_half_a_surrogate_pair_is_no_letter():
    assert parse(r'["\ud800", "\ud83d\ude00", "\u0000"]') == ["\ufffd", "\U0001f600", "\ufffd"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n{"a": 1,\n"b": }', "not valid JSON at line 3"),
        ("", "not valid JSON at line 1"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": 1} x', "not valid JSON at line 1"),
    ],
)
def test_a_fault_is_told_with_its_line(text, message):
    with pytest.raises(NotJsonError, match=message):
        parse(text)


def test_lines_are_numbered_and_a_broken_one_costs_itself():
    file = io.BytesIO(b'\xef\xbb\xbf{"a": 1}\r\n\n{oops\n"x"\n')
    found = list(lines(file, 0, None, 1))
    assert [(one.number, one.value, one.raw) for one in found] == [
        (1, Pairs((("a", "1"),)), ""),
        (3, None, "{oops"),
        (4, "x", ""),
    ]
    assert [one.number for one in lines(file, found[0].end, found[1].end, 2)] == [3]


LIST = [{"n": number, "words": "größer als " * (number % 50), "inner": [1, {"x": "}],["}]} for number in range(2000)]


@pytest.mark.parametrize("text", [json.dumps(LIST), json.dumps(LIST, indent=2, ensure_ascii=False)])
def test_a_list_is_read_element_by_element_from_any_of_them(text):
    file = io.BytesIO(b" \n" + text.encode())
    found = list(elements(file, 0, None, 1))
    assert [one.number for one in found] == list(range(1, 2001))
    assert [one.value.entries[0] for one in found] == [("n", str(number)) for number in range(2000)]
    again = list(elements(file, found[499].end, found[503].end, 501))
    assert again == found[500:504]


def test_a_number_at_the_border_of_a_window_is_not_cut(monkeypatch):
    monkeypatch.setattr(json_text, "_BLOCK_BYTES", 7)
    file = io.BytesIO(b"[12345678, 23456789, 345]")
    assert [one.value for one in elements(file, 0, None, 1)] == ["12345678", "23456789", "345"]


@pytest.mark.parametrize("text", [b'[1, {"a": ', b"[1 2 {]", b'[1, {"a" 2}]'])
def test_a_damaged_list_is_told(text):
    with pytest.raises(NotJsonError, match="element"):
        list(elements(io.BytesIO(text), 0, None, 1))
