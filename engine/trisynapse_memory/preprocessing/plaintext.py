"""A paged text in, its pages with paragraphs out: what readers of plain text share, and what others fall back on.

A file whose own reader finds it broken (JSON that is none) is still a text; ``note`` says so on every page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.markdown import paragraphs
from trisynapse_memory.preprocessing.paging import PagedText
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

GARBLED_SHARE: Final = 0.05  # of the characters; above it a page is more hole than text


CutPage = tuple[str, tuple[Section, ...]]
"""The text of one page, and its sections."""


class UnreadableError(ValueError):
    """A text is not what its name says, or too large or too deep to be read as such; the message says what and where.

    Its loader catches this and reads it as plain text.
    """


class TextDocument:
    """A text that is open, page by page."""

    def __init__(
        self,
        paged: PagedText,
        modality: Modality = Modality.DOCUMENT,
        *,
        media_type: str = "text/plain",
        note: str = "",
    ) -> None:
        self._paged = paged
        self._modality = modality
        self._note = note
        self.heading = Heading(page_count=paged.page_count, media_type=media_type, method="text")

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; a section is a paragraph."""
        for number in range(max(1, start), self._paged.page_count + 1):
            text = self._paged.page(number)
            yield self.judged(number, text), paragraphs(text, self._modality)

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a text contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._paged.close()

    def judged(self, number: int, text: str, hidden_text: str = "") -> Page:
        """Return a page with its verdict: as it is, empty, or more hole than text."""
        flags = ("hidden-text",) if hidden_text else ()
        flags, note = (*flags, *doubts(self._paged)[0]), "; ".join(filter(None, (self._note, doubts(self._paged)[1])))
        verdict = PageVerdict.OK
        if not text.strip():
            verdict, note = PageVerdict.EMPTY, "only white space"
        elif _holes(text) > GARBLED_SHARE:
            verdict, note = PageVerdict.GARBLED, "most of it is not text"
        return Page(number=number, text=text, verdict=verdict, flags=flags, note=note, hidden_text=hidden_text)


class CutDocument:
    """A text that was read whole and cut into pages; most have one.

    Args:
        whole: the open file; closed with the document.
        cut: the text of each page with its sections.
        heading: what is known of it; its page count is that of the pages.
        hidden: what a reader does not see, told with page 1.
        notes: what is said of a page, and of one without a word.
    """

    def __init__(
        self, whole: PagedText, cut: Sequence[CutPage], heading: Heading, hidden: str, notes: tuple[str, str]
    ) -> None:
        self._whole = whole
        self._pages = tuple(cut)
        self._hidden = hidden
        self._note, self._nothing = notes
        self.heading = structs.replace(heading, page_count=len(self._pages))

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones."""
        flags, doubt = doubts(self._whole)
        note = "; ".join(filter(None, (doubt, self._note)))
        for number in range(max(1, start), len(self._pages) + 1):
            text, sections = self._pages[number - 1]
            hidden = self._hidden if number == 1 else ""
            page = Page(
                number=number,
                text=text,
                verdict=PageVerdict.OK if text.strip() else PageVerdict.EMPTY,
                flags=(*flags, "hidden-text") if hidden else flags,
                method=self.heading.method,
                note=note if text.strip() else self._nothing,
                hidden_text=hidden,
            )
            yield page, sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a text contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._whole.close()


def doubts(paged: PagedText) -> tuple[tuple[str, ...], str]:
    """Return the flags and the note of a text whose encoding had to be guessed and reads oddly."""
    if not paged.reading.doubtful:
        return (), ""
    return ("charset-doubtful",), f"read as {paged.reading.encoding}; some letters may be wrong"


def _holes(text: str) -> float:
    return text.count("\ufffd") / len(text) if text else 0.0
