"""Synthetic Zipf records in, time and size of the lexical index out; run by hand, nothing is asserted here.

    python tests/benchmarks/lexical.py --records 100000

A record has about 120 words out of 300,000, each of them also under a stem that two words share, except the 120 most
frequent, which stand for function words. Questions are words of one record without those, with and without stems.
All times are CPU time of this process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trisynapse_memory.config import Config
from trisynapse_memory.indexing.indexes.lexical import LexicalIndex
from trisynapse_memory.types import Kind, Namespace, QueryTerm, Record, RecordId, Scope, SourceId, Terms

VOCABULARY_COUNT = 300_000
FUNCTION_COUNT = 120
WORDS_PER_RECORD = 120
RECORDS_PER_SOURCE = 800


@dataclass(frozen=True, slots=True)
class BenchEntry:
    record: Record
    terms: Terms
    visible: bool = True


class Writer:
    """Draws records; the same seed draws the same ones."""

    def __init__(self, seed: int = 7) -> None:
        self.random = np.random.default_rng(seed)
        shares = 1.0 / np.arange(1, VOCABULARY_COUNT + 1) ** 1.05
        self.cumulative = np.cumsum(shares / shares.sum())

    def words(self, count: int) -> list[int]:
        return np.searchsorted(self.cumulative, self.random.random(count)).tolist()

    def entry(self, seq: int) -> BenchEntry:
        places: dict[str, list[int]] = {}
        words = self.words(int(self.random.integers(60, 180)))
        for position, word in enumerate(words):
            for key in keys_of(word):
                places.setdefault(key, []).append(position)
        terms = Terms(tuple(places), tuple(map(tuple, places.values())), len(words))
        return BenchEntry(record_of(seq), terms)


def keys_of(word: int) -> tuple[str, ...]:
    return (f"w{word:x}",) if word < FUNCTION_COUNT else (f"w{word:x}", f"~{word // 2:x}")


def record_of(seq: int) -> Record:
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="bench",
        device_seq=seq,
        written_at=None,  # type: ignore[arg-type]  # no index reads it
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        namespace=Namespace(user_id="u"),
        source_id=SourceId(f"s{seq // RECORDS_PER_SOURCE}"),
    )


def questions(writer: Writer, count: int, stems: bool) -> Iterator[list[QueryTerm]]:
    while count:
        words = list(dict.fromkeys(word for word in writer.words(200) if word >= FUNCTION_COUNT))
        chosen = words[: int(writer.random.integers(3, 7))]
        keys = [key for word in chosen for key in keys_of(word)[: 2 if stems else 1]]
        yield [QueryTerm(key, 0.4 if key.startswith("~") else 1.0) for key in keys]
        count -= 1


def timed(calls: Iterator[Callable[[], object]]) -> str:
    took: list[float] = []
    for call in calls:
        start = time.process_time()
        call()
        took.append((time.process_time() - start) * 1000)
    return f"p50 {np.percentile(took, 50):.2f} ms, p95 {np.percentile(took, 95):.2f} ms, max {max(took):.2f} ms"


def build(index: LexicalIndex, writer: Writer, record_count: int, batch: int) -> None:
    used = 0.0
    commits: list[float] = []
    for first in range(1, record_count + 1, batch):
        entries = [writer.entry(seq) for seq in range(first, min(first + batch, record_count + 1))]
        start = time.process_time()
        index.apply(entries, {}, entries[-1].record.seq)
        commits.append(time.process_time() - start)
        used += commits[-1]
    worst = np.sort(np.array(commits) * 1000)[-3:].round()
    print(f"build: {record_count / used:.0f} records per CPU second, in commits of {batch}")
    print(
        f"commit: p50 {np.median(commits) * 1000:.0f} ms, p95 {np.percentile(commits, 95) * 1000:.0f} ms, worst {worst}"
    )


def report(index: LexicalIndex, writer: Writer, path: Path, record_count: int) -> None:
    from trisynapse_memory.indexing import segments

    with index._database.read() as connection:
        print(f"segments: {segments.segment_count(connection)}")
    index._database.checkpoint()
    print(f"size: {path.stat().st_size / record_count:.0f} bytes per record, {path.stat().st_size / 2**20:.0f} MiB")
    everything = Scope()
    index.search([QueryTerm("w500")], everything, 1)  # loads the rows of all records once
    for stems in (False, True):
        asked = list(questions(writer, 300, stems))
        print(f"search{' with stems' * stems}: " + timed((lambda q=q: index.search(q, everything, 500)) for q in asked))
    one = Scope(source_ids=(SourceId("s3"),))
    print(
        "search in one source: " + timed((lambda q=q: index.search(q, one, 500)) for q in questions(writer, 100, True))
    )
    pairs = [[f"w{word:x}" for word in writer.words(2)] for _ in range(100)]
    print("phrase of two drawn words: " + timed((lambda p=p: index.phrase(p, everything, 500)) for p in pairs))


def change(index: LexicalIndex, writer: Writer, record_count: int) -> None:
    top = record_count
    hidden = dict.fromkeys(range(record_count // 2, record_count // 2 + RECORDS_PER_SOURCE), False)
    print("hide 800: " + timed(iter([lambda: index.apply([], hidden, top)])))
    singles = [writer.entry(top + 1 + number) for number in range(200)]
    print("append one: " + timed((lambda e=e: index.apply([e], {}, e.record.seq)) for e in singles))
    print(
        "search after an append: "
        + timed((lambda q=q: index.search(q, Scope(), 500)) for q in questions(writer, 1, True))
    )
    steps = 0
    start = time.process_time()
    while not index.merge(50):
        steps += 1
    print(f"merge the rest: {time.process_time() - start:.2f} s")
    asked = list(questions(writer, 300, True))
    print("search with stems, merged: " + timed((lambda q=q: index.search(q, Scope(), 500)) for q in asked))
    print("drop 800: " + timed(iter([lambda: index.drop(list(hidden))])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=128)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        writer = Writer()
        index = LexicalIndex(path, Config())
        build(index, writer, arguments.records, arguments.batch)
        report(index, writer, path, arguments.records)
        change(index, writer, arguments.records)
        index.close()
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
