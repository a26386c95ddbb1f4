"""Quads come back where the words stood: whole, cut, merged, turned, skewed and right to left."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text import geometry
from trisynapse_memory.text.geometry import UNITS_PER_POINT, Word, pack_layout, quads_for, unpack_layout

STEP = 1.5 / UNITS_PER_POINT


def box(left: float, top: float, right: float, bottom: float) -> tuple[float, ...]:
    return (left, top, right, top, right, bottom, left, bottom)


def test_two_words_of_one_line_share_one_quad_and_another_line_gets_its_own():
    layout = pack_layout(
        [Word(0, 3, box(10, 10, 30, 20), 0), Word(4, 7, box(35, 9, 60, 21), 0), Word(8, 11, box(10, 30, 40, 40), 1)]
    )
    first, second = quads_for(layout, 0, 11)
    assert first == pytest.approx(box(10, 9, 60, 21), abs=STEP)
    assert second == pytest.approx(box(10, 30, 40, 40), abs=STEP)


def test_a_span_that_ends_inside_a_word_is_cut_at_the_edge_of_its_character():
    layout = pack_layout([Word(0, 4, box(100, 10, 130, 20), 0, (0, 4, 4, 9, 9, 25, 25, 30))])
    (quad,) = quads_for(layout, 1, 3)
    assert quad == pytest.approx(box(104, 10, 125, 20), abs=STEP)


def test_without_edges_the_characters_share_the_width():
    layout = pack_layout([Word(0, 4, box(0, 0, 40, 10), 0)])
    assert quads_for(layout, 2, 3)[0] == pytest.approx(box(20, 0, 30, 10), abs=STEP)


def test_the_word_next_to_the_span_is_never_painted():
    layout = pack_layout([Word(0, 3, box(0, 0, 20, 10), 0), Word(4, 7, box(25, 0, 50, 10), 0)])
    (quad,) = quads_for(layout, 4, 7)
    assert quad[0] > 20


def test_a_right_to_left_word_is_cut_at_its_right_end_first():
    layout = pack_layout([Word(0, 2, box(50, 0, 70, 10), 0, (12, 20, 0, 12))])
    (quad,) = quads_for(layout, 0, 1)
    assert quad == pytest.approx(box(62, 0, 70, 10), abs=STEP)


def test_a_foreign_word_between_two_meant_ones_splits_the_quad():
    # Logical order: right word, then the left one; the middle one belongs to a later span.
    layout = pack_layout(
        [Word(0, 2, box(80, 0, 99, 10), 0), Word(3, 5, box(0, 0, 20, 10), 0), Word(6, 8, box(40, 0, 60, 10), 0)]
    )
    assert len(quads_for(layout, 0, 5)) == 2


@pytest.mark.parametrize("degrees", [0, 30, 90, 180, 270, 317])
def test_turned_text_gives_turned_quads(degrees: int):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turned(quad: tuple[float, ...]) -> tuple[float, ...]:
        pairs = [(300 + x * cos - y * sin, 300 + x * sin + y * cos) for x, y in zip(quad[::2], quad[1::2], strict=True)]
        return tuple(value for pair in pairs for value in pair)

    layout = pack_layout([Word(0, 2, turned(box(0, 0, 20, 10)), 0), Word(3, 5, turned(box(30, 0, 50, 12)), 0)])
    (quad,) = quads_for(layout, 0, 5)
    assert quad == pytest.approx(turned(box(0, 0, 50, 12)), abs=0.3)


def test_skewed_text_keeps_its_parallelogram():
    slanted = (15.0, 0.0, 55.0, 0.0, 50.0, 20.0, 10.0, 20.0)
    assert quads_for(pack_layout([Word(0, 4, slanted, 0)]), 0, 4)[0] == pytest.approx(slanted, abs=STEP)


def test_no_words_pack_to_nothing_and_blank_spans_paint_nothing():
    assert pack_layout([]) == b""
    assert quads_for(b"", 0, 10) == ()
    layout = pack_layout([Word(5, 8, box(0, 0, 10, 10), 0)])
    assert quads_for(layout, 0, 5) == ()
    assert quads_for(layout, 6, 6) == ()


def test_a_later_format_and_damaged_bytes_are_told_apart_from_good_ones():
    layout = pack_layout([Word(0, 3, box(0, 0, 10, 10), 0)])
    with pytest.raises(InvalidInputError, match="version 9"):
        unpack_layout(b"\x09" + layout[1:])
    with pytest.raises(InvalidInputError, match="damaged"):
        unpack_layout(layout[:-4])


@pytest.mark.parametrize(
    "words",
    [
        [Word(3, 5, box(0, 0, 9, 9), 0), Word(0, 2, box(0, 0, 9, 9), 0)],
        [Word(2, 2, box(0, 0, 9, 9), 0)],
        [Word(0, 2, box(0, 0, 9, 9), 0, (0, 1))],
    ],
)
def test_words_that_cannot_be_are_refused(words: list[Word]):
    with pytest.raises(InvalidInputError):
        pack_layout(words)


@given(st.lists(st.tuples(st.integers(1, 12), st.floats(0, 14000), st.floats(0, 14000), st.floats(1, 90)), max_size=40))
def test_every_word_comes_back_where_it_stood(shapes: list[tuple[int, float, float, float]]):
    words: list[Word] = []
    cursor = 0
    for line, (length, x, y, width) in enumerate(shapes):
        words.append(Word(cursor, cursor + length, box(x, y, x + width, y + 10), line))
        cursor += length + 1
    layout = pack_layout(words)
    for word in words:
        (quad,) = quads_for(layout, word.start, word.end)
        assert quad == pytest.approx(word.quad, abs=STEP)


def test_a_full_page_takes_less_room_than_two_bytes_a_character():
    words, cursor = [], 0
    for line in range(55):
        for column in range(12):
            left = 72 + column * 38.3
            edges = tuple(value for index in range(6) for value in (index * 5.1, index * 5.1 + 5.1))
            words.append(Word(cursor, cursor + 6, box(left, 72 + line * 12, left + 30.6, 83 + line * 12), line, edges))
            cursor += 7
    assert len(pack_layout(words)) < 2 * cursor


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(0, 400), st.integers(1, 90), st.integers(1, 20)),
        min_size=1,
        max_size=30,
    ),
    st.integers(0, 60),
    st.integers(1, 120),
)
def test_straight_words_are_painted_as_any_others_would_be(
    shapes: list[tuple[int, int, int, int, int]], start: int, length: int
):
    words: list[Word] = []
    cursor = 0
    for size, line, x, width, height in shapes:
        words.append(Word(cursor, cursor + size, box(x, 30 * line, x + width, 30 * line + height), line))
        cursor += size + 1
    layout = pack_layout(words)
    quick = quads_for(layout, start, start + length)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geometry, "_is_upright", lambda *_: False)
        careful = quads_for(layout, start, start + length)
    assert len(quick) == len(careful)
    for one, other in zip(quick, careful, strict=True):
        assert one == pytest.approx(other, abs=0.0011)
