"""A parsed sentence in, its clauses out: a verb, who does it, and how it is meant; and proposals made from them.

A clause is where most families begin: they match its verb and what stands around it. Sentences that are too long, or
whose subject is vague, give fewer clauses; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from trisynapse_memory.extraction.moods import Mood, mood_of
from trisynapse_memory.extraction.phrases import NOUNS, OF, conjuncts, is_vague, noun_phrase, whole_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.vocabulary import RAISING_DOUBT, RAISING_FACT, RAISING_FAILURE
from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.types import Proposal

_ANAPHORS: Final = frozenset(("it", "they"))
_ANAPHORIC_NOUNS: Final = frozenset(
    """algorithm approach architecture drug framework library method model network procedure system technique
    tool""".split()
)
_RAISING: Final = RAISING_DOUBT | RAISING_FACT | RAISING_FAILURE | frozenset(("likely", "unlikely"))


BEHIND_SUBJECT: Final = OF | frozenset(
    "at between by for from in into near on over through to towards under with within".split()
)
"""Between a subject and its verb a phrase has nothing else to belong to."""

_NAMING: Final = NOUNS | frozenset(("NUM", "SYM", "X", "VERB"))
_LEAST: Final = 0.01  # a confidence is above 0


class Clause(NamedTuple):
    """One verb with its subjects, as phrases; ``is_passive`` tells which side they are on."""

    verb: int
    lemma: str
    is_passive: bool
    subjects: tuple[Phrase, ...]
    subject_head: int | None
    mood: Mood


@lru_cache(maxsize=4)  # The families read one sentence after the other and all begin here.
def clauses_of(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses of a sentence that assert something, in reading order.

    Participles behind a noun ("models trained on X") and relative clauses have that noun as their subject.
    """
    return tuple(_clauses(sentence))


def _clauses(sentence: Sentence) -> Iterator[Clause]:
    for verb, word in enumerate(sentence.words):
        if word.pos not in {"VERB", "AUX"} or word.dep in {"aux", "auxpass"}:
            continue
        mood = mood_of(sentence, verb)
        if mood is None:
            continue
        head, is_passive = subject_head(sentence, verb)
        yield Clause(verb, word.lemma.lower(), is_passive, subjects_of(sentence, head), head, mood)


def subject_head(sentence: Sentence, verb: int) -> tuple[int | None, bool]:
    """Return the noun that is the subject of a verb, if any, and whether the verb is passive.

    A joined verb shares the subject of the first, a raised infinitive that of its governor ("was found to cause").
    """
    words = sentence.words
    is_passive = sentence.child(verb, "nsubjpass", "auxpass") is not None
    own = sentence.child(verb, "nsubj", "nsubjpass", "csubj", "csubjpass")
    if own is not None:
        if words[own].lower in {"which", "that", "who"} and words[verb].dep == "relcl":
            return words[verb].head, is_passive
        return own, is_passive
    above = words[verb].head
    if words[verb].dep == "acl" and words[verb].tag in {"VBN", "VBD", "VBG"} and words[above].pos in NOUNS:
        return above, words[verb].tag != "VBG"
    if words[verb].dep == "advcl" and words[verb].tag == "VBN" and sentence.child(verb, "aux", "mark") is None:
        return subject_head(sentence, above)[0], True
    if words[verb].dep == "conj" and words[above].pos in {"VERB", "AUX"}:
        subject, above_passive = subject_head(sentence, above)
        return subject, is_passive or (above_passive and words[verb].tag == "VBN")
    if words[verb].dep == "xcomp" and words[above].lemma.lower() in _RAISING:
        subject, _ = subject_head(sentence, above)
        return (None if sentence.child(above, "dobj") is not None else subject), is_passive
    return None, is_passive


def subjects_of(sentence: Sentence, head: int | None) -> tuple[Phrase, ...]:
    """Return the phrases of a subject and of what "and" joins to it; a pronoun gives what it clearly stands for."""
    if head is None:
        return ()
    anaphor = _resolved(sentence, head)
    if anaphor is not None:
        return (anaphor,)
    if sentence.words[head].dep in {"csubj", "csubjpass"}:
        gerund = whole_phrase(sentence, head) if sentence.words[head].tag == "VBG" else None
        return (gerund,) if gerund else ()
    tails = BEHIND_SUBJECT if sentence.words[head].dep in {"nsubj", "nsubjpass"} else OF
    return phrases_of(sentence, conjuncts(sentence, head), tails)


def phrases_of(sentence: Sentence, heads: list[int], tails: frozenset[str] = OF) -> tuple[Phrase, ...]:
    """Return the noun phrases of these heads that name something."""
    found = (noun_phrase(sentence, head, tails) for head in heads if sentence.words[head].pos in _NAMING)
    return tuple(phrase for phrase in found if phrase is not None and not is_vague(phrase.text))


def objects_of(sentence: Sentence, head: int | None) -> tuple[Phrase, ...]:
    """Return the phrases of an object and of what "and" joins to it; nothing where "or" leaves it open."""
    if head is None:
        return ()
    return phrases_of(sentence, conjuncts(sentence, head))


def _resolved(sentence: Sentence, head: int) -> Phrase | None:
    """The antecedent for "It", "They" and "This method" at the start of the sentence, when it is clear.

    In "X contains A, but it does not contain B" the pronoun stands for the subject of the first clause.
    """
    inner = _subject_before(sentence, head)
    if inner is not None:
        return inner
    if not sentence.antecedent:
        return None
    word = sentence.words[head]
    first = sentence.words[0]
    if head == 0 and word.lower in _ANAPHORS:
        return Phrase(sentence.antecedent, word.start, word.end, word.text)
    if head == 1 and first.lower in {"this", "these"} and word.lemma.lower() in _ANAPHORIC_NOUNS:
        return Phrase(sentence.antecedent, first.start, word.end, f"{first.text} {word.text}")
    return None


def _subject_before(sentence: Sentence, head: int) -> Phrase | None:
    word = sentence.words[head]
    verb = word.head
    if word.lower != "it" or head == 0 or sentence.words[verb].dep != "conj":
        return None
    first = sentence.child(sentence.words[verb].head, "nsubj", "nsubjpass")
    if first is None or sentence.words[first].tag not in {"NN", "NNP"} or sentence.child(first, "conj") is not None:
        return None
    phrase = noun_phrase(sentence, first)
    return Phrase(phrase.text, word.start, word.end, word.text) if phrase and not is_vague(phrase.text) else None


def propose(
    sentence: Sentence,
    subject: Phrase,
    relation: str,
    value: Phrase,
    pattern: str,
    mood: Mood,
    qualifiers: dict[str, str] | None = None,
) -> Proposal:
    """Write one fact with the sentence as its evidence and the measured precision of its pattern as its confidence."""
    known = dict(qualifiers or {})
    if mood.speaker:
        known["speaker"] = mood.speaker
    if anaphor := subject.anaphor or value.anaphor:
        known["anaphor"] = anaphor
    return Proposal(
        seq=sentence.passage.seq,
        start=sentence.start,
        end=sentence.end,
        subject=subject.text,
        relation=relation,
        object=value.text,
        pattern=pattern,
        confidence=worth_of(pattern).precision or _LEAST,
        qualifiers=known,
        negated=mood.negated,
        hedged=mood.hedged,
    )
