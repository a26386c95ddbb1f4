"""A word broken at a line end in, join it or keep its hyphen out. The text itself is not changed here.

The rule, first line that speaks decides:

1. Either half touches another hyphen (state-of-/the-art), the break touches a digit (COVID-/19), or the right half
   starts with a capital in a word that is not all capitals (Anglo-/Saxon): keep.
2. The document writes the joined word unbroken elsewhere: join. It writes the hyphenated word elsewhere: keep.
3. The left half is in ``COMPOUND_STARTS`` (well, self, state ...) and the right half is no mere ending (state-/ment),
   or the right half is in ``COMPOUND_ENDS`` (based, making, specific ...): keep.
4. Both halves are words of their own in this document, of three letters or more (two for ``OPEN_PREFIXES`` such as co,
   re, pre), and the left is no function word: keep.
5. Else: join.

Limits: the rule knows no dictionary, so a document that uses both "car" and "pet" keeps "car-/pet", and one that never
says "mixed" joins "privacy-/mixed". Searching for quotes forgives either reading at a line end.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.text.characters import HYPHENS, INVISIBLE_RANGES, SOFT_HYPHEN, without_invisible
from trisynapse_memory.text.words import FUNCTION_WORDS

# After these a hyphen at a line end is nearly always a real one; chosen from the compounds of English style guides.
COMPOUND_STARTS: Final = frozenset(
    """all cross double fine first five four full half hard high ill large left long low many mid multi near non one
    open quasi real right second self semi short single small so state text third three top triple two well
    zero""".split()
)
# These also begin closed words (preheat, cohere): the hyphen stays only where the rest is a word of the document.
OPEN_PREFIXES: Final = frozenset(
    "anti bi co counter de ex extra in inter intra micro off on out over pre post re sub un up".split()
)
# Words that seldom end a closed word; collected from the line ends of ten papers.
COMPOUND_ENDS: Final = frozenset(
    """augmented aware based centric dependent driven enhanced free grained guided independent level making oriented
    related scale shot source specific trained tuned tuning type""".split()
)
_ENDINGS: Final = frozenset(
    """able age ance ation ations ed en ence ency er ers ery est ful hood ible ic ify ing ings ion ions ish ism ist
    ity ive ize less ly ment ments ness or ory ous ship some st th tion tions ty ual ure wards wise y""".split()
)
# Behind anything but white space and ASCII signs: a letter may end in a combining mark, which \w leaves out.
LINE_END_HYPHEN: Final = (
    rf"(?<=[^\s_!-/:-@\[-`{{-~])[{HYPHENS}][{INVISIBLE_RANGES}]{{0,4}}"
    rf"[ \t]{{0,80}}\r?\n[ \t{INVISIBLE_RANGES}]{{0,80}}(?=[^\W_])"
)
_BROKEN: Final = re.compile(rf"[^\W_]+{LINE_END_HYPHEN}[^\W_]+")
_WORD: Final = re.compile(rf"[^\W_]+(?:[{HYPHENS}][^\W_]+)*")
_LEFT: Final = re.compile(r"(-?)([^\W_]+)$")
_RIGHT: Final = re.compile(r"([^\W_]+)(-?)")
_WINDOW: Final = 48  # characters looked at on either side of a break; no word is longer


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a document writes unbroken: ``words`` alone, ``compounds`` with their hyphens, all case folded."""

    words: frozenset[str] = frozenset()
    compounds: frozenset[str] = frozenset()


def collect_vocabulary(text: str) -> Vocabulary:
    """Collect what a document writes unbroken, so that its broken words can be told from its compounds.

    Give the whole document where a page is too short to show its habits.
    """
    flat = _BROKEN.sub(" ", _plain(text))
    words: set[str] = set()
    compounds: set[str] = set()
    for word in set(_WORD.findall(flat)):
        parts = word.split("-")
        words.update(parts)
        if len(parts) > 1:
            compounds.add(word)
    return Vocabulary(frozenset(words), frozenset(compounds))


def keeps_hyphen(text: str, hyphen: int, following: int, vocabulary: Vocabulary) -> bool:
    """Decide one break: ``hyphen`` is the offset of the hyphen, ``following`` that of the next line's first letter."""
    left = _LEFT.search(_plain(text[max(0, hyphen - _WINDOW) : hyphen], fold=False))
    right = _RIGHT.match(_plain(text[following : following + _WINDOW], fold=False))
    if left is None or right is None:
        return True
    if left[1] or right[2]:
        return True
    head, rest = left[2], right[1]
    if head[-1].isdigit() or rest[0].isdigit() or (rest[0].isupper() and not (head + rest).isupper()):
        return True
    return _is_compound(head.casefold(), rest.casefold(), vocabulary)


def _is_compound(head: str, rest: str, vocabulary: Vocabulary) -> bool:
    if head + rest in vocabulary.words:
        return False
    if f"{head}-{rest}" in vocabulary.compounds:
        return True
    if head in COMPOUND_STARTS and rest not in _ENDINGS:
        return True
    if rest in COMPOUND_ENDS and len(head) >= 3 and head not in OPEN_PREFIXES:
        return True
    if rest not in vocabulary.words or len(rest) < 3:
        return False
    if head in OPEN_PREFIXES:
        return True
    return len(head) >= 3 and head in vocabulary.words and head not in FUNCTION_WORDS


def _plain(text: str, *, fold: bool = True) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", without_invisible(text.replace(SOFT_HYPHEN, "")))
        for hyphen in HYPHENS[1:]:
            text = text.replace(hyphen, "-")
    return text.casefold() if fold else text
