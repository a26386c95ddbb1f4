"""What somebody wants to read in, the scope of it out: whose memory, which sources, and as of which moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.moments import seq_at
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Namespace, Scope, SourceId


class Reading:
    """The scopes of one reader of one vault; while a snapshot is entered, each of them ends with it."""

    def __init__(self, rooms: Rooms, namespace: Namespace) -> None:
        self._rooms = rooms
        self.namespace = namespace
        self._snapshots = Snapshots(rooms.log)

    def scope(
        self,
        *,
        source_ids: Sequence[str] | None = None,
        collection: str | None = None,
        as_of: str | None = None,
    ) -> Scope:
        """Return what a read may look at.

        Args:
            source_ids: only these sources; None for all.
            collection: only the sources of this collection.
            as_of: an ISO date (to the end of that day, UTC) or an ISO moment; only what was in the log by then, as it
                stood then.

        Raises:
            UnknownSourceError: no source has one of the ids.
            InvalidInputError: ``as_of`` is neither a date nor a moment.
        """
        chosen = None if source_ids is None else tuple(SourceId(one) for one in source_ids)
        for one in chosen or ():
            self._rooms.shelf.get(one)
        if collection is not None:
            inside = self._rooms.shelf.ids_in(self.namespace, collection)
            chosen = inside if chosen is None else tuple(one for one in chosen if one in inside)
        return Scope(namespace=self.namespace, source_ids=chosen, as_of_seq=self._as_of(as_of))

    def _as_of(self, as_of: str | None) -> int | None:
        if as_of is not None:
            return seq_at(self._rooms.log, _moment_of(as_of))
        entered = self._snapshots.entered()
        return None if entered is None else entered.cutoff_seq


def _moment_of(text: str) -> datetime:
    try:
        if len(text) == len("2026-10-14"):
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError(f"'{text}' is no date.", hint="Write 2026-10-14 or 2026-10-14T09:30.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
