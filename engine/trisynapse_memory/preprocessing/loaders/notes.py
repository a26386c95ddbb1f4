"""Notes of Obsidian, Logseq and Notion in, pages with sections out: links as words, tags, properties, days.

What is stored is the note as its reader sees it (``notes/rewriting.py``); the file itself is kept as it came. A note
links to others by name: the field ``links`` of what stands under a heading holds them, and makes them searchable.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path, PurePath
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.markdown import FrontMatter, front_matter, outline
from trisynapse_memory.preprocessing.notes.bullets import is_bulleted, read_bullets
from trisynapse_memory.preprocessing.notes.names import has_id, journal_day, note_name
from trisynapse_memory.preprocessing.notes.properties import PageProperties, read_properties
from trisynapse_memory.preprocessing.notes.rewriting import Mark, rewrite
from trisynapse_memory.preprocessing.paging import PagedText, open_text
from trisynapse_memory.preprocessing.plaintext import TextDocument
from trisynapse_memory.types import Heading, Modality, Page, Section

SUFFIXES: Final = frozenset({".md", ".markdown"})
_SIGNS: Final = re.compile(
    rb"!?\[\[[^\[\]\n]+\]\]"  # a link or an embed
    rb"|^(?:[ \t]*>)+ ?\[![A-Za-z][\w-]*\]"  # a callout
    rb"|^[ \t]*(?:[-*] )?[A-Za-z][\w -]{0,40}:: \S"  # a property
    rb"|^(?:aliases|cssclasses):",  # front matter that these programs read
    re.MULTILINE,
)
_FENCED: Final = re.compile(rb"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_SURE: Final = 0.85  # above the text loader's 0.8 for the same name, below a format with a signature
MAX_NAMES: Final = 40  # links or tags of one section; an index page names hundreds, and each is in its text


class NotesLoader:
    """Reads Markdown that a program for notes wrote; other Markdown is the text loader's."""

    name = "notes"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.85 for Markdown with the marks or the name of a note, else 0."""
        if PurePath(filename).suffix.lower() not in SUFFIXES or not head or looks_binary(head):
            return 0.0
        if has_id(filename) or journal_day(filename) is not None:
            return _SURE
        return _SURE if _SIGNS.search(_FENCED.sub(b"", head)) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> NoteDocument:
        """Open a note; it has no password. ``filename`` is the name it came under: what the note is called.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        return NoteDocument(open_text(path, name=filename, fences=True), filename or path.name)


class NoteDocument(TextDocument):
    """A note that is open: a section is a block under its headings, with the links and tags in it."""

    def __init__(self, paged: PagedText, filename: str) -> None:
        super().__init__(paged)
        first = paged.page(1)
        self._front: FrontMatter = front_matter(first)
        made = rewrite(first, self._front.end)
        self._said: PageProperties = read_properties(made, self._front, is_exported=has_id(filename))
        self._observed: datetime | None = self._said.observed_at or journal_day(filename)
        self.heading = Heading(
            page_count=paged.page_count,
            title=self._said.title or note_name(filename),
            authors=self._front.authors,
            published=self._observed.date().isoformat() if self._observed else self._front.date,
            media_type="text/markdown",
            method="notes",
            tags=tuple(dict.fromkeys((*self._said.tags, *(one.value for one in made.marks if one.kind == "tag")))),
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; earlier pages are read too, for the headings they leave open."""
        headings: tuple[tuple[int, str], ...] = ()
        for number in range(1, self._paged.page_count + 1):
            begin = self._front.end if number == 1 else 0
            made = rewrite(self._paged.page(number), begin)
            if is_bulleted(made.text, begin):
                sections, hidden = read_bullets(made.text, begin), ""
            else:
                found = outline(made.text, begin, headings)
                headings, sections, hidden = found.open_headings, found.sections, found.hidden_text
            if number >= start:
                hidden = "\n".join(part for part in (hidden, made.hidden_text) if part)
                told = tuple(self._told(sections, made.marks, is_first=number == 1))
                yield self.judged(number, made.text, hidden), told

    def _told(self, sections: Sequence[Section], marks: list[Mark], *, is_first: bool) -> Iterator[Section]:
        """Give sections the links and tags that stand under their heading, the first ones what stands above the note.

        By heading, not by paragraph: neighbours that say the same of themselves are packed into one record, and a
        paragraph alone with its one link would be a record too small to be found by its sense.
        """
        places = [mark.place for mark in marks]
        for count, (_, group) in enumerate(groupby(sections, key=lambda one: one.path)):
            together = list(group)
            here = marks[bisect_left(places, together[0].start) : bisect_right(places, together[-1].end)]
            tags = (*self._said.tags, *(mark.value for mark in here if mark.kind == "tag"))
            told = {
                "links": _listed(mark.value for mark in here if mark.kind == "link"),
                "tags": _listed(tags),
                "aliases": _listed(self._said.aliases),
                **(self._said.others if is_first and count == 0 else {}),
            }
            said = {name: value for name, value in told.items() if value}
            for section in together:
                yield structs.replace(section, fields={**section.fields, **said}, observed_at=self._observed)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(list(dict.fromkeys(names))[:MAX_NAMES])
