"""A head noun in, the noun phrase around it out; and who does what to whom at a verb. No fact is made here.

Boundaries follow one rule, which the labelled sentences share: the head with what stands before it, without article,
and the "of" phrases behind it; what "which", "that" or another preposition adds is left out.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.vocabulary import (
    DEMONSTRATIVES,
    DETERMINERS,
    PRONOUNS,
    VAGUE_DETERMINERS,
    VAGUE_HEADS,
    WEAK_MODIFIERS,
)

OF: Final = frozenset({"of"})
NOUNS: Final = frozenset({"NOUN", "PROPN"})
_LEFT: Final = frozenset(
    ("amod", "compound", "nummod", "nmod", "poss", "quantmod", "npadvmod", "punct", "case", "preconj", "prep")
)
_QUOTES: Final = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb`*_"
_EDGES: Final = " ,;:.\u2013\u2014-()[]" + _QUOTES
_ACRONYM: Final = re.compile(r"[^\W\d_a-z]{2,}")
_NUMERAL: Final = re.compile(r"[\d.]+[a-z]?|[ivx]+|[a-z]")
_FRONTS: Final = DETERMINERS | frozenset(("neither", "both"))
_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_OPEN_JOINTS: Final = frozenset(("or", "nor", "either", "and/or", "versus", "vs."))
_BARS: Final = frozenset(("but", "not", "than", "yet"))
_EMPTY: Final = WEAK_MODIFIERS | DETERMINERS | VAGUE_DETERMINERS
_NAMED_TAIL: Final = frozenset(("nummod", "appos", "nmod", "compound"))


def noun_phrase(sentence: Sentence, head: int, tails: frozenset[str] = OF) -> Phrase | None:
    """Return the noun phrase of a head noun as a fact would write it, or None if it cannot stand alone.

    Args:
        sentence: the parsed sentence.
        head: index of the noun (a numeral or a gerund will do).
        tails: prepositions whose phrases behind the head belong to it.

    Returns:
        The phrase without articles and quotes; None for pronouns and for phrases that begin with a demonstrative or a
        possessive, because they mean something only where they stand.
    """
    words = sentence.words
    if words[head].pos in {"PRON", "ADJ", "ADV", "DET"} or words[head].lower in PRONOUNS:
        return None
    first, last = _left_edge(sentence, head), _right_edge(sentence, head, tails)
    while first < head and (words[first].lower in _FRONTS or words[first].pos == "PUNCT" or _is_year(sentence, first)):
        first += 1
    if words[first].lower in DEMONSTRATIVES:
        return None
    return trimmed(sentence, words[first].start, words[last].end)


def _is_year(sentence: Sentence, index: int) -> bool:
    """Whether a word is the year of "In 2009 Vantage Rail ...", which parsers hang on the name behind it."""
    words = sentence.words
    return _YEAR.fullmatch(words[index].text) is not None and index > 0 and words[index - 1].lower in {"in", "since"}


def trimmed(sentence: Sentence, start: int, end: int) -> Phrase | None:
    """Return what stands between two offsets without quotes and stops at its edges; None if nothing is left."""
    text = sentence.passage.text
    opened = text[start:end].count("(") - text[start:end].count(")")
    while start < end and (text[start] in _EDGES or text[start].isspace()):
        if text[start] in "([" and opened <= 0:
            break
        start += 1
    while end > start and (text[end - 1] in _EDGES or text[end - 1].isspace()):
        if text[end - 1] in ")]" and text[start:end].count("(") >= text[start:end].count(")"):
            break
        end -= 1
    if start >= end:
        return None
    phrase = sentence.cut(start, end)
    return None if any(mark in phrase.text for mark in '\u201c\u201d"\u27e8\u27e9=') else phrase


def _left_edge(sentence: Sentence, head: int) -> int:
    """Index of the first word before the head that hangs on it without a gap."""
    first = head
    for child in reversed([one for one in sentence.children(head) if one < head]):
        word = sentence.words[child]
        below = sentence.subtree(child)
        if word.dep == "det" or (word.dep in _LEFT and (word.dep != "prep" or word.lower == "of")):
            if below[-1] != first - 1:
                break
            first = below[0]
        else:
            break
    return first


def _right_edge(sentence: Sentence, head: int, tails: frozenset[str]) -> int:
    """Index of the last word of the phrase: names' numbers and the phrases of the wanted prepositions."""
    last = head
    for child in [one for one in sentence.children(head) if one > head]:
        word = sentence.words[child]
        if child != last + 1 and _between(sentence, last, child):
            break
        if word.dep == "prep" and (word.lower in tails or word.lower == "by"):
            target = sentence.child(child, "pobj", "pcomp")
            if target is None or (word.lower not in tails and sentence.words[target].pos != "PROPN"):
                break
            if sentence.words[target].dep == "pcomp":
                return sentence.subtree(target)[-1]
            last = max(last, _object_edge(sentence, target, tails))
        elif (joint := _joined_name(sentence, head, child, last)) is not None:
            last = joint
        elif (
            (word.dep in _NAMED_TAIL and child == last + 1 and word.pos in {"NUM", "PROPN"})
            or word.dep == "case"
            or (word.text == "-" and child == last + 1)
        ):
            last = child
        else:
            break
    return last


def _joined_name(sentence: Sentence, head: int, child: int, last: int) -> int | None:
    """The end of a name with an ampersand ("Harlow & Pike"), or None."""
    if sentence.words[child].text != "&" or child != last + 1:
        return None
    joined = sentence.child(head, "conj")
    return joined if joined is not None and joined > child else None


def _object_edge(sentence: Sentence, target: int, tails: frozenset[str]) -> int:
    """Where the noun phrase of a preposition ends; "of A and B" takes both when no comma parts them."""
    edge = _right_edge(sentence, target, tails)
    joined = sentence.children(target, "conj")
    if len(joined) == 1 and sentence.words[joined[0]].pos in NOUNS:
        between = [word.lower for word in sentence.words[edge + 1 : _left_edge(sentence, joined[0])]]
        if between == ["and"]:
            return _right_edge(sentence, joined[0], tails)
    return edge


def _between(sentence: Sentence, last: int, child: int) -> bool:
    """Whether something visible stands between the phrase so far and the start of a child."""
    return sentence.subtree(child)[0] > last + 1


def whole_phrase(sentence: Sentence, head: int) -> Phrase | None:
    """Return the noun phrase with everything that hangs on it ("... of X that does Y"), for definitions."""
    below = sentence.subtree(head)
    first = _left_edge(sentence, head)
    while first < head and sentence.words[first].lower in DETERMINERS:
        first += 1
    return trimmed(sentence, sentence.words[first].start, sentence.words[below[-1]].end)


def conjuncts(sentence: Sentence, head: int) -> list[int]:
    """Return the head and the nouns that "and" (or "neither ... nor") joins to it.

    What stands behind "but not" and "rather than" is left out. Empty where "or" leaves open which one is meant.
    """
    found = [head]
    position = 0
    while position < len(found):
        one = found[position]
        barred = False
        for child in sentence.children(one, "cc", "conj", "neg"):
            word = sentence.words[child]
            if word.lower in _OPEN_JOINTS and not _is_neither(sentence, head):
                return []
            barred = barred or word.lower in _BARS or word.text == "&" or word.dep == "neg"
            if word.dep == "conj" and not barred and word.pos in NOUNS:
                found.append(child)
        position += 1
    return found


def _is_neither(sentence: Sentence, head: int) -> bool:
    """Whether the noun stands behind "neither" or is denied with its partner."""
    return any(sentence.words[child].lower == "neither" for child in sentence.children(head))


def is_vague(phrase: str) -> bool:
    """Tell whether a phrase names nothing by itself: a pronoun, "results", "the proposed method", a bare number."""
    spelled = [word for word in (word.strip(_EDGES) for word in phrase.split()) if word]
    if any(_ACRONYM.fullmatch(word) and not _NUMERAL.fullmatch(word.lower()) for word in spelled):  # WHO, IT, US
        return False
    words = [word.lower() for word in spelled]
    if not words or not any(letter.isalpha() for letter in phrase) or words[0] in DEMONSTRATIVES:
        return True
    if len(words) == 1 and len(words[0]) == 1 and phrase.islower():
        return True
    while words and words[0] in _EMPTY:
        words = words[1:]
    if len(words) < 2:
        return not words or _is_vague_word(words[0])
    if words[0] not in VAGUE_HEADS:
        return False
    numbered = all(_NUMERAL.fullmatch(word) for word in words[1:])
    return numbered or (words[1] == "of" and is_vague(" ".join(words[2:])))


def _is_vague_word(word: str) -> bool:
    singular = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub(r"ies$", "y", word))
    known = word in PRONOUNS or not VAGUE_HEADS.isdisjoint(singular)
    return known or not any(letter.isalpha() for letter in word)
