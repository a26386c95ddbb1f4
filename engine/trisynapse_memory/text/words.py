"""One word in, the readings it is indexed under out: whole, parts, folded, stem. Positions are relative to the word.

Pure and cached per word; nothing is known here about the text around the word. The rules stand in
``trisynapse_memory.text.tokens``.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from snowballstemmer.arabic_stemmer import ArabicStemmer  # pyright: ignore[reportMissingTypeStubs]
from snowballstemmer.english_stemmer import EnglishStemmer  # pyright: ignore[reportMissingTypeStubs]

from trisynapse_memory.text.characters import CJK_RANGES, clusters, fold_diacritics, strip_vowel_signs
from trisynapse_memory.text.shapes import ARXIV, DOI, OLD_ARXIV, Shape, plain_pattern

STEM_PREFIX: Final = "~"  # No word starts with it, so a stem never meets an exact term in the index.
TERM_LENGTH_LIMIT: Final = 128  # characters; longer terms (base64, gene strings) are cut, the same way when asked for.
ADDRESS_WORDS_LIMIT: Final = 32  # words inside one address; what follows is a query string nobody searches for.
CACHED_WORD_LENGTH: Final = 40  # characters; longer words hardly return and would fill the cache.
CACHE_SIZE: Final = 32_768  # words, near 20 MB; the vocabulary of some 50 papers.
_CAMEL_WORD_LENGTH: Final = 6  # characters; below it (LoRA, iPhone, mRNA) a capital inside is spelling, not a border.
_JOINED_PARTS_LIMIT: Final = 3

# Grammar, not content. They are never inflected, so a stem would only double the longest posting lists; queries that
# hold anything else leave them out. "may", "will", "can", "us" and "it" are absent: they are also names and acronyms.
FUNCTION_WORDS: Final = frozenset(
    """a about after all also although am among an and any are as at be because been before being between both but by
    could did do does doing during each either for from had has have having he her here hers herself him himself his how
    i if in into is its itself me more most my myself neither nor not of off on once only or other our ours ourselves
    out over own same she should since so some such than that the their theirs them themselves then there these they
    this those though through to too under until up upon very was we were what when where whether which while who whom
    whose why with within without would you your yours yourself yourselves don't doesn't didn't isn't aren't wasn't
    weren't i'm i've i'd i'll it's that's what's
    في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين كيف كم هل هو هي هم كان كانت يكون أن إن لا لم لن
    قد أو ثم بين عند بعد قبل أي أية لماذا""".split()
)


class Form(StrEnum):
    """Why a term is indexed at a position."""

    EXACT = "exact"
    PART = "part"
    FOLDED = "folded"
    STEM = "stem"
    CJK = "cjk"


@dataclass(frozen=True, slots=True)
class Reading:
    """One term of a word; ``step`` counts positions and ``start``/``end`` characters from the start of the word."""

    term: str
    form: Form
    step: int
    start: int
    end: int

    @property
    def key(self) -> str:
        """The term as the index stores it."""
        return STEM_PREFIX + self.term if self.form is Form.STEM else self.term


@dataclass(frozen=True, slots=True)
class Reads:
    """All readings of one word, by step; ``keys`` and ``steps`` are theirs in the same order.

    ``width`` is the number of positions the word takes.
    """

    readings: tuple[Reading, ...]
    keys: tuple[str, ...]
    steps: tuple[int, ...]
    width: int


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A word in canonical characters, case kept, with the original start and end of each of them."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    broken: bool  # A line ended inside the word.

    def cut(self, start: int, end: int) -> _Spelling:
        return _Spelling(self.text[start:end], self.starts[start:end], self.ends[start:end], self.broken)


_CJK: Final = re.compile(f"[{CJK_RANGES}]+")
_NOT_WORD: Final = re.compile(r"[-_.]+")
_EDGES: Final = "-_.'"
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ARXIV: Final = re.compile(f"{ARXIV}|{OLD_ARXIV}")
_DOI: Final = re.compile(DOI)
_ARABIC: Final = re.compile(r"[\u0620-\u064a\u0671-\u06d3]+")  # letters; marks and digits are none
_VERSION: Final = re.compile(r"v\d+$")
_ADDRESS_START: Final = re.compile(r"^(?:[a-z]+://)?(?:www\.)?", re.IGNORECASE)
# Tails of contractions and possessives; a piece before or after an apostrophe that is none of them is a word.
_TAILS: Final = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})


@lru_cache(CACHE_SIZE)  # Apart from the words: Measure, measure and measure's share it, and it is the slowest step.
def stem(word: str) -> str:
    """The Snowball (Porter 2) English stem of a lower-case ASCII word."""
    # A new stemmer each time: it keeps its word in itself, and threads share this module. It costs little beside the
    # stem. The class itself, not snowballstemmer.stemmer(): that one takes PyStemmer where it is installed, and an
    # index must not depend on it.
    return str(EnglishStemmer().stemWord(word))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


@lru_cache(CACHE_SIZE)
def _arabic_stem(word: str) -> str:
    """The Snowball Arabic stem: without article, conjunctions and pronouns ("الجسر" and "جسر" meet).

    XQuAD in Arabic, recall@5 of 300 questions: .883 without, .937 with it.
    """
    return str(ArabicStemmer().stemWord(word))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def read_word(raw: str, shape: Shape) -> Reads:
    """Take one word apart. The same characters always give the same readings."""
    return _read_cached(raw, shape) if len(raw) <= CACHED_WORD_LENGTH else _read(raw, shape)


def _read(raw: str, shape: Shape) -> Reads:
    spelling = _spell(raw)
    if shape is Shape.PLAIN:
        readings, width = _plain(spelling)
    elif shape is Shape.SHARP:
        readings, width = _sharp(spelling)
    elif shape is Shape.GROUPED:
        readings, width = _grouped(spelling)
    elif shape is Shape.ARXIV:
        readings, width = _arxiv(spelling)
    else:
        readings, width = _address(spelling, shape)
    unique: dict[tuple[str, int], Reading] = {}
    for reading in readings:
        if reading.term:
            unique.setdefault((reading.key, reading.step), reading)
    ordered = tuple(sorted(unique.values(), key=lambda reading: reading.step))
    keys, steps = tuple([reading.key for reading in ordered]), tuple([reading.step for reading in ordered])
    return Reads(ordered, keys, steps, width)


_read_cached = lru_cache(CACHE_SIZE)(_read)


def _spell(raw: str) -> _Spelling:
    """Canonical characters; a line end inside the word goes, its hyphen stays."""
    if raw.isascii() and "\n" not in raw:
        offsets = tuple(range(len(raw) + 1))
        return _Spelling(raw, offsets[:-1], offsets[1:], False)
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for form, start, end in clusters(raw):
        for letter in form:
            if not letter.isspace():
                letters.append(letter)
                starts.append(start)
                ends.append(end)
    return _Spelling("".join(letters), tuple(starts), tuple(ends), "\n" in raw)


def _term(text: str) -> str:
    """Case and optional vowel signs removed."""
    if text.isascii():
        return text.lower()[:TERM_LENGTH_LIMIT]
    return strip_vowel_signs(unicodedata.normalize("NFKC", text.casefold()))[:TERM_LENGTH_LIMIT]


def _reading(spelling: _Spelling, form: Form, step: int, term: str | None = None) -> Reading:
    return Reading(_term(spelling.text) if term is None else term, form, step, spelling.starts[0], spelling.ends[-1])


def _plain(spelling: _Spelling) -> tuple[list[Reading], int]:
    """An ordinary run, cut where CJK and other scripts meet."""
    text = spelling.text
    if text.isascii() or not _CJK.search(text):
        # Most words of a text have no joints to look for.
        return (_simple(spelling, Form.EXACT, 0), 1) if text.isalnum() else _compound(spelling)
    readings: list[Reading] = []
    width = cursor = 0
    for match in _CJK.finditer(text):
        for found, steps in (
            _compound(spelling.cut(cursor, match.start())),
            _cjk(spelling.cut(match.start(), match.end())),
        ):
            readings += [_moved(reading, width) for reading in found]
            width += steps
        cursor = match.end()
    found, steps = _compound(spelling.cut(cursor, len(text)))
    return readings + [_moved(reading, width) for reading in found], width + steps


def _moved(reading: Reading, steps: int, form: Form | None = None) -> Reading:
    return Reading(reading.term, form or reading.form, reading.step + steps, reading.start, reading.end)


def _cjk(spelling: _Spelling) -> tuple[list[Reading], int]:
    """Every character and every adjacent pair: two-character words, kana inside a run and Korean stems are found."""
    text, starts, ends = spelling.text, spelling.starts, spelling.ends
    last = len(text) - 1
    if not last:
        return [Reading(text, Form.EXACT, 0, starts[0], ends[0])], 1
    readings: list[Reading] = []
    for step in range(last):
        readings.append(Reading(text[step], Form.CJK, step, starts[step], ends[step]))
        readings.append(Reading(text[step : step + 2], Form.CJK, step, starts[step], ends[step + 1]))
    readings.append(Reading(text[last], Form.CJK, last, starts[last], ends[last]))
    return readings, last + 1


def _stripped(spelling: _Spelling) -> _Spelling:
    """Without the joints at its ends."""
    text = spelling.text
    start = len(text) - len(text.lstrip(_EDGES))
    return spelling.cut(start, max(start, len(text.rstrip(_EDGES))))


def _compound(spelling: _Spelling) -> tuple[list[Reading], int]:
    """Whole, then its parts one step each, where a hyphen, underscore or dot shows the joints."""
    whole = _stripped(spelling)
    if not whole.text:
        return [], 0
    pieces = _pieces(whole)
    if len(pieces) < 2 or _is_decimal(whole.text):
        return _simple(whole, Form.EXACT, 0), 1
    readings = [_reading(whole, Form.EXACT, 0)]
    for step, piece in enumerate(pieces):
        readings += _simple(piece, Form.PART, step)
    joined = _joined(whole.text, [piece.text for piece in pieces])
    if joined:
        readings.append(_reading(whole, Form.FOLDED, 0, _term(joined)))
        if whole.broken:
            readings += _stems(whole, fold_diacritics(_term(joined)), 0)
    return readings, len(pieces)


def _pieces(whole: _Spelling) -> list[_Spelling]:
    borders = [(match.start(), match.end()) for match in _NOT_WORD.finditer(whole.text)]
    starts = [0, *(end for _, end in borders)]
    ends = [*(start for start, _ in borders), len(whole.text)]
    pieces = [_stripped(whole.cut(start, end)) for start, end in zip(starts, ends, strict=True)]
    return [piece for piece in pieces if piece.text]


def _is_decimal(text: str) -> bool:
    """One dot between digits: 3.14 is a number, and its 14 means nothing; 1.2.3 has parts."""
    left, dot, right = text.partition(".")
    return bool(dot) and left.isdigit() and right.isdigit()


def _joined(whole: str, pieces: list[str]) -> str:
    """e-mail as email, GPT-4 as GPT4, U.S.A. as USA; nothing for long compounds, numbers and names with underscores."""
    if "_" in whole or all(piece.isdigit() for piece in pieces):
        return ""
    initials = "-" not in whole and all(len(piece) == 1 for piece in pieces)
    hyphenated = "." not in whole and len(pieces) <= _JOINED_PARTS_LIMIT
    return "".join(pieces) if initials or hyphenated else ""


def _simple(spelling: _Spelling, form: Form, step: int) -> list[Reading]:
    """One word without joints: itself, its camelCase parts, without apostrophe, without accents, and its stem."""
    main = _reading(spelling, form, step)
    readings = [main, *_camel_parts(spelling, step)]
    if "'" in main.term:
        return readings + _apostrophe_forms(spelling, step)
    folded = fold_diacritics(main.term)
    if folded != main.term:
        readings.append(_reading(spelling, Form.FOLDED, step, folded))
    return readings + _stems(spelling, folded, step)


def _camel_parts(spelling: _Spelling, step: int) -> list[Reading]:
    """GetUserId -> get, user, id: on the step of the word, for no gap is seen and lower-case queries hold none."""
    text = spelling.text
    if len(text) < _CAMEL_WORD_LENGTH or not text.isascii() or text.islower() or text.isupper():
        return []
    borders = [0, *(match.start() for match in _CAMEL.finditer(text)), len(text)]
    pieces = [spelling.cut(start, end) for start, end in pairwise(borders)]
    if len(pieces) < 2 or any(len(piece.text) < 2 for piece in pieces):
        return []
    readings: list[Reading] = []
    for piece in pieces:
        part = _reading(piece, Form.PART, step)
        readings += [part, *_stems(piece, part.term, step)]
    return readings


def _apostrophe_forms(spelling: _Spelling, step: int) -> list[Reading]:
    """Holmes's -> holmes; l'homme -> homme; don't -> dont; O'Brien -> obrien, brien."""
    readings = [_reading(spelling, Form.FOLDED, step, fold_diacritics(_term(spelling.text.replace("'", ""))))]
    cursor = 0
    pieces: list[_Spelling] = []
    for text in spelling.text.split("'"):
        pieces.append(spelling.cut(cursor, cursor + len(text)))
        cursor += len(text) + 1
    contracted = len(pieces) == 2 and pieces[1].text.lower() in _TAILS - {"s"}
    for piece in pieces:
        if len(piece.text) > 1 and piece.text.lower() not in _TAILS and not contracted:
            readings += _simple(piece, Form.PART, step)
    return readings


def _stems(spelling: _Spelling, word: str, step: int) -> list[Reading]:
    """Always where a stem makes sense, also when it equals the word.

    So a document with the exact word holds every key of one with another inflection, and more: exact scores higher
    whatever the document frequencies are.
    """
    if len(word) < 3 or word in FUNCTION_WORDS:
        return []
    if _ARABIC.fullmatch(word):
        return [_reading(spelling, Form.STEM, step, _arabic_stem(word))]
    if not (word.isascii() and word.isalpha()):
        return []
    return [_reading(spelling, Form.STEM, step, stem(word))]


def _sharp(spelling: _Spelling) -> tuple[list[Reading], int]:
    """C++17 -> c++17, c++, c; C# -> c#, c."""
    letters = len(spelling.text.rstrip("+#0123456789"))
    family = len(spelling.text.rstrip("0123456789"))
    cuts = (spelling.cut(0, family), spelling.cut(0, letters))
    return [_reading(spelling, Form.EXACT, 0), *(_reading(cut, Form.PART, 0) for cut in cuts)], 1


def _grouped(spelling: _Spelling) -> tuple[list[Reading], int]:
    """1,024 -> itself and 1024."""
    whole = _reading(spelling, Form.EXACT, 0)
    return [whole, _reading(spelling, Form.FOLDED, 0, whole.term.replace(",", ""))], 1


def _arxiv(spelling: _Spelling) -> tuple[list[Reading], int]:
    """An id names a paper with or without its version."""
    readings = [_reading(spelling, Form.EXACT, 0)]
    version = _VERSION.search(spelling.text)
    if version:
        readings.append(_reading(spelling.cut(0, version.start()), Form.PART, 0))
    return readings, 1


def _address(spelling: _Spelling, shape: Shape) -> tuple[list[Reading], int]:
    """A URL, e-mail or DOI: whole without scheme, the ids inside it, then its words one after another."""
    text = spelling.text
    start = _ADDRESS_START.match(text).end() if shape is Shape.URL else 0  # type: ignore[union-attr]  # always matches
    body = spelling.cut(start, max(start + 1, len(text.rstrip("/"))))
    if not body.text:
        return [], 0
    readings = [_reading(body, Form.EXACT, 0)]
    if shape is Shape.URL:
        for match in (*_DOI.finditer(text), *_ARXIV.finditer(text)):
            readings += [_moved(found, 0, Form.PART) for found in _arxiv(spelling.cut(match.start(), match.end()))[0]]
    width = 0
    for count, match in enumerate(plain_pattern().finditer(body.text)):
        if count == ADDRESS_WORDS_LIMIT:
            break
        found, steps = _plain(body.cut(match.start(), match.end()))
        readings += [_moved(reading, width, Form.PART if reading.form is Form.EXACT else None) for reading in found]
        width += steps
    return readings, max(width, 1)
