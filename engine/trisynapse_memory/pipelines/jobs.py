"""Work that waits in, one thread that does it out, most urgent first, a small step at a time. No question waits for it.

What waits is known to the indexes, so a process that ends at any moment loses the step in hand and nothing else; a
task that fails is tried again after a pause that doubles.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from trisynapse_memory.errors import InvalidInputError, TrisynapseError
from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.pipelines.rooms import Busy
from trisynapse_memory.types import Progress, Task

LOGGER = logging.getLogger(__name__)

POLL_S: Final = 0.05  # between two looks of somebody who waits for the end
CLOSE_S: Final = 5.0  # longest wait for somebody who is just looking
PAUSE_S: Final = 0.05  # between two looks at whether questions are being answered
PAUSE_LIMIT_S: Final = 10.0  # somebody who asks without end still gets her vectors, a batch at a time
BACKOFF_S: Final = 1.0  # after the first failure in a row; doubles
BACKOFF_LIMIT_S: Final = 60.0
STUCK_FAILURES: Final = 2  # in a row; whoever waits for the end then waits no longer
EMPTY_PAUSE_S: Final = 0.01  # after a step that did nothing; doubles
EMPTY_PAUSE_LIMIT_S: Final = 0.5
EMPTY_STEPS: Final = 12  # in a row, after which nobody waits for this chore any more: it needs something else first
REST_S: Final = 60.0  # idle for so long, a task lets its worker process go


class Work(Protocol):
    """One kind of background work, cut into small steps; all of its state lies in an index."""

    def pending(self) -> int:
        """Return how many units of work wait."""
        ...

    def step(self) -> int:
        """Do one bounded piece, and return how many units are done; 0 where it only found out that there is nothing.

        Raises:
            TrisynapseError: it cannot go on now; nothing of what waits is lost.
        """
        ...


def _is_free() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Chore:
    """One row of the runner's table.

    Args:
        name: as the activity pane shows it.
        urgency: lower goes first; chores of one urgency take turns.
        work: what is done.
        rest: lets go of what the work holds (a worker process) when there has been nothing to do for a while.
        is_idle: whether it is done for later only, so that nobody waits for its end unless asked to.
        held_up: asked before each step: why it cannot go on now (offline, no key), or an empty text; None where there
            is no such work at all (no model was chosen). It is cheap, and nothing of what waits is lost.
    """

    name: str
    urgency: int
    work: Work
    rest: Callable[[], None] = lambda: None
    is_idle: bool = False
    held_up: Callable[[], str | None] = _is_free


class _State:
    """How one chore is doing. Guarded by the runner's lock."""

    def __init__(self, chore: Chore) -> None:
        self.chore = chore
        self.done = 0
        self.last_turn = 0
        self.failures = 0
        self.empty_steps = 0
        self.trouble = ""
        self.retry_at: datetime | None = None
        self.is_running = False
        self.is_paused = False
        self.is_cancelled = False

    @property
    def is_moving(self) -> bool:
        return self.failures < STUCK_FAILURES and self.empty_steps < EMPTY_STEPS

    def is_due(self, now: datetime) -> bool:
        held = self.is_paused or self.is_cancelled or (self.retry_at is not None and now < self.retry_at)
        return not held and self.chore.held_up() == "" and self.chore.work.pending() > 0

    def task(self) -> Task:
        pending = self.chore.work.pending()
        obstacle = self.chore.held_up() or ""
        return Task(
            name=self.chore.name,
            status=self._status(pending),
            pending=pending,
            done=self.done,
            trouble=obstacle or self.trouble or ("cancelled until something new arrives" if self.is_cancelled else ""),
            retry_at=None if obstacle else self.retry_at,
        )

    def _status(self, pending: int) -> str:
        if self.is_paused or (self.is_cancelled and pending):
            return "paused"
        if self.is_running:
            return "running"
        return "waiting" if pending else "idle"


class BackgroundJobs:
    """Runs the chores of one vault in a thread that is started when there is something to do.

    Args:
        chores: the table; the order decides between chores that are equally urgent at the start.
        asking: busy while questions are answered; no step is begun meanwhile.
        clock: tells when a failed chore is tried again.
    """

    def __init__(self, chores: Sequence[Chore], asking: Busy, clock: Clock = utc_now) -> None:
        self._states = {chore.name: _State(chore) for chore in chores}
        self._asking = asking
        self._clock = clock
        self._turn = 0
        self._stop = threading.Event()
        self._woken = threading.Condition()
        self._thread: threading.Thread | None = None
        self._waiting = Busy()
        self._listeners: list[Callable[[Task], None]] = []
        self._stepping = threading.Lock()

    @contextmanager
    def held(self) -> Generator[None]:
        """Let the step in hand end, and begin none meanwhile: a removal must not race with work that read the text."""
        with self._stepping:
            yield

    def listen(self, told: Callable[[Task], None]) -> None:
        """Tell somebody, from the thread that works, each time a chore has done all that waited."""
        self._listeners.append(told)

    def wake(self) -> None:
        """Make sure that somebody works on what waits; something new has arrived, so nothing stays cancelled."""
        with self._woken:
            for state in self._states.values():
                state.is_cancelled = False
            self._start()

    def _start(self) -> None:
        if self._thread is None and not self._stop.is_set() and self._next() is not None:
            self._thread = threading.Thread(target=self._loop, name="jobs", daemon=True)
            self._thread.start()
        self._woken.notify_all()

    def tasks(self) -> tuple[Task, ...]:
        """Return how every chore is doing, in the order of the table; work that there is not is left out."""
        with self._woken:
            return tuple(state.task() for state in self._states.values() if state.chore.held_up() is not None)

    def pause(self, name: str = "") -> None:
        """Begin no further step of one chore, or of all, until it is resumed.

        Raises:
            InvalidInputError: no chore has that name.
        """
        with self._woken:
            for state in self._named(name):
                state.is_paused = True

    def resume(self, name: str = "") -> None:
        """Go on with one chore or all: paused, cancelled, or waiting after a failure."""
        with self._woken:
            for state in self._named(name):
                state.is_paused = state.is_cancelled = False
                state.retry_at, state.failures, state.empty_steps = None, 0, 0
            self._start()

    def retry(self) -> None:
        """Try what failed again at once: what it failed for may have changed. What was paused stays so."""
        with self._woken:
            for state in self._states.values():
                state.retry_at, state.failures, state.empty_steps, state.trouble = None, 0, 0, ""
            self._start()

    def cancel(self, name: str = "") -> None:
        """Leave what waits for one chore, or all, undone until something new arrives or it is resumed."""
        with self._woken:
            for state in self._named(name):
                state.is_cancelled = True

    def _named(self, name: str) -> tuple[_State, ...]:
        if name and name not in self._states:
            known = ", ".join(self._states)
            raise InvalidInputError(f"There is no background work named '{name}'.", hint=f"Known: {known}.")
        return tuple(state for key, state in self._states.items() if name in ("", key))

    def wait(self, timeout_s: float | None, notify: Callable[[Progress], None], *, include_idle: bool = False) -> None:
        """Wait until nothing is left to do, or nothing can go on now, telling how far it is.

        Args:
            timeout_s: how long at most; None for as long as it takes.
            notify: told how far each chore is.
            include_idle: wait for idle work too, which no answer needs.
        """
        with self._woken:
            self._start()
        with self._waiting:
            self._wait(timeout_s, notify, include_idle)

    def _wait(self, timeout_s: float | None, notify: Callable[[Progress], None], include_idle: bool) -> None:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        totals: dict[str, int] = {}
        while not self._stop.is_set():
            moving = self._moving(include_idle)
            for task in moving:
                total = totals[task.name] = max(totals.get(task.name, 0), task.pending)
                notify(Progress(run_id="", stage=task.name, done=total - task.pending, total=total, unit="records"))
            if not moving or (deadline is not None and time.monotonic() > deadline):
                return  # the words still work; the coverage of every answer says what is missing
            time.sleep(POLL_S)

    def _moving(self, include_idle: bool) -> tuple[Task, ...]:
        with self._woken:
            wanted = [one for one in self._states.values() if include_idle or not one.chore.is_idle]
            going = [state for state in wanted if state.is_moving and state.chore.held_up() == ""]
            return tuple(task for task in (state.task() for state in going) if task.pending and task.status != "paused")

    def close(self) -> None:
        """Stop after the step in hand, and let every worker go."""
        self._stop.set()
        with self._woken:
            self._woken.notify_all()
        self._rest()
        if self._thread is not None:
            self._thread.join()
        self._rest()  # a step that was in hand may have started a new worker
        self._waiting.wait_until_idle(CLOSE_S)

    def _loop(self) -> None:
        rested = True
        while not self._stop.is_set():
            with self._woken:
                state = self._next()
                if state is None:
                    if not self._woken.wait(self._pause_s()) and not rested:
                        self._rest()
                        rested = True
                    continue
                self._turn += 1
                state.last_turn, state.is_running = self._turn, True
            rested = False
            self._give_way()
            with self._stepping:
                if not self._stop.is_set():
                    self._run(state)
            state.is_running = False

    def _next(self) -> _State | None:
        """The most urgent chore that can go on; among equals the one that waited longest for its turn."""
        now = self._clock()
        due = [state for state in self._states.values() if state.is_due(now)]
        return min(due, key=lambda state: (state.chore.urgency, state.last_turn), default=None)

    def _pause_s(self) -> float:
        now = self._clock()
        moments = [state.retry_at for state in self._states.values() if state.retry_at is not None]
        soonest = min(((moment - now).total_seconds() for moment in moments if moment > now), default=REST_S)
        return min(max(soonest, EMPTY_PAUSE_S), REST_S)

    def _give_way(self) -> None:
        waited_s = 0.0
        while self._asking.goes_on() and waited_s < PAUSE_LIMIT_S and not self._stop.wait(PAUSE_S):
            waited_s += PAUSE_S

    def _run(self, state: _State) -> None:
        try:
            count = state.chore.work.step()
        except TrisynapseError as error:
            if self._stop.is_set():
                return  # its worker was let go while it worked
            LOGGER.warning("The background work '%s' pauses: %s", state.chore.name, error)
            self._fail(state, str(error))
        except Exception as error:  # the job runner: a chore that fails must not end the others
            LOGGER.exception("The background work '%s' failed; it is tried again.", state.chore.name)
            self._fail(state, f"{type(error).__name__}, see the log file.")
        else:
            self._succeed(state, count)

    def _succeed(self, state: _State, count: int) -> None:
        state.done += count
        state.failures, state.trouble, state.retry_at = 0, "", None
        state.empty_steps = 0 if count else state.empty_steps + 1
        if not count:
            pause_s = min(EMPTY_PAUSE_S * 2 ** min(state.empty_steps, 16), EMPTY_PAUSE_LIMIT_S)
            state.retry_at = self._clock() + timedelta(seconds=pause_s)
        elif not state.chore.work.pending():
            for told in self._listeners:
                told(state.task())

    def _fail(self, state: _State, trouble: str) -> None:
        pause_s = min(BACKOFF_S * 2 ** min(state.failures, 16), BACKOFF_LIMIT_S)
        state.failures += 1
        state.trouble = trouble
        state.retry_at = self._clock() + timedelta(seconds=pause_s)

    def _rest(self) -> None:
        for state in self._states.values():
            state.chore.rest()
