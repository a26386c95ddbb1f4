"""Character tables: what is a mark, what folds, and that clusters cover a text."""

from __future__ import annotations

import re
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.characters import canonical, clusters, fold_diacritics, mark_ranges, strip_vowel_signs


def test_the_mark_class_holds_every_combining_mark_and_nothing_else():
    pattern = re.compile(f"[{mark_ranges()}]")
    wrong = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if not 0xD800 <= code <= 0xDFFF
        and (unicodedata.category(chr(code))[0] == "M") != (pattern.match(chr(code)) is not None)
    ]
    assert wrong == []


@given(st.text())
def test_clusters_cover_a_text_without_gap_or_overlap(text):
    borders = [(start, end) for _, start, end in clusters(text)]
    assert [start for start, _ in borders] == [0, *(end for _, end in borders)][: len(borders)]
    assert not text or borders[-1][1] == len(text)


def test_every_latin_ligature_opens():
    assert [canonical(chr(code)) for code in range(0xFB00, 0xFB07)] == ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]


def test_a_spacing_accent_does_not_become_a_space():
    assert canonical("\u00a8") == "\u00a8"


def test_folding_reaches_letters_without_a_decomposition():
    assert fold_diacritics("søren łukasz ærø") == "soren lukasz aero"


def test_folding_leaves_the_vowels_of_indic_scripts_and_the_voicing_of_kana():
    assert fold_diacritics("हिन्दी") == "हिन्दी"
    assert fold_diacritics("が") == "が"


def test_vowel_signs_and_tatweel_leave_but_hamza_stays():
    assert strip_vowel_signs("مُحَـمَّد") == "محمد"
    assert strip_vowel_signs("שָׁלוֹם") == "שלום"
    assert strip_vowel_signs("سؤال") == "سؤال"
