"""The tables of an index in, one shared ``index.db`` out, with the log position of each; no query is known here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from trisynapse_memory.sqlite import Connection, Database

# Measured at 100,000 records (docs/benchmark.md): with SQLite's 2 MB each commit reads most of its pages anew.
_WRITER_SETTINGS: Final = ("cache_size = -65536", "wal_autocheckpoint = 8000")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS projections (
    name TEXT PRIMARY KEY,
    format TEXT NOT NULL,
    applied_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""


class IndexDatabase(Database):
    """The file several indexes share, so that one read transaction sees one state of all of them.

    Each index owns the tables whose names start with its own name and an underscore.

    Args:
        path: the file; made when missing.
        vectors: load sqlite-vec into every connection.
    """

    def __init__(self, path: Path, *, vectors: bool = False) -> None:
        # What a power cut takes from a projection, the next opening reads from the log again.
        super().__init__(path, _SCHEMA, vectors=vectors, durable=False, settings=_WRITER_SETTINGS)

    def install(self, name: str, form: str, schema: str) -> None:
        """Make the tables of one index; tables of another form are dropped, and the index starts again at 0.

        Args:
            name: the index, and the prefix of its tables.
            form: what the tables hold and how; any other value stored means they cannot be read.
            schema: idempotent SQL.
        """
        with self.write() as connection:
            row = connection.execute("SELECT format FROM projections WHERE name = ?", (name,)).fetchone()
            if row is not None and row[0] != form:
                _drop_tables(connection, name)
                connection.execute("DELETE FROM projections WHERE name = ?", (name,))
            connection.execute(schema)
            connection.execute("INSERT OR IGNORE INTO projections VALUES (?, ?, 0)", (name, form))

    def applied_seq(self, name: str) -> int:
        """Return the log position an index has reached."""
        with self.read() as connection:
            row = connection.execute("SELECT applied_seq FROM projections WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row is not None else 0

    def advance(self, connection: Connection, name: str, through_seq: int) -> None:
        """Move an index to a log position, inside the write transaction that brings it there."""
        connection.execute("UPDATE projections SET applied_seq = ? WHERE name = ?", (through_seq, name))


def _drop_tables(connection: Connection, name: str) -> None:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in rows:
        if str(table).startswith(f"{name}_"):
            connection.execute(f'DROP TABLE "{table}"')
