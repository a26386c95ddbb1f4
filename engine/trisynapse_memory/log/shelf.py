"""The sources a log holds, read from its derived table and their records; nothing is appended here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

import msgspec
from msgspec import structs

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.log.matches import described, matches_of
from trisynapse_memory.log.rows import namespace_key, namespace_of
from trisynapse_memory.log.same_texts import same_texts
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Namespace, Record, SameText, Scope, Source, SourceDetails, SourceId, SourceStatus

_COLUMNS = (
    "source_id, seq, source_key, namespace_key, status, replaces, record_count, page_count, verdicts, title,"
    " collections, tags"
)
LIVE = (SourceStatus.ACTIVE, SourceStatus.ARRIVING)


class Shelf:
    """All versions of all sources of one log."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    def get(self, source_id: str) -> Source:
        """Return one version of a source.

        Raises:
            UnknownSourceError: no source has that id.
        """
        found = self._select("WHERE source_id = ?", (source_id,))
        if not found:
            raise UnknownSourceError(f"There is no source '{source_id}'.", hint="`sources list` shows all ids.")
        return found[0]

    def list(self, namespace: Namespace, *, include_all: bool = False, limit: int | None = None) -> tuple[Source, ...]:
        """Return the sources a reader sees, newest first; superseded and forgotten ones only with ``include_all``."""
        states = tuple(SourceStatus) if include_all else LIVE
        names = msgspec.json.encode([state.value for state in states]).decode()
        clause = "WHERE status IN (SELECT value FROM json_each(?)) ORDER BY seq DESC"
        found = [s for s in self._select(clause, (names,)) if namespace.sees(s.namespace)]
        return tuple(found if limit is None else found[:limit])

    def versions(self, source_key: str, namespace: Namespace) -> tuple[Source, ...]:
        """Return every version of one key in exactly this namespace, oldest first."""
        clause = "WHERE source_key = ? AND namespace_key = ? ORDER BY seq"
        return self._select(clause, (source_key, namespace_key(namespace)))

    def active(self, source_key: str, namespace: Namespace) -> Source | None:
        """Return the version of a key that is in use, if any."""
        live = [s for s in self.versions(source_key, namespace) if s.status is SourceStatus.ACTIVE]
        return live[-1] if live else None

    def twin(self, content_hash: str, namespace: Namespace) -> Source | None:
        """Return a whole source in use with the same bytes in exactly this namespace, whatever its key."""
        clause = "WHERE namespace_key = ? AND content_hash = ? AND status = 'active' ORDER BY seq LIMIT 1"
        found = self._select(clause, (namespace_key(namespace), content_hash))
        return found[0] if found else None

    def inside(self, prefix: str, namespace: Namespace) -> tuple[Source, ...]:
        """Return the sources in use whose key begins with ``prefix``, in exactly this namespace, by key."""
        clause = "WHERE namespace_key = ? AND source_key >= ? AND source_key < ? AND status = 'active'"
        after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return self._select(f"{clause} ORDER BY source_key, seq", (namespace_key(namespace), prefix, after))

    def holds_blob(self, blob_hash: str) -> bool:
        """Tell whether any version of any source names this original."""
        sql = "SELECT 1 FROM sources WHERE content_hash = ? LIMIT 1"
        with self._log.database.read() as connection:
            return connection.execute(sql, (blob_hash,)).fetchone() is not None

    def ids_of_content(self, content_hash: str) -> tuple[SourceId, ...]:
        """Return all versions of all sources that were read from these very bytes."""
        sql = "SELECT source_id FROM sources WHERE content_hash = ? ORDER BY seq"
        with self._log.database.read() as connection:
            return tuple(SourceId(str(row[0])) for row in connection.execute(sql, (content_hash,)))

    def copies(self, source_ids: Sequence[str]) -> dict[str, tuple[SameText, ...]]:
        """Return, by id, which other sources in use say the same words as these, oldest first."""
        with self._log.database.read() as connection:
            return same_texts(connection, source_ids)

    def ids_in(self, namespace: Namespace, collection: str) -> tuple[SourceId, ...]:
        """Return the live sources of a collection."""
        return tuple(s.source_id for s in self.list(namespace) if collection in s.collections)

    def first_places(self) -> dict[tuple[str, str], int]:
        """Return where in the log the first version of each source stands, by its key and namespace key."""
        sql = "SELECT source_key, namespace_key, min(seq) FROM sources GROUP BY source_key, namespace_key"
        with self._log.database.read() as connection:
            return {(str(key), str(owner)): int(seq) for key, owner, seq in connection.execute(sql)}

    def titles(self, source_ids: Sequence[str]) -> dict[str, Source]:
        """Return these sources by id, for hydrating hits in one read."""
        wanted = msgspec.json.encode(list(dict.fromkeys(source_ids))).decode()
        found = self._select("WHERE source_id IN (SELECT value FROM json_each(?))", (wanted,))
        return {str(source.source_id): source for source in found}

    def counts(self) -> dict[str, int]:
        """Return how many sources have each status."""
        with self._log.database.read() as connection:
            rows = connection.execute("SELECT status, count(*) FROM sources GROUP BY status").fetchall()
        return {str(status): int(count) for status, count in rows}

    def unreadable(self, scope: Scope, limit: int) -> tuple[tuple[str, ...], int]:
        """Return the titles of the newest ``limit`` sources in scope that gave no word at all, and how many there are.

        No word: scans that nobody has read yet, empty pages.
        """
        sql = (
            "SELECT source_id, namespace_key FROM sources WHERE status = 'active' AND record_count = 0"
            " AND (:then IS NULL OR seq <= :then) ORDER BY seq DESC"
        )
        with self._log.database.read() as connection:
            rows = [(str(row[0]), str(row[1])) for row in connection.execute(sql, {"then": scope.as_of_seq})]
        seen = {key: scope.namespace.sees(namespace_of(key)) for key in {key for _, key in rows}}
        wanted = None if scope.source_ids is None else set(map(str, scope.source_ids))
        found = [one for one, key in rows if seen[key] and (wanted is None or one in wanted)]
        named = self.titles(found[:limit])
        return tuple(named[one].title for one in found[:limit] if one in named), len(found)

    def _select(self, clause: str, bindings: tuple[str, ...]) -> tuple[Source, ...]:
        with self._log.database.read() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM sources {clause}", bindings).fetchall()
        records = {record.seq: record for record in self._log.by_seqs([int(row[1]) for row in rows])}
        return self._described(tuple(_source_of(row, records[int(row[1])]) for row in rows))

    def _described(self, sources: tuple[Source, ...]) -> tuple[Source, ...]:
        """Add what an entry of a bibliography says of a file, and which older source says the same words."""
        with self._log.database.read() as connection:
            found = matches_of(connection, [source.source_id for source in sources])
            same = same_texts(connection, [source.source_id for source in sources])
        first = {source_id: next((one for one in others if one.is_older), None) for source_id, others in same.items()}
        sources = tuple(
            structs.replace(source, same_text_as=older.source_id) if (older := first.get(source.source_id)) else source
            for source in sources
        )
        entries = {record.source_id: record for record in self._log.by_seqs([one.reference_seq for one in found])}
        return described(sources, found, entries) if found else sources


def _source_of(row: Sequence[object], record: Record) -> Source:
    details = record.payload
    if not isinstance(details, SourceDetails):  # removed for good: only the row is left
        details = SourceDetails(source_key="", kind="", title="", version=0, content_hash="", byte_size=0)
    (source_id, _, key, namespace, status, replaces, record_count, page_count, verdicts, title, collections, tags) = row
    # Its file was renamed since it came: the place is that of the key.
    moved = str(key) != details.source_key and details.uri.startswith("file:") and PurePath(str(key)).is_absolute()
    return Source(
        source_id=SourceId(str(source_id)),
        source_key=str(key),
        title=str(title) or details.title,
        kind=details.kind,
        version=details.version,
        status=SourceStatus(str(status)),
        content_hash=details.content_hash,
        blob_hash=details.blob_hash,
        record_count=int(str(record_count)),
        page_count=int(str(page_count)),
        byte_size=details.byte_size,
        media_type=details.media_type,
        filename=details.filename if not moved else PurePath(str(key)).name,
        uri=details.uri if not moved else Path(str(key)).as_uri(),
        verdicts=msgspec.json.decode(str(verdicts), type=dict[str, int]),
        added_at=record.written_at,
        authors=details.authors,
        published=details.published,
        collections=msgspec.json.decode(str(collections), type=tuple[str, ...]),
        tags=msgspec.json.decode(str(tags), type=tuple[str, ...]),
        previous_source_id=None if replaces is None else SourceId(str(replaces)),
        container=details.container,
        namespace=namespace_of(str(namespace)),
        identifiers=details.identifiers,
        attributed_by=details.fetched.attributed_by if details.fetched else "",
        refused_title=details.fetched.refused_title if details.fetched else "",
    )
