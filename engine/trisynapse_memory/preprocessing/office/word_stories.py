"""The texts beside the body of a Word document in, their words out: notes, comments, headers and footers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.packages import Package, Relation
from trisynapse_memory.preprocessing.office.xml import attribute, below, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element

_ENTRY: Final = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_MARGINS: Final = {"headerReference": "header", "footerReference": "footer"}

ReadWords = Callable[[Element], str]
"""Reads all paragraphs below an element as one line."""


class Stories:
    """Notes and comments of one document, by their ids."""

    def __init__(self, package: Package, relations: dict[str, Relation], read: ReadWords) -> None:
        self._package = package
        self._read = read
        self._roots: dict[str, Element | None] = {}
        self._parts = {arrow.kind: arrow.target for arrow in relations.values() if not arrow.is_external}
        self._entries: dict[str, dict[str, Element]] = {}
        self._counts: dict[str, int] = {}

    def note(self, story: str, ident: str) -> Block | None:
        """Return the note a reference points at, numbered in the order of its references; comments are margins."""
        entry = self._of(story).get(ident)
        if entry is None:
            return None
        words = self._read(entry)
        if not words:
            return None
        if story == "comments":
            return Block(_signed(entry, words), "margin", fields={"note": "comment"})
        self._counts[story] = number = self._counts.get(story, 0) + 1
        return Block(f"[{number}] {words}", fields={"note": f"{_ENTRY[story]} {number}"})

    def _of(self, story: str) -> dict[str, Element]:
        if story not in self._entries:
            root = self._package.xml(self._parts[story]) if story in self._parts else None
            entries = children(root, _ENTRY[story])
            # Separators are notes to the file format.
            self._entries[story] = {
                attribute(one, "id"): one for one in entries if attribute(one, "type") in ("", "normal")
            }
        return self._entries[story]


def _signed(entry: Element, words: str) -> str:
    """A comment with who wrote it and when."""
    who, day = attribute(entry, "author").strip(), attribute(entry, "date")[:10]
    return signed(words, who, day)


def signed(words: str, *signature: str) -> str:
    """Return words with who wrote them, and when, in front."""
    told = ", ".join(filter(None, signature))
    return f"{told}: {words}" if told else words


def margins(
    package: Package, relations: dict[str, Relation], body: Element, read: ReadWords, kind: str
) -> Iterator[Block]:
    """Yield the headers or the footers (``kind``) of all parts of a document, each text once."""
    told: set[str] = set()
    for section in below(body, "sectPr"):
        for reference in children(section, "headerReference", "footerReference"):
            arrow = relations.get(attribute(reference, "id"))
            if _MARGINS[name(reference)] != kind or arrow is None or arrow.is_external:
                continue
            root = package.xml(arrow.target)
            words = read(root) if root is not None else ""
            if words and words not in told:
                told.add(words)
                yield Block(words, "margin")


def language_of(styles: Element | None) -> str:
    """Return the language that a document's default style states; empty where it states none."""
    return attribute(child(styles, "docDefaults", "rPrDefault", "rPr", "lang"), "val") or text_below(None)
