"""Requests for one model in, one after the other out: a question she waits for goes before work in the background."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event

POLL_S = 0.03  # how often a waiting request looks whether it is still wanted; 200 ms are promised


class Turns:
    """A line before a counter that serves one at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._tickets = itertools.count()
        self._is_taken = False

    @contextmanager
    def turn(self, is_urgent: bool, stop: Event | None = None) -> Generator[bool]:
        """Wait for the turn, and give it back at the end.

        Args:
            is_urgent: stand before all that are not; among equals, who came first goes first.
            stop: once set, leave the line.

        Yields:
            Whether the turn came; False once ``stop`` is set.
        """
        came = self._wait((0 if is_urgent else 1, next(self._tickets)), stop)
        try:
            yield came
        finally:
            if came:
                with self._changed:
                    self._is_taken = False
                    self._changed.notify_all()

    def _wait(self, place: tuple[int, int], stop: Event | None) -> bool:
        with self._changed:
            heapq.heappush(self._waiting, place)
            try:
                while self._is_taken or self._waiting[0] != place:
                    if stop is not None and stop.is_set():
                        return False
                    self._changed.wait(POLL_S if stop is not None else None)
                self._is_taken = True
                return True
            finally:
                self._waiting.remove(place)
                heapq.heapify(self._waiting)
                self._changed.notify_all()
