"""A door that opens on nothing: it keeps what is sent and answers from a list."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.providers.services import service_named
from trisynapse_memory.types import ModelService

STREAM = {"content-type": "text/event-stream"}


@dataclass
class Canned:
    """One answer; ``fault`` is raised after its parts."""

    content: tuple[bytes, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: ProviderError | None = None

    def parts(self) -> Iterator[bytes]:
        yield from self.content
        if self.fault is not None:
            raise self.fault

    def read(self, max_bytes: int) -> bytes:
        return b"".join(self.parts())


def said(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Canned:
    """An answer of JSON in one."""
    return Canned((json.dumps(value).encode(),), status, headers or {})


def streamed(*events: Any) -> Canned:
    """A stream of JSON events; a text is sent as it is."""
    lines = (one if isinstance(one, str) else json.dumps(one) for one in events)
    return Canned(tuple(f"data: {line}\n\n".encode() for line in lines), 200, STREAM)


class CannedDoor:
    """Gives its answers in order; the last one again and again."""

    def __init__(self, *answers: Canned) -> None:
        self.answers = list(answers)
        self.sent: list[Outgoing] = []

    @contextmanager
    def send(self, request: Outgoing, stop: Event | None = None) -> Generator[Canned]:
        self.sent.append(request)
        yield self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def body(self, index: int = -1) -> Any:
        """What was sent, decoded."""
        return json.loads(self.sent[index].body)


def key_of(name: str) -> str:
    """A key for every service."""
    return f"key-of-{name}"


def table_service(name: str) -> ModelService:
    """A service of the table, at its vendor's address."""
    return service_named(name)
