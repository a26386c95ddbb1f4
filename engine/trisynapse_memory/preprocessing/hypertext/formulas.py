"""One formula of a page or an article in, a line a person can read out: TeX where its author gave it, else the signs.

Nothing is computed or checked. A formula of MathML is written as it is read aloud: ``x^2``, ``a_i``, ``(a + b)/(c)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from trisynapse_memory.preprocessing.trees import Element, walk

MAX_DEPTH: Final = 40  # levels; deeper ones are written without their structure
_WRAPPED: Final = re.compile(r"^\{\\(?:displaystyle|textstyle)\s*(.*)\}$", re.DOTALL)
_BODY: Final = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|$)", re.DOTALL)
_SETUP: Final = re.compile(r"\\(?:documentclass|usepackage|setlength|pagestyle)(?:\[[^\]]*\])?(?:\{[^{}]*\})*")
_HOLDERS: Final = ("mwe-math", "katex", "MJX_Assistive", "mjx-assistive")
_TEX_TYPES: Final = frozenset({"application/x-tex", "application/x-latex", "tex", "latex"})
_ATOMS: Final = frozenset({"mi", "mn", "mtext", "ms"})
_SPACED: Final = frozenset("=<>+\u2212-\u00b1\u00d7\u2264\u2265\u2260\u2248\u2192\u2208\u223c")


def formula_of(math: Element) -> str:
    """Write one ``math`` element as a line; empty where it shows nothing."""
    tex = next((found for found in _stated(math) if found), "")
    return f"${tex}$" if tex else " ".join(_written(math, 0).split())


def tex_of(source: str) -> str:
    """Return the formula alone of a piece of TeX: without its document, its dollars and its style; one line.

    Args:
        source: TeX as pages and articles carry it, maybe a whole document around one formula.
    """
    body = _BODY.search(source)
    text = _SETUP.sub(" ", body.group(1) if body else source)
    text = " ".join(text.split()).strip("$ ")
    text = re.sub(r"^\\[\[(]|\\[\])]$", "", text).strip()
    wrapped = _WRAPPED.match(text)
    return wrapped.group(1).strip() if wrapped else text


def show_formulas(root: Element) -> None:
    """Make the formulas of a page stand in its tree once and seen.

    Pages write one formula up to three times: as MathML that is hidden from sighted readers, as drawn letters or a
    picture that is hidden from the others, and as TeX in a script that draws it.
    """
    for script in list(root.iter("script")):
        if "math/tex" in (script.get("type") or "") and (tex := tex_of(script.text or "")):
            script.tag, script.text = "span", f"${tex}$"
    for math in list(root.iter("math")):
        above = math.getparent()
        if above is not None and any(name in (above.get("class") or "") for name in _HOLDERS):
            _drop(above, "style")
    for element in list(root.iter("span", "img")):
        name = element.get("class") or ""
        if "katex-html" in name or "mwe-math-fallback" in name or "MathJax_Preview" in name:
            element.tag = "template"  # a reader of the MathML beside it has seen this


def _drop(element: Element, name: str) -> None:
    attributes = cast("dict[str, str]", element.attrib)
    if name in attributes:
        del attributes[name]


def _stated(math: Element) -> list[str]:
    notes = [
        "".join(_texts(one))
        for one in math.iter()
        if local_name(one) == "annotation" and (one.get("encoding") or "").lower() in _TEX_TYPES
    ]
    return [tex_of(text) for text in (*notes, math.get("alttext") or "")]


def local_name(element: Element) -> str:
    """Return the name of an element in lower case and without its namespace; empty for a comment."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def _texts(element: Element) -> list[str]:
    parts: list[str] = []
    for event, part in walk(element, "start", "end"):
        if event == "start" and isinstance(part.tag, str):
            parts.append(part.text or "")
        elif event == "end" and part is not element:
            parts.append(part.tail or "")
    return parts


def _written(element: Element, depth: int) -> str:
    name = local_name(element)
    if name in ("annotation", "annotation-xml", "mphantom", ""):
        return ""
    if depth > MAX_DEPTH:
        return "".join(_texts(element))
    if name == "mo":
        sign = (element.text or "").strip()
        return f" {sign} " if sign in _SPACED else sign
    if name in _ATOMS:
        return (element.text or "").strip()
    written = [_written(child, depth + 1) for child in element if isinstance(child.tag, str)]
    parts = [part.strip() for part in written]
    shape = _SHAPES.get(name)
    if shape is not None and shape[0] == len(parts):
        return shape[1](parts)
    if name in ("mtr", "mlabeledtr"):
        return " ".join(parts) + "; "
    if name == "msqrt":
        return f"\u221a({' '.join(parts)})"
    return "".join(written)  # with the spaces around signs


def _group(part: str) -> str:
    return part if len(part) <= 1 or part.isalnum() else f"({part})"


_SHAPES: Final[Mapping[str, tuple[int, Callable[[list[str]], str]]]] = MappingProxyType(
    {
        "msup": (2, lambda p: f"{p[0]}^{_group(p[1])}"),
        "msub": (2, lambda p: f"{p[0]}_{_group(p[1])}"),
        "msubsup": (3, lambda p: f"{p[0]}_{_group(p[1])}^{_group(p[2])}"),
        "munder": (2, lambda p: f"{p[0]}_{_group(p[1])}"),
        "mover": (2, lambda p: p[0] if not p[1].isalnum() else f"{p[0]}^{_group(p[1])}"),
        "munderover": (3, lambda p: f"{p[0]}_{_group(p[1])}^{_group(p[2])}"),
        "mfrac": (2, lambda p: f"{_group(p[0])}/{_group(p[1])}"),
        "mroot": (2, lambda p: f"{_group(p[0])}^(1/{p[1]})"),
    }
)
