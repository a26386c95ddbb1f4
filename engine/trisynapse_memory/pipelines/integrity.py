"""A vault in, the proof that its files agree out: log, originals, indexes. It reports; mending is another step.

A proof goes in steps and can be stopped between two of them; its place, a text, lets another one go on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.integrity import DONE, Cursor, advance, counts_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Finding, Kind, Namespace, Scope, Validation

COUNT_RECORDS = 2000  # looked at in one read while the visible ones are counted


class Proof:
    """One proof of a vault, step by step.

    Args:
        rooms: the open vault.
        conflicts: files that a sync program left beside the vault's own.
        place: where an earlier proof of this vault was stopped.
    """

    def __init__(self, rooms: Rooms, conflicts: tuple[str, ...] = (), place: str = "") -> None:
        self._rooms = rooms
        self._conflicts = conflicts
        self._cursor = _cursor_of(place) if place else Cursor()

    @property
    def place(self) -> str:
        """Where the proof stands; give it to another one to go on."""
        return msgspec.json.encode(self._cursor).decode()

    @property
    def is_done(self) -> bool:
        """Whether log and originals have been looked at from end to end."""
        return self._cursor.stage == DONE

    def step(self) -> None:
        """Look at the next few hundred records or at a few originals."""
        self._cursor = advance(self._rooms.log, self._rooms.blobs, self._cursor)

    def result(self) -> Validation:
        """Return what was found so far; the indexes are compared here, so ask when the proof is done."""
        self._rooms.projector.catch_up()
        visible, findings = _check_indexes(self._rooms)
        found = (*self._cursor.findings, *map(_conflict, self._conflicts), *findings)
        return Validation(ok=not found, findings=found, checked={**counts_of(self._cursor), "visible_records": visible})


def validate(rooms: Rooms, conflicts: tuple[str, ...], stopped: Callable[[], bool] | None = None) -> Validation:
    """Prove a vault in one go.

    Args:
        rooms: the open vault.
        conflicts: files that a sync program left beside the vault's own.
        stopped: asked between two steps; True breaks the proof off, and what was found so far is returned. Use
            ``Proof`` to go on later.
    """
    proof = Proof(rooms, conflicts)
    while not proof.is_done and not (stopped is not None and stopped()):
        proof.step()
    return proof.result()


def _cursor_of(place: str) -> Cursor:
    try:
        return msgspec.json.decode(place, type=Cursor)
    except msgspec.DecodeError as error:
        raise InvalidInputError("The place to go on from cannot be read.", hint="Begin the proof anew.") from error


def _conflict(name: str) -> Finding:
    return Finding(
        code="vault.conflict",
        where=name,
        message="a sync program left this file: two machines wrote to the vault at once",
        fix="keep the vault out of the sync folder while it is open; compare and delete the copy",
    )


def _check_indexes(rooms: Rooms) -> tuple[int, list[Finding]]:
    """Compare each index with the log; return also how many citable records are visible."""
    raw_count, searchable_count, visible_count = _visible_counts(rooms)
    held = (
        ("lexical", rooms.lexical.record_count(Scope(namespace=Namespace(project_id=None))), searchable_count),
        ("vector", rooms.vectors.record_count(), searchable_count),
        ("facts", rooms.facts.record_count(), raw_count),
    )
    findings = [
        Finding(
            code=f"index.{name}",
            where=f"index.{name}",
            message=f"the index holds {count} records, the log shows {expected}",
            fix=f"reindex {name}",
        )
        for name, count, expected in held
        if count != expected
    ]
    findings += [
        Finding(
            code=f"index.{name}",
            where=f"index.{name}",
            message=f"the index is {lag} records behind the log and does not catch up",
            fix=f"reindex {name}",
        )
        for name, lag in rooms.projector.lag().items()
        if lag
    ]
    return visible_count, findings


def _visible_counts(rooms: Rooms) -> tuple[int, int, int]:
    """Return how many raw, searchable and citable records answers may see, a few thousand at a time."""
    raw_count = searchable_count = visible_count = 0
    for batch in _citable(rooms):
        visible = rooms.log.visible(list(batch))
        visible_count += len(visible)
        raw_count += sum(batch[seq][0] for seq in visible)
        searchable_count += sum(batch[seq][1] for seq in visible)
    return raw_count, searchable_count, visible_count


def _citable(rooms: Rooms) -> Iterator[dict[int, tuple[bool, bool]]]:
    """Yield batches of position -> (whether it is raw, whether words lead to it)."""
    sql = (
        "SELECT seq, kind = ?, kind = ? OR plain(content) ->> '$.payload.extractor' IS NULL FROM records"
        " WHERE seq > ? AND kind IN (?, ?) AND content IS NOT NULL ORDER BY seq LIMIT ?"
    )
    raw, fact = Kind.RAW_SOURCE.value, Kind.FACT.value
    last = 0
    while True:
        with rooms.log.database.read() as connection:
            bindings = (raw, raw, last, raw, fact, COUNT_RECORDS)
            rows = connection.execute(sql, bindings).fetchall()
        if not rows:
            return
        last = int(rows[-1][0])
        yield {int(seq): (bool(is_raw), bool(is_searchable)) for seq, is_raw, is_searchable in rows}
