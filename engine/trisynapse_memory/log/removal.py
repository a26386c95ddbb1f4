"""Positions in, blanked rows out: the one exception to "never rewritten". It is logged before it is done.

The removal record comes first, with everything it will blank; what it names and still has its content is work left by a
crash. A blanked row keeps its header and its content hash, so the chain still proves every other record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import seqs_of_ids, with_dependants
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Actor, Draft, Kind, Record, RemovalDetails

SCAN_RECORDS: Final = 500  # read at once while the whole log is looked through

_TAIL: Final = "removal_tail"
"""``meta``: the id of a removal whose rows are blank, but whose files may still hold what was in them."""

_FALLS_WITH: Final = {
    "evidence": "SELECT e.seq FROM evidence e WHERE e.base_seq IN (SELECT value FROM json_each(?))",
    "pointers": (
        "SELECT p.seq FROM pointers p JOIN records r ON r.seq = p.seq WHERE p.base_seq IN"
        " (SELECT value FROM json_each(?)) AND r.kind IN ('fact', 'note', 'description')"
    ),
}


class Target(NamedTuple):
    """One record that a removal names: its position, its kind, and whether its content is still there."""

    seq: int
    kind: Kind
    is_there: bool


def dependants(log: MemoryLog, seqs: Iterable[int]) -> set[int]:
    """Return these records and all facts, corrections, notes and descriptions that rest on them or on each other."""
    with log.database.read() as connection:
        return _closure(connection, set(seqs))


def records_of(log: MemoryLog) -> Iterator[Record]:
    """Yield every record whose content is there, in log order, a few hundred at a time."""
    last = 0
    while batch := log.after(last, SCAN_RECORDS):
        last = batch[-1].seq
        with log.database.read() as connection:
            gone = connection.execute(
                "SELECT seq FROM records WHERE seq BETWEEN ? AND ? AND content IS NULL", (batch[0].seq, last)
            ).fetchall()
        blank = {int(row[0]) for row in gone}
        yield from (record for record in batch if record.seq not in blank)


def log_removal(log: MemoryLog, record_ids: Iterable[str], reason: str, originals: Iterable[str]) -> Record:
    """Say what is about to be removed; from here on an opening of the vault finishes it.

    Args:
        log: the log.
        record_ids: everything that will be blanked.
        reason: her reason, without any of the removed words.
        originals: hashes of the stored originals that will be deleted.
    """
    targets = tuple(record_ids)
    with log.database.read() as connection:
        seqs = set(seqs_of_ids(connection, targets).values())
        freed = with_dependants(connection, seqs) - seqs
    details = RemovalDetails(
        reason=reason,
        target_record_ids=targets,
        originals=tuple(dict.fromkeys(originals)),
        freed_record_ids=tuple(log.ids(sorted(freed)).values()),
    )
    draft = Draft(kind=Kind.REMOVAL, text=reason, payload=details, actor=Actor(type="user"))
    (record,) = log.append([draft])
    return record


def targets_of(log: MemoryLog, removal: Record) -> tuple[Target, ...]:
    """Return what a removal names, in log order."""
    if not isinstance(removal.payload, RemovalDetails):
        return ()
    sql = "SELECT seq, kind, content IS NOT NULL FROM records WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq"
    wanted = msgspec.json.encode(removal.payload.target_record_ids).decode()
    with log.database.read() as connection:
        rows = connection.execute(sql, (wanted,)).fetchall()
    return tuple(Target(int(seq), Kind(kind), bool(there)) for seq, kind, there in rows)


def unfinished(log: MemoryLog) -> tuple[Record, ...]:
    """Return the removals that a crash cut off, in log order."""
    with log.database.read() as connection:
        tail = connection.execute("SELECT value FROM meta WHERE name = ?", (_TAIL,)).get
    return tuple(
        removal
        for removal in log.of_kind(Kind.REMOVAL)
        if removal.id == tail or any(target.is_there for target in targets_of(log, removal))
    )


def blank(log: MemoryLog, removal: Record) -> tuple[int, ...]:
    """Blank everything a removal names, and fold the log anew; return the positions that are blank now.

    What came to rest on a target meanwhile (a fact that was being read just then) falls with it, under a removal of its
    own, so that every blank row is accounted for.
    """
    with log.transaction(), log.database.write() as connection:
        named = {target.seq for target in targets_of(log, removal)}
        late = _closure(connection, named) - named
        if late:
            log_removal(log, log.ids(sorted(late)).values(), removal.text, ())
        seqs = named | late
        connection.execute(
            "UPDATE records SET salt = NULL, content = NULL, external_key = NULL, group_id = NULL"
            " WHERE seq IN (SELECT value FROM json_each(?))",
            (_as_json(seqs),),
        )
        connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?,?)", (_TAIL, removal.id))
        log.refold()
    return tuple(sorted(seqs))


def settle(log: MemoryLog) -> None:
    """Rewrite the file without its free pages, empty its WAL, and note that nothing is left to do."""
    log.database.compact()
    with log.database.write() as connection:
        connection.execute("DELETE FROM meta WHERE name = ?", (_TAIL,))


def _closure(connection: Connection, seqs: set[int]) -> set[int]:
    reached: set[int] = set()
    frontier = set(seqs)
    while frontier:
        reached |= frontier
        given = (_as_json(frontier),)
        frontier = {int(row[0]) for sql in _FALLS_WITH.values() for row in connection.execute(sql, given)} - reached
    return reached


def _as_json(seqs: Iterable[int]) -> str:
    return msgspec.json.encode(list(seqs)).decode()
