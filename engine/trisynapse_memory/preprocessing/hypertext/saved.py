"""A page that a browser saved as one file (MHTML, Safari's web archive) in, the bytes of the page itself out.

Pictures, styles and frames that lie in the same file are not read. Nothing is fetched.
"""

from __future__ import annotations

import re
from typing import Final, cast

_PLIST: Final = b"bplist00"
_RELATED: Final = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_SAVED: Final = re.compile(rb"^(?:snapshot-content-location:|from:\s*<?saved by|x-maf)", re.IGNORECASE | re.MULTILINE)
_HEAD_BYTES: Final = 4_096


def is_saved_page(head: bytes, suffix: str) -> bool:
    """Say whether a file begins as a page that was saved with all it shows.

    Args:
        head: the beginning of the file.
        suffix: of its name, with the dot, in lower case.
    """
    if head.startswith(_PLIST):
        return suffix == ".webarchive" or b"WebMainResource" in head
    start = head[:_HEAD_BYTES]
    return bool(_RELATED.search(start)) and (suffix in (".mht", ".mhtml") or bool(_SAVED.search(start)))


def page_inside(raw: bytes) -> tuple[bytes, str] | None:
    """Take the page out of its wrapping.

    Returns:
        The bytes of the page, and the charset that the wrapping names for it (maybe empty); None where there is none.
    """
    return _from_archive(raw) if raw.startswith(_PLIST) else _from_mail(raw)


def _from_archive(raw: bytes) -> tuple[bytes, str] | None:
    # Here and below: 10 ms that only saved pages pay.
    import plistlib

    try:
        told: object = plistlib.loads(raw, fmt=plistlib.FMT_BINARY)
    except (plistlib.InvalidFileException, ValueError, OverflowError, RecursionError, IndexError):
        return None
    page = _field(told, "WebMainResource")
    content, charset = _field(page, "WebResourceData"), _field(page, "WebResourceTextEncodingName")
    return (content, charset if isinstance(charset, str) else "") if isinstance(content, bytes) else None


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _from_mail(raw: bytes) -> tuple[bytes, str] | None:
    from email import policy
    from email.parser import BytesParser

    message = BytesParser(policy=policy.compat32).parsebytes(raw)
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = part.get_payload(decode=True)
            return (content, part.get_content_charset() or "") if isinstance(content, bytes) and content else None
    return None
