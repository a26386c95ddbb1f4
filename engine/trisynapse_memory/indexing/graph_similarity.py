"""Records that wait for their similar ones in, rows of ``similar_to`` out; no vector is made or compared here.

A visible searchable record is linked to its at most five nearest *earlier* records. The queue below is worked off in
log order, so the links do not depend on the order in which vectors arrive; a record that is hidden or shown puts back
into the queue exactly those whose five it may change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.sqlite import Connection

SIMILAR_LEAST: Final = 0.58  # cosine; engine.md A8.4
SIMILAR_COUNT: Final = 5  # links of one record; engine.md A8.4
FRESH: Final = 0  # looks at earlier records only: later ones look at it in their turn
AGAIN: Final = 1  # later ones have looked already, without it
MUTE: Final = 2  # its text could not be embedded; it waits for another attempt

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS graph_similar (
    src INTEGER NOT NULL, dst INTEGER NOT NULL, cosine REAL NOT NULL, PRIMARY KEY (src, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_similar_into ON graph_similar (dst, cosine DESC, src);
CREATE TABLE IF NOT EXISTS graph_unlinked (seq INTEGER PRIMARY KEY, stage INTEGER NOT NULL) STRICT;
"""


class Waiting(NamedTuple):
    """A record whose similar ones are not known yet; ``again``: later ones must look at it, too."""

    seq: int
    namespace: int
    again: bool


def enqueue(connection: Connection, seqs: Sequence[int], *, again: bool = False) -> None:
    """Let records wait for their similar ones; those that are hidden or not searchable are passed over."""
    connection.executemany(
        "INSERT INTO graph_unlinked SELECT seq, ?2 FROM graph_records WHERE seq = ?1 AND visible AND is_searchable"
        " ON CONFLICT DO UPDATE SET stage = max(stage, excluded.stage) WHERE stage < 2",
        [(seq, AGAIN if again else FRESH) for seq in seqs],
    )


def unlink(connection: Connection, seqs: Sequence[int]) -> None:
    """Take hidden or removed records out; those that were linked to them look for another one."""
    for seq in seqs:
        sources = [src for (src,) in connection.execute("SELECT src FROM graph_similar WHERE dst = ?", (seq,))]
        connection.execute("DELETE FROM graph_similar WHERE src = ?1 OR dst = ?1", (seq,))
        connection.execute("DELETE FROM graph_unlinked WHERE seq = ?", (seq,))
        enqueue(connection, sources)


def waiting(connection: Connection, limit: int) -> tuple[Waiting, ...]:
    """Return the first records of the queue, in log order."""
    rows = connection.execute(
        "SELECT u.seq, r.namespace, u.stage = 1 FROM graph_unlinked u JOIN graph_records r ON r.seq = u.seq"
        " WHERE u.stage < 2 ORDER BY u.seq LIMIT ?",
        (limit,),
    )
    return tuple(Waiting(seq, namespace, bool(again)) for seq, namespace, again in rows)


def waiting_count(connection: Connection) -> int:
    """Return how many records wait, those that cannot be embedded left out."""
    return int(connection.execute("SELECT count(*) FROM graph_unlinked WHERE stage < 2").get)


def link(connection: Connection, one: Waiting, found: Mapping[int, float], later: Mapping[int, float]) -> bool:
    """Store a record's similar ones and take it from the queue; False when the graph knows another state than they.

    Args:
        connection: inside a write transaction.
        one: the record, as ``waiting`` gave it.
        found: seq -> cosine of earlier records, at most ``SIMILAR_COUNT``.
        later: seq -> cosine of later records that may now prefer this one; they are put back into the queue.
    """
    row = connection.execute(
        "SELECT (SELECT count(*) FROM graph_records r JOIN json_each(?2) j ON r.seq = j.value WHERE r.visible),"
        " EXISTS (SELECT 1 FROM graph_unlinked WHERE seq = ?1 AND stage = ?3)",
        (one.seq, json.dumps(list(found)), int(one.again)),
    ).fetchone()
    if row is None or int(row[0]) < len(found) or not row[1]:
        return False
    connection.execute("DELETE FROM graph_similar WHERE src = ?", (one.seq,))
    connection.executemany(
        "INSERT INTO graph_similar VALUES (?, ?, ?)", [(one.seq, dst, cosine) for dst, cosine in found.items()]
    )
    connection.execute("DELETE FROM graph_unlinked WHERE seq = ?", (one.seq,))
    enqueue(connection, [seq for seq, cosine in later.items() if _would_take(connection, seq, cosine)])
    return True


def _would_take(connection: Connection, seq: int, cosine: float) -> bool:
    """Whether a record has room for a link of this strength; the margin covers the last bit of a cosine."""
    row = connection.execute("SELECT count(*), min(cosine) FROM graph_similar WHERE src = ?", (seq,)).fetchone()
    return row is None or row[0] < SIMILAR_COUNT or cosine >= row[1] - 1e-4


def mute(connection: Connection, seqs: Sequence[int]) -> None:
    """Set aside records whose text could not be embedded, so that they hold up nobody."""
    connection.executemany("UPDATE graph_unlinked SET stage = 2 WHERE seq = ?", [(seq,) for seq in seqs])


def unmute(connection: Connection) -> None:
    """Let records that were set aside wait again."""
    connection.execute("UPDATE graph_unlinked SET stage = 1 WHERE stage = 2")


def restart(connection: Connection) -> None:
    """Link everything anew: another model answers now."""
    wipe(connection)
    connection.execute("INSERT INTO graph_unlinked SELECT seq, 0 FROM graph_records WHERE visible AND is_searchable")


def wipe(connection: Connection) -> None:
    """Forget links and queue."""
    connection.execute("DELETE FROM graph_similar")
    connection.execute("DELETE FROM graph_unlinked")


def namespace_numbers(connection: Connection, seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Return (seq, namespace) of those of the records that are visible."""
    rows = connection.execute(
        "SELECT seq, namespace FROM graph_records WHERE visible AND seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return [(int(seq), int(namespace)) for seq, namespace in rows]
