"""A vault's path in, the engine's verbs out, spoken to its owner over the private socket. No work is done here."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any

import msgspec

from trisynapse_memory import wire
from trisynapse_memory.errors import ServiceError, ServiceGoneError, UnknownVerbError, VaultHeldError
from trisynapse_memory.types import Fault, Namespace, Notice
from trisynapse_memory.vault import Owner, wait_for_owner


class EngineClient:
    """A connection to the process that owns a vault. One thread uses it at a time.

    Blocking use is ``call``. An event loop uses ``start``, watches ``fileno``, and ``receive``s when it is readable.
    """

    def __init__(self, owner: Owner) -> None:
        try:
            self._connection: Connection[Any, Any] = Client(owner.address, authkey=owner.token.encode())
        except (OSError, AuthenticationError, EOFError) as error:
            raise VaultHeldError(
                f"The process that owns the vault (pid {owner.pid}) does not answer.",
                hint="Wait for it to end, or stop it.",
            ) from error
        self._numbers = itertools.count(1)

    def call(
        self,
        verb: str,
        *,
        progress: Callable[[Any], None] | None = None,
        offline: bool = False,
        namespace: Namespace | None = None,
        **args: Any,
    ) -> Any:
        """Ask for a verb and wait for what it returns.

        Args:
            verb: what is asked for.
            progress: told each step while it works: an ``AnswerStep`` of a question, else a ``Progress``.
            offline: forbid the network for this request alone.
            namespace: whose memory it sees.
            args: the verb's arguments by name.

        Raises:
            TrisynapseError: whatever the engine raised, in its own class.
            ServiceGoneError: the engine process ended meanwhile.
        """
        number = self.start(verb, offline=offline, namespace=namespace, **args)
        while True:
            answer = self.receive()
            if answer.id != number:
                continue
            if answer.kind == "progress":
                if progress is not None:
                    progress(wire.read_step(verb, answer.body))
                continue
            return self.decode(verb, answer)

    def start(self, verb: str, *, offline: bool = False, namespace: Namespace | None = None, **args: Any) -> int:
        """Ask for a verb, and return the number its replies will carry."""
        if verb not in wire.VERBS:
            raise UnknownVerbError(f"There is no verb '{verb}'.", hint=f"Known: {', '.join(sorted(wire.VERBS))}.")
        number = next(self._numbers)
        body = wire.Call(id=number, verb=verb, args=msgspec.to_builtins(args), offline=offline, namespace=namespace)
        try:
            self._connection.send_bytes(wire.write(body))
        except OSError as error:
            raise _gone() from error
        return number

    def fileno(self) -> int:
        """Return the descriptor to watch for reading."""
        return self._connection.fileno()

    def readable(self) -> bool:
        """Tell whether a reply is waiting; True also when the other side is gone."""
        try:
            return self._connection.poll()
        except (OSError, EOFError):
            return True

    def receive(self) -> wire.Reply:
        """Wait for the next reply or notice.

        Raises:
            ServiceGoneError: the engine process ended.
        """
        try:
            return wire.read_reply(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise _gone() from error

    def decode(self, verb: str, answer: wire.Reply) -> Any:
        """Return the result a reply carries, or raise the error it carries."""
        if answer.kind == "error":
            raise wire.error_of(msgspec.json.decode(answer.body, type=Fault))
        if answer.kind == "notice":
            return msgspec.json.decode(answer.body, type=Notice)
        if answer.kind == "progress":
            return wire.read_step(verb, answer.body)
        if answer.kind != "result":
            raise ServiceError(
                f"The engine sent a reply of an unknown kind '{answer.kind}'.", hint="Update both sides."
            )
        return wire.read_result(verb, answer.body)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def attach(path: Path | str, timeout_s: float) -> EngineClient | None:
    """Connect to the owner of a vault; return None when nobody owns it.

    Raises:
        VaultMissingError: there is no such folder.
        VaultHeldError: it is owned, and the owner does not answer within ``timeout_s``.
    """
    owner = wait_for_owner(path, timeout_s)
    return None if owner is None else EngineClient(owner)


def _gone() -> ServiceGoneError:
    return ServiceGoneError("The engine process has ended.", hint="It is started again with the next command.")
