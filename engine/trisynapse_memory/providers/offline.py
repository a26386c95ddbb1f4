"""A switch in, a process or a request without network out. No request is made here; ``egress.py`` makes them."""

from __future__ import annotations

import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from trisynapse_memory.errors import OfflineError

ENVIRONMENT = "TRISYNAPSE_OFFLINE"
"""Set to 1 for child processes, so that workers forbid the network too."""

_NETWORK_FAMILIES = frozenset({socket.AF_INET, socket.AF_INET6})
_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_REQUEST: ContextVar[bool] = ContextVar("offline_request", default=False)


def forbid_network() -> None:
    """Make every network socket and name lookup of this process fail, below all libraries; local sockets still work.

    It cannot be undone: an audit hook stays for the life of the process, which is the point.

    Raises (later, in whoever tries):
        OfflineError: something asked for the network.
    """
    sys.addaudithook(_refuse)


@contextmanager
def offline_request(forbidden: bool) -> Generator[None]:
    """Forbid the network for what one client asked, while others may use it."""
    token = _REQUEST.set(forbidden)
    try:
        yield
    finally:
        _REQUEST.reset(token)


def refuse_when_offline(offline: bool, purpose: str) -> None:
    """Stop before a request is prepared.

    Raises:
        OfflineError: the engine or this very request is offline.
    """
    if offline or _REQUEST.get():
        raise OfflineError(f"{purpose} needs the network, and offline is on.", hint="Lift the offline switch first.")


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _LOOKUPS or (event == "socket.__new__" and arguments[1] in _NETWORK_FAMILIES):
        raise OfflineError("The network was asked for while offline is on.", hint="Lift the offline switch first.")
