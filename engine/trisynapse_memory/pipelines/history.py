"""Runs in, rows of ``runs.db`` out: what was taken in, how questions were answered. History; it may be cleared.

More tables lie in the same file: the requests that left this machine (``providers/ledger.py``), what models cost
(``spending``), the addresses that wait to be fetched (``link_queue``), how feeds stand (``feed_states``), and what she
judged right (``judgements``).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import msgspec

from trisynapse_memory.config import Config
from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.log.rows import format_time
from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.pipelines import feed_states, judgements, link_queue
from trisynapse_memory.pipelines.staffing import spending
from trisynapse_memory.providers import ledger
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import IngestResult, IngestRun, Outcome, QueryRun, SourceInput

SCHEMA = """
CREATE TABLE IF NOT EXISTS ingest_runs (
    run_id TEXT PRIMARY KEY, status TEXT NOT NULL, created_at TEXT NOT NULL, completed_at TEXT, inputs TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ingest_results (
    run_id TEXT NOT NULL, position INTEGER NOT NULL, result TEXT NOT NULL, PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS query_runs (
    query_id TEXT PRIMARY KEY, created_at TEXT NOT NULL, run TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS query_runs_time ON query_runs (created_at);
"""

RUNNING, INTERRUPTED, CANCELLED = "running", "interrupted", "cancelled"
COMPLETED, PARTIAL, FAILED = "completed", "partial", "failed"


class History:
    """The run history of one vault. Opening it marks runs that a crash cut off as interrupted."""

    def __init__(self, path: Path, config: Config, clock: Clock = utc_now) -> None:
        self._database = Database(
            path,
            f"{SCHEMA} {ledger.SCHEMA} {spending.SCHEMA} {link_queue.SCHEMA} {feed_states.SCHEMA} {judgements.SCHEMA}",
            durable=False,
        )
        self._config = config
        self.ledger = ledger.Ledger(self._database, config)
        """Every request that left this machine for this vault, or was refused."""
        self.purse = spending.Purse(self._database, clock)
        """What remote models have cost."""
        self.links = link_queue.LinkQueue(self._database, clock)
        """Addresses she allowed to be fetched, and what became of them."""
        self.feeds = feed_states.FeedStates(self._database)
        """How each followed feed stands."""
        self.judgements = judgements.Judgements(self._database, clock)
        """Which records were right for which questions, and what was learned of it."""
        self._clock = clock
        with self._database.write() as connection:
            connection.execute("UPDATE ingest_runs SET status = ? WHERE status = ?", (INTERRUPTED, RUNNING))

    def begin(self, inputs: Sequence[SourceInput]) -> str:
        """Begin an ingest run and return its id. Passwords are not kept."""
        run_id = f"run_{uuid4().hex[:20]}"
        kept = [msgspec.structs.replace(one, password=None) for one in inputs]
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO ingest_runs (run_id, status, created_at, inputs) VALUES (?,?,?,?)",
                (run_id, RUNNING, format_time(self._clock()), msgspec.json.encode(kept).decode()),
            )
        return run_id

    def add(self, run_id: str, position: int, result: IngestResult) -> None:
        """Keep what became of one input, the moment it is known."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO ingest_results (run_id, position, result) VALUES (?,?,?)",
                (run_id, position, msgspec.json.encode(result).decode()),
            )

    def append(self, run_id: str, result: IngestResult) -> None:
        """Keep what became of one more input of a run, behind the others; its status follows at the next ``finish``."""
        with self._database.write() as connection:
            last = connection.execute("SELECT max(position) FROM ingest_results WHERE run_id = ?", (run_id,)).get
            connection.execute(
                "INSERT INTO ingest_results (run_id, position, result) VALUES (?,?,?)",
                (run_id, 0 if last is None else int(str(last)) + 1, msgspec.json.encode(result).decode()),
            )

    def finish(self, run_id: str, *, cancelled: bool = False) -> IngestRun:
        """Close a run; its status follows from its results."""
        status = CANCELLED if cancelled else status_of(self.show(run_id).results)
        with self._database.write() as connection:
            connection.execute(
                "UPDATE ingest_runs SET status = ?, completed_at = ? WHERE run_id = ?",
                (status, format_time(self._clock()), run_id),
            )
        return self.show(run_id)

    def interrupt(self, run_id: str) -> None:
        """Say that a run was cut off and is to be resumed."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE ingest_runs SET status = ?, completed_at = NULL WHERE run_id = ?", (INTERRUPTED, run_id)
            )

    def show(self, run_id: str) -> IngestRun:
        """Return one ingest run with its results.

        Raises:
            UnknownRecordError: no run has that id.
        """
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT status, created_at, completed_at FROM ingest_runs WHERE run_id = ?", (run_id,)
            ).fetchone()
            rows = connection.execute(
                "SELECT result FROM ingest_results WHERE run_id = ? ORDER BY position", (run_id,)
            ).fetchall()
        if row is None:
            raise UnknownRecordError(f"There is no run '{run_id}'.", hint="`runs list` shows all of them.")
        results = tuple(msgspec.json.decode(result, type=IngestResult) for (result,) in rows)
        return IngestRun(
            run_id=run_id,
            status=row[0],
            results=results,
            counts=count_results(results),
            created_at=datetime.fromisoformat(row[1]),
            completed_at=None if row[2] is None else datetime.fromisoformat(row[2]),
        )

    def list(self, limit: int) -> tuple[IngestRun, ...]:
        """Return the newest runs, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT run_id FROM ingest_runs ORDER BY created_at DESC, run_id LIMIT ?", (limit,)
            ).fetchall()
        return tuple(self.show(run_id) for (run_id,) in rows)

    def inputs(self, run_id: str) -> tuple[SourceInput, ...]:
        """Return what a run was asked to take in."""
        with self._database.read() as connection:
            text = connection.execute("SELECT inputs FROM ingest_runs WHERE run_id = ?", (run_id,)).get
        if text is None:
            raise UnknownRecordError(f"There is no run '{run_id}'.", hint="`runs list` shows all of them.")
        return msgspec.json.decode(text, type=tuple[SourceInput, ...])

    def interrupted(self) -> tuple[str, ...]:
        """Return the ids of the runs that a crash cut off, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT run_id FROM ingest_runs WHERE status = ? ORDER BY created_at", (INTERRUPTED,)
            ).fetchall()
        return tuple(run_id for (run_id,) in rows)

    def keep_query(self, run: QueryRun) -> None:
        """Keep how a question was answered, and drop the oldest runs beyond the limits."""
        oldest = format_time(self._clock() - timedelta(days=self._config.query_runs_max_age_days))
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO query_runs (query_id, created_at, run) VALUES (?,?,?)",
                (run.query_id, format_time(run.created_at), msgspec.json.encode(run).decode()),
            )
            connection.execute(
                "DELETE FROM query_runs WHERE created_at < ? OR query_id IN"
                " (SELECT query_id FROM query_runs ORDER BY created_at DESC LIMIT -1 OFFSET ?)",
                (oldest, self._config.query_runs_max_count),
            )

    def query(self, query_id: str) -> QueryRun:
        """Return how one question was answered."""
        with self._database.read() as connection:
            text = connection.execute("SELECT run FROM query_runs WHERE query_id = ?", (query_id,)).get
        if text is None:
            raise UnknownRecordError(f"There is no query '{query_id}'.", hint="Old query runs are dropped; ask again.")
        return msgspec.json.decode(text, type=QueryRun)

    def queries(self, limit: int) -> tuple[QueryRun, ...]:
        """Return the newest query runs, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT run FROM query_runs ORDER BY created_at DESC, query_id LIMIT ?", (limit,)
            ).fetchall()
        return tuple(msgspec.json.decode(text, type=QueryRun) for (text,) in rows)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def status_of(results: Sequence[IngestResult]) -> str:
    """Return completed, partial or failed for the results of a run."""
    bad = sum(result.status is Outcome.FAILED for result in results)
    if results and bad == len(results):
        return FAILED
    return PARTIAL if bad else COMPLETED


def count_results(results: Sequence[IngestResult]) -> dict[str, int]:
    """Return how many inputs ended how, and how many pages and records they hold."""
    counts = {status.value: 0 for status in Outcome}
    for result in results:
        counts[result.status.value] += 1
    counts["records"] = sum(result.record_count for result in results)
    counts["pages"] = sum(sum(result.verdicts.values()) for result in results)
    return counts
