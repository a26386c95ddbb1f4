"""A database of bookmarks that Firefox has open: what it has just written is read, and nothing is disturbed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.engine.preprocessing.bookmarking import bookmark_cases as cases
from trisynapse_memory.memory_engine import MemoryEngine


def test_what_lies_in_the_log_beside_the_database_is_read_too(engine: MemoryEngine, tmp_path: Path):
    profile = tmp_path / "profile"
    profile.mkdir()
    path = profile / "places.sqlite"
    cases.places(path)
    with closing(sqlite3.connect(path)) as firefox:
        firefox.execute("INSERT INTO moz_places VALUES (3, 'https://just.example/now', '')")
        firefox.execute("INSERT INTO moz_bookmarks VALUES (20, 1, 3, 5, 1, 'Just now', NULL, '', 0, 0, 'b3')")
        firefox.commit()
        before = {one.name: one.read_bytes() for one in profile.iterdir() if not one.name.endswith("-shm")}
        assert len(before["places.sqlite-wal"]) > 0
        engine.ingest(path)
        assert "Just now" in {one.title for one in engine.sources.list()}
        assert {one.name: one.read_bytes() for one in profile.iterdir() if not one.name.endswith("-shm")} == before
        firefox.execute("INSERT INTO moz_places VALUES (4, 'https://later.example/', '')")
        firefox.commit()
