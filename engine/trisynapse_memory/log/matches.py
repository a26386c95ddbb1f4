"""Sources in, which entry of a bibliography describes which file out, read from derived tables; nothing is appended.

``source_names`` holds the names under which a work may be found, ``source_references`` what was matched. A match is a
metadata record of the file; where its entry, or the file, is no longer in use, it says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.works import names_of
from trisynapse_memory.types import MetadataDetails, Namespace, Record, Source, SourceDetails, SourceId

REFERENCE: Final = "reference"
"""The kind of a source that is an entry of a bibliography, and the name of the metadata that points at one."""

NO_WORKS: Final = frozenset({"bookmark", "conversation"})
"""Kinds of sources that no entry could describe."""


class Match(NamedTuple):
    """A file in use, and the entry in use that describes it."""

    file_id: SourceId
    reference_id: SourceId
    reference_seq: int


def fold_names(connection: Connection, source_id: str, details: SourceDetails) -> None:
    """Note under which names the work of a source may be found."""
    if details.kind in NO_WORKS:
        return
    rows = [(name, source_id) for name in names_of(details.identifiers, details.title)]
    if details.kind == REFERENCE and details.filename:
        rows.append((f"file:{details.filename.casefold()}", source_id))
    connection.executemany("INSERT OR IGNORE INTO source_names (name, source_id) VALUES (?,?)", rows)


def fold_match(connection: Connection, details: MetadataDetails) -> None:
    """Note which entry describes a file; an empty value takes every match of the file back."""
    if not details.value:
        connection.execute("DELETE FROM source_references WHERE source_id = ?", (details.target_source_id,))
        return
    connection.execute(
        "INSERT OR IGNORE INTO source_references (source_id, reference_key) VALUES (?,?)",
        (details.target_source_id, details.value),
    )


def sources_named(
    connection: Connection, names: Sequence[str], namespace: Namespace, *, references: bool
) -> tuple[SourceId, ...]:
    """Return the sources in use that bear one of some names: entries of bibliographies, or all others."""
    sql = (
        "SELECT DISTINCT s.source_id, s.source_key FROM source_names n CROSS JOIN sources s USING (source_id)"
        " WHERE n.name IN (SELECT value FROM json_each(?)) AND s.namespace_key = ? AND s.status = 'active'"
        " ORDER BY s.seq"
    )
    rows = connection.execute(sql, (_as_json(names), namespace_key(namespace)))
    return tuple(SourceId(str(one)) for one, key in rows if str(key).startswith(f"{REFERENCE}:") is references)


def matches_of(connection: Connection, source_ids: Sequence[str]) -> tuple[Match, ...]:
    """Return the matches in force that have one of these sources on either side, in the order of the log."""
    if not source_ids:
        return ()
    # CROSS JOIN keeps SQLite to this order: from what was asked for outwards, not through every source of the vault.
    columns = "SELECT f.source_id, r.source_id, r.seq FROM"
    asked = "source_id IN (SELECT value FROM json_each(?)) ORDER BY f.seq, r.seq"
    in_use = "f.status = 'active' AND r.status = 'active' AND r.namespace_key = f.namespace_key"
    of_files = (
        f"{columns} source_references m CROSS JOIN sources f ON f.source_id = m.source_id"
        f" CROSS JOIN sources r ON r.source_key = m.reference_key WHERE {in_use} AND m.{asked}"
    )
    of_entries = (
        f"{columns} sources r CROSS JOIN source_references m ON m.reference_key = r.source_key"
        f" CROSS JOIN sources f ON f.source_id = m.source_id WHERE {in_use} AND r.{asked}"
    )
    wanted = _as_json(source_ids)
    found: dict[Match, None] = {}
    for sql in (of_files, of_entries):
        for file_id, reference_id, seq in connection.execute(sql, (wanted,)):
            found[Match(SourceId(str(file_id)), SourceId(str(reference_id)), int(seq))] = None
    return tuple(found)


def described(
    sources: Sequence[Source], matches: Sequence[Match], entries: Mapping[SourceId | None, Record]
) -> tuple[Source, ...]:
    """Return files with what their entry says of them, and entries with their files."""
    # Two bibliographies may hold the same work: the one that came first speaks, the other one takes over after it.
    entry_of = {match.file_id: match.reference_id for match in reversed(matches)}
    files_of: defaultdict[str, list[SourceId]] = defaultdict(list)
    for match in matches:
        files_of[match.reference_id].append(match.file_id)
    return tuple(
        structs.replace(source, files=tuple(files_of[source.source_id]))
        if source.source_id in files_of
        else _with_entry(source, entries.get(entry_of.get(source.source_id)))
        for source in sources
    )


def _with_entry(source: Source, entry: Record | None) -> Source:
    details = None if entry is None else entry.payload
    if entry is None or not isinstance(details, SourceDetails):
        return source
    # A file that says nothing of itself is called like its name on the disk.
    has_title = source.title not in ("", source.filename, PurePath(source.filename).stem)
    return structs.replace(
        source,
        title=source.title if has_title else details.title,
        # She, or a catalogue, wrote the entry; what a file says of itself, a program wrote on the way.
        authors=details.authors or source.authors,
        published=details.published or source.published,
        identifiers={**details.identifiers, **source.identifiers},
        reference=entry.source_id,
    )


def _as_json(values: Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
