"""Removed texts in, whether some other text still repeats them out. Pure: nothing is read from a vault here.

A text **holds** them when it has a word that is left nowhere else in the evidence, or ``RUN_WORDS`` words in a row of
theirs that are left nowhere else. It **quotes** them when it has such a run, or such a word that nobody uses by chance:
an identifier, a long number, or a very long one. Function words never count by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from trisynapse_memory.text.words import FUNCTION_WORDS

TELLING_LENGTH: Final = 16  # characters; of the words of 16 papers, 1 in 1,700 is as long
TELLING_NUMBER: Final = 6  # characters; years and page numbers are shorter
RUN_WORDS: Final = 8  # "in this paper we show that the" is common property; eight words in a row hardly ever are

_WORD: Final = re.compile(r"\w+")
_TOKEN: Final = re.compile(r"\S+")
_EDGES: Final = ".,;:!?()[]{}<>\"'\u2018\u2019\u201c\u201d*_`|"


class Quotations:
    """The words and runs of removed texts, less those that other evidence still holds.

    Feed it all removed texts first (``take``), then the evidence that stays (``spare``), then ask (``holds``).
    """

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._runs: set[int] = set()
        self._all_runs: set[int] = set()
        self._joined: list[str] = []

    def take(self, text: str, *, whole: bool = True) -> None:
        """Learn a removed text; one that only surrounds it (its page) is not taken ``whole``, see ``contain``."""
        words = words_of(text)
        runs = set(_runs(words))
        self._words |= {word for word in (*words, *_tokens(text)) if word not in FUNCTION_WORDS}
        self._runs |= runs
        if whole:
            self._all_runs |= runs
            self._joined.append(f" {' '.join(words)} ")

    def spare(self, text: str) -> None:
        """Let off what a text that stays holds too: it may be asked about and quoted as before."""
        words = words_of(text)
        self._words.difference_update(words, _tokens(text))
        self._runs.difference_update(_runs(words))

    def holds(self, text: str) -> bool:
        """Tell whether a text repeats what was removed and is left nowhere else."""
        words = words_of(text)
        return (
            not self._words.isdisjoint(words)
            or not self._words.isdisjoint(_tokens(text))
            or any(run in self._runs for run in _runs(words))
        )

    def quoted_in(self, text: str) -> bool:
        """Tell whether a text can hardly have its words from elsewhere; for what she wrote about other things too."""
        words = words_of(text)
        telling = {word for word in (*words, *_tokens(text)) if _is_telling(word)}
        return not self._words.isdisjoint(telling) or any(run in self._runs for run in _runs(words))

    def share_run(self, text: str) -> bool:
        """Tell whether a text has a run of a removed one, left elsewhere or not."""
        return any(run in self._all_runs for run in _runs(words_of(text)))

    def contain(self, text: str) -> bool:
        """Tell whether a text, however short, stands word for word in one of the removed ones."""
        wanted = f" {' '.join(words_of(text))} "
        return bool(wanted.strip()) and any(wanted in joined for joined in self._joined)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order."""
    return _WORD.findall(text.casefold())


def _is_telling(word: str) -> bool:
    if not any(letter.isdigit() for letter in word):
        return len(word) >= TELLING_LENGTH
    return len(word) >= TELLING_NUMBER or any(letter.isalpha() for letter in word)


def _tokens(text: str) -> set[str]:
    """Return what stands between white space, without punctuation at its ends: identifiers keep their hyphens."""
    return {token for found in _TOKEN.findall(text.casefold()) if (token := found.strip(_EDGES))}


def _runs(words: list[str]) -> Iterator[int]:
    """Yield every run of ``RUN_WORDS`` words as a hash: an hour's worth of removed text has a million of them."""
    for start in range(len(words) - RUN_WORDS + 1):
        yield hash(tuple(words[start : start + RUN_WORDS]))


def strings_of(value: object) -> Iterator[str]:
    """Yield every text inside a value made of JSON; a text that holds a JSON object or list itself is opened too."""
    if isinstance(value, str):
        opened = _opened(value)
        if opened is None:
            yield value
        else:
            yield from strings_of(opened)
    elif isinstance(value, dict):
        for part in msgspec.convert(value, dict[str, object]).values():
            yield from strings_of(part)
    elif isinstance(value, list | tuple):
        for part in msgspec.convert(value, list[object]):
            yield from strings_of(part)


def _opened(text: str) -> object | None:
    """Return what a text holds if it is a JSON object or list, else None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
