"""No input: what a sentence is read as. Clauses, their words, the parts these play, and the limits on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.statements import Sort

SUBJECT: Final = "subject"
OBJECT: Final = "object"
VERB: Final = "verb"
FREE: Final = "free"
COPULA: Final = "be"


@dataclass(frozen=True, slots=True)
class Role:
    """One part of a word, and the stem of the verb it belongs to (empty where there is none)."""

    part: str
    verb: str


@dataclass(slots=True)
class Word:
    """A word that claims something. ``phrase`` counts the phrases of its clause; ``narrows`` is the noun it narrows."""

    key: str
    sort: Sort
    kind: Kind
    text: str
    phrase: int
    roles: list[Role] = field(default_factory=list[Role])
    narrows: Word | None = None
    host: Word | None = None  # The noun that its preposition, or its possessive ending, hangs on.
    governor: Word | None = None  # The verb over an infinitive.
    apposed: bool = False  # It narrows nothing: "The bridge, built in 1931, ...".
    modifies: bool = False  # Another noun of its phrase stands behind it.
    own: bool = False  # Named anew where the rest is taken from the clause before.

    @property
    def lower(self) -> str:
        """The word in small letters."""
        return self.text.lower()


@dataclass(slots=True)
class Limit:
    """A limiting word: its group, and the words it may stand for: the one behind it, and the verb over that."""

    group: str
    target: int  # Index of the word behind it.


@dataclass(slots=True)
class Clause:
    """A clause: its words and limits, the word that links it to another, and what it left out."""

    words: list[Word] = field(default_factory=list[Word])
    limits: list[Limit] = field(default_factory=list[Limit])
    link: str = ""
    pronoun: bool = False
    alike: bool = False  # "the old one": a thing of the kind that was named before.
    open_subject: bool = False  # It is a pronoun: who is meant is not known here.
    ordered: bool = False  # An order: its verb has no subject and must be done.
    passive: bool = False  # Its first verb is.
    finite: bool = False  # It has a verb of its own that is more than a participle behind its noun.
    past: bool = False
    causes: bool = False  # "..., so ..." stands behind it.
    told: int = -1  # The index of the clause that only tells of it: "critics say that ...".

    @property
    def verbs(self) -> tuple[str, ...]:
        """The stems of its verbs."""
        return tuple(word.key for word in self.words if word.kind is Kind.VERB)

    def acts(self) -> bool:
        """Whether it has a verb of its own, "be" and "have" included."""
        return bool(self.verbs) or self.is_about()

    def is_about(self) -> bool:
        """Whether it says what something is or has."""
        return any(role.verb in (COPULA, "have") for word in self.words for role in word.roles)

    def has_subject(self) -> bool:
        """Whether somebody or something does what it says, or has it done to it."""
        if self.passive:
            return self.words[0].kind is not Kind.VERB
        return any(role.part == SUBJECT for word in self.words for role in word.roles)

    def head(self) -> list[Word]:
        """What stands before its first finite verb: the subject with all that narrows it."""
        if self.open_subject:
            return []
        ends = next(
            (
                index
                for index, word in enumerate(self.words)
                if (word.kind is Kind.VERB and word.narrows is None) or Role(OBJECT, COPULA) in word.roles
            ),
            0 if self.verbs or self.is_about() else len(self.words),
        )
        if not ends and self.words and all(word.narrows for word in self.words if word.kind is Kind.VERB):
            ends = len(self.words)  # "The bridge, built in 1931, ..."
        return self.words[:ends]

    def shift(self, count: int) -> None:
        """Make room for words that were put before its own."""
        for limit in self.limits:
            limit.target += count
