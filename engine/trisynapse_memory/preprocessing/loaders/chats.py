"""Exports of chats in (ChatGPT, Claude, Slack, Telegram, WhatsApp), each conversation as a member out.

A member is a file in one shape of ours (``chats/turns.py``), which the loader ``conversation`` reads. Pictures and
voices are told by name; nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Final

import msgspec

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.archives.entries import Archive
from trisynapse_memory.preprocessing.archives.zips import open_zip
from trisynapse_memory.preprocessing.charsets import decode, looks_binary
from trisynapse_memory.preprocessing.chats.assistants import read_chatgpt, read_claude
from trisynapse_memory.preprocessing.chats.messengers import looks_like_whatsapp, read_telegram, read_whatsapp
from trisynapse_memory.preprocessing.chats.turns import MARK, Broken, Conversation, listing_of
from trisynapse_memory.preprocessing.chats.workspaces import DAY, read_channels, read_day, users_of
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Heading, Listing, Modality, Page, Section

_ZIP: Final = b"PK\x03\x04"
_SURE: Final = 0.95
_SIGN_BYTES: Final = 16_384
_MARKS: Final = (
    ("chatgpt", re.compile(rb'^\s*\[\s*\{.*"mapping"\s*:\s*\{', re.DOTALL), b'"create_time"'),
    ("claude", re.compile(rb'^\s*\[\s*\{\s*"uuid"\s*:', re.DOTALL), b'"chat_messages"'),
    ("telegram", re.compile(rb'^\s*\{.*"messages"\s*:\s*\[', re.DOTALL), b'"date_unixtime"'),
    ("telegram", re.compile(rb'^\s*\{.*"chats"\s*:\s*\{', re.DOTALL), b'"personal_information"'),
    ("slack", re.compile(rb'^\s*\[\s*\{.*"type"\s*:\s*"message"', re.DOTALL), b'"ts"'),
)
_SLACK_FILES: Final = (b"users.json", b"channels.json")
_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])

Reader = Callable[[], Iterator[Conversation | Broken]]


class ChatsLoader:
    """Reads what chat services hand out."""

    name = "chats"
    version = 1
    modality = Modality.CONVERSATION.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for the marks of an export it knows, else 0."""
        return _SURE if _kind_of(head, filename) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ChatsDocument:
        """Open an export; ``password`` opens an encrypted zip file.

        Raises:
            SourceDamagedError: it is no export of a chat that is known here.
            SourceEmptyError, SourceMissingError, SourceDeniedError, SourceError: there is nothing to read.
        """
        name = filename or path.name
        head = read_original(path, name, again="Export the chats again.", first_bytes=65_536)
        kind = _kind_of(head, name)
        if kind == "slack-zip":
            archive = open_zip(path, name, password)
            return ChatsDocument(partial(_slack_export, archive), archive.close)
        if not kind:
            raise SourceDamagedError(f"'{name}' is no chat export that is known here.", hint="Export it again.")
        return ChatsDocument(_reader(kind, read_original(path, name, again="Export the chats again."), name))


class ChatsDocument:
    """An export that is open: no pages, and its conversations as members."""

    heading = Heading(page_count=0, media_type="application/json", method="chats")

    def __init__(self, read: Reader, close: Callable[[], None] | None = None) -> None:
        self._read = read
        self._close = close

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield nothing: what it says stands in its members."""
        yield from ()

    def members(self) -> Iterator[Listing]:
        """Yield the conversations in the order of the export; two of one key are told apart by their place."""
        seen: dict[str, int] = {}
        for found in self._read():
            count = seen[found.key] = seen.get(found.key, 0) + 1
            yield listing_of(found if count == 1 else msgspec.structs.replace(found, key=f"{found.key}#{count}"))

    def close(self) -> None:
        """Let go of the file."""
        if self._close is not None:
            self._close()


def _kind_of(head: bytes, filename: str) -> str:
    if head.startswith(_ZIP):
        return "slack-zip" if all(name in head for name in _SLACK_FILES) else ""
    start = head[:_SIGN_BYTES].removeprefix(b"\xef\xbb\xbf")
    if MARK.encode() in start[:80]:
        return ""
    for kind, shape, mark in _MARKS:
        if mark in start and shape.match(start):
            return kind
    if PurePath(filename).suffix.lower() == ".txt" and not looks_binary(head):
        return "whatsapp" if looks_like_whatsapp(start.decode("utf-8", "replace")) else ""
    return ""


def _reader(kind: str, content: bytes, name: str) -> Reader:
    """What reads the conversations of an export; the list of them is taken apart at once, so that damage is told."""
    if kind == "whatsapp":
        return partial(read_whatsapp, decode(content, ())[0], name)
    content = content.removeprefix(b"\xef\xbb\xbf")
    if kind in ("telegram", "slack"):
        return partial(read_telegram, content) if kind == "telegram" else partial(_slack_day, content, name)
    try:
        conversations = _LIST.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SourceDamagedError(f"'{name}' breaks off or is damaged ({error}).", hint="Export it again.") from error
    return partial(read_chatgpt if kind == "chatgpt" else read_claude, conversations)


def _slack_day(content: bytes, name: str) -> Iterator[Conversation | Broken]:
    title = PurePath(name).stem
    found = read_day(content, {})
    if isinstance(found, str):
        yield Broken(key=title, title=title, reason=found)
    else:
        yield Conversation(service="Slack", key=title, title=title, turns=found)


def _slack_export(archive: Archive) -> Iterator[Conversation | Broken]:
    days: dict[str, dict[str, bytes]] = {}
    names: dict[str, str] = {}
    for entry, content in archive.contents():
        day = DAY.match(entry.path)
        if not isinstance(content, bytes):
            yield Broken(key=entry.path, title=entry.path, reason=content.message)
        elif entry.path.endswith("users.json"):
            names = users_of(content)
        elif day is not None:
            days.setdefault(day[1], {})[day[2]] = content
    yield from read_channels(days, names)
