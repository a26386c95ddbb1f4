"""Evidence and extraction records in, what still has to be read for facts out. No text is kept and none is read here.

Tables of ``index.db``, named after the index: ``facts_sources`` (source id, log position at which it arrived, whether
it is wanted first, how many of its records wait) and ``facts_records`` (log position, record id, source, visible,
read). A record waits while it is visible and no extraction record of this extractor and version names it, so the
backlog is a projection like all others: a crash loses nothing, and another version of the extractor makes every record
wait again. Two extractors have an index each, under two names, and neither sees what the other has read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import PATTERN_EXTRACTOR, ExtractionDetails, Kind, Record

NAME: Final = "facts"
FORM: Final = "facts-1"

# The count per source is kept by triggers, so that no path that changes a record can forget it.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts_sources (
    source    INTEGER PRIMARY KEY,
    source_id TEXT NOT NULL UNIQUE,
    arrived   INTEGER NOT NULL,
    wanted    INTEGER NOT NULL DEFAULT 0,
    waiting   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS facts_sources_order ON facts_sources (wanted DESC, arrived DESC) WHERE waiting > 0;
CREATE TABLE IF NOT EXISTS facts_records (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    source  INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    is_read INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS facts_records_source ON facts_records (source, seq);
CREATE INDEX IF NOT EXISTS facts_records_waiting ON facts_records (source, seq) WHERE visible = 1 AND is_read = 0;
CREATE TRIGGER IF NOT EXISTS facts_added AFTER INSERT ON facts_records BEGIN
    UPDATE facts_sources SET waiting = waiting + (new.visible AND NOT new.is_read) WHERE source = new.source;
END;
CREATE TRIGGER IF NOT EXISTS facts_changed AFTER UPDATE ON facts_records BEGIN
    UPDATE facts_sources SET waiting = waiting + (new.visible AND NOT new.is_read) - (old.visible AND NOT old.is_read)
    WHERE source = new.source;
END;
CREATE TRIGGER IF NOT EXISTS facts_dropped AFTER DELETE ON facts_records BEGIN
    UPDATE facts_sources SET waiting = waiting - (old.visible AND NOT old.is_read) WHERE source = old.source;
END;
"""


class FactsIndex:
    """Which records wait to be read by one extractor, most wanted first.

    Args:
        place: the file, or the database that several indexes share.
        extractor: whose extraction records count.
        version: which version of it; records that another version read wait again.
        name: what the index is called, and how its tables begin.
        receipt_prefix: only extraction records whose external key begins so count; it tells one model from another.
    """

    takes_all_facts = False

    def __init__(
        self,
        place: Path | IndexDatabase,
        extractor: str = PATTERN_EXTRACTOR,
        version: int = 1,
        *,
        name: str = NAME,
        receipt_prefix: str = "",
    ) -> None:
        self.name = name
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._extractor = extractor
        self._version = version
        self._receipt_prefix = receipt_prefix
        self._sources, self._records = f"{name}_sources", f"{name}_records"
        form = f"{FORM} {extractor} {version} {receipt_prefix}".rstrip()
        self._database.install(name, form, _SCHEMA.replace("facts_", f"{name}_"))

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        return self._database.applied_seq(self.name)

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        """Take in new records, changed visibility and extraction records, in one transaction."""
        with self._database.write() as connection:
            for entry in entries:
                if entry.record.kind is Kind.RAW_SOURCE:
                    self._add(connection, entry.record, entry.visible)
            connection.executemany(
                f"UPDATE {self._records} SET visible = ? WHERE seq = ? AND visible != ?",
                [(int(seen), seq, int(seen)) for seq, seen in visibility.items()],
            )
            for event in events:
                if isinstance(event.payload, ExtractionDetails) and self._counts(event, event.payload):
                    self._mark_read(connection, event.payload.target_record_ids)
            self._database.advance(connection, self.name, through_seq)

    def _counts(self, event: Record, details: ExtractionDetails) -> bool:
        is_ours = (details.extractor, details.extractor_version) == (self._extractor, self._version)
        return is_ours and (event.external_key or "").startswith(self._receipt_prefix)

    def waiting(self, limit: int, passed: Collection[int] = ()) -> tuple[int, ...]:
        """Return the log positions of up to ``limit`` records that wait, all of the most wanted source, in log order.

        A source that was asked for goes first, then the newest one.

        Args:
            limit: how many at most.
            passed: log positions to leave out; a source that waits for nothing else is passed over with them.
        """
        waits = "visible = 1 AND is_read = 0 AND seq NOT IN (SELECT value FROM json_each(:passed))"
        first = (
            f"SELECT source FROM {self._sources} s WHERE waiting > 0"
            f" AND EXISTS (SELECT 1 FROM {self._records} r WHERE r.source = s.source AND {waits})"
            " ORDER BY wanted DESC, arrived DESC LIMIT 1"
        )
        sql = f"SELECT seq FROM {self._records} WHERE source = ({first}) AND {waits} ORDER BY seq LIMIT :limit"
        with self._database.read() as connection:
            bindings = {"passed": _json(passed), "limit": limit}
            return tuple(int(seq) for (seq,) in connection.execute(sql, bindings))

    def waiting_among(self, seqs: Collection[int]) -> int:
        """Return how many of the records at these log positions wait."""
        sql = f"SELECT count(*) FROM {self._records} WHERE visible = 1 AND is_read = 0"
        with self._database.read() as connection:
            found = connection.execute(f"{sql} AND seq IN (SELECT value FROM json_each(?))", (_json(seqs),))
            return int(found.get)

    def before(self, seq: int) -> int | None:
        """Return the log position of the visible record before this one in its source, or None at its start."""
        sql = (
            f"SELECT b.seq FROM {self._records} a JOIN {self._records} b ON b.source = a.source"
            " AND b.seq < a.seq AND b.visible = 1 WHERE a.seq = ? ORDER BY b.seq DESC LIMIT 1"
        )
        with self._database.read() as connection:
            found = connection.execute(sql, (seq,)).get
        return None if found is None else int(found)

    def waiting_count(self, source_id: str | None = None) -> int:
        """Return how many records wait, of one source or of all."""
        where, bindings = ("waiting > 0", ()) if source_id is None else ("source_id = ?", (source_id,))
        with self._database.read() as connection:
            sql = f"SELECT coalesce(sum(waiting), 0) FROM {self._sources} WHERE {where}"
            return int(connection.execute(sql, bindings).get)

    def record_count(self) -> int:
        """Return how many visible records the index knows, read or not."""
        with self._database.read() as connection:
            return int(connection.execute(f"SELECT count(*) FROM {self._records} WHERE visible = 1").get)

    def prioritise(self, source_id: str) -> None:
        """Let this source be read next: she has just dropped or opened it."""
        with self._database.write() as connection:
            highest = int(connection.execute(f"SELECT coalesce(max(wanted), 0) FROM {self._sources}").get)
            sql = f"UPDATE {self._sources} SET wanted = ? WHERE source_id = ?"
            connection.execute(sql, (highest + 1, source_id))

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, whether or not they are there."""
        with self._database.write() as connection:
            connection.executemany(f"DELETE FROM {self._records} WHERE seq = ?", [(seq,) for seq in seqs])

    def wipe(self) -> None:
        """Empty the index."""
        with self._database.write() as connection:
            connection.execute(f"DELETE FROM {self._records}; DELETE FROM {self._sources};")
            self._database.advance(connection, self.name, 0)

    def close(self) -> None:
        """Close the file, unless it is shared."""
        if self._owns_database:
            self._database.close()

    def _add(self, connection: Connection, record: Record, visible: bool) -> None:
        source_id = record.source_id or ""
        connection.execute(
            f"INSERT OR IGNORE INTO {self._sources} (source_id, arrived) VALUES (?, ?)", (source_id, record.seq)
        )
        connection.execute(
            f"INSERT OR IGNORE INTO {self._records} (seq, id, source, visible)"
            f" SELECT ?, ?, source, ? FROM {self._sources} WHERE source_id = ?",
            (record.seq, record.id, int(visible), source_id),
        )

    def _mark_read(self, connection: Connection, record_ids: Sequence[str]) -> None:
        sql = f"UPDATE {self._records} SET is_read = 1 WHERE id IN (SELECT value FROM json_each(?)) AND is_read = 0"
        connection.execute(sql, (_json(record_ids),))


def _json(values: Collection[int] | Collection[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
