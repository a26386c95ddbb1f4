"""Paths in, SQLite connections out: one writer at a time, one reader per thread. No table is known here.

APSW and not the standard module: some Pythons are built without loadable extensions, which sqlite-vec needs
(docs/decisions/0001-foundations.md).
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

from trisynapse_memory.errors import DiskFullError, VaultDamagedError, VaultError, VaultHeldError

BUSY_TIMEOUT_MS = 30_000  # engine.md A3

SqlValue = str | int | float | bytes | None
Bindings = Sequence[SqlValue] | Mapping[str, SqlValue]
SqlRow = tuple[Any, ...]
SqlFunction = Callable[[Any], SqlValue]


class Cursor(Protocol):
    """The rows a statement gives; SQL values have no static type, so they are narrowed where they are read."""

    @property
    def get(self) -> Any:
        """The only value of the only row, or None."""
        ...

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, or None."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that are left."""
        ...

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that are left."""
        ...


class Connection(Protocol):
    """What the engine uses of an APSW connection; APSW's own annotations leave rows untyped."""

    in_transaction: bool

    def execute(self, statements: str, bindings: Bindings = (), /) -> Cursor:
        """Run one or more statements."""
        ...

    def executemany(
        self, statements: str, bindings: Iterator[Sequence[SqlValue]] | Sequence[Sequence[SqlValue]], /
    ) -> Cursor:
        """Run one statement for each row of values."""
        ...

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        ...

    def last_insert_rowid(self) -> int:
        """Return the row id of the last insert."""
        ...

    def interrupt(self) -> None:
        """Break off what the connection is doing, in whatever thread."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Database:
    """One SQLite file in WAL mode, safe under threads.

    Args:
        path: the file; made when missing.
        schema: SQL run once on the write connection; it must be idempotent.
        vectors: load sqlite-vec into every connection.
        durable: flush every commit to the disk; history may do without, since losing its last second costs nothing.
        functions: SQL functions of one argument, by name; the same value must always give the same result.
        settings: further pragmas of the write connection, as ``name = value``.
    """

    def __init__(
        self,
        path: Path,
        schema: str = "",
        *,
        vectors: bool = False,
        durable: bool = True,
        functions: Mapping[str, SqlFunction] | None = None,
        settings: Sequence[str] = (),
    ) -> None:
        self.path = path
        self._functions = dict(functions or {})
        self._vectors = vectors
        self._lock = threading.RLock()
        self._local = threading.local()
        # Weak: the connections of a thread that has ended are closed with it, or a long-lived engine runs out of files.
        self._readers = weakref.WeakSet[Connection]()
        self._listing = threading.Lock()
        self._closed = False
        with self.translated():
            self._writer = self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            level = "full" if durable else "normal"
            for setting in ("journal_mode = wal", f"synchronous = {level}", "secure_delete = on", *settings):
                self._writer.execute(f"PRAGMA {setting}")
            if schema:
                self._writer.execute(f"BEGIN IMMEDIATE; {schema}; COMMIT")
        path.chmod(0o600)

    def _connect(self, flags: int) -> Connection:
        connection: Any = apsw.Connection(str(self.path), flags=flags)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for name, function in self._functions.items():
            connection.create_scalar_function(name, function, 1, deterministic=True)
        if self._vectors:
            # Heavy enough (numpy) to load only for the file that needs it.
            import sqlite_vec  # pyright: ignore[reportMissingTypeStubs]

            connection.enable_load_extension(True)
            connection.load_extension(sqlite_vec.loadable_path())
            connection.enable_load_extension(False)
        return cast("Connection", connection)

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turn SQLite's errors into ours, so callers know what happened and what to do."""
        try:
            yield
        except apsw.FullError as error:
            raise DiskFullError(
                f"The disk that holds '{self.path.name}' is full; nothing of this step was kept.",
                hint="Free some space and try again; the vault itself is whole.",
            ) from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise VaultDamagedError(
                f"'{self.path.name}' is damaged ({error}).",
                hint="Run validate; index.db and vectors.db can be deleted and rebuilt, log.db needs a backup.",
            ) from error
        except apsw.BusyError as error:
            raise VaultHeldError(
                f"'{self.path.name}' is locked by another process.",
                hint="Close the other program, or attach to it.",
            ) from error
        except (apsw.InterruptError, apsw.ConnectionClosedError) as error:
            if not self._closed:
                raise
            raise VaultError(f"'{self.path.name}' was closed meanwhile.", hint="Open the vault again.") from error
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError) as error:
            raise VaultError(
                f"'{self.path.name}' cannot be opened or written ({error}).",
                hint="Check the folder's permissions, and whether its disk is full or read-only.",
            ) from error

    @contextmanager
    def write(self) -> Generator[Connection]:
        """Hold the one write connection inside a transaction that commits at the end, or rolls back on any error."""
        with self._lock, self.translated():
            if self._writer.in_transaction:
                yield self._writer  # a nested write joins the transaction that is open
                return
            self._writer.execute("BEGIN IMMEDIATE")
            self._local.writing = True
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._local.writing = False

    @contextmanager
    def read(self) -> Generator[Connection]:
        """Hold this thread's read connection; several statements inside see one state of the file.

        A thread that is inside ``write`` reads its own uncommitted rows.
        """
        with self.translated():
            connection = self._writer if getattr(self._local, "writing", False) else self._reader()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def scratch(self) -> Generator[Connection]:
        """Hold a read connection of its own, which sees one state of the file and whose temporary tables go with it."""
        with self.translated():
            connection = self._connect(apsw.SQLITE_OPEN_READONLY)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    def _reader(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect(apsw.SQLITE_OPEN_READONLY)
            self._local.connection = connection
            with (
                self._listing
            ):  # not the writer's lock: a thread that reads for the first time must not wait for a write
                self._readers.add(connection)
        return connection

    def checkpoint(self) -> None:
        """Move the WAL into the main file and truncate it, so that a plain copy of the file is whole."""
        with self._lock, self.translated():
            self._writer.execute("PRAGMA wal_checkpoint(truncate)")

    def compact(self) -> None:
        """Rewrite the file without what was deleted from it, and empty the WAL: no byte of a deleted row is left."""
        with self._lock, self.translated():
            self._writer.execute("VACUUM")
        self.checkpoint()

    def close(self) -> None:
        """Close all connections; safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with self._listing:
                readers = tuple(self._readers)
            for connection in (*readers, self._writer):
                _close(connection)


def _close(connection: Connection) -> None:
    """Close a connection; what another thread is still reading with it is broken off."""
    while True:
        try:
            connection.close()
        except apsw.ThreadingViolationError:
            connection.interrupt()
            time.sleep(0.005)
        else:
            return
