"""Glyphs that are drawn twice count once, and the quick look that saves the search overlooks none of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.preprocessing.pdf.glyphs import Frame, Look, Span, Style
from trisynapse_memory.preprocessing.pdf.twins import DUPLICATE_EM, drop_twins

SIZE = 10.0
UPRIGHT = Frame(1.0, 0.0)


def span_of(text: str, left: float, base: float, line: int = 1, frame: Frame = UPRIGHT) -> Span:
    style = Style(size=SIZE, bold=False, colour=0, alpha=255, ascent=7.5, descent=2.2)
    lefts = [left + 5 * index for index in range(len(text))]
    rights = [place + 5 for place in lefts]
    box = (lefts[0], base - 7.5, rights[-1], base + 2.2)
    return Span(frame, line, style, text, lefts, rights, base, Look(base - 7.5, base + 2.2, SIZE, False), box)


def texts(*spans: Span) -> list[str]:
    return [span.text for span in drop_twins(spans)]


# All over the page and off it: the quick look rounds places and folds rows, and must not lose a pair on the way.
@given(
    st.floats(-40_000, 40_000),
    st.floats(-40_000, 40_000),
    st.floats(-0.9, 0.9),
    st.floats(-0.4, 0.4),
    st.sampled_from(["word", "\u65e5\u672c", "\U0001f600x"]),
)
def test_a_text_drawn_again_nearby_is_dropped_wherever_it_stands(
    left: float, base: float, aside: float, below: float, text: str
):
    far = span_of("far", left + 300, base + 300)
    assert texts(span_of(text, left, base), far, span_of(text, left + aside * DUPLICATE_EM * SIZE, base + below)) == [
        text,
        "far",
    ]


def test_other_letters_lines_directions_and_blanks_at_the_same_place_are_no_twins():
    first = span_of("ab", 100, 100)
    assert texts(first, span_of("cd", 100, 100)) == ["ab", "cd"]
    assert texts(first, span_of("ab", 100, 112)) == ["ab", "ab"]
    assert texts(first, span_of("ab", 100, 100, frame=Frame(0.0, 1.0))) == ["ab", "ab"]
    assert texts(span_of(" ", 100, 100), span_of(" ", 100, 100)) == [" ", " "]


def test_of_a_span_that_is_half_drawn_twice_the_other_half_stays_with_its_places():
    (first, second) = drop_twins([span_of("over", 100, 100), span_of("verb", 105.2, 100)])
    assert (first.text, second.text) == ("over", "b")
    assert second.lefts == [120.2]


def test_no_spans_give_no_spans():
    assert drop_twins([]) == []


def test_a_shadow_below_and_beside_is_the_same_glyph():
    assert texts(span_of("word", 100.9, 200.95), span_of("word", 100, 200)) == ["word"]


def test_the_same_glyph_on_the_next_line_or_raised_stays():
    assert texts(span_of("word", 100, 200), span_of("word", 100, 205)) == ["word", "word"]
