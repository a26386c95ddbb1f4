"""A switch in, a process or a request without network out. No request is made here; ``egress.py`` makes them.

Four walls, one behind the other: the door refuses; an audit hook makes every network socket of the process fail below
all Python; where it is for good, the kernel refuses below everything else (``wall.py``); and the environment tells the
libraries of child processes not to try.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from trisynapse_memory.errors import OfflineError
from trisynapse_memory.providers.wall import raise_wall

ENVIRONMENT: Final = "TRISYNAPSE_OFFLINE"
"""Set to 1 for child processes, so that they forbid the network too."""

_QUIET_LIBRARIES: Final = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_NETWORK_FAMILIES: Final = frozenset({socket.AF_INET, socket.AF_INET6})
_LOOKUPS: Final = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
)
_USES: Final = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"})
_REQUEST: ContextVar[bool] = ContextVar("offline_request", default=False)


class NetworkGuard:
    """A switch below all libraries of this process: while it is on, no network socket can be made, used or looked up.

    Local sockets go on working. It belongs in a process of our own: in a notebook it would also cut what is not ours.
    Whoever holds it can lift it, unless it is locked.
    """

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._is_on = False
        self._is_locked = False
        self._is_installed = False

    @property
    def is_on(self) -> bool:
        """Whether the network is forbidden now."""
        return self._is_on

    def set(self, on: bool) -> bool:
        """Forbid or allow the network from now on, and return what holds: a locked guard stays on."""
        with self._changing:
            if on and not self._is_installed:
                # A hook cannot be taken out again, so it asks.
                sys.addaudithook(self._hear)
                self._is_installed = True
            self._is_on = on or self._is_locked
            return self._is_on

    def lock(self) -> None:
        """Forbid the network for the rest of this process and to its children, on Linux through the kernel as well."""
        self._is_locked = True
        self.set(True)
        raise_wall()

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_on:
            _refuse(event, arguments)


def forbid_network() -> None:
    """Make every network socket and name lookup of this process fail, below all libraries; local sockets still work.

    It cannot be undone, and on Linux child processes inherit it, which is the point.

    Raises (later, in whoever tries):
        OfflineError: something asked for the network.
    """
    NetworkGuard().lock()


def offline_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for a child process that never needs the network: ours and its libraries stay off it."""
    return dict(environment) | {ENVIRONMENT: "1"} | dict.fromkeys(_QUIET_LIBRARIES, "1")


@contextmanager
def offline_request(forbidden: bool) -> Generator[None]:
    """Forbid the network for what one client asked, while others may use it."""
    token = _REQUEST.set(forbidden)
    try:
        yield
    finally:
        _REQUEST.reset(token)


def is_request_offline() -> bool:
    """Tell whether the client whose request is being worked on has forbidden the network."""
    return _REQUEST.get()


def refuse_when_offline(offline: bool, purpose: str) -> None:
    """Stop before a request is prepared.

    Raises:
        OfflineError: the engine or this very request is offline.
    """
    if offline or _REQUEST.get():
        raise OfflineError(f"{purpose} needs the network, and offline is on.", hint="Lift the offline switch first.")


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    is_network = event in _LOOKUPS
    if event == "socket.__new__":
        is_network = arguments[1] in _NETWORK_FAMILIES
    elif event in _USES:
        # A socket from before the switch was turned is of no use either.
        is_network = arguments[0].family in _NETWORK_FAMILIES
    if is_network:
        raise OfflineError("The network was asked for while offline is on.", hint="Lift the offline switch first.")
