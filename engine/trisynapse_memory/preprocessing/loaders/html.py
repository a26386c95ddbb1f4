"""Web pages in, their main text with headings, tables and metadata out; nothing is fetched, and no script runs.

trafilatura tells the article from menus and banners. It flattens short pages into one paragraph and takes hidden text
with it (measured, cases R25 and R26), so hidden text is taken out before, and short pages are read by our own walk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path, PurePath
from typing import Final, Protocol, cast

from trisynapse_memory.errors import (
    SourceDamagedError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.blocks import Block, compose
from trisynapse_memory.preprocessing.charsets import Reading, decode, looks_binary, meta_charset
from trisynapse_memory.preprocessing.markup import mark_code, read_blocks
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.trees import Element, parse, strip
from trisynapse_memory.preprocessing.visibility import take_hidden
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

NO_ARTICLE: Final = "page has no article text"
SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml"})
_SIGNS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")
_TAG: Final = re.compile(rb"<(?:p|div|h[1-6]|table|ul|article|title|meta|span|br)\b", re.IGNORECASE)
_PROMISED: Final = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".epub", ".png", ".jpg", ".jpeg", ".zip"})
_MARKUP_NAMES: Final = frozenset({".md", ".markdown", ".mdx", ".txt", ".rst", ".py", ".js", ".ts", ".php", ".vue"})

# Case R25. Below the floor a page with one of these phrases is a shell or a wall; a page about cookies is longer.
ARTICLE_FLOOR_CHARS: Final = 120
ARTICLE_FLOOR_WORDS: Final = 5  # fewer words than that is a menu
_WALL: Final = re.compile(
    r"(?:enable|requires?|need|without|activate|turn on|aktivieren)\b.{0,30}\bjavascript"
    r"|javascript\b.{0,30}\b(?:disabled|required|enabled|deaktiviert)|\bcookies?\b|accept all|reject all"
    r"|your privacy|your consent|checking your browser|just a moment|verify (?:that )?you are (?:a )?human"
    r"|unusual traffic|access denied|please wait|^loading\W*$",
    re.IGNORECASE,
)
_FLATTENED_CHARS: Final = 500  # twice trafilatura's own floor of 250, below which it flattens
_SHELL: Final = ("noscript", "script", "style", "template", "iframe", "svg", "button", "select", "input", "textarea")
_FRAME: Final = ("nav", "header", "footer", "aside", "form")


class HtmlLoader:
    """Reads web pages, saved or fetched."""

    name = "html"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.9 for a page that says so itself, 0.5 for tags in a file named as one."""
        suffix = PurePath(filename).suffix.lower()
        start = head[:4096].replace(b"\0", b"").lower()
        if suffix in _PROMISED or b"netscape-bookmark-file" in start or looks_binary(head):
            return 0.0
        if _begins_as_page(start):
            # A note that quotes a page is a note: its name says what its author holds it for.
            return 0.2 if suffix in _MARKUP_NAMES else 0.9
        return 0.5 if suffix in SUFFIXES and _TAG.search(start) else 0.0

    def open(self, path: Path, password: str | None = None, *, charset: str = "", filename: str = "") -> HtmlDocument:
        """Open a page; it has no password.

        Args:
            path: the file.
            password: not used.
            charset: what the server said in its Content-Type; it wins over the page's own word (case R24).
            filename: the name it came under, where that is not the name of ``path``; for messages.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceDamagedError: there is no HTML in it.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Save the page again.")
        if looks_binary(raw[:65_536]):
            raise SourceUnsupportedError(f"'{name}' is not a web page, but binary.", hint="Check what was saved.")
        text, reading = decode(raw, (charset, meta_charset(raw[:4096])))
        if not _TAG.search(text[:65_536].encode()) and not _begins_as_page(text[:4096].lower().encode()):
            raise SourceDamagedError(f"'{name}' holds no HTML.", hint="Save the page again.")
        root = parse(text)
        if root is None:
            raise SourceDamagedError(f"'{name}' holds no HTML.", hint="Save the page again.")
        return HtmlDocument(root, reading)


class HtmlDocument:
    """A web page that is open: one page of text, made when it is opened."""

    def __init__(self, root: Element, reading: Reading) -> None:
        title, authors, published = _metadata(root)
        hidden = take_hidden(root)
        blocks = _main_blocks(root)
        observed_at = from_iso(published)
        self.heading = Heading(
            page_count=1,
            title=title,
            authors=authors,
            published=published,
            language=(root.get("lang") or "").strip()[:35],
            media_type="text/html",
            method="html",
        )
        text, sections = ("", ()) if _is_wall(blocks) else compose(blocks, observed_at)
        flags = tuple(
            flag for flag, raised in (("hidden-text", hidden), ("charset-doubtful", reading.doubtful)) if raised
        )
        note = f"read as {reading.encoding}; some letters may be wrong" if reading.doubtful else ""
        self._sections: tuple[Section, ...] = sections
        self._page = Page(
            number=1,
            text=text,
            verdict=PageVerdict.OK if text else PageVerdict.EMPTY,
            flags=flags,
            method="html",
            note=note if text else NO_ARTICLE,
            hidden_text=hidden,
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield the one page there is, unless ``start`` lies behind it."""
        if start <= 1:
            yield self._page, self._sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a page contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def _begins_as_page(start: bytes) -> bool:
    # Behind comments and an XML declaration, but not somewhere inside a text.
    body = re.sub(rb"^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s|<\?.*?\?>|<!--.*?-->)+", b"", start, flags=re.DOTALL)
    return body.startswith(_SIGNS)


class _Found(Protocol):
    title: str | None
    author: str | None
    date: str | None
    body: Element | None


class _Extraction(Protocol):
    """What is used of trafilatura, whose types name lxml's, which has none."""

    def bare_extraction(self, page: Element, *, include_comments: bool, include_tables: bool) -> _Found | None: ...


class _Metadata(Protocol):
    def extract_metadata(self, page: Element, *, date_config: dict[str, bool]) -> _Found: ...


def _metadata(root: Element) -> tuple[str, tuple[str, ...], str]:
    """Title, authors and date of publication, as the page itself states them; nothing is guessed from its text."""
    # Here and below: 0.4 s that only web pages pay.
    from trafilatura import metadata

    # Copies, because trafilatura takes a tree apart while it reads it.
    found = cast("_Metadata", metadata).extract_metadata(
        deepcopy(root), date_config={"extensive_search": False, "original_date": True}
    )
    authors = tuple(name for part in (found.author or "").split(";") if (name := part.strip()))
    return " ".join((found.title or "").split()), authors, found.date or ""


def _main_blocks(root: Element) -> list[Block]:
    import trafilatura

    strip(root, *_SHELL)
    mark_code(root)
    found = cast("_Extraction", trafilatura).bare_extraction(
        deepcopy(root), include_comments=False, include_tables=True
    )
    body = found.body if found is not None else None
    blocks = read_blocks(body) if body is not None else []
    if sum(len(block.text) for block in blocks) >= _FLATTENED_CHARS and len(blocks) > 1:
        return blocks
    own = _whole_page(root)
    # Our walk judges no boilerplate, so a long page is its only when trafilatura found next to nothing.
    return own if own and (len(blocks) <= 1 or len(own) <= 2 * len(blocks) + 4) else blocks


def _whole_page(root: Element) -> list[Block]:
    """Everything outside menus and footers; inside an article or main element when there is one."""
    copy = deepcopy(root)
    main = next((found for tag in ("article", "main") if (found := copy.find(f".//{tag}")) is not None), None)
    start = main if main is not None else copy.find("body")
    if start is None:
        return []
    strip(start, *_FRAME)
    return read_blocks(start)


def _is_wall(blocks: list[Block]) -> bool:
    """Tell a script shell, a cookie wall or a bare menu from a short page."""
    walls = [block for block in blocks if _WALL.search(block.text)]
    rest = " ".join(block.text for block in blocks if block not in walls)
    if walls:
        return len(rest) < ARTICLE_FLOOR_CHARS and sum(len(block.text) for block in walls) >= len(rest)
    return len(rest.split()) < ARTICLE_FLOOR_WORDS and not re.search(r"[.!?\u3002]", rest) and len(rest) < 40
