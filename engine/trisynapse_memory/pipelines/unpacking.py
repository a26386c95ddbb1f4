"""What a file says of the files in it in, arrivals of their own out. No byte is read and nothing is appended here."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import (
    PasswordNeededError,
    SourceDamagedError,
    SourceEmptyError,
    SourceError,
    SourceTimedOutError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.drafting import name_of, title_of
from trisynapse_memory.pipelines.member_drafts import PATH_JOINT
from trisynapse_memory.preprocessing.notes.names import without_id
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.types import Fault, Heading, IngestResult, Listing, Outcome, SourceInput

INSIDE: Final = "!/"
"""Between the key of a container and the path inside it, as in addresses of files in archives elsewhere."""

MAX_DEPTH: Final = 3  # an archive in a mail in an archive is somebody's; deeper ones are made to exhaust us

_ERRORS: Final = {
    kind.code: kind
    for kind in (
        PasswordNeededError,
        SourceDamagedError,
        SourceEmptyError,
        SourceTimedOutError,
        SourceTooLargeError,
        SourceUnsupportedError,
    )
}


class Nest:
    """One sandbox for each depth: a file in an archive is read while the archive waits.

    Args:
        first: reads what she gave; it stays the caller's to close.
    """

    def __init__(self, first: Sandbox) -> None:
        self._sandboxes = [first]

    def load(
        self, arrival: Arrival, kind: str, path: Path, start_page: int = 1, stop: threading.Event | None = None
    ) -> Generator[LoadedPage | Heading | Listing]:
        """Read a file at the depth it lies in; see ``Sandbox.load``."""
        while len(self._sandboxes) <= arrival.depth:
            self._sandboxes.append(self._sandboxes[0].another())
        return self._sandboxes[arrival.depth].load(
            path,
            kind,
            password=arrival.input.password,
            start_page=start_page,
            title=title_of(arrival),
            filename=name_of(arrival),
            charset=arrival.fetched.charset if arrival.fetched else "",
            stop=stop,
        )

    def close(self) -> None:
        """End the children that were started for what lies in files."""
        while len(self._sandboxes) > 1:
            self._sandboxes.pop().close()


def member_of(arrival: Arrival, key: str, listing: Listing) -> Arrival:
    """Return the arrival that one file in another is.

    Args:
        arrival: the file it lies in; collections, tags, namespace and password are handed down.
        key: the source key of that file.
        listing: what its loader says of the member. Each of its folders is a collection, named with those above it.
    """
    given = arrival.input
    folders = accumulate(map(without_id, listing.path), lambda above, name: f"{above}{PATH_JOINT}{name}")
    inner = SourceInput(
        content=listing.content,
        source_key=f"{key}{INSIDE}{listing.key}",
        filename=listing.filename or listing.title or listing.key,
        title=listing.title if listing.title != listing.filename else None,
        observed_at=listing.observed_at or given.observed_at,
        collections=tuple(dict.fromkeys((*given.collections, *folders))),
        tags=tuple(dict.fromkeys((*given.tags, *listing.tags))),
        namespace=given.namespace,
        password=given.password,
    )
    too_deep = f"more than {MAX_DEPTH} files inside each other" if arrival.depth >= MAX_DEPTH else ""
    return Arrival(
        label=f"{arrival.label}{INSIDE}{listing.key}",
        input=inner,
        skipped=listing.skipped or too_deep,
        error=None if listing.fault is None else _error_of(listing.fault),
        container=key,
        depth=arrival.depth + 1,
        listing=structs.replace(listing, content=b""),
    )


def gone_from(shelf: Shelf, arrival: Arrival, key: str, seen: set[str]) -> Iterator[IngestResult]:
    """Yield a row for each file that lay in an earlier version of this one and does no more; it stays in the vault.

    Args:
        shelf: the sources of the vault.
        arrival: the container, as it is now.
        key: its source key.
        seen: the source keys of everything that lies in it now.
    """
    for source in shelf.inside(f"{key}{INSIDE}", arrival.input.namespace):
        if source.source_key in seen or INSIDE in source.source_key[len(key) + len(INSIDE) :]:
            continue
        yield IngestResult(
            input=f"{arrival.label}{source.source_key[len(key) :]}",
            status=Outcome.SKIPPED,
            source_id=source.source_id,
            source_key=source.source_key,
            kind=source.kind,
            title=source.title,
            version=source.version,
            reason=f"no longer in '{arrival.input.filename or arrival.label}'; kept as it was",
        )


def _error_of(fault: Fault) -> SourceError:
    return _ERRORS.get(fault.code, SourceError)(fault.message, fault.hint)
