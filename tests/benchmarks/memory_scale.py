"""A number of records in, what each costs every projection, the disk and the next opening out; asserts nothing.

    python tests/benchmarks/memory_scale.py --records 100000

A vault grows through the real rooms, without workers: sources of 500 records of 60 words are appended and projected in
batches as an ingest does it, each batch is followed by its facts (two per record) as the extraction appends them, and
by drawn unit vectors as the backlog puts them (``drawn_records.py`` says what is in them). Printed is JSON:

* ``projection``: processor time of ``Projector.catch_up`` per record (with its facts), by index, in the window of 1,000
  records after the first 1,000 and in the last window, their ratio, and the same for every tenth of the run;
* ``in_turns``: the same of 3,000 more records, sources taken in turns by the full vault and by a new one of 1,000
  records: neighbours of the process come and go within minutes, and its processor time with them;
* ``replace``: wall time until a new version of a source of 800 chunks has replaced the old one and its 1,600 facts;
* ``opening``: wall time of opening the full vault, several times;
* ``bytes``: per record, by file, by table and by kind of log record; vectors included, originals not.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from drawn_records import FACT_COUNT, PATTERN, Writer, Written, batched, fact_drafts, page_drafts

from trisynapse_memory.bench.machine import Stopwatch, describe_machine, peak_rss_mb
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Index
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.vector_tables import text_hash_of
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import opening
from trisynapse_memory.pipelines.furnishing import EMBEDDER, Conditions, Projections, open_projections
from trisynapse_memory.pipelines.opening import open_rooms
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.registry import Registry
from trisynapse_memory.scoring import patterns
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import (
    Chunk,
    Draft,
    Heading,
    Kind,
    Locator,
    Namespace,
    Page,
    PageVerdict,
    Record,
    SourceDetails,
    SourceId,
    Terms,
)
from trisynapse_memory.vault import Vault

SOURCE_RECORDS = 500
PAGE_RECORDS = 8
BATCH_RECORDS = 64
FACT_BATCH_RECORDS = 32
WINDOW_RECORDS = 1_000
REPLACED_CHUNKS = 800
OPENING_COUNT = 3
YOUNG_SOURCES = 2
TURNS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--records", type=int, default=100_000, help="records of 60 words; facts come on top")
    parser.add_argument("--keep", type=Path, help="leave the vault in this new folder")
    parser.add_argument("--facts", type=int, default=FACT_COUNT, help="facts per record (default 2)")
    chosen = parser.parse_args()
    if chosen.records < 2 * WINDOW_RECORDS:
        sys.exit(f"At least {2 * WINDOW_RECORDS} records are needed: two windows of {WINDOW_RECORDS}.")
    # Facts of a pattern that nobody judged are never shown, and what is never shown costs less.
    patterns.PATTERNS = {PATTERN: patterns.Worth(PATTERN, 200, 200)}
    with tempfile.TemporaryDirectory(prefix="trisynapse-bench-") as folder:
        vault = Path(folder) / "bench.vault"
        print(json.dumps(measure(vault, chosen.records, chosen.facts), indent=1))
        if chosen.keep:
            shutil.copytree(vault, chosen.keep)


def measure(folder: Path, record_count: int, fact_count: int) -> dict[str, object]:
    told: dict[str, object] = {"machine": describe_machine(), "records": record_count, "facts_per_record": fact_count}
    told["projection"] = grow(folder, record_count, Writer(fact_count=fact_count))
    told["bytes"] = weigh(folder, record_count)
    told["in_turns"] = take_turns(folder, folder.with_name("young.vault"), Writer(seed=9, fact_count=fact_count))
    told["opening"] = open_again(folder)
    told["replace"] = replace(folder)
    told["peak_rss_mb"] = peak_rss_mb()
    return told


# ---------------------------------------------------------------- growing a vault


class TimedIndex:
    """An index that adds up the processor time of its writes."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.name = index.name
        self.takes_all_facts = index.takes_all_facts
        self.cpu_s = 0.0

    def apply(self, *taken: Any) -> None:
        started = time.process_time()
        self._index.apply(*taken)
        self.cpu_s += time.process_time() - started

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


@dataclass
class Rooms:
    """The log, the projections and the clock of one vault that grows."""

    log: MemoryLog
    made: Projections
    projector: Projector
    indexes: tuple[TimedIndex, ...]
    catching_up: Stopwatch = field(default_factory=Stopwatch)
    putting: Stopwatch = field(default_factory=Stopwatch)

    def append(self, drafts: Sequence[Draft], terms: Sequence[Terms | None] = ()) -> tuple[Record, ...]:
        """Append a batch and bring all indexes up to it, as an ingest and the extraction do."""
        records = self.log.append(drafts)
        known = {record.seq: one for record, one in zip(records, terms, strict=False) if one is not None}
        with self.catching_up.lap():
            self.projector.catch_up(known)
        return records

    def spent_s(self) -> dict[str, float]:
        """Return the processor time so far, by index; ``all`` adds what the projector itself does."""
        by_index = {index.name: index.cpu_s for index in self.indexes}
        return {**by_index, "all": self.catching_up.cpu_s, "put_vectors": self.putting.cpu_s}


def grow(folder: Path, record_count: int, writer: Writer) -> dict[str, object]:
    rooms, close = open_for_growth(Vault.create(folder))
    marks = [(0, rooms.spent_s())]
    started = time.perf_counter()
    for number in itertools.count():
        first = number * SOURCE_RECORDS
        if first >= record_count + WINDOW_RECORDS:
            break
        take_source(rooms, writer, number)
        marks.append((first + SOURCE_RECORDS, rooms.spent_s()))
        if first % 5_000 == 0:
            print(f"{first:,} records, {time.perf_counter() - started:.0f} s", file=sys.stderr)
    close()
    return compare(marks, record_count)


def take_turns(folder: Path, young_folder: Path, writer: Writer) -> dict[str, object]:
    """Let a full vault and a young one take sources in turns; tell microseconds per record of each, and their ratio."""
    full, close_full = open_for_growth(Vault.open(folder))
    young, close_young = open_for_growth(Vault.create(young_folder))
    numbers = itertools.count(1_000_000)  # of sources that neither has
    for _ in range(YOUNG_SOURCES):
        take_source(young, writer, next(numbers))
    take_source(full, writer, next(numbers))  # reads its pages into the cache
    marks = [(full.spent_s(), young.spent_s())]
    for _ in range(TURNS):
        take_source(full, writer, next(numbers))
        take_source(young, writer, next(numbers))
    marks.append((full.spent_s(), young.spent_s()))
    close_full()
    close_young()
    late, early = (
        per_record({0: marks[0][side], TURNS * SOURCE_RECORDS: marks[1][side]}, 0, TURNS * SOURCE_RECORDS)
        for side in (0, 1)
    )
    return {"young_us": early, "full_us": late, "full_to_young": ratios_of(late, early)}


def open_for_growth(vault: Vault) -> tuple[Rooms, Callable[[], None]]:
    registry, config = Registry(), Config()
    log = MemoryLog(vault.log_path, "dev_bench")
    made = open_projections(vault.root, config, registry, registry.load("embedder", EMBEDDER)(), log)
    indexes = tuple(map(TimedIndex, made.indexes))
    projector = Projector(log, cast("tuple[Index, ...]", indexes), made.database)

    def close() -> None:
        projector.close()
        made.database.close()
        log.close()
        vault.close()

    return Rooms(log, made, projector, indexes), close


def take_source(rooms: Rooms, writer: Writer, number: int) -> None:
    """Let one source arrive: pages and chunks in batches, each followed by its facts and vectors."""
    source_id = SourceId(f"src_{hashlib.sha256(str(number).encode()).hexdigest()[:20]}")
    details = SourceDetails(
        source_key=f"file:/papers/{number}.txt",
        kind="text",
        title=f"Report {number}",
        version=1,
        content_hash=hashlib.sha256(source_id.encode()).hexdigest(),
    )
    rooms.append([Draft(kind=Kind.SOURCE, text=details.title, source_id=source_id, payload=details)])
    page_number = 0
    for start in range(0, SOURCE_RECORDS, BATCH_RECORDS):
        written = [writer.record(number) for _ in range(min(BATCH_RECORDS, SOURCE_RECORDS - start))]
        drafts, terms = list[Draft](), list[Terms | None]()
        for page in batched(written, PAGE_RECORDS):
            page_number += 1
            drafts.extend(page_drafts(source_id, page_number, page))
            terms.extend((None, *(one.terms for one in page)))
        records = [one for one in rooms.append(drafts, terms) if one.kind is Kind.RAW_SOURCE]
        if writer.fact_count:
            for part in batched(zip(records, written, strict=True), FACT_BATCH_RECORDS):
                rooms.append(fact_drafts(part))
        put_vectors(rooms, writer, records)
    lifecycle.complete(rooms.log, Shelf(rooms.log), source_id, {"ok": page_number})
    rooms.append([])


def put_vectors(rooms: Rooms, writer: Writer, records: Sequence[Record]) -> None:
    vectors = rooms.made.vectors
    drawn = writer.vectors(len(records), vectors.dimension)
    hashes = [text_hash_of(record.text, record.fields) for record in records]
    with rooms.putting.lap():
        vectors.put(dict(zip(hashes, drawn, strict=True)))


def compare(marks: Sequence[tuple[int, dict[str, float]]], record_count: int) -> dict[str, object]:
    """Tell microseconds per record by index: in two windows, and in each tenth of the run."""
    at = dict(marks)
    early = per_record(at, WINDOW_RECORDS, 2 * WINDOW_RECORDS)
    last = max(at)
    late = per_record(at, last - WINDOW_RECORDS, last)
    step = max(SOURCE_RECORDS, record_count // 10 // SOURCE_RECORDS * SOURCE_RECORDS)
    tenths = [per_record(at, start, start + step) for start in range(0, record_count - step + 1, step)]
    return {
        "early_us": early,
        "late_us": late,
        "late_to_early": ratios_of(late, early),
        "tenths_us": tenths,
        "last_tenth_to_first": ratios_of(tenths[-1], tenths[0]),
    }


def per_record(at: dict[int, dict[str, float]], start: int, end: int) -> dict[str, float]:
    return {name: round((at[end][name] - at[start][name]) / (end - start) * 1e6, 1) for name in at[end]}


def ratios_of(late: dict[str, float], early: dict[str, float]) -> dict[str, float]:
    return {name: round(late[name] / early[name], 2) for name in late if early[name] > 0}


# ---------------------------------------------------------------- weighing, opening, replacing


def weigh(folder: Path, record_count: int) -> dict[str, object]:
    """Tell bytes per record by file and by table, and what the log spends on each kind; nothing is open meanwhile."""
    count = record_count + WINDOW_RECORDS
    files = {path.name: path.stat().st_size for path in folder.iterdir() if path.suffix == ".db"}
    tables = {name: table_bytes(folder / name) for name in files}
    database = Database(folder / "log.db")
    with database.read() as connection:
        kinds = connection.execute("SELECT kind, count(*), sum(length(content)) FROM records GROUP BY kind").fetchall()
    database.close()
    return {
        "per_record": round(sum(files.values()) / count),
        "by_file": {name: round(size / count) for name, size in files.items()},
        "by_table": {
            name: {table: round(size / count) for table, size in found.most_common(12)}
            for name, found in tables.items()
        },
        "content_of_each": {kind: round(size / number) for kind, number, size in kinds},
    }


def table_bytes(path: Path) -> Counter[str]:
    database = Database(path)
    with database.read() as connection:
        rows = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    database.close()
    return Counter(dict(rows))


def open_again(folder: Path) -> dict[str, object]:
    watch = Stopwatch()
    for _ in range(OPENING_COUNT):
        with watch.lap():
            engine = MemoryEngine.open(folder, create=False, offline=True)
        engine.close()
    return {"wall_s": [round(lap / 1000, 3) for lap in watch.wall_ms], "cpu_s": round(watch.cpu_s / OPENING_COUNT, 3)}


class DrawnSandbox:
    """The reader's place in this process: the chunks that were drawn for a file beforehand, by what the file says."""

    drawn: dict[str, tuple[Written, ...]] = {}  # noqa: RUF012

    def __init__(self, *_: object) -> None:
        return None

    def load(self, path: Path, *_: object, **__: object) -> Iterator[LoadedPage | Heading]:
        written = self.drawn[path.read_text(encoding="utf-8")]
        yield Heading(page_count=len(written) // PAGE_RECORDS)
        for number, page in enumerate(batched(written, PAGE_RECORDS), start=1):
            drafts = list(page_drafts(SourceId("drawn"), number, page))
            chunks = [
                Chunk(page=number, text=draft.text, locator=draft.locator or Locator(kind="page"), terms=one.terms)
                for draft, one in zip(drafts[1:], page, strict=True)
            ]
            yield LoadedPage(
                page=Page(number=number, text=drafts[0].text, verdict=PageVerdict.OK), chunks=tuple(chunks)
            )

    def close(self) -> None:
        return None


def replace(folder: Path) -> dict[str, object]:
    """Give the full vault a source of 800 chunks with its facts, and then a new version of it."""
    opening.Sandbox = DrawnSandbox  # what a worker does is not measured here
    opened = open_rooms(folder, Config(), Conditions(offline=True), create=False, warm=False)
    opened.jobs.close()  # no background work beside the clock
    engine = MemoryEngine(opened, Namespace(project_id=None))
    paper = folder.parent / "paper.txt"
    writer = Writer(seed=8)
    for name in ("first", "second"):  # reading and counting words is a worker's time
        DrawnSandbox.drawn[name] = tuple(writer.record(1) for _ in range(REPLACED_CHUNKS))
    watch = Stopwatch()
    try:
        paper.write_text("first", encoding="utf-8")
        with watch.lap():
            run = engine.ingest(paper, wait=False)
        records = opened.rooms.log.of_source(run.results[0].source_id or "", Kind.RAW_SOURCE)
        for part in batched(zip(records, DrawnSandbox.drawn["first"], strict=True), FACT_BATCH_RECORDS):
            opened.rooms.log.append(fact_drafts(part))
        opened.rooms.projector.catch_up()
        paper.write_text("second", encoding="utf-8")
        with watch.lap():
            run = engine.ingest(paper, wait=False)
    finally:
        engine.close()
    return {
        "chunks": len(records),
        "version": run.results[0].version,
        "first_wall_s": round(watch.wall_ms[0] / 1000, 3),
        "wall_s": round(watch.wall_ms[1] / 1000, 3),
        "cpu_s": round(watch.cpu_ms[1] / 1000, 3),
    }


if __name__ == "__main__":
    main()
