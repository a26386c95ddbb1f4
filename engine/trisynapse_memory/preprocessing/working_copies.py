"""A Git working copy in, where it stands (branch, commit, remote) and its list of files out; Git itself is not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a working copy stands; what is not known is empty. ``remote`` holds no name and no password."""

    branch: str = ""
    commit: str = ""
    remote: str = ""


def is_working_copy(folder: Path) -> bool:
    """Tell whether a folder is the top of a Git working copy."""
    try:
        return folder.is_dir() and (folder / ".git").exists()
    except OSError:
        return False


def standing_of(folder: Path) -> Standing:
    """Read where a working copy stands; a broken one stands nowhere."""
    # 0.1 s that only working copies pay.
    from dulwich import repo as library
    from dulwich.errors import NotGitRepository

    try:
        opened = cast("_Library", library).Repo(str(folder))
    except (NotGitRepository, OSError, ValueError, KeyError):
        return Standing()
    try:
        chain, commit = opened.refs.follow(b"HEAD")
        branch = chain[-1].decode("utf-8", "replace").removeprefix("refs/heads/") if len(chain) > 1 else ""
        return Standing(branch, (commit or b"").decode("ascii", "replace"), _remote(opened))
    except (OSError, ValueError, KeyError):
        return Standing()
    finally:
        opened.close()


def manifest_of(folder: Path, standing: Standing, paths: Sequence[str]) -> str:
    """Write what a working copy is and which of its files were taken in, one line each."""
    told = {"Branch": standing.branch, "Commit": standing.commit, "Remote": standing.remote}
    lines = [f"Git working copy {folder.name}", *(f"{name}: {value}" for name, value in told.items() if value)]
    return "\n".join((*lines, "", *paths, ""))


def without_credentials(address: str) -> str:
    """Return an address without the user name and password that it may hold."""
    parts = urlsplit(address)
    if not parts.scheme or "@" not in parts.netloc:
        return address
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _remote(opened: _Repo) -> str:
    try:
        address = opened.get_config().get((b"remote", b"origin"), b"url")
    except KeyError:
        return ""
    return without_credentials(address.decode("utf-8", "replace"))


class _Settings(Protocol):
    def get(self, section: tuple[bytes, bytes], name: bytes) -> bytes: ...


class _Refs(Protocol):
    def follow(self, name: bytes) -> tuple[list[bytes], bytes | None]: ...


class _Repo(Protocol):
    refs: _Refs

    def get_config(self) -> _Settings: ...

    def close(self) -> None: ...


class _Library(Protocol):
    def Repo(self, root: str) -> _Repo: ...  # noqa: N802 - dulwich's name
