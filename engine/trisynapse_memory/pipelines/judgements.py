"""What she judged right in, kept in the history's file, and out again. A question's judgements go with its run.

Only ids are kept: the question itself lies in its run, the words in the log.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from trisynapse_memory.log.rows import format_time
from trisynapse_memory.log.store import Clock
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import JudgedBy, Trial

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS judgements (
    query_id TEXT NOT NULL, record_id TEXT NOT NULL, judged_by TEXT NOT NULL, created_at TEXT NOT NULL,
    PRIMARY KEY (query_id, record_id, judged_by)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS judgements_time ON judgements (created_at);
CREATE TABLE IF NOT EXISTS trials (
    trial_id TEXT PRIMARY KEY, created_at TEXT NOT NULL, trial TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS judgements_go_with_their_run AFTER DELETE ON query_runs
BEGIN DELETE FROM judgements WHERE query_id = OLD.query_id; END;
"""
TRIALS_KEPT: Final = 50  # a trial every ten questions is two years of daily use


class Judgement(NamedTuple):
    """One record that was right for one question."""

    query_id: str
    record_id: str
    judged_by: JudgedBy


class Judgements:
    """The two tables of one vault: what was judged, and what was tried because of it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def keep(self, query_id: str, record_id: str, judged_by: JudgedBy) -> None:
        """Keep that a record was right for a question; twice is once."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO judgements VALUES (?,?,?,?)",
                (query_id, record_id, judged_by.value, format_time(self._clock())),
            )

    def list(self) -> tuple[Judgement, ...]:
        """Return everything that was judged, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT query_id, record_id, judged_by FROM judgements ORDER BY created_at, query_id, record_id"
            ).fetchall()
        return tuple(Judgement(query_id, record_id, JudgedBy(judged_by)) for query_id, record_id, judged_by in rows)

    def question_count(self, since: datetime | None = None) -> int:
        """Return how many questions have a judgement, of those judged after a moment or of all."""
        with self._database.read() as connection:
            return int(
                connection.execute(
                    "SELECT count(DISTINCT query_id) FROM judgements WHERE created_at > ?",
                    ("" if since is None else format_time(since),),
                ).get
            )

    def clear(self) -> int:
        """Forget everything that was judged, and what was tried because of it; return how many judgements that were."""
        with self._database.write() as connection:
            count = int(connection.execute("SELECT count(*) FROM judgements").get)
            connection.execute("DELETE FROM judgements")
            connection.execute("DELETE FROM trials")
        return count

    def keep_trial(self, trial: Trial) -> None:
        """Keep a trial, or what has become of it; the oldest beyond the limit are dropped."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO trials VALUES (?,?,?)",
                (trial.trial_id, format_time(trial.created_at), msgspec.json.encode(trial).decode()),
            )
            connection.execute(
                "DELETE FROM trials WHERE trial_id IN"
                " (SELECT trial_id FROM trials ORDER BY created_at DESC, trial_id LIMIT -1 OFFSET ?)",
                (TRIALS_KEPT,),
            )

    def trials(self, limit: int) -> tuple[Trial, ...]:
        """Return the newest trials, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT trial FROM trials ORDER BY created_at DESC, trial_id LIMIT ?", (limit,)
            ).fetchall()
        return tuple(msgspec.json.decode(str(text), type=Trial) for (text,) in rows)
