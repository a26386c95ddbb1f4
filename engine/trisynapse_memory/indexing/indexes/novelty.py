"""Passages and what is worked out of them in, how new each source is out: an ``Index`` for the projector.

It knows which passages a source has and which sources wait to be compared; the comparing is done by a chore
(``pipelines/novelty.py``) once their vectors are there. Tables ``novelty_*`` of ``index.db``; no text is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import CompletionDetails, Kind, Novelty, Record, SourceId

NAME: Final = "novelty"
FORM: Final = "sources-1"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS novelty_passages (
    seq INTEGER PRIMARY KEY, source_id TEXT NOT NULL, visible INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS novelty_passages_of ON novelty_passages (source_id, seq);
CREATE TABLE IF NOT EXISTS novelty_waiting (
    source_id TEXT PRIMARY KEY, first_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS novelty_waiting_first ON novelty_waiting (first_seq);
CREATE TABLE IF NOT EXISTS novelty_found (source_id TEXT PRIMARY KEY, novelty TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS novelty_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
_NAMED: Final = "(SELECT value FROM json_each(?))"


class Waiting(NamedTuple):
    """A source that waits to be compared, and its visible passages in log order."""

    source_id: SourceId
    seqs: tuple[int, ...]


class NoveltyIndex:
    """How new the sources of a vault are.

    Args:
        place: ``index.db``, or the database already open on it.
    """

    name = NAME
    takes_all_facts = False

    def __init__(self, place: Path | IndexDatabase) -> None:
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._database.install(NAME, FORM, _SCHEMA)

    # ------------------------------------------------------------ Index

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
        """Take in passages and changed visibility; the sources they belong to wait to be compared (again)."""
        with self._database.write() as connection:
            touched = set(_add(connection, entries))
            for seq, visible in visibility.items():
                connection.execute("UPDATE novelty_passages SET visible = ? WHERE seq = ?", (int(visible), seq))
            touched |= _owners(connection, list(visibility))
            # While a source arrives it is set aside; now it is whole.
            touched |= {one.payload.target_source_id for one in events if isinstance(one.payload, CompletionDetails)}
            _settle(connection, touched)
            self._database.advance(connection, NAME, through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these passages, and what rests on them alone."""
        if not seqs:
            return
        with self._database.write() as connection:
            touched = _owners(connection, seqs)
            connection.execute(f"DELETE FROM novelty_passages WHERE seq IN {_NAMED}", (json.dumps(list(seqs)),))
            _settle(connection, touched)
        self._database.checkpoint()

    def wipe(self) -> None:
        """Empty the index and go back to position 0."""
        with self._database.write() as connection:
            for table in ("passages", "waiting", "found", "state"):
                connection.execute(f"DELETE FROM novelty_{table}")
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open."""
        if self._owns_database:
            self._database.close()

    # ------------------------------------------------------------ what is known

    def of(self, source_ids: Sequence[str]) -> dict[str, Novelty]:
        """Return how new these sources are, by id; one that still waits is left out."""
        sql = f"SELECT source_id, novelty FROM novelty_found WHERE source_id IN {_NAMED}"
        with self._database.read() as connection:
            rows = connection.execute(sql, (json.dumps([str(one) for one in source_ids]),)).fetchall()
        return {str(source_id): msgspec.json.decode(str(text), type=Novelty) for source_id, text in rows}

    def owners(self, seqs: Sequence[int]) -> dict[int, SourceId]:
        """Return the source of each of these passages."""
        sql = f"SELECT seq, source_id FROM novelty_passages WHERE seq IN {_NAMED}"
        with self._database.read() as connection:
            rows = connection.execute(sql, (json.dumps(list(seqs)),)).fetchall()
        return {int(seq): SourceId(str(source_id)) for seq, source_id in rows}

    def firsts(self, source_ids: Sequence[str]) -> dict[str, int]:
        """Return at which log position each of these sources began; one without a passage is left out."""
        sql = f"SELECT source_id, min(seq) FROM novelty_passages WHERE source_id IN {_NAMED} GROUP BY source_id"
        with self._database.read() as connection:
            rows = connection.execute(sql, (json.dumps([str(one) for one in source_ids]),)).fetchall()
        return {str(source_id): int(str(seq)) for source_id, seq in rows}

    # ------------------------------------------------------------ what the chore needs

    def waiting(self, limit: int) -> tuple[Waiting, ...]:
        """Return the first sources that wait, in the order in which they came."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT source_id FROM novelty_waiting ORDER BY first_seq LIMIT ?", (limit,)
            ).fetchall()
            return tuple(Waiting(SourceId(str(one)), _visible(connection, str(one))) for (one,) in rows)

    def waiting_count(self) -> int:
        """Return how many sources wait."""
        with self._database.read() as connection:
            return int(str(connection.execute("SELECT count(*) FROM novelty_waiting").get))

    def put(self, waiting: Waiting, novelty: Novelty | None) -> None:
        """Keep how new a source is, or that nothing can be said; one that has changed meanwhile goes on waiting."""
        with self._database.write() as connection:
            if _visible(connection, waiting.source_id) != waiting.seqs:
                return
            connection.execute("DELETE FROM novelty_waiting WHERE source_id = ?", (waiting.source_id,))
            if novelty is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO novelty_found VALUES (?, ?)",
                    (waiting.source_id, msgspec.json.encode(novelty).decode()),
                )

    def use_model(self, model: str) -> None:
        """Say which model's vectors are compared; another one than before compares everything anew."""
        with self._database.read() as connection:
            row = connection.execute("SELECT value FROM novelty_state WHERE name = 'model'").fetchone()
        if row is not None and row[0] == model:
            return
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO novelty_state VALUES ('model', ?)", (model,))
            connection.execute(
                "INSERT OR IGNORE INTO novelty_waiting SELECT source_id, min(seq) FROM novelty_passages"
                " WHERE visible GROUP BY source_id"
            )


def _add(connection: Connection, entries: Sequence[Entry]) -> Iterable[str]:
    for entry in entries:
        record = entry.record
        if record.kind is not Kind.RAW_SOURCE or record.source_id is None:
            continue
        connection.execute(
            "INSERT OR REPLACE INTO novelty_passages VALUES (?, ?, ?)",
            (record.seq, str(record.source_id), int(entry.visible)),
        )
        yield str(record.source_id)


def _owners(connection: Connection, seqs: Sequence[int]) -> set[str]:
    sql = f"SELECT DISTINCT source_id FROM novelty_passages WHERE seq IN {_NAMED}"
    return {str(one) for (one,) in connection.execute(sql, (json.dumps(list(seqs)),)).fetchall()}


def _settle(connection: Connection, source_ids: Iterable[str]) -> None:
    """Let sources with visible passages wait to be compared, and forget what was known of the others."""
    for source_id in sorted(source_ids):
        first = connection.execute(
            "SELECT min(seq) FROM novelty_passages WHERE source_id = ? AND visible", (source_id,)
        ).get
        connection.execute("DELETE FROM novelty_waiting WHERE source_id = ?", (source_id,))
        if first is None:
            connection.execute("DELETE FROM novelty_found WHERE source_id = ?", (source_id,))
        else:
            connection.execute("INSERT INTO novelty_waiting VALUES (?, ?)", (source_id, int(str(first))))


def _visible(connection: Connection, source_id: str) -> tuple[int, ...]:
    sql = "SELECT seq FROM novelty_passages WHERE source_id = ? AND visible ORDER BY seq"
    return tuple(int(str(seq)) for (seq,) in connection.execute(sql, (source_id,)).fetchall())
