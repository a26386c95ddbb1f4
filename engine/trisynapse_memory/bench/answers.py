"""Questions with their gold answers in, how often an answer without a model holds them out.

English XQuAD over all its paragraphs, PDF questions each of its own PDF, and our own questions for a form of answer.
What "right" means is the rule of ``gold_answers``, for the last that of ``answer_forms``; an answer is what the engine
says, in at most as many sentences as its settings allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.bench import xquad
from trisynapse_memory.bench.ablations import changes_of
from trisynapse_memory.bench.answer_forms import ask_forms, has_form, replies_falsely
from trisynapse_memory.bench.corpora import files_in
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.gold_answers import is_right
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, digest_of, peak_rss_mb
from trisynapse_memory.bench.metrics import means
from trisynapse_memory.bench.probes import ProbeStore, paper_probes, removed_paragraphs
from trisynapse_memory.bench.probing import Reply, ask_all
from trisynapse_memory.bench.report import AblationRow, CategoryRow, Difference, Report, Skip
from trisynapse_memory.bench.statistics import compare

ALWAYS: Final = ("right", "false_refusals", "cites_gold")
"""Figures of every question over documents."""


class Outcome(Struct, frozen=True, kw_only=True):
    """One question: its set and part of it, its figures (0 or 1), and how long the answer and its evidence are.

    ``without`` is the part of the engine that was off; empty for the engine as it is.
    """

    group: str
    kind: str
    figures: dict[str, float]
    answer_tokens: int = 0
    evidence_tokens: int = 0
    without: str = ""


def run(data: Path, labels: Path, limit: int | None, note: Note, ablate: Sequence[str] = ()) -> Report:
    """Measure both; ``limit`` asks so many questions of each set.

    Each part named in ``ablate`` is switched off once, and the questions over documents are asked anew.
    """
    watch = Stopwatch()
    outcomes: list[Outcome] = []
    skipped = 0
    for store in answerable_stores(data, labels, limit):
        for reply in ask_all(store, watch, note, ablate):
            if reply.probe.gold:
                outcomes.append(_outcome(reply))
            else:
                skipped += not reply.without
    for name, asked, answer in ask_forms(labels, limit, watch, note):
        figures = {"right": float(has_form(answer, asked)), "false_refusals": float(answer.abstain)}
        figures["false_replies"] = float(replies_falsely(answer, asked))
        outcomes.append(Outcome(group=name.replace("_", "-"), kind=asked.form, figures=figures))
    return _report(outcomes, skipped, watch, digest_of_answers(data))


def answerable_stores(data: Path, labels: Path, limit: int | None) -> Iterator[ProbeStore]:
    """Give the stores of ``abstention`` whose questions have gold answers, with those questions alone."""
    for store in (*removed_paragraphs(data, limit), paper_probes(data, labels, limit)):
        probes = tuple(
            structs.replace(one, group="xquad") if one.group == "xquad-removed" else one
            for one in store.probes
            if one.answerable
        )
        yield structs.replace(store, probes=probes)


def digest_of_answers(data: Path) -> str:
    """Return the digest of the files these questions and their sources come from."""
    papers = data / "papers"
    pdfs = files_in(papers / "pdfs", "*.pdf")
    return digest_of([*xquad.files(data)[:1], *files_in(papers, "*.json"), *pdfs], data)


def cites_gold(reply: Reply) -> bool:
    """Say whether some citation stands in the source, and on a page, that the set names."""
    probe = reply.probe
    for citation in reply.answer.citations:
        page = citation.locator.page if citation.locator is not None else None
        if reply.sources.get(str(citation.source_id)) == probe.key and (not probe.pages or page in probe.pages):
            return True
    return False


def _outcome(reply: Reply) -> Outcome:
    right = is_right(reply.answer.answer, reply.probe.gold)
    figures = {
        "right": float(right),
        "false_refusals": float(reply.answer.abstain),
        "cites_gold": float(cites_gold(reply)),
    }
    if not reply.answer.abstain:
        figures |= {"right_of_answered": float(right), "sentences": float(len(reply.answer.sentences))}
    return Outcome(
        group=reply.probe.group,
        kind=reply.probe.kind,
        figures=figures,
        answer_tokens=reply.answer_tokens,
        evidence_tokens=reply.evidence_tokens,
        without=reply.without,
    )


def _report(outcomes: Sequence[Outcome], skipped: int, watch: Stopwatch, digest: str) -> Report:
    off = list(dict.fromkeys(one.without for one in outcomes if one.without))
    ablations = {name: _ablation_row(name, outcomes) for name in off}
    outcomes = [one for one in outcomes if not one.without]
    groups = list(dict.fromkeys(one.group for one in outcomes))
    rows = [_row(group, "", outcomes) for group in groups]
    kinds = dict.fromkeys((one.group, one.kind) for one in outcomes if one.kind)
    skip = Skip(what="question", count=skipped, reason="Its gold answer is empty.")
    return Report(
        suite="answers",
        corpus_sha256=digest,
        metrics={f"{row.corpus}_{name}": row.metrics[name] for row in rows for name in ("right", "false_refusals")}
        | _sizes(outcomes),
        by_category=(*rows, *(_row(group, kind, outcomes) for group, kind in kinds)),
        ablations=ablations,
        skipped=(skip,) if skipped else (),
        latency_ms=watch.latency_ms(),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _ablation_row(name: str, outcomes: Sequence[Outcome]) -> AblationRow:
    """What is reached with a part off, and what the part is worth, set by set."""
    metrics: dict[str, float] = {}
    differences: list[Difference] = []
    for group in dict.fromkeys(one.group for one in outcomes if one.without == name):
        whole, part = (_shared(outcomes, group, without) for without in ("", name))
        metrics |= {f"{group}_{measure}": value for measure, value in means(part).items()}
        differences.extend(compare(whole, {name: part}, corpus=group, category=""))
    return AblationRow(
        changes={key: f"{value}" for key, value in changes_of(name).items()},
        metrics=metrics,
        differences=tuple(differences),
    )


def _shared(outcomes: Sequence[Outcome], group: str, without: str) -> list[dict[str, float]]:
    """The figures that every question has, answered or not."""
    chosen = [one.figures for one in outcomes if one.group == group and one.without == without]
    return [{name: row[name] for name in ALWAYS} for row in chosen]


def _row(group: str, kind: str, outcomes: Sequence[Outcome]) -> CategoryRow:
    chosen = [one for one in outcomes if one.group == group and kind in ("", one.kind)]
    return CategoryRow(
        corpus=group,
        category=kind or "all",
        count=len(chosen),
        metrics=means(one.figures for one in chosen) | _sizes(chosen),
    )


def _sizes(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The median size of answers and of the evidence shown for them, in wordpieces; refusals say nothing of it."""
    given = [one for one in outcomes if one.answer_tokens]
    if not given:
        return {}
    return {
        "answer_tokens_p50": float(median(one.answer_tokens for one in given)),
        "evidence_tokens_p50": float(median(one.evidence_tokens for one in given)),
    }
