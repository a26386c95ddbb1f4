"""Two stems in, whether they may stand for each other out; a word in, whether it is a verb.

The tables lie in ``wordnet`` (made from WordNet) and ``lexicon`` (our own) and are read at the first
question. They are wider and less sure than those of ``trisynapse_memory.text.synonyms``: use them only where the roles
of all words are compared too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from trisynapse_memory.text.synonyms import IRREGULAR, base


def are_likely_synonyms(left: str, right: str) -> bool:
    """Whether two stems share a usual sense, or one is derived from the other in it."""
    near = _near()
    return right in near.get(left, ()) or left in near.get(right, ())


def likely_synonyms(word: str) -> frozenset[str]:
    """The stems that share a usual sense with a stem, or are derived from it or it from them; none where it is rare."""
    return _near().get(word, frozenset()) | _back().get(word, frozenset())


def is_mostly_verb(word: str) -> bool:
    """Whether a lower-case word, in any of its forms, is used as a verb at least as often as otherwise."""
    return _verbs().get(lemma(word), False)


def may_be_verb(word: str) -> bool:
    """Whether a lower-case word, in any of its forms, is used as a verb at all."""
    return lemma(word) in _verbs()


def is_irregular(word: str) -> bool:
    """Whether a lower-case word is an irregular form of a verb: "rebuilt"."""
    return word in _irregular() and may_be_verb(word)


def is_irregular_participle(word: str) -> bool:
    """Whether an irregular form can stand behind "was": "rebuilt" and "withdrawn", not "withdrew"."""
    return is_irregular(word) and (word.endswith(("n", "ung", "unk", "um", "one")) or _forms()[_irregular()[word]] == 1)


def lemma(word: str) -> str:
    """The stem of a lower-case word, irregular forms led back: "rebuilt" and "rebuilding" meet."""
    return base(_irregular().get(word, word))


def _lines(name: str, folder: str = "wordnet") -> Iterator[str]:
    text = files("trisynapse_memory.text.paraphrase").joinpath(folder, name).read_text("utf-8")
    return (line for line in text.splitlines() if not line.startswith("#"))


@cache
def _near() -> Mapping[str, frozenset[str]]:
    near: defaultdict[str, set[str]] = defaultdict(set)
    for row in (line.split() for line in _lines("synonyms.txt")):
        near[row[0]].update(row[1:])
    for row in (line.split() for line in _lines("near.txt", "lexicon")):
        near[base(row[0])].update(base(word) for word in row[1:])
    return MappingProxyType({word: frozenset(others) for word, others in near.items()})


@cache
def _back() -> Mapping[str, frozenset[str]]:
    back: defaultdict[str, set[str]] = defaultdict(set)
    for word, others in _near().items():
        for other in others:
            back[other].add(word)
    return MappingProxyType({word: frozenset(others) for word, others in back.items()})


@cache
def _verbs() -> Mapping[str, bool]:
    return MappingProxyType({base(word.rstrip("*")): word.endswith("*") for word in _lines("verbs.txt")})


@cache
def _irregular() -> Mapping[str, str]:
    # Forms that are words of their own ("left", "found", "saw") are read by the small table first, in ``base``.
    rows = (line.split() for line in _lines("irregular.txt"))
    return MappingProxyType({form: plain for form, plain in rows if form not in IRREGULAR})


@cache
def _forms() -> Mapping[str, int]:
    """How many irregular forms a word has."""
    return MappingProxyType(Counter(_irregular().values()))
