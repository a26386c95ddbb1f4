"""A source text and its language in, sections that together are the text out: its symbols, and what lies between.

A class gives its head and what stands between its members; each member is a section of its own. Closing brackets alone
are no thought: they belong to what they close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.preprocessing.code.languages import CodeLanguage, parser_of
from trisynapse_memory.preprocessing.code.symbols import Symbol, symbols_of
from trisynapse_memory.types import Locator, Modality, Section

_CLOSING: Final = re.compile(r"(?:\W|\bend\b|\bfi\b|\bdone\b|#endif\b)*")
_LEADING: Final = re.compile(r"[ \t]*[;,)}\]]+[ \t]*(?=\n|\Z)")  # the end of what stands before
LONG_LINE_CHARS: Final = 5_000
DENSE_CHARS: Final = 400  # a line, on the average: written by a machine for a machine


@dataclass(frozen=True, slots=True)
class _Stretch:
    start: int
    end: int
    path: tuple[str, ...]


def is_minified(text: str) -> bool:
    """Tell code that was packed for machines from code that somebody wrote."""
    lines = text.count("\n") + 1
    longest = max(map(len, text.split("\n"))) if text else 0
    return longest > LONG_LINE_CHARS and len(text) / lines > DENSE_CHARS


def sections_of(text: str, language: CodeLanguage, filename: str) -> tuple[Section, ...]:
    """Cut a source text at its symbols.

    Args:
        text: the whole file.
        language: what it is written in.
        filename: what it is called; every path begins with it.
    """
    source = text.encode("utf-8", "replace")
    symbols = list(symbols_of(parser_of(language).parse(source).root_node, source))
    found = _joined(text, list(_placed(_stretches(symbols, len(source)), text, source)))
    sections: list[Section] = []
    line, counted = 1, 0
    for stretch in found:
        piece = text[stretch.start : stretch.end]
        start = stretch.start + len(piece) - len(piece.lstrip())
        begun = text.rfind("\n", 0, start) + 1
        start = start if text[begun:start].strip() else begun  # the first line keeps its indent
        end = stretch.start + len(piece.rstrip())
        line, counted = line + text.count("\n", counted, start), start
        lines = (line, line + text.count("\n", start, end))
        sections.append(_section(stretch.path, (start, end), lines, language, filename))
    return tuple(sections)


def _section(
    names: tuple[str, ...], span: tuple[int, int], lines: tuple[int, int], language: CodeLanguage, filename: str
) -> Section:
    place = Locator(
        kind="symbol",
        language=language.name,
        symbol=".".join(names) or None,
        start_line=lines[0],
        end_line=lines[1],
    )
    path = (*((filename,) if filename else ()), *names)
    fields = {"language": language.name} | ({"symbol": ".".join(names)} if names else {})
    return Section(start=span[0], end=span[1], path=path, modality=Modality.CODE, fields=fields, locator=place)


def _stretches(symbols: Sequence[Symbol], length: int) -> Iterator[_Stretch]:
    """The bytes of a file, each once: what a symbol says itself, and what stands outside of all."""
    cursor = 0
    open_symbols: list[Symbol] = []
    for symbol in symbols:
        while open_symbols and symbol.start >= open_symbols[-1].end:
            closed = open_symbols.pop()
            yield _Stretch(cursor, max(cursor, closed.end), closed.path)
            cursor = max(cursor, closed.end)
        yield _Stretch(cursor, max(cursor, symbol.start), open_symbols[-1].path if open_symbols else ())
        cursor = max(cursor, symbol.start)
        if symbol.has_members:
            open_symbols.append(symbol)
        else:
            yield _Stretch(cursor, max(cursor, symbol.end), symbol.path)
            cursor = max(cursor, symbol.end)
    for symbol in reversed(open_symbols):
        yield _Stretch(cursor, max(cursor, symbol.end), symbol.path)
        cursor = max(cursor, symbol.end)
    yield _Stretch(cursor, length, ())


def _placed(stretches: Iterator[_Stretch], text: str, source: bytes) -> Iterator[_Stretch]:
    """The same in characters."""
    if len(text) == len(source):
        yield from stretches
        return
    place, counted = 0, 0
    for stretch in stretches:
        ends: list[int] = []
        for border in (stretch.start, stretch.end):
            place += len(source[counted:border].decode("utf-8", "ignore"))
            counted = max(counted, border)
            ends.append(place)
        yield _Stretch(ends[0], ends[1], stretch.path)


def _joined(text: str, stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Leave out what is blank, and give brackets to what they close."""
    kept: list[_Stretch] = []
    for stretch in stretches:
        start = stretch.start
        if kept and (match := _LEADING.match(text, start, stretch.end)):
            kept[-1] = replace(kept[-1], end=match.end())
            start = match.end()
        piece = text[start : stretch.end]
        if not piece.strip():
            continue
        if kept and len(piece.strip()) < 20 and _CLOSING.fullmatch(piece):
            kept[-1] = replace(kept[-1], end=stretch.end)
        else:
            kept.append(replace(stretch, start=start))
    return kept
