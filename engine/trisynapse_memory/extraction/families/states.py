"""A sentence in, the status and the version of things out: has_status, has_version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.frames import behind
from trisynapse_memory.extraction.phrases import noun_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "named"

_STATUSES: Final = frozenset(
    """active approved archived blocked cancelled canceled closed complete completed delayed deprecated discontinued
    done finished frozen green amber halted inactive obsolete ongoing open overdue paused pending postponed red rejected
    released resolved retired shelved stalled stopped suspended terminated withdrawn""".split()
)
_AMBIGUOUS: Final = frozenset(
    "active closed complete done finished frozen open released resolved stalled stopped".split()
)
"""Words that describe other things than a state of work too ("the calculus is complete")."""
_STATUS_PHRASES: Final = re.compile(
    r"(on hold|on track|in progress|in beta|under review|at risk|behind schedule|ahead of schedule|in production"
    r"|in development|out of support|up and running)\b"
)
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+(?:-?[a-z]+\.?\d*)?|v\d+", re.IGNORECASE)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield statuses of named things ("Project Atlas is on hold") and current versions ("... of X is 2.1")."""
    for clause in clauses_of(sentence):
        if clause.subject_head is None:
            continue
        yield from _statuses(sentence, clause)
        yield from _versions(sentence, clause)


def _statuses(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    value = _status_of(sentence, clause)
    if value is None:
        return
    owner = _owner(sentence, clause.subject_head, "status")
    subjects = (owner,) if owner else clause.subjects
    for subject in subjects:
        if any(letter.isupper() for letter in subject.text):
            certain = value.text.lower() not in _AMBIGUOUS or owner is not None
            name = PATTERN if certain and _is_plain(sentence, clause, subject) else f"{PATTERN}.loose"
            yield propose(sentence, subject, "has_status", value, name, clause.mood)


def _status_of(sentence: Sentence, clause: Clause) -> Phrase | None:
    words = sentence.words
    if clause.is_passive and words[clause.verb].lower in _STATUSES:
        return None if sentence.child(clause.verb, "agent") is not None else sentence.phrase(clause.verb, clause.verb)
    if clause.lemma not in {"be", "remain", "become"}:
        return None
    for child in sentence.children(clause.verb, "acomp", "attr", "prep", "oprd"):
        if words[child].lower in _STATUSES and len(sentence.subtree(child)) == 1:
            return sentence.phrase(child, child)
        said = _STATUS_PHRASES.match(sentence.passage.text, words[child].start)
        if said:
            return sentence.cut(said.start(), said.end())
    return None


def _versions(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Versions: "The current version of X is 2.1", "X is at version 2.1"."""
    if clause.lemma not in {"be", "run", "reach", "have"} or clause.mood.negated:
        return
    owner = _owner(sentence, clause.subject_head, "version", "release")
    if owner is not None:
        subjects: tuple[Phrase, ...] = (owner,)
    elif behind(sentence, clause.verb, "at|on") is not None or sentence.child(clause.verb, "attr", "dobj") is not None:
        subjects = clause.subjects
    else:
        return
    after = sentence.words[clause.verb].end
    found = _VERSION.search(sentence.passage.text, after, sentence.end)
    between = sentence.passage.text[after : found.start()].lower() if found else ""
    if found is None or (not (owner is not None and not between.strip()) and "version" not in between):
        return
    for subject in subjects:
        if subject.text[:1].isalpha() and len(between.split()) <= _FARTHEST:
            name = PATTERN if _is_plain(sentence, clause, subject) else f"{PATTERN}.loose"
            yield propose(sentence, subject, "has_version", sentence.cut(*found.span()), name, clause.mood)


_FARTHEST: Final = 4  # words between the verb and the number


def _owner(sentence: Sentence, head: int | None, *nouns: str) -> Phrase | None:
    """Whose status or version a subject is: "the status of X", "X's status"."""
    if head is None or sentence.words[head].lower not in nouns:
        return None
    owner = sentence.child(head, "poss")
    if owner is None:
        owner = behind(sentence, head, "of")
    phrase = noun_phrase(sentence, owner) if owner is not None else None
    if phrase is None:
        return None
    return phrase._replace(text=phrase.text.removesuffix("'s").removesuffix("\u2019s"))


def _is_plain(sentence: Sentence, clause: Clause, subject: Phrase) -> bool:
    return sentence.words[clause.verb].dep in {"ROOT", "ccomp"} and not subject.anaphor and not clause.mood.hedged
