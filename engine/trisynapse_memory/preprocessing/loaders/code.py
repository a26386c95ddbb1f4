"""Source code in, its text with a section for each function, class and method out; nothing is run or imported.

The text is the file's own. Grammars lie in packages of their own, one a language; what no grammar reads is left to the
text loader.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.code.languages import CodeLanguage, language_of
from trisynapse_memory.preprocessing.code.sections import is_minified, sections_of
from trisynapse_memory.preprocessing.cutting import cut_pages
from trisynapse_memory.preprocessing.paging import PagedText, open_text, open_utf8
from trisynapse_memory.preprocessing.plaintext import TextDocument, doubts
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

NAMED, BY_SHEBANG = 0.6, 0.5
WHOLE_MAX_BYTES: Final = 4 * 1024 * 1024  # nobody writes a larger file; a dump of a database is read as text
MINIFIED: Final = "packed code: kept, and no evidence"
_HEAD_BYTES: Final = 8192


class CodeLoader:
    """Reads source code by its grammar."""

    name = "code"
    version = 1
    modality = Modality.CODE.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.6 for the name of a language it knows, 0.5 for a script that names one."""
        if not head.strip() or looks_binary(head):
            return 0.0
        if language_of(filename, "") is not None:
            return NAMED
        return BY_SHEBANG if head.startswith(b"#!") and language_of(filename, _start(head)) is not None else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> TextDocument | CodeDocument:
        """Open a source file; it has no password.

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
        file.seek(0)
        language = language_of(name, _start(file.read(_HEAD_BYTES)))
        if language is not None and whole.spans[0][1] <= WHOLE_MAX_BYTES:
            return CodeDocument(whole, language, name)
        whole.close()
        note = f"larger than {WHOLE_MAX_BYTES // 1_048_576} MiB: cut at blank lines" if language else ""
        return TextDocument(open_text(path, name=name), Modality.CODE, media_type="text/x-source", note=note)


class CodeDocument:
    """A source file that is open, page by page; most have one."""

    def __init__(self, whole: PagedText, language: CodeLanguage, name: str) -> None:
        self._whole = whole
        text = whole.page(1)
        self._minified = is_minified(text)
        sections = () if self._minified or not text.strip() else sections_of(text, language, name)
        self._pages: tuple[tuple[str, tuple[Section, ...]], ...] = cut_pages(text, sections)
        media_type = f"text/x-{language.name.replace('#', 'sharp').replace('+', 'p')}"
        self.heading = Heading(page_count=len(self._pages), media_type=media_type, method="code")

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; a section is a symbol, or what stands between two."""
        flags, note = doubts(self._whole)
        for number in range(max(1, start), len(self._pages) + 1):
            text, sections = self._pages[number - 1]
            verdict = PageVerdict.OK
            if not text.strip():
                verdict, note = PageVerdict.EMPTY, "only white space"
            elif self._minified:
                verdict, note = PageVerdict.SKIPPED, MINIFIED
            yield Page(number=number, text=text, verdict=verdict, flags=flags, method="code", note=note), sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a source file contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._whole.close()


def _start(head: bytes) -> str:
    return head[:_HEAD_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
