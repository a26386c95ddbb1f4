"""Articles in JATS or NLM XML in, their text by section with tables, captions, formulas and references out.

Nothing is fetched: figures stand in other files, and only their captions are read. The list of references is text of
the article, each entry with its identifiers; it makes no sources of its own.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.contracts import Document
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.jats.body import read_article
from trisynapse_memory.preprocessing.jats.front import heading_of
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.office.leaves import BROKEN, LeafDocument, cut
from trisynapse_memory.preprocessing.office.xml import below, name, read_xml
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

_SIGNS: Final = (
    b"<article-meta",
    b"article-type=",
    b"dtd-version=",
    b"<front>",
    b"<journal-meta",
    b"jats",
    b"nlm//dtd",
)
_ARTICLE: Final = re.compile(rb"<(?:\w+:)?article[\s>]")
_PAGE: Final = re.compile(rb"<(?:html|head|rss|feed)[\s>]")
SUFFIXES: Final = frozenset({".nxml", ".jats"})


class JatsLoader:
    """Reads articles as publishers and PubMed Central hand them out."""

    name = "jats"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for an article element with the marks of JATS or NLM."""
        start = head.replace(b"\0", b"").lower()
        if not start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<") or _PAGE.search(start[:4096]):
            return 0.0
        named = PurePath(filename).suffix.lower() in SUFFIXES
        if not _ARTICLE.search(start):
            return 0.0
        return 0.95 if named or sum(sign in start for sign in _SIGNS) >= 2 else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> Document:
        """Open an article; it has no password.

        Raises:
            SourceDamagedError: it holds no article.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name_ = filename or path.name
        root, is_whole = read_xml(read_original(path, name_, again="Download the article again."))
        article = None
        if root is not None:
            article = root if name(root) == "article" else next(iter(below(root, "article")), None)
        if article is None:
            raise SourceDamagedError(f"'{name_}' holds no article.", hint="Download the article again.")
        blocks = read_article(article)
        leaves = cut(blocks)
        if not is_whole:
            # What could be read is evidence; that something is missing is a page's verdict of its own.
            leaves.append(BROKEN)
        heading = heading_of(article, len(leaves))
        return LeafDocument(heading, leaves, said_at=from_iso(heading.published))
