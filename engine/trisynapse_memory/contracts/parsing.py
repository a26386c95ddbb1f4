"""How the grammar of a sentence is read; no implementation lives here."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable


class ParsedWord(NamedTuple):
    """One word of a parsed text: ``head`` is the index of the word it hangs on, its own where it hangs on none.

    ``kind`` is a part of speech of Universal Dependencies ("NOUN"), ``tag`` one of the Penn Treebank ("NNS"), ``bond``
    a relation of the ClearNLP scheme ("nsubjpass"), ``start`` an offset in characters.
    """

    text: str
    kind: str
    tag: str
    bond: str
    head: int
    start: int


@runtime_checkable
class SentenceParser(Protocol):
    """Reads the grammar of one language. Building one loads nothing; the first ``parse`` may take seconds."""

    name: str

    def parse(self, text: str) -> tuple[ParsedWord, ...]:
        """Return the words of a text in order; the same text gives the same words. No text gives none.

        Raises:
            BranchUnavailableError: a package it needs is not installed.
        """
        ...
