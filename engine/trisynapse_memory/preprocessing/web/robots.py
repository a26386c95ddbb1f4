"""An address in, whether its site lets programs read it and how fast out; asked for pages that nobody chose singly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from trisynapse_memory.errors import (
    HostUnknownError,
    InvalidInputError,
    SourceBusyError,
    SourceDeniedError,
    SourceError,
    SourceMissingError,
    SourceTimedOutError,
    SourceTooLargeError,
)
from trisynapse_memory.preprocessing.charsets import decode
from trisynapse_memory.preprocessing.web.politeness import Door, Rules
from trisynapse_memory.providers.egress import NO_HEADERS, Reply

if TYPE_CHECKING:
    from protego import Protego

PURPOSE: Final = "ask what a site lets programs read"
AGENT: Final = "TrisynapseDesktop"  # the first word of what the door calls us
MAX_BYTES: Final = 512_000  # RFC 9309: a crawler reads at least 500 KiB of robots.txt
KEPT_S: Final = 24 * 3600.0  # RFC 9309: not longer than a day
LONGEST_DELAY_S: Final = 60.0
MAX_HOSTS: Final = 10_000


class Robots:
    """The rules of the sites that were asked for, each fetched once a day. Safe under threads.

    Args:
        door: the door to the network.
        stop: once set, what is waited for ends.
        clock: monotonic seconds.
    """

    def __init__(self, door: Door, stop: threading.Event, clock: Callable[[], float] = time.monotonic) -> None:
        self._door = door
        self._stop = stop
        self._clock = clock
        self._known: dict[str, tuple[float, Protego | None]] = {}
        self._changing = threading.Lock()

    def rules(self, url: str) -> Rules:
        """Return what the site of an address says of it (RFC 9309).

        Raises:
            SourceBusyError, HostUnknownError: the site cannot say so now; nothing of it may be read until it can.
            OfflineError: nothing may leave this machine.
        """
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._changing:
            read_at, parsed = self._known.get(site, (float("-inf"), None))
        if self._clock() - read_at > KEPT_S:
            parsed = self._read(site)
            with self._changing:
                if len(self._known) >= MAX_HOSTS:
                    self._known.clear()
                self._known[site] = (self._clock(), parsed)
        if parsed is None:
            return Rules(allowed=True)
        delay_s = min(float(parsed.crawl_delay(AGENT) or 0.0), LONGEST_DELAY_S)
        return Rules(parsed.can_fetch(url, AGENT), delay_s)

    def _read(self, site: str) -> Protego | None:
        """The rules of a site; None where it has none."""
        host = urlsplit(site).hostname or site
        try:
            reply: Reply = self._door.get(f"{site}/robots.txt", PURPOSE, NO_HEADERS, self._stop)
        except HostUnknownError:
            raise  # nothing is known of its rules
        except (SourceDeniedError, SourceMissingError, SourceTooLargeError, InvalidInputError):
            return None  # the page itself will say the same of its address
        except (SourceTimedOutError, SourceError) as error:
            raise SourceBusyError(f"'{host}' did not say what programs may read: {error.problem}") from error
        if reply.status >= 500 or reply.status == 429:
            raise SourceBusyError(f"'{host}' did not say what programs may read (status {reply.status}).")
        if not 200 <= reply.status < 300:
            return None
        # Only a bulk fetch needs it.
        from protego import Protego

        text, _ = decode(reply.content[:MAX_BYTES])
        return Protego.parse(text)
