"""Drafts in, records out: the append-only log of one vault. No record is ever changed here, and no index is known.

Every append of a batch is one transaction: numbers are handed out inside it, the hash chain grows with it, and the
derived tables (``state.py``) move with it, so that a crash leaves either the whole batch or nothing of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.log.rows import (
    GENESIS,
    Header,
    Remains,
    encode_content,
    format_time,
    hash_content,
    hash_link,
    namespace_key,
    pack,
    record_of,
    unpack,
)
from trisynapse_memory.log.schema import DERIVED_SCHEMA, DERIVED_TABLES, FOLD_VERSION, SCHEMA
from trisynapse_memory.log.state import affected_seqs, fold
from trisynapse_memory.log.visibility import VISIBLE_SQL, visible_seqs
from trisynapse_memory.sqlite import Connection, Database, SqlValue
from trisynapse_memory.types import Draft, Kind, Namespace, PageNote, PageVerdict, Record, RecordId, SourceId

SALT_BYTES = 16
REFOLD_RECORDS: Final = 500  # read at once; a whole log would not fit in memory

Clock = Callable[[], datetime]
Dice = Callable[[int], bytes]

_HEADER_SQL = "seq, id, device_id, device_seq, written_at, kind, content_hash, chain_hash"


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class MemoryLog:
    """The memory log of one vault; safe under threads.

    Args:
        path: ``log.db``.
        device_id: which machine writes; its records form one hash chain.
        clock: the time source; tests hand in a fixed one.
        dice: ``n -> n`` random bytes; tests hand in a fixed one, so that ids and salts repeat.
    """

    def __init__(self, path: Path, device_id: str, clock: Clock = utc_now, dice: Dice = secrets.token_bytes) -> None:
        self.database = Database(path, SCHEMA, functions={"plain": unpack})
        self.device_id = device_id
        self._clock = clock
        self._dice = dice
        with self.database.read() as connection:
            known = connection.execute("SELECT value FROM meta WHERE name = 'fold_version'").get
        if known != FOLD_VERSION:  # a new log, or one whose derived tables an older program folded
            self.refold()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Make several appends one: all of them commit at the end, or none."""
        with self.database.write():
            yield

    def append(self, drafts: Sequence[Draft]) -> tuple[Record, ...]:
        """Append drafts in order, in one transaction.

        A draft whose ``external_key`` the log already knows is not written again; the record that holds it is returned
        in its place.

        Raises:
            DiskFullError: nothing of the batch was kept.
        """
        with self.database.write() as connection:
            tail = self._tail(connection)
            records: list[Record] = []
            for draft in drafts:
                known = self._known(connection, draft.external_key)
                if known is None:
                    known = self._insert(connection, draft, tail)
                    tail = (known.seq, known.device_seq, known.chain_hash)
                    fold(connection, known)
                records.append(known)
        return tuple(records)

    def _insert(self, connection: Connection, draft: Draft, tail: tuple[int, int, str]) -> Record:
        seq, device_seq, previous = tail
        moment = self._clock()
        content, salt = encode_content(draft), self._dice(SALT_BYTES)
        record_id = f"r_{int(moment.timestamp() * 1000):012x}{self._dice(6).hex()}"
        unlinked = Header(
            seq + 1,
            record_id,
            self.device_id,
            device_seq + 1,
            format_time(moment),
            draft.kind.value,
            hash_content(salt, content),
            "",
        )
        header = unlinked._replace(chain_hash=hash_link(previous, unlinked))
        connection.execute(
            f"INSERT INTO records ({_HEADER_SQL}, salt, content, source_id, group_id, external_key, namespace_key)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                *header,
                salt,
                pack(content),
                draft.source_id,
                draft.group_id,
                draft.external_key,
                namespace_key(draft.namespace),
            ),
        )
        return record_of(header, content)

    def _tail(self, connection: Connection) -> tuple[int, int, str]:
        seq = connection.execute("SELECT coalesce(max(seq), 0) FROM records").get
        row = connection.execute(
            "SELECT device_seq, chain_hash FROM records WHERE device_id = ? ORDER BY device_seq DESC LIMIT 1",
            (self.device_id,),
        ).fetchone()
        return (int(seq), 0, GENESIS) if row is None else (int(seq), int(row[0]), row[1])

    def _known(self, connection: Connection, external_key: str | None) -> Record | None:
        if external_key is None:
            return None
        return _first(connection, "WHERE external_key = ?", (external_key,))

    def head(self) -> int:
        """Return the position of the newest record; 0 for an empty log."""
        with self.database.read() as connection:
            return int(connection.execute("SELECT coalesce(max(seq), 0) FROM records").get)

    def get(self, record_id: str) -> Record:
        """Return one record by id, hidden or not.

        Raises:
            UnknownRecordError: no record has that id.
        """
        with self.database.read() as connection:
            record = _first(connection, "WHERE id = ?", (record_id,))
        if record is None:
            raise UnknownRecordError(
                f"There is no record '{record_id}'.", hint="Use an id from a search, a query or `list`."
            )
        return record

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        """Return the records at these positions in the order asked; positions that hold nothing are left out."""
        wanted = msgspec.json.encode(list(seqs)).decode()
        with self.database.read() as connection:
            rows = {r.seq: r for r in _all(connection, "WHERE seq IN (SELECT value FROM json_each(?))", (wanted,))}
        return tuple(rows[seq] for seq in seqs if seq in rows)

    def ids(self, seqs: Sequence[int]) -> dict[int, RecordId]:
        """Return the ids of the records at these positions, without reading what they hold."""
        wanted = msgspec.json.encode(list(seqs)).decode()
        sql = "SELECT seq, id FROM records WHERE seq IN (SELECT value FROM json_each(?))"
        with self.database.read() as connection:
            return {int(seq): RecordId(found) for seq, found in connection.execute(sql, (wanted,))}

    def after(self, seq: int, limit: int) -> tuple[Record, ...]:
        """Return up to ``limit`` records that follow a position, in log order."""
        with self.database.read() as connection:
            return tuple(_all(connection, "WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)))

    def of_source(self, source_id: SourceId | str, *kinds: Kind) -> tuple[Record, ...]:
        """Return a source's records of these kinds, in log order."""
        names = msgspec.json.encode([kind.value for kind in kinds]).decode()
        clause = "WHERE source_id = ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq"
        with self.database.read() as connection:
            return tuple(_all(connection, clause, (source_id, names)))

    def of_group(self, group_id: str, *kinds: Kind) -> tuple[Record, ...]:
        """Return a group's records of these kinds, in log order."""
        names = msgspec.json.encode([kind.value for kind in kinds]).decode()
        clause = (
            "WHERE seq IN (SELECT seq FROM records WHERE group_id = ?1 AND group_id IS NOT source_id"
            " UNION ALL SELECT seq FROM records WHERE source_id = ?1 AND group_id = source_id)"
            " AND kind IN (SELECT value FROM json_each(?2)) ORDER BY seq"
        )
        with self.database.read() as connection:
            return tuple(_all(connection, clause, (group_id, names)))

    def of_kind(self, kind: Kind) -> tuple[Record, ...]:
        """Return all records of one kind, in log order; meant for the small families (threads, highlights, tags)."""
        with self.database.read() as connection:
            return tuple(_all(connection, "WHERE kind = ? ORDER BY seq", (kind.value,)))

    def page(self, source_id: str, number: int) -> Record | None:
        """Return the latest reading of one page (1-based) of a source, or None."""
        key = page_key(source_id, number)
        clause = "WHERE external_key = ? OR (external_key > ? AND external_key < ?) ORDER BY seq DESC LIMIT 1"
        with self.database.read() as connection:
            return _first(connection, clause, (key, f"{key}:", f"{key};"))

    def count_of_source(self, source_id: str, kind: Kind) -> int:
        """Return how many records of one kind a source has; removed ones are none of them."""
        sql = "SELECT count(*) FROM records WHERE source_id = ? AND kind = ? AND content IS NOT NULL"
        with self.database.read() as connection:
            return int(connection.execute(sql, (source_id, kind.value)).get)

    def page_notes(self, source_id: str) -> tuple[PageNote, ...]:
        """Return the verdict of every page of a source, in page order, without reading the pages' texts."""
        sql = (
            "SELECT page ->> '$.locator.page', page ->> '$.payload.verdict', page ->> '$.payload.note',"
            " page ->> '$.payload.method'"
            " FROM (SELECT plain(content) AS page FROM records"
            " WHERE source_id = ? AND kind = ? AND content IS NOT NULL ORDER BY seq)"
        )
        with self.database.read() as connection:
            rows = connection.execute(sql, (source_id, Kind.PAGE.value)).fetchall()
        # A page that was read again has a further record: the last one counts.
        notes = {
            int(page or 1): PageNote(
                page=int(page or 1), verdict=PageVerdict(verdict), note=note or "", method=method or "text"
            )
            for page, verdict, note, method in rows
        }
        return tuple(notes[number] for number in sorted(notes))

    def listing(
        self, namespace: Namespace, kind: Kind | None, cursor: int, limit: int, include_hidden: bool
    ) -> tuple[Record, ...]:
        """Return up to ``limit`` records after ``cursor`` that a reader with this namespace sees, in log order."""
        clauses: list[str] = ["r.seq > ?"]
        bindings: list[SqlValue] = [cursor]
        if kind is not None:
            clauses.append("r.kind = ?")
            bindings.append(kind.value)
        if not include_hidden:
            clauses.append(VISIBLE_SQL)
        with self.database.read() as connection:
            keys = [row[0] for row in connection.execute("SELECT namespace_key FROM namespaces")]
            seen = [key for key in keys if namespace.sees(msgspec.json.decode(key, type=Namespace))]
            clauses.append("r.namespace_key IN (SELECT value FROM json_each(?))")
            bindings.append(msgspec.json.encode(seen).decode())
            where = " AND ".join(f"({clause})" for clause in clauses)
            return tuple(_all(connection, f"r WHERE {where} ORDER BY r.seq LIMIT ?", (*bindings, limit)))

    def pointing_at(self, record_id: str) -> tuple[Record, ...]:
        """Return the records that name this one as evidence or as the target of a lifecycle verb, in log order."""
        clause = (
            "WHERE seq IN (SELECT e.seq FROM evidence e JOIN records b ON b.seq = e.base_seq WHERE b.id = :id"
            " UNION SELECT p.seq FROM pointers p JOIN records b ON b.seq = p.base_seq WHERE b.id = :id)"
            " AND id != :id ORDER BY seq"
        )
        with self.database.read() as connection:
            return tuple(_all(connection, clause, {"id": record_id}))

    def visible(self, seqs: Sequence[int]) -> set[int]:
        """Return those of the given records that answers may see now."""
        with self.database.read() as connection:
            return visible_seqs(connection, seqs)

    def visible_count(self) -> int:
        """Return how many citable records answers may see now."""
        citable = "r.kind IN ('raw_source', 'fact') AND r.content IS NOT NULL"
        sql = f"SELECT count(*) FROM records r WHERE {citable} AND {VISIBLE_SQL}"
        with self.database.read() as connection:
            return int(connection.execute(sql).get)

    def changed_visibility(self, records: Sequence[Record]) -> dict[int, bool]:
        """Return the present visibility of every citable record that these lifecycle records may have changed."""
        with self.database.read() as connection:
            affected: set[int] = set()
            for record in records:
                affected |= affected_seqs(connection, record)
            seen = visible_seqs(connection, affected) if affected else set[int]()
        return {seq: seq in seen for seq in sorted(affected)}

    def refold(self) -> None:
        """Rebuild the derived tables from the records alone."""
        with self.database.write() as connection:
            for table in DERIVED_TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(DERIVED_SCHEMA)
            last = 0
            while batch := list(_all(connection, "WHERE seq > ? ORDER BY seq LIMIT ?", (last, REFOLD_RECORDS))):
                for record in batch:
                    fold(connection, record)
                last = batch[-1].seq
            connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('fold_version', ?)", (FOLD_VERSION,))

    def close(self) -> None:
        """Close the file."""
        self.database.close()


def chunk_keys(source_id: str, page: int) -> tuple[str, str]:
    """Return between which two external keys those of a page's chunks lie: from the first, and before the second."""
    return f"source:{source_id}:chunk:{page}:", f"source:{source_id}:chunk:{page};"


def page_key(source_id: str, number: int, reading: str = "") -> str:
    """Return the external key of a page record, so that a page is appended once however often it is read.

    ``reading`` names a further way of reading it, whose record takes the place of the first one.
    """
    key = f"source:{source_id}:page:{number}"
    return f"{key}:{reading}" if reading else key


def _all(
    connection: Connection, clause: str, bindings: Sequence[SqlValue] | Mapping[str, SqlValue]
) -> Iterator[Record]:
    columns = f"SELECT {_HEADER_SQL}, content, source_id, namespace_key FROM records "
    for row in connection.execute(columns + clause, bindings):
        yield record_of(Header(*row[:8]), unpack(row[8]), Remains(row[9], row[10]))


def _first(connection: Connection, clause: str, bindings: Sequence[SqlValue]) -> Record | None:
    return next(_all(connection, clause, bindings), None)
