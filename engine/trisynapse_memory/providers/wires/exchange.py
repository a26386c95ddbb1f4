"""A call in, a service's answer out, through the door: signed with her key, tried again where that helps."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct

from trisynapse_memory.contracts import Door, FindKey, Incoming, Outgoing
from trisynapse_memory.errors import (
    BadReplyError,
    KeyNeededError,
    ProviderAuthError,
    ProviderCutError,
    ProviderError,
    ProviderTimedOutError,
    ProviderTooLargeError,
    ProviderUnreachableError,
)
from trisynapse_memory.providers.services import is_typed
from trisynapse_memory.providers.wires.faults import MAX_FAULT_BYTES, Asked, Fault, error_for, read_fault
from trisynapse_memory.providers.wires.retries import PASSING, pause_before
from trisynapse_memory.types import ModelService, SourceId

REMOTE_SILENCE_S: Final = 120.0  # engine.md A17 has 60; models that think first are silent for longer
LOCAL_SILENCE_S: Final = 300.0  # a server of hers may have to load the model from disk first
MAX_BODY_BYTES: Final = 64 * 1024 * 1024
MAX_CHANGES: Final = 8
"""How often one request is changed to what a model accepts; each change drops something, so few are possible."""

_BROKEN: Final = (ProviderCutError, ProviderTimedOutError, ProviderTooLargeError, ProviderUnreachableError)
REFUSED_STATUSES: Final = frozenset({400, 422})


class Call(Struct, frozen=True, kw_only=True):
    """What is asked of a service: the path after its address, and the body as JSON; no body: a list is asked for."""

    path: str
    purpose: str
    body: dict[str, Any] | None = None
    model: str = ""
    source_ids: tuple[SourceId, ...] = ()


class Reader(Protocol):
    """Takes one answer."""

    @property
    def may_repeat(self) -> bool:
        """Whether nothing of the answer has been handed on yet, so that the call may be made again."""
        ...

    def read(self, incoming: Incoming) -> Fault | None:
        """Take the answer in; return what is wrong where the service says so in the middle of it.

        Raises:
            ProviderError: it was cut, or makes no sense.
        """
        ...

    def change(self, call: Call, fault: Fault) -> Call | None:
        """Return a call that this model may accept instead, or None where none is left."""
        ...


class Exchange:
    """Asks one service.

    Args:
        service: who is asked.
        door: the way out.
        find_key: finds her key; asked for each call, so that a new key works at once.
        key_header: the header that carries the key, and the words before it.
        headers: what every call of this kind of service carries besides.
    """

    def __init__(
        self,
        service: ModelService,
        door: Door,
        find_key: FindKey,
        key_header: tuple[str, str],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.service = service
        self._door = door
        self._find_key = find_key
        self._key_header = key_header
        self._headers = dict(headers or {})

    def ask(self, call: Call, reader: Reader, stop: Event | None = None) -> bool:
        """Make one call, again where that may help, until the reader has its answer.

        Returns:
            True when the answer was read; False when ``stop`` was set before it was whole.

        Raises:
            KeyNeededError: the service needs a key, and there is none.
            ProviderError: the service refused or failed, or did not answer to the end.
        """
        stop = stop or Event()
        tries, changes = 1, 0
        while not stop.is_set():
            fault, error = self._once(call, reader, stop)
            if error is None:
                return not stop.is_set()
            if stop.is_set():
                break
            if not reader.may_repeat:
                raise error
            if fault is not None and fault.status in REFUSED_STATUSES and changes < MAX_CHANGES:
                changed = reader.change(call, fault)
                if changed is not None:
                    call, changes = changed, changes + 1
                    continue
            pause_s = pause_before(tries, fault.pause_s if fault else None) if _may_pass(error, fault) else None
            if pause_s is None:
                raise error
            stop.wait(pause_s)
            tries += 1
        return False

    def get(self, path: str, purpose: str) -> bytes:
        """Ask for a list.

        Raises:
            ProviderError: as ``ask``.
        """
        reader = WholeBody()
        self.ask(Call(path=path, purpose=purpose), reader)
        return reader.body

    def _once(self, call: Call, reader: Reader, stop: Event) -> tuple[Fault | None, ProviderError | None]:
        """Make the call once; return what went wrong, if anything."""
        request, has_key = self._outgoing(call)
        asked = Asked(self.service, call.model, has_key)
        try:
            with self._door.send(request, stop) as incoming:
                if 200 <= incoming.status < 300:
                    fault = reader.read(incoming)
                else:
                    fault = read_fault(incoming.status, incoming.headers, _start_of(incoming))
        except ProviderError as error:
            # The door reports a connection that was closed because of ``stop`` as it likes; the caller knows why.
            if stop.is_set() or not isinstance(error, _BROKEN):
                return None, error
            # The door knows the host only.
            problem = f"{self.service.label} gave no whole answer{asked.of_model}: {error.problem}"
            return None, type(error)(problem, error.hint)
        return fault, None if fault is None else error_for(fault, asked)

    def _outgoing(self, call: Call) -> tuple[Outgoing, bool]:
        key = self._find_key(self.service.name)
        if not key and self.service.needs_key:
            raise KeyNeededError(
                f"There is no key for {self.service.label}.",
                hint=f"Set one under Models, or: keys set {self.service.name}.",
            )
        headers = dict(self._headers)
        if key:
            name, before = self._key_header
            headers[name] = before + self._checked(key)
        if call.body is not None:
            headers["content-type"] = "application/json"
        request = Outgoing(
            url=self.service.base_url.rstrip("/") + call.path,
            purpose=call.purpose,
            service=self.service.name,
            method="GET" if call.body is None else "POST",
            headers=headers,
            body=b"" if call.body is None else msgspec.json.encode(call.body),
            source_ids=call.source_ids,
            timeout_s=REMOTE_SILENCE_S if self.service.is_remote else LOCAL_SILENCE_S,
            is_typed_address=is_typed(self.service),
        )
        return request, bool(key)

    def _checked(self, key: str) -> str:
        # Before the HTTP library sees it: its own complaint would quote the key.
        if key.isascii() and key.isprintable():
            return key
        raise ProviderAuthError(
            f"The key for {self.service.label} holds letters that no key has.",
            hint=f"Copy it again: keys set {self.service.name}.",
        )


class WholeBody:
    """A reader that keeps the whole body and changes nothing."""

    may_repeat = True

    def __init__(self) -> None:
        self.body = b""

    def read(self, incoming: Incoming) -> Fault | None:
        """Keep the body."""
        self.body = incoming.read(MAX_BODY_BYTES)
        return None

    def change(self, call: Call, fault: Fault) -> Call | None:
        """Leave a call as it is."""
        return None


def bad_reply(service: ModelService, model: str = "") -> BadReplyError:
    """Return the error for an answer that makes no sense; what it held is not repeated."""
    asked = Asked(service, model)
    return BadReplyError(
        f"What {service.label} sent{asked.of_model} is no answer of its kind.",
        hint="Check the address of the service, or choose another model.",
    )


def _start_of(incoming: Incoming) -> bytes:
    """Read as much of an error's body as is looked at; one that breaks off still has its status."""
    body = bytearray()
    try:
        for part in incoming.parts():
            body += part
            if len(body) > MAX_FAULT_BYTES:
                break
    except ProviderError:
        pass
    return bytes(body)


def _may_pass(error: ProviderError, fault: Fault | None) -> bool:
    """Tell whether the same call may succeed later; an empty account stays empty."""
    if fault is None:
        return isinstance(error, ProviderCutError)
    return fault.status in PASSING and not fault.is_credit_spent
