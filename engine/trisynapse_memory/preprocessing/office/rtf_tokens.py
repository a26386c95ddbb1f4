"""The bytes of a rich text file in, its words and control words one by one out; nothing is interpreted here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?"  # a control word with its number; one blank behind it belongs to it
    rb"|\\'([0-9a-fA-F]{2})"  # a byte of the current code page
    rb"|\\([^a-zA-Z])"  # a control sign
    rb"|([{}])"
    rb"|([^\\{}\r\n\0]+)"
)
_CODE_PAGES: Final = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
SYMBOL_CHARSET: Final = 2
DEFAULT_CODE_PAGE: Final = "cp1252"


class Token(NamedTuple):
    """One piece: ``kind`` is word, sign, byte, open, close or text; ``number`` stands behind a control word."""

    kind: str
    value: bytes
    number: int | None = None


def tokens(raw: bytes) -> Iterator[Token]:
    """Yield the pieces of a rich text file; binary pictures are passed over."""
    place, end = 0, len(raw)
    while place < end:
        match = _TOKEN.match(raw, place)
        if match is None:
            place += 1
            continue
        place = match.end()
        word, number, byte, sign, brace, text = match.groups()
        if word is not None:
            value = int(number) if number is not None else None
            if word == b"bin":
                place += max(0, value or 0)
                continue
            yield Token("word", word, value)
        elif byte is not None:
            yield Token("byte", bytes.fromhex(byte.decode("ascii")))
        elif sign is not None:
            yield Token("sign", sign)
        elif brace is not None:
            yield Token("open" if brace == b"{" else "close", brace)
        else:
            yield Token("text", text)


def code_page(charset: int) -> str:
    """Return the encoding of a font's charset; empty for those that use the document's."""
    return _CODE_PAGES.get(charset, "")


def known_page(number: int) -> str:
    """Return the encoding of a code page by its number; the default where nobody knows it."""
    name = {65001: "utf-8", 932: "cp932", 936: "gb18030", 949: "cp949", 950: "big5", 10000: "mac_roman"}.get(number)
    candidate = name or f"cp{number}"
    try:
        "".encode(candidate)
    except LookupError:
        return DEFAULT_CODE_PAGE
    return candidate
