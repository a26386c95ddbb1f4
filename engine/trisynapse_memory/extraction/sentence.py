"""One parsed sentence as families read it: words, their grammar, and where they stand in the passage. Values only.

A family never sees the parser: words are plain values, so a family is tested without a model. Word positions are
indexes into ``Sentence.words``; offsets count in the text of the passage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from trisynapse_memory.types import Passage


class Word(Struct, frozen=True):
    """One token: ``pos`` is its Universal POS tag, ``tag`` its Penn tag, ``dep`` its ClearNLP dependency label.

    ``head`` is the index of the word it hangs on, its own for the root; ``entity`` is the OntoNotes type of the named
    entity it belongs to ("PERSON", "ORG", "DATE" ...) or empty. A name of several words and a coined one ("Priya
    Raman", "GPT-4") is one word, a proper noun without entity type: the parser reads a known name in its place.
    """

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    entity: str = ""

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


class Phrase(NamedTuple):
    """Words that belong together: their text on one line, and where it stands in the passage.

    ``anaphor`` is the pronoun that stands there when ``text`` was taken from the sentence before.
    """

    text: str
    start: int
    end: int
    anaphor: str = ""


class Sentence(Struct, frozen=True, kw_only=True):
    """One sentence of a passage: ``passage.text[start:end]``, cut into words.

    ``index`` counts the sentences of the passage from 0; ``previous`` is the text of the one before ("" for the
    first). ``antecedent`` is the noun phrase a pronoun at its start stands for, or empty when that is not clear.
    ``line`` holds its letters as they are read, with their offsets: a word that a line end broke is whole there.
    """

    passage: Passage
    start: int
    end: int
    words: tuple[Word, ...]
    index: int = 0
    previous: str = ""
    antecedent: str = ""
    line: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        """The sentence on one line, as ``phrase`` would write it."""
        return " ".join(self.passage.text[self.start : self.end].split())

    @property
    def raw(self) -> str:
        """The sentence as it stands in the passage, line ends included; offsets minus ``start`` count in it."""
        return self.passage.text[self.start : self.end]

    def phrase(self, first: int, last: int) -> Phrase:
        """Return the words from ``first`` to ``last`` (both included) as one phrase."""
        return self.cut(self.words[first].start, self.words[last].end)

    def cut(self, start: int, end: int) -> Phrase:
        """Return the phrase between two offsets of the passage, as it is read: on one line, broken words joined."""
        if self.line and self.line[0][1] <= start and end <= self.line[-1][1] + 1:
            return Phrase("".join(letter for letter, at in self.line if start <= at < end).strip(), start, end)
        return Phrase(" ".join(self.passage.text[start:end].split()), start, end)

    def children(self, index: int, *deps: str) -> list[int]:
        """Return the words that hang on this one, in reading order; only those of these dependencies if any."""
        return [
            other
            for other, word in enumerate(self.words)
            if word.head == index and other != index and (not deps or word.dep in deps)
        ]

    def child(self, index: int, *deps: str) -> int | None:
        """Return the first such child, or None."""
        found = self.children(index, *deps)
        return found[0] if found else None

    def subtree(self, index: int) -> list[int]:
        """Return this word and everything below it, in reading order."""
        found = {index}
        waiting = [index]
        while waiting:
            for child in self.children(waiting.pop()):
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return sorted(found)

    def ancestors(self, index: int) -> Iterator[int]:
        """Yield the words above this one, the nearest first; nothing for the root."""
        seen = {index}
        while (head := self.words[index].head) not in seen:
            yield head
            seen.add(head)
            index = head

    def word_at(self, offset: int) -> int | None:
        """Return the index of the word that covers this offset of the passage, or None."""
        return next((at for at, word in enumerate(self.words) if word.start <= offset < word.end), None)
