"""A text file of any size and encoding in, pages of about 64 KiB of clean text out; memory never holds the whole file.

Case R30: a file of 100 MB is scanned once for its page borders and then read page by page. Pages are cut at blank
lines, so that no paragraph lies in two of them; what is not UTF-8 is first rewritten into a temporary file that is.
"""

from __future__ import annotations

import codecs
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from trisynapse_memory.errors import (
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.charsets import Reading, detect, looks_binary

PAGE_BYTES: Final = 65_536
_WINDOW: Final = (PAGE_BYTES * 3 // 4, PAGE_BYTES * 5 // 4)  # where a page may end, so that none is tiny or double
_BLOCK_BYTES: Final = 1_048_576
_SPOOL_BYTES: Final = 8 * _BLOCK_BYTES  # a rewritten file stays in memory up to here
_SAMPLE_BYTES: Final = 262_144
# Atomic, or "\r\n" would be read as two line ends.
_BLANK_LINE: Final = re.compile(rb"(?>\r\n|\n|\r)[ \t]*(?>\r\n|\n|\r)")
_LINE_END: Final = re.compile(rb"(?>\r\n|\n|\r)")
_FENCE: Final = re.compile(rb"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PagedText:
    """An open text file: where its pages lie, and how it was read."""

    file: IO[bytes]
    spans: tuple[tuple[int, int], ...]
    reading: Reading

    @property
    def page_count(self) -> int:
        """How many pages there are, at least one."""
        return len(self.spans)

    def page(self, number: int) -> str:
        """Return the text of one page (from 1): line ends are one newline, no byte order mark, no NUL."""
        start, end = self.spans[number - 1]
        self.file.seek(start)
        text = self.file.read(end - start).decode("utf-8", "replace")
        text = text.removeprefix("\ufeff") if number == 1 else text
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")

    def close(self) -> None:
        """Close the file; twice does no harm."""
        self.file.close()


def open_text(path: Path, *, name: str = "", declared: Sequence[str] = (), fences: bool = False) -> PagedText:
    """Open a text file for reading page by page.

    Args:
        path: the file.
        name: what messages call it, if not by the name of ``path``.
        declared: charset labels in order of trust.
        fences: the text is Markdown: no page ends inside a fenced block that fits a page.

    Raises:
        SourceEmptyError: the file holds no byte.
        SourceUnsupportedError: it is not text.
        SourceMissingError, SourceDeniedError, SourceError: it cannot be opened or read.
    """
    file, reading = open_utf8(path, name=name, declared=declared)
    try:
        return PagedText(file, _borders(file, fences), reading)
    except OSError as error:
        file.close()
        raise _unreadable(name or path.name, error) from error


def open_utf8(path: Path, *, name: str = "", declared: Sequence[str] = ()) -> tuple[IO[bytes], Reading]:
    """Open a text file as UTF-8, whatever it was written in; the caller closes it.

    Args:
        path: the file.
        name: what messages call it, if not by the name of ``path``.
        declared: charset labels in order of trust.

    Raises:
        SourceEmptyError: the file holds no byte.
        SourceUnsupportedError: it is not text.
        SourceMissingError, SourceDeniedError, SourceError: it cannot be opened or read.
    """
    name = name or path.name
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise SourceMissingError(f"There is no file '{name}'.", hint="Check the path.") from error
    except PermissionError as error:
        raise SourceDeniedError(f"'{name}' may not be read.", hint="Check its permissions.") from error
    except OSError as error:
        raise SourceError(f"'{name}' cannot be opened: {error.strerror}.") from error
    try:
        return _utf8(file, name, declared)
    except OSError as error:
        file.close()
        raise _unreadable(name, error) from error
    except SourceError:
        file.close()
        raise


def _unreadable(name: str, error: OSError) -> SourceError:
    return SourceError(f"'{name}' cannot be read: {error.strerror}.", hint="Is the disk still there?")


def _utf8(file: IO[bytes], name: str, declared: Sequence[str]) -> tuple[IO[bytes], Reading]:
    head = file.read(PAGE_BYTES)
    if not head:
        raise SourceEmptyError(f"'{name}' is empty: it holds no byte.", hint="Download or save it again.")
    if looks_binary(head):
        raise SourceUnsupportedError(f"'{name}' is not a text file.", hint="Open it with the program it is from.")
    reading = _detect(file, declared)
    if reading.encoding == "utf-8":
        return file, reading
    copy = _rewritten(file, reading.encoding)
    file.close()
    return copy, reading


def _detect(file: IO[bytes], declared: Sequence[str]) -> Reading:
    """Judge the whole file, not its beginning: the first accent of a long text may stand on its last page."""
    file.seek(0)
    sample = file.read(_SAMPLE_BYTES)
    first = detect(sample, declared, whole=len(sample) < _SAMPLE_BYTES)
    if first.origin in ("mark", "declared") or first.encoding != "utf-8":
        return first
    telling = _telling_lines(file)
    return first if telling is None else detect(telling, declared, whole=False)


def _telling_lines(file: IO[bytes]) -> bytes | None:
    """Lines with bytes above 127, enough for a guess; None when the whole file is valid UTF-8."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    valid, size = True, 0
    lines: list[bytes] = []
    while block := file.read(_BLOCK_BYTES):
        try:
            if valid:
                decoder.decode(block)
        except UnicodeDecodeError:
            valid = False
        if size < _SAMPLE_BYTES and not block.isascii():
            found = [line[:_SAMPLE_BYTES] for line in block.split(b"\n") if not line.isascii()]
            lines += found
            size += sum(len(line) for line in found)
        if not valid and size >= _SAMPLE_BYTES:
            break
    return None if valid else b"\n".join(lines)


def _rewritten(file: IO[bytes], encoding: str) -> IO[bytes]:
    """The same text in UTF-8, beside the original and gone when closed."""
    # The document closes it.
    copy: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    file.seek(0)
    while block := file.read(_BLOCK_BYTES):
        copy.write(decoder.decode(block).encode("utf-8", "replace"))
    copy.write(decoder.decode(b"", final=True).encode("utf-8", "replace"))
    return copy


def _borders(file: IO[bytes], fences: bool) -> tuple[tuple[int, int], ...]:
    file.seek(0)
    spans: list[tuple[int, int]] = []
    start, rest = 0, b""
    while True:
        # Twice a page: a whole window to cut in, and a look at what follows it.
        rest += file.read(2 * PAGE_BYTES - len(rest))
        cut = len(rest) if len(rest) <= _WINDOW[1] else _cut(rest, fences)
        if not cut:
            break
        spans.append((start, start + cut))
        start, rest = start + cut, rest[cut:]
    return tuple(spans) or ((0, 0),)


def _cut(block: bytes, fences: bool) -> int:
    """Where the first page of a block ends: at the last blank line of the window, else a line, else a character."""
    low, high = _WINDOW
    blank = [match.end() for match in _BLANK_LINE.finditer(block, low, high)]
    if fences:
        blank = _outside_fences(block, blank)
    if blank:
        return blank[-1]
    lines = [match.end() for match in _LINE_END.finditer(block, low, high)]
    if lines:
        return lines[-1]
    cut = PAGE_BYTES
    while block[cut] & 0xC0 == 0x80:  # a continuation byte: the character began before it
        cut -= 1
    return cut


def _outside_fences(block: bytes, cuts: Sequence[int]) -> list[int]:
    """Cuts with every fence before them closed; all of them when the whole window lies in one block."""
    openers: list[tuple[int, int]] = []
    fence = b""
    begun = 0
    for match in _FENCE.finditer(block):
        mark = match.group(1)
        if not fence:
            fence, begun = mark, match.start()
        elif mark[:1] == fence[:1] and len(mark) >= len(fence):
            openers.append((begun, match.end()))
            fence = b""
    if fence:
        openers.append((begun, len(block)))
    free = [cut for cut in cuts if not any(first < cut < last for first, last in openers)]
    return free or list(cuts)
