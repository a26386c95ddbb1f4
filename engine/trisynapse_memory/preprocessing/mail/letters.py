"""One mail as its file tells it in, its blocks, heading and members out; no file format is known here.

Its headers stand before its words, as a reader sees them, so that a search for a person or a subject finds it. Words it
only quotes from an earlier mail are sections of their own, marked as quoted: they are searchable, but whoever wrote
this mail did not say them. A signature is a margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from trisynapse_memory.errors import SourceTooLargeError
from trisynapse_memory.preprocessing.archives.entries import MEMBER_MAX_BYTES
from trisynapse_memory.preprocessing.archives.names import clean_path
from trisynapse_memory.preprocessing.blocks import Block, compose
from trisynapse_memory.types import Fault, Heading, Listing, Page, PageVerdict, Section

PAGE_CHARS: Final = 65_536
SMALL_PICTURE_BYTES: Final = 10_240  # logos and tracking pixels lie below, screenshots above
ENCRYPTED: Final = "the message is encrypted"
NO_TEXT: Final = "the message has no text"


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that came with a mail; ``shown`` when it is a picture inside the text."""

    name: str
    content: bytes
    shown: bool = False
    skipped: str = ""
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail: who wrote what to whom, when. ``hidden_text`` is what its HTML does not show."""

    subject: str = ""
    sender: str = ""
    author: str = ""
    to: str = ""
    cc: str = ""
    sent_at: datetime | None = None
    blocks: Sequence[Block] = ()
    hidden_text: str = ""
    enclosures: Sequence[Enclosure] = ()
    note: str = ""
    media_type: str = "message/rfc822"
    method: str = "mail"


@dataclass(slots=True)
class LetterDocument:
    """A mail that is open: everything was read when it was opened."""

    letter: Letter
    heading: Heading = field(init=False)
    _pages: tuple[tuple[Page, tuple[Section, ...]], ...] = field(init=False)

    def __post_init__(self) -> None:
        letter = self.letter
        self._pages = tuple(_pages(letter))
        self.heading = Heading(
            page_count=len(self._pages),
            title=letter.subject,
            authors=(letter.author,) if letter.author else (),
            published=letter.sent_at.date().isoformat() if letter.sent_at else "",
            media_type=letter.media_type,
            method=letter.method,
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; nearly every mail has one."""
        yield from self._pages[max(0, start - 1) :]

    def members(self) -> Iterator[Listing]:
        """Yield the files that came with it."""
        taken: set[str] = set()
        for enclosure in self.letter.enclosures:
            path = clean_path(enclosure.name)[0].rpartition("/")[2]
            key, number = path, 2
            while key in taken:
                key, number = f"{path}#{number}", number + 1
            taken.add(key)
            yield _listing(enclosure, key, path, self.letter.sent_at)

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def headers_of(letter: Letter) -> dict[str, str]:
    """Return the headers a reader looks at, by their names, without those that are empty."""
    told = {
        "From": letter.sender,
        "To": letter.to,
        "Cc": letter.cc,
        "Date": letter.sent_at.strftime("%Y-%m-%d %H:%M %z").strip() if letter.sent_at else "",
        "Subject": letter.subject,
    }
    return {name: value for name, value in told.items() if value}


def _pages(letter: Letter) -> Iterator[tuple[Page, tuple[Section, ...]]]:
    headers = headers_of(letter)
    fields = {name.lower(): value for name, value in headers.items() if name in ("From", "To", "Cc")}
    top = [Block("\n".join(f"{name}: {value}" for name, value in headers.items()), fields=fields)] if headers else []
    words = any(block.text.strip() for block in letter.blocks)
    for number, blocks in enumerate(_portions([*top, *letter.blocks]), start=1):
        text, sections = compose([_addressed(block, fields) for block in blocks], letter.sent_at)
        note = letter.note or ("" if words else NO_TEXT)
        verdict = PageVerdict.UNSUPPORTED if letter.note == ENCRYPTED and not words else PageVerdict.OK
        page = Page(
            number=number,
            text=text,
            verdict=verdict if text.strip() else PageVerdict.EMPTY,
            flags=("hidden-text",) if letter.hidden_text and number == 1 else (),
            method=letter.method,
            note=note,
            hidden_text=letter.hidden_text if number == 1 else "",
        )
        yield page, sections


def _addressed(block: Block, fields: dict[str, str]) -> Block:
    """A block with the persons of its mail; what is quoted has its own."""
    if block.kind == "quote":
        return block
    return Block(
        block.text, block.kind, block.level, block.headers, block.code, block.entry, {**fields, **block.fields},
        block.locator, block.modality,
    )  # fmt: skip


def _portions(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    portion: list[Block] = []
    length = 0
    for block in blocks:
        if portion and length + len(block.text) > PAGE_CHARS:
            yield portion
            portion, length = [], 0
        portion.append(block)
        length += len(block.text)
    yield portion


def _listing(enclosure: Enclosure, key: str, name: str, sent_at: datetime | None) -> Listing:
    skipped, fault = enclosure.skipped, enclosure.fault
    if enclosure.shown and len(enclosure.content) < SMALL_PICTURE_BYTES:
        skipped = skipped or "a small picture inside the message"
    if len(enclosure.content) > MEMBER_MAX_BYTES:
        fault = Fault(code=SourceTooLargeError.code, message=f"It has more than {MEMBER_MAX_BYTES:,} bytes.")
    wanted = not skipped and fault is None
    return Listing(
        key=key,
        title=name,
        kind="file",
        filename=name,
        content=enclosure.content if wanted else b"",
        observed_at=sent_at,
        skipped=skipped,
        fault=fault,
    )
