"""Labels in, named moments of the log out: made, listed, entered and left again, each step a record."""

from __future__ import annotations

from datetime import datetime

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.log.marks import CREATE, ENTER, LEAVE
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Actor, Draft, Kind, RecordId, Snapshot, SnapshotDetails

_SELECT = (
    "SELECT r.id, s.label, s.cutoff_seq, r.written_at, s.entered FROM snapshots s JOIN records r USING (seq)"
    " WHERE r.content IS NOT NULL"
)


class Snapshots:
    """The named moments of one log. While one is entered, reads see the vault as it was then; writes go on."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    def list(self) -> tuple[Snapshot, ...]:
        """Return all snapshots, the newest first."""
        return self._select(f"{_SELECT} ORDER BY s.seq DESC")

    def get(self, snapshot_id: str) -> Snapshot:
        """Return one snapshot.

        Raises:
            UnknownRecordError: no snapshot has that id.
        """
        found = self._select(f"{_SELECT} AND r.id = ?", snapshot_id)
        if not found:
            raise UnknownRecordError(
                f"There is no snapshot '{snapshot_id}'.", hint="`snapshots list` shows all of them."
            )
        return found[0]

    def entered(self) -> Snapshot | None:
        """Return the snapshot that is read as of now, or None for the present."""
        found = self._select(f"{_SELECT} AND s.entered = 1")
        return found[0] if found else None

    def create(self, label: str) -> Snapshot:
        """Name the present moment: everything in the log up to here, and nothing after it."""
        if not label.strip():
            raise InvalidInputError("A snapshot needs a label.", hint="Name what the moment is for.")
        with self._log.transaction():
            head = self._log.head()
            cutoff = self._log.ids([head]).get(head, "")
            record_id = self._append(SnapshotDetails(verb=CREATE, label=label.strip(), cutoff_record_id=cutoff))
        return self.get(record_id)

    def enter(self, snapshot_id: str) -> Snapshot:
        """Read the vault as of a snapshot from here on; entering another one leaves the first."""
        known = self.get(snapshot_id)
        if not known.entered:
            self._append(SnapshotDetails(verb=ENTER, label=known.label, snapshot_id=snapshot_id))
        return self.get(snapshot_id)

    def leave(self) -> Snapshot | None:
        """Return to the present; return the snapshot that was left, or None when none was entered."""
        known = self.entered()
        if known is None:
            return None
        self._append(SnapshotDetails(verb=LEAVE, label=known.label, snapshot_id=known.snapshot_id))
        return self.get(known.snapshot_id)

    def _append(self, details: SnapshotDetails) -> RecordId:
        draft = Draft(kind=Kind.SNAPSHOT, text=details.label, payload=details, actor=Actor(type="user"))
        (record,) = self._log.append([draft])
        return record.id

    def _select(self, sql: str, *bindings: str) -> tuple[Snapshot, ...]:
        with self._log.database.read() as connection:
            rows = connection.execute(sql, bindings).fetchall()
        return tuple(
            Snapshot(
                snapshot_id=RecordId(str(record_id)),
                label=str(label),
                cutoff_seq=int(cutoff),
                created_at=datetime.fromisoformat(str(written_at)),
                entered=bool(entered),
            )
            for record_id, label, cutoff, written_at, entered in rows
        )
