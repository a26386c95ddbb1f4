"""A sentence in, who holds which role where out: role_held_by, the role being the qualifier ``part``.

The subject is the project or organisation, so that two holders of one role meet under one key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.frames import behind
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import is_vague, noun_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.tiers import is_past_state, is_ruined
from trisynapse_memory.types import Proposal

PATTERN: Final = "named"

ROLE_NOUNS: Final = frozenset(
    """administrator adviser advisor ambassador analyst architect archivist auditor bishop captain ceo cfo chair
    chairman chairperson chairwoman chancellor chief cio co-founder coach commander commissioner conductor controller
    coordinator coo counsel cto curator dean deputy designer developer director editor engineer founder governor head
    headmaster inspector investigator janitor judge keeper king lead leader lecturer librarian maintainer manager mayor
    minister moderator officer operator organiser organizer physician pilot premier president principal producer
    professor provost queen rector registrar representative scientist secretary sheriff speaker spokesman
    spokesperson spokeswoman sponsor steward superintendent supervisor surgeon surveyor treasurer trustee
    warden""".split()
)
_TAKING: Final = frozenset(("be", "become", "remain"))
_SERVING: Final = frozenset(("serve", "act", "work"))
_NAMING: Final = frozenset(("appoint", "name", "elect", "make"))

_PLAIN: Final = Mood()


class Role(NamedTuple):
    """A role as a noun phrase says it: what it is called and whose it is."""

    title: str
    of: Phrase


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield holders of roles: "X is the tech lead of Y", "Y's tech lead is X", "X, director of Y, ...", and so on."""
    if not any(word.lemma.lower() in ROLE_NOUNS for word in sentence.words):
        return
    for clause in clauses_of(sentence):
        yield from _said(sentence, clause)
    yield from _beside(sentence)


def _said(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """A clause that gives a role to its subject, or a name to the role that is its subject."""
    complement = _complement(sentence, clause)
    if complement is None or clause.subject_head is None or is_past_state(sentence, clause.verb):
        return
    role = _role_of(sentence, complement)
    if role is not None:
        for holder in clause.subjects:
            yield from _held(sentence, role, holder, clause, PATTERN)
    elif clause.lemma in _TAKING and (role := _role_of(sentence, clause.subject_head)) is not None:
        holder = noun_phrase(sentence, complement)
        if holder is not None:
            yield from _held(sentence, role, holder, clause, PATTERN)


def _complement(sentence: Sentence, clause: Clause) -> int | None:
    if clause.lemma in _TAKING:
        return sentence.child(clause.verb, "attr", "oprd")
    if clause.lemma in _SERVING:
        return behind(sentence, clause.verb, "as")
    if clause.lemma in _NAMING and clause.is_passive:
        named = sentence.child(clause.verb, "oprd", "attr")
        return named if named is not None else behind(sentence, clause.verb, "as")
    return None


def _beside(sentence: Sentence) -> Iterator[Proposal]:
    """Roles beside a name: "Jane Doe, director of X, signed"; said so wherever it stands."""
    for index, word in enumerate(sentence.words):
        if word.dep != "appos" or sentence.raw.rstrip().endswith("?"):
            continue
        head = word.head
        role = _role_of(sentence, index)
        named = head
        if role is None:
            role, named = _role_of(sentence, head), index
        holder = noun_phrase(sentence, named, frozenset())
        if role is not None and holder is not None and is_person_like(holder.text):
            pattern = PATTERN if sentence.words[min(index, head)].pos == "PROPN" else f"{PATTERN}.loose"
            yield propose(sentence, role.of, "role_held_by", holder, pattern, _PLAIN, {"part": role.title})


def _held(sentence: Sentence, role: Role, holder: Phrase, clause: Clause, pattern: str) -> Iterator[Proposal]:
    if not is_person_like(holder.text):
        return
    ruined = is_ruined(holder.text) or is_ruined(role.of.text)
    name = f"{pattern}.loose" if holder.anaphor or clause.mood.hedged or ruined else pattern
    yield propose(sentence, role.of, "role_held_by", holder, name, clause.mood, {"part": role.title})


def _role_of(sentence: Sentence, head: int) -> Role | None:
    """Read "(the) tech lead of Project Atlas" or "Project Atlas's tech lead" around a noun; None if it is none."""
    words = sentence.words
    if words[head].lemma.lower() not in ROLE_NOUNS:
        return None
    owner = sentence.child(head, "poss")
    target = owner
    for prep in sentence.children(head, "prep"):
        if target is None and words[prep].lower in {"of", "at"}:
            target = sentence.child(prep, "pobj")
    if target is None:
        return None
    place = noun_phrase(sentence, target)
    if place is None or is_vague(place.text) or not any(letter.isupper() for letter in place.text):
        return None
    title = _title(sentence, head, owner)
    return Role(title, place._replace(text=place.text.removesuffix("'s").removesuffix("\u2019s"))) if title else None


def _title(sentence: Sentence, head: int, owner: int | None) -> str:
    """The words of the role itself, without article and without whose it is."""
    first = head
    skipped = set(sentence.subtree(owner)) if owner is not None else set[int]()
    for child in reversed([one for one in sentence.children(head) if one < head]):
        word = sentence.words[child]
        if child in skipped or word.dep == "det":
            break
        first = sentence.subtree(child)[0]
    if any(
        sentence.words[at].lower in {"former", "future", "next", "new", "no", "one", "acting"}
        for at in range(first, head)
    ):
        return ""
    return sentence.phrase(first, head).text


def is_person_like(name: str) -> bool:
    """Whether a phrase may name a person: capitalised words without digits."""
    words = name.replace(".", " ").split()
    return bool(words) and words[0][0].isupper() and words[-1][0].isupper() and not any(map(str.isdigit, name))
