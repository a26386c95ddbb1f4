"""How sources of the library are written for other programs; no implementation lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from trisynapse_memory.types import Record, Source


class Holding(Struct, frozen=True, kw_only=True):
    """One source of the library as an exporter sees it.

    ``source`` carries title, address, tags, collections, authors and identifiers as she sees them now; ``records`` are
    its citable records in log order, with their fields and locators as they were read. A bookmark or a reference has
    exactly one, but long notes go on in further ones; ``text`` is all of it. ``entry`` is a reference exactly as its
    file wrote it, in the format that ``loader`` reads; both are empty for what came from no bibliography.
    """

    source: Source
    records: tuple[Record, ...] = ()
    text: str = ""
    entry: str = ""
    loader: str = ""


@runtime_checkable
class SourceExporter(Protocol):
    """Writes sources in one format; text only, nothing is read or written.

    ``kinds`` are the kinds of source (``Source.kind``) that the format can say; the others are not handed in.
    ``suffixes`` are the endings of its files, in small letters and with their dot.
    """

    name: str
    kinds: tuple[str, ...]
    suffixes: tuple[str, ...]

    def compose(self, holdings: Sequence[Holding]) -> str:
        """Return the text of the file: every holding, in the order given (oldest first)."""
        ...
