"""A checked address in, a byte stream out that is counted, can be stopped and never waits for ever.

Only ``egress.py`` uses it. The socket is our own, because three promises hang on it: every byte that passes is counted
before it is encrypted, a stop ends a silent exchange within a fraction of a second, and the connection goes to the very
address that was checked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from trisynapse_memory.errors import OfflineError

if TYPE_CHECKING:
    import httpcore

SLICE_S: Final = 0.05  # one wait, before the stop is looked at; 200 ms are promised
CONNECT_S: Final = 15.0  # chosen: name, connection and handshake; a far server takes 1 s
_UNDER_WAY: Final = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN, 10035})  # 10035: Windows

Resolve = Callable[[str, int], tuple[str, ...]]
"""A host and a port in, the IP addresses behind the name out; none where nobody knows it."""

T = TypeVar("T")


class FaultKind(StrEnum):
    """How an exchange broke. ``unfit``: it cannot be written, because a header or the address holds what none may."""

    UNKNOWN_HOST = "unknown-host"
    UNREACHABLE = "unreachable"
    UNTRUSTED = "untrusted"
    SILENT = "silent"
    CUT = "cut"
    STOPPED = "stopped"
    OFFLINE = "offline"
    UNFIT = "unfit"


class ConnectionFault(Exception):  # noqa: N818 - the door alone sees it, and says it in the words of its caller
    """The exchange broke; ``kind`` says how. Its text names no address."""

    def __init__(self, kind: FaultKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


@dataclass(slots=True)
class Watch:
    """How long one exchange may last and who may end it; it also counts the bytes.

    ``silence_s`` is the longest wait for the other side, ``deadline`` (monotonic seconds) the end of it all.
    ``is_offline`` is asked all the time, so that the switch ends what is under way. ``on_sent`` is told once, when the
    whole request has gone out.
    """

    silence_s: float
    is_offline: Callable[[], bool]
    stop: threading.Event | None = None
    deadline: float | None = None
    on_sent: Callable[[], None] | None = None
    sent_bytes: int = 0
    received_bytes: int = 0

    def check(self) -> None:
        """Look whether the exchange is still wanted and has time left.

        Raises:
            ConnectionFault: stopped, offline or silent.
        """
        if self.stop is not None and self.stop.is_set():
            raise ConnectionFault(FaultKind.STOPPED)
        if self.is_offline():
            raise ConnectionFault(FaultKind.OFFLINE)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise ConnectionFault(FaultKind.SILENT)

    def patiently(self, step: Callable[[], T], limit_s: float) -> T:
        """Repeat a step that gives up after ``SLICE_S`` until it succeeds or nobody wants to wait any longer."""
        end = time.monotonic() + limit_s
        while True:
            self.check()
            with contextlib.suppress(TimeoutError):
                return step()
            if time.monotonic() > end:
                raise ConnectionFault(FaultKind.SILENT)

    def tell_sent(self) -> None:
        """Say that the whole request has gone out; only the first time counts."""
        told, self.on_sent = self.on_sent, None
        if told is not None:
            told()


def resolve_host(host: str, port: int) -> tuple[str, ...]:
    """Return the IP addresses behind a name, in the order of the system; none where nobody knows it."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def look_up(resolve: Resolve, host: str, port: int, watch: Watch) -> tuple[str, ...]:
    """Ask for the addresses of a name in a thread of its own: the system's look-up can neither be stopped nor timed.

    Raises:
        ConnectionFault: nobody knows the name, a guard forbids to ask, or the exchange ended meanwhile.
    """
    found: list[tuple[str, ...]] = []
    refusals: list[OfflineError] = []

    def ask() -> None:
        try:
            found.append(resolve(host, port))
        except OfflineError as refusal:
            refusals.append(refusal)

    thread = threading.Thread(target=ask, name="look-up", daemon=True)
    thread.start()

    def wait() -> None:
        thread.join(SLICE_S)
        if thread.is_alive():
            raise TimeoutError

    watch.patiently(wait, CONNECT_S)
    if refusals:
        raise ConnectionFault(FaultKind.OFFLINE)
    if not found or not found[0]:
        raise ConnectionFault(FaultKind.UNKNOWN_HOST)
    return found[0]


class Line:
    """One open connection, in the shape that httpcore wants of a network stream."""

    def __init__(self, connected: socket.socket, watch: Watch) -> None:
        connected.settimeout(SLICE_S)
        self._socket = connected
        self._watch = watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, at most ``max_bytes``; nothing at the end."""
        self._watch.tell_sent()
        try:
            content = self._watch.patiently(partial(self._socket.recv, max_bytes), self._watch.silence_s)
        except OSError:
            raise ConnectionFault(FaultKind.CUT) from None
        self._watch.received_bytes += len(content)
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        import httpcore

        left = memoryview(buffer)
        while left:
            try:
                count = self._watch.patiently(partial(self._socket.send, left), self._watch.silence_s)
            except OSError:
                # httpcore then reads what a server that has stopped listening says, such as a 413.
                raise httpcore.WriteError from None
            self._watch.sent_bytes += count
            left = left[count:]

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Line:
        """Encrypt the connection and check that the other side is who it should be."""
        try:
            wrapped = ssl_context.wrap_socket(
                self._socket, server_hostname=server_hostname, do_handshake_on_connect=False
            )
            self._socket = wrapped
            self._watch.patiently(wrapped.do_handshake, CONNECT_S)
        except BaseException as error:
            self.close()
            if isinstance(error, ssl.SSLCertVerificationError):
                raise ConnectionFault(FaultKind.UNTRUSTED) from None
            if isinstance(error, OSError):
                raise ConnectionFault(FaultKind.UNREACHABLE) from None
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """Give httpcore the TLS layer, of which it asks the protocol."""
        return self._socket if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket) else None


class Dialer:
    """Connects to addresses that were checked, whatever name it is given; the shape of httpcore's network backend."""

    def __init__(self, addresses: Sequence[str], watch: Watch) -> None:
        self._addresses = addresses
        self._watch = watch

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> Line:
        """Connect to the first checked address that answers: a server may listen on one family only."""
        fault = ConnectionFault(FaultKind.UNREACHABLE)
        for address in self._addresses:
            try:
                return Line(self._connected(address, port), self._watch)
            except OSError:
                fault = ConnectionFault(FaultKind.UNREACHABLE)
            except ConnectionFault as error:
                self._watch.check()
                fault = error
        raise fault

    def _connected(self, address: str, port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            made.setblocking(False)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            code = made.connect_ex((address, port))
            if code in _UNDER_WAY:
                self._await_connection(made)
                code = made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, os.strerror(code))
        except BaseException:
            made.close()
            raise
        return made

    def _await_connection(self, made: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(made, selectors.EVENT_WRITE)

            def wait() -> None:
                if not selector.select(SLICE_S):
                    raise TimeoutError

            self._watch.patiently(wait, CONNECT_S / len(self._addresses))
