"""An HTML tree in, the text of it that a reader cannot see out, taken from the tree; nothing is rendered here.

Case R26: a page can carry instructions for a machine that no person reads. What inline styles, plain ``<style>`` rules,
``hidden`` and ``aria-hidden`` make invisible is blanked in the tree and kept apart, as evidence of itself only.

Limits: linked style sheets and selectors with combinators are not followed; text of the background's colour is seen
only where both colours stand in one style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.preprocessing.trees import Element

_NUMBER: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|vw|vh)?")
_TINY_PX: Final = 2.0  # below it no screen shows a letter
_OFF_PAGE_PX: Final = -500.0
_PX_PER_UNIT: Final = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16, "vw": 10.0, "vh": 10.0, None: 1.0}
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CSS_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE: Final = re.compile(r"([a-z][\w-]*)?([.#][\w-]+)?$", re.IGNORECASE)
# Scripts hide these until a page has loaded, so their own styles say nothing of what a reader sees.
_ROOTS: Final = frozenset({"html", "body"})
_NO_TEXT: Final = frozenset({"script", "style", "template", "head", "title"})
_CLIPPED: Final = re.compile(r"rect\(\s*(?:0|1px)[\s,]|inset\(\s*(?:50|100)%")

Rules = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class _State:
    """What an element inherits: gone for good, or invisible or of no size until a child says otherwise.

    ``muted`` is kept from those who are read to (``aria-hidden``): clutter, a copy, or a page behind an open dialog.
    """

    gone: bool = False
    faded: bool = False
    invisible: bool = False
    tiny: bool = False
    muted: bool = False

    def hides(self, *, fading: bool, muting: bool) -> bool:
        return self.gone or self.invisible or self.tiny or (fading and self.faded) or (muting and self.muted)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """One text node: the element that holds it, whether it is its ``text`` or its ``tail``, and its state."""

    element: Element
    is_tail: bool
    state: _State

    @property
    def words(self) -> str:
        return ((self.element.tail if self.is_tail else self.element.text) or "").strip()

    def blank(self) -> None:
        if self.is_tail:
            self.element.tail = ""
        else:
            self.element.text = ""


def take_hidden(root: Element) -> str:
    """Blank the invisible text of a page, so that no extractor finds it.

    Returns:
        The text that was taken out, one stretch per line, in document order.
    """
    stretches = [stretch for stretch in _stretches(root) if stretch.words]
    # Pages that fade their paragraphs in on scrolling start with opacity 0 everywhere: there it hides nothing.
    # The same holds of aria-hidden, which a page sets on all of itself while a dialog is open.
    faded = sum(len(one.words) for one in stretches if one.state.faded)
    muted = sum(len(one.words) for one in stretches if one.state.muted)
    plain = sum(len(one.words) for one in stretches if not one.state.hides(fading=True, muting=True))
    hidden = [one for one in stretches if one.state.hides(fading=faded < plain, muting=muted < plain)]
    words = "\n".join(" ".join(stretch.words.split()) for stretch in hidden)
    for stretch in hidden:
        stretch.blank()
    return words


def _stretches(root: Element) -> Iterator[_Stretch]:
    rules = _style_rules(root)
    states: dict[Element, _State] = {}
    for element in root.iter():
        parent = element.getparent()
        above = states.get(parent, _State()) if parent is not None else _State()
        if not isinstance(element.tag, str):  # a comment or an instruction; only its tail is text
            if parent is not None:
                yield _Stretch(element, True, above)
            continue
        state = _state_of(element, rules, above)
        states[element] = state
        if element.tag not in _NO_TEXT:
            yield _Stretch(element, False, state)
        if parent is not None:
            yield _Stretch(element, True, above)


def _state_of(element: Element, rules: Rules, above: _State) -> _State:
    tag = str(element.tag).lower()
    if tag in _ROOTS:
        return above
    style = _style_of(element, tag, rules)
    closed = tag == "dialog" and "open" not in element.attrib
    gone = above.gone or closed or "hidden" in element.attrib or bool(style and _is_gone(style))
    muted = above.muted or (element.get("aria-hidden") or "").strip().lower() == "true"
    if not style:
        return above if (gone, muted) == (above.gone, above.muted) else replace(above, gone=gone, muted=muted)
    invisible, tiny = above.invisible, above.tiny
    if "visibility" in style:
        invisible = style["visibility"] in ("hidden", "collapse")
    if "font-size" in style:
        size = _pixels(style["font-size"])
        tiny = size is not None and size < _TINY_PX
    opacity = _NUMBER.match(style.get("opacity", ""))
    faded = above.faded or bool(opacity and float(opacity.group(1)) < 0.02)  # 2 %: nobody reads it
    return _State(gone, faded, invisible, tiny, muted)


def _is_gone(style: dict[str, str]) -> bool:
    if style.get("display") == "none" or _CLIPPED.search(style.get("clip", "") + style.get("clip-path", "")):
        return True
    colour = style.get("color", "")
    if colour in ("transparent", "rgba(0,0,0,0)") or (
        colour and colour == style.get("background-color", style.get("background"))
    ):
        return True
    if style.get("position") in ("absolute", "fixed") and any(
        _below(style.get(side), _OFF_PAGE_PX) for side in ("left", "top", "right", "bottom")
    ):
        return True
    if _below(style.get("text-indent"), _OFF_PAGE_PX):
        return True
    clipped = style.get("overflow", "").startswith(("hidden", "clip"))
    return clipped and any(_below(style.get(side), _TINY_PX) for side in ("width", "height", "max-height", "max-width"))


def _below(value: str | None, limit: float) -> bool:
    size = _pixels(value) if value else None
    return size is not None and size < limit


def _pixels(value: str) -> float | None:
    match = _NUMBER.match(value)
    return float(match.group(1)) * _PX_PER_UNIT[match.group(2)] if match else None


def _style_of(element: Element, tag: str, rules: Rules) -> dict[str, str]:
    """Declarations that reach an element, the more telling selector later, inline styles last."""
    style: dict[str, str] = {}
    if rules:
        classes = [f".{name}" for name in (element.get("class") or "").split()]
        ident = [f"#{element.get('id')}"] if element.get("id") else []
        for selector in (tag, *classes, *(tag + name for name in classes), *ident, *(tag + name for name in ident)):
            style.update(rules.get(selector, {}))
    inline = element.get("style")
    if inline:
        style.update(_declarations(inline))
    return style


def _declarations(block: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in _CSS_COMMENT.sub("", block).lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def _style_rules(root: Element) -> Rules:
    rules: Rules = {}
    for sheet in root.iter("style"):
        if "print" in (sheet.get("media") or ""):
            continue
        for selectors, block in _RULE.findall(_without_at_rules(_CSS_COMMENT.sub("", sheet.text or ""))):
            for selector in selectors.split(","):
                if (name := selector.strip()) and _SIMPLE.match(name):
                    rules.setdefault(name, {}).update(_declarations(block))
    return rules


def _without_at_rules(css: str) -> str:
    """Rules for print, for small screens and of animations do not say what a reader sees."""
    kept: list[str] = []
    cursor = 0
    for match in re.finditer(r"@[\w-]+", css):
        if match.start() < cursor:
            continue
        kept.append(css[cursor : match.start()])
        cursor = _end_of_at_rule(css, match.end())
    return "".join((*kept, css[cursor:]))


def _end_of_at_rule(css: str, start: int) -> int:
    depth = 0
    for match in re.compile(r"[{};]").finditer(css, start):
        depth += {"{": 1, "}": -1, ";": 0}[match.group()]
        if depth <= 0:
            return match.end()
    return len(css)
