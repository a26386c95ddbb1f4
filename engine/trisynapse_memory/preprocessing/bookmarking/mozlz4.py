"""A Firefox backup as it lies on disk (``.jsonlz4``) in, its JSON out. LZ4 blocks only; nothing is compressed here.

Firefox writes its backups in a frame of its own: eight bytes of name, four of length, one LZ4 block. No library reads
that frame, and a block is simple enough to be read here within a bound.
"""

from __future__ import annotations

from typing import Final

MAGIC: Final = b"mozLz40\0"
_HEAD_BYTES: Final = 12
_MIN_MATCH: Final = 4  # LZ4 block format: lengths of matches are counted from here
_LONG: Final = 15  # a length of 15 goes on in the next bytes,
_FULL: Final = 255  # and on after each byte that is full
# A backup holds the bookmarks only: 100,000 of them take 40 MB. An honest length is not above this one.
MAX_BYTES: Final = 256 * 1024 * 1024


def decompress(raw: bytes) -> bytes:
    """Return what a ``.jsonlz4`` file holds.

    Raises:
        ValueError: it is no such file, it is damaged, or it claims to be larger than ``MAX_BYTES``.
    """
    if not raw.startswith(MAGIC) or len(raw) < _HEAD_BYTES:
        raise ValueError("no mozLz4 file")
    size = int.from_bytes(raw[8:_HEAD_BYTES], "little")
    if size > MAX_BYTES:
        raise ValueError(f"it claims to hold {size:,} bytes")
    try:
        made = _block(raw, _HEAD_BYTES, size)
    except IndexError as error:
        raise ValueError("it ends too early") from error
    if len(made) != size:
        raise ValueError(f"it holds {len(made):,} bytes instead of {size:,}")
    return bytes(made)


def _block(raw: bytes, place: int, size: int) -> bytearray:
    """Read sequences of literals and matches until the bytes are used up."""
    made = bytearray()
    while place < len(raw):
        token = raw[place]
        literals, place = _length(raw, place + 1, token >> 4)
        if place + literals > len(raw):
            raise ValueError("it ends too early")
        made += raw[place : place + literals]
        place += literals
        if place >= len(raw):
            break  # the last sequence has literals only
        offset = raw[place] | raw[place + 1] << 8
        length, place = _length(raw, place + 2, token & _LONG)
        _repeat(made, offset, length + _MIN_MATCH, size)
    return made


def _length(raw: bytes, place: int, count: int) -> tuple[int, int]:
    if count == _LONG:
        while True:
            more = raw[place]
            place += 1
            count += more
            if more < _FULL:
                break
    return count, place


def _repeat(made: bytearray, offset: int, length: int, size: int) -> None:
    start = len(made) - offset
    if offset == 0 or start < 0 or len(made) + length > size:
        raise ValueError("it repeats what is not there")
    stretch = bytes(made[start : start + length])
    # A match may reach into what it is making: then the stretch repeats until the length is full.
    whole, rest = divmod(length, len(stretch))
    made += stretch * whole + stretch[:rest]
