"""Requests in, rows on disk out: what left this machine, to whom and why. Nothing is sent here.

A row is written before the first byte goes out and completed when the exchange ends, so that a crash in between leaves
a row that says so. Every vault keeps its own in ``runs.db``; what is asked where no vault is open (a model file that
the command line fetches) lies beside the device id in ``egress.db`` (docs/data.md).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import platformdirs

from trisynapse_memory.config import Config
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import EgressRow, SourceId

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS egress (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, host TEXT NOT NULL, purpose TEXT NOT NULL, service TEXT NOT NULL,
    status INTEGER NOT NULL, sent_bytes INTEGER NOT NULL, received_bytes INTEGER NOT NULL, source_ids TEXT NOT NULL,
    refused TEXT NOT NULL, failed TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS egress_time ON egress (at);
"""
FILE_NAME: Final = "egress.db"
"""The machine's own ledger, in the user's data folder."""

UNFINISHED: Final = "unfinished"
"""What ``failed`` says of a request that is under way, or was when the process died."""

_COLUMNS: Final = "at, host, purpose, service, status, sent_bytes, received_bytes, source_ids, refused, failed"


class Ledger:
    """The table ``egress`` of one file; several processes may write to it.

    Args:
        database: the file; whoever made it with ``SCHEMA`` closes it.
        config: ``egress_max_count`` and ``egress_max_age_days`` bound the table.
    """

    def __init__(self, database: Database, config: Config) -> None:
        self._database = database
        self._config = config

    def begin(self, row: EgressRow) -> int:
        """Write a request down before it goes out, drop what is too old, and return the number of the row."""
        oldest = _text(row.at - timedelta(days=self._config.egress_max_age_days))
        with self._database.write() as connection:
            connection.execute(
                f"INSERT INTO egress ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    *(_text(row.at), row.host, row.purpose, row.service, row.status),
                    *(row.sent_bytes, row.received_bytes, msgspec.json.encode(row.source_ids).decode()),
                    *(row.refused, row.failed),
                ),
            )
            number = connection.last_insert_rowid()
            connection.execute(
                "DELETE FROM egress WHERE at < ? OR number <= ?", (oldest, number - self._config.egress_max_count)
            )
        return number

    def update(self, number: int, row: EgressRow) -> None:
        """Say how far a request has come, or how it ended."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE egress SET status = ?, sent_bytes = ?, received_bytes = ?, refused = ?, failed = ?"
                " WHERE number = ?",
                (row.status, row.sent_bytes, row.received_bytes, row.refused, row.failed, number),
            )

    def rows(self, limit: int = 200, before: datetime | None = None) -> tuple[EgressRow, ...]:
        """Return the newest requests, newest first; with ``before``, the newest that are older than that moment."""
        with self._database.read() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM egress WHERE at < ? ORDER BY at DESC, number DESC LIMIT ?",
                ("~" if before is None else _text(before), limit),
            ).fetchall()
        return tuple(
            EgressRow(
                at=datetime.fromisoformat(at),
                host=host,
                purpose=purpose,
                service=service,
                status=status,
                sent_bytes=sent,
                received_bytes=received,
                source_ids=msgspec.json.decode(source_ids, type=tuple[SourceId, ...]),
                refused=refused,
                failed=failed,
            )
            for at, host, purpose, service, status, sent, received, source_ids, refused, failed in found
        )


def open_machine_ledger(config: Config, folder: Path | None = None) -> tuple[Ledger, Database]:
    """Return the ledger of this machine and account, for requests that belong to no vault, and its file to close.

    Args:
        config: its bounds.
        folder: where it lies; the user's data folder by default.
    """
    place = folder or _data_folder()
    place.mkdir(parents=True, exist_ok=True)
    database = Database(place / FILE_NAME, SCHEMA, durable=False)
    return Ledger(database, config), database


def all_rows(
    ledger: Ledger, config: Config, limit: int = 200, before: datetime | None = None, folder: Path | None = None
) -> tuple[EgressRow, ...]:
    """Return the newest requests of a vault's ledger and of the machine's as one list, newest first."""
    own = ledger.rows(limit, before)
    if not ((folder or _data_folder()) / FILE_NAME).is_file():
        return own
    machine, database = open_machine_ledger(config, folder)
    try:
        others = machine.rows(limit, before)
    finally:
        database.close()
    return tuple(islice(merge(own, others, key=lambda row: row.at, reverse=True), limit))


def _data_folder() -> Path:
    return Path(platformdirs.user_data_dir("trisynapse", appauthor=False))


def _text(moment: datetime) -> str:
    """A time that sorts as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
