"""A mail as its program saved it (.eml) in, its headers and words as a page and its attachments as members out."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.errors import SourceTooLargeError, SourceUnsupportedError
from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.mail.letters import LetterDocument
from trisynapse_memory.preprocessing.mail.messages import letter_of
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Modality

MAX_BYTES: Final = 256 * 1024 * 1024  # the parser needs several times as much
SUFFIXES: Final = frozenset({".eml", ".emlx"})
_PAGES: Final = frozenset({".mht", ".mhtml"})  # web pages that browsers save in the form of a mail
_SAVED_PAGE: Final = b"snapshot-content-location:"
_FIELD: Final = re.compile(rb"^([A-Za-z][A-Za-z0-9-]{1,60}):[ \t]?", re.MULTILINE)
_KNOWN: Final = frozenset(
    b"from to cc date subject message-id received return-path mime-version content-type delivered-to reply-to "
    b"x-mailer in-reply-to references content-transfer-encoding".split()
)
_COUNT: Final = re.compile(rb"^\d{1,10}\s*\n")  # Apple Mail writes the length before the message


class MailLoader:
    """Reads single mails in MIME form."""

    name = "mail"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.95 for headers of a mail under such a name, 0.85 for three of them, else 0."""
        suffix = PurePath(filename).suffix.lower()
        if head.startswith(b"From ") or suffix in _PAGES or looks_binary(head[:4096]):
            return 0.0
        known = _headers(head)
        if suffix in SUFFIXES and known:
            return 0.95
        if _SAVED_PAGE in head[:4096].lower():
            return 0.0
        return 0.85 if len(known) >= 3 and b"from" in known and known & {b"date", b"message-id", b"received"} else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> LetterDocument:
        """Open a mail; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceDamagedError: it is no mail.
            SourceUnsupportedError: it is not text.
            SourceTooLargeError: it has more than 256 MiB.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Save the mail again.")
        if len(raw) > MAX_BYTES:
            raise SourceTooLargeError(f"'{name}' is a mail of {len(raw):,} bytes; the limit is {MAX_BYTES:,}.")
        if looks_binary(raw[:4096]):
            raise SourceUnsupportedError(f"'{name}' is no mail, but binary.", hint="Save the mail as .eml again.")
        return LetterDocument(letter_of(_COUNT.sub(b"", raw, count=1), name))


def _headers(head: bytes) -> set[bytes]:
    """The known headers in the first block of lines, if every line there may be one."""
    block = re.split(rb"\r?\n\r?\n", _COUNT.sub(b"", head, count=1).lstrip(b"\r\n"), maxsplit=1)[0]
    lines = [line for line in block.splitlines() if not line.startswith((b" ", b"\t"))]
    names = [match[1].lower() for line in lines[:200] if (match := _FIELD.match(line))]
    return set(names) & _KNOWN if names and len(names) == len(lines[:200]) else set()
