"""Links that wait in, their pages in the vault out: many hosts at a time, each slowly, in the background.

What waits lies in the history's table, so a restart goes on. Each page is fetched in a thread of its own and taken in
by the write corridor like one she added herself; a chore's step only begins and counts. Nothing waits here that she did
not allow.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Protocol

from msgspec import structs

from trisynapse_memory.errors import (
    DiskFullError,
    HostUnknownError,
    InvalidInputError,
    OfflineError,
    RobotsDeniedError,
    SourceBusyError,
    SourceDeniedError,
    SourceError,
    SourceMissingError,
    SourceTimedOutError,
    SourceTooLargeError,
    SourceUnsupportedError,
    TrisynapseError,
    VaultError,
)
from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.pipelines.link_queue import LinkQueue
from trisynapse_memory.preprocessing.web.papers import WebPage
from trisynapse_memory.types import IngestResult, Link, LinkStatus, Outcome, PageVerdict

MAX_ATTEMPTS: Final = 5
FIRST_RETRY_S: Final = 60.0  # then four times as long each time: a minute, 4, 16, 64
LONGEST_RETRY_S: Final = 24 * 3600.0  # what a server may ask for at most
CLOSE_S: Final = 3.0
NO_TEXT: Final = "no article text"
OUR_FAULT: Final = "a fault of ours, see the log file"

_VERDICTS: Final = (
    (RobotsDeniedError, "robots say no"),
    (HostUnknownError, "no such host"),
    (SourceMissingError, "gone"),
    (SourceTooLargeError, "too large"),
    (SourceTimedOutError, "too slow"),
    (SourceBusyError, "busy"),
    (SourceUnsupportedError, "of a kind that no loader reads"),
    (InvalidInputError, "no web address"),
)


class Taker(Protocol):
    """Takes a fetched page into the vault."""

    def __call__(self, link: Link, page: WebPage) -> IngestResult:
        """Return what became of it."""
        ...


class Harvest:
    """The background work of fetching; it fulfils ``jobs.Work``.

    Args:
        queue: what waits.
        fetch: gets what lies behind a link, politely; called from several threads.
        take: takes it into the vault; called from several threads.
        settled: told of each link once it is known what became of it.
        stop: once set, whatever is under way ends.
        parallel: how many hosts are asked at a time.
        clock: tells when a link is tried again.
    """

    def __init__(
        self,
        queue: LinkQueue,
        fetch: Callable[[Link], WebPage],
        take: Taker,
        *,
        stop: threading.Event,
        parallel: int,
        clock: Clock = utc_now,
    ) -> None:
        self._queue = queue
        self._fetch = fetch
        self._take = take
        self._stop = stop
        self._parallel = parallel
        self._clock = clock
        self._in_hand: dict[str, threading.Thread] = {}
        self._done = 0
        self._changing = threading.Lock()

    def pending(self) -> int:
        """Return how many links can be fetched now, or are being fetched."""
        return self._queue.due_count()

    def step(self) -> int:
        """Begin what can be begun, and return how many links were settled since the last step."""
        while not self._stop.is_set() and self._begin_next():
            continue
        with self._changing:
            done, self._done = self._done, 0
        return done

    def is_busy(self) -> bool:
        """Tell whether any link is being fetched."""
        with self._changing:
            return bool(self._in_hand)

    def close(self) -> None:
        """End what is under way; it waits on for the next opening."""
        self._stop.set()
        with self._changing:
            threads = list(self._in_hand.values())
        for thread in threads:
            thread.join(CLOSE_S)

    def _begin_next(self) -> bool:
        with self._changing:
            if len(self._in_hand) >= self._parallel:
                return False
            link = self._queue.next(tuple(self._in_hand))
            if link is None:
                return False
            thread = threading.Thread(target=self._work, args=(link,), name=f"fetch {link.host}", daemon=True)
            self._in_hand[link.host] = thread
        thread.start()
        return True

    def _work(self, link: Link) -> None:
        # Stays so only where a fault of ours ends the thread: such a link must not be begun again and again.
        settled: Link | None = structs.replace(link, status=LinkStatus.FAILED, verdict=OUR_FAULT)
        try:
            settled = self._settled(link)
        finally:
            if settled is not None and not self._stop.is_set():
                self._queue.settle(settled)
            with self._changing:
                self._in_hand.pop(link.host, None)
                self._done += settled is not None

    def _settled(self, link: Link) -> Link | None:
        """What became of a link; None where nothing did, because the vault is being closed."""
        try:
            result = self._take(link, self._fetch(link))
        except OfflineError:
            return self._later(link, "offline")
        except VaultError:
            return None
        except (SourceError, InvalidInputError) as error:
            return None if self._stop.is_set() else self._after(link, error)
        if result.error is not None and result.error.code == DiskFullError.code:
            return self._later(link, "the disk is full")
        if result.status is Outcome.FAILED:
            note = result.error.message if result.error else result.reason
            return structs.replace(link, status=LinkStatus.FAILED, verdict="unreadable", note=note, retry_at=None)
        is_empty = set(result.verdicts) == {PageVerdict.EMPTY.value}
        return structs.replace(
            link,
            status=LinkStatus.FETCHED,
            verdict=NO_TEXT if is_empty else "",
            note=result.reason,
            retry_at=None,
            page_source_id=result.source_id,
        )

    def _later(self, link: Link, verdict: str) -> Link:
        """The link as it was; what keeps it back is not its fault."""
        return structs.replace(link, verdict=verdict, retry_at=self._clock() + timedelta(seconds=FIRST_RETRY_S))

    def _after(self, link: Link, error: TrisynapseError) -> Link:
        """What an error means for a link: it is tried again where time may heal it."""
        attempts, verdict = link.attempts + 1, verdict_of(error)
        tried = structs.replace(link, attempts=attempts, verdict=verdict, note=error.problem, retry_at=None)
        if not _may_pass(error) or attempts >= MAX_ATTEMPTS:
            return structs.replace(tried, status=LinkStatus.FAILED)
        return structs.replace(tried, retry_at=self._retry_at(attempts, error))

    def _retry_at(self, attempts: int, error: TrisynapseError) -> datetime:
        asked_s = error.retry_after_s if isinstance(error, SourceBusyError) else None
        pause_s = max(FIRST_RETRY_S * 4 ** (attempts - 1), min(asked_s or 0.0, LONGEST_RETRY_S))
        return self._clock() + timedelta(seconds=pause_s)


def verdict_of(error: TrisynapseError) -> str:
    """Say in a word or two why a page could not be had."""
    if isinstance(error, SourceDeniedError) and "private network" in error.problem:
        return "a private address"
    for kind, verdict in _VERDICTS:
        if isinstance(error, kind):
            return verdict
    return "needs a login" if isinstance(error, SourceDeniedError) else "not reachable"


def _may_pass(error: TrisynapseError) -> bool:
    # A host that nobody knows may only be one that this machine, without a network, cannot ask for.
    passing = SourceBusyError | SourceTimedOutError | HostUnknownError
    return isinstance(error, passing) or type(error) is SourceError
