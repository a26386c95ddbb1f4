"""What a worker says of a file, part by part, in; batches of pages and then members out. Nothing is appended here."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Final

from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.types import Heading, Listing

BATCH_CHUNKS: Final = 400  # some 0.3 s to append and index; 32 pages of a paper make fewer


def heading_of(first: object) -> Heading:
    """Return the first part of what a loader says.

    Raises:
        TypeError: it is something else: a bug of the worker.
    """
    if not isinstance(first, Heading):
        raise TypeError("A loader's first part must be its heading.")
    return first


class Parts:
    """What a worker says of a file: its pages, then its members.

    ``has_begun`` tells whether anything of it is in the vault; what fails later is not the whole file.
    """

    def __init__(self, parts: Iterator[LoadedPage | Heading | Listing], *, has_begun: bool = False) -> None:
        self._parts = parts
        self._first: Listing | None = None
        self.has_begun = has_begun

    def pages(self) -> Iterator[LoadedPage]:
        """Yield the pages; the member that ends them is kept for later."""
        for part in self._parts:
            if isinstance(part, Listing):
                self._first = part
                return
            if isinstance(part, LoadedPage):
                yield part

    def members(self) -> Iterator[Listing]:
        """Yield the members; whatever else comes is passed over."""
        if self._first is not None:
            yield self._first
        for part in self._parts:
            if isinstance(part, Listing):
                self.has_begun = True
                yield part


def until(stop: threading.Event, listings: Iterator[Listing]) -> Iterator[Listing]:
    """Yield listings until somebody says stop."""
    for listing in listings:
        if stop.is_set():
            return
        yield listing


def is_file_listing(listing: Listing) -> bool:
    """Tell whether a member is a file with bytes of its own."""
    return listing.kind == "file"


def batches(pages: Iterable[LoadedPage], size: int) -> Iterator[list[LoadedPage]]:
    """Group pages, the first ones in a small batch, so that the first words are searchable at once.

    A batch of pages that make many records ends sooner: "stop" is heard between two batches (case R30).
    """
    batch: list[LoadedPage] = []
    limit, chunk_count = min(4, size), 0
    for page in pages:
        batch.append(page)
        chunk_count += len(page.chunks)
        if len(batch) >= limit or chunk_count >= BATCH_CHUNKS:
            yield batch
            batch, limit, chunk_count = [], size, 0
    if batch:
        yield batch
