"""What each reply of a model took in, what remote models cost this month out. Sums only; no prompt is kept.

The sums lie in ``runs.db`` (docs/data.md), a row for each month, service, model and role, so that a restart forgets
nothing and the table stays small. A month is a calendar month in UTC.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Role, Spending, Usage

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS model_usage (
    month TEXT NOT NULL, service TEXT NOT NULL, model TEXT NOT NULL, role TEXT NOT NULL,
    replies INTEGER NOT NULL, unpriced INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, cost_usd REAL NOT NULL, PRIMARY KEY (month, service, model, role)
) WITHOUT ROWID;
"""


class Purse:
    """Adds up what remote models cost.

    Args:
        database: ``runs.db``; whoever made it with ``SCHEMA`` closes it.
        clock: tells the month.
    """

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def note(self, service: str, model: str, role: Role, usage: Usage) -> None:
        """Add one reply; one without a known price counts its tokens and says that it had none."""
        cost = usage.cost_usd
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO model_usage VALUES (?,?,?,?,1,?,?,?,?) ON CONFLICT DO UPDATE SET replies = replies + 1,"
                " unpriced = unpriced + excluded.unpriced, input_tokens = input_tokens + excluded.input_tokens,"
                " output_tokens = output_tokens + excluded.output_tokens, cost_usd = cost_usd + excluded.cost_usd",
                (
                    *(self._month(), service, model, role.value, int(cost is None)),
                    *(usage.input_tokens, usage.output_tokens, cost or 0.0),
                ),
            )

    def spending(self, budget_usd: float | None = None) -> Spending:
        """Return what this month has cost so far, beside the most that she allows."""
        sql = (
            "SELECT coalesce(sum(cost_usd), 0.0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
            " coalesce(sum(unpriced), 0) FROM model_usage WHERE month = ?"
        )
        with self._database.read() as connection:
            row = connection.execute(sql, (self._month(),)).fetchone() or (0.0, 0, 0, 0)
        return Spending(
            spent_usd=float(row[0]),
            budget_usd=budget_usd,
            input_tokens=int(row[1]),
            output_tokens=int(row[2]),
            unpriced_count=int(row[3]),
        )

    def _month(self) -> str:
        return f"{self._clock():%Y-%m}"
