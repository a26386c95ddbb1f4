"""The styles of an OpenDocument file in, what they say of a paragraph, a list or a page out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.office.word_numbering import BULLET, written
from trisynapse_memory.preprocessing.office.xml import attribute, child, children, name
from trisynapse_memory.preprocessing.trees import Element

_CHAIN_MAX: Final = 20  # styles based on each other in a circle
_FORMATS: Final = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_LEVELS: Final = 10


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says: its names up the chain, the list it is in, whether it hides what it is put on."""

    names: tuple[str, ...] = ()
    list_style: str = ""
    is_hidden: bool = False
    is_raised: bool = False

    def is_like(self, *wanted: str) -> bool:
        """Tell whether the style or one it is based on has one of these names (lower case)."""
        return any(found in wanted for found in self.names)


class Looks:
    """All styles of a document: those of its own part and those it shares."""

    def __init__(self, *roots: Element | None) -> None:
        self._styles: dict[str, Element] = {}
        self._lists: dict[str, dict[int, Element]] = {}
        self.outline: dict[int, Element] = {}
        for root in roots:
            for group in children(root, "styles", "automatic-styles"):
                for one in group:
                    self._take(one)

    def _take(self, one: Element) -> None:
        if name(one) == "style":
            self._styles[attribute(one, "name")] = one
        elif name(one) == "list-style":
            self._lists[attribute(one, "name")] = _levels(one)
        elif name(one) == "outline-style":
            self.outline = _levels(one)

    def look(self, ident: str) -> Look:
        """Return what a style says; an unknown one says nothing."""
        chain = list(self._chain(ident))
        letters = [child(one, "text-properties") for one in chain]
        hidden = next((value for one in letters if (value := attribute(one, "display"))), "")
        lifted = next((value for one in letters if (value := attribute(one, "text-position"))), "")
        names = (attribute(one, key).replace("_20_", " ").lower() for one in chain for key in ("display-name", "name"))
        listed = next((value for one in chain if (value := attribute(one, "list-style-name"))), "")
        return Look(tuple(found for found in names if found), listed, hidden == "none", lifted.startswith("super"))

    def page_is_hidden(self, ident: str) -> bool:
        """Tell whether a page of a presentation is passed over when it is shown."""
        properties = (child(one, "drawing-page-properties") for one in self._chain(ident))
        return any(attribute(one, "visibility") == "hidden" for one in properties)

    def mark(self, list_style: str, level: int, counts: list[int]) -> str:
        """Return what stands in front of an entry; ``counts`` are the numbers down to it, outermost first."""
        rule = self._lists.get(list_style, {}).get(level)
        return BULLET if rule is None else shown_mark(rule, self._lists[list_style], counts)

    def start(self, list_style: str, level: int) -> int:
        """Return the number a list begins with on a level."""
        stated = attribute(self._lists.get(list_style, {}).get(level), "start-value")
        return int(stated) if stated.isdigit() and len(stated) < 9 else 1

    def _chain(self, ident: str) -> Iterator[Element]:
        told: set[str] = set()
        while ident in self._styles and ident not in told and len(told) < _CHAIN_MAX:
            told.add(ident)
            yield self._styles[ident]
            ident = attribute(self._styles[ident], "parent-style-name")


def _levels(style: Element) -> dict[int, Element]:
    return {
        int(stated): one for one in children(style) if (stated := attribute(one, "level")).isdigit() and len(stated) < 3
    }


def shown_mark(rule: Element, levels: dict[int, Element], counts: list[int]) -> str:
    """Return the mark of one level: a number with those above it, as far as its style shows them, or a bullet.

    Args:
        rule: the level's own style.
        levels: the styles of all levels, by level from 1.
        counts: the number on each level, outermost first.
    """
    if name(rule) not in ("list-level-style-number", "outline-level-style"):
        return BULLET
    if not attribute(rule, "num-format"):
        return ""
    stated = attribute(rule, "display-levels")
    shown = min(int(stated) if stated.isdigit() and len(stated) < 3 else 1, len(counts), _LEVELS)
    numbers: list[str] = []
    for place in range(len(counts) - shown, len(counts)):
        way = _FORMATS.get(attribute(levels.get(place + 1), "num-format"), "decimal")
        numbers.append(written(counts[place], way))
    return attribute(rule, "num-prefix") + ".".join(numbers) + attribute(rule, "num-suffix")
