"""A feed in (RSS, RDF, Atom, JSON Feed), its entries as links of their own out; no page behind them is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Protocol, cast

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.bookmarking.entries import Bookmark, BookmarkDocument, open_bookmarks
from trisynapse_memory.preprocessing.charsets import decode, looks_binary, meta_charset
from trisynapse_memory.preprocessing.markup import read_blocks
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.trees import parse
from trisynapse_memory.preprocessing.urls import WEB_SCHEMES, host_of, scheme_of
from trisynapse_memory.text.identifiers import normalise
from trisynapse_memory.types import Modality

_AGAIN: Final = "Save the feed again from its address."
_SURE: Final = 0.97
SUMMARY_MAX_CHARS: Final = 1500  # what an abstract has; the whole text is behind the link
MAX_ENTRIES: Final = 20_000
GUID: Final = "guid"
"""The scheme of the id that a feed gives an entry; it stays where the link of the entry moves."""
# Behind the declaration, comments, style sheets and a document type, the first element says what it is.
_PROLOGUE: Final = re.compile(
    rb"^(?:\xef\xbb\xbf|\s|<\?.*?\?>|<!--.*?-->|<![A-Za-z][^>\[]*(?:\[[^\]]*\])?[^>]*>)+", re.DOTALL
)
_ROOT: Final = re.compile(
    rb"<(?:\w+:)?(?:rss[\s>]|feed\b[^>]*http://(?:www\.w3\.org/2005/Atom|purl\.org/atom)"
    rb"|RDF\b[^>]*http://(?:purl\.org/rss/1|my\.netscape\.com/rdf))",
    re.IGNORECASE | re.DOTALL,
)
_JSON_FEED: Final = re.compile(
    rb'^\s*\{.{0,2000}?"version"\s*:\s*"https?:(?:\\?/){2}jsonfeed\.org(?:\\?/)version', re.DOTALL
)
_DOCTYPE: Final = re.compile(r"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)


class _FeedParser(Protocol):
    def parse(self, stream: BytesIO, *, response_headers: Mapping[str, str]) -> dict[str, Any]: ...


class FeedLoader:
    """Reads feeds."""

    name = "feed"
    version = 2
    modality = Modality.BOOKMARK.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.97 for what begins as a feed, else 0."""
        start = head[:8192]
        if looks_binary(start):
            return 0.0
        prologue = _PROLOGUE.match(start)
        is_feed = _ROOT.match(start, prologue.end() if prologue else 0) or _JSON_FEED.match(
            start.removeprefix(b"\xef\xbb\xbf")
        )
        return _SURE if is_feed else 0.0

    def open(
        self, path: Path, password: str | None = None, *, charset: str = "", filename: str = ""
    ) -> BookmarkDocument:
        """Open a feed; it has no password.

        Args:
            path: the file.
            password: not used.
            charset: what the server said of it.
            filename: the name it came under, for messages.

        Raises:
            SourceDamagedError: it is no feed, or no entry in it can be taken in.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again=_AGAIN)
        text, _ = decode(raw, (charset, meta_charset(raw[:1024])))
        is_json = text.lstrip().startswith("{")
        title, entries = _read_json(text, name) if is_json else _read_xml(text, name)
        media_type = "application/feed+json" if is_json else "application/rss+xml"
        return open_bookmarks(name, entries, title=title, media_type=media_type, hint=_AGAIN)


def _read_xml(text: str, name: str) -> tuple[str, Iterator[Bookmark]]:
    # 0.1 s that only feeds pay; by name, because it ships no types.
    feedparser = cast("_FeedParser", import_module("feedparser"))
    # Entities that a feed declares itself are of use only to those who want to exhaust us. The bytes are wrapped,
    # or the library would take them for the name of a file or an address.
    content = _DOCTYPE.sub("", text, count=1).encode("utf-8", "replace")
    try:
        whole = feedparser.parse(BytesIO(content), response_headers={"content-type": "application/xml; charset=utf-8"})
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        raise SourceDamagedError(f"'{name}' is no feed that can be read.", hint=_AGAIN) from error
    if not whole.get("version"):
        raise SourceDamagedError(f"'{name}' is no feed that can be read.", hint=_AGAIN)
    title = str(whole["feed"].get("title") or "")
    return title, (_entry(one, title) for one in whole["entries"][:MAX_ENTRIES])


def _entry(row: Mapping[str, Any], feed: str) -> Bookmark:
    link = str(row.get("link") or "")
    name = str(row.get("id") or "")
    # Asked for a date of change that there is not, the library warns and gives another.
    moment = row.get("published_parsed") or (row.get("updated_parsed") if "updated_parsed" in row else None)
    people = [str(one.get("name") or "") for one in row.get("authors") or ()] or [str(row.get("author") or "")]
    url = link or (name if name.startswith(("http://", "https://")) else "")
    return _bookmark(
        name,
        str(row.get("arxiv_doi") or ""),
        people,
        Bookmark(
            url=url,
            title=_plain(str(row.get("title") or "")),
            description=_plain(str(row.get("summary") or _content(row))),
            path=(feed,) if feed else (),
            tags=tuple(str(tag.get("label") or tag.get("term") or "") for tag in row.get("tags") or ())[:50],
            added=_moment(moment),
        ),
    )


def _bookmark(name: str, doi: str, people: Iterable[str], said: Bookmark) -> Bookmark:
    """An entry with what it is known by: a paper at arXiv in all its versions is one, an entry without a link its id.

    Args:
        name: the id that its feed gives it.
        doi: what the feed calls the DOI of what lies behind it, or empty.
        people: who wrote it.
        said: everything else.
    """
    authors = tuple(dict.fromkeys(" ".join(one.split()) for one in people if one.strip()))
    arxiv = normalise("arxiv", said.url) if host_of(said.url).endswith("arxiv.org") else ""
    named = {"arxiv": arxiv, "doi": normalise("doi", doi), GUID: name if name != said.url else ""}
    return replace(
        said,
        key=f"https://arxiv.org/abs/{arxiv}" if arxiv else name if not said.url else "",
        authors=authors,
        published=f"{said.added:%Y-%m-%d}" if said.added else "",
        identifiers=named,
        fields={"author": ", ".join(authors)},
    )


def _content(row: Mapping[str, Any]) -> str:
    return next((str(one.get("value") or "") for one in row.get("content") or ()), "")


def _moment(parts: Any) -> datetime | None:
    """The moment of feedparser's time tuple, which is in UTC."""
    try:
        return datetime(*parts[:6], tzinfo=UTC) if parts else None
    except (ValueError, TypeError):
        return None


def _read_json(text: str, name: str) -> tuple[str, Iterator[Bookmark]]:
    try:
        read: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceDamagedError(f"'{name}' is no feed that can be read.", hint=_AGAIN) from error
    whole = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    rows = whole.get("items")
    title = str(whole.get("title") or "")
    found = cast("list[Any]", rows) if isinstance(rows, list) else []
    entries = [cast("dict[str, Any]", one) for one in found[:MAX_ENTRIES] if isinstance(one, dict)]
    return title, (_json_entry(one, title) for one in entries)


def _json_entry(row: Mapping[str, Any], feed: str) -> Bookmark:
    authors = row.get("authors")
    people = cast("list[Any]", authors) if isinstance(authors, list) else [row.get("author")]
    names = [str(cast("dict[str, Any]", one).get("name") or "") for one in people if isinstance(one, dict)]
    tags, name = row.get("tags"), str(row.get("id") or "")
    return _bookmark(
        name,
        "",
        names,
        Bookmark(
            url=str(row.get("url") or row.get("external_url") or (name if scheme_of(name) in WEB_SCHEMES else "")),
            title=str(row.get("title") or ""),
            description=_shortened(str(row.get("summary") or row.get("content_text") or ""))
            or _plain(str(row.get("content_html") or "")),
            path=(feed,) if feed else (),
            tags=tuple(str(tag) for tag in cast("list[Any]", tags)[:50]) if isinstance(tags, list) else (),
            added=from_iso(str(row.get("date_published") or row.get("date_modified") or "")),
        ),
    )


def _plain(markup: str) -> str:
    """The words of a stretch of HTML; a text without markup is one already."""
    if "<" not in markup and "&" not in markup:
        return _shortened(markup)
    root = parse(f"<html><body><div>{markup}</div></body></html>")
    body = root.find("body") if root is not None else None
    return _shortened("\n".join(block.text for block in read_blocks(body))) if body is not None else ""


def _shortened(text: str) -> str:
    """At most so many characters, cut where a sentence ends if one does."""
    text = text.strip()
    if len(text) <= SUMMARY_MAX_CHARS:
        return text
    cut = text[:SUMMARY_MAX_CHARS]
    end = max(cut.rfind(". "), cut.rfind("\n"))
    return cut[: end + 1].strip() if end > SUMMARY_MAX_CHARS // 2 else f"{cut.rstrip()} \u2026"
