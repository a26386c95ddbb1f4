"""Addresses she allowed to be fetched in, the next one whose turn it is out. What waits here outlives the process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

import msgspec
from msgspec import structs

from trisynapse_memory.log.rows import format_time, namespace_key
from trisynapse_memory.log.store import Clock
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Link, LinkStatus

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS links (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL, namespace_key TEXT NOT NULL, host TEXT NOT NULL,
    status TEXT NOT NULL, retry_at TEXT, run_id TEXT NOT NULL, link TEXT NOT NULL, UNIQUE (url, namespace_key)
);
CREATE INDEX IF NOT EXISTS links_status ON links (status, host, number);
"""
_WAITING: Final = LinkStatus.WAITING.value


class LinkQueue:
    """The table of links of one vault; it lies in the file of the history."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, links: Iterable[Link]) -> int:
        """Let links wait, also those that failed or were cancelled before; return how many wait anew."""
        count = 0
        with self._database.write() as connection:
            for link in links:
                connection.execute(
                    "INSERT INTO links (url, namespace_key, host, status, run_id, link) VALUES (?,?,?,?,?,?)"
                    " ON CONFLICT (url, namespace_key) DO UPDATE SET status = excluded.status, retry_at = NULL,"
                    " run_id = excluded.run_id, link = excluded.link WHERE status != excluded.status",
                    (link.url, namespace_key(link.namespace), link.host, _WAITING, link.run_id, _json(link)),
                )
                count += connection.changes()
        return count

    def next(self, busy_hosts: Sequence[str]) -> Link | None:
        """Return the first link whose time has come and whose host is none of these."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT link FROM links WHERE status = ? AND (retry_at IS NULL OR retry_at <= ?)"
                " AND host NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1",
                (_WAITING, format_time(self._clock()), msgspec.json.encode(list(busy_hosts)).decode()),
            ).fetchone()
        return None if row is None else _link(row[0])

    def settle(self, link: Link) -> None:
        """Keep where a link stands now; one that she cancelled meanwhile stays so."""
        retry_at = None if link.retry_at is None else format_time(link.retry_at)
        with self._database.write() as connection:
            connection.execute(
                "UPDATE links SET status = ?, retry_at = ?, link = ? WHERE url = ? AND namespace_key = ?"
                " AND (status = ? OR ? != ?)",
                (
                    *(link.status.value, retry_at, _json(link), link.url, namespace_key(link.namespace)),
                    *(_WAITING, link.status.value, _WAITING),
                ),
            )

    def due_count(self) -> int:
        """Return how many links could be fetched now."""
        sql = "SELECT count(*) FROM links WHERE status = ? AND (retry_at IS NULL OR retry_at <= ?)"
        return self._count(sql, (_WAITING, format_time(self._clock())))

    def waiting_count(self, run_id: str = "") -> int:
        """Return how many links wait, those that are tried again later included; of one run, or of all."""
        if run_id:
            return self._count("SELECT count(*) FROM links WHERE status = ? AND run_id = ?", (_WAITING, run_id))
        return self._count("SELECT count(*) FROM links WHERE status = ?", (_WAITING,))

    def next_retry(self) -> datetime | None:
        """Return when the first link that rests is tried again; None where none rests."""
        sql = "SELECT min(retry_at) FROM links WHERE status = ? AND retry_at IS NOT NULL"
        with self._database.read() as connection:
            text = connection.execute(sql, (_WAITING,)).get
        return None if text is None else datetime.fromisoformat(str(text))

    def cancel(self) -> int:
        """Let nothing wait any more; return how many links that were."""
        waiting = self.list(LinkStatus.WAITING)
        with self._database.write() as connection:
            for link in waiting:
                gone = structs.replace(link, status=LinkStatus.CANCELLED, retry_at=None)
                connection.execute(
                    "UPDATE links SET status = ?, retry_at = NULL, link = ? WHERE url = ? AND namespace_key = ?",
                    (gone.status.value, _json(gone), link.url, namespace_key(link.namespace)),
                )
        return len(waiting)

    def list(self, status: LinkStatus | None = None, limit: int | None = None) -> tuple[Link, ...]:
        """Return links in the order in which they were allowed; of one status, or of all."""
        clause, bindings = ("", ()) if status is None else ("WHERE status = ?", (status.value,))
        sql = f"SELECT link FROM links {clause} ORDER BY number LIMIT ?"
        with self._database.read() as connection:
            rows = connection.execute(sql, (*bindings, -1 if limit is None else limit)).fetchall()
        return tuple(_link(row[0]) for row in rows)

    def _count(self, sql: str, bindings: tuple[str, ...]) -> int:
        with self._database.read() as connection:
            return int(str(connection.execute(sql, bindings).get))


def _json(link: Link) -> str:
    return msgspec.json.encode(link).decode()


def _link(text: object) -> Link:
    return msgspec.json.decode(str(text), type=Link)
