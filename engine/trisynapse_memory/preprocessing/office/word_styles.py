"""The styles of a Word document in, what a paragraph or run gets from its style out: outline level, list, hidden.

Word writes the built-in names in English whatever its language ("heading 1" under the id "berschrift1"), so names and
outline levels are trusted and ids are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.office.xml import attribute, child, children, name
from trisynapse_memory.preprocessing.trees import Element

_HEADING: Final = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|kop|nagłówek|заголовок|rubrik|overskrift|otsikko|nadpis|"
    r"başlık|标题|見出し|제목)\s*([1-9])",
    re.IGNORECASE,
)
_OFF: Final = frozenset({"0", "false", "off", "none"})
_CHAIN_MAX: Final = 20  # styles based on each other in a circle
BODY_LEVEL: Final = 9  # what outlineLvl says for "body text"


@dataclass(frozen=True, slots=True)
class Style:
    """What one style says, with all that it is based on; ``level`` counts from 1, 0 is no heading."""

    name: str = ""
    level: int = 0
    list_id: str = ""
    list_level: int = 0
    is_hidden: bool = False


def is_on(element: Element | None) -> bool:
    """Tell whether a switch such as ``w:vanish`` is there and not turned off."""
    return element is not None and attribute(element, "val").lower() not in _OFF


class Styles:
    """The styles of one document, by id."""

    def __init__(self, root: Element | None) -> None:
        self._elements = {attribute(one, "styleId"): one for one in children(root, "style")}
        self._read: dict[str, Style] = {}
        self.default = next(
            (attribute(one, "styleId") for one in children(root, "style")
             if attribute(one, "type") == "paragraph" and attribute(one, "default") not in _OFF | {""}),
            "",
        )  # fmt: skip

    def style(self, ident: str) -> Style:
        """Return a style; an unknown one says nothing."""
        if ident not in self._read:
            self._read[ident] = self._resolve(ident)
        return self._read[ident]

    def _resolve(self, ident: str) -> Style:
        chain: list[Element] = []
        while (one := self._elements.get(ident)) is not None and one not in chain and len(chain) < _CHAIN_MAX:
            chain.append(one)
            ident = attribute(child(one, "basedOn"), "val")
        level = next((stated for style in chain if (stated := _level(style)) is not None), 0)
        numbered = next((found for style in chain if (found := child(style, "pPr", "numPr")) is not None), None)
        hidden = next((found for style in chain if (found := child(style, "rPr", "vanish")) is not None), None)
        return Style(
            name=attribute(child(chain[0], "name"), "val") if chain else "",
            level=level,
            list_id=attribute(child(numbered, "numId"), "val"),
            list_level=_number(attribute(child(numbered, "ilvl"), "val")),
            is_hidden=is_on(hidden),
        )


def _level(style: Element) -> int | None:
    """The heading level one style states: by its outline level, else by its name; None where it says nothing."""
    outline = child(style, "pPr", "outlineLvl")
    if outline is not None:
        return outline_level(outline)
    named = _HEADING.fullmatch(attribute(child(style, "name"), "val").strip())
    return int(named.group(1)) if named else None


def outline_level(element: Element) -> int:
    """The heading level of a ``w:outlineLvl``, from 1; 0 for body text."""
    level = _number(attribute(element, "val"), BODY_LEVEL)
    return level + 1 if 0 <= level < BODY_LEVEL else 0


def _number(text: str, default: int = 0) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else default


def is_paragraph_hidden(properties: Element | None) -> bool:
    """Tell whether a paragraph's own mark is hidden together with it (its runs say so each)."""
    return is_on(child(properties, "rPr", "specVanish"))


def run_is_hidden(run: Element, paragraph_style: Style, styles: Styles) -> bool:
    """Tell whether a run is hidden text: by itself, by its own style, or by that of its paragraph."""
    properties = child(run, "rPr")
    own = child(properties, "vanish")
    if own is not None:
        return is_on(own)
    ident = attribute(child(properties, "rStyle"), "val")
    return styles.style(ident).is_hidden if ident else paragraph_style.is_hidden


def is_list_end(properties: Element | None) -> bool:
    """Tell whether a paragraph takes itself out of the list its style is in (``numId`` 0)."""
    numbered = child(properties, "numPr")
    return numbered is not None and name(numbered) == "numPr" and attribute(child(numbered, "numId"), "val") == "0"
