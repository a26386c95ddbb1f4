"""A table of verbs in, facts out: each row tells which words around a verb are subject and object of a relation.

Voice is turned right ("B is outperformed by A" reads as "A outperforms B"), "and" gives one fact for each side, and
what no row names gives nothing. Two tiers come out under two pattern names: the plain one, and the same name with
``.loose`` where the clause is of a kind that parsers often misread.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import front_scope
from trisynapse_memory.extraction.clauses import Clause, clauses_of, objects_of, propose
from trisynapse_memory.extraction.phrases import NOUNS
from trisynapse_memory.extraction.qualifying import qualifiers_of
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.tiers import is_past_state, is_plain
from trisynapse_memory.scoring.relations import Nature, relation_of
from trisynapse_memory.types import Proposal


class Shape(StrEnum):
    """How a verb takes its object."""

    DIRECT = "direct"
    """As in "A uses B", "B is used by A"."""
    BEHIND = "behind"
    """As in "A relies on B", "A is based on B": a preposition, whatever the voice."""
    GIVEN = "given"
    """As in "A is trained on B", "we train A on B": passive with a preposition, or the active form of it."""
    QUALITY = "quality"
    """As in "A is better than B": a copula, an adjective, a preposition."""


class Frame(NamedTuple):
    """One way to say a relation: a verb (or an adjective), its shape, and the prepositions it takes ("on|upon").

    ``turned`` swaps the sides ("A owns B" says that B is owned by A); the facts of a ``weak`` one are never of the
    plain tier, because the verb has other meanings.
    """

    lemma: str
    shape: Shape
    relation: str
    prepositions: str = ""
    turned: bool = False
    weak: bool = False


class Match(NamedTuple):
    """What a frame found in a clause: both sides as phrases."""

    subjects: tuple[Phrase, ...]
    objects: tuple[Phrase, ...]


_NARROWED: Final = frozenset("causes improves increases outperforms prevents reduces".split())
"""Effects and comparisons: they hold under what a sentence begins with ("With few labels, A improves B")."""
_LONGEST_SCOPE: Final = 8  # words; a longer one is a clause of its own
_DEEPEST: Final = 3  # phrases behind phrases; further ones belong to something else
_PREPOSITION_NOUNS: Final = frozenset(("top", "behalf", "front", "spite"))
_COPULAS: Final = frozenset(("be", "become", "remain", "perform", "do", "work", "fare", "form", "make", "give"))
_QUALITIES: Final = ("acomp", "attr", "advmod", "prep", "dobj")


def by_lemma(*rows: Frame) -> Mapping[str, tuple[Frame, ...]]:
    """Group rows by verb (or adjective), so that a clause finds its own at once."""
    grouped: dict[str, tuple[Frame, ...]] = {}
    for row in rows:
        grouped[row.lemma] = (*grouped.get(row.lemma, ()), row)
    return grouped


def find_framed(sentence: Sentence, frames: Mapping[str, tuple[Frame, ...]], pattern: str) -> Iterator[Proposal]:
    """Yield the facts that the clauses of a sentence state by these frames.

    Args:
        sentence: the parsed sentence.
        frames: rows of ``by_lemma``.
        pattern: name of the plain tier; the other adds ``.loose``.
    """
    if not any(word.lemma.lower() in frames or word.lower in frames for word in sentence.words):
        return
    for clause in clauses_of(sentence):
        for frame in _frames_of(sentence, clause, frames):
            match = _matched(sentence, clause, frame)
            if match is not None:
                yield from _facts(sentence, clause, frame, match, pattern)


def _frames_of(sentence: Sentence, clause: Clause, frames: Mapping[str, tuple[Frame, ...]]) -> Iterator[Frame]:
    for frame in frames.get(clause.lemma, ()):
        if frame.shape is not Shape.QUALITY:
            yield frame
    if clause.lemma in _COPULAS:
        for child in sentence.children(clause.verb, *_QUALITIES):
            for frame in frames.get(sentence.words[child].lower, ()):
                if frame.shape is Shape.QUALITY:
                    yield frame


def _matched(sentence: Sentence, clause: Clause, frame: Frame) -> Match | None:
    """The two sides in the order of the relation, or None when the clause does not have this shape."""
    subjects, objects = _sides(sentence, clause, frame)
    if not subjects or not objects:
        return None
    if relation_of(frame.relation).nature is Nature.STATE and is_past_state(sentence, clause.verb):
        return None
    return Match(objects, subjects) if frame.turned else Match(subjects, objects)


def _sides(sentence: Sentence, clause: Clause, frame: Frame) -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    """Who and what, in the order of the active voice; an empty side means that the clause has another shape."""
    verb = clause.verb
    if frame.shape is Shape.DIRECT:
        if clause.is_passive:
            return objects_of(sentence, _agent(sentence, verb)), clause.subjects
        return clause.subjects, objects_of(sentence, direct_object(sentence, verb))
    value = objects_of(sentence, _value_head(sentence, clause, frame))
    if frame.shape is Shape.GIVEN and not clause.is_passive:
        return (_given_objects(sentence, verb) if clause.subject_head is not None else ()), value
    if frame.shape is Shape.BEHIND and not clause.is_passive and sentence.child(verb, "dobj") is not None:
        return (), ()
    return clause.subjects, value


def _value_head(sentence: Sentence, clause: Clause, frame: Frame) -> int | None:
    """The noun behind the frame's preposition, on the verb or on the adjective that carries the meaning."""
    if frame.shape is Shape.QUALITY:
        for child in sentence.children(clause.verb, *_QUALITIES):
            if sentence.words[child].lower == frame.lemma:
                found = behind(sentence, child, frame.prepositions)
                return found if found is not None else behind(sentence, clause.verb, frame.prepositions)
    return behind(sentence, clause.verb, frame.prepositions)


def _given_objects(sentence: Sentence, verb: int) -> tuple[Phrase, ...]:
    """What "we train X" trains; "X, which we train" says it from outside."""
    target = direct_object(sentence, verb)
    if target is not None and sentence.words[target].lower in {"which", "that"}:
        target = sentence.words[verb].head
    return objects_of(sentence, target)


def direct_object(sentence: Sentence, verb: int) -> int | None:
    """Return the direct object, also an unknown noun right behind the verb that the parser took for an adverb."""
    found = sentence.child(verb, "dobj")
    if found is not None:
        return found
    return next(
        (
            child
            for child in sentence.children(verb, "advmod", "npadvmod", "oprd")
            if child == verb + 1 and sentence.words[child].pos in NOUNS
        ),
        None,
    )


def _agent(sentence: Sentence, verb: int) -> int | None:
    """The noun behind "by" of a passive; a time or a manner ("by 2030", "by hand") is none."""
    by = sentence.child(verb, "agent")
    return sentence.child(by, "pobj") if by is not None else behind(sentence, verb, "by")


def behind(sentence: Sentence, index: int, prepositions: str) -> int | None:
    """Return the noun behind one of these prepositions ("on|upon") of a verb, an adjective or a noun, or None.

    A phrase behind another phrase counts too ("pretrained with Adam on BooksCorpus"): parsers hang it on either.
    """
    wanted = prepositions.split("|")
    waiting = [index]
    for depth in range(_DEEPEST):
        following: list[int] = []
        for spoken, target in _phrases_behind(sentence, waiting, index):
            if spoken in wanted and (depth == 0 or spoken != "of"):
                return target
            if spoken != "of":
                following.append(target)
        waiting = [*following, *sentence.children(index, "dobj")] if depth == 0 else following
    return None


def _phrases_behind(sentence: Sentence, owners: list[int], first: int) -> Iterator[tuple[str, int]]:
    """Each preposition behind these words, as spoken ("on top of" is one), with the noun behind it."""
    for owner in owners:
        for prep in sentence.children(owner, "prep", "agent", "prt", "dative"):
            if prep < first:
                continue
            spoken = sentence.words[prep].lower
            target, inner = sentence.child(prep, "pobj", "pcomp"), sentence.child(prep, "prep")
            if target is not None and sentence.words[target].lower in _PREPOSITION_NOUNS:
                spoken, inner, target = f"{spoken} {sentence.words[target].lower}", sentence.child(target, "prep"), None
            if target is None and inner is not None:
                spoken, target = f"{spoken} {sentence.words[inner].lower}", sentence.child(inner, "pobj")
            if target is not None:
                yield spoken, target


def _scope(sentence: Sentence, clause: Clause) -> dict[str, str]:
    """What a phrase at the front of the sentence narrows the clause to, however long that is."""
    verb = clause.verb
    while sentence.words[verb].dep == "ccomp":
        verb = sentence.words[verb].head
    head = sentence.child(verb, "nsubj", "nsubjpass")
    return front_scope(sentence, head, sys.maxsize) if head is not None else {}


def _facts(sentence: Sentence, clause: Clause, frame: Frame, match: Match, pattern: str) -> Iterator[Proposal]:
    qualifiers = qualifiers_of(sentence, clause.verb)
    pairs = [(subject, value) for subject in match.subjects for value in match.objects]
    plain = not frame.weak and all(is_plain(sentence, clause, subject, value) for subject, value in pairs)
    if frame.relation in _NARROWED:
        scope = _scope(sentence, clause)
        plain = plain and max((len(said.split()) for said in scope.values()), default=0) <= _LONGEST_SCOPE
        known = " ".join(qualifiers.values())
        qualifiers = {key: said for key, said in scope.items() if said not in known} | qualifiers
    name = pattern if plain else f"{pattern}.loose"
    for subject, value in pairs:
        if subject.text.casefold() != value.text.casefold():
            own = {key: said for key, said in qualifiers.items() if said not in f"{subject.text}\n{value.text}"}
            yield propose(sentence, subject, frame.relation, value, name, clause.mood, own)
