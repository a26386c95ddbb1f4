"""A SQLite file that another program may be writing in, a whole copy of it out. The file itself is never locked.

Zotero holds its database locked while it runs, so SQLite would refuse to read it, and a lock of ours would hold up
Zotero. What helps is to copy the file with its journal, to see that neither changed meanwhile, and to let SQLite undo
in the copy what was not written to its end.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from trisynapse_memory.errors import SourceDamagedError, SourceDeniedError, SourceMissingError

TRIES: Final = 5
PAUSE_S: Final = 0.2  # Zotero writes for a few milliseconds at a time
_BESIDE: Final = ("-journal", "-wal")  # not -shm: SQLite makes it anew


@contextmanager
def copy_of(path: Path) -> Generator[Path]:
    """Give a copy of a database that is whole, and delete it at the end.

    Raises:
        SourceMissingError, SourceDeniedError: the file cannot be read.
        SourceDamagedError: it is no database, or it was written to at every try.
    """
    with TemporaryDirectory(prefix="trisynapse-") as folder:
        copy = Path(folder) / path.name
        for attempt in range(TRIES):
            if attempt:
                time.sleep(PAUSE_S)
            if not _copied(path, copy):
                continue
            if not _is_whole(copy):
                raise SourceDamagedError(f"'{path.name}' is no database, or damaged.", hint="Open it in its program.")
            yield copy
            return
        raise SourceDamagedError(
            f"Another program writes to '{path.name}' all the time.", hint="Close that program and try again."
        )


def _copied(path: Path, copy: Path) -> bool:
    """Copy the file with its journal byte by byte; good only if nobody wrote meanwhile."""
    before = _states(path)
    try:
        shutil.copyfile(path, copy)
        for suffix in _BESIDE:
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)  # of an earlier try
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
    except FileNotFoundError as error:
        if not path.exists():
            raise SourceMissingError(f"There is no file '{path}'.", hint="Check the path.") from error
        return False  # the journal was deleted between two lines: a write has just ended
    except PermissionError as error:
        raise SourceDeniedError(f"'{path}' may not be read.", hint="Check its permissions.") from error
    return _states(path) == before


def _states(path: Path) -> list[tuple[int, int] | None]:
    return [_state(path.with_name(path.name + suffix)) for suffix in ("", *_BESIDE)]


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _is_whole(copy: Path) -> bool:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error:
        return False
