"""A text that was read with a guessed encoding in, how strange it looks out; no byte and no encoding is known here.

A wrong code page gives itself away: symbols between letters ("f³r"), capitals after small letters, a run of accented
letters ("Çàãîëîâîê"), or letters that no one language has together ("Smřrrebrřd pĺ").
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from typing import Final

_ODD_RUN: Final = 3  # accented Latin letters in a row
_VOWEL_SHARE: Final = 0.33  # of Cyrillic letters; Russian prose has 0.42, Hebrew read as Cyrillic 0.28
# The accented letters of each language: one text is mostly one language, and a wrong code page mixes several.
_ALPHABETS: Final = tuple(
    frozenset(letters)
    for letters in (
        "äöüß", "éèêëàâçîïôûùüÿœæ", "áéíóúüñºª", "áâãàçéêíóôõúü", "àèéìíîòóùú", "åäöéüà", "åæøéòôóü", "áðéíóúýþæö",
        "éëïóöüèêáíú", "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîșțşţ", "čćđšž",
        "çğıöşüâîû", "õäöüšž", "ąčęėįšųūž", "āčēģīķļņšūž", "àçèéíïòóúü", "çë",
    )
)  # fmt: skip
_CYRILLIC_VOWELS: Final = frozenset("аеёиоуыэюяієїў")
_FINALS: Final = frozenset("ךםןףץς")  # Hebrew and Greek letters that only end a word
_LETTERS: Final = frozenset({"ascii", "accented", "greek", "cyrillic", "hebrew", "arabic", "cjk"})


def oddity(text: str) -> float:
    """Say how strange the non-ASCII letters of a text stand, in oddities per such character, 0 for a sound text.

    Counted: control and private characters, symbols between letters, a capital after a small letter, two alphabets in
    one word, a run of accented Latin letters, letters that no one language has together, Cyrillic without vowels, and
    Hebrew or Greek final letters inside a word.
    """
    special = sum(ord(character) > 127 for character in text)
    if not special:
        return 0.0
    odd = 0.0
    previous, run = " ", 0
    for character in text:
        script = _script(character)
        run = run + 1 if script == "accented" else 0
        odd += _strangeness(previous, character, script) + (run == _ODD_RUN) * 2
        previous = character
    return odd / special + _mixture(text) + _vowel_lack(text)


def _mixture(text: str) -> float:
    """Share of the accented letters that the best fitting language does not have."""
    letters = Counter(letter for letter in text.lower() if _script(letter) == "accented")
    total = sum(letters.values())
    if not total:
        return 0.0
    fitting = max(sum(count for letter, count in letters.items() if letter in known) for known in _ALPHABETS)
    return (total - fitting) / total


def _vowel_lack(text: str) -> float:
    letters = [letter for letter in text.lower() if _script(letter) == "cyrillic"]
    if not letters:
        return 0.0
    # Twice the lack, or the detector's word for cp1251 outweighs it.
    return 2 * max(0.0, _VOWEL_SHARE - sum(letter in _CYRILLIC_VOWELS for letter in letters) / len(letters))


def _strangeness(previous: str, character: str, script: str) -> float:
    if ord(character) < 128 and ord(previous) < 128:
        return 0.0
    if script in ("control", "rare"):
        return 2.0
    before = _script(previous)
    if before not in _LETTERS or script == "other":
        return 0.0
    if script == "symbol":
        return 1.0
    if before == "symbol" or script not in _LETTERS:
        return 0.0
    if (character.isupper() and previous.islower()) or previous in _FINALS:
        return 1.0
    return 0.0 if _family(before) == _family(script) or "cjk" in (before, script) else 1.0


def _family(script: str) -> str:
    return "latin" if script in ("ascii", "accented") else script


@cache
def _script(character: str) -> str:
    """The alphabet of a letter, or what else the character is."""
    code = ord(character)
    category = unicodedata.category(character)
    if code < 128:
        return "ascii" if character.isalpha() else "other"
    # Joiners are part of Persian and Indic spelling; direction marks inside words are not.
    if category in ("Cc", "Co", "Cn") or (category == "Cf" and code not in (0x200C, 0x200D, 0x00AD)):
        return "control"
    if category[0] == "L":
        for script, first, last in _SCRIPTS:
            if first <= code <= last:
                return script
        return "rare"
    # Signs that stand next to words in good texts: quotes, dashes, degree, section, currency, dots.
    return "other" if category[0] in "PZ" or character in "°§©®™€£¥…±×÷µ№" else "symbol"


_SCRIPTS: Final = (
    ("accented", 0x00AA, 0x024F),
    ("greek", 0x0370, 0x03FF),
    ("cyrillic", 0x0400, 0x04FF),
    ("hebrew", 0x0590, 0x05FF),
    ("arabic", 0x0600, 0x06FF),
    ("accented", 0x1E00, 0x1EFF),
    ("cjk", 0x3005, 0x9FFF),
    ("cjk", 0xAC00, 0xD7A3),
)
