"""How each followed feed stands in, kept in the history's file, and out again. History: without it a feed is read anew.

Which feeds are followed is her choice and lies in ``settings.toml`` (``staffing/choices.py``).
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Fault

SCHEMA: Final = "CREATE TABLE IF NOT EXISTS feeds (feed_id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;"


class FeedState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a feed stood when it was last asked; see ``types.Feed``. ``etag`` and ``last_modified`` are its stamp.

    ``digest`` is the SHA-256 of what came last, for servers that send a feed again although nothing in it is new.
    ``not_before`` is when its server said that it wants to be asked again, where it said so; ``pause_s`` for how long
    the feed itself said that it need not be.
    """

    etag: str = ""
    last_modified: str = ""
    digest: str = ""
    checked_at: datetime | None = None
    came_at: datetime | None = None
    next_at: datetime | None = None
    entry_count: int = 0
    new_count: int = 0
    changed_count: int = 0
    failure_count: int = 0
    fault: Fault | None = None
    answers_from: str = ""
    run_id: str = ""
    is_offline: bool = False
    not_before: datetime | None = None
    pause_s: float = 0.0


class FeedStates:
    """The table of one vault; a feed that was never asked stands as ``FeedState()``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, feed_id: str) -> FeedState:
        """Return how a feed stands."""
        with self._database.read() as connection:
            row = connection.execute("SELECT state FROM feeds WHERE feed_id = ?", (feed_id,)).fetchone()
        return FeedState() if row is None else msgspec.json.decode(str(row[0]), type=FeedState)

    def put(self, feed_id: str, state: FeedState) -> None:
        """Keep how a feed stands."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO feeds (feed_id, state) VALUES (?,?)",
                (feed_id, msgspec.json.encode(state).decode()),
            )

    def drop(self, feed_id: str) -> None:
        """Forget how a feed stood."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM feeds WHERE feed_id = ?", (feed_id,))
