"""The text of a BibTeX or BibLaTeX file in, its entries with evaluated values out. No LaTeX is read here.

Values are evaluated as BibTeX does: macros are replaced, parts joined by ``#``, and what an entry inherits from another
one (``crossref``, ``xdata``) is added. The raw entry brings along the macros and the data entries that it uses.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bibtexparser.model import Block
    from bibtexparser.model import Entry as BibtexEntry

INHERITANCE_DEPTH: Final = 4  # a chapter in a volume in a series; a ring of entries ends here

_MONTHS: Final = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June",
    "jul": "July", "aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December",
}  # fmt: skip
_BARE: Final = re.compile(r'[^#\s"{}]+')
_MARK: Final = re.compile(r'\\.|[{}"]', re.DOTALL)
_DATA_KINDS: Final = frozenset({"xdata", "set", "control"})
_OWN: Final = frozenset(
    {"crossref", "xref", "xdata", "entryset", "ids", "keywords", "abstract", "file", "note", "doi", "url", "label"}
)
"""What a parent says of itself only."""

_WHOLE_OF: Final = frozenset({"book", "collection", "proceedings", "mvbook", "mvcollection", "mvproceedings"})


@dataclass(frozen=True, slots=True)
class BibtexRecord:
    """One entry: its key, kind and values as LaTeX, the names of its fields in small letters.

    ``raw`` is the entry exactly as it stands, behind the macros and data entries that it uses. ``broken`` says why the
    entry could not be read.
    """

    key: str
    line: int
    kind: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: str = ""
    broken: str = ""


def records_of(text: str) -> Iterator[BibtexRecord]:
    """Yield the entries of a file in their order; data that serves other entries only (``@xdata``) is none."""
    blocks = _split(text)
    shelf = _Shelf(blocks)
    for block in blocks:
        if isinstance(block, _Broken):
            yield BibtexRecord(key=f"line {block.line}", line=block.line, broken=f"line {block.line}: {block.reason}")
        elif isinstance(block, _Raw) and block.kind not in _DATA_KINDS:
            yield shelf.record_of(block)


@dataclass(frozen=True, slots=True)
class _Raw:
    """One entry as it stands, its values not evaluated."""

    key: str
    kind: str
    line: int
    raw: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Macro:
    name: str
    value: str
    raw: str


@dataclass(frozen=True, slots=True)
class _Broken:
    line: int
    reason: str


def _split(text: str) -> list[_Raw | _Macro | _Broken]:
    from bibtexparser.exceptions import ParserStateException
    from bibtexparser.splitter import Splitter

    # What it would log of each broken entry, its words included, is told by a row of its own.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    try:
        blocks = Splitter(text).split().blocks
    except (ParserStateException, IndexError) as error:
        return [_Broken(1, f"the file cannot be parted into entries ({error})")]
    return [found for block in blocks if (found := _plain(block)) is not None]


def _plain(block: Block) -> _Raw | _Macro | _Broken | None:
    """Without the library's wrappers: a repeated key or field is no error here, the caller tells of it."""
    from bibtexparser.model import Entry, ParsingFailedBlock, String

    line = (block.start_line or 0) + 1
    inner = block.ignore_error_block if isinstance(block, ParsingFailedBlock) else block
    if isinstance(inner, Entry):
        return _entry(inner, line)
    if isinstance(inner, String):
        return _Macro(inner.key.lower(), inner.value, inner.raw or "")
    if isinstance(block, ParsingFailedBlock):
        return _Broken(line, " ".join(str(getattr(block.error, "abort_reason", block.error)).split()))
    return None


def _entry(entry: BibtexEntry, line: int) -> _Raw:
    fields: dict[str, str] = {}
    for one in entry.fields:
        fields.setdefault(one.key.lower(), str(one.value))  # BibTeX keeps the first of a repeated field
    return _Raw(entry.key, entry.entry_type.lower(), line, entry.raw or "", fields)


class _Shelf:
    """The macros and entries of one file, by their names."""

    def __init__(self, blocks: list[_Raw | _Macro | _Broken]) -> None:
        self._macros = {block.name: block for block in blocks if isinstance(block, _Macro)}
        # The first of a repeated key counts, for inheritance too.
        self._entries = {block.key.lower(): block for block in reversed(blocks) if isinstance(block, _Raw)}

    def record_of(self, entry: _Raw) -> BibtexRecord:
        """Evaluate an entry with all that it inherits."""
        used: dict[str, None] = {}
        values = self._values(entry, used, INHERITANCE_DEPTH)
        raw = "\n".join((*used, entry.raw))
        return BibtexRecord(key=entry.key, line=entry.line, kind=entry.kind, values=values, raw=raw)

    def _values(self, entry: _Raw, used: dict[str, None], depth: int) -> dict[str, str]:
        values = {name: self._evaluated(value, used, INHERITANCE_DEPTH) for name, value in entry.fields.items()}
        if depth == 0:
            return values
        for key in (name.strip().lower() for name in values.get("xdata", "").split(",")):
            source = self._entries.get(key)
            if source is not None and source is not entry:
                given = self._values(source, used, depth - 1)
                used[source.raw] = None
                values = {**given, **values}
        parent = self._entries.get(values.get("crossref", "").strip().lower())
        if parent is not None and parent is not entry:
            values = {**_inherited(parent.kind, self._values(parent, {}, depth - 1)), **values}
        return values

    def _evaluated(self, value: str, used: dict[str, None], depth: int) -> str:
        """Join the parts of a value: ``"a" # macro # {b}``."""
        parts: list[str] = []
        place = 0
        while place < len(value):
            if value[place] in '{"':
                end = _end_of(value, place)
                parts.append(value[place + 1 : end])
                place = end + 1
                continue
            match = _BARE.match(value, place)
            if match is None:
                place += 1
                continue
            parts.append(self._named(match[0], used, depth))
            place = match.end()
        return "".join(parts)

    def _named(self, name: str, used: dict[str, None], depth: int) -> str:
        macro = self._macros.get(name.lower())
        if macro is None or depth == 0:
            return _MONTHS.get(name.lower(), name)
        value = self._evaluated(macro.value, used, depth - 1)
        used[macro.raw] = None
        return value


def _inherited(kind: str, values: Mapping[str, str]) -> dict[str, str]:
    """What a child takes from its parent; the title of a whole is the book title of its part (BibLaTeX, appendix B)."""
    given = {name: value for name, value in values.items() if name not in _OWN}
    if kind in _WHOLE_OF and "title" in given:
        given = {"booktitle": given.pop("title"), **given}
    return given


def _end_of(value: str, start: int) -> int:
    """Where a braced or quoted part ends; the end of the value where it never does."""
    depth = 0
    closer = "}" if value[start] == "{" else '"'
    for match in _MARK.finditer(value, start + 1):
        mark = match[0]
        if mark == closer and depth == 0:
            return match.start()
        if mark in "{}":
            depth = max(0, depth + (1 if mark == "{" else -1))  # a lone brace in quotes closes nothing
    return len(value)
