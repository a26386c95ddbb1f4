"""The bytes of a MIME message in, the letter it is out; attachments are handed on as they are, never opened."""

from __future__ import annotations

import email
import email.policy
from email.message import Message
from pathlib import PurePosixPath
from typing import Final, cast

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.charsets import decode, meta_charset
from trisynapse_memory.preprocessing.mail.bodies import body_blocks
from trisynapse_memory.preprocessing.mail.headers import moment_of, name_of, persons_of, words_of
from trisynapse_memory.preprocessing.mail.letters import ENCRYPTED, Enclosure, Letter

MAX_ENCLOSURES: Final = 1000
_SIGNATURES: Final = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_LOCKED: Final = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"})
_ENDINGS: Final = {
    "text/calendar": ".ics", "text/html": ".html", "text/plain": ".txt", "text/csv": ".csv", "application/pdf": ".pdf",
    "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "application/zip": ".zip", "text/vcard": ".vcf",
}  # fmt: skip


def letter_of(raw: bytes, name: str) -> Letter:
    """Read a message.

    Args:
        raw: all its bytes.
        name: what messages call it.

    Raises:
        SourceDamagedError: it has neither a header nor a word, or is nested beyond reason.
    """
    try:
        # compat32 keeps every header as it stands; the newer policies raise on malformed addresses.
        message = email.message_from_bytes(raw, policy=email.policy.compat32)
        walked = list(_parts(message))
    except RecursionError as error:
        raise SourceDamagedError(f"'{name}' has too many parts inside each other.") from error
    if not message.keys():
        raise SourceDamagedError(f"'{name}' is no mail: it has no header.", hint="Save the mail again.")
    bodies: dict[str, list[Message]] = {"text/plain": [], "text/html": []}
    enclosures: list[Enclosure] = []
    locked = False
    for part, is_body in walked:
        kind = part.get_content_type()
        locked = locked or kind in _LOCKED
        if is_body and kind in bodies:
            bodies[kind].append(part)
        elif len(enclosures) < MAX_ENCLOSURES:
            enclosures.append(_enclosure(part, len(enclosures) + 1))
    flowed = any("flowed" in str(part.get_param("format", "")).lower() for part in bodies["text/plain"])
    plain = "\n\n".join(_text(part) for part in bodies["text/plain"])
    blocks, hidden = body_blocks(plain, "\n".join(_text(part) for part in bodies["text/html"]), flowed=flowed)
    return Letter(
        subject=words_of(_first(message, "Subject")),
        sender=persons_of(_all(message, "From")),
        author=name_of(_first(message, "From")),
        to=persons_of(_all(message, "To")),
        cc=persons_of(_all(message, "Cc")),
        sent_at=moment_of(_first(message, "Date")),
        blocks=blocks,
        hidden_text=hidden,
        enclosures=enclosures,
        note=ENCRYPTED if locked else "",
    )


def _parts(message: Message) -> list[tuple[Message, bool]]:
    """The leaves of a message, each with whether it may be its text. An attached message is a leaf."""
    found: list[tuple[Message, bool]] = []
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_type() == "message/rfc822" and part is not message:
            found.append((part, False))
        elif part.is_multipart():
            waiting += reversed(cast("list[Message]", part.get_payload()))
        else:
            is_attached = part.get_content_disposition() == "attachment" or bool(part.get_filename())
            found.append((part, not is_attached))
    return found


def _all(message: Message, name: str) -> list[str]:
    # As they stand: reading them through the message loses letters that nobody encoded.
    return [str(value) for told, value in message.raw_items() if told.lower() == name.lower()]


def _first(message: Message, name: str) -> str:
    return next(iter(_all(message, name)), "")


def _bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    raw = _bytes(part)
    declared = str(part.get_content_charset() or "")
    return decode(raw, (declared, meta_charset(raw[:4096])))[0] if raw else ""


def _enclosure(part: Message, number: int) -> Enclosure:
    kind = part.get_content_type()
    name = words_of(part.get_filename())
    if kind == "message/rfc822":
        (inner, *_) = cast("list[Message]", part.get_payload()) if part.is_multipart() else [part]
        return Enclosure(name or f"{words_of(_first(inner, 'Subject')) or f'message {number}'}.eml", inner.as_bytes())
    if kind in _SIGNATURES:
        return Enclosure(name or "signature", b"", skipped="the signature of the message")
    if not name:
        name = f"part {number}{_ENDINGS.get(kind, '')}"
    is_shown = kind.startswith("image/") and bool(part["Content-ID"]) and part.get_content_disposition() != "attachment"
    if not PurePosixPath(name).suffix:
        name += _ENDINGS.get(kind, "")
    return Enclosure(name, _bytes(part), shown=is_shown)
