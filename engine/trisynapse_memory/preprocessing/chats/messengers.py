"""The exports of Telegram (``result.json``) and WhatsApp (a text) in, their conversations out.

Telegram says when in seconds since 1970; WhatsApp writes the time of the telephone without its zone, in the order of
day and month that the telephone was set to. It counts as UTC, and the order is told by the days that fit no month.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.preprocessing.chats.turns import Broken, Conversation, Turn, decode_part, from_epoch
from trisynapse_memory.preprocessing.moments import from_iso


class _Piece(Struct):
    text: str = ""


class _Telegram(Struct):
    type: str = ""
    date: str | None = None
    date_unixtime: str | None = None
    from_: str | None = msgspec.field(name="from", default=None)
    text: str | list[str | _Piece] = ""
    file_name: str | None = None
    media_type: str | None = None
    photo: str | None = None


class _Chat(Struct):
    name: str | None = None
    id: int | None = None
    messages: list[msgspec.Raw] = []


class _Chats(Struct):
    list_: list[msgspec.Raw] = msgspec.field(name="list", default=[])


class _Export(Struct):
    chats: _Chats | None = None
    left_chats: _Chats | None = None


_CHAT: Final = msgspec.json.Decoder(_Chat)
_EXPORT: Final = msgspec.json.Decoder(_Export)
_MESSAGE: Final = msgspec.json.Decoder(_Telegram)


def read_telegram(content: bytes) -> Iterator[Conversation | Broken]:
    """Yield the conversations of a Telegram export: one, or all of an account."""
    whole = decode_part(content, _EXPORT)
    lists = () if isinstance(whole, str) else (whole.chats, whole.left_chats)
    chats = [chat for one in lists if one is not None for chat in one.list_]
    for number, raw in enumerate(chats or [content], start=1):
        found = decode_part(raw, _CHAT)
        if isinstance(found, str):
            yield Broken(key=f"number-{number}", title=f"Chat {number}", reason=found)
            continue
        turns = tuple(turn for message in found.messages if (turn := _telegram_turn(message)) is not None)
        key = str(found.id) if found.id is not None else f"number-{number}"
        yield Conversation(service="Telegram", key=key, title=found.name or "", turns=turns)


def _telegram_turn(raw: msgspec.Raw) -> Turn | None:
    message = decode_part(raw, _MESSAGE)
    if isinstance(message, str) or message.type != "message":
        return None
    parts = [message.text] if isinstance(message.text, str) else message.text
    text = "".join(part if isinstance(part, str) else part.text for part in parts).strip()
    media = message.file_name or message.media_type or ("photo" if message.photo else "")
    text = "\n".join(part for part in (text, f"[{media}]" if media else "") if part)
    seconds = message.date_unixtime or ""
    moment = from_epoch(float(seconds)) if seconds.isdecimal() else from_iso(message.date or "")
    return Turn(speaker=message.from_ or "Somebody", text=text, observed_at=moment) if text else None


_STAMP: Final = re.compile(
    r"^\u200e?\[?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})\.?,?\s+(?:um\s+|a las\s+|\u00e0\s+)?"
    r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:[\s\u202f]*([AaPp])\.?[\s\u202f]?[Mm]\.?)?(?:\]|\s[-\u2013])\s(.*)$"
)
_SAID: Final = re.compile(r"^\u200e?([^:\n]{1,60}?):\s?(.*)$", re.DOTALL)
_LEAST_LINES: Final = 2
_LOGGED: Final = frozenset({"debug", "info", "warning", "warn", "error", "critical", "fatal"})  # who speaks in logs
_TITLE: Final = re.compile(r"^(?:WhatsApp[ -]Chat[ -](?:with|mit|con|avec|com)?[ -]?)?(.*?)(?:\.txt)?$", re.IGNORECASE)


def looks_like_whatsapp(text: str) -> bool:
    """Say whether a text is a WhatsApp export: it begins with a stamp, and at least one more line has one."""
    lines = [line for line in text.splitlines()[:200] if line.strip()]
    stamped = [match for line in lines if (match := _STAMP.match(line))]
    said = [found[1].lower().rpartition(" ")[2] for match in stamped if (found := _SAID.match(match[8]))]
    begins = bool(lines) and _STAMP.match(lines[0].lstrip("\ufeff")) is not None
    return begins and len(stamped) >= _LEAST_LINES and bool(said) and _LOGGED.isdisjoint(said)


def read_whatsapp(text: str, filename: str) -> Iterator[Conversation | Broken]:
    """Yield the one conversation of a WhatsApp export; lines without a stamp belong to the message above them."""
    entries: list[tuple[re.Match[str], list[str]]] = []
    for line in text.lstrip("\ufeff").splitlines():
        match = _STAMP.match(line)
        if match is not None:
            entries.append((match, [match[8]]))
        elif entries:
            entries[-1][1].append(line)
    order = _order([match for match, _ in entries])
    turns = tuple(turn for match, lines in entries if (turn := _whatsapp_turn(match, lines, order)) is not None)
    named = (_TITLE.match(filename.rpartition("/")[2]) or [filename, filename])[1]
    people = list(dict.fromkeys(turn.speaker for turn in turns))
    title = named if named.strip("_ ").lower() not in ("", "chat") else ", ".join(people[:4])
    yield Conversation(service="WhatsApp", key=title, title=title, turns=turns)


def _whatsapp_turn(match: re.Match[str], lines: Sequence[str], order: str) -> Turn | None:
    said = _SAID.match("\n".join(lines))
    if said is None:
        return None  # the service speaks: somebody joined, messages are encrypted
    text = said[2].replace("\u200e", "").strip()
    return (
        Turn(speaker=said[1].strip(" \u202a\u202c~\u200e"), text=text, observed_at=_moment(match, order))
        if text
        else None
    )


def _order(matches: Sequence[re.Match[str]]) -> str:
    """``ymd``, ``dmy`` or ``mdy``; day first where every date fits both, as most of the world writes it."""
    if any(len(match[1]) == 4 for match in matches):
        return "ymd"
    if any(int(match[2]) > 12 for match in matches):
        return "mdy"
    if any(int(match[1]) > 12 for match in matches):
        return "dmy"
    return "mdy" if any(match[7] for match in matches) and not any("." in match[0][:10] for match in matches) else "dmy"


def _moment(match: re.Match[str], order: str) -> datetime | None:
    numbers = {"ymd": (1, 2, 3), "dmy": (3, 2, 1), "mdy": (3, 1, 2)}[order]
    year, month, day = (int(match[at]) for at in numbers)
    hour = int(match[4])
    if match[7]:
        hour = hour % 12 + (12 if match[7].lower() == "p" else 0)
    try:
        return datetime(
            year + (2000 if year < 100 else 0), month, day, hour, int(match[5]), int(match[6] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
