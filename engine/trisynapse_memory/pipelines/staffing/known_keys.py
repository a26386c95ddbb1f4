"""Services in, whether she has a key for each out, without asking the keyring each time. No key is kept here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

KNOWN_S: Final = 10.0  # a keyring is a conversation over a bus; a request itself asks it anew, a list of tasks does not


class KnownKeys:
    """Remembers for a while whether there is a key; safe under threads.

    Args:
        look: asks the keyring, by the name a key is kept under; it may take long, since she may have to unlock it.
        clock: seconds that only go forward.
    """

    def __init__(self, look: Callable[[str], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, bool]] = {}
        self._asking: set[str] = set()

    def has(self, name: str) -> bool:
        """Tell whether there is a key, after asking the keyring if that was long ago."""
        known = self._known.get(name)
        return known[1] if known is not None and self._is_fresh(known) else self._ask(name)

    def seems_there(self, name: str) -> bool:
        """Tell at once what is known; who may wait for nobody assumes a key, which the request itself then misses."""
        known = self._known.get(name)
        if known is None or not self._is_fresh(known):
            self._ask_aside(name)
        return known is None or known[1]

    def forget(self) -> None:
        """Ask the keyring anew from now on: a key was set or taken away."""
        self._known = {}

    def _is_fresh(self, known: tuple[float, bool]) -> bool:
        return self._clock() - known[0] <= KNOWN_S

    def _ask(self, name: str) -> bool:
        found = self._look(name)
        self._known[name] = (self._clock(), found)
        return found

    def _ask_aside(self, name: str) -> None:
        with self._lock:
            if name in self._asking:
                return
            self._asking.add(name)

        def ask() -> None:
            try:
                self._ask(name)
            finally:
                with self._lock:
                    self._asking.discard(name)

        threading.Thread(target=ask, name="keys", daemon=True).start()
