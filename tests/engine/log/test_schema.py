"""The schema is idempotent, and docs/data.md describes every column of it."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from trisynapse_memory.log.schema import DERIVED_SCHEMA, DERIVED_TABLES, SCHEMA

DATA = (Path(__file__).resolve().parents[3] / "docs" / "data.md").read_text(encoding="utf-8")


@pytest.fixture
def connection():
    opened = apsw.Connection(":memory:")
    opened.execute(SCHEMA + DERIVED_SCHEMA)
    yield opened
    opened.close()


def test_running_the_schema_again_changes_nothing(connection: apsw.Connection):
    before = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    connection.execute(SCHEMA + DERIVED_SCHEMA)
    assert connection.execute("SELECT name, sql FROM sqlite_master").fetchall() == before


def test_every_column_is_on_the_data_page(connection: apsw.Connection):
    words = set(re.findall(r"`(\w+)`", DATA))
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {row[1] for table in tables for row in connection.execute(f"PRAGMA table_info({table})")}
    assert columns - words == set()


def test_the_derived_tables_are_there_and_the_truth_is_none_of_them(connection: apsw.Connection):
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert set(DERIVED_TABLES) < tables
    assert "records" not in DERIVED_TABLES
