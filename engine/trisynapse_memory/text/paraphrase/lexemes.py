"""No input: the kinds of words that a sentence is read as, and what tells a participle by its form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trisynapse_memory.text.paraphrase.thesaurus import is_irregular_participle, may_be_verb
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import IRREGULAR_PARTICIPLES


class Kind(StrEnum):
    """What a word does in a sentence."""

    NOUN = "noun"
    VERB = "verb"
    ADVERB = "adverb"
    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    BE = "be"
    HAVE = "have"
    AUXILIARY = "auxiliary"
    LIMIT = "limit"
    PREPOSITION = "preposition"
    DETERMINER = "determiner"
    PRONOUN = "pronoun"
    RELATIVE = "relative"
    LINK = "link"
    AND = "and"
    STOP = "stop"
    TO = "to"
    GRAMMAR = "grammar"


CONTENT: Final = frozenset({Kind.NOUN, Kind.VERB, Kind.ADVERB, Kind.NUMBER, Kind.DATE, Kind.UNIT})
FINITE: Final = frozenset({Kind.VERB, Kind.BE, Kind.HAVE, Kind.AUXILIARY})


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One word of a sentence; ``key`` is what it is compared by, or the group of a limit, link or preposition."""

    kind: Kind
    text: str
    key: str
    sort: Sort = Sort.WORD

    @property
    def lower(self) -> str:
        """The word in small letters, without its possessive ending."""
        return self.text.lower().removesuffix("'s").rstrip("'")


# Only passives have these forms; the others may be pasts.
PURE_PARTICIPLES: Final = frozenset(
    """given taken driven shown known seen drawn chosen broken begun grown written hidden thrown flown worn spoken
    done""".split()
)
INVARIANT: Final = frozenset(
    "cost put cut hit set let shut hurt read spread split beat cast burst bet quit shed".split()
)


def is_participle(lower: str) -> bool:
    """Whether a word has the form that a passive takes."""
    return (
        (lower.endswith("ed") and may_be_verb(lower))
        or lower in IRREGULAR_PARTICIPLES
        or lower in INVARIANT
        or is_irregular_participle(lower)
    )


def is_modal(lexeme: Lexeme) -> bool:
    """Whether a word stands for "must", "can" or "may"."""
    return lexeme.kind is Kind.LIMIT and lexeme.key in ("must", "can", "possible", "neednot")


OPENS: Final = frozenset({Kind.STOP, Kind.AND, Kind.LINK})
