"""A mailbox file (mbox) in, each of its mails as a member out; the mails are read by their own loader."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.archives.entries import MEMBER_MAX_BYTES
from trisynapse_memory.preprocessing.mail.headers import words_of
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Fault, Heading, Listing, Modality, Page, Section

_START: Final = re.compile(rb"From \S.{0,300}\d{4}|From \S+@\S+|From MAILER-DAEMON|From - ")
_HEADER: Final = re.compile(rb"(?:>?From |[A-Za-z][A-Za-z0-9-]{1,60}:)")
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_FIELDS: Final = re.compile(rb"^(message-id|subject):[ \t]*((?:.*(?:\r?\n[ \t].*)*))", re.IGNORECASE | re.MULTILINE)


class MboxLoader:
    """Reads mailboxes in the mbox form, as Thunderbird, Apple Mail and Google Takeout write them."""

    name = "mbox"
    version = 1
    modality = Modality.DOCUMENT.value
    container = True

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for a line of an mbox with a header below it, else 0."""
        first, _, rest = head.partition(b"\n")
        return 0.95 if _START.match(first) and _HEADER.match(rest) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> MboxDocument:
        """Open a mailbox; it has no password. ``filename`` is the name it came under, for messages.

        Raises:
            SourceDamagedError: it is no mailbox.
            SourceEmptyError, SourceMissingError, SourceDeniedError, SourceError: there is nothing to read.
        """
        name = filename or path.name
        head = read_original(path, name, again="Export the mailbox again.", first_bytes=65_536)
        if not self.suits(head, name):
            raise SourceDamagedError(f"'{name}' is no mailbox: no mail begins there.", hint="Export it again.")
        return MboxDocument(path.open("rb"))


class MboxDocument:
    """A mailbox that is open; it is read mail by mail."""

    heading = Heading(page_count=0, media_type="application/mbox", method="mbox")

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield nothing: what it says stands in its members."""
        yield from ()

    def members(self) -> Iterator[Listing]:
        """Yield the mails in the order of the file; a mail that stands there twice is one."""
        taken: dict[str, str] = {}
        for raw, is_whole in self._mails():
            told = {match[1].lower(): match[2] for match in _FIELDS.finditer(raw.partition(b"\n\n")[0])}
            subject = words_of(told.get(b"subject", b"").decode("utf-8", "surrogateescape"))
            digest = hashlib.sha256(raw).hexdigest()
            key = words_of(told.get(b"message-id", b"").decode("utf-8", "replace")).strip("<>") or digest[:20]
            title, fault = subject or key, None
            if taken.get(key) not in (None, digest):
                key = f"{key}#{digest[:8]}"
            if not is_whole:
                fault = Fault(code=SourceTooLargeError.code, message=f"It has more than {MEMBER_MAX_BYTES:,} bytes.")
            repeats = taken.get(key) == digest
            taken[key] = digest
            yield Listing(
                key=key,
                title=title,
                kind="file",
                filename=f"{title[:120]}.eml",
                content=b"" if fault or repeats else raw,
                skipped="the same mail again" if repeats else "",
                fault=fault,
            )

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def _mails(self) -> Iterator[tuple[bytes, bool]]:
        """Each mail with whether all of it was kept; one begins at a "From " line behind an empty one."""
        self._stream.seek(0)
        lines: list[bytes] = []
        length, after_blank = 0, True
        for line in iter(lambda: self._stream.readline(1 << 20), b""):
            if after_blank and _START.match(line):
                if lines:
                    yield _unescaped(lines), length <= MEMBER_MAX_BYTES
                lines, length = [], 0
            else:
                length += len(line)
                if length <= MEMBER_MAX_BYTES:
                    lines.append(line)
            after_blank = line in (b"\n", b"\r\n")
        if lines:
            yield _unescaped(lines), length <= MEMBER_MAX_BYTES


def _unescaped(lines: list[bytes]) -> bytes:
    raw = b"".join(lines)
    return _ESCAPED.sub(rb"\1", raw).replace(b"\r\n", b"\n").strip(b"\n") + b"\n"
