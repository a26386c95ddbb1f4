"""Jupyter notebooks in, their cells with headings, code and results out; nothing is run, and no picture is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import SourceTooLargeError
from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.cutting import cut_pages
from trisynapse_memory.preprocessing.markdown import outline
from trisynapse_memory.preprocessing.notebooks.cells import Cell, Notebook, read_notebook
from trisynapse_memory.preprocessing.paging import PagedText, open_text, open_utf8
from trisynapse_memory.preprocessing.plaintext import CutDocument, TextDocument, UnreadableError
from trisynapse_memory.types import Heading, Locator, Modality, Section

MEDIA_TYPE: Final = "application/x-ipynb+json"
WHOLE_MAX_BYTES: Final = 256 * 1024 * 1024  # pictures make notebooks large; parsed they take twice that
NAMED, BY_CONTENT = 0.7, 0.65
_SIGNS: Final = (b'"cell_type"', b'"nbformat"')


class NotebookLoader:
    """Reads Jupyter notebooks."""

    name = "notebook"
    version = 1
    modality = Modality.CODE.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.7 for a notebook's name, 0.65 for JSON with cells in it."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{" or looks_binary(head):
            return 0.0
        if PurePath(filename).suffix.lower() == ".ipynb":
            return NAMED
        return BY_CONTENT if b'"cells"' in head and any(sign in head for sign in _SIGNS) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> TextDocument | CutDocument:
        """Open a notebook; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceTooLargeError: it is larger than memory allows.
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        file, reading = open_utf8(path, name=name)
        whole = PagedText(file, ((0, file.seek(0, 2)),), reading)
        if whole.spans[0][1] > WHOLE_MAX_BYTES:
            whole.close()
            problem = f"'{name}' is larger than the {WHOLE_MAX_BYTES // 1_048_576} MiB that are read of a notebook."
            raise SourceTooLargeError(problem, hint="Clear its outputs and save it again.")
        try:
            return _document(whole, read_notebook(whole.page(1)))
        except UnreadableError as error:
            whole.close()
            note = f"not a notebook that can be read ({error}); read as plain text"
            return TextDocument(open_text(path, name=name), Modality.STRUCTURED, media_type=MEDIA_TYPE, note=note)


def _document(whole: PagedText, book: Notebook) -> CutDocument:
    """A notebook that is open: its cells one below the other."""
    written = _written(book)
    heading = Heading(
        page_count=1,
        title=book.title or written.title,
        authors=book.authors,
        media_type=MEDIA_TYPE,
        method="cells",
    )
    pages = cut_pages(written.text, written.sections)
    return CutDocument(whole, pages, heading, written.hidden, ("", "no cell holds a word"))


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    sections: tuple[Section, ...]
    title: str
    hidden: str


def _written(book: Notebook) -> _Written:
    """Cells as one text with a blank line between them; each section knows its cell."""
    parts: list[str] = []
    sections: list[Section] = []
    hidden: list[str] = []
    headings: tuple[tuple[int, str], ...] = ()
    length = 0
    for cell in book.cells:
        for place, words in enumerate((cell.source, *cell.outputs)):
            if not words.strip():
                continue
            start = length + 2 * bool(parts)
            parts += ["\n\n", words] if parts else [words]
            length = start + len(words)
            if cell.kind == "markdown":
                found = outline(words, 0, headings)
                headings = found.open_headings
                hidden += [found.hidden_text] if found.hidden_text else []
                sections += [_moved(one, start, cell.number) for one in found.sections]
            else:
                sections.append(_code(cell, place, (start, length), tuple(one for _, one in headings), book.language))
    title = next((one.path[-1] for one in sections if one.kind == "heading" and one.path), "")
    return _Written("".join(parts), tuple(sections), title, "\n".join(hidden))


def _moved(section: Section, start: int, number: int) -> Section:
    place = Locator(kind="cell", cell=number)
    return structs.replace(section, start=section.start + start, end=section.end + start, locator=place)


def _code(cell: Cell, place: int, span: tuple[int, int], path: tuple[str, ...], language: str) -> Section:
    """The source of a cell (place 0) or one of its results."""
    raw = cell.kind == "raw"
    fields = {} if place or raw else {"language": language}
    return Section(
        start=span[0],
        end=span[1],
        path=path,
        modality=Modality.DOCUMENT if raw else Modality.CODE,
        fields=fields,
        locator=Locator(kind="cell", cell=cell.number),
    )
