"""The columns of a page come back as they were, from this version of the bytes and from the first one."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.geometry import Word, pack_layout, quads_for, unpack_layout
from trisynapse_memory.text.layout_columns import Columns, pack_numbers, unpack_numbers

# What version 1 wrote of WORDS: two words of a line (one with uneven characters), one from right to left, one that
# rises.
VERSION_1 = base64.b64decode(
    "AXicY2EAAkYmRmYmJmYgg3HBDo8LCxgyZhQ5OIBkCoD4wwcGBgEGJMDK+E+QlYGRg5GREcT9BxX+z4AC/mPjEKemuoZh64IEhtY2BoZqxu4DCxgY"
    "WtHU/8PUhmwYqhgA+2sdMA=="
)


def box(left: float, top: float, right: float, bottom: float) -> tuple[float, ...]:
    return (left, top, right, top, right, bottom, left, bottom)


WORDS = [
    Word(0, 3, box(72, 72, 90.5, 84), 0),
    Word(4, 6, box(94, 72, 110, 84), 0, (0, 9, 9.05, 16)),
    Word(8, 10, box(72, 90, 88, 102), 1, (8, 16, 0, 8)),
    Word(11, 14, (300, 200, 300, 180, 312, 180, 312, 200), 2),
]

PLACES = st.integers(-20_000, 300_000)
WORD = st.tuples(
    st.integers(0, 5), st.integers(-2, 2), *[PLACES] * 6, st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=9)
)


@given(st.lists(WORD, min_size=1, max_size=30))
def test_any_columns_come_back(words: list[tuple[int, ...]]) -> None:
    rows = np.array([word[:8] for word in words], dtype=np.int64)
    edges = np.array([pair for word in words for pair in word[8]], dtype=np.int64)  # type: ignore[attr-defined]
    lengths = np.array([len(word[8]) for word in words], dtype=np.int64)  # type: ignore[arg-type]
    given_columns = Columns(rows[:, 0], lengths, rows[:, 1], rows[:, 2:4], rows[:, 4:6], rows[:, 6:8], edges)
    found = unpack_numbers(pack_numbers(given_columns))
    assert all((one == other).all() for one, other in zip(found, given_columns, strict=True))


def test_a_layout_of_version_1_paints_what_the_same_words_paint_now() -> None:
    now = pack_layout(WORDS)
    assert (VERSION_1[0], now[0]) == (1, 2)
    for start in range(15):
        for end in range(start + 1, 15):
            assert quads_for(VERSION_1, start, end) == quads_for(now, start, end)


@pytest.mark.parametrize("layout", [VERSION_1, pack_layout(WORDS)])
def test_bytes_that_are_cut_off_or_hold_too_little_are_refused(layout: bytes) -> None:
    for damaged in (layout[:-5], layout[:1], bytes([layout[0]]) + pack_layout(WORDS[:1])[1:30]):
        with pytest.raises(InvalidInputError, match="damaged"):
            unpack_layout(damaged)


def test_level_text_whose_words_follow_each_other_costs_under_a_byte_a_character() -> None:
    words, cursor = list[Word](), 0
    for line in range(55):
        for column in range(12):
            left = 72 + column * 38.3
            edges = tuple(value for index in range(6) for value in (index * 5.1, index * 5.1 + 5.1))
            words.append(Word(cursor, cursor + 6, box(left, 72 + line * 12, left + 30.6, 83 + line * 12), line, edges))
            cursor += 7
    assert len(pack_layout(words)) < cursor / 4
