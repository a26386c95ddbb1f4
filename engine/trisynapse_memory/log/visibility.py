"""Positions in, the visible ones out: which records answers may see, now or as of an earlier end of the log.

One rule in SQL, twice: over the tables of the present, and over the spells that remember every past.

A record **stands** when its content is there, nobody hid it, and its source is in use (or arriving without an older
version to protect). A record is **visible** when it stands and, if it is a fact, at least one span of its evidence
stands too and is not struck by a correction that stands. A correction rests on its own words (``evidence.py``), so it
lasts until another correction strikes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import CITABLE

FACT_DEPTH: Final = 2  # a fact may rest on a fact that rests on a source; nothing that is written here goes deeper

_STANDS_NOW: Final = """{r}.content IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM hidden h WHERE h.seq = {r}.seq)
    AND ({r}.source_id IS NULL OR EXISTS (SELECT 1 FROM sources s WHERE s.source_id = {r}.source_id
        AND (s.status = 'active' OR (s.status = 'arriving' AND s.replaces IS NULL))))"""

_STOOD_THEN: Final = """{r}.content IS NOT NULL AND {r}.seq <= :then
    AND NOT EXISTS (SELECT 1 FROM hidden_spells h WHERE h.seq = {r}.seq
        AND h.from_seq <= :then AND coalesce(h.to_seq > :then, 1))
    AND ({r}.source_id IS NULL OR EXISTS (SELECT 1 FROM source_spells p JOIN sources s USING (source_id)
        WHERE p.source_id = {r}.source_id AND p.from_seq <= :then AND coalesce(p.to_seq > :then, 1)
        AND (p.status = 'active' OR (p.status = 'arriving' AND s.replaces IS NULL))))"""


def _visible(stands: str, alias: str, depth: int) -> str:
    """Write the rule for the records of one alias; evidence is asked the same, one level deeper."""
    own = stands.format(r=alias)
    if depth == 0:
        return own
    base, edge, mark, by = (f"{letter}{depth}" for letter in "bekc")
    return f"""{own} AND (NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.seq = {alias}.seq)
    OR EXISTS (SELECT 1 FROM evidence {edge} JOIN records {base} ON {base}.seq = {edge}.base_seq
        WHERE {edge}.seq = {alias}.seq
        AND ({edge}.base_seq = {edge}.seq OR ({_visible(stands, base, depth - 1)}))
        AND NOT EXISTS (SELECT 1 FROM struck {mark} JOIN records {by} ON {by}.seq = {mark}.by_seq
            WHERE {mark}.base_seq = {edge}.base_seq AND {mark}.start < {edge}.end AND {edge}.start < {mark}.end
            AND {stands.format(r=by)})))"""


STANDS_SQL: Final = _STANDS_NOW.format(r="r")
"""Whether the record ``r`` stands now."""


def stood_sql(alias: str) -> str:
    """Write whether the record of an alias stood as of the position bound to ``:then``."""
    return _STOOD_THEN.format(r=alias)


VISIBLE_SQL: Final = _visible(_STANDS_NOW, "r", FACT_DEPTH)
"""Whether answers may see the record ``r`` now."""

_VISIBLE_THEN_SQL: Final = _visible(_STOOD_THEN, "r", FACT_DEPTH)
_CITABLE_JSON: Final = msgspec.json.encode([kind.value for kind in CITABLE]).decode()


def visible_seqs(connection: Connection, seqs: Iterable[int]) -> set[int]:
    """Return those of the given records that answers may see now."""
    sql = f"SELECT r.seq FROM records r WHERE r.seq IN (SELECT value FROM json_each(?)) AND {VISIBLE_SQL}"
    return _first_column(connection, sql, (_as_json(seqs),))


def visible_seqs_as_of(connection: Connection, seqs: Iterable[int], as_of_seq: int) -> set[int]:
    """Return those of the given records that answers saw when ``as_of_seq`` was the newest position of the log.

    What was physically removed since then is not seen any more. The cost follows the given records, not the log.
    """
    sql = f"SELECT r.seq FROM records r WHERE r.seq IN (SELECT value FROM json_each(:seqs)) AND {_VISIBLE_THEN_SQL}"
    return _first_column(connection, sql, {"seqs": _as_json(seqs), "then": as_of_seq})


def with_dependants(connection: Connection, seqs: set[int]) -> set[int]:
    """Return the given records and all whose visibility hangs on theirs: facts on them, facts on what they strike."""
    reached: set[int] = set()
    frontier = set(seqs)
    while frontier:
        reached |= frontier
        given = (_as_json(frontier),)
        on_them = "SELECT seq FROM evidence WHERE base_seq IN (SELECT value FROM json_each(?))"
        on_struck = (
            "SELECT e.seq FROM struck k JOIN evidence e ON e.base_seq = k.base_seq"
            " AND k.start < e.end AND e.start < k.end WHERE k.by_seq IN (SELECT value FROM json_each(?))"
        )
        frontier = _first_column(connection, on_them, given) | _first_column(connection, on_struck, given)
        frontier -= reached
    return reached


def citable_of_sources(connection: Connection, source_ids: Iterable[str]) -> set[int]:
    """Return the positions of all citable records of these sources."""
    sql = (
        "SELECT seq FROM records WHERE source_id IN (SELECT value FROM json_each(?))"
        " AND kind IN (SELECT value FROM json_each(?))"
    )
    return _first_column(connection, sql, (msgspec.json.encode(list(source_ids)).decode(), _CITABLE_JSON))


def seqs_of_ids(connection: Connection, record_ids: Iterable[str]) -> dict[str, int]:
    """Return the positions of the records with these ids; unknown ids are left out."""
    sql = "SELECT id, seq FROM records WHERE id IN (SELECT value FROM json_each(?))"
    rows = connection.execute(sql, (msgspec.json.encode(list(record_ids)).decode(),))
    return {str(found): int(seq) for found, seq in rows}


def _first_column(connection: Connection, sql: str, bindings: tuple[str, ...] | dict[str, str | int]) -> set[int]:
    return {int(row[0]) for row in connection.execute(sql, bindings)}


def _as_json(seqs: Iterable[int]) -> str:
    return msgspec.json.encode(list(seqs)).decode()
