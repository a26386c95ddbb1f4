"""Characters in, character classes and canonical forms out. No word is cut and no document is read here.

The tables that the tokenizer, the span map and the sentence splitter share: one place decides what is a mark, a hyphen,
a quote or a CJK character, so that what is found by words can also be highlighted.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

# Ranges of engine.md A8.1, widened by what they left out: iteration marks, half-width and small kana, bopomofo,
# Hangul jamo (decomposed Korean) and the CJK planes beyond the BMP.
CJK_RANGES: Final = (
    "\u1100-\u11ff\u3005\u3007\u3031-\u3035\u3040-\u30ff\u3105-\u312f\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
# Drawn by nobody: soft hyphen, Mongolian vowel separator, zero-width characters and joiners, bidi marks, embeddings
# and isolates, word joiner, byte order mark, tags.
INVISIBLE_RANGES: Final = (
    "\U000e0000-\U000e007f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
)
_TAGS: Final = re.compile("[\U000e0000-\U000e007f]+")
SOFT_HYPHEN: Final = "\u00ad"
HYPHENS: Final = "-\u2010\u2011"
DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
SINGLE_QUOTES: Final = "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u0060\u00b4\u02bc\uff07"
DOUBLE_QUOTES: Final = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02"

UNIFIED: Final = str.maketrans(
    dict.fromkeys(DASHES, "-") | dict.fromkeys(SINGLE_QUOTES, "'") | dict.fromkeys(DOUBLE_QUOTES, '"')
)

# Characters that follow a base and can melt into it: jamo vowels and finals, half-width voicing marks.
JOINING_RANGES: Final = "\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f"
# Letters that Unicode does not decompose although people type them without their stroke.
_UNDECOMPOSED: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe"}
)
# Optional vowel signs of Arabic and Hebrew, and the tatweel that only stretches a line. Hamza and madda (0653-0655)
# tell letters apart; they fall only in the folded form.
_VOWEL_SIGNS: Final = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+"
)
# Only the diacritics of Latin, Greek, Cyrillic and Arabic fold. The marks of Indic scripts are vowels, and the kana
# voicing marks are consonants: without them it is another word.
_FOLDING_MARKS: Final = re.compile("[\u0300-\u036f\u0653-\u0655]+")


@cache
def mark_ranges() -> str:
    """Every combining mark (Unicode M*), as the inside of a regex class: the word class of ``re`` leaves them out."""
    # 0x1F000-0xE00FF holds no mark; skipping it keeps the first call near 20 ms.
    candidates = (*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0))
    marks = [code for code in candidates if code <= sys.maxunicode and unicodedata.category(chr(code))[0] == "M"]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def cluster_pattern() -> re.Pattern[str]:
    """One character with everything that composes into it; a few invisible characters between do not split it."""
    # {0,4}, here and at line ends, not *: a file of nothing but soft hyphens must not take quadratic time.
    return re.compile(rf"(?s).(?:[{INVISIBLE_RANGES}]{{0,4}}[{mark_ranges()}{JOINING_RANGES}])*")


@cache
def _invisible_pattern() -> re.Pattern[str]:
    return re.compile(f"[{INVISIBLE_RANGES}]+")


def without_invisible(text: str) -> str:
    """Drop what nobody sees, so that two strings that look alike are alike."""
    return text if text.isascii() else _invisible_pattern().sub("", text)


def without_tags(text: str) -> str:
    """Drop tag characters: ASCII that no screen shows, and that a model reads."""
    return text if text.isascii() else _TAGS.sub("", text)


def visible(text: str) -> str:
    """Drop everything that carries no ink, so that nothing can be hidden in a text: what is copied is what is seen.

    Controls, tag characters, private use, variation selectors and invisible characters go; white space stays, and one
    joiner behind a letter that is not ASCII, for Persian and the scripts of India are written with it.
    """
    return text if text.isascii() and text.isprintable() else _hidden_pattern().sub("", text)


@cache
def _hidden_pattern() -> re.Pattern[str]:
    invisible = INVISIBLE_RANGES.replace("\u200b-\u200f", "\u200b\u200e\u200f")
    return re.compile(
        rf"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{invisible}\ue000-\uf8ff\ufe00-\ufe0f\ufff9-\ufffb\ud800-\udfff"
        "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
        rf"|(?<![^\x00-\x7f{INVISIBLE_RANGES}])[\u200c\u200d]"
    )


def canonical(cluster: str) -> str:
    """NFKC of one cluster, with dashes and quotes unified; what would become a space stays as it is.

    A spacing accent such as U+00A8 decomposes into a space and a mark: taking that would break words apart.
    """
    composed = unicodedata.normalize("NFKC", without_invisible(cluster).translate(UNIFIED)).translate(UNIFIED)
    return cluster if composed.startswith(" ") else composed


def clusters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (canonical form, start, end) over ``text``, without gap or overlap. Forms may be empty or longer."""
    for match in cluster_pattern().finditer(text):
        yield canonical(match.group()), match.start(), match.end()


def strip_vowel_signs(word: str) -> str:
    """Drop the optional marks of Arabic and Hebrew: readers write the same word with and without them."""
    return _VOWEL_SIGNS.sub("", word)


def fold_diacritics(word: str) -> str:
    """The word as typed on a keyboard without accents; equal to the word when there is nothing to fold."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word.translate(_UNDECOMPOSED))
    return unicodedata.normalize("NFC", _FOLDING_MARKS.sub("", decomposed))
