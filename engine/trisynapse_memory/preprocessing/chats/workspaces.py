"""The export of a Slack workspace in, each channel as one conversation out; or one day of a channel, as it lies there.

A channel is a folder with one file a day. Members are told by name where the export lists them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.preprocessing.chats.turns import Broken, Conversation, Turn, decode_part, from_epoch

DAY: Final = re.compile(r"^(?:.*/)?([^/]+)/(\d{4}-\d{2}-\d{2})\.json$")
_MENTION: Final = re.compile(r"<@(\w+)(?:\|([^>]*))?>")
_LINK: Final = re.compile(r"<([#!]?)([^|>]*)(?:\|([^>]*))?>")
_NOISE: Final = frozenset(
    {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "channel_archive",
     "pinned_item", "bot_add", "bot_remove", "tombstone", "reminder_add"}
)  # fmt: skip


class _Profile(Struct):
    real_name: str | None = None
    display_name: str | None = None


class _User(Struct):
    id: str = ""
    name: str | None = None
    real_name: str | None = None
    profile: _Profile | None = None


class _File(Struct):
    name: str | None = None
    title: str | None = None


class _Message(Struct):
    type: str = ""
    subtype: str | None = None
    user: str | None = None
    username: str | None = None
    text: str | None = None
    ts: str | None = None
    user_profile: _Profile | None = None
    files: list[_File] | None = None


_USERS: Final = msgspec.json.Decoder(list[_User])
_DAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MESSAGE: Final = msgspec.json.Decoder(_Message)


def users_of(content: bytes) -> dict[str, str]:
    """Return the names of the members by their ids; empty where the list cannot be read."""
    users = decode_part(content, _USERS)
    return {} if isinstance(users, str) else {user.id: _name_of(user) for user in users}


def _name_of(user: _User) -> str:
    profile = user.profile
    shown = (profile.display_name or profile.real_name) if profile is not None else None
    return shown or user.real_name or user.name or user.id


def read_day(content: bytes, names: Mapping[str, str]) -> tuple[Turn, ...] | str:
    """Read one day of a channel; what is wrong with it, where that cannot be done."""
    day = decode_part(content, _DAY)
    if isinstance(day, str):
        return day
    return tuple(turn for raw in day if (turn := _turn(raw, names)) is not None)


def read_channels(days: Mapping[str, Mapping[str, bytes]], names: Mapping[str, str]) -> Iterator[Conversation | Broken]:
    """Yield the channels of a workspace.

    Args:
        days: channel -> day -> the content of its file.
        names: member id -> name.
    """
    for channel in sorted(days):
        turns: list[Turn] = []
        for day in sorted(days[channel]):
            found = read_day(days[channel][day], names)
            if isinstance(found, str):
                yield Broken(key=f"{channel}/{day}", title=f"#{channel}, {day}", reason=found)
            else:
                turns += found
        yield Conversation(service="Slack", key=channel, title=f"#{channel}", turns=tuple(turns))


def _turn(raw: msgspec.Raw, names: Mapping[str, str]) -> Turn | None:
    message = decode_part(raw, _MESSAGE)
    if isinstance(message, str) or message.type != "message" or message.subtype in _NOISE:
        return None
    files = [f"[{one.title or one.name}]" for one in message.files or [] if one.title or one.name]
    text = "\n".join(part for part in (_plain(message.text or "", names), *files) if part)
    profile = message.user_profile
    told = (profile.display_name or profile.real_name) if profile is not None else None
    speaker = names.get(message.user or "") or told or message.username or message.user or "Somebody"
    return Turn(speaker=speaker, text=text, observed_at=from_epoch(_seconds(message.ts))) if text else None


def _seconds(stamp: str | None) -> float | None:
    return float(stamp) if stamp and re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", stamp) else None


def _plain(text: str, names: Mapping[str, str]) -> str:
    """Slack's marks as a reader sees them: members by name, links by their words and address."""
    text = _MENTION.sub(lambda match: f"@{names.get(match[1]) or match[2] or match[1]}", text)
    return html.unescape(_LINK.sub(_shown, text)).strip()


def _shown(match: re.Match[str]) -> str:
    sign, target, words = match[1], match[2], match[3] or ""
    if sign:
        return f"{'@' if sign == '!' else '#'}{words or target}"
    return f"{words} ({target})" if words and words != target else target
