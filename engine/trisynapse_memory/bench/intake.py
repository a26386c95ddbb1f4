"""A folder of files of every format in; what each became, and how its text compares with ground truths, out.

Every file goes through the same child process as an import, and nothing is stored. A ground truth is found by where it
lies: ``sources/X`` has ``groundtruth/X.md``, ``X`` has ``expected_outputs/<stem>.md``, ``source.html`` has
``expected.html``, and the pages of a folder with trafilatura's evaluation file have segments. A family is a folder;
PDFs that lie in a folder of another format are one of their own, for what is asked of them differs.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trisynapse_memory.bench.asides import asides_of
from trisynapse_memory.bench.corpora import files_in
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.gold_texts import (
    Cell,
    GoldText,
    ReadText,
    Segments,
    Tally,
    Words,
    cells_read,
    compare,
    read_markdown,
    read_page,
    read_segments,
    words_around,
    words_of,
    words_of_cells,
)
from trisynapse_memory.bench.machine import children_peak_rss_mb, describe_machine, digest_of
from trisynapse_memory.bench.report import CategoryRow, Report, Skip
from trisynapse_memory.config import Config
from trisynapse_memory.errors import SourceError
from trisynapse_memory.preprocessing.blocks import CELL_JOINT
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Listing, Modality

FOLDER: Final = "intake"
SEGMENT_FILE: Final = "evaldata_subset.json"
_GOLD_FOLDERS: Final = frozenset({"groundtruth", "expected_outputs"})
_GOLD_NAMES: Final = frozenset({"expected.html", "expected-metadata.json", SEGMENT_FILE})
_NO_GOLD: Final = GoldText(())


@dataclass(slots=True)
class FileReading:
    """What came of one file."""

    path: Path
    loader: str = ""
    failure: str = ""
    texts: list[str] = field(default_factory=list[str])
    cells: list[Cell] = field(default_factory=list[Cell])
    all_cells: list[Words] = field(default_factory=list["Words"])
    verdicts: Counter[str] = field(default_factory=Counter[str])
    member_count: int = 0

    @property
    def status(self) -> str:
        """``success``, ``partial`` where a page is not ok (its verdict says why), or ``failed``."""
        if self.failure:
            return "failed"
        return "success" if not self.verdicts or set(self.verdicts) == {"ok"} else "partial"


@dataclass(slots=True)
class Family:
    """The files of one folder, and how they compare."""

    name: str
    files: list[FileReading] = field(default_factory=list[FileReading])
    tally: Tally = field(default_factory=Tally)
    compared: int = 0
    segments: Counter[str] = field(default_factory=Counter[str])
    wall_s: float = 0.0

    def metrics(self) -> dict[str, float]:
        """Return the figures of this family; those without a ground truth are left out."""
        verdicts = sum((one.verdicts for one in self.files), Counter[str]())
        figures = {"compared": float(self.compared), **self.tally.shares()}
        for name in ("kept", "foreign"):
            if self.segments[f"all {name}"]:
                figures[f"segments_{name}"] = round(self.segments[name] / self.segments[f"all {name}"], 4)
        statuses = Counter(one.status for one in self.files)
        figures |= {name: float(statuses[name]) for name in ("success", "partial", "failed") if statuses[name]}
        figures |= {f"verdict:{name}": float(count) for name, count in sorted(verdicts.items())}
        if members := sum(one.member_count for one in self.files):
            figures["members"] = float(members)
        figures["pages_per_s"] = round(verdicts.total() / max(self.wall_s, 1e-9), 2)
        return figures


def run(data: Path, limit: int | None, note: Note) -> Report:
    """Read every file of ``intake`` and compare it; ``limit`` stops after so many files."""
    root = data / FOLDER
    paths = [path for path in files_in(root, "**/*") if not _is_gold(path)]
    families: dict[str, Family] = {}
    skips: list[Skip] = []
    sandbox = Sandbox(Config(), low_priority=False)
    try:
        for path in paths[:limit]:
            note(f"reading {path.relative_to(root)}")
            name = family_of(path, root)
            family = families.setdefault(name, Family(name))
            began = time.perf_counter()
            reading = read_file(sandbox, path)
            family.wall_s += time.perf_counter() - began
            skips += _judge(family, reading)
    finally:
        sandbox.close()
    if len(paths) > (limit or len(paths)):
        skips.append(Skip(what="file", count=len(paths) - (limit or 0), reason="The limit was reached."))
    return _report(list(families.values()), skips, digest_of(paths, data))


def read_file(sandbox: Sandbox, path: Path) -> FileReading:
    """Read one file as an import does, members told and not read; an error becomes its code."""
    reading = FileReading(path)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        reading.loader = choose_loader(head, path.name, Registry())
        for part in sandbox.load(path, reading.loader, filename=path.name):
            if isinstance(part, LoadedPage):
                _take_page(reading, part)
            elif isinstance(part, Listing):
                reading.member_count += 1
    except SourceError as error:
        reading.failure = error.code
    return reading


def _take_page(reading: FileReading, part: LoadedPage) -> None:
    reading.verdicts[part.page.verdict.value] += 1
    reading.texts.append(part.page.text)
    for section in part.sections:
        if section.modality is Modality.TABLE:
            table = part.page.text[section.start : section.end]
            # A locator names every column, the searchable field only those that have a name.
            reading.all_cells += words_of_cells(table)
            named = section.locator.headers if section.locator is not None else ()
            reading.cells += cells_read(table, named or section.fields.get("headers", "").split(CELL_JOINT))


def _judge(family: Family, reading: FileReading) -> Iterator[Skip]:
    family.files.append(reading)
    if reading.failure:
        yield Skip(what=f"{family.name}: {reading.path.name}", count=1, reason=reading.failure)
    read = words_of("\n\n".join(reading.texts))
    segments = _segments_of(reading.path)
    if segments is not None:
        kept, foreign = segments.shares(read)
        family.segments.update({"kept": kept, "foreign": foreign})
        family.segments.update({"all kept": len(segments.wanted), "all foreign": len(segments.unwanted)})
        family.compared += 1
    gold = gold_of(reading.path)
    if gold is None:
        return
    if not gold.words:
        yield Skip(what=f"{family.name}: {reading.path.name}", count=1, reason="Its ground truth is empty.")
        return
    said = ReadText(read, reading.cells, reading.all_cells)
    family.tally += compare(gold, said, words_of(asides_of(reading.path)))
    family.compared += 1


def gold_of(path: Path) -> GoldText | None:
    """Return the ground truth that lies beside a file, or None."""
    page = path.with_name("expected.html")
    if path.name == "source.html" and page.is_file():
        return read_page(page.read_text("utf-8"), words_around(path.with_name("expected-metadata.json")))
    for found in _gold_paths(path):
        if found.is_file():
            text = found.read_text("utf-8", "replace")
            return read_markdown(text) if text.strip() else _NO_GOLD
    return None


def _gold_paths(path: Path) -> Iterator[Path]:
    if path.parent.name == "sources":
        folder = path.parent.parent / "groundtruth"
        yield from (folder / f"{path.name}.md", folder / f"{path.stem}.md")
    yield path.parent / "expected_outputs" / f"{path.stem}.md"


def _segments_of(path: Path) -> Segments | None:
    table = path.with_name(SEGMENT_FILE)
    return read_segments(table).get(path.name) if table.is_file() else None


def _is_gold(path: Path) -> bool:
    return path.parent.name in _GOLD_FOLDERS or path.name in _GOLD_NAMES


def family_of(path: Path, root: Path) -> str:
    """Return the folder of a file below the corpus, or below a folder with sources: the name of its family."""
    parts = path.relative_to(root).parts
    name = "/".join(parts[:2]) if "sources" in parts else parts[0]
    return f"{name} (pdf)" if path.suffix == ".pdf" and "pdf" not in name else name


def _report(families: Sequence[Family], skips: Sequence[Skip], digest: str) -> Report:
    total, segments = sum((one.tally for one in families), Tally()), defaultdict[str, int](int)
    for family in families:
        segments["files"] += len(family.files)
        segments["pages"] += sum(one.verdicts.total() for one in family.files)
        segments["members"] += sum(one.member_count for one in family.files)
    wall_s = sum(family.wall_s for family in families)
    return Report(
        suite="intake",
        corpus_sha256=digest,
        metrics={**total.shares(), "pages_per_s": round(segments["pages"] / max(wall_s, 1e-9), 2)},
        by_category=tuple(
            CategoryRow(corpus=FOLDER, category=family.name, count=len(family.files), metrics=family.metrics())
            for family in families
        ),
        skipped=tuple(skips),
        ingest={**{name: float(count) for name, count in segments.items()}, "wall_s": round(wall_s, 1)},
        rss_mb=children_peak_rss_mb(),
        machine=describe_machine(),
    )
