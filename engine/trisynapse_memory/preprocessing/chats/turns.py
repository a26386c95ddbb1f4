"""A conversation of any maker in, the one shape it is kept in out, and back. Words are not changed here.

An export is split into one file a conversation, written in this shape; the loader ``conversation`` reads it. The same
conversation of a later export has the same key, and only one that changed is a new version.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from trisynapse_memory.types import Listing

MARK: Final = "trisynapse conversation 1"
SUFFIX: Final = ".conversation.json"
_TITLE_CHARS: Final = 120

Shape = TypeVar("Shape")


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one speaker said at once. ``role`` is ``user``, ``assistant``, ``tool``, ``system`` or ``person``."""

    speaker: str
    text: str
    role: str = "person"
    observed_at: datetime | None = None


class Conversation(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=MARK, tag_field="mark"):
    """The turns of one conversation in their order; ``service`` is whose export it came from."""

    service: str = ""
    key: str = ""
    title: str = ""
    url: str = ""
    turns: tuple[Turn, ...] = ()


class Broken(Struct, frozen=True, kw_only=True):
    """A conversation of an export that cannot be read, with the reason."""

    key: str
    title: str
    reason: str


_DECODER: Final = msgspec.json.Decoder(Conversation)


def decode(content: bytes) -> Conversation | None:
    """Read a conversation as it is kept; None for anything else."""
    if MARK.encode() not in content[:80]:  # the decoder also takes what says nothing of itself
        return None
    try:
        return _DECODER.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return None


def listing_of(found: Conversation | Broken) -> Listing:
    """Say of a conversation what a container says of its members; one without words is listed as skipped."""
    if isinstance(found, Broken):
        return Listing(key=found.key, title=found.title or found.key, kind="file", skipped=found.reason)
    title = " ".join(found.title.split()) or f"{found.service} {found.key}".strip()
    spoken = tuple(turn for turn in found.turns if turn.text.strip())
    written = msgspec.json.encode(msgspec.structs.replace(found, title=title, turns=spoken))
    return Listing(
        key=found.key,
        title=title,
        kind="file",
        path=(found.service,) if found.service else (),
        observed_at=next((turn.observed_at for turn in spoken if turn.observed_at), None),
        filename=f"{title[:_TITLE_CHARS].replace('/', '-')}{SUFFIX}",
        content=written if spoken else b"",
        skipped="" if spoken else "it holds no words",
    )


def from_epoch(seconds: float | None) -> datetime | None:
    """Read a time in seconds since 1970; None for what cannot be one."""
    if seconds is None or not 0 < seconds < 7_258_118_400:  # the year 2200
        return None
    return datetime.fromtimestamp(seconds, UTC)


def decode_part(raw: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[Shape]) -> Shape | str:
    """Read one part of an export; what is wrong with it, where that cannot be done."""
    try:
        return decoder.decode(raw)
    except msgspec.DecodeError as error:
        return f"it is not as its maker writes it ({error})"
    except RecursionError:
        return "it is nested too deep"
