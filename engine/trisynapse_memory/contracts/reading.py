"""How a file is opened, and how facts are read out of what it says; no implementation lives here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from trisynapse_memory.types import (
    Heading,
    Listing,
    Page,
    Passage,
    Proposal,
    Section,
)


class Document(Protocol):
    """A file a loader has opened inside a worker; it is read page by page and closed."""

    heading: Heading

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` (1-based) and the following ones, each with the sections no chunk may cross."""
        ...

    def members(self) -> Iterator[Listing]:
        """Yield the other sources that lie in this file: bookmarks, references, attachments, files of an archive.

        Asked for after ``pages``. Most files yield nothing.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@runtime_checkable
class Drawable(Protocol):
    """A document whose pages can be looked at as well as read."""

    def draw(self, number: int, side: int) -> bytes:
        """Return page ``number`` (1-based) as a PNG, as a reader sees it, its longer side ``side`` pixels.

        Raises:
            SourceDamagedError: there is no such page, or it cannot be drawn.
        """
        ...


@runtime_checkable
class Loader(Protocol):
    """Reads one family of files.

    ``__init__`` takes nothing and imports nothing heavy. ``suits`` judges by content first, name second, on the first
    64 KiB, and never raises. ``open`` raises a ``SourceError`` that says what is wrong with this file; it runs inside a
    worker that may be killed at any moment. A page that cannot be read is yielded with its verdict, never raised.
    A loader of texts may take ``charset`` as well: what a server said of their encoding (case R24).
    A ``container`` is no source of its own and has no pages: what it says stands in its members.
    """

    name: str
    version: int
    modality: str
    container: bool

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is that the file is its own, in [0, 1]; 0 is no."""
        ...

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> Document:
        """Open a file for reading; ``filename`` is what it is called where ``path`` is only a hash."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """Reads passages and proposes facts. Runs inside a worker; ``version`` changes when its proposals would.

    ``__init__`` loads nothing. A passage that cannot be read proposes nothing; nothing is raised for
    what a text says.
    """

    name: str
    version: int

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        """Return the facts that these passages say, in their order."""
        ...
