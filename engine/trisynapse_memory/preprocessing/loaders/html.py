"""Web pages in, their main text with headings, tables and metadata out; nothing is fetched, and no script runs.

trafilatura tells the article from menus and banners, where there are any; the text itself is read by our own walk
(``hypertext/articles.py``), and what a reader cannot see is taken out before (cases R25 and R26).
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final, Protocol, cast

from trisynapse_memory.contracts import Document
from trisynapse_memory.errors import (
    SourceDamagedError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.charsets import Reading, decode, looks_binary, meta_charset
from trisynapse_memory.preprocessing.hypertext.articles import article_of
from trisynapse_memory.preprocessing.hypertext.formulas import show_formulas
from trisynapse_memory.preprocessing.hypertext.saved import is_saved_page, page_inside
from trisynapse_memory.preprocessing.hypertext.statements import statements_of
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.office.leaves import HIDDEN, LeafDocument, cut
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.trees import Element, parse, strip
from trisynapse_memory.preprocessing.visibility import take_hidden
from trisynapse_memory.types import Heading, Modality

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
_SPARE_CHARS: Final = 500  # of a noscript element; less asks for JavaScript
_SHELL: Final = ("noscript", "script", "style", "template", "iframe", "svg", "button", "select", "input", "textarea")
_FRAME: Final = ("nav", "header", "footer", "aside", "form")


class HtmlLoader:
    """Reads web pages, saved or fetched."""

    name = "html"
    version = 2
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.9 for a page that says so itself, 0.5 for tags in a file named as one.

        A page that was saved as one file (MHTML, web archive) is 0.97: it is a mail or a list to others.
        """
        suffix = PurePath(filename).suffix.lower()
        start = head[:4096].replace(b"\0", b"").lower()
        if is_saved_page(head, suffix):
            return 0.97
        if suffix in _PROMISED or b"netscape-bookmark-file" in start or looks_binary(head):
            return 0.0
        if _begins_as_page(start):
            # A note that quotes a page is a note: its name says what its author holds it for.
            return 0.2 if suffix in _MARKUP_NAMES else 0.9
        return 0.5 if suffix in SUFFIXES and _TAG.search(start) else 0.0

    def open(self, path: Path, password: str | None = None, *, charset: str = "", filename: str = "") -> Document:
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
        if is_saved_page(raw[:65_536], PurePath(name).suffix.lower()):
            raw, charset = page_inside(raw) or (b"", "")
        if looks_binary(raw[:65_536]):
            raise SourceUnsupportedError(f"'{name}' is not a web page, but binary.", hint="Check what was saved.")
        text, reading = decode(raw, (charset, meta_charset(raw[:4096])))
        if not _TAG.search(text[:65_536].encode()) and not _begins_as_page(text[:4096].lower().encode()):
            raise SourceDamagedError(f"'{name}' holds no HTML.", hint="Save the page again.")
        root = parse(text)
        if root is None:
            raise SourceDamagedError(f"'{name}' holds no HTML.", hint="Save the page again.")
        return _document(root, reading)


def _document(root: Element, reading: Reading) -> LeafDocument:
    said = statements_of(root)
    published = said.published or _marked_date(root)
    show_formulas(root)
    hidden = take_hidden(root)
    is_static = root.find(".//script") is None
    blocks = _main_blocks(root)
    if _is_wall(blocks, is_static):
        blocks = []
    flags = ("charset-doubtful",) if reading.doubtful else ()
    note = f"read as {reading.encoding}; some letters may be wrong" if reading.doubtful else ""
    # What nobody sees goes to the first page, whichever page of ours it would have stood on.
    unseen = [Block(hidden, HIDDEN)] if hidden else []
    leaves = [replace(leaf, flags=flags, note=note if blocks else NO_ARTICLE) for leaf in cut([*unseen, *blocks])]
    heading = Heading(
        page_count=len(leaves),
        title=said.title,
        authors=said.authors,
        published=published,
        language=said.language,
        identifiers=said.identifiers,
        media_type="text/html",
        method="html",
    )
    return LeafDocument(heading, leaves, said_at=from_iso(published))


def _begins_as_page(start: bytes) -> bool:
    # Behind comments and an XML declaration, but not somewhere inside a text.
    body = re.sub(rb"^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s|<\?.*?\?>|<!--.*?-->)+", b"", start, flags=re.DOTALL)
    return body.startswith(_SIGNS)


class _Dates(Protocol):
    """What is used of htmldate, whose types name lxml's, which has none."""

    def find_date(self, page: Element, *, extensive_search: bool, original_date: bool) -> str | None: ...


def _marked_date(root: Element) -> str:
    """The date of publication that a page shows in its marks; its prose is not searched."""
    # Here: 0.3 s that only pages pay whose head states no date.
    import htmldate

    # A copy, because the library takes a tree apart while it reads it.
    return cast("_Dates", htmldate).find_date(deepcopy(root), extensive_search=False, original_date=True) or ""


def _main_blocks(root: Element) -> list[Block]:
    for spare in list(root.iter("noscript")):
        # Some blogs keep the whole post in a script, and say it again for browsers without one.
        if sum(len(part.text or "") for part in spare.iter("p", "div", "span", "li")) >= _SPARE_CHARS:
            spare.tag = "div"
    strip(root, *_SHELL)
    return article_of(root, _judged)


class _Found(Protocol):
    body: Element | None


class _Extraction(Protocol):
    """What is used of trafilatura, whose types name lxml's."""

    def bare_extraction(self, page: Element, *, include_comments: bool, include_tables: bool) -> _Found | None: ...


def _judged(page: Element) -> Element | None:
    # Here: 0.4 s that only long pages with menus pay.
    import trafilatura

    found = cast("_Extraction", trafilatura).bare_extraction(page, include_comments=False, include_tables=True)
    return found.body if found is not None else None


def _is_wall(blocks: list[Block], is_static: bool) -> bool:
    """Tell a script shell, a cookie wall or a bare menu from a short page."""
    walls = [block for block in blocks if _WALL.search(block.text)]
    rest = " ".join(block.text for block in blocks if block not in walls)
    if walls:
        return len(rest) < ARTICLE_FLOOR_CHARS and sum(len(block.text) for block in walls) >= len(rest)
    if is_static and any(block.level for block in blocks):
        return False  # a menu has no heading; a shell may have one, and a script that fills it
    return len(rest.split()) < ARTICLE_FLOOR_WORDS and not re.search(r"[.!?\u3002]", rest) and len(rest) < 40
