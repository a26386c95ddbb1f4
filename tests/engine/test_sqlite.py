"""One writer, readers that never wait, errors in our own words, and no file left open by a thread that ended."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from trisynapse_memory import sqlite
from trisynapse_memory.errors import DiskFullError, VaultDamagedError, VaultError, VaultHeldError
from trisynapse_memory.sqlite import Database

SCHEMA = "CREATE TABLE IF NOT EXISTS t (n INTEGER)"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "a.db", SCHEMA)
    yield opened
    opened.close()


def numbers(database: Database) -> list[int]:
    with database.read() as connection:
        return [int(n) for (n,) in connection.execute("SELECT n FROM t ORDER BY n")]


def in_thread(work: Callable[[], object]) -> object:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(20)
    assert results, "the other thread waits"
    return results[0]


def test_the_file_is_in_wal_mode_flushes_fully_erases_and_is_private(database: Database):
    with database.write() as connection:
        settings = [connection.execute(f"PRAGMA {name}").get for name in ("journal_mode", "synchronous")]
        assert settings == ["wal", 2]
        assert connection.execute("PRAGMA secure_delete").get == 1
    assert database.path.stat().st_mode & 0o777 == 0o600


def test_history_may_do_without_the_flush(tmp_path: Path):
    opened = Database(tmp_path / "b.db", SCHEMA, durable=False)
    with opened.write() as connection:
        assert connection.execute("PRAGMA synchronous").get == 1
    opened.close()


def test_what_is_written_is_read_and_what_fails_is_rolled_back(database: Database):
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")

    def fail() -> None:
        with database.write() as connection:
            connection.execute("INSERT INTO t VALUES (2)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert numbers(database) == [1]


def test_a_nested_write_joins_the_open_transaction(database: Database):
    def fail() -> None:
        with database.write():
            with database.write() as inner:
                inner.execute("INSERT INTO t VALUES (1)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert numbers(database) == []


def test_the_writing_thread_reads_its_own_rows_and_no_other_thread_does(database: Database):
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        assert numbers(database) == [1]
        assert in_thread(lambda: numbers(database)) == []
    assert in_thread(lambda: numbers(database)) == [1]
    assert numbers(database) == [1]


def test_a_thread_that_reads_for_the_first_time_does_not_wait_for_a_write(database: Database):
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        assert in_thread(lambda: numbers(database)) == []


def test_statements_in_one_read_see_one_state(database: Database):
    with database.read() as connection:
        before = connection.execute("SELECT count(*) FROM t").get

        def write() -> bool:
            with database.write() as writer:
                writer.execute("INSERT INTO t VALUES (1)")
            return True

        assert in_thread(write)
        assert connection.execute("SELECT count(*) FROM t").get == before
    assert numbers(database) == [1]


def test_a_thread_that_has_ended_keeps_no_file_open(database: Database):
    for _ in range(5):
        in_thread(lambda: numbers(database))
    gc.collect()
    open_files = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert sum(path == database.path for path in open_files) <= 2, "one for the writer, one for this thread"


def test_a_full_disk_is_named_and_nothing_of_the_step_is_kept(database: Database):
    with database.write() as connection:
        connection.execute("PRAGMA max_page_count = 4")

    def fill() -> None:
        with database.write() as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            connection.execute("CREATE TABLE big AS SELECT zeroblob(100000) AS b")

    with pytest.raises(DiskFullError, match=r"a\.db"):
        fill()
    assert numbers(database) == []
    with database.write() as connection:
        connection.execute("PRAGMA max_page_count = 4000")
        connection.execute("INSERT INTO t VALUES (1)")
    assert numbers(database) == [1]


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path):
    (tmp_path / "bad.db").write_bytes(b"this is no database at all, and long enough to be looked at" * 20)
    with pytest.raises(VaultDamagedError, match=r"bad\.db"):
        Database(tmp_path / "bad.db", SCHEMA)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(VaultError, match=r"a\.db"):
        Database(tmp_path / "nowhere" / "a.db", SCHEMA)


def test_a_file_that_another_program_locks_is_held(database: Database, monkeypatch: pytest.MonkeyPatch):
    other = apsw.Connection(str(database.path))
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 10)
    impatient = None
    with pytest.raises(VaultHeldError, match=r"a\.db"):
        impatient = Database(database.path, SCHEMA)
    assert impatient is None
    other.execute("ROLLBACK")
    other.close()


def test_readers_cannot_write(database: Database):
    with pytest.raises(VaultError), database.read() as connection:
        connection.execute("INSERT INTO t VALUES (1)")


def test_a_checkpoint_makes_a_plain_copy_whole(database: Database, tmp_path: Path):
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    database.checkpoint()
    (tmp_path / "copy.db").write_bytes(database.path.read_bytes())
    copy = Database(tmp_path / "copy.db")
    assert numbers(copy) == [1]
    copy.close()


def test_closing_twice_is_no_error(tmp_path: Path):
    opened = Database(tmp_path / "c.db", SCHEMA)
    numbers(opened)
    opened.close()
    opened.close()
    assert not (tmp_path / "c.db-wal").exists()


def test_sqlite_vec_is_loaded_where_it_is_asked_for(tmp_path: Path):
    opened = Database(tmp_path / "v.db", vectors=True)
    with opened.read() as connection:
        assert str(connection.execute("SELECT vec_version()").get).startswith("v")
    opened.close()


def test_closing_breaks_off_what_another_thread_is_reading(tmp_path: Path):
    opened = Database(tmp_path / "d.db", SCHEMA)
    begun = threading.Event()
    ends: list[str] = []

    def read() -> None:
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        try:
            with opened.read() as connection:
                begun.set()
                connection.execute(sql)
        except (apsw.Error, VaultError) as error:
            ends.append(f"{type(error).__name__}: {error}")

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    assert begun.wait(20)
    opened.close()
    reading.join(20)
    assert ends == ["VaultError: 'd.db' was closed meanwhile. Open the vault again."]


def test_a_function_of_ours_is_known_to_readers_and_to_the_writer(tmp_path: Path):
    opened = Database(tmp_path / "f.db", SCHEMA, functions={"twice": lambda n: n * 2})
    with opened.write() as connection:
        connection.execute("INSERT INTO t VALUES (twice(21))")
    assert in_thread(lambda: numbers(opened)) == [42]
    with opened.read() as connection:
        assert connection.execute("SELECT twice(n) FROM t").get == 84
    opened.close()


def test_a_scratch_connection_sees_one_state_and_leaves_nothing(database: Database):
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    with database.scratch() as scratch:
        scratch.execute("CREATE TEMP TABLE t (n INTEGER)")
        scratch.execute("INSERT INTO t SELECT n + 1 FROM main.t")
        with database.write() as connection:
            connection.execute("INSERT INTO t VALUES (5)")
        rows = scratch.execute("SELECT (SELECT group_concat(n) FROM t), (SELECT group_concat(n) FROM main.t)")
        assert rows.fetchone() == ("2", "1")
        with pytest.raises(apsw.ReadOnlyError):
            scratch.execute("INSERT INTO main.t VALUES (9)")
    assert numbers(database) == [1, 5]


def test_a_compacted_file_holds_no_byte_of_what_was_deleted(database: Database):
    with database.write() as connection:
        connection.execute("CREATE TABLE words (w TEXT)")
        connection.executemany("INSERT INTO words VALUES (?)", [(f"canary {n} " * 300,) for n in range(50)])
    with database.write() as connection:
        connection.execute("DELETE FROM words")
    size = database.path.stat().st_size
    database.compact()
    files = [path for path in database.path.parent.iterdir() if b"canary" in path.read_bytes()]
    assert files == []
    assert database.path.stat().st_size < max(size, 100_000)
