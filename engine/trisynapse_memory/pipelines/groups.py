"""Summaries of groups of records as she uses them: list, look into, make one now. No sentence is chosen here."""

from __future__ import annotations

from trisynapse_memory.errors import UnknownGroupError
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Summary


class Groups:
    """The noun door ``engine.groups``; a group is a source, a collection, a chat or a concept."""

    def __init__(self, rooms: Rooms, reading: Reading, digests: Digests) -> None:
        self._rooms = rooms
        self._reading = reading
        self._digests = digests

    def list(self, limit: int = 100) -> tuple[Summary, ...]:
        """Return summaries, newest first; a stale one says so."""
        return self._rooms.summaries.list(self._reading.scope(), limit)

    def show(self, group_id: str) -> Summary:
        """Return the summary of one group, stale or not.

        Raises:
            UnknownGroupError: there is no such group, or it has no summary yet.
        """
        found = self._rooms.summaries.get(group_id)
        if found is None:
            raise UnknownGroupError(
                f"There is no summary of '{group_id}'.",
                hint="`groups list` shows the ids; `source:<id>`, `collection:<name>`, `chat:<id>`, `concept:<name>`.",
            )
        return found

    def summarize(self, group_id: str) -> Summary:
        """Bring the summary of one group up to date now, with those that wait before it, and return it.

        Raises:
            UnknownGroupError: there is no such group, or too little of it can be seen.
        """
        for _ in range(self._digests.pending()):
            found = self._rooms.summaries.get(group_id)
            if (found is not None and not found.stale) or not self._digests.step():
                break
        return self.show(group_id)
