"""An Outlook message as python-oxmsg opens it in, the letter it is out; nothing of it is run or looked up."""

from __future__ import annotations

from datetime import datetime
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import HeaderParser
from typing import Final, Protocol, cast

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.mail.bodies import body_blocks
from trisynapse_memory.preprocessing.mail.headers import moment_of, name_of, persons_of
from trisynapse_memory.preprocessing.mail.letters import Enclosure, Letter
from trisynapse_memory.preprocessing.mail.rich_text import unpack_rich_text
from trisynapse_memory.types import Fault

MEDIA_TYPE: Final = "application/vnd.ms-outlook"
# Property ids of [MS-OXPROPS].
_SUBJECT, _BODY, _HTML, _HTML_TEXT, _RICH_TEXT = 0x0037, 0x1000, 0x1013, 0x1013, 0x1009
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
_TO, _CC, _SENT, _DELIVERED, _HEADERS = 0x0E04, 0x0E03, 0x0039, 0x0E06, 0x007D
_RECIPIENT_KIND, _RECIPIENT_SMTP, _RECIPIENT_ADDRESS, _IS_TO, _IS_CC = 0x0C15, 0x39FE, 0x3003, 1, 2
_LONG_NAME, _SHORT_NAME, _SHOWN_NAME, _DATA, _CONTENT_ID = 0x3707, 0x3704, 0x3001, 0x3701, 0x3712
_ROOT_HEAD, _NESTED_HEAD, _ATTACHED_HEAD = 32, 24, 8  # bytes before the properties ([MS-OXMSG] 2.4.1)
_NESTED: Final = "__substg1.0_3701000D"
_MAX_DEPTH: Final = 3


class Properties(Protocol):
    """What is used of oxmsg's properties."""

    body_encoding: str

    def str_prop_value(self, pid: int) -> str | None:
        """Return a text."""
        ...

    def binary_prop_value(self, pid: int) -> bytes | None:
        """Return bytes."""
        ...

    def int_prop_value(self, pid: int) -> int | None:
        """Return a number."""
        ...

    def date_prop_value(self, pid: int) -> datetime | None:
        """Return a time."""
        ...


class Stream(Protocol):
    """What is used of oxmsg's streams: files of a compound file."""

    name: str


class Storage(Protocol):
    """What is used of oxmsg's storages: folders of a compound file."""

    name: str
    storages: tuple[Storage, ...]
    streams: tuple[Stream, ...]


class _Oxmsg(Protocol):
    def Properties(self, storage: Storage, properties_header_offset: int) -> Properties: ...  # noqa: N802 - oxmsg's name


class _Striprtf(Protocol):
    def rtf_to_text(self, text: str, *, errors: str) -> str: ...


def letter_of(storage: Storage, *, depth: int = 0) -> Letter:
    """Read a message from the top folder of its file, or from the folder of a message attached to one.

    Raises:
        SourceDamagedError: its properties cannot be read.
    """
    properties = _properties(storage, _NESTED_HEAD if depth else _ROOT_HEAD)
    headers = HeaderParser().parsestr(properties.str_prop_value(_HEADERS) or "")
    plain, markup = _bodies(properties)
    blocks, hidden = body_blocks(plain, markup)
    recipients = [
        _properties(one, _ATTACHED_HEAD) for one in storage.storages if one.name.startswith("__recip_version1.0_")
    ]
    sender = persons_of([str(headers["From"] or "") or _sender(properties)])
    return Letter(
        subject=" ".join((properties.str_prop_value(_SUBJECT) or "").split()),
        sender=sender,
        author=name_of(sender),
        to=_recipients(recipients, _IS_TO) or _persons(properties.str_prop_value(_TO)),
        cc=_recipients(recipients, _IS_CC) or _persons(properties.str_prop_value(_CC)),
        sent_at=properties.date_prop_value(_SENT)
        or properties.date_prop_value(_DELIVERED)
        or moment_of(str(headers["Date"] or "")),
        blocks=blocks,
        hidden_text=hidden,
        enclosures=[
            _enclosure(one, number, depth)
            for number, one in enumerate(storage.storages, start=1)
            if one.name.startswith("__attach_version1.0_")
        ],
        media_type=MEDIA_TYPE,
        method="outlook",
    )


def _properties(storage: Storage, head: int) -> Properties:
    from oxmsg import properties

    return cast("_Oxmsg", properties).Properties(storage, head)


def _bodies(properties: Properties) -> tuple[str, str]:
    plain = properties.str_prop_value(_BODY) or ""
    raw = properties.binary_prop_value(_HTML)
    markup = raw.decode(properties.body_encoding, "replace") if raw else properties.str_prop_value(_HTML_TEXT) or ""
    if not plain.strip() and not markup.strip() and (packed := properties.binary_prop_value(_RICH_TEXT)):
        plain = _text_of(unpack_rich_text(packed))
    return plain, markup


def _text_of(rich: bytes) -> str:
    # Only messages without any other text need it.
    from striprtf import striprtf

    return cast("_Striprtf", striprtf).rtf_to_text(rich.decode("latin-1"), errors="replace")


def _sender(properties: Properties) -> str:
    name = (properties.str_prop_value(_SENDER_NAME) or "").strip().replace('"', "")
    address = properties.str_prop_value(_SENDER_SMTP) or properties.str_prop_value(_SENDER_ADDRESS) or ""
    if "@" not in address:  # the address inside one company's Exchange says nothing to a reader
        return name
    return f'"{name}" <{address}>' if name and name != address else address


def _persons(told: str | None) -> str:
    return ", ".join(dict.fromkeys(name for part in (told or "").split(";") if (name := part.strip(" \0'"))))


def _recipients(recipients: list[Properties], kind: int) -> str:
    """The persons a message went to, with their addresses where those are of the internet."""
    found: list[str] = []
    for one in recipients:
        if one.int_prop_value(_RECIPIENT_KIND) != kind:
            continue
        name = (one.str_prop_value(_SHOWN_NAME) or "").strip(" \0'\"")
        told = (one.str_prop_value(pid) or "" for pid in (_RECIPIENT_SMTP, _RECIPIENT_ADDRESS))
        address = next((part.strip(" \0") for part in told if "@" in part), "")
        found.append(f"{name} <{address}>" if name and address and name != address else name or address)
    return ", ".join(dict.fromkeys(one for one in found if one))


def _enclosure(storage: Storage, number: int, depth: int) -> Enclosure:
    properties = _properties(storage, _ATTACHED_HEAD)
    told = (properties.str_prop_value(pid) for pid in (_LONG_NAME, _SHORT_NAME, _SHOWN_NAME))
    name = next((one.strip(" \0") for one in told if one and one.strip(" \0")), f"part {number}")
    nested = next((one for one in storage.storages if one.name == _NESTED), None)
    if nested is not None and depth < _MAX_DEPTH:
        inner = letter_of(nested, depth=depth + 1)
        return Enclosure(f"{inner.subject or name}.eml", _as_mime(inner))
    content = properties.binary_prop_value(_DATA)
    if content is None:
        problem = "Only a link to it was attached, or it is a drawing that Outlook keeps."
        return Enclosure(name, b"", fault=Fault(code=SourceDamagedError.code, message=problem))
    return Enclosure(name, content, shown=bool(properties.str_prop_value(_CONTENT_ID)))


def _as_mime(letter: Letter) -> bytes:
    """A message that was attached to another one, as a mail file of its own."""
    made = EmailMessage()
    told = {"From": letter.sender, "To": letter.to, "Cc": letter.cc, "Subject": letter.subject}
    if letter.sent_at:
        told["Date"] = letter.sent_at.strftime("%a, %d %b %Y %H:%M:%S %z")
    for name, value in told.items():
        if value:
            try:
                made[name] = value
            except (ValueError, MessageError, IndexError):  # a name that no header may hold; the text still counts
                continue
    made.set_content("\n\n".join(block.text for block in letter.blocks))
    for one in letter.enclosures:
        if one.content:
            made.add_attachment(one.content, maintype="application", subtype="octet-stream", filename=one.name)
    return made.as_bytes()
