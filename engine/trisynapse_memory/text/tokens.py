"""A text in, its tokens with positions and offsets out; or a question in, weighted index keys out. No index is read.

The rules (engine.md 0.3, "unicode-code-v2 made right"):

* Every word takes a position under its exact form: NFKC, case folded, quotes and dashes unified, invisible characters
  and the optional vowel signs of Arabic and Hebrew removed.
* A hyphen, underscore or dot inside a word is a visible joint: the whole stands at the first position and each part
  takes a position of its own. So the phrases "state of the art" and "state-of-the-art" find both spellings, while a
  phrase that names the joined spelling ("email address") misses "e-mail address"; as words it is found. A border that
  only case shows (getUserId) takes no position: "pytorch models" finds "PyTorch models" as a phrase.
* A hyphenated word is also indexed joined (GPT-4 as gpt4; a word broken at a line end as one word).
* Exact, part, folded and CJK terms share one key space, so that a part meets the word written alone and "resume" finds
  "résumé". Stems have their own (``STEM_PREFIX``): they are added for every English content word, also where stem and
  word agree, so that an exact match always holds one key more than a match by stem.
* CJK runs give every character, each with a position, and every adjacent pair.

Limits: Thai, Lao and Khmer, which write without spaces, are not divided; stemming is English only.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from trisynapse_memory.text.shapes import scan_words, spelled_words
from trisynapse_memory.text.words import FUNCTION_WORDS, STEM_PREFIX, Form, read_word

__all__ = [
    "FORM_WEIGHTS",
    "STEM_PREFIX",
    "TOKENIZER_VERSION",
    "Form",
    "PhraseTerm",
    "QueryTerm",
    "TermCounts",
    "Token",
    "count_terms",
    "index_key",
    "phrase_terms",
    "query_terms",
    "tokenize",
]

TOKENIZER_VERSION: Final = "unicode-code-v3.1"  # Stored with every lexical index; another value means rebuild.

# Shares of a query term's BM25 score, unitless. Exact is the unit; the others are starting values for the ablation on
# the development split of the benchmark, and only their order matters to the tests.
FORM_WEIGHTS: Final = MappingProxyType(
    {Form.EXACT: 1.0, Form.CJK: 1.0, Form.FOLDED: 0.8, Form.PART: 0.5, Form.STEM: 0.4}
)
CJK_CHARACTER_WEIGHT: Final = 0.2  # One character of a longer run; its pairs carry the meaning.


@dataclass(frozen=True, slots=True)
class Token:
    """One term at one position; ``start`` and ``end`` are character offsets into the text that was given."""

    term: str
    form: Form
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One index key a question asks for; ``weight`` in (0, 1] scales its BM25 score."""

    key: str
    weight: float
    form: Form


@dataclass(frozen=True, slots=True)
class PhraseTerm:
    """One index key of a phrase and its distance in positions from the start of the phrase."""

    key: str
    offset: int


@dataclass(frozen=True, slots=True)
class TermCounts:
    """What BM25 needs of one document: how often each key occurs, and the length in positions (not in keys)."""

    frequencies: dict[str, int]
    length: int


def tokenize(text: str) -> list[Token]:
    """Cut a text into terms, to index it with positions or to highlight a match.

    Returns:
        Tokens by position; at one position the word first, then its other forms. Empty for a text without words.
    """
    tokens: list[Token] = []
    position = 0
    for word in scan_words(text):
        reads = read_word(text[word.start : word.end], word.shape)
        for reading in reads.readings:
            tokens.append(
                Token(
                    reading.term,
                    reading.form,
                    position + reading.step,
                    word.start + reading.start,
                    word.start + reading.end,
                )
            )
        position += reads.width
    return tokens


def index_key(token: Token) -> str:
    """The key under which the index stores a token; stems are kept apart from words."""
    return STEM_PREFIX + token.term if token.form is Form.STEM else token.term


def count_terms(text: str) -> TermCounts:
    """Count the keys of a document without building its tokens, which is what indexing without positions needs."""
    frequencies: dict[str, int] = {}
    length = 0
    for shape, words in spelled_words(text):
        for word in words:
            reads = read_word(word, shape)
            for key in reads.keys:
                frequencies[key] = frequencies.get(key, 0) + 1
            length += reads.width
    return TermCounts(frequencies, length)


def query_terms(text: str) -> tuple[QueryTerm, ...]:
    """The unique index keys of a question, each with the weight of its best form, in order of first appearance.

    Function words are left out as long as another word remains ("to be or not to be" keeps all of its words); one
    written in capitals among others (WHO, IT) is a name and stays.
    """
    tokens = tokenize(text)
    shouting = text.isupper()
    content = [token for token in tokens if not _is_grammar(text[token.start : token.end], shouting)]
    terms: dict[str, QueryTerm] = {}
    run_starts = _cjk_run_members(tokens)
    for token in content or tokens:
        weight = FORM_WEIGHTS[token.form]
        if token.form is Form.CJK and len(token.term) == 1 and token.position in run_starts:
            weight = CJK_CHARACTER_WEIGHT
        key = index_key(token)
        known = terms.get(key)
        if known is None or known.weight < weight:
            terms[key] = QueryTerm(key, weight, token.form)
    return tuple(terms.values())


def _is_grammar(word: str, shouting: bool) -> bool:
    if not shouting and len(word) > 1 and word.isupper():
        return False
    return word.lower().replace("\u2019", "'") in FUNCTION_WORDS


def _cjk_run_members(tokens: list[Token]) -> frozenset[int]:
    return frozenset(token.position for token in tokens if token.form is Form.CJK)


def phrase_terms(text: str) -> tuple[PhraseTerm, ...]:
    """The keys that must stand at consecutive positions where this phrase occurs, the finest ones for compounds."""
    tokens = tokenize(text)
    by_position: dict[int, list[Token]] = {}
    for token in tokens:
        by_position.setdefault(token.position, []).append(token)
    positions = sorted(by_position)
    terms: list[PhraseTerm] = []
    for position in positions:
        here = by_position[position]
        following = by_position.get(position + 1)
        # A whole that reaches over the next position is a compound; its first part stands behind it.
        covers = following is not None and here[0].end > following[0].start
        token = here[1] if covers and len(here) > 1 else here[0]
        terms.append(PhraseTerm(index_key(token), position - positions[0]))
    return tuple(terms)
