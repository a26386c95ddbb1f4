"""Evidence and extraction records in, what still has to be read for facts out. No text is kept and none is read here.

Tables of ``index.db``: ``facts_sources`` (source id, log position at which it arrived, whether it is wanted first, how
many of its records wait) and ``facts_records`` (log position, record id, source, visible, read). A record waits while
it is visible and no extraction record of this extractor and version names it, so the backlog is a projection like all
others: a crash loses nothing, and another version of the extractor makes every record wait again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """

    name = NAME
    takes_all_facts = False

    def __init__(self, place: Path | IndexDatabase, extractor: str = PATTERN_EXTRACTOR, version: int = 1) -> None:
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._extractor = extractor
        self._version = version
        self._database.install(NAME, f"{FORM} {extractor} {version}", _SCHEMA)

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        return self._database.applied_seq(NAME)

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
                    _add(connection, entry.record, entry.visible)
            connection.executemany(
                "UPDATE facts_records SET visible = ? WHERE seq = ? AND visible != ?",
                [(int(seen), seq, int(seen)) for seq, seen in visibility.items()],
            )
            for event in events:
                if isinstance(event.payload, ExtractionDetails) and self._counts(event.payload):
                    _mark_read(connection, event.payload.target_record_ids)
            self._database.advance(connection, NAME, through_seq)

    def _counts(self, details: ExtractionDetails) -> bool:
        return (details.extractor, details.extractor_version) == (self._extractor, self._version)

    def waiting(self, limit: int) -> tuple[int, ...]:
        """Return the log positions of up to ``limit`` records that wait, all of the most wanted source, in log order.

        A source that was asked for goes first, then the newest one.
        """
        first = "SELECT source FROM facts_sources WHERE waiting > 0 ORDER BY wanted DESC, arrived DESC LIMIT 1"
        waits = "visible = 1 AND is_read = 0"
        sql = f"SELECT seq FROM facts_records WHERE source = ({first}) AND {waits} ORDER BY seq LIMIT ?"
        with self._database.read() as connection:
            return tuple(int(seq) for (seq,) in connection.execute(sql, (limit,)))

    def before(self, seq: int) -> int | None:
        """Return the log position of the visible record before this one in its source, or None at its start."""
        sql = (
            "SELECT b.seq FROM facts_records a JOIN facts_records b ON b.source = a.source"
            " AND b.seq < a.seq AND b.visible = 1 WHERE a.seq = ? ORDER BY b.seq DESC LIMIT 1"
        )
        with self._database.read() as connection:
            found = connection.execute(sql, (seq,)).get
        return None if found is None else int(found)

    def waiting_count(self, source_id: str | None = None) -> int:
        """Return how many records wait, of one source or of all."""
        where, bindings = ("waiting > 0", ()) if source_id is None else ("source_id = ?", (source_id,))
        with self._database.read() as connection:
            sql = f"SELECT coalesce(sum(waiting), 0) FROM facts_sources WHERE {where}"
            return int(connection.execute(sql, bindings).get)

    def record_count(self) -> int:
        """Return how many visible records the index knows, read or not."""
        with self._database.read() as connection:
            return int(connection.execute("SELECT count(*) FROM facts_records WHERE visible = 1").get)

    def prioritise(self, source_id: str) -> None:
        """Let this source be read next: she has just dropped or opened it."""
        with self._database.write() as connection:
            highest = int(connection.execute("SELECT coalesce(max(wanted), 0) FROM facts_sources").get)
            connection.execute("UPDATE facts_sources SET wanted = ? WHERE source_id = ?", (highest + 1, source_id))

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, whether or not they are there."""
        with self._database.write() as connection:
            connection.executemany("DELETE FROM facts_records WHERE seq = ?", [(seq,) for seq in seqs])

    def wipe(self) -> None:
        """Empty the index."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM facts_records; DELETE FROM facts_sources;")
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it is shared."""
        if self._owns_database:
            self._database.close()


def _add(connection: Connection, record: Record, visible: bool) -> None:
    source_id = record.source_id or ""
    connection.execute(
        "INSERT OR IGNORE INTO facts_sources (source_id, arrived) VALUES (?, ?)", (source_id, record.seq)
    )
    connection.execute(
        "INSERT OR IGNORE INTO facts_records (seq, id, source, visible)"
        " SELECT ?, ?, source, ? FROM facts_sources WHERE source_id = ?",
        (record.seq, record.id, int(visible), source_id),
    )


def _mark_read(connection: Connection, record_ids: Iterable[str]) -> None:
    wanted = msgspec.json.encode(list(record_ids)).decode()
    connection.execute(
        "UPDATE facts_records SET is_read = 1 WHERE id IN (SELECT value FROM json_each(?)) AND is_read = 0", (wanted,)
    )
