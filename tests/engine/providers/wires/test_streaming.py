"""Event streams: whatever the pieces are, the events are the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import BadReplyError
from trisynapse_memory.providers.wires import streaming
from trisynapse_memory.providers.wires.streaming import ServerEvent, read_events

BODY = 'event: start\ndata: {"a": "é – 光"}\n\n: a comment\n\ndata: one\ndata: two\n\ndata:tight\n\n'
EVENTS = [ServerEvent("start", '{"a": "é – 光"}'), ServerEvent("message", "one\ntwo"), ServerEvent("message", "tight")]


@given(st.lists(st.integers(0, len(BODY.encode())), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
def test_events_do_not_depend_on_where_a_piece_ends(cuts: list[int], line_end: str) -> None:
    body = (BODY.replace("\n", line_end) + "x").encode()
    places = sorted({0, len(body), *(min(cut, len(body)) for cut in cuts)})
    parts = [body[start:end] for start, end in pairwise(places)]
    assert list(read_events(parts)) == EVENTS


def test_an_event_that_was_cut_off_is_none() -> None:
    assert list(read_events([b"data: whole\n\ndata: ha"])) == [ServerEvent("message", "whole")]
    assert list(read_events([b"data: half\n"])) == []


def test_a_byte_order_mark_is_not_part_of_the_first_line() -> None:
    assert list(read_events(["\ufeffdata: x\n\n".encode()])) == [ServerEvent("message", "x")]


def test_an_event_without_text_and_fields_of_other_kinds_say_nothing() -> None:
    assert list(read_events([b"event: ping\n\nid: 7\nretry: 3\n\ndata\n\n"])) == [ServerEvent("message", "")]


def test_an_event_comes_as_soon_as_it_is_whole() -> None:
    def parts():
        yield b"data: first\n\n"
        raise AssertionError("nothing more is needed")

    assert next(read_events(parts())).text == "first"


@pytest.mark.parametrize("line", [b"data: " + b"x" * 200, b"data: xxxxxxxxxx\n" * 20])
def test_an_event_without_an_end_is_given_up(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MAX_EVENT_CHARS", 100)
    with pytest.raises(BadReplyError, match="without an end"):
        list(read_events([line]))
