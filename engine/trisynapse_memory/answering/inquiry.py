"""A question and the statistics of the searched records in, what it asks about out. No passage is read here."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from msgspec import Struct

from trisynapse_memory.answering.answer_types import Expected, Sought, read_sought
from trisynapse_memory.scoring.bm25 import idf
from trisynapse_memory.text.exact_terms import without_possessives
from trisynapse_memory.text.paraphrase.thesaurus import likely_synonyms
from trisynapse_memory.text.spelling import near_spellings
from trisynapse_memory.text.synonyms import likes_of
from trisynapse_memory.text.tokens import STEM_PREFIX, Form, Token, count_terms, index_key, tokenize
from trisynapse_memory.text.words import FUNCTION_WORDS

# Of a word's weight, where a text has only another form or a synonym of it. XQuAD: 1.0, 0.85 and 0.7 for the stem
# differ by .004 in AUROC of the coverage, 0, 0.4 and 0.7 for the synonym by .001.
STEM_SHARE: Final = 0.85
SYNONYM_SHARE: Final = 0.4
UNKNOWN_WEIGHT: Final = 1.0  # of a word, where no statistics were handed in
NAMED_WEIGHT: Final = 2.0  # the same for a name or number
KEPT_TEXTS: Final = 1024  # passages and sentences of some ten questions, about 10 MB
# They steer the answer's type and are hardly ever in the sentence that answers.
_FRAME: Final = frozenset(
    """much many long far old often kind type sort name called give tell say according please percent percentage
    entity according mentioned listed show shows shown document paper article page""".split()
)


class Statistics(Struct, frozen=True, kw_only=True):
    """What an answer needs to know of the searched records: how rare words are, and what was not searched.

    ``frequencies`` are records per index key (``LexicalReader.frequencies``), ``record_count`` those in scope (0: not
    known). ``outside`` are titles of sources outside the chosen scope that hold words of the question, ``unreadable``
    titles of some of the ``unreadable_count`` sources in scope that could not be read.
    """

    frequencies: dict[str, int] = {}
    record_count: int = 0
    outside: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    unreadable_count: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """One content word of a question; ``keys`` are its index keys and ``weight`` its idf (> 0, natural log)."""

    text: str
    keys: frozenset[str]
    weight: float
    is_name: bool
    is_number: bool
    in_store: bool
    is_exact: bool = False  # An identifier: a part of it is not it.

    stems: frozenset[str] = frozenset()  # Index keys of its stem.
    likes: frozenset[str] = frozenset()  # Index keys of its synonyms; none for names, numbers and identifiers.

    def share(self, text: TextKeys) -> float:
        """How far a text has the word: 1, ``STEM_SHARE`` in another form, ``SYNONYM_SHARE`` by a synonym, or 0."""
        if not self.keys.isdisjoint(text.frequencies):
            return 1.0
        if not self.stems.isdisjoint(text.frequencies):
            return STEM_SHARE
        return SYNONYM_SHARE if self.likes and not self.likes.isdisjoint(text.frequencies) else 0.0


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question taken apart: its content words in order, the type of its answer, and the speakers it names."""

    question: str
    words: tuple[Word, ...]
    sought: Sought
    people: frozenset[str] = frozenset()

    @property
    def expected(self) -> Expected:
        """The type of thing the question asks for."""
        return self.sought.expected

    @property
    def total(self) -> float:
        """The weight of all words; what a coverage is a share of."""
        return sum(word.weight for word in self.words)

    def coverage(self, *texts: TextKeys) -> float:
        """The share of the question's weight that texts have together, in [0, 1]; 0 for one without content words."""
        total = self.total
        if not total:
            return 0.0
        return sum(word.weight * max(word.share(text) for text in texts) for word in self.words) / total

    def about(self, speakers: frozenset[str]) -> Inquiry:
        """The same question where some of the names are speakers: a turn says "I", so they count for no coverage."""
        named = {_plain_name(word.text): word for word in self.words}
        people = frozenset(name for name in speakers if not named.keys().isdisjoint(_name_forms(name)))
        gone = {form for name in people for form in _name_forms(name)}
        words = tuple(word for word in self.words if _plain_name(word.text) not in gone)
        return replace(self, words=words or self.words, people=people)

    def respelled(self, texts: Sequence[TextKeys]) -> Inquiry:
        """The same question where a word that no record has also counts as what it is a misspelling of in the texts."""
        if all(word.in_store or word.is_exact for word in self.words):
            return self
        keys = {key for text in texts for key in text.frequencies}
        return replace(self, words=tuple(_respelled(word, keys) for word in self.words))

    def covered(self, text: TextKeys) -> frozenset[int]:
        """The indices of the words a text has."""
        return frozenset(index for index, word in enumerate(self.words) if word.share(text) > 0)


def _respelled(word: Word, keys: Set[str]) -> Word:
    """The word with the index keys that it, or its stem, is probably a misspelling of."""
    if word.in_store or word.is_exact or word.is_number:
        return word
    plain = {key for key in keys if not key.startswith(STEM_PREFIX)}
    stems = {key.removeprefix(STEM_PREFIX) for key in keys - plain}
    near = near_spellings(word.text.lower(), plain)
    for own in word.stems:
        near |= {STEM_PREFIX + other for other in near_spellings(own.removeprefix(STEM_PREFIX), stems)}
    return replace(word, stems=word.stems | near) if near else word


def _plain_name(text: str) -> str:
    return text.lower().replace("\u2019", "'").removesuffix("'s")


def _name_forms(name: str) -> frozenset[str]:
    return frozenset(name.lower().split())


@dataclass(frozen=True, slots=True)
class TextKeys:
    """How often each index key is in a text, and its length in positions: made once and asked for many words."""

    frequencies: dict[str, int]
    length: int

    @classmethod
    def of(cls, text: str) -> TextKeys:
        """Count a text; the last ones are remembered, for a second round and the next question read them again."""
        return _counted(text)


@lru_cache(KEPT_TEXTS)
def _counted(text: str) -> TextKeys:
    counted = count_terms(text)
    return TextKeys(counted.frequencies, counted.length)


# Told to whoever answers, not asked of a source: "Give me an integer.", "Please write the answer in float format."
_INSTRUCTION: Final = re.compile(
    r"(?:(?<=[?.!])|(?<=,))\s*(?:please\s+)?(?:give|return|write|answer|format|list|express|enumerate)\b"
    r"(?=[^?]*\b(?:answer|answers|integer|float|string|format|list|me|them|it|yes|no)\b)[^?]*$|\s*\((?:give|return)\b[^)]*\)",
    re.IGNORECASE,
)


def read_question(question: str, statistics: Statistics, rare_terms: Sequence[str] = ()) -> Inquiry:
    """Take a question apart, each word with its weight, so that passages can be measured against it.

    Args:
        question: as it was asked.
        statistics: how rare its words are.
        rare_terms: index keys that must stand as they are (``QueryPlan.rare_terms``); parts of them do not count.
    """
    asked = without_possessives(_INSTRUCTION.sub("", question).strip() or question)
    words: list[Word] = []
    inside = 0  # Where the last identifier ends: its parts, on the positions behind, are no words of their own.
    for position, tokens in _by_position(asked):
        tokens = [token for token in tokens if token.start >= inside]
        exact = [token for token in tokens if index_key(token) in rare_terms and token.form is Form.EXACT]
        if exact:
            inside = exact[0].end
        word = _word(asked, position, exact or tokens, statistics) if tokens else None
        if word is not None and all(word.keys != other.keys for other in words):
            words.append(replace(word, is_exact=bool(exact)))
    framed = [word for word in words if word.text.lower() not in _FRAME]
    return Inquiry(question, tuple(framed or words), read_sought(asked))


def _by_position(question: str) -> list[tuple[int, list[Token]]]:
    groups: dict[int, list[Token]] = {}
    for token in tokenize(question):
        groups.setdefault(token.position, []).append(token)
    return sorted(groups.items())


def _word(question: str, position: int, tokens: list[Token], statistics: Statistics) -> Word | None:
    longest = max(tokens, key=lambda token: token.end - token.start)
    text = question[longest.start : longest.end]
    bare = text.lower().replace("\u2019", "'")
    if bare in FUNCTION_WORDS and not (len(text) > 1 and text.isupper() and not question.isupper()):
        return None
    forms = [token for token in tokens if token.form is not Form.CJK or len(token.term) > 1] or tokens
    keys = frozenset(index_key(token) for token in forms)
    is_number = any(letter.isdigit() for letter in text)
    is_name = not is_number and text[:1].isupper() and position > 0
    weight, known = _weight(keys, statistics, is_name or is_number)
    stems = frozenset(key for key in keys if key.startswith(STEM_PREFIX))
    bases = [key.removeprefix(STEM_PREFIX) for key in stems]
    likes = frozenset(STEM_PREFIX + like for one in bases for like in likes_of(one) | likely_synonyms(one))
    exact = is_name or is_number
    return Word(
        text, keys - stems, weight, is_name, is_number, known, stems=stems, likes=frozenset() if exact else likes
    )


def _weight(keys: frozenset[str], statistics: Statistics, exact: bool) -> tuple[float, bool]:
    if not statistics.record_count:
        return (NAMED_WEIGHT if exact else UNKNOWN_WEIGHT), True
    # The most common of its forms: the stem, where there is one. Rarer spellings would make every word look rare.
    frequency = min(max(statistics.frequencies.get(key, 0) for key in keys), statistics.record_count)
    return idf(frequency, statistics.record_count), frequency > 0
