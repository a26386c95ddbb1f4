"""An address in, its bytes out, through the one door to the network; nothing else in the engine opens a connection.

The door checks what a person cannot see in an address: that it is a web address without a password in it, that every
IP address behind its name belongs to the public internet, and the same again at every redirect. It connects to the very
IP address it has checked, so a name that changes its meaning between check and connection gains nothing. It counts
every byte, and keeps a ledger that the privacy pane shows.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from trisynapse_memory.errors import (
    InvalidInputError,
    OfflineError,
    SourceDeniedError,
    SourceError,
    SourceMissingError,
    SourceTimedOutError,
    SourceTooLargeError,
)

if TYPE_CHECKING:
    import httpx

REDIRECT_MAX_COUNT: Final = 5  # engine.md A5
TIMEOUT_S: Final = 30.0  # engine.md A5, for the whole exchange with all redirects
MAX_BYTES: Final = 25 * 1024 * 1024  # engine.md A5, after decompression
LEDGER_ROWS: Final = 1000  # kept in memory; the callback sees all
USER_AGENT: Final = "TrisynapseDesktop/0.1 (research reader; one page at a person's request)"
_SCHEMES: Final = frozenset({"http", "https"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# 6to4 and NAT64 wrap an IPv4 address that a router unwraps: the inner one must be public too.
_SIX_TO_FOUR: Final = ipaddress.ip_network("2002::/16")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One request that left this machine (or was refused at the door): never a path, a query or a body."""

    at: datetime
    host: str
    purpose: str
    status: int
    received_bytes: int
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered in the end: ``url`` is the address after all redirects, header names are small."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes


Resolve = Callable[[str, int], tuple[str, ...]]


def resolve_host(host: str, port: int) -> tuple[str, ...]:
    """Return the IP addresses behind a name, in the order of the system.

    Raises:
        SourceMissingError: no such name is known.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceMissingError(
            f"The host '{host}' is not known.", hint="Check the address and the network."
        ) from error
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class Egress:
    """The door.

    Args:
        offline: nothing passes while it is on.
        allow_private: let requests through to this machine and the local network (a model server, tests).
        timeout_s: longest time for one exchange, redirects included.
        max_bytes: largest answer taken.
        record: told of every request as it ends.
        resolve: looks up a host; another one in tests.
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        allow_private: bool = False,
        timeout_s: float = TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
        record: Callable[[LedgerRow], None] | None = None,
        resolve: Resolve = resolve_host,
    ) -> None:
        self.offline = offline
        self._allow_private = allow_private
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._record = record
        self._resolve = resolve
        self._ledger: deque[LedgerRow] = deque(maxlen=LEDGER_ROWS)

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Return the latest requests, oldest first."""
        return tuple(self._ledger)

    def get(self, url: str, purpose: str) -> Reply:
        """Fetch one address and follow its redirects.

        Args:
            url: an http or https address.
            purpose: why, in a few words, for the ledger.

        Returns:
            The last answer, whatever its status; what a status means is the caller's matter.

        Raises:
            OfflineError: offline is on.
            InvalidInputError: the address is no web address, or holds a user name or password.
            SourceDeniedError: it leads to a private address.
            SourceMissingError: the host is not known.
            SourceTimedOutError, SourceTooLargeError: it took too long or sent too much.
            SourceError: the connection failed, or there were more than five redirects.
        """
        deadline = time.monotonic() + self._timeout_s
        for _ in range(REDIRECT_MAX_COUNT + 1):
            reply = self._exchange(url, purpose, deadline)
            target = reply.headers.get("location", "")
            if reply.status not in _REDIRECTS or not target:
                return reply
            url = urljoin(url, target)
        raise SourceError(
            f"'{_host(url)}' redirects more than {REDIRECT_MAX_COUNT} times.", hint="Open it in a browser."
        )

    def _exchange(self, url: str, purpose: str, deadline: float) -> Reply:
        """One request to one checked address, with its row in the ledger however it ends."""
        status, received, refused = 0, 0, ""
        try:
            host, port = self._checked(url)
            address = self._public_address(host, port)
            reply, received = self._send(url, address, deadline)
            status = reply.status
        except (SourceError, OfflineError, InvalidInputError) as error:
            refused = error.code
            raise
        finally:
            self._note(LedgerRow(datetime.now(UTC), _host(url), purpose, status, received, refused))
        return reply

    def _note(self, row: LedgerRow) -> None:
        self._ledger.append(row)
        if self._record is not None:
            self._record(row)

    def _checked(self, url: str) -> tuple[str, int]:
        if self.offline:
            raise OfflineError(
                f"'{_host(url)}' was not asked: offline is on.", hint="Turn offline off in the settings."
            )
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise InvalidInputError("That is not a web address.", hint="Check it for typing errors.") from error
        if parts.scheme.lower() not in _SCHEMES or not parts.hostname:
            scheme = parts.scheme or "nothing"
            raise InvalidInputError(f"Only http and https addresses are fetched; this one begins with '{scheme}'.")
        if parts.username is not None or parts.password is not None:
            # A redirect could carry it on, and the ledger and the library would show it.
            raise InvalidInputError(
                f"The address of '{parts.hostname}' holds a user name or password.", hint="Take it out of the address."
            )
        return parts.hostname, port or (443 if parts.scheme.lower() == "https" else 80)

    def _public_address(self, host: str, port: int) -> str:
        addresses = self._resolve(host, port)
        if not addresses:
            raise SourceMissingError(f"The host '{host}' is not known.", hint="Check the address and the network.")
        private = [address for address in addresses if not is_public(address)]
        if private and not self._allow_private:
            raise SourceDeniedError(
                f"'{host}' leads to this machine or a private network.",
                hint="Save the page as a file and take that in.",
            )
        return addresses[0]

    def _send(self, url: str, address: str, deadline: float) -> tuple[Reply, int]:
        # 0.1 s that only a request pays.
        import httpx

        # trust_env off: no proxy, no .netrc password and no other way around the check above.
        with httpx.Client(trust_env=False, follow_redirects=False, timeout=_left(deadline, url)) as client:
            request = _pinned(client, url, address)
            try:
                response = client.send(request, stream=True)
                try:
                    content = self._body(response, url, deadline)
                finally:
                    response.close()
            except httpx.TimeoutException as error:
                raise _timed_out(url) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                problem = f"'{_host(url)}' could not be reached: {type(error).__name__}."
                raise SourceError(problem, hint="Try again later, or open it in a browser.") from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(url, response.status_code, headers, content), response.num_bytes_downloaded

    def _body(self, response: httpx.Response, url: str, deadline: float) -> bytes:
        """Read what comes, and stop at the limit rather than after it."""
        announced = response.headers.get("content-length", "")
        content = bytearray()
        if announced.isdecimal() and int(announced) > self._max_bytes:
            raise self._too_large(url)
        for part in response.iter_bytes():
            content += part
            if len(content) > self._max_bytes:
                raise self._too_large(url)
            _left(deadline, url)
        return bytes(content)

    def _too_large(self, url: str) -> SourceTooLargeError:
        limit = self._max_bytes / 1024 / 1024
        return SourceTooLargeError(
            f"What '{_host(url)}' sends is larger than {limit:g} MiB.", hint="Save it as a file."
        )


def is_public(address: str) -> bool:
    """Tell whether an IP address belongs to the public internet; what cannot be read does not."""
    try:
        ip: IpAddress = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _wrapped(ip)
    return ip.is_global and not ip.is_multicast and (inner is None or (inner.is_global and not inner.is_multicast))


def _wrapped(ip: IpAddress) -> IpAddress | None:
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip in _SIX_TO_FOUR:
        return ip.sixtofour
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None


def _pinned(client: httpx.Client, url: str, address: str) -> httpx.Request:
    """A request to the checked IP address that still names the host, in its header and in the TLS handshake."""
    import httpx

    target = httpx.URL(url)
    return client.build_request(
        "GET",
        target.copy_with(host=address.partition("%")[0], fragment=None),
        headers={"Host": target.netloc.decode("ascii"), "User-Agent": USER_AGENT, "Accept": "*/*"},
        extensions={"sni_hostname": target.raw_host.decode("ascii")},
    )


def _left(deadline: float, url: str) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise _timed_out(url)
    return left


def _timed_out(url: str) -> SourceTimedOutError:
    return SourceTimedOutError(f"'{_host(url)}' did not answer in time.", hint="Try again later.")


def _host(url: str) -> str:
    """The host for messages and the ledger: never the rest of an address, which may hold a secret."""
    try:
        return urlsplit(url).hostname or "(no host)"
    except ValueError:
        return "(no host)"
