"""A name or a phrase in, the form in which two spellings of it are equal out. Meaning is not compared: no synonyms."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

HONORIFICS: Final = frozenset(
    "mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend hon capt captain col colonel gen general lt "
    "sgt president senator judge justice esq phd".split()
)
_ARTICLES: Final = frozenset("a an the".split())
_POSSESSIVE: Final = re.compile(r"['’](?:s\b|(?=\s|$))")
_WORD: Final = re.compile(r"\w+(?:\.\w+)*")
_KEPT_ENDINGS: Final = ("ss", "us", "is", "as", "os")


@lru_cache(maxsize=16384)
def fold(text: str) -> str:
    """Return a phrase in small letters without articles, honorifics, possessives, punctuation, hyphens and plurals.

    "The Dr. Jane Smith's" is "jane smith"; "low-rank adapters" is "low rank adapter". A text of nothing but such words
    is folded by case alone, so that no text becomes empty.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(_POSSESSIVE.sub("", plain))
    kept = [word for word in words if word not in _ARTICLES]
    named = [word for word in kept if word not in HONORIFICS]
    # "President" alone, or "general" before a small word, is no honorific.
    chosen = named if len(named) > 1 or (named and any(word in HONORIFICS for word in kept[:1])) else kept
    return " ".join(map(singular, chosen)) or " ".join(plain.split())


def singular(word: str) -> str:
    """Return an English plural without its ending; words of up to three letters, and names in -ss, -us, -is, stay."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(_KEPT_ENDINGS) or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def is_same_person(left: str, right: str) -> bool:
    """Whether two folded names differ by initials only: "j smith" and "jane smith", "jane a smith" and "jane smith"."""
    first, second = left.split(), right.split()
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-1]:
        return False
    short, long = sorted((first[:-1], second[:-1]), key=len)
    if any(len(word) > 1 for word in long[len(short) :]):
        return False
    matched = all(a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(short, long, strict=False))
    return matched and left != right
