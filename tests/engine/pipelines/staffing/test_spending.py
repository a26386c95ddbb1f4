"""What replies cost adds up over a month and a restart, and a month begins at nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pytest import approx

from trisynapse_memory.pipelines.staffing.spending import SCHEMA, Purse
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Role, Spending, Usage


def test_a_month_adds_up_counts_what_has_no_price_and_survives_a_restart(tmp_path: Path):
    now = [datetime(2026, 1, 31, 23, 59, tzinfo=UTC)]
    path = tmp_path / "runs.db"
    database = Database(path, SCHEMA)
    purse = Purse(database, lambda: now[0])
    purse.note("openai", "m", Role.ANSWER, Usage(input_tokens=10, output_tokens=5, cost_usd=0.2))
    purse.note("openai", "m", Role.ANSWER, Usage(input_tokens=1, output_tokens=2, cost_usd=0.1))
    purse.note("lab", "m", Role.WIKI, Usage(input_tokens=100, output_tokens=50))
    database.close()
    database = Database(path, SCHEMA)
    purse = Purse(database, lambda: now[0])
    spent = purse.spending(1.0)
    assert spent == Spending(
        spent_usd=approx(0.3), budget_usd=1.0, input_tokens=111, output_tokens=57, unpriced_count=1
    )
    now[0] = datetime(2026, 2, 1, tzinfo=UTC)
    assert purse.spending() == Spending(spent_usd=0.0)
    database.close()
