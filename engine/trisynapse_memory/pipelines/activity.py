"""The background work of a vault as she sees it: what goes on, what waits, and her hand on the tap."""

from __future__ import annotations

from collections.abc import Callable

from trisynapse_memory.pipelines.jobs import BackgroundJobs
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Backlog, Progress, Task


class Activity:
    """The noun door ``engine.jobs``."""

    def __init__(self, rooms: Rooms, jobs: BackgroundJobs) -> None:
        self._rooms = rooms
        self._jobs = jobs

    def list(self) -> tuple[Task, ...]:
        """Return every kind of background work with its state, most urgent first."""
        return self._jobs.tasks()

    def listen(self, told: Callable[[Task], None]) -> None:
        """Tell somebody in this process each time one kind of work has done all that waited."""
        self._jobs.listen(told)

    def pause(self, name: str = "") -> tuple[Task, ...]:
        """Begin no further step of one kind of work, or of all, until it is resumed; return the state of all.

        Raises:
            InvalidInputError: no background work has that name.
        """
        self._jobs.pause(name)
        return self._jobs.tasks()

    def resume(self, name: str = "") -> tuple[Task, ...]:
        """Go on with one kind of work, or with all: paused, cancelled or waiting after a failure."""
        self._jobs.resume(name)
        return self._jobs.tasks()

    def cancel(self, name: str = "") -> tuple[Task, ...]:
        """Leave what waits undone until something new arrives or it is resumed; nothing is lost."""
        self._jobs.cancel(name)
        return self._jobs.tasks()

    def prioritise(self, source_id: str) -> None:
        """Let a source's vectors and facts wait less: she has just opened it.

        Raises:
            UnknownSourceError: no source has that id.
        """
        self._rooms.shelf.get(source_id)
        self._rooms.vectors.prioritise(source_id)
        self._rooms.facts.prioritise(source_id)
        self._jobs.wake()

    def backlog(self) -> Backlog:
        """Return how many records still wait for their vectors, their facts and their claims."""
        return backlog_of(self._rooms)

    def wait(
        self,
        timeout_s: float | None = None,
        *,
        include_idle: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Backlog:
        """Wait until the background work is done or can go on no further, or the time is up; return what is left.

        Args:
            timeout_s: how long at most; None for as long as it takes.
            include_idle: wait for idle work too (importance of entities, names that may mean one thing), which no
                answer needs.
            progress: told how far it is, from this thread.
        """
        self._jobs.wait(timeout_s, progress or _silent, include_idle=include_idle)
        return self.backlog()


def backlog_of(rooms: Rooms) -> Backlog:
    """Return what is askable by its words already but not by everything yet."""
    return Backlog(
        vectors=rooms.vectors.pending_count(),
        facts=rooms.facts.waiting_count(),
        claims=rooms.projector.lag().get("claims", 0),
    )


def _silent(_: Progress) -> None:
    return None


def is_unfinished(rooms: Rooms, source_id: str) -> bool:
    """Tell whether facts or the summary of a source are still to be made: what is said of it now may yet change."""
    if rooms.facts.waiting_count(source_id) > 0:
        return True
    summary = rooms.summaries.get(f"source:{source_id}")
    return summary is not None and summary.stale
