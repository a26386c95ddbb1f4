"""Sources of the library in, one file that other programs read out; nothing is appended and nothing leaves the machine.

Formats are rows of the registry (kind ``exporter``) whose class is a ``SourceExporter``: a new format is one file and
one row. What is marked sensitive stays out unless it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

from trisynapse_memory.contracts import Holding, SourceExporter
from trisynapse_memory.errors import BranchUnavailableError, InvalidInputError
from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Kind, Namespace, Source, SourceDetails, SourceExport, SourceStatus

PRIVATE: Final = 0o600  # an export holds what the vault holds; it is for its owner until she shares it


def export_sources(
    rooms: Rooms, namespace: Namespace, path: Path, format_name: str, only: Sequence[str] = ()
) -> SourceExport:
    """Write the sources that a format can say into one file, which is put in place whole.

    Args:
        rooms: the open vault.
        namespace: whose sources.
        path: where to; a file that is there is replaced.
        format_name: a format of the registry; empty: the one whose files end like this one.
        only: ids of sources, or names of collections; all by default. A sensitive source goes out only by its id.

    Raises:
        InvalidInputError: no format is meant, nothing can be written in it, or the file cannot be written.
        UnknownBranchError: there is no such format.
    """
    exporter = _exporter(rooms.registry, path, format_name)
    known = [source for source in rooms.shelf.list(namespace) if source.status is SourceStatus.ACTIVE]
    # In the order in which they first came, so that a changed entry stays where it stands in its file.
    places = rooms.shelf.first_places()
    known.sort(key=lambda one: places[one.source_key, namespace_key(one.namespace)])
    chosen = [one for one in known if one.kind in exporter.kinds and _is_meant(one, only)]
    marks = Sensitivity(rooms.log)
    open_ones = [one for one in chosen if one.source_id in only or not marks.is_sensitive(one.source_id)]
    if not open_ones:
        raise InvalidInputError(
            f"There is nothing that '{exporter.name}' could hold.",
            hint=f"It holds sources of kind {', '.join(exporter.kinds)}; `sources list` shows what there is.",
        )
    holdings = [_holding(rooms, one) for one in open_ones]
    _write_whole(path, exporter.compose(holdings))
    return SourceExport(
        path=str(path), format=exporter.name, sources=len(open_ones), left_out=len(chosen) - len(open_ones)
    )


def _holding(rooms: Rooms, source: Source) -> Holding:
    (first, *records) = rooms.log.of_source(source.source_id, Kind.SOURCE, Kind.RAW_SOURCE)
    page = rooms.log.page(source.source_id, 1)
    details = first.payload if isinstance(first.payload, SourceDetails) else None
    return Holding(
        source=source,
        records=tuple(records),
        text=page.text if page else "",
        entry=details.entry if details else "",
        loader=details.loader if details else "",
    )


def _is_meant(source: Source, only: Sequence[str]) -> bool:
    return not only or source.source_id in only or any(name in only for name in source.collections)


def _exporter(registry: Registry, path: Path, format_name: str) -> SourceExporter:
    if format_name:
        found = registry.load("exporter", format_name)()
        if isinstance(found, SourceExporter):
            return found
    known = _source_exporters(registry)
    for one in known:
        if not format_name and path.suffix.lower() in one.suffixes:
            return one
    names = ", ".join(f"{one.name} ({' '.join(one.suffixes)})" for one in known)
    problem = f"'{format_name}' writes no sources." if format_name else f"'{path.name}' does not say which format."
    raise InvalidInputError(problem, hint=f"Formats: {names}.")


def _source_exporters(registry: Registry) -> list[SourceExporter]:
    found: list[SourceExporter] = []
    for name in registry.names("exporter"):
        try:
            exporter = registry.load("exporter", name)()
        except BranchUnavailableError:
            continue  # a format of another room whose package is not installed is no reason to refuse this one
        if isinstance(exporter, SourceExporter):
            found.append(exporter)
    return found


def _write_whole(path: Path, text: str) -> None:
    temporary = path.with_name(f".{uuid4().hex[:12]}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            temporary.chmod(PRIVATE)
            stream.write(text)
        temporary.replace(path)
    except OSError as error:
        raise InvalidInputError(
            f"'{path.name}' cannot be written ({error.strerror}).", hint="Choose a folder you can write to."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
