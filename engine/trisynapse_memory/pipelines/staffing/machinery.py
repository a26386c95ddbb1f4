"""What belongs to the machine and not to a vault: model files, keys, and the ledger of what is asked for them.

For commands that run where no vault is; with an open vault its doors do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.models import as_bytes
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files.model_files import ModelFiles
from trisynapse_memory.providers.keys import KeyStore
from trisynapse_memory.providers.ledger import open_machine_ledger
from trisynapse_memory.providers.services import SERVICES, service_named
from trisynapse_memory.types import KeyState, LocalModel, Progress


class Machinery:
    """The verbs that need no vault, by the names they have at the front door.

    Args:
        config: the bounds of the ledger.
        offline: let nothing reach the network.
    """

    def __init__(self, config: Config, *, offline: bool = False) -> None:
        self._ledger, self._database = open_machine_ledger(config)
        self._files = ModelFiles(Egress(offline=offline, ledger=self._ledger))
        self._keys = KeyStore()
        self._keys.scrubber.guard_logs()
        self.verbs: dict[str, Callable[..., object]] = {
            "models.local": self._files.local,
            "models.download": self._download,
            "models.add_file": self._add_file,
            "models.remove_file": self._files.remove_file,
            "keys.state": self._keys.state,
            "keys.list": lambda: self._keys.list(service.name for service in SERVICES),
            "keys.set": self._set_key,
            "keys.remove": self._remove_key,
            "privacy.requests": self._ledger.rows,
        }

    def close(self) -> None:
        """Close the ledger."""
        self._database.close()

    def _download(self, name: str, progress: Callable[[Progress], None] | None = None) -> LocalModel:
        return self._files.download(name, as_bytes(name, progress))

    def _add_file(self, path: str) -> LocalModel:
        return self._files.add_file(Path(path))

    def _set_key(self, service: str, key: str, session_only: bool = False) -> KeyState:
        return self._keys.set(service_named(service).name, key, session_only)

    def _remove_key(self, service: str) -> KeyState:
        return self._keys.remove(service_named(service).name)
