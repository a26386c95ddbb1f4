"""Rendered files in, a folder kept current out: whole files only, and never over what somebody else wrote.

A small list of what was written (``.trisynapse-wiki.json``: path -> SHA-256) tells our files from hers. A file that is
not on it, or reads otherwise than it was written, is hers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final
from uuid import uuid4

import msgspec

from trisynapse_memory.errors import VaultError

LEDGER: Final = ".trisynapse-wiki.json"


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did, as paths inside the folder: written or the same already, hers and left, set aside."""

    ours: tuple[str, ...]
    untouched: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()


class PageFolder:
    """A folder of rendered pages.

    Args:
        root: the folder; made when something is written.
        keep_edits: set a file that she edited aside as ``<name>.edited<ending>`` and write ours anew. Without it her
            file stays where it is and ours is not written.
    """

    def __init__(self, root: Path, *, keep_edits: bool = False) -> None:
        self._root = root
        self._keep_edits = keep_edits

    def write(self, files: Mapping[str, str], *, prune: bool = False) -> Written:
        """Write files by their path inside the folder; with ``prune`` our other files, if nobody edited them, go.

        Raises:
            VaultError: the folder cannot be written.
        """
        try:
            return self._write(files, prune)
        except OSError as error:
            raise VaultError(
                f"The pages cannot be written into '{self._root.name}' ({error.strerror}).",
                hint="Choose a folder you can write to.",
            ) from error

    def _write(self, files: Mapping[str, str], prune: bool) -> Written:
        self._root.mkdir(parents=True, exist_ok=True)
        ledger = self._ledger()
        ours: list[str] = []
        untouched: list[str] = []
        set_aside: list[str] = []
        for name, text in sorted(files.items()):
            path, digest = self._root / PurePosixPath(name), _digest(text.encode())
            found = _digest(path.read_bytes()) if path.is_file() else ""
            if found and found not in (digest, ledger.get(name)):
                if not self._keep_edits:
                    untouched.append(name)
                    continue
                set_aside.append(self._set_aside(path))
            if found != digest:
                _write_whole(path, text)
            ours.append(name)
            ledger[name] = digest
        if prune:
            set_aside += self._prune(ledger, set(files))
        _write_whole(self._root / LEDGER, json.dumps(ledger, indent=0, sort_keys=True) + "\n")
        return Written(tuple(ours), tuple(untouched), tuple(set_aside))

    def _prune(self, ledger: dict[str, str], wanted: set[str]) -> list[str]:
        """Take away our files that no page belongs to any more; one she edited is set aside."""
        edited: list[str] = []
        for name in sorted(set(ledger) - wanted):
            path = self._root / PurePosixPath(name)
            if path.is_file() and _digest(path.read_bytes()) != ledger[name]:
                edited.append(self._set_aside(path))
            path.unlink(missing_ok=True)
            del ledger[name]
        return edited

    def _set_aside(self, path: Path) -> str:
        number = 1
        while (aside := path.with_name(f"{path.stem}.edited{_numbered(number)}{path.suffix}")).exists():
            number += 1
        path.rename(aside)
        return aside.relative_to(self._root).as_posix()

    def _ledger(self) -> dict[str, str]:
        try:
            return msgspec.json.decode((self._root / LEDGER).read_bytes(), type=dict[str, str])
        except (FileNotFoundError, msgspec.DecodeError):
            return {}  # without it every file counts as hers: nothing is lost


def _numbered(number: int) -> str:
    return "" if number == 1 else f"-{number}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid4().hex[:12]}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
