"""JSON and JSON Lines in, values out; a large list is read element by element, and nothing is computed.

What is not valid JSON is told with its line, so that it can be read as the text it is.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import IO, Final, cast

from trisynapse_memory.preprocessing.plaintext import UnreadableError
from trisynapse_memory.preprocessing.structured.values import Pairs, Value

WHOLE_MAX_BYTES: Final = 32 * 1024 * 1024  # a larger file is read element by element; parsed it takes ten times that
ELEMENT_MAX_CHARS: Final = 8 * 1024 * 1024
_BLOCK_BYTES: Final = 1_048_576
_SPACE: Final = " \t\r\n"
_HALF: Final = re.compile("[\ud800-\udfff]")


class NotJsonError(UnreadableError):
    """A text is not JSON, or too large or too deep to be read as such; the message says what and where."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a long list, or one line: its number from 1, where its bytes lie, and what it says.

    ``value`` is None for a line that is no JSON.
    """

    number: int
    start: int
    end: int
    value: Value | None
    raw: str = ""


def parse(text: str) -> Value:
    """Read a whole JSON text.

    Raises:
        NotJsonError: it is none.
    """
    try:
        return _value(_decoder().decode(text.strip(_SPACE)))
    except json.JSONDecodeError as error:
        before = len(text) - len(text.lstrip(_SPACE))
        line = text.count("\n", 0, before + error.pos) + 1
        raise NotJsonError(f"not valid JSON at line {line}") from error
    except RecursionError as error:
        raise NotJsonError("nested too deep to be read as JSON") from error


def lines(file: IO[bytes], start: int, end: int | None, first: int) -> Iterator[Element]:
    """Yield the lines of JSON Lines between two offsets; blank ones count and are left out.

    Args:
        file: UTF-8.
        start: offset of the first byte.
        end: offset behind the last byte; None: the end of the file.
        first: the number of the first line, from 1.
    """
    position, number = start, first
    file.seek(start)
    while end is None or position < end:
        line = file.readline(ELEMENT_MAX_CHARS)
        if not line:
            return
        here, position = position, position + len(line)
        text = line.decode("utf-8", "replace").replace("\0", "\ufffd").removeprefix("\ufeff").strip()
        if text:
            try:
                value: Value | None = parse(text)
            except NotJsonError:
                value = None
            yield Element(number, here, position, value, text if value is None else "")
            file.seek(position)
        number += 1


def elements(file: IO[bytes], start: int, end: int | None, first: int) -> Iterator[Element]:
    """Yield the elements of a list that begins a file (``start`` 0), or those behind the comma at ``start``.

    Args:
        file: UTF-8.
        start: 0, or the offset behind an element.
        end: offset behind the last element wanted; None: the end of the list.
        first: the number of the first element, from 1.

    Raises:
        NotJsonError: the list is damaged or torn, or an element is too long.
    """
    window = _Window(file, start)
    number = first
    if start == 0:
        window.skip("\ufeff")
        window.skip("[")
    while end is None or window.position < end:
        if window.skip(",]") in ("]", ""):
            return
        here = window.position
        value = window.take(number)
        yield Element(number, here, window.position, value)
        number += 1


class _Window:
    """The stretch of a file that is being read, and where in the file it stands."""

    def __init__(self, file: IO[bytes], start: int) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._at = 0
        self._read = start
        self.position = start

    def skip(self, marks: str) -> str:
        """Step over white space and at most one of the marks; return the mark, a space where there is none."""
        while True:
            while self._at < len(self._text):
                letter = self._text[self._at]
                if letter in marks:
                    self._step(self._at + 1)
                    return letter
                if letter not in _SPACE:
                    return " "
                self._step(self._at + 1)
            if not self._more():
                return ""

    def take(self, number: int) -> Value:
        """Read one element."""
        self.skip("")
        while True:
            try:
                value, end = _decoder().raw_decode(self._text, self._at)
                if end < len(self._text) or not self._more():
                    self._step(end)
                    return _value(value)
            except json.JSONDecodeError as error:
                if len(self._text) - self._at > ELEMENT_MAX_CHARS or not self._more():
                    raise NotJsonError(f"not valid JSON in element {number} of the list") from error
            except RecursionError as error:
                raise NotJsonError(f"element {number} of the list is nested too deep") from error

    def _step(self, at: int) -> None:
        self.position += len(self._text[self._at : at].encode("utf-8", "surrogateescape"))
        self._at = at

    def _more(self) -> bool:
        """Read on; what was taken is let go of."""
        rest = self._text[self._at :]
        self._file.seek(self._read)
        block = self._file.read(max(_BLOCK_BYTES, 2 * len(rest)))
        self._read += len(block)
        self._text, self._at = rest + self._decoder.decode(block, final=not block), 0
        return bool(block)


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_pairs, parse_float=str, parse_int=str, parse_constant=str)


def _pairs(entries: list[tuple[str, object]]) -> Pairs:
    return Pairs(tuple((_clean(name), _value(value)) for name, value in entries))


def _value(value: object) -> Value:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, Pairs):
        return value
    if isinstance(value, list):
        return [_value(one) for one in cast("list[object]", value)]
    return "null" if value is None else str(value).lower()


def _clean(text: str) -> str:
    r"""Half a surrogate pair (``\ud800``) is no letter and cannot be stored."""
    if _HALF.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")
