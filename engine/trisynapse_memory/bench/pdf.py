"""Folders of PDFs in, how fast the sandbox reads them and what it says of their pages out. Nothing is stored here.

Every page a heading states must come out once, with one verdict; the files where that fails are told by name. The
baseline is PyMuPDF's plain text of the same files in a child of its own: what reading alone costs, without geometry,
verdicts, chunks and index terms.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trisynapse_memory.bench.corpora import DATA_HINT, files_in
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import (
    children_cpu_s,
    children_peak_rss_mb,
    describe_machine,
    digest_of,
)
from trisynapse_memory.bench.metrics import ratios
from trisynapse_memory.bench.report import BaselineRow, CategoryRow, Report, Skip
from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError, SourceError
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.types import Heading

FOLDERS: Final = ("papers/pdfs", "intake")
PLAIN_BUDGET_S: Final = 600.0

_PLAIN: Final = """
import sys, pymupdf
pages = 0
for path in sys.argv[1:]:
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text()
            pages += 1
print(pages)
"""


@dataclass(slots=True)
class Reading:
    """What came of the files of one folder."""

    name: str
    verdicts: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])
    miscounted: list[str] = field(default_factory=list[str])
    read: list[Path] = field(default_factory=list[Path])
    stated_pages: int = 0
    pages: int = 0
    chunks: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def metrics(self) -> dict[str, float]:
        """Return the figures of this folder; the share of stated pages that got their verdict must be 1."""
        return {
            "pages_per_s": round(self.pages / max(self.wall_s, 1e-9), 2),
            "pages_per_cpu_s": round(self.pages / max(self.cpu_s, 1e-9), 2) if self.cpu_s else 0.0,
            "pages_with_a_verdict": round(self.verdicts.total() / max(self.stated_pages, 1), 4),
        }

    def verdict_counts(self) -> dict[str, float]:
        """Return the pages of each verdict by a name that no other figure has."""
        return {f"verdict:{name}": float(count) for name, count in sorted(self.verdicts.items())}


def run(data: Path, limit: int | None, note: Note) -> Report:
    """Read the PDFs of ``papers/pdfs`` and, where it is there, ``intake``; ``limit`` stops after so many pages."""
    if not data.is_dir():
        raise InvalidInputError(f"There is no folder '{data}'.", hint=DATA_HINT)
    folders = [data / name for name in FOLDERS if (data / name).is_dir()]
    if not folders:
        raise InvalidInputError(f"'{data}' holds none of {', '.join(FOLDERS)}.", hint=DATA_HINT)
    paths = {folder: files_in(folder, "**/*.pdf") for folder in folders}
    readings: list[Reading] = []
    left = limit
    for folder, found in paths.items():
        reading = _read_folder(folder.relative_to(data).as_posix(), found, left, note)
        readings.append(reading)
        left = None if left is None else max(0, left - reading.pages)
    plain = _read_plainly(readings[0].read)
    return _report(readings, plain, digest_of([path for found in paths.values() for path in found], data))


def _read_folder(name: str, paths: Sequence[Path], limit: int | None, note: Note) -> Reading:
    """Read with one worker; its processor time is known when it has ended."""
    reading = Reading(name)
    sandbox = Sandbox(Config(), low_priority=False)
    wall, cpu = time.perf_counter(), children_cpu_s()
    for path in paths:
        if limit is not None and reading.pages >= limit:
            reading.failures["limit"] += 1
            continue
        note(f"reading {path.name}")
        _read_file(sandbox, path, reading)
    sandbox.close()
    reading.wall_s, reading.cpu_s = time.perf_counter() - wall, children_cpu_s() - cpu
    return reading


def _read_file(sandbox: Sandbox, path: Path, reading: Reading) -> None:
    stated, verdicts = 0, Counter[str]()
    try:
        for part in sandbox.load(path, "pdf"):
            if isinstance(part, Heading):
                stated = part.page_count
            elif isinstance(part, LoadedPage):
                verdicts[part.page.verdict.value] += 1
                reading.chunks += len(part.chunks)
    except SourceError as error:
        reading.failures[error.code] += 1
    else:
        reading.read.append(path)
    reading.verdicts.update(verdicts)
    reading.stated_pages += stated
    reading.pages += verdicts.total()
    if verdicts.total() != stated:
        reading.miscounted.append(path.name)


def _read_plainly(paths: Sequence[Path]) -> Reading:
    reading = Reading("pymupdf")
    if not paths:
        return reading
    wall, cpu = time.perf_counter(), children_cpu_s()
    command = [sys.executable, "-c", _PLAIN, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PLAIN_BUDGET_S, check=False)
    reading.wall_s, reading.cpu_s = time.perf_counter() - wall, children_cpu_s() - cpu
    # MuPDF writes its complaints to standard output too; the count is the last line.
    last = done.stdout.strip().rpartition("\n")[2]
    reading.pages = int(last) if done.returncode == 0 and last.isdigit() else 0
    return reading


def _report(readings: Sequence[Reading], plain: Reading, digest: str) -> Report:
    first = readings[0].metrics()
    floor = {name: value for name, value in plain.metrics().items() if name.startswith("pages_per") and value}
    skips = [
        Skip(what=f"{reading.name}: file", count=count, reason="The limit was reached." if code == "limit" else code)
        for reading in readings
        for code, count in reading.failures.items()
    ]
    skips += [
        Skip(what=f"{reading.name}: {name}", count=1, reason="Its verdicts are not as many as its pages.")
        for reading in readings
        for name in reading.miscounted
    ]
    return Report(
        suite="pdf",
        corpus_sha256=digest,
        metrics=first,
        by_category=tuple(
            CategoryRow(
                corpus=reading.name,
                category="all pages",
                count=reading.pages,
                metrics={**reading.metrics(), **reading.verdict_counts()},
            )
            for reading in readings
        ),
        baselines={"pymupdf": BaselineRow(metrics=floor, ratios=ratios(first, floor))},
        skipped=tuple(skips),
        ingest={
            "files": float(sum(len(reading.read) for reading in readings)),
            "pages": float(sum(reading.pages for reading in readings)),
            "chunks": float(sum(reading.chunks for reading in readings)),
            "cpu_s": round(sum(reading.cpu_s for reading in readings), 1),
            "wall_s": round(sum(reading.wall_s for reading in readings), 1),
        },
        rss_mb=children_peak_rss_mb(),
        machine=describe_machine(),
    )
