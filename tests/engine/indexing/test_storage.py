"""One file, several indexes: positions, forms and the tables that belong to each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trisynapse_memory.indexing.storage import IndexDatabase

TABLE = "CREATE TABLE IF NOT EXISTS words_rows (value TEXT)"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[IndexDatabase]:
    opened = IndexDatabase(tmp_path / "index.db")
    yield opened
    opened.close()


def test_an_index_starts_at_zero_and_moves_alone(database: IndexDatabase) -> None:
    database.install("words", "1", TABLE)
    database.install("graph", "1", "")
    with database.write() as connection:
        database.advance(connection, "words", 12)
    assert (database.applied_seq("words"), database.applied_seq("graph")) == (12, 0)
    assert database.applied_seq("never installed") == 0


def test_installing_again_keeps_rows_and_position(database: IndexDatabase) -> None:
    database.install("words", "1", TABLE)
    with database.write() as connection:
        connection.execute("INSERT INTO words_rows VALUES ('kept')")
        database.advance(connection, "words", 3)
    database.install("words", "1", TABLE)
    assert database.applied_seq("words") == 3
    with database.read() as connection:
        assert connection.execute("SELECT value FROM words_rows").fetchall() == [("kept",)]


def test_another_form_drops_the_tables_of_that_index_only(database: IndexDatabase) -> None:
    database.install("words", "1", TABLE)
    database.install("other", "1", "CREATE TABLE other_rows (value TEXT)")
    with database.write() as connection:
        connection.execute("INSERT INTO words_rows VALUES ('old')")
        connection.execute("INSERT INTO other_rows VALUES ('kept')")
        database.advance(connection, "words", 3)
    database.install("words", "2", TABLE)
    assert database.applied_seq("words") == 0
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM words_rows").get == 0
        assert connection.execute("SELECT count(*) FROM other_rows").get == 1


def test_a_failed_step_leaves_the_position_where_it_was(database: IndexDatabase) -> None:
    database.install("words", "1", TABLE)
    with pytest.raises(RuntimeError):
        _advance_and_fail(database)
    assert database.applied_seq("words") == 0


def _advance_and_fail(database: IndexDatabase) -> None:
    with database.write() as connection:
        database.advance(connection, "words", 9)
        raise RuntimeError
