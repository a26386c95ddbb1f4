"""A path in, whether it is a data folder of Zotero out. Nothing in it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DATABASE: Final = "zotero.sqlite"
CITEKEYS: Final = "better-bibtex.sqlite"


def is_zotero_folder(path: Path) -> bool:
    """Tell whether a path is a data folder of Zotero, or the database in it."""
    try:
        return path.name == DATABASE if path.is_file() else (path / DATABASE).is_file()
    except OSError:  # a folder nobody may look into is reported where it is walked
        return False


def state_of(folder: Path) -> tuple[tuple[int, int], ...]:
    """Return what tells whether its database was written to since: size and time of it and of its log."""
    states: list[tuple[int, int]] = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            found = (folder / name).stat()
        except OSError:
            continue
        states.append((found.st_size, found.st_mtime_ns))
    return tuple(states)
