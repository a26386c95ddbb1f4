"""reStructuredText and AsciiDoc in, their text with headings, lists, tables and listings out; nothing is included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block, compose
from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.cutting import cut_pages
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.paging import PagedText, open_text, open_utf8
from trisynapse_memory.preprocessing.plaintext import CutDocument, TextDocument, UnreadableError
from trisynapse_memory.types import Heading, Modality

REST_SUFFIXES: Final = frozenset({".rst", ".rest"})
ASCIIDOC_SUFFIXES: Final = frozenset({".adoc", ".asciidoc", ".asc"})
NAMED: Final = 0.8
WHOLE_MAX_BYTES: Final = 2 * 1024 * 1024  # docutils reads some 300 KB a second
_NO_ASCIIDOC: Final = re.compile(rb"-----BEGIN PGP|^ncols|^NCOLS")  # .asc is also a signature, or a grid of heights


class LightweightLoader:
    """Reads texts in light markup other than Markdown."""

    name = "lightweight"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.8 for a text named as one of its formats."""
        suffix = PurePath(filename).suffix.lower()
        if suffix not in REST_SUFFIXES | ASCIIDOC_SUFFIXES or not head.strip() or looks_binary(head):
            return 0.0
        return 0.0 if suffix == ".asc" and _NO_ASCIIDOC.search(head[:200]) else NAMED

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> TextDocument | CutDocument:
        """Open a text; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        file, reading = open_utf8(path, name=name)
        whole = PagedText(file, ((0, file.seek(0, 2)),), reading)
        note = f"larger than {WHOLE_MAX_BYTES // 1_048_576} MiB: read as plain text"
        if whole.spans[0][1] <= WHOLE_MAX_BYTES:
            try:
                rest = PurePath(name).suffix.lower() not in ASCIIDOC_SUFFIXES
                return _rest_document(whole) if rest else _asciidoc_document(whole)
            except UnreadableError as error:
                note = f"{error}; read as plain text"
        whole.close()
        return TextDocument(open_text(path, name=name), note=note)


def _rest_document(whole: PagedText) -> CutDocument:
    # Each reader's patterns cost some milliseconds, which only its own files need pay.
    from trisynapse_memory.preprocessing.lightweight.rest import read_rest

    found = read_rest(whole.page(1))
    heading = Heading(
        page_count=1,
        title=found.title,
        authors=tuple(found.authors),
        published=found.published,
        media_type="text/x-rst",
        method="markup",
    )
    return _document(whole, found.blocks, heading, "\n".join(found.hidden))


def _asciidoc_document(whole: PagedText) -> CutDocument:
    from trisynapse_memory.preprocessing.lightweight.asciidoc import read_asciidoc

    found = read_asciidoc(whole.page(1))
    heading = Heading(
        page_count=1,
        title=found.title,
        authors=found.authors,
        published=found.published,
        media_type="text/asciidoc",
        method="markup",
    )
    note = f"not followed: include {', '.join(found.includes[:5])}" if found.includes else ""
    return _document(whole, found.blocks, heading, "\n".join(filter(None, found.hidden)), note)


def _document(whole: PagedText, blocks: Sequence[Block], heading: Heading, hidden: str, note: str = "") -> CutDocument:
    text, sections = compose(list(blocks), from_iso(heading.published))
    return CutDocument(whole, cut_pages(text, sections), heading, hidden, (note, "nothing a reader sees"))
