"""PDFs in, how soon she can ask about them and how long a question takes meanwhile out; run by hand, asserts nothing.

    python tests/benchmarks/responsiveness.py ../shared/data/papers/pdfs

A real engine process (``python -m trisynapse_memory.service``) works on a new vault in a temporary folder, as the
window starts it; everything is asked through ``EngineClient``. Told are:

* one paper, and all papers: from the call of ``ingest`` to the first question that its words answer, to the end of the
  reading, and to the last vector;
* questions while the engine reads, while it only embeds, and while it rests: wall time over the socket, p50 and p95.

A paper is askable when a phrase of its own, taken from its middle page beforehand, finds it. The first engine start and
its first question (which loads the model) are told apart.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import pymupdf

from trisynapse_memory.bench.machine import describe_machine
from trisynapse_memory.bench.metrics import percentile
from trisynapse_memory.client import EngineClient, attach

QUESTIONS = (
    "How many layers does the tree have?",
    "What does the battery life depend on?",
    "Which model reaches the highest accuracy?",
    "How is the watch charged?",
    "What are the limits of the method?",
    "Who took part in the survey?",
    "Which data sets were used for evaluation?",
    "What happens when the button is pressed for three seconds?",
)
POLL_S = 0.02  # between two looks whether a paper can be asked about
IDLE_COUNT = 60  # questions asked at rest
PROBE_WORDS = 6
WATCHED_COUNT = 2  # papers looked for at a time; more would be questions enough to slow the reading


@dataclass
class Probe:
    """Words that stand together in one paper and in no other."""

    path: Path
    phrase: str


@dataclass
class Asked:
    """Questions of one phase, in milliseconds."""

    laps_ms: list[float] = field(default_factory=list)

    def told(self) -> dict[str, float]:
        laps = self.laps_ms
        return {"count": len(laps), "p50_ms": percentile(laps, 0.5), "p95_ms": percentile(laps, 0.95)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="a folder of PDFs")
    parser.add_argument("--embed-s", type=float, default=1800.0, help="stop waiting for vectors after so long")
    chosen = parser.parse_args()
    folder: Path = chosen.folder
    probes = [probe for path in sorted(folder.glob("*.pdf")) if (probe := probe_of(path)) is not None]
    if not probes:
        sys.exit(f"'{folder}' holds no PDF with a text layer.")
    print(json.dumps(measure(probes, chosen.embed_s), indent=1))


def measure(probes: Sequence[Probe], embed_s: float) -> dict[str, object]:
    small = min(probes, key=lambda probe: abs(page_count(probe.path) - 15))  # a paper of the usual length
    told: dict[str, object] = {"machine": describe_machine()}
    with engine_process() as (vault, start_s):
        told["engine_start_s"] = start_s
        told["first_question_s"] = timed_s(lambda: ask(vault, QUESTIONS[0]))
        told["one_paper"] = {"pages": page_count(small.path), **drop(vault, [small], embed_s)[0]}
    with engine_process() as (vault, _):
        ask(vault, QUESTIONS[0])
        arrival, reading, embedding = drop(vault, probes, embed_s)
        pages = sum(page_count(probe.path) for probe in probes)
        told["all_papers"] = {"papers": len(probes), "pages": pages, **arrival}
        idle = Asked()
        keep_asking(vault, idle, lambda: len(idle.laps_ms) >= IDLE_COUNT)
        phases = {"while_reading": reading, "while_embedding": embedding, "idle": idle}
        told["questions"] = {name: asked.told() for name, asked in phases.items()}
        told["reading_to_idle_p50"] = ratio(reading, idle)
        told["embedding_to_idle_p50"] = ratio(embedding, idle)
    return told


def drop(vault: Path, probes: Sequence[Probe], embed_s: float) -> tuple[dict[str, float], Asked, Asked]:
    """Ingest, and watch from other connections when each paper answers; ask all the while."""
    started = time.perf_counter()
    read, embedded = Event(), Event()
    askable_s: dict[Path, float] = {}
    reading, embedding = Asked(), Asked()
    watchers = [
        Thread(target=watch, args=(vault, probes, askable_s, started, read)),
        Thread(target=keep_asking, args=(vault, reading, read.is_set)),
    ]
    for watcher in watchers:
        watcher.start()
    client = connect(vault)
    client.call("ingest", inputs=[str(probe.path) for probe in probes], wait=False)
    read_s = time.perf_counter() - started
    read.set()
    for watcher in watchers:
        watcher.join()
    asking = Thread(target=keep_asking, args=(vault, embedding, embedded.is_set))
    asking.start()
    left = client.call("jobs.wait", timeout_s=embed_s).vectors
    vectors_s = time.perf_counter() - started
    embedded.set()
    asking.join()
    client.close()
    times = sorted(askable_s.values())
    arrival = {
        "askable": float(len(times)),
        "first_askable_s": times[0] if times else 0.0,
        "last_askable_s": times[-1] if times else 0.0,
        "words_done_s": read_s,
        "vectors_done_s" if not left else "vectors_stopped_s": vectors_s,
        "vectors_left": float(left),
    }
    return {name: round(value, 2) for name, value in arrival.items()}, reading, embedding


def watch(vault: Path, probes: Sequence[Probe], askable_s: dict[Path, float], started: float, read: Event) -> None:
    """Note when each paper is first found by its phrase; what the last look after the reading misses stays untold."""
    client = connect(vault)
    waiting = list(probes)
    last_look = False
    while waiting and not last_look:
        last_look = read.is_set()
        # Papers are read in order, so the next to come is among the first that wait, one of which may never be found.
        for probe in waiting if last_look else waiting[:WATCHED_COUNT]:
            hits = client.call("search", question=f'"{probe.phrase}"', top_k=1).hits
            if hits and normal(probe.phrase) in normal(hits[0].record.text):
                askable_s[probe.path] = time.perf_counter() - started
        waiting = [probe for probe in waiting if probe.path not in askable_s]
        time.sleep(POLL_S)
    client.close()


def keep_asking(vault: Path, asked: Asked, done: Callable[[], bool]) -> None:
    """Ask one question after the other, with a breath between, as a person in a hurry would."""
    client = connect(vault)
    number = 0
    while not done():
        # A number makes each question new, so that no cached embedding flatters the figure.
        question = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"
        asked.laps_ms.append(timed_s(lambda q=question: client.call("search", question=q)) * 1000)
        number += 1
        time.sleep(0.1)
    client.close()


@contextmanager
def engine_process() -> Iterator[tuple[Path, float]]:
    """Start the engine as the window does; it ends when its standard input closes."""
    with tempfile.TemporaryDirectory(prefix="trisynapse-bench-") as folder:
        vault = Path(folder) / "bench.vault"
        command = [sys.executable, "-m", "trisynapse_memory.service", str(vault), "--create", "--offline"]
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("READY"):
            sys.exit(f"The engine did not start: {line.strip() or 'it said nothing'}")
        try:
            yield vault, round(time.perf_counter() - started, 2)
        finally:
            process.stdin.close()
            process.wait(timeout=300)
            process.stdout.close()


def connect(vault: Path) -> EngineClient:
    client = attach(vault, 30.0)
    if client is None:
        sys.exit("Nobody owns the vault.")
    return client


def ask(vault: Path, question: str) -> None:
    client = connect(vault)
    client.call("search", question=question)
    client.close()


def probe_of(path: Path) -> Probe | None:
    """Take six plain words in a row from the middle page, or from the nearest one that has them."""
    with pymupdf.open(path) as document:
        middle = len(document) // 2
        for number in sorted(range(len(document)), key=lambda page: abs(page - middle)):
            for line in document[number].get_text().splitlines():
                found = re.search(rf"(?:\b[A-Za-z]{{2,}} ){{{PROBE_WORDS - 1}}}[A-Za-z]{{2,}}\b", line)
                if found:
                    return Probe(path, found[0])
    return None


def page_count(path: Path) -> int:
    with pymupdf.open(path) as document:
        return len(document)


def normal(text: str) -> str:
    return " ".join(text.casefold().split())


def timed_s(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return round(time.perf_counter() - started, 4)


def ratio(busy: Asked, idle: Asked) -> float:
    middle = percentile(idle.laps_ms, 0.5)
    return round(percentile(busy.laps_ms, 0.5) / middle, 2) if middle else 0.0


if __name__ == "__main__":
    main()
