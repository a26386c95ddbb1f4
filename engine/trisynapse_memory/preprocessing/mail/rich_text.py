"""The packed rich text of an Outlook message in, its RTF out; the RTF itself is read elsewhere.

Source: [MS-OXRTFCP] 2.1.3 and 3.1: references into a ring of 4,096 bytes that begins with common words of RTF.
"""

from __future__ import annotations

import struct
from typing import Final

from trisynapse_memory.errors import SourceDamagedError

MAX_BYTES: Final = 64 * 1024 * 1024
_RING: Final = 4096
_BEGINNING: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS "
    b"Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20"
    b"\\b\\i\\u\\tab\\tx"
)
_PACKED, _PLAIN = b"LZFu", b"MELA"


def unpack_rich_text(packed: bytes) -> bytes:
    """Return the RTF.

    Raises:
        SourceDamagedError: it is not what Outlook writes, or would be larger than 64 MiB.
    """
    if len(packed) < 16:
        raise SourceDamagedError("The rich text of the message is cut off.")
    _, size, kind, _ = struct.unpack_from("<II4sI", packed)
    if size > MAX_BYTES:
        raise SourceDamagedError(f"The rich text of the message claims {size:,} bytes.")
    if kind == _PLAIN:
        return packed[16 : 16 + size]
    if kind != _PACKED:
        raise SourceDamagedError("The rich text of the message is packed in an unknown way.")
    return _unpacked(packed, size)


def _unpacked(packed: bytes, size: int) -> bytes:
    ring = bytearray(_BEGINNING.ljust(_RING, b"\0"))
    at, found, place = len(_BEGINNING), bytearray(), 16
    while place < len(packed) and len(found) < size:
        control, place = packed[place], place + 1
        for bit in range(8):
            is_reference = control >> bit & 1
            run = packed[place : place + (2 if is_reference else 1)]
            place += len(run)
            if len(run) < (2 if is_reference else 1):
                return bytes(found)
            if is_reference:
                told = int.from_bytes(run, "big")
                start, length = told >> 4, (told & 15) + 2
                if start == at:  # the end, said by pointing at where the next byte would go
                    return bytes(found)
                run = b""
                for step in range(length):
                    byte = ring[(start + step) % _RING]
                    ring[at], at = byte, (at + 1) % _RING
                    found.append(byte)
            else:
                ring[at], at = run[0], (at + 1) % _RING
                found.append(run[0])
    return bytes(found[:size])
