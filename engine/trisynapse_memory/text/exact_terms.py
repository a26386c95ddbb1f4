"""A question in, the index keys that must match exactly out. How rare they are is the index's to say, not ours."""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.text.shapes import Shape, scan_words
from trisynapse_memory.text.tokens import Form, Token, index_key, tokenize
from trisynapse_memory.text.words import FUNCTION_WORDS

LONG_NUMBER_DIGITS: Final = 5  # From here on a bare number is an id, not a year or a count.

_QUOTED: Final = re.compile(
    r"[\"\u201c\u201d\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{1,200})[\"\u201d\u201c\u00bb]"
)
_NUMBER: Final = re.compile(r"\d+")
_VERSION: Final = re.compile(r"\d+(?:\.\d+){2,}")
# 10kg, 3rd, 1990s, 24-hour, 3x: quantities, not names.
_QUANTITY: Final = re.compile(
    r"\d+(?:[.,]\d+)*-?(?:st|nd|rd|th|s|x|k|m|b|g|kg|mg|mm|cm|km|nm|ms|h|hz|khz|mhz|ghz|kb|mb|gb|tb|px|pt|w|kw|v|mah|am|pm)"
    r"|\d+-[a-z]{2,}(?:-[a-z]+)*",
)
_NAMED: Final = frozenset({Shape.URL, Shape.EMAIL, Shape.DOI, Shape.ARXIV, Shape.SHARP})
_JOINT: Final = re.compile("[-_.\u2010\u2011]")
_POSSESSIVE: Final = re.compile(r"(\d[\w.-]*)['\u2019]s\b")
# getUserId, HttpServerFactory; not YouTube or McDonald, which people also write otherwise.
_CODE_CAMEL: Final = re.compile(r"[a-z]{2,}(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){3,}")


def identifiers(text: str) -> tuple[str, ...]:
    """Name the words of a question that a right answer must hold as they are written.

    Those are codes and versions that mix letters and digits (KX-00120, v1.2.3), long numbers, DOIs, arXiv ids,
    addresses, names of code (get_user_id, getUserId), C++ and C#, codes in capitals with a joint (E-CORE), and the
    content words between double quotes.

    Returns:
        Unique index keys (``index_key`` of the exact form), in order. Empty for most questions.
    """
    text = without_possessives(text)
    words = scan_words(text)
    spans = {(word.start, word.end) for word in words if _is_identifier(text[word.start : word.end], word.shape)}
    quoted = [match.span(1) for match in _QUOTED.finditer(text)]
    keys: dict[str, None] = {}
    for token in tokenize(text):
        named = token.form is Form.EXACT and (token.start, token.end) in spans
        if named or (_is_content(token) and any(start <= token.start and token.end <= end for start, end in quoted)):
            keys[index_key(token)] = None
    return tuple(keys)


def without_possessives(text: str) -> str:
    """Return a text whose numbers and codes own nothing: "Apollo 1's crew" names 1, "the 70's" are 70."""
    return _POSSESSIVE.sub(r"\1", text)


def _is_content(token: Token) -> bool:
    if token.form is Form.CJK:
        return len(token.term) > 1
    return token.form is Form.EXACT and token.term not in FUNCTION_WORDS


def _is_identifier(word: str, shape: Shape) -> bool:
    if shape in _NAMED:
        return True
    if shape is Shape.GROUPED or _QUANTITY.fullmatch(word):
        return False
    if _NUMBER.fullmatch(word):
        return len(word) >= LONG_NUMBER_DIGITS
    if _VERSION.fullmatch(word):
        return True
    letters = any(letter.isalpha() for letter in word)
    if letters and any(letter.isdigit() for letter in word):
        return True
    if "_" in word.strip("_"):
        return letters
    if _JOINT.search(word):
        return word.isupper() and all(len(part) > 1 for part in _JOINT.split(word)[1:])
    return len(word) > 5 and _CODE_CAMEL.fullmatch(word) is not None
