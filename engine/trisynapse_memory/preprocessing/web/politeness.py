"""The door to the network in, one with manners out: it asks a site for leave, lets it breathe, and can be stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import RobotsDeniedError, SourceTimedOutError
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.providers.egress import NO_HEADERS, Reply

# Made for programs: a catalogue's interface and the resolver of DOIs. What they may be asked is in their terms, and
# their robots.txt speaks to search engines.
INTERFACES: Final = frozenset({"export.arxiv.org", "eutils.ncbi.nlm.nih.gov", "doi.org"})


@dataclass(frozen=True, slots=True)
class Rules:
    """Whether one address may be read, and how many seconds lie between two requests at least."""

    allowed: bool
    delay_s: float = 0.0


class Door(Protocol):
    """What is needed of ``Egress``."""

    def get(
        self,
        url: str,
        purpose: str,
        headers: Mapping[str, str] = NO_HEADERS,
        stop: threading.Event | None = None,
        before: Callable[[str], object] | None = None,
    ) -> Reply:
        """Fetch one address and follow its redirects."""
        ...

    def ask(self, request: Outgoing, stop: threading.Event | None = None) -> Reply:
        """Send one request of any method and follow its redirects."""
        ...


class PoliteDoor:
    """A ``fetching.Getter`` for many pages: one request a host at a time, with a pause after it. Safe under threads.

    Args:
        door: the door to the network.
        rules: what a site says of an address.
        delay_s: the pause between two requests to one host, where it does not ask for a longer one.
        stop: once set, every wait ends.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        door: Door,
        rules: Callable[[str], Rules],
        delay_s: float,
        stop: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._door = door
        self._rules = rules
        self._delay_s = delay_s
        self._stop = stop
        self._clock = clock
        self._free_at: dict[str, float] = {}
        self._changing = threading.Lock()

    def get(self, url: str, purpose: str, headers: Mapping[str, str] = NO_HEADERS) -> Reply:
        """Fetch one address, when its site lets us and its turn has come.

        Raises:
            RobotsDeniedError: the site of it, or of a redirect, does not want programs to read it.
            SourceTimedOutError: the stop was set.
            SourceError, OfflineError: as ``Egress.get``.
        """
        return self._door.get(url, purpose, headers, self._stop, self._before)

    def ask(self, request: Outgoing) -> Reply:
        """Send one request of several that a page is made of, when the turn of its host has come.

        What a page asks for itself (the interface that its player uses) is no page that robots.txt speaks of; leave for
        the page itself is asked with ``ask_leave``.
        """
        self._wait(host_of(request.url), self._delay_s)
        return self._door.ask(request, self._stop)

    def ask_leave(self, url: str) -> None:
        """Make sure that a site lets programs read a page.

        Raises:
            RobotsDeniedError: it does not.
        """
        rules = self._rules(url)
        if not rules.allowed:
            raise _denied(host_of(url))

    def pause(self, seconds: float) -> None:
        """Wait before a busy server is asked again."""
        self._stop.wait(seconds)

    def _before(self, url: str) -> None:
        host = host_of(url)
        rules = Rules(allowed=True) if host in INTERFACES else self._rules(url)
        if not rules.allowed:
            raise _denied(host)
        self._wait(host, max(self._delay_s, rules.delay_s))

    def _wait(self, host: str, delay_s: float) -> None:
        if self._stop.wait(self._turn(host, delay_s)):
            raise SourceTimedOutError(f"'{host}' was not asked: it was stopped before.")

    def _turn(self, host: str, delay_s: float) -> float:
        """How long to wait for the turn that is now taken."""
        with self._changing:
            now = self._clock()
            at = max(now, self._free_at.get(host, now))
            self._free_at[host] = at + delay_s
            return at - now


def everything_allowed(url: str) -> Rules:
    """Return the rules for a page that she named herself."""
    return Rules(allowed=True)


def _denied(host: str) -> RobotsDeniedError:
    return RobotsDeniedError(
        f"'{host}' does not want programs to read this page.",
        hint="Add its address by itself, or save it in a browser.",
    )
