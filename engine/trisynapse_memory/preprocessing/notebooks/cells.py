"""The JSON of a notebook in, its cells in order out, whichever version wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from trisynapse_memory.preprocessing.notebooks.outputs import joined, without_images, words_of
from trisynapse_memory.preprocessing.plaintext import UnreadableError

HEADING_MAX: Final = 6


class NotNotebookError(UnreadableError):
    """A text is no notebook; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``kind`` is ``markdown``, ``code`` or ``raw``; ``number`` counts all cells from 1."""

    number: int
    kind: str
    source: str
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook: its cells, the language of its code, and what it says of itself."""

    cells: tuple[Cell, ...]
    language: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()


def read_notebook(text: str) -> Notebook:
    """Read a notebook of format 3 or 4.

    Raises:
        NotNotebookError: it is none, or no valid JSON.
    """
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotNotebookError(f"not valid JSON at line {error.lineno}") from error
    except (RecursionError, ValueError) as error:
        raise NotNotebookError("not valid JSON") from error
    book = _mapping(found)
    cells = _cells(book)
    if cells is None:
        raise NotNotebookError("no cells in it")
    about = _mapping(book.get("metadata"))
    return Notebook(
        cells=tuple(_cell(number, _mapping(cell)) for number, cell in enumerate(cells, 1)),
        language=_language(about),
        title=_text(about.get("title")) or _text(about.get("name")),
        authors=tuple(name for one in _list(about.get("authors")) if (name := _text(_mapping(one).get("name")))),
    )


def _cells(book: Mapping[str, object]) -> list[object] | None:
    if isinstance(book.get("cells"), list):
        return _list(book["cells"])
    if isinstance(book.get("worksheets"), list):
        return [cell for sheet in _list(book["worksheets"]) for cell in _list(_mapping(sheet).get("cells"))]
    return None


def _cell(number: int, cell: Mapping[str, object]) -> Cell:
    kind = _text(cell.get("cell_type")) or "raw"
    source = _readable(joined(cell.get("source", cell.get("input"))))
    if kind == "heading":
        level = cell.get("level")
        marks = "#" * min(HEADING_MAX, max(1, level if isinstance(level, int) else 1))
        return Cell(number, "markdown", f"{marks} {' '.join(source.split())}")
    if kind == "code":
        outputs: Sequence[object] = _list(cell.get("outputs"))
        return Cell(number, kind, source, tuple(_readable(words) for words in words_of(outputs)))
    return Cell(number, "markdown" if kind == "markdown" else "raw", without_images(source))


def _readable(text: str) -> str:
    # Half a surrogate pair ("\ud800") is no letter and cannot be stored.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").strip("\n")


def _language(about: Mapping[str, object]) -> str:
    found = _text(_mapping(about.get("language_info")).get("name"))
    return (found or _text(_mapping(about.get("kernelspec")).get("language")) or "python").lower()


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    return " ".join(_readable(value).split())[:500] if isinstance(value, str) else ""
