"""What people wrote down of a file in, and what was read of it: their words, table cells and segments compared.

No file is read for its text here, and nothing is stored. Ground truths are Markdown or HTML, and each says a thing its
own way, so both sides are brought to the same words first; every step is done to both, and no word is dropped from one
side alone, except what ``words_around`` names.

* Characters: NFKC (ligatures, full-width forms), soft hyphens and zero-width marks out, entities read, case folded.
* Markdown: comments (``<!-- image -->``), the targets of links and images, tags and backslashes are no words; the text
  of a link and the description of an image are.
* A word is a run of letters, a run of digits, or one Chinese or Japanese sign: ``H<sub>2</sub>O`` is written "H 2 O" by
  some and "H2O" by others.
* Names without their space ("RaoRU" for "Rao RU") are cut where a small letter meets a capital.
* Midnight ("00:00:00") behind a date is no word: spreadsheets hold it and show it to nobody.
* HTML: entries of ordered lists have their numbers, as a browser shows them; the description of an image is around it.
* Tables: Markdown calls the first row the headers, whether it is or not. A table of one column is not compared; where a
  table has several rows of headers, the first of them is enough.

Three things are told twice, because ground truths have faults and habits of their own, and no word of them is changed
to hide that. Each pair: strictly by the ground truth; and so that this habit of it does not count.

* Runs of words: over the whole text, so that order counts; and only those within one block of the ground truth (a line
  of Markdown, a block of HTML), where some put a heading at the end, or tear labels from their values.
* Foreign words: all that are not in the ground truth; and without those that the file holds beside its text (notes,
  comments, captions, see ``bench.asides``), which the intake has to read and many ground truths leave out. How many of
  these asides were read is told with it.
* Cells of tables: those under the header that the ground truth gives them; and those that were read as a cell of a
  table, whatever stands above it, where a ground truth takes the first row of a form for its headers.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from trisynapse_memory.preprocessing.blocks import CELL_JOINT
from trisynapse_memory.preprocessing.trees import Element, parse, walk

GRAM_WORDS: Final = 5  # the brief of the intake suite asks for runs of five words: reading order, not only words

_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET: Final = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
# Chinese and Japanese have no spaces, so where a line breaks says nothing of where a word ends.
_CJK: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+|\d+")
_MIDNIGHT: Final = re.compile(r"(?<=\d\d[ T])00:00:00\b")
_GLUED: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RULE: Final = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")
_BAR: Final = re.compile(r"(?<!\\)\|")
_BORDER: Final = "\f"  # between two blocks of a page
_BLOCKS: Final = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main nav ol p pre section table tbody td tfoot th thead tr ul caption".split()
)

Words = tuple[str, ...]
Cell = tuple[Words, Words]
"""The words of a column's header, and those of one cell below it."""


@dataclass(frozen=True, slots=True)
class GoldText:
    """What a file says, as somebody else wrote it down, and the words around it that are no foreign ones.

    ``blocks`` are the same words block by block.
    """

    words: Words
    cells: tuple[Cell, ...] = ()
    around: Words = ()
    blocks: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadText:
    """What was read of a file: its words in order, its cells under their headers, and all its cells without them."""

    words: Words
    cells: Sequence[Cell] = ()
    all_cells: Sequence[Words] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one comparison or of many; shares are made of sums, so a long file weighs more than a short one."""

    words: int = 0
    found_words: int = 0
    grams: int = 0
    found_grams: int = 0
    block_grams: int = 0
    found_block_grams: int = 0
    read_words: int = 0
    foreign_words: int = 0
    unexcused_words: int = 0
    asides: int = 0
    found_asides: int = 0
    cells: int = 0
    found_cells: int = 0
    read_cells: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(*(getattr(self, name) + getattr(other, name) for name in Tally.__slots__))

    def shares(self) -> dict[str, float]:
        """Return what is reported, each in [0, 1]; a share of nothing is left out."""
        pairs = {
            "word_recall": (self.found_words, self.words),
            "gram_recall": (self.found_grams, self.grams),
            "block_gram_recall": (self.found_block_grams, self.block_grams),
            "foreign_words": (self.foreign_words, self.read_words),
            "foreign_beyond_asides": (self.unexcused_words, self.read_words),
            "aside_recall": (self.found_asides, self.asides),
            "cells_with_header": (self.found_cells, self.cells),
            "cells_read": (self.read_cells, self.cells),
        }
        return {name: round(part / whole, 4) for name, (part, whole) in pairs.items() if whole}


def words_of(text: str) -> Words:
    """Cut a text into the words that are compared; see the head of this module for what counts as one."""
    plain = unicodedata.normalize("NFKC", html.unescape(_COMMENT.sub(" ", text))).translate(_INVISIBLE)
    plain = _MIDNIGHT.sub(" ", _TAG.sub(" ", _TARGET.sub("] ", plain)))
    return tuple(_WORD.findall(_GLUED.sub(" ", plain).casefold()))


def compare(gold: GoldText, read: ReadText, asides: Words = ()) -> Tally:
    """Count what of a ground truth was read, and what was read that is not in it.

    Args:
        gold: the ground truth; a word it holds twice has to be read twice.
        read: what was read.
        asides: what the file holds beside its text (``bench.asides``); those that the ground truth has count as text.
    """
    wanted, found = Counter(gold.words), Counter(read.words)
    grams, found_grams = Counter(_grams(gold.words)), Counter(_grams(read.words))
    block_grams = Counter(gram for block in gold.blocks for gram in _grams(block))
    wanted_cells, beside = Counter(gold.cells), Counter(asides) - wanted
    foreign = found - wanted - Counter(gold.around)
    return Tally(
        words=wanted.total(),
        found_words=(wanted & found).total(),
        grams=grams.total(),
        found_grams=(grams & found_grams).total(),
        block_grams=block_grams.total(),
        found_block_grams=(block_grams & found_grams).total(),
        read_words=found.total(),
        foreign_words=foreign.total(),
        unexcused_words=(foreign - Counter(asides)).total(),
        asides=beside.total(),
        found_asides=(beside & (found - wanted)).total(),
        cells=wanted_cells.total(),
        found_cells=_found_cells(wanted_cells, Counter(read.cells)),
        read_cells=(Counter(cell for _, cell in gold.cells) & Counter(read.all_cells)).total(),
    )


def _found_cells(wanted: Counter[Cell], found: Counter[Cell]) -> int:
    """How many cells were read under their header, or under one that begins with it."""
    exact = wanted & found
    left: dict[Words, list[Words]] = {}
    for header, cell in (found - exact).elements():
        left.setdefault(cell, []).append(header)
    count = exact.total()
    for header, cell in (wanted - exact).elements():
        longer = next((one for one in left.get(cell, ()) if one[: len(header)] == header), None)
        if longer is not None:
            left[cell].remove(longer)
            count += 1
    return count


def _grams(words: Words) -> Iterator[Words]:
    return (words[at : at + GRAM_WORDS] for at in range(len(words) - GRAM_WORDS + 1))


def read_markdown(text: str) -> GoldText:
    """Read a ground truth of Markdown: its words, and the cells of its tables under the headers it gives them."""
    lines = _COMMENT.sub(" ", text).splitlines()
    return GoldText(
        words_of(text), tuple(_markdown_cells(text.splitlines())), blocks=tuple(words_of(line) for line in lines)
    )


def _markdown_cells(lines: Sequence[str]) -> Iterator[Cell]:
    headers: list[Words] = []
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            headers = []
        elif number + 1 < len(lines) and _RULE.match(lines[number + 1].strip()):
            headers = _cells_of(line)
            headers = headers if len(headers) > 1 else []
        elif headers and not _RULE.match(line.strip()):
            yield from _paired(headers, _cells_of(line))


def _cells_of(line: str) -> list[Words]:
    return [words_of(cell) for cell in _BAR.split(line.strip().removeprefix("|").removesuffix("|"))]


def _paired(headers: Sequence[Words], cells: Sequence[Words]) -> Iterator[Cell]:
    return ((header, cell) for header, cell in zip(headers, cells, strict=False) if header and cell)


def read_page(markup: str, around: str = "") -> GoldText:
    """Read a ground truth of HTML, the article of a page; ``around`` is what its reader sees beside it."""
    root = parse(markup)
    parts: list[str] = []
    pictures: list[str] = []
    for event, element in walk(root, "start", "end") if root is not None else ():
        border = _BORDER if element.tag in _BLOCKS else ""
        if event == "start":
            parts += [border, _number_of(element), element.text or ""]
            pictures.append(element.get("alt") or "")
        else:
            parts += [border, element.tail or ""]
    text = "".join(parts)
    return GoldText(
        words_of(text),
        around=words_of(" ".join((around, *pictures))),
        blocks=tuple(words_of(block) for block in text.split(_BORDER)),
    )


def _number_of(entry: Element) -> str:
    """The number that a browser writes before an entry of an ordered list."""
    parent = entry.getparent()
    if entry.tag != "li" or parent is None or parent.tag != "ol":
        return ""
    start = parent.get("start") or "1"
    place = next(at for at, one in enumerate(one for one in parent if one.tag == "li") if one is entry)
    return f"{int(start) + place if start.isdigit() else 1 + place}. "


def words_around(metadata: Path) -> str:
    """Return the title and the byline that readability found: it takes them out of the article, a reader sees them."""
    if not metadata.is_file():
        return ""
    told: Any = json.loads(metadata.read_text("utf-8"))
    fields = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    return " ".join(str(fields.get(name) or "") for name in ("title", "byline"))


def cells_read(table: str, headers: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells of a table as it is stored.

    Args:
        table: lines of cells; those of a note as it was typed, between bars.
        headers: the header of each column, in their order; columns without one may be left out.
    """
    names = list(headers)
    for line in table.split("\n"):
        cells = _stored_cells(line)
        told = [cell.strip() for cell in cells]
        if names and [cell for cell in told if cell] == [name.strip() for name in names if name.strip()]:
            names = told  # the header row itself knows which columns have none
        elif not _RULE.match(line.strip()):
            yield from _paired([words_of(name) for name in names], [words_of(cell) for cell in cells])


def words_of_cells(table: str) -> Iterator[Words]:
    """Yield the words of every cell of a table as it is stored, headers too; empty ones are left out."""
    lines = (line for line in table.split("\n") if not _RULE.match(line.strip()))
    return (words for line in lines for cell in _stored_cells(line) if (words := words_of(cell)))


def _stored_cells(line: str) -> list[str]:
    return line.strip().strip("|").split(CELL_JOINT) if line.startswith("|") else line.split(CELL_JOINT)


@dataclass(frozen=True, slots=True)
class Segments:
    """What must stand in the text of one page, and what must not: trafilatura's way to judge an extraction."""

    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]

    def shares(self, read: Words) -> tuple[int, int]:
        """Return how many wanted segments were read, and how many unwanted ones."""
        text = " ".join(read)  # segments may begin and end within a word
        found = [sum(" ".join(words_of(one)) in text for one in some) for some in (self.wanted, self.unwanted)]
        return found[0], found[1]


def read_segments(path: Path) -> dict[str, Segments]:
    """Read trafilatura's evaluation file: the name of a page -> its segments; pages without a name are left out."""
    rows: Any = json.loads(path.read_text("utf-8"))
    return {
        str(row["file"]): Segments(tuple(map(str, row.get("with", ()))), tuple(map(str, row.get("without", ()))))
        for row in cast("dict[str, dict[str, Any]]", rows).values()
        if row.get("file")
    }
