"""A request in, the answer of a server out: the one way out of this machine. Nothing else opens a connection.

The door checks what a person cannot see in an address: that it is a web address without a password in it, that every IP
address behind its name is one that it may lead to, and the same again at every redirect of a page. It connects to the
very IP address it has checked, so a name that changes its meaning in between gains nothing. It counts every byte, and
writes each request into the ledger before it goes out. Proxies of the environment are ignored: they would see it all.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

import msgspec

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import (
    SourceError,
    SourceTooLargeError,
)
from trisynapse_memory.providers.ledger import UNFINISHED, Ledger
from trisynapse_memory.providers.network.addresses import (
    AllowList,
    Target,
    check_page,
    check_service,
    host_of,
    service_target_of,
    target_of,
)
from trisynapse_memory.providers.network.connection import (
    Dialer,
    Resolve,
    Watch,
    look_up,
    resolve_host,
)
from trisynapse_memory.providers.network.incoming import Answer, Outcome, at_most, small_headers, told
from trisynapse_memory.providers.network.refusals import page_error, service_error
from trisynapse_memory.providers.offline import is_request_offline
from trisynapse_memory.types import EgressRow

if TYPE_CHECKING:
    import httpcore
    import httpx

REDIRECT_MAX_COUNT: Final = 5  # engine.md A5
TIMEOUT_S: Final = 30.0  # engine.md A5, for a whole page with all redirects
MAX_BYTES: Final = 25 * 1024 * 1024  # engine.md A5, of a page, after decompression
LEDGER_ROWS: Final = 1000  # kept in memory; the file has all
USER_AGENT: Final = "TrisynapseDesktop/0.1 (research reader; one page at a person's request)"
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_AS_GET: Final = frozenset({301, 302, 303})  # what browsers turn a POST into a GET at
_FOR_ONE_HOST: Final = frozenset({"authorization", "cookie", "origin"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered in the end: ``url`` is the address after all redirects, header names are small."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How long a page with all its redirects may take, and how large it may be once it is unpacked."""

    timeout_s: float = TIMEOUT_S
    max_bytes: int = MAX_BYTES


_Check = Callable[[tuple[str, ...]], None]


class Egress:
    """The door; it fulfils ``contracts.Door`` for model services and gets pages for the fetcher.

    Args:
        offline: nothing passes while it is on.
        allowed: private addresses or networks that are let through all the same. The product names none: no setting
            opens the door to a private network for what is fetched. Tests name loopback.
        limits: of pages; model services state their own.
        ledger: where every request is kept; None keeps the latest in memory only.
        record: told of every request as it ends, from whatever thread.
        resolve: looks up a host; another one in tests.
        trust: whose certificates are believed; the public authorities by default.
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        allowed: Iterable[str] = (),
        limits: PageLimits = PageLimits(),
        ledger: Ledger | None = None,
        record: Callable[[EgressRow], None] | None = None,
        resolve: Resolve = resolve_host,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._offline = offline
        self._followers: list[Callable[[bool], object]] = []
        self._allowed = AllowList(allowed)
        self._limits = limits
        self._ledger = ledger
        self._record = record
        self._resolve = resolve
        self._given_trust = trust
        self._rows: deque[EgressRow] = deque(maxlen=LEDGER_ROWS)

    @property
    def offline(self) -> bool:
        """Whether nothing passes. It can be set at any time, and ends what is under way."""
        return self._offline

    @offline.setter
    def offline(self, on: bool) -> None:
        self._offline = on
        for follower in self._followers:
            follower(on)

    def follow(self, switch: Callable[[bool], object]) -> None:
        """Turn another switch with this one, such as ``NetworkGuard.set``: now, and whenever this one is turned."""
        self._followers.append(switch)
        switch(self._offline)

    def ledger(self) -> tuple[EgressRow, ...]:
        """Return the latest requests since this door was made, oldest first."""
        return tuple(self._rows)

    def get(
        self,
        url: str,
        purpose: str,
        headers: Mapping[str, str] = NO_HEADERS,
        stop: threading.Event | None = None,
        before: Callable[[str], object] | None = None,
    ) -> Reply:
        """Fetch one page and follow its redirects.

        Args:
            url: an http or https address.
            purpose: why, in a few words, for the ledger.
            headers: more than the usual ones, such as ``Accept``.
            stop: once set, what is waited for ends within 200 ms.
            before: told each address, those of redirects too, before it is asked; what it raises ends the exchange.

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
        return self.ask(Outgoing(url=url, purpose=purpose, method="GET", headers=headers), stop, before)

    def ask(
        self,
        request: Outgoing,
        stop: threading.Event | None = None,
        before: Callable[[str], object] | None = None,
    ) -> Reply:
        """Fetch what lies behind a request of any method; like ``get`` in everything else."""
        deadline = time.monotonic() + self._limits.timeout_s
        for _ in range(REDIRECT_MAX_COUNT + 1):
            if before is not None:
                begun = time.monotonic()
                before(request.url)
                deadline += time.monotonic() - begun  # a wait out of politeness is not the server's
            reply = self._page(request, deadline, stop)
            target = reply.headers.get("location", "")
            if reply.status not in _REDIRECTS or not target:
                return reply
            request = _redirected(request, target, reply.status)
        raise SourceError(
            f"'{host_of(request.url)}' redirects more than {REDIRECT_MAX_COUNT} times.", hint="Open it in a browser."
        )

    @contextmanager
    def send(self, request: Outgoing, stop: threading.Event | None = None) -> Generator[Answer]:
        """Send one request to a model service or a model store, and hand over its answer while it comes.

        Leaving the context ends the exchange. A redirect is an answer like any other: a key would travel on with it.

        Args:
            request: what is sent where, and why. Header names may be written as one likes; ``Accept-Encoding`` is ours
                unless it is given.
            stop: once set, what is waited for ends within 200 ms.

        Raises:
            OfflineError: offline is on.
            ProviderAddressError: no web address, in clear to the internet, or to a private network she did not name.
            ProviderUnreachableError: no such host, no connection, or a certificate that is not to be trusted.
            ProviderTimedOutError: silence for longer than ``timeout_s``.
            ProviderCutError: the connection broke before the answer began.
            ProviderStoppedError: ``stop`` was set before the answer began.
        """
        watch = Watch(silence_s=request.timeout_s, is_offline=self._is_offline, stop=stop)
        with self._noted(request, watch) as outcome, ExitStack() as ending:
            in_words = partial(told, service_error, host_of(request.url), outcome)
            with in_words():
                target = service_target_of(request.url)
                is_typed = request.is_typed_address
                check = partial(check_service, target, is_typed=is_typed, allowed=self._allowed)
                response = self._begin(request, target, check, watch, ending)
            outcome.status, outcome.fault = response.status_code, ""
            yield Answer(response, host_of(request.url), in_words)

    def _page(self, request: Outgoing, deadline: float, stop: threading.Event | None) -> Reply:
        """One request for one page, without what it redirects to."""
        url = request.url
        watch = Watch(silence_s=self._limits.timeout_s, is_offline=self._is_offline, deadline=deadline, stop=stop)
        with (
            self._noted(request, watch) as outcome,
            ExitStack() as ending,
            told(page_error, host_of(url), outcome),
        ):
            target = target_of(url)
            check = partial(check_page, target, allowed=self._allowed)
            response = self._begin(request, target, check, watch, ending)
            outcome.status = response.status_code
            content = self._content(response, url)
            outcome.fault = ""
        return Reply(url, response.status_code, small_headers(response), content)

    def _content(self, response: httpx.Response, url: str) -> bytes:
        content = at_most(response, self._limits.max_bytes)
        if content is None:
            limit = self._limits.max_bytes / 1024 / 1024
            raise SourceTooLargeError(
                f"What '{host_of(url)}' sends is larger than {limit:g} MiB.", hint="Save it as a file."
            )
        return content

    def _begin(
        self, request: Outgoing, target: Target, check: _Check, watch: Watch, ending: ExitStack
    ) -> httpx.Response:
        """Look up, check, connect, send, and return the beginning of the answer; ``ending`` closes the connection."""
        # 0.1 s that only a request pays.
        import httpcore
        import httpx

        watch.check()
        addresses = look_up(self._resolve, target.host, target.port, watch)
        check(addresses)
        message = _message(request)
        connection = httpcore.HTTPConnection(
            message.url.origin,
            # httpcore types its network layer by its own classes, of which ours has the shape.
            network_backend=Dialer(addresses, watch),  # pyright: ignore[reportArgumentType]
            ssl_context=self._trust if target.scheme == "https" else None,
        )
        ending.callback(connection.close)
        answer = connection.handle_request(message)
        # httpx undoes the compression; nothing but the answer is given to it, so that it logs no address.
        return httpx.Response(answer.status, headers=answer.headers, content=answer.iter_stream())

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        import httpx

        return self._given_trust or httpx.create_ssl_context(trust_env=False)

    def _is_offline(self) -> bool:
        return self._offline or is_request_offline()

    @contextmanager
    def _noted(self, request: Outgoing, watch: Watch) -> Generator[Outcome]:
        """Write a request into the ledger before it goes out, once it has gone out, and when it has ended."""
        outcome = Outcome()
        row = EgressRow(
            at=datetime.now(UTC),
            host=host_of(request.url),
            purpose=request.purpose,
            service=request.service,
            source_ids=request.source_ids,
            failed=UNFINISHED,
        )
        # What cannot be written down is not sent.
        number = 0 if self._ledger is None else self._ledger.begin(row)
        watch.on_sent = lambda: self._keep(number, _as_it_stands(row, watch, outcome))
        try:
            yield outcome
        finally:
            row = _as_it_stands(row, watch, outcome)
            self._rows.append(row)
            self._keep(number, row)
            if self._record is not None:
                self._record(row)

    def _keep(self, number: int, row: EgressRow) -> None:
        if self._ledger is not None:
            self._ledger.update(number, row)


def _redirected(request: Outgoing, target: str, status: int) -> Outgoing:
    """The request that a redirect asks for; what was meant for one host does not travel to another."""
    url = urljoin(request.url, target)
    headers = dict(request.headers)
    if host_of(url) != host_of(request.url):
        headers = {name: value for name, value in headers.items() if name.lower() not in _FOR_ONE_HOST}
    if request.method == "POST" and status in _AS_GET:
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
        return msgspec.structs.replace(request, url=url, headers=headers, method="GET", body=b"")
    return msgspec.structs.replace(request, url=url, headers=headers)


def _message(request: Outgoing) -> httpcore.Request:
    """The request as httpcore wants it; the connection serves this one alone."""
    import httpcore
    import httpx

    url = httpx.URL(request.url)
    given = {name.lower(): value for name, value in request.headers.items()}
    headers = {
        "host": url.netloc.decode("ascii"),
        "user-agent": USER_AGENT,
        "accept": "*/*",
        "accept-encoding": "gzip, deflate",
        "connection": "close",
        **({"content-length": str(len(request.body))} if request.body or request.method == "POST" else {}),
    } | given
    return httpcore.Request(
        request.method,
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()],
        content=request.body,
    )


def _as_it_stands(row: EgressRow, watch: Watch, outcome: Outcome) -> EgressRow:
    """The row of a request: refused where an error came before the first byte went out, failed where later."""
    is_refused = watch.sent_bytes == 0 and outcome.fault != UNFINISHED
    return msgspec.structs.replace(
        row,
        status=outcome.status,
        sent_bytes=watch.sent_bytes,
        received_bytes=watch.received_bytes,
        refused=outcome.fault if is_refused else "",
        failed="" if is_refused else outcome.fault,
    )
