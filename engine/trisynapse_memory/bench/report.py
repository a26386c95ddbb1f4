"""What a suite measured in, the document and the table of the command line out. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

NUMBER_WIDTH = 9


class BaselineRow(Struct, frozen=True, kw_only=True):
    """What a plain method or a peer reached in the same run over the same records; ``ratios`` are ours divided by it.

    Of a peer also: ``differences``, the engine minus it, over all questions and for each corpus; ``about``, its
    version, licence and method; ``ingest``, how fast its index was made, its size, and the most memory it held.
    """

    metrics: dict[str, float]
    ratios: dict[str, float] = {}
    latency_ms: dict[str, float] = {}
    differences: tuple[Difference, ...] = ()
    about: dict[str, str] = {}
    ingest: dict[str, float] = {}


class CategoryRow(Struct, frozen=True, kw_only=True):
    """One kind of question (or of file) of one corpus."""

    corpus: str
    category: str
    count: int
    metrics: dict[str, float]
    baselines: dict[str, dict[str, float]] = {}


class Difference(Struct, frozen=True, kw_only=True):
    """The engine minus another method on one measure, question by question, in the same run.

    ``mean`` lies between ``low`` and ``high``, the ends of its 95 % interval (paired bootstrap, 10,000 resamples);
    ``better`` only where ``low`` is above 0 over at least 20 questions. ``category`` is empty for all questions of a
    corpus, ``corpus`` for all of the suite.
    """

    measure: str
    baseline: str
    count: int
    mean: float
    low: float
    high: float
    better: bool
    corpus: str = ""
    category: str = ""


class AblationRow(Struct, frozen=True, kw_only=True):
    """The same store asked again with a part of the engine switched off: which settings that took, what it reached.

    ``differences`` are the full engine minus this one: what the part is worth.
    """

    changes: dict[str, str]
    metrics: dict[str, float]
    differences: tuple[Difference, ...] = ()
    latency_ms: dict[str, float] = {}


class Skip(Struct, frozen=True, kw_only=True):
    """What was left out of the figures, how often, and why."""

    what: str
    count: int
    reason: str


class Report(Struct, frozen=True, kw_only=True):
    """One run of one suite; the field names are the JSON keys of ``bench --json`` (docs/cli.md).

    ``latency_ms`` is wall time of this machine at this moment; its ``cpu_`` figures are processor time and can be
    compared between runs on a busy machine. ``rss_mb`` is the peak of this process.
    """

    suite: str
    corpus_sha256: str
    metrics: dict[str, float]
    by_category: tuple[CategoryRow, ...] = ()
    baselines: dict[str, BaselineRow] = {}
    differences: tuple[Difference, ...] = ()
    ablations: dict[str, AblationRow] = {}
    skipped: tuple[Skip, ...] = ()
    latency_ms: dict[str, float] = {}
    ingest: dict[str, float] = {}
    rss_mb: float = 0.0
    machine: dict[str, str] = {}


def table(report: Report) -> list[str]:
    """Return a report as lines of text."""
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.suite}  corpus {report.corpus_sha256[:12]}"
    names = list(report.metrics)
    yield ""
    yield _row("", names)
    yield _row("engine", _numbers(report.metrics, names))
    for name, baseline in report.baselines.items():
        yield _row(name, _numbers(baseline.metrics, names))
        yield _row(f"  engine / {name}", _numbers(baseline.ratios, names))
    for row in report.by_category:
        yield ""
        shown = list(row.metrics)
        yield _row(f"{row.corpus}: {row.category} ({row.count})", shown)
        yield _row("engine", _numbers(row.metrics, shown))
        for name, metrics in row.baselines.items():
            yield _row(name, _numbers(metrics, shown))
    yield from _difference_lines("engine - best baseline", report.differences)
    for name, baseline in report.baselines.items():
        yield from _difference_lines(f"engine - {name}", baseline.differences)
    for name, ablation in report.ablations.items():
        changes = ", ".join(f"{key} {value}" for key, value in ablation.changes.items())
        yield ""
        yield _row(f"without: {name} ({changes})", names)
        yield _row("", _numbers(ablation.metrics, names))
        yield from _difference_lines(f"engine - {name}", ablation.differences)
    yield ""
    yield _pairs("latency_ms", report.latency_ms)
    for name, baseline in report.baselines.items():
        if baseline.latency_ms:
            yield _pairs(f"latency_ms {name}", baseline.latency_ms)
    yield _pairs("ingest", report.ingest)
    for name, baseline in report.baselines.items():
        if baseline.about:
            yield _pairs(f"ingest {name}", baseline.ingest)
            yield f"{name}  " + ", ".join(f"{key} {value}" for key, value in baseline.about.items())
    yield f"rss_mb  {report.rss_mb:g}"
    for skip in report.skipped:
        yield f"skipped  {skip.count} {skip.what}: {skip.reason}"
    yield "machine  " + ", ".join(f"{name} {value}" for name, value in report.machine.items())


def _difference_lines(title: str, rows: Sequence[Difference]) -> Iterator[str]:
    """One row a kind of question: mean, interval and rival for each measure; "*" where the engine is better."""
    names = list(dict.fromkeys(row.measure for row in rows))
    if not rows:
        return
    yield ""
    yield _wide(f"{title} [95 %]", names)
    for place in dict.fromkeys((row.corpus, row.category, row.count) for row in rows):
        found = {row.measure: row for row in rows if (row.corpus, row.category, row.count) == place}
        label = ": ".join(part for part in place[:2] if part) or "all"
        yield _wide(f"{label} ({place[2]})", [_interval(found[name]) if name in found else "-" for name in names])
        yield _wide("  over", [found[name].baseline if name in found else "-" for name in names])


def _interval(row: Difference) -> str:
    return f"{row.mean:+.3f} [{row.low:+.3f} {row.high:+.3f}]{'*' if row.better else ' '}"


def _wide(label: str, cells: Sequence[str]) -> str:
    return f"{label:44}" + "".join(f"  {cell:24}" for cell in cells).rstrip()


def _row(label: str, cells: list[str]) -> str:
    return f"{label:44}" + "".join(f"{cell:>{max(NUMBER_WIDTH, len(cell) + 2)}}" for cell in cells)


def _numbers(metrics: Mapping[str, float], names: list[str]) -> list[str]:
    """Set the figures under their names, each as wide as its name, so that a row reads beside the others."""
    cells = (f"{metrics[name]:.3f}" if name in metrics else "-" for name in names)
    return [f"{cell:>{len(name)}}" for cell, name in zip(cells, names, strict=True)]


def _pairs(label: str, figures: Mapping[str, float]) -> str:
    return f"{label}  " + ", ".join(f"{name} {value:g}" for name, value in figures.items())
