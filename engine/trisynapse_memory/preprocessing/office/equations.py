"""An equation of Office (OMML) or of MathML in, one line of readable text out: a/b, x^2, √(x), ∑_(i=1)^n.

The line is for reading and finding, not for typesetting: a search for "x^2" finds it, and a formula keeps its order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

from trisynapse_memory.preprocessing.office.xml import DEPTH_LIMIT, attribute, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element

_PROPERTIES: Final = frozenset({"rPr", "ctrlPr", "argPr", "oMathParaPr", "annotation", "annotation-xml"})
_SPACE_MARKS: Final = {"\u2061": "", "\u2062": "", "\u2063": "", "\u200b": ""}  # invisible operators


def equation_text(root: Element) -> str:
    """Return an equation as one line."""
    return " ".join(_read(root, 0).translate(str.maketrans(_SPACE_MARKS)).split())


def _read(element: Element | None, depth: int) -> str:
    if element is None:
        return ""
    if depth > DEPTH_LIMIT:
        return text_below(element)
    tag = name(element)
    if tag.endswith("Pr") or tag in _PROPERTIES:
        return ""
    rule = _RULES.get(tag)
    if rule is not None:
        return rule(element, depth + 1)
    if tag in ("t", "mi", "mn", "mo", "mtext", "ms"):
        return _letters(element)
    return "".join(_read(part, depth + 1) for part in element)


def _letters(element: Element) -> str:
    # Letters of the mathematical alphabets are letters to a reader; text inside a formula keeps its blanks.
    words = unicodedata.normalize("NFKC", text_below(element))
    raw = element.text or ""
    spaced = f"{' ' if raw[:1].isspace() else ''}{words}{' ' if raw[-1:].isspace() else ''}"
    return f" {words} " if name(element) == "mtext" else spaced


def _part(element: Element, wanted: str, depth: int) -> str:
    return _read(child(element, wanted), depth).strip()


def _group(text: str) -> str:
    """Text in brackets, unless it is one sign, number or word, or stands in brackets already: 1/(2a) is not 1/2a."""
    return text if len(text) <= 1 or text.isdigit() or text.isalpha() or _is_bracketed(text) else f"({text})"


def _is_bracketed(text: str) -> bool:
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _fraction(element: Element, depth: int) -> str:
    return f"{_group(_part(element, 'num', depth))}/{_group(_part(element, 'den', depth))}"


def _scripts(element: Element, depth: int) -> str:
    base, low, high = (_part(element, part, depth) for part in ("e", "sub", "sup"))
    text = _group(base) + (f"_{_group(low)}" if low else "") + (f"^{_group(high)}" if high else "")
    return text


def _root(element: Element, depth: int) -> str:
    degree = _part(element, "deg", depth)
    return f"{degree}√{_forced(_part(element, 'e', depth))}"


def _forced(text: str) -> str:
    return text if _is_bracketed(text) else f"({text})"


def _sum(element: Element, depth: int) -> str:
    sign = attribute(child(element, "naryPr", "chr"), "val") or "∫"
    low, high = _part(element, "sub", depth), _part(element, "sup", depth)
    limits = (f"_{_group(low)}" if low else "") + (f"^{_group(high)}" if high else "")
    return f"{sign}{limits} {_part(element, 'e', depth)}"


def _brackets(element: Element, depth: int) -> str:
    properties = child(element, "dPr")
    marks = {mark: child(properties, mark) for mark in ("begChr", "sepChr", "endChr")}
    opening, joint, closing = (
        attribute(marks[mark], "val") if marks[mark] is not None else default
        for mark, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    return opening + joint.join(_read(part, depth).strip() for part in children(element, "e")) + closing


def _function(element: Element, depth: int) -> str:
    argument = _part(element, "e", depth)
    return f"{_part(element, 'fName', depth)}{argument if argument.startswith('(') else f' {argument}'}"


def _limit(element: Element, depth: int) -> str:
    mark = "_" if name(element) == "limLow" else "^"
    return f"{_part(element, 'e', depth)}{mark}{_group(_part(element, 'lim', depth))} "


def _matrix(element: Element, depth: int) -> str:
    rows = [[_read(cell, depth).strip() for cell in children(row, "e")] for row in children(element, "mr")]
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


def _lines(element: Element, depth: int) -> str:
    return "; ".join(_read(part, depth).strip() for part in children(element, "e"))


def _accent(element: Element, depth: int) -> str:
    sign = attribute(child(element, "accPr", "chr"), "val") or "\u0302"
    base = _part(element, "e", depth)
    return unicodedata.normalize("NFC", base + sign) if len(base) == 1 else _group(base) + sign


def _math_pair(joint: str) -> Callable[[Element, int], str]:
    def read(element: Element, depth: int) -> str:
        parts = [_group(_read(part, depth).strip()) for part in children(element)]
        return joint.join(parts)

    return read


def _math_both(element: Element, depth: int) -> str:
    parts = [_group(_read(part, depth).strip()) for part in children(element)]
    return f"{parts[0]}_{parts[1]}^{parts[2]}" if len(parts) == 3 else " ".join(parts)


def _math_root(element: Element, depth: int) -> str:
    return f"√({''.join(_read(part, depth) for part in element).strip()})"


def _math_table(element: Element, depth: int) -> str:
    rows = [[_read(cell, depth).strip() for cell in children(row, "mtd")] for row in children(element, "mtr")]
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


_RULES: Final[dict[str, Callable[[Element, int], str]]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "rad": _root,
    "nary": _sum,
    "d": _brackets,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
    "eqArr": _lines,
    "acc": _accent,
    "mfrac": _math_pair("/"),
    "msup": _math_pair("^"),
    "msub": _math_pair("_"),
    "mover": _math_pair("^"),
    "munder": _math_pair("_"),
    "msubsup": _math_both,
    "munderover": _math_both,
    "msqrt": _math_root,
    "mtable": _math_table,
}
