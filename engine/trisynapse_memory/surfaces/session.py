"""A vault's path in, its verbs out, whoever owns it. No verb is implemented here."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from trisynapse_memory.client import EngineClient, attach
from trisynapse_memory.config import Config
from trisynapse_memory.errors import ServiceGoneError, VaultHeldError
from trisynapse_memory.types import Namespace, Progress, SourceInput
from trisynapse_memory.vault import default_vault_path

Notify = Callable[[Progress], None]


class Session:
    """The verbs of one vault for the length of one command; use it in a ``with`` block.

    With an owner it attaches to that; with none it opens the vault itself and serves the socket meanwhile, so that a
    second command attaches to this one.
    """

    def __init__(self, options: argparse.Namespace, *, create: bool = False) -> None:
        self.path = vault_path(options)
        self.offline: bool = options.offline
        self.namespace = Namespace(
            user_id=options.user_id,
            agent_id=options.agent_id,
            project_id=options.project_id,
            session_id=options.session_id,
        )
        self._client: EngineClient | None = None
        self._connect(create)

    def _connect(self, create: bool) -> None:
        timeout_s = Config().attach_timeout_s
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                self._client = None if create else attach(self.path, timeout_s)
                if self._client is None:
                    self._open(create)
                else:
                    self._client.call("ping")  # an owner that is leaving shakes hands, and then hangs up
                return
            except (VaultHeldError, ServiceGoneError):  # another command came first, or its owner is just leaving
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _open(self, create: bool) -> None:
        # The engine loads SQLite, numpy and the indexes; a command that attaches needs none of them.
        from trisynapse_memory.memory_engine import MemoryEngine
        from trisynapse_memory.providers.offline import NetworkGuard
        from trisynapse_memory.service import Service

        self._engine = MemoryEngine.open(self.path, namespace=self.namespace, create=create, offline=self.offline)
        self._guard = NetworkGuard()
        self._engine.privacy.follow_offline(self._guard.set)
        self._service = Service(self._engine)

    def call(self, verb: str, *inputs: SourceInput, progress: Notify | None = None, **args: Any) -> Any:
        """Run a verb of the façade; doors are dotted, as in ``sources.list``."""
        if self._client is None:
            if progress is not None:
                args["progress"] = progress
            return attrgetter(verb)(self._engine)(*inputs, **args)
        if inputs:
            args["inputs"] = inputs
        return self._client.call(verb, progress=progress, offline=self.offline, namespace=self.namespace, **args)

    @property
    def vault_id(self) -> str:
        """The id of the vault."""
        return str(self._client.call("ping")) if self._client is not None else self._engine.vault_id

    def __enter__(self) -> Session:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up, or close the vault once the commands that attached to this one are done."""
        if self._client is not None:
            self._client.close()
            return
        self._service.close_when_alone()
        self._engine.close()
        self._guard.set(False)  # whoever runs several commands in one process has other vaults


def vault_path(options: argparse.Namespace) -> Path:
    """Return the vault that the options, the environment or the platform name."""
    return Path(options.path) if options.path else default_vault_path()
