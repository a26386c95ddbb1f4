"""What a suite of evidence has collected in, its report out: figures, slices, intervals, ablations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.bench.ablations import changes_of
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.evidence import ENGINE, Judged, Tally, collect
from trisynapse_memory.bench.machine import describe_machine, digest_of, digest_of_lines, peak_rss_mb
from trisynapse_memory.bench.metrics import DIGITS, means, ratios
from trisynapse_memory.bench.peer_runs import PeerRun
from trisynapse_memory.bench.report import AblationRow, BaselineRow, CategoryRow, Difference, Report, Skip
from trisynapse_memory.bench.statistics import compare
from trisynapse_memory.bench.stores import EvidenceSuite, Order

FAR_COSINE: Final = 0.3  # below it a question and its evidence share no meaning the embedder sees (issue: slice < .3)
FAR, NEAR = "evidence cosine < .3", "evidence cosine >= .3"
DROP_MEASURE: Final = "recall@10"

Rows = Sequence[Judged]


def measure(suite: EvidenceSuite, data: Path, order: Order, note: Note) -> Report:
    """Run a suite and report it; see ``collect`` for the arguments."""
    files = suite.files(data)
    digest = digest_of(files, data / suite.name) if files else digest_of_lines({suite.drawing: suite.name})
    return report_of(suite, collect(suite, data, order, note), order.ablate, digest)


def report_of(suite: EvidenceSuite, tally: Tally, ablate: Sequence[str], digest: str) -> Report:
    """Lay out what was collected."""
    rows = tally.judged
    plain = [name for name in _methods(rows) if name not in (ENGINE, *ablate) and not tally.peers.is_out(name)]
    ours = means(_of(rows, ENGINE))
    return Report(
        suite=suite.name,
        corpus_sha256=digest,
        metrics=ours,
        by_category=tuple(_category_rows(rows, plain)),
        baselines={name: _baseline_row(rows, name, ours, tally) for name in plain},
        differences=tuple(_differences(rows, plain)),
        ablations={name: _ablation_row(rows, name, tally) for name in ablate},
        skipped=tuple(_skips(tally)),
        latency_ms=tally.watch(ENGINE).latency_ms(),
        ingest=_ingest(tally),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _methods(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.figures))


def _of(rows: Rows, method: str) -> list[dict[str, float]]:
    return [row.figures[method] for row in rows if method in row.figures]


def _parts(rows: Rows) -> Iterator[tuple[str, str, Rows]]:
    """Every corpus with its kinds of question; a corpus of several kinds first as a whole."""
    for corpus in dict.fromkeys(row.corpus for row in rows):
        inside = [row for row in rows if row.corpus == corpus]
        kinds = dict.fromkeys(row.category for row in sorted(inside, key=lambda row: row.category))
        if len(kinds) > 1:
            yield corpus, "", inside
        for kind in kinds:
            yield corpus, kind, [row for row in inside if row.category == kind]


def _category_rows(rows: Rows, plain: Sequence[str]) -> Iterator[CategoryRow]:
    for corpus, category, chosen in _parts(rows):
        yield _category_row(corpus, category or "all", chosen, plain, _everything)
    far = [row for row in rows if row.cosine < FAR_COSINE]
    near = [row for row in rows if row.cosine >= FAR_COSINE]
    if far and near:
        yield _category_row("", NEAR, near, plain, _everything)
        yield _category_row("", FAR, far, plain, lambda method: _with_drop(far, near, method))


def _everything(_: str) -> dict[str, float]:
    return {}


def _category_row(
    corpus: str, category: str, rows: Rows, plain: Sequence[str], more: Callable[[str], dict[str, float]]
) -> CategoryRow:
    return CategoryRow(
        corpus=corpus,
        category=category,
        count=len(rows),
        metrics=means(_of(rows, ENGINE)) | more(ENGINE),
        baselines={name: means(found) | more(name) for name in plain if len(found := _of(rows, name)) == len(rows)},
    )


def _with_drop(far: Rows, near: Rows, method: str) -> dict[str, float]:
    """Say which share of the recall a method loses where the evidence is far: 1 - far / near; negative is a gain."""
    here, there = means(_of(far, method)), means(_of(near, method))
    if not there.get(DROP_MEASURE):
        return {}
    return {"relative_drop@10": round(1.0 - here.get(DROP_MEASURE, 0.0) / there[DROP_MEASURE], DIGITS)}


def _differences(rows: Rows, plain: Sequence[str]) -> Iterator[Difference]:
    """The whole suite, then its corpora, where there are several, and their kinds of question."""
    several = len({row.corpus for row in rows}) > 1
    parts = [part for part in _parts(rows) if part[1] or several]
    for corpus, category, chosen in (("", "", rows), *parts):
        known = {name: found for name in plain if len(found := _of(chosen, name)) == len(chosen)}
        yield from compare(_of(chosen, ENGINE), known, corpus=corpus, category=category)


def _baseline_row(rows: Rows, name: str, ours: dict[str, float], tally: Tally) -> BaselineRow:
    found = means(_of(rows, name))
    peer = tally.peers.of(name)
    if name != "fts5" and peer is None:
        return BaselineRow(metrics=found, ratios=ratios(ours, found))
    search_ms, engine_ms = (peer.search if peer else tally.words).latency_ms(), tally.watch(ENGINE).latency_ms()
    speed = ratios({"cpu_p50": engine_ms["cpu_p50"]}, {"cpu_p50": search_ms["cpu_p50"]})
    row = BaselineRow(metrics=found, ratios={**ratios(ours, found), **speed}, latency_ms=search_ms)
    if peer is None:
        return row
    differences = tuple(one for one in _differences(rows, [name]) if not one.category)
    return structs.replace(row, differences=differences, about=peer.about, ingest=peer.ingest())


def _ablation_row(rows: Rows, name: str, tally: Tally) -> AblationRow:
    found = _of(rows, name)
    return AblationRow(
        changes={key: f"{value}" for key, value in changes_of(name).items()},
        metrics=means(found),
        differences=compare(_of(rows, ENGINE), {name: found}, corpus="", category=""),
        latency_ms=tally.watch(name).latency_ms(),
    )


def _skips(tally: Tally) -> list[Skip]:
    reasons = {
        "text": "It was not taken in.",
        "copy": "The vault holds the same text under another name; it counts as that one.",
        "evidence id": "It names no text of the corpus.",
        "question": "It names no evidence.",
        "store": "The limit was reached.",
    }
    skips = [
        Skip(what=what, count=tally.skipped[what], reason=reason)
        for what, reason in reasons.items()
        if tally.skipped[what]
    ]
    return [*skips, *skipped_peers(tally.peers)]


def skipped_peers(peers: PeerRun) -> Iterator[Skip]:
    """Yield each peer that is left out, with its reason."""
    for name, figures in peers.figures.items():
        if figures.failure:
            yield Skip(what=f"peer {name}", count=1, reason=figures.failure)


def _ingest(tally: Tally) -> dict[str, float]:
    figures = {
        "records": float(tally.record_count),
        "records_per_s": tally.record_count / max(tally.intake.wall_s, 1e-9),
        "records_per_cpu_s": tally.record_count / max(tally.intake.cpu_s, 1e-9),
        "bytes_per_record": tally.byte_count / max(tally.record_count, 1),
    }
    if tally.embedded_count:
        figures["embedded_per_cpu_s"] = tally.embedded_count / max(tally.embedding.cpu_s, 1e-9)
    return {name: round(value, 1) for name, value in figures.items()}
