"""What the window looked like in, the same window at the next start out; kept in one JSON file, never in the vault."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec
from platformdirs import user_config_path, user_documents_path

RECENT_COUNT = 8  # vaults on the start page; more would push the drop target off a small screen
CONFIG_VARIABLE = "TRISYNAPSE_CONFIG_DIR"  # for tests and portable installs


class WindowState(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Everything restored at the next start. Unknown keys in the file are ignored, missing ones take these defaults."""

    geometry: str = ""
    maximised: bool = False
    appearance: str = "system"
    sidebar_visible: bool = True
    sidebar_pane: str = "chat"
    sidebar_width: int = 360
    last_vault: str = ""
    recent_vaults: list[str] = []
    open_source_ids: list[str] = []
    open_titles: list[str] = []
    current_place: str = "sources"
    thread_id: str = ""
    used_action_ids: list[str] = []
    values: dict[str, str] = {}


def config_folder() -> Path:
    """Return the folder of the session file: the platform's own, or the one the environment names."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    return Path(chosen) if chosen else user_config_path("trisynapse", appauthor=False)


def default_vault_folder() -> Path:
    """Return where a first vault is offered: a folder she can see, beside her documents."""
    return user_documents_path() / "Trisynapse"


class Session:
    """Remembers the window between two starts.

    Args:
        path: the JSON file. A file that cannot be read counts as a first start: a broken session must never keep the
            window shut.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.state = self._read()

    def save(self) -> None:
        """Write the state. A full or read-only disk costs the window's layout, nothing else."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(".new")
            fresh.write_bytes(msgspec.json.format(msgspec.json.encode(self.state), indent=2))
            fresh.replace(self._path)

    def remember_vault(self, vault: Path) -> None:
        """Put a vault on top of the recent ones."""
        name = str(vault)
        self.state.last_vault = name
        self.state.recent_vaults = [name, *(old for old in self.state.recent_vaults if old != name)][:RECENT_COUNT]
        self.save()

    def recent_vaults(self) -> tuple[Path, ...]:
        """Return the vaults opened before that are still there, newest first."""
        return tuple(Path(name) for name in self.state.recent_vaults if Path(name, "vault.toml").is_file())

    def _read(self) -> WindowState:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=WindowState)
        except (OSError, msgspec.DecodeError):
            return WindowState()
