"""A web address in, the bytes behind it with their real type out; what they say is read by a loader, not here.

The type is judged by content: a landing page behind ``paper.pdf`` is a web page, a PDF behind ``download?id=7`` is a
PDF, and the file name says so, because loaders look at it too. A server that is busy is asked again after a pause, as
long as somebody can be expected to wait for it.
"""

from __future__ import annotations

import mimetypes
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import PurePosixPath
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from trisynapse_memory.errors import (
    SourceBusyError,
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
)
from trisynapse_memory.preprocessing.charsets import header_charset
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, media_type
from trisynapse_memory.providers.egress import NO_HEADERS, Reply
from trisynapse_memory.providers.wires.retries import PASSING, pause_before, retry_after

PURPOSE: Final = "fetch a source"
NAME_MAX_BYTES: Final = 240  # case R18: file systems take 255, and suffixes are added
NOT_MODIFIED: Final = 304
_MISSING: Final = frozenset({404, 410})
_DENIED: Final = frozenset({401, 402, 403, 407, 451})
_SUFFIXES: Final = {
    "text/html": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/xml": ".xml",
}
_UNFIT: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


class Getter(Protocol):
    """What fetching needs of ``Egress``."""

    def get(self, url: str, purpose: str, headers: Mapping[str, str] = NO_HEADERS) -> Reply:
        """Fetch one address and follow its redirects."""
        ...


@dataclass(frozen=True, slots=True)
class ServerStamp:
    """By what a server tells one state of a page from the next: its ``ETag`` and ``Last-Modified``, as they came."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> dict[str, str]:
        """Return the headers that ask for the page only if it is in another state."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


NO_STAMP: Final = ServerStamp()


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave: ``charset`` is what the server said, or empty; ``filename`` ends as its content demands.

    ``is_unchanged``: the server says that it is as she has it; there is no content then.
    """

    content: bytes
    final_url: str
    media_type: str
    charset: str
    filename: str
    stamp: ServerStamp = NO_STAMP
    is_unchanged: bool = False


def fetch(
    url: str,
    egress: Getter,
    *,
    known: ServerStamp = NO_STAMP,
    headers: Mapping[str, str] = NO_HEADERS,
    pause: Callable[[float], object] = time.sleep,
) -> Fetched:
    """Get what is behind an address, so that it can be stored and read like a file.

    Args:
        url: an http or https address.
        egress: the door to the network; its errors pass through.
        known: the stamp of the page she has, which is not sent again.
        headers: more than the usual ones.
        pause: waits so many seconds before a busy server is asked again.

    Raises:
        SourceMissingError: the server says that nothing is there.
        SourceDeniedError: the server asks for a login, or payment.
        SourceEmptyError: the answer has no content.
        SourceBusyError: the server is busy or broken, after several tries.
        SourceError: the server failed.
    """
    reply = patiently(url, egress, {**known.headers(), **headers}, pause)
    stamp = ServerStamp(_header(reply, "etag"), _header(reply, "last-modified"))
    if reply.status == NOT_MODIFIED and known.headers():
        return Fetched(b"", reply.url, "", "", "", stamp, is_unchanged=True)
    raise_for_status(reply)
    if not reply.content:
        raise SourceEmptyError(f"'{_host(reply.url)}' sent nothing.", hint="Open the address in a browser.")
    stated = reply.headers.get("content-type", "")
    name = _stated_name(reply)
    found = _real_type(reply.content[:HEAD_BYTES], name, stated)
    return Fetched(reply.content, reply.url, found, header_charset(stated), _fitting_name(name, found), stamp)


def patiently(url: str, egress: Getter, headers: Mapping[str, str], pause: Callable[[float], object]) -> Reply:
    """Ask again while a server is busy and wants no pause that nobody would wait for; return its last answer."""
    attempt = 1
    while True:
        reply = egress.get(url, PURPOSE, headers)
        wait_s = pause_before(attempt, retry_after(reply.headers)) if reply.status in PASSING else None
        if wait_s is None:
            return reply
        pause(wait_s)
        attempt += 1


def raise_for_status(reply: Reply) -> None:
    """Say in words what a status means.

    Raises:
        SourceMissingError, SourceDeniedError, SourceBusyError, SourceError: it is not one of success.
    """
    host, status = _host(reply.url), reply.status
    if status in _MISSING:
        raise SourceMissingError(f"'{host}' has no such page (status {status}).", hint="Check the address.")
    if status in _DENIED:
        raise SourceDeniedError(
            f"'{host}' does not show this page without a login (status {status}).",
            hint="Open it in a browser, save it, and take the file in.",
        )
    if status in PASSING:
        asks = "asks to come back later" if status == 429 else "cannot answer now"
        busy = SourceBusyError(f"'{host}' {asks} (status {status}).", hint="Wait some minutes and try again.")
        busy.retry_after_s = retry_after(reply.headers)
        raise busy
    if not 200 <= status < 300:
        raise SourceError(f"'{host}' answered with status {status}.", hint="Try again later.")


def _header(reply: Reply, name: str) -> str:
    """A header to be sent back one day; one that is too long to be honest is left out."""
    value = reply.headers.get(name, "").strip()
    return value if len(value) <= 300 and value.isascii() and value.isprintable() else ""


def _real_type(head: bytes, name: str, stated: str) -> str:
    """Content first; the header only tells kinds of text apart, which content cannot."""
    found = media_type(head, name)
    said = stated.partition(";")[0].strip().lower()
    if found == "text/plain" and (said.startswith("text/") or said in _SUFFIXES) and said not in ("text/html",):
        return said if said in _SUFFIXES else found
    if found == "application/octet-stream" and said and not said.startswith("text/"):
        return said
    return found


def _stated_name(reply: Reply) -> str:
    """The name a server gives to a download, else the last part of the address."""
    message = Message()
    message["content-disposition"] = reply.headers.get("content-disposition", "").replace("\n", " ").replace("\r", " ")
    name = message.get_filename() or unquote(PurePosixPath(urlsplit(reply.url).path).name)
    return _UNFIT.sub("_", PurePosixPath(name.replace("\\", "/")).name).strip(" .") or _host(reply.url)


def _fitting_name(name: str, found: str) -> str:
    suffix = PurePosixPath(name).suffix
    # ".2301" is the number of a paper, not a file ending; the type such an ending stands for is unknown.
    known = mimetypes.guess_type(f"x{suffix.lower()}")[0] or ("text/markdown" if suffix.lower() == ".md" else None)
    right = _SUFFIXES.get(found) or mimetypes.guess_extension(found) or ""
    if known != found and right and suffix.lower() != right:
        stem = name[: -len(suffix)] if known and suffix else name
        name = stem + right
    return _shortened(name)


def _shortened(name: str) -> str:
    """Cut the middle of a name on a character border; its ending stays."""
    suffix = PurePosixPath(name).suffix if len(PurePosixPath(name).suffix) < 20 else ""
    stem = name[: len(name) - len(suffix)] if suffix else name
    room = NAME_MAX_BYTES - len(suffix.encode("utf-8", "replace"))
    return stem.encode("utf-8", "replace")[:room].decode("utf-8", "ignore") + suffix


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the server"
