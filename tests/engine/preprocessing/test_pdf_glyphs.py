"""Right-to-left runs as mupdf reports them, and what a reader makes of them (case R13)."""

from __future__ import annotations

from typing import Any

import pytest

from trisynapse_memory.preprocessing.pdf.bidi import changes_script, logical_order
from trisynapse_memory.preprocessing.pdf.composition import compose
from trisynapse_memory.preprocessing.pdf.glyphs import join_fragments, read_spans
from trisynapse_memory.text.geometry import quads_for

LAM, ALEF, KAF, TEH = "\u0644", "\u0627", "\u0643", "\u062a"


def raw(*glyphs: tuple[str, float, float], synthetic: frozenset[int] = frozenset()) -> dict[str, Any]:
    """One line of one span in mupdf's own form; each glyph with its left and right edge."""
    chars = [
        {"c": char, "bbox": (left, 90.0, right, 104.0), "origin": (left, 100.0), "synthetic": index in synthetic}
        for index, (char, left, right) in enumerate(glyphs)
    ]
    span = {
        "chars": chars, "font": "Naskh", "size": 12.0, "flags": 0, "color": 0, "alpha": 255, "ascender": 0.9,
        "descender": -0.2, "bbox": (glyphs[-1][1], 90.0, glyphs[0][2], 104.0),
    }  # fmt: skip
    return {"blocks": [{"lines": [{"wmode": 0, "dir": (1.0, 0.0), "spans": [span]}]}]}


def page(*glyphs: tuple[str, float, float], synthetic: frozenset[int] = frozenset()):
    return compose(join_fragments(list(read_spans(raw(*glyphs, synthetic=synthetic)))))


@pytest.mark.parametrize("turned", [True, False])
def test_the_letters_of_one_ligature_keep_their_order_and_share_its_ink(turned: bool):
    ligature = [(LAM, 50.0, 57.0), (ALEF, 57.0, 57.0)]
    glyphs = [(KAF, 57.0, 62.0), *(reversed(ligature) if turned else ligature), (TEH, 41.0, 50.0)]
    read = page(*glyphs)
    assert read.text == KAF + LAM + ALEF + TEH
    (quad,) = quads_for(read.layout, 1, 2)
    assert (quad[0], quad[2]) == pytest.approx((53.5, 57.0), abs=0.1)
    (quad,) = quads_for(read.layout, 2, 3)
    assert (quad[0], quad[2]) == pytest.approx((50.0, 53.5), abs=0.1)


def test_a_whole_word_drawn_as_one_glyph_keeps_its_marks_and_its_double_letters():
    word = "\u062d\u064e\u0628\u064a\u0628\u064a"
    read = page((word[0], 62.0, 70.0), *((char, 70.0, 70.0) for char in word[1:]))
    assert read.text == word


def test_a_blank_that_was_invented_over_letters_is_none():
    read = page((KAF, 60.0, 65.0), (" ", 40.0, 60.0), (ALEF, 55.0, 60.0), (LAM, 50.0, 55.0), synthetic=frozenset({1}))
    assert read.text == KAF + ALEF + LAM


def test_latin_and_arabic_words_without_a_drawn_blank_are_two_words():
    latin = [(char, 20.0 + 5 * index, 25.0 + 5 * index) for index, char in enumerate("Pi")]
    read = page((KAF, 52.0, 57.0), (ALEF, 46.0, 52.0), (LAM, 40.2, 46.0), *latin)
    assert read.text == f"{KAF}{ALEF}{LAM} Pi"
    assert changes_script(LAM, "P")
    assert not changes_script(LAM, "5")
    assert not changes_script("x", "P")


@pytest.mark.parametrize(
    ("visual", "logical"),
    [
        ("5% \u05d0\u05d1", "\u05d1\u05d0 5%"),
        ("\u05d3\u05d2 %50 \u05d0\u05d1", "\u05d1\u05d0 %50 \u05d2\u05d3"),
        ("\u05d3\u05d2 $7.50 \u05d0\u05d1", "\u05d1\u05d0 $7.50 \u05d2\u05d3"),
        ("(\u05d0\u05d1 (12:30", "12:30( \u05d1\u05d0("),
    ],
)
def test_signs_of_a_number_stay_with_it(visual: str, logical: str):
    order, _ = logical_order(list(visual))
    assert "".join(visual[place] for place in order) == logical
