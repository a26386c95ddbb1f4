"""Good files of every format in, what became of damaged copies of them out; nothing is stored, and no file is changed.

A damaged file must cost only itself: the engine's own process goes on, the file gets a verdict (its pages do, or an
error says what is wrong with it), and it gets it within its budget. Every copy goes the way of an import: the loaders
are asked in this process, and the one that is surest reads it in a child.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import children_peak_rss_mb, describe_machine, digest_of
from trisynapse_memory.bench.mutations import mutate
from trisynapse_memory.bench.report import CategoryRow, Report, Skip
from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError, SourceError
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Heading, PageVerdict

COPIES: Final = 2_000  # the brief of the intake
SEED: Final = 20_261_201
PAGE_BUDGET_S: Final = 10.0  # half of an import's, so that a parser that hangs does not take the whole run
FILE_BUDGET_S: Final = 60.0
SLACK_S: Final = 25.0  # a fresh worker starts, and its first answer waits for the parser's import
LARGEST_BYTES: Final = 1_500_000  # of a file that is damaged; larger ones only cost time
_GOLDEN: Final = Path(__file__).parents[3] / "tests" / "golden"
_TOLD: Final = 60  # findings that a report tells one by one


@dataclass(slots=True)
class Bench:
    """The good files by the loader that reads them, and what became of the copies made of them."""

    seeds: dict[str, list[Path]] = field(default_factory=dict[str, list[Path]])
    outcomes: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    findings: list[Skip] = field(default_factory=list[Skip])
    slowest_s: float = 0.0


def run(data: Path, limit: int | None, note: Note) -> Report:
    """Damage files of ``intake`` and of the golden tests; ``limit`` says how many copies (2,000)."""
    paths = [path for folder in (data / "intake", _GOLDEN) if folder.is_dir() for path in folder.rglob("*")]
    registry = Registry(guests=False)
    bench = Bench(_by_loader(sorted(paths), registry))
    if not bench.seeds:
        raise InvalidInputError(f"'{data}' holds no folder 'intake'.", hint="Name the folder of the corpora.")
    names = sorted(bench.seeds)
    sandbox = Sandbox(Config(page_budget_s=PAGE_BUDGET_S, file_budget_s=FILE_BUDGET_S), low_priority=False, counter="")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="trisynapse-fuzz-") as folder:
        for number in range(limit or COPIES):
            dice = Random(SEED + number)
            name = names[number % len(names)]  # each loader as often as any other
            seed = dice.choice(bench.seeds[name])
            note(f"{number} {name}: {seed.name}")
            _damage(bench, sandbox, registry, Path(folder), (number, name, seed, dice))
    sandbox.close()
    wall_s = time.perf_counter() - began
    return _report(bench, wall_s, _digest(bench, data))


def _digest(bench: Bench, data: Path) -> str:
    """Over the files of the corpus only: the golden inputs change with the code."""
    seeds = {path for some in bench.seeds.values() for path in some}
    return digest_of(sorted(path for path in seeds if path.is_relative_to(data)), data)


def _by_loader(paths: Sequence[Path], registry: Registry) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in paths:
        if not path.is_file() or path.name == "expected.json" or not 0 < path.stat().st_size <= LARGEST_BYTES:
            continue
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        try:
            found.setdefault(choose_loader(head, path.name, registry), []).append(path)
        except SourceError:
            continue
    return found


class _watched:  # noqa: N801 - reads as a verb where it is used
    """Notes down what must never get out of reading a file, and goes on."""

    def __init__(self) -> None:
        self.escaped = ""

    def __enter__(self) -> _watched:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trail: object) -> bool:
        self.escaped = f"{type(error).__name__}: {error}"[:200] if isinstance(error, Exception) else ""
        return isinstance(error, Exception)


def _damage(
    bench: Bench, sandbox: Sandbox, registry: Registry, folder: Path, case: tuple[int, str, Path, Random]
) -> None:
    number, name, seed, dice = case
    way, content = mutate(seed.read_bytes(), dice)
    path = folder / f"damaged{''.join(seed.suffixes[-2:]) if seed.name.endswith('.tar.gz') else seed.suffix}"
    path.write_bytes(content)
    began = time.perf_counter()
    outcome = "escaped"
    with _watched() as watched:
        outcome = _outcome(sandbox, registry, path, name)
    took_s = time.perf_counter() - began
    bench.slowest_s = max(bench.slowest_s, took_s)
    if took_s > FILE_BUDGET_S + SLACK_S:
        outcome = "over-budget"
    bench.outcomes.setdefault(name, Counter())[outcome] += 1
    if outcome in ("escaped", "died", "over-budget", "timed-out", "miscounted") and len(bench.findings) < _TOLD:
        reason = f"{outcome} after {took_s:.1f} s {watched.escaped}".strip()
        bench.findings.append(Skip(what=f"{name}: {seed.name} {way} #{number}", count=1, reason=reason))


def _outcome(sandbox: Sandbox, registry: Registry, path: Path, name: str) -> str:
    """What became of one file: ``read``, ``refused`` with a reason, ``died``, ``timed-out`` or ``miscounted``."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    try:
        loader = choose_loader(head, path.name, registry)
    except SourceError:
        loader = name  # an import would refuse it here; the loader has to refuse it too
    verdicts: Counter[PageVerdict] = Counter()
    stated = 0
    try:
        for part in sandbox.load(path, loader, filename=path.name):
            if isinstance(part, Heading):
                stated = part.page_count
            elif isinstance(part, LoadedPage):
                verdicts[part.page.verdict] += 1
    except SourceError as error:
        return {"source.worker_died": "died", "source.timed_out": "timed-out"}.get(error.code, "refused")
    if verdicts.total() != stated:
        return "miscounted"
    if verdicts[PageVerdict.TIMED_OUT]:
        return "timed-out"
    return "read" if not verdicts[PageVerdict.DAMAGED] or set(verdicts) != {PageVerdict.DAMAGED} else "damaged"


def _report(bench: Bench, wall_s: float, digest: str) -> Report:
    total = sum(bench.outcomes.values(), Counter[str]())
    count = max(1, total.total())
    bad = total["escaped"] + total["over-budget"] + total["miscounted"]
    return Report(
        suite="fuzz",
        corpus_sha256=digest,
        metrics={
            "with_a_verdict": round(1 - bad / count, 4),
            "escaped": float(total["escaped"]),
            "over_budget": float(total["over-budget"]),
            "died": float(total["died"]),
            "timed_out": float(total["timed-out"]),
            "slowest_s": round(bench.slowest_s, 1),
        },
        by_category=tuple(
            CategoryRow(
                corpus="fuzz",
                category=name,
                count=outcomes.total(),
                metrics={outcome: float(found) for outcome, found in sorted(outcomes.items())},
            )
            for name, outcomes in sorted(bench.outcomes.items())
        ),
        skipped=tuple(bench.findings),
        ingest={"copies": float(total.total()), "wall_s": round(wall_s, 1)},
        rss_mb=children_peak_rss_mb(),
        machine=describe_machine(),
    )
