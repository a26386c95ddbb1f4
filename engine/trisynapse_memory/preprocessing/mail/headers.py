"""The headers of a mail as they stand in, words, persons and times out; what is malformed is shown, never raised."""

from __future__ import annotations

from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import getaddresses, parsedate_to_datetime

from trisynapse_memory.preprocessing.charsets import codec_name, decode


def words_of(value: object) -> str:
    """Return a header as a reader sees it: encoded words decoded, raw bytes read in a likely charset, one line."""
    text = str(value or "")
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError, IndexError):
        parts = [(text, None)]
    return " ".join("".join(_read(part, charset) for part, charset in parts).split())


def persons_of(values: list[str]) -> str:
    """Return the persons of an address header: names with their addresses, in order, joined by commas."""
    pairs = getaddresses([words_of(value) for value in values])
    shown = (
        f"{name} <{address}>" if name and address and name != address else name or address for name, address in pairs
    )
    return ", ".join(dict.fromkeys(one for one in shown if one.strip()))


def name_of(value: str) -> str:
    """Return what the first person of an address header is called."""
    for name, address in getaddresses([words_of(value)]):
        if name or address:
            return name or address
    return ""


def moment_of(value: str) -> datetime | None:
    """Return the time of a date header; without a zone it counts as UTC, what is no time is None."""
    try:
        moment = parsedate_to_datetime(value.strip())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(part: str | bytes, charset: str | None) -> str:
    if isinstance(part, bytes):
        return decode(part, (codec_name(charset or ""),) if charset else ())[0]
    if part.isascii():
        return part
    raw = part.encode("utf-8", "surrogateescape")  # eight-bit letters that nobody encoded
    return decode(raw)[0]
