"""The bytes of an event stream in, its events out, as the HTML standard reads them. What they mean is not asked."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from trisynapse_memory.errors import BadReplyError

MAX_EVENT_CHARS: Final = 4 * 1024 * 1024
"""One event holds a few words; a server that never ends one must not fill the memory."""


class ServerEvent(NamedTuple):
    """One event: its name (``message`` where the server gave none) and its text."""

    name: str
    text: str


def read_events(parts: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Yield the events of a stream as they become whole.

    Args:
        parts: the body in pieces of any length; a piece may end inside a letter or a line.

    Returns:
        Events with text. Comments, ids and retry times are left out; so is an event that was cut off at the end.

    Raises:
        BadReplyError: one event is longer than 4 million characters.

    Source:
        HTML standard, "Interpreting an event stream".
    """
    name, lines, length = "", list[str](), 0
    for line in _lines(parts):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if lines:
                yield ServerEvent(name or "message", "\n".join(lines))
            name, lines, length = "", [], 0
        elif field == "data":
            length += len(value)
            if length > MAX_EVENT_CHARS:
                raise _endless()
            lines.append(value)
        elif field == "event":
            name = value


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    # The three ends of line the standard allows become one, also where a piece ends between CR and LF.
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
    rest = ""
    first = True
    for part in parts:
        rest += decoder.decode(part)
        if first and rest:
            rest, first = rest.removeprefix("\ufeff"), False
        *lines, rest = rest.split("\n")
        yield from lines
        if len(rest) > MAX_EVENT_CHARS:
            raise _endless()


def _endless() -> BadReplyError:
    return BadReplyError("The model service sent an event without an end.", hint="Check the address of the service.")
