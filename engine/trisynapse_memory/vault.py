"""A folder in, an owned vault out: paths, owner lock, format version, migration. No record is read or written here."""

from __future__ import annotations

import json
import os
import time
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from uuid import uuid4

import platformdirs
from filelock import FileLock, Timeout

from trisynapse_memory.errors import (
    InvalidInputError,
    VaultDamagedError,
    VaultError,
    VaultExistsError,
    VaultFormatError,
    VaultHeldError,
    VaultMissingError,
)

FORMAT_VERSION = 2
"""1: first version. 2: contents of the log may be compressed, facts and corrections have derived tables.

Bump together with a row in ``MIGRATIONS`` and a saved vault in ``tests/golden/vaults``.
"""

Migration = Callable[[Path], None]


def _keep_files(_: Path) -> None:
    """1 to 2: contents of version 1 are read as they are, and the log folds its derived tables when it is opened."""


MIGRATIONS: Mapping[int, Migration] = MappingProxyType({1: _keep_files})
"""From version n to n + 1; each runs on a closed vault and is tested on a saved vault of version n."""

FOLDERS = ("blobs", "notes", "boards", "wiki")
CONFLICT_MARKS = ("conflicted copy", "sync-conflict", "(conflict", "conflict)")


class Owner(NamedTuple):
    """Who owns a vault, as ``.lock`` says: process, socket address and the token that opens it."""

    pid: int
    address: str
    token: str


class Vault:
    """An open vault folder that this process owns.

    Use ``Vault.create`` or ``Vault.open``; close it to let another process in. The operating system releases the lock
    when the owner dies, so a dead owner never blocks anyone.
    """

    def __init__(self, root: Path, vault_id: str, lock: FileLock) -> None:
        self.root = root
        self.vault_id = vault_id
        self._lock = lock

    @classmethod
    def create(cls, path: Path | str) -> Vault:
        """Make a vault in a new or empty folder, and own it.

        Raises:
            VaultExistsError: there is a vault already, or the folder holds other files.
            VaultError: the folder cannot be made or written.
        """
        root = Path(path).expanduser().absolute()
        if (root / "vault.toml").exists():
            raise VaultExistsError(f"There is a vault in '{root}' already.", hint="Open it instead.")
        if root.is_dir() and any(root.iterdir()):
            raise VaultExistsError(f"'{root}' is not empty.", hint="Choose a new or empty folder for the vault.")
        try:
            for name in ("", *FOLDERS):
                (root / name).mkdir(parents=True, exist_ok=True)
            root.chmod(0o700)
            _write_atomically(root / "vault.toml", _manifest(uuid4().hex))
        except OSError as error:
            raise VaultError(
                f"No vault can be made in '{root}' ({error.strerror}).", hint="Choose a folder you can write to."
            ) from error
        return cls.open(root)

    @classmethod
    def open(cls, path: Path | str) -> Vault:
        """Own an existing vault.

        Raises:
            VaultMissingError: no vault is there.
            VaultDamagedError: ``vault.toml`` cannot be read.
            VaultFormatError: a newer program wrote it.
            VaultHeldError: another process owns it; attach to that one instead (``owner_of``).
        """
        root = Path(path).expanduser().absolute()
        version, vault_id = read_manifest(root)
        lock = _own(root)
        try:
            (root / ".lock").unlink(missing_ok=True)  # what a dead owner said must not mislead who asks meanwhile
            _migrate(root, version)
        except BaseException:
            lock.release()
            raise
        return cls(root, vault_id, lock)

    def publish(self, owner: Owner) -> None:
        """Write into ``.lock`` how this owner can be reached."""
        text = json.dumps({**owner._asdict(), "written_at": datetime.now(UTC).isoformat()})
        _write_atomically(self.root / ".lock", text)

    def close(self) -> None:
        """Give the vault up; safe to call twice."""
        if self._lock.is_locked:
            (self.root / ".lock").unlink(missing_ok=True)
            self._lock.release()

    @property
    def log_path(self) -> Path:
        """The memory log."""
        return self.root / "log.db"

    @property
    def index_path(self) -> Path:
        """The disposable indexes."""
        return self.root / "index.db"

    @property
    def runs_path(self) -> Path:
        """The history of runs and jobs."""
        return self.root / "runs.db"

    @property
    def blobs_path(self) -> Path:
        """The stored originals."""
        return self.root / "blobs"

    def conflicts(self) -> tuple[str, ...]:
        """Return the names of files that a sync program left when two machines wrote at once."""
        names = (path.name for path in self.root.iterdir())
        return tuple(sorted(name for name in names if any(mark in name.lower() for mark in CONFLICT_MARKS)))


def owner_of(path: Path | str) -> Owner | None:
    """Return the living owner of a vault, or None when nobody owns it (whatever an old ``.lock`` says)."""
    root = Path(path).expanduser().absolute()
    try:
        lock = _own(root)
    except VaultHeldError:
        return _read_owner(root)
    lock.release()
    return None


def wait_for_owner(path: Path | str, timeout_s: float) -> Owner | None:
    """Return the owner once it has said how to reach it; None when the vault came free.

    Raises:
        VaultHeldError: it is owned, and the owner said nothing in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            _own(Path(path).expanduser().absolute()).release()
            return None
        except VaultHeldError:
            found = _read_owner(Path(path).expanduser().absolute())
            if found is not None:
                return found
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def read_manifest(root: Path) -> tuple[int, str]:
    """Return (format version, vault id) of the vault in a folder."""
    manifest = root / "vault.toml"
    try:
        values = tomllib.loads(manifest.read_text(encoding="utf-8"))
        version, vault_id = int(values["format_version"]), str(values["vault_id"])
    except FileNotFoundError as error:
        raise VaultMissingError(
            f"There is no vault in '{root}'.", hint="Make one with `init`, or give --path."
        ) from error
    except PermissionError as error:
        raise VaultError(f"'{manifest}' cannot be read: permission denied.", hint="Change its permissions.") from error
    except (tomllib.TOMLDecodeError, KeyError, ValueError) as error:
        raise VaultDamagedError(
            f"'{manifest}' is damaged ({error}).", hint="Restore it from a backup; it holds two lines."
        ) from error
    if version > FORMAT_VERSION:
        raise VaultFormatError(
            f"The vault in '{root}' has format {version}; this program reads up to {FORMAT_VERSION}.",
            hint="Update the program.",
        )
    return version, vault_id


def device_id() -> str:
    """Return the id of this machine and account, made once and kept outside every vault.

    Records carry it, so that the logs of two machines can be merged one day. ``TRISYNAPSE_DEVICE_ID`` overrides it.
    """
    chosen = os.environ.get("TRISYNAPSE_DEVICE_ID")
    if chosen:
        return chosen
    path = Path(platformdirs.user_data_dir("trisynapse", appauthor=False)) / "device-id"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, f"dev_{uuid4().hex[:16]}")
        return path.read_text(encoding="utf-8").strip()


def default_vault_path() -> Path:
    """Return where the vault lies when nothing else is said."""
    chosen = os.environ.get("TRISYNAPSE_VAULT")
    if chosen:
        return Path(chosen)
    return Path(platformdirs.user_data_dir("trisynapse", appauthor=False)) / "default.vault"


def same_name(left: str, right: str) -> bool:
    """Tell whether two file names are the same to a person: "Relevé" composed and decomposed are one name."""
    return unicodedata.normalize("NFC", left) == unicodedata.normalize("NFC", right)


def _own(root: Path) -> FileLock:
    if not root.is_dir():
        raise VaultMissingError(f"There is no vault in '{root}'.", hint="Make one with `init`, or give --path.")
    # A lock of the operating system, not a file that stands for one: it goes with its process, however that ends.
    lock = FileLock(root / ".lock.held", mode=0o600, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise VaultHeldError(
            f"Another process has the vault in '{root}' open.", hint="Attach to it, or close it."
        ) from error
    except OSError as error:
        raise VaultError(
            f"The vault in '{root}' cannot be locked ({error.strerror}).", hint="Can you write to that folder?"
        ) from error
    return lock


def _read_owner(root: Path) -> Owner | None:
    try:
        values = json.loads((root / ".lock").read_text(encoding="utf-8"))
        return Owner(int(values["pid"]), str(values["address"]), str(values["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # the owner has not written it yet


def _migrate(root: Path, version: int) -> None:
    for step in range(version, FORMAT_VERSION):
        if step not in MIGRATIONS:
            raise InvalidInputError(f"There is no way from vault format {step} to {step + 1}.", hint="Report this.")
        MIGRATIONS[step](root)
        _write_atomically(root / "vault.toml", _manifest(read_manifest(root)[1], step + 1))


def _manifest(vault_id: str, version: int = FORMAT_VERSION) -> str:
    return f'format_version = {version}\nvault_id = "{vault_id}"\n'


def _write_atomically(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}.{uuid4().hex[:8]}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o600)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
