"""A vault in, lessons learned in the background and on her word out; each trial is kept with its reason.

In the background a lesson begins when enough new questions were judged since the last one, goes on a question at a
time, and is forgotten when the vault is closed: the next opening begins it anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Final

from msgspec import structs

from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.judgements import TRIALS_KEPT
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.lesson import Lesson, Step
from trisynapse_memory.pipelines.tuning.weights import Weights
from trisynapse_memory.types import Trial, TrialStatus

NEW_QUESTIONS: Final = 10  # judged since the last trial; sooner, the same would be tried again for nothing


class Teacher:
    """Learns for one vault; the background work of the chore ``tuning``.

    Args:
        rooms: the open vault.
        query: its read corridor.
        weights: those in force.
    """

    def __init__(self, rooms: Rooms, query: Query, weights: Weights) -> None:
        self._rooms = rooms
        self._weights = weights
        self._lesson = Lesson(rooms, query, weights)
        self._going: Generator[Step, None, Trial] | None = None
        self._lock = threading.Lock()

    def learn(self, told: Callable[[int, int], None]) -> Trial:
        """Learn now, and keep what came of it; ``told`` hears (done, total)."""
        with self._lock:
            going, self._going = self._lesson.steps(), None
            while True:
                try:
                    told(*next(going))
                except StopIteration as end:
                    return self._keep(end.value)

    def pending(self) -> int:
        """Return 1 where a lesson is due or goes on."""
        if not self._weights.is_on:
            return 0
        return int(self._going is not None or self._is_due())

    def step(self) -> int:
        """Do a piece of a lesson; 0 where none is due, or where one goes on that she waits for."""
        if not self._lock.acquire(blocking=False):
            return 0
        try:
            return self._step()
        finally:
            self._lock.release()

    def _step(self) -> int:
        if not self._weights.is_on or (self._going is None and not self._is_due()):
            self._going = None
            return 0
        self._going = self._going or self._lesson.steps()
        try:
            next(self._going)
        except StopIteration as end:
            self._going = None
            self._keep(end.value)
        return 1

    def held_up(self) -> str | None:
        """There is no such work at all while she has not switched it on."""
        return "" if self._weights.is_on else None

    def _is_due(self) -> bool:
        kept = self._rooms.history.judgements
        if kept.question_count() < self._rooms.config.tuning_min_questions:
            return False
        last = kept.trials(1)
        return not last or kept.question_count(last[0].created_at) >= NEW_QUESTIONS

    def _keep(self, trial: Trial) -> Trial:
        """Keep a trial; a proposal that still waits was made from less, and is dropped."""
        kept = self._rooms.history.judgements
        for earlier in kept.trials(TRIALS_KEPT):
            if earlier.status is TrialStatus.PROPOSED:
                kept.keep_trial(structs.replace(earlier, status=TrialStatus.DECLINED))
        kept.keep_trial(trial)
        return trial
