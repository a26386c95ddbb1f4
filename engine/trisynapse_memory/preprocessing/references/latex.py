"""A value as LaTeX writes it in, the text a reader sees out. The value itself is kept by whoever stores the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import Final, Protocol, cast

VALUE_MAX_CHARS: Final = 50_000  # an abstract has 2,000; parsing takes a second for each 100,000
DEPTH_MAX: Final = 40  # of braces; a real value has three

_SIGNS: Final = re.compile(r"[\\${}~]|--|``|''")
_BARE_SIGN: Final = re.compile(r"(?<!\\)([%&#])")
_TOKEN: Final = re.compile(r"\\.|[{}$]|\s+", re.DOTALL)
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_OPEN_COMMAND: Final = re.compile(r"(?<!\\)\\(?:[A-Za-z]+|[\"'`^~=.])$")  # "Erd\\H os": what it works on follows
_COMMAND: Final = re.compile(r"\\[A-Za-z]+\s*|\\.")
_ADDRESS: Final = re.compile(r"<(https?://[^<>]{1,500})>")


class _Converter(Protocol):
    def latex_to_text(self, latex: str) -> str: ...


class _Pylatexenc(Protocol):
    """What is used of pylatexenc, which has no types of its own."""

    def LatexNodes2Text(  # noqa: N802 - its name
        self, *, math_mode: str, strict_latex_spaces: bool, keep_comments: bool
    ) -> _Converter: ...


@cache
def _converter() -> _Converter:
    # Its tables take 40 ms to build, which is paid only where LaTeX is read.
    library = cast("_Pylatexenc", import_module("pylatexenc.latex2text"))
    return library.LatexNodes2Text(math_mode="text", strict_latex_spaces=False, keep_comments=True)


def readable(value: str) -> str:
    """Return what a LaTeX value shows: accents as letters, braces gone, formulas as their letters, one line.

    A value that is no LaTeX after all (a lone brace, a percent sign of an abstract) loses nothing of its words.
    """
    if not _SIGNS.search(value):
        return _one_line(value)
    if len(value) > VALUE_MAX_CHARS or _depth(value) > DEPTH_MAX:
        return _one_line(_without_commands(value))
    while is_braced(value := value.strip()):
        value = value[1:-1]
    # The parser takes 10 us for each character: it is only asked about the words that need it.
    return _one_line(" ".join(_shown(word) if _SIGNS.search(word) else word for word in _words(value)))


def _words(value: str) -> Iterator[str]:
    """Part a value at white space outside of braces and formulas; a command keeps the word behind it."""
    start, depth, is_formula = 0, 0, False
    for match in _TOKEN.finditer(value):
        token = match[0]
        if token == "$":
            is_formula = not is_formula
        elif token in "{}":
            depth = max(0, depth + (1 if token == "{" else -1))
        elif token.isspace() and depth == 0 and not is_formula:
            word = value[start : match.start()]
            if not _OPEN_COMMAND.search(word):
                yield word
                start = match.end()
    yield value[start:]


@lru_cache(maxsize=4096)
def _shown(word: str) -> str:
    try:
        text = _converter().latex_to_text(_BARE_SIGN.sub(r"\\\1", word))
    except (IndexError, ValueError, AttributeError, TypeError, RecursionError):  # \href without its second half
        text = _without_commands(word)
    return _ADDRESS.sub(lambda match: match[1], text)


def is_braced(value: str) -> bool:
    """Say whether the first brace is closed by the last one: ``{All of it}``, not ``{A} and {B}``."""
    if not (value.startswith("{") and value.endswith("}")):
        return False
    depth = 0
    for match in _BRACE.finditer(value):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth == 0:
            return match.end() == len(value)
    return False


def verbatim(value: str) -> str:
    """Return an address, a DOI or a path: signs that LaTeX needs escaped are plain again, nothing else is read."""
    plain = re.sub(r"\\url\s*\{([^{}]*)\}", r"\1", value.strip())
    plain = re.sub(r"\\([%&#_$~{}])|\{\\(_|textunderscore)\s*\}", lambda match: match[1] or "_", plain)
    plain = plain.replace("\\textasciitilde{}", "~").replace("\\textasciitilde", "~").replace("\\_", "_")
    return _one_line(plain.replace("{", "").replace("}", ""))


def _without_commands(value: str) -> str:
    return re.sub(r"[{}$]", "", _COMMAND.sub("", value))


def _depth(value: str) -> int:
    depth = deepest = 0
    for match in _BRACE.finditer(value):
        depth += (match[0] == "{") - (match[0] == "}")
        deepest = max(deepest, depth)
    return deepest


def _one_line(text: str) -> str:
    return " ".join(text.split())
