"""Questions with and without an answer in, how well the engine tells them apart out. No threshold is fitted here.

Four sets, never pooled, for a threshold does not travel between kinds of store: XQuAD with the paragraph removed,
LoCoMo's swapped speakers, BEAM's ability of that name, and PDFs ("Not answerable", and our own false premises).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec import Struct

from trisynapse_memory.bench import beam, locomo, xquad
from trisynapse_memory.bench.corpora import files_in
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, digest_of, peak_rss_mb
from trisynapse_memory.bench.metrics import means
from trisynapse_memory.bench.probes import (
    ProbeStore,
    paper_probes,
    removed_paragraphs,
    swapped_speakers,
    unanswered_chats,
)
from trisynapse_memory.bench.probing import ask_all
from trisynapse_memory.bench.refusals import curve_of
from trisynapse_memory.bench.report import CategoryRow, Report

HEADLINES: Final = ("auroc", "refused@5.0%", "right_refusals", "false_refusals")


class Outcome(Struct, frozen=True, kw_only=True):
    """One question: its set and part of it, whether it can be answered, and what the engine made of it."""

    group: str
    kind: str
    answerable: bool
    confidence: float
    abstained: bool
    looked_again: bool = False


def run(data: Path, labels: Path, limit: int | None, note: Note) -> Report:
    """Measure all four sets; ``limit`` asks so many questions of each kind of each vault."""
    watch = Stopwatch()
    outcomes = [
        Outcome(
            group=reply.probe.group,
            kind=reply.probe.kind,
            answerable=reply.probe.answerable,
            confidence=reply.answer.confidence,
            abstained=reply.answer.abstain,
            looked_again=reply.look_count > 0,
        )
        for store in _stores(data, labels, limit)
        for reply in ask_all(store, watch, note)
    ]
    return report_of(outcomes, watch, _digest(data))


def report_of(outcomes: Sequence[Outcome], watch: Stopwatch, digest: str) -> Report:
    """Lay out what was collected, each set by itself."""
    rows = [
        _row(group, [one for one in outcomes if one.group == group])
        for group in dict.fromkeys(one.group for one in outcomes)
    ]
    return Report(
        suite="abstention",
        corpus_sha256=digest,
        metrics={f"{row.corpus}_{name}": row.metrics[name] for row in rows for name in HEADLINES},
        by_category=tuple(chain(rows, _kind_rows(outcomes))),
        latency_ms=watch.latency_ms(),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _stores(data: Path, labels: Path, limit: int | None) -> Iterator[ProbeStore]:
    yield from removed_paragraphs(data, limit)
    yield from swapped_speakers(data, limit)
    yield from unanswered_chats(data, limit)
    yield paper_probes(data, labels, limit)


def _digest(data: Path) -> str:
    papers = data / "papers"
    pdfs = files_in(papers / "pdfs", "*.pdf")
    return digest_of(
        [*xquad.files(data)[:1], *locomo.files(data), *beam.files(data), *files_in(papers, "*.json"), *pdfs], data
    )


def scores_of(outcomes: Sequence[Outcome]) -> list[float]:
    """Return what the engine's decision goes by, higher is surer; in [-1, 1].

    It is the confidence, less 1 where a question was refused although others of less confidence were answered: then
    something it cannot do without (an identifier, a year, its last word) was nowhere, and no threshold would bring it
    back.
    """
    floor = min((one.confidence for one in outcomes if not one.abstained), default=2.0)
    return [one.confidence - (one.abstained and one.confidence >= floor) for one in outcomes]


def _row(group: str, outcomes: Sequence[Outcome]) -> CategoryRow:
    pairs = list(zip(outcomes, scores_of(outcomes), strict=True))
    there = [score for one, score in pairs if one.answerable]
    gone = [score for one, score in pairs if not one.answerable]
    shares = means({_share_name(one): float(one.abstained)} for one in outcomes)
    blank = {"right_refusals": 0.0, "false_refusals": 0.0}
    looks = means(_looks(one) for one in outcomes)
    return CategoryRow(
        corpus=group,
        category="all",
        count=len(outcomes),
        metrics={**curve_of(there, gone), **blank, **shares, **looks, "answerable": float(len(there))},
    )


def _kind_rows(outcomes: Sequence[Outcome]) -> Iterator[CategoryRow]:
    """The refusals of each part of each set, at the thresholds as they are shipped."""
    for group, kind in dict.fromkeys((one.group, one.kind) for one in outcomes if one.kind):
        chosen = [one for one in outcomes if (one.group, one.kind) == (group, kind)]
        shares = means({_share_name(one): float(one.abstained)} for one in chosen)
        yield CategoryRow(corpus=group, category=kind, count=len(chosen), metrics=shares)


def _looks(one: Outcome) -> dict[str, float]:
    """Whether it was looked up again, and answered only so: whoever is looked up again would else be refused."""
    by_look = "answered_by_a_look" if one.answerable else "let_through_by_a_look"
    return {"looked_again": float(one.looked_again), by_look: float(one.looked_again and not one.abstained)}


def _share_name(one: Outcome) -> str:
    return "false_refusals" if one.answerable else "right_refusals"
