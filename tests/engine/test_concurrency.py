"""Four threads write and four read at once: no write is lost, nothing raises, and every read is one moment of the log.

``TRISYNAPSE_CONCURRENCY_S`` sets for how long.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Message

DURATION_S = float(os.environ.get("TRISYNAPSE_CONCURRENCY_S", "6"))
WRITERS, READERS = 4, 4


class Crowd:
    """Writers and readers of one engine, and everything they must agree on afterwards."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.engine = engine
        self.stop = threading.Event()
        self.errors: list[BaseException] = []
        self.written: dict[str, list[str]] = {f"chat-{number}": [] for number in range(WRITERS)}
        self.forgotten: set[str] = set()
        self.read_count = 0

    def run(self, duration_s: float) -> None:
        doers = [self._write] * WRITERS + [self._read] * READERS
        threads = [threading.Thread(target=self._guard, args=(do, number % WRITERS)) for number, do in enumerate(doers)]
        for thread in threads:
            thread.start()
        time.sleep(duration_s)
        self.stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()

    def _guard(self, do: Callable[[int], None], number: int) -> None:
        try:
            while not self.stop.is_set():
                do(number)
        except BaseException as error:
            self.errors.append(error)
            self.stop.set()

    def _write(self, number: int) -> None:
        """Say something of one's own; now and then correct or forget it."""
        group = f"chat-{number}"
        mine = self.written[group]
        count = len(mine)
        text = f"Probe{number}x{count} launches on {1 + count % 28} May 2027."
        message = Message(role="user", content=text, id=str(count))
        (record_id,) = self.engine.ingest_messages([message], group_id=group)
        mine.append(str(record_id))
        if count % 7 == 3:
            self.engine.correct(mine[-2], f"Probe{number}x{count - 1} launches on 30 June 2027.", "moved")
        if count % 7 == 6:
            self.engine.forget(mine[-3], "not needed")
            self.forgotten.add(mine[-3])

    def _read(self, number: int) -> None:
        """Whatever is found is whole: its text, its place, its visibility at the moment of the read."""
        self.read_count += 1
        group, mine = f"chat-{number}", list(self.written[f"chat-{number}"])
        gone = set(self.forgotten)
        hits = self.engine.search(f"Probe{number}x{max(len(mine) - 2, 0)}").hits
        assert not gone & {str(hit.record.id) for hit in hits}, "what was forgotten before the read is not found"
        for hit in hits:
            assert hit.excerpt in hit.record.text
        answer = self.engine.query(f"When does Probe{number}x0 launch?")
        assert answer.abstain or all(citation.excerpt for citation in answer.citations)
        records = self.engine.list_records(kind="raw_source", limit=10_000, include_retracted=True)
        known = {str(record.id) for record in records if record.group_id == group}
        assert known >= set(mine), "what was written before the read is there"
        seqs = [record.seq for record in records]
        assert seqs == sorted(set(seqs))


@pytest.mark.timeout(180 + 4 * DURATION_S)
def test_writers_and_readers_do_not_disturb_each_other(tmp_path: Path, in_process: None) -> None:
    with MemoryEngine.open(tmp_path / "one.vault", create=True, offline=True) as engine:
        crowd = Crowd(engine)
        crowd.run(DURATION_S)
        assert crowd.errors == []
        assert crowd.read_count > READERS
        records = engine.list_records(kind="raw_source", limit=100_000, include_retracted=True)
        for group, mine in crowd.written.items():
            assert [str(record.id) for record in records if record.group_id == group] == mine, "no write is lost"
            assert len(mine) > 3
        engine.jobs.wait()
        proof = engine.validate()
        assert proof.ok, proof.findings
        print(f"{sum(map(len, crowd.written.values()))} writes, {crowd.read_count} rounds of reading")
