"""Conversations in, evidence recall of the engine and of the baselines out. Each conversation is a vault of its own.

Every turn is a record, dated as a reader of the chat sees it; a session is a conversation group. A question counts when
at least one of its evidence ids names a turn.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trisynapse_memory.bench.baselines import NAMES, Baselines
from trisynapse_memory.bench.corpora import Dialogue, Session, TurnQuestion, files_in, read_dialogues
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, digest_of, peak_rss_mb
from trisynapse_memory.bench.metrics import judge, means, ratios
from trisynapse_memory.bench.report import BaselineRow, CategoryRow, Report, Skip
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.types import Message, indexed_text

DEPTH: Final = 20  # hits asked for; the deepest figure is @10, and the MRR of a first hit below 20 would add under .05
ENGINE: Final = "engine"


@dataclass(slots=True)
class Tally:
    """What a run has collected so far: per corpus, category and method one row of figures for each question."""

    figures: dict[tuple[str, str, str], list[dict[str, float]]] = field(
        default_factory=dict[tuple[str, str, str], list[dict[str, float]]]
    )
    skipped: Counter[str] = field(default_factory=Counter[str])
    engine: Stopwatch = field(default_factory=Stopwatch)
    words: Stopwatch = field(default_factory=Stopwatch)
    intake: Stopwatch = field(default_factory=Stopwatch)
    embedding: Stopwatch = field(default_factory=Stopwatch)
    embedded_count: int = 0
    record_count: int = 0
    byte_count: int = 0
    question_count: int = 0

    def add(self, corpus: str, category: str, method: str, row: dict[str, float]) -> None:
        """Keep the figures of one question."""
        self.figures.setdefault((corpus, category, method), []).append(row)

    def of_method(self, method: str) -> dict[str, float]:
        """Return a method's means over all questions."""
        return means(row for (_, _, name), rows in self.figures.items() if name == method for row in rows)


def run(data: Path, limit: int | None, note: Note) -> Report:
    """Measure every ``locomo/*.json``; ``limit`` stops after so many questions, in file order."""
    folder = data / "locomo"
    paths = files_in(folder, "*.json")
    tally = Tally()
    for path in paths:
        for dialogue in read_dialogues(path):
            if limit is not None and tally.question_count >= limit:
                tally.skipped["conversation"] += 1
                continue
            note(f"{path.stem}: {dialogue.name}")
            _measure(tally, path.stem, dialogue, limit, note)
    return _report(tally, digest_of(paths, folder))


def _measure(tally: Tally, corpus: str, dialogue: Dialogue, limit: int | None, note: Note) -> None:
    with workplace(note) as place:
        turns = _take_in(place, dialogue, tally)
        records = place.records()
        matrix = place.embed_all(records)
        baselines = Baselines([indexed_text(record.text, record.fields) for record in records], matrix)
        ids = [str(record.id) for record in records]
        for question in dialogue.questions:
            if limit is not None and tally.question_count >= limit:
                break
            tally.skipped["evidence id"] += question.malformed
            if not question.gold:
                tally.skipped["question"] += 1
                continue
            gold = {turns[turn_id] for turn_id in question.gold}
            for method, ranking in _rankings(place, baselines, ids, question, tally).items():
                tally.add(corpus, question.category, method, judge(ranking, gold))
            tally.question_count += 1
        baselines.close()
        tally.record_count += len(records)
        tally.embedded_count += place.embeddings.embedded_count
        tally.embedding.wall_ms += place.embeddings.watch.wall_ms
        tally.embedding.cpu_ms += place.embeddings.watch.cpu_ms
        tally.byte_count += place.close_and_weigh()


def _take_in(place: Workplace, dialogue: Dialogue, tally: Tally) -> dict[str, str]:
    """Ingest every session; return the record id of each turn."""
    turns: dict[str, str] = {}
    for session in dialogue.sessions:
        messages = [_message(session, number) for number in range(len(session.turns))]
        with tally.intake.lap():
            ids = place.engine.ingest_messages(messages, group_id=f"{dialogue.name}/{session.name}")
        turns.update(zip((turn.turn_id for turn in session.turns), map(str, ids), strict=True))
    return turns


def _message(session: Session, number: int) -> Message:
    turn = session.turns[number]
    return Message(
        id=turn.turn_id,
        role="user",
        speaker=turn.speaker,
        content=f"({session.date}) {turn.text}",
        observed_at=session.moment,
    )


def _rankings(
    place: Workplace, baselines: Baselines, ids: list[str], question: TurnQuestion, tally: Tally
) -> dict[str, list[str]]:
    with tally.engine.lap():
        result = place.engine.search(question.text, top_k=DEPTH)
    vector = place.opened.rooms.embedder.embed([question.text])[0]
    plain = baselines.rank(question.text, vector, tally.words)
    rankings = {name: [ids[row] for row in rows[:DEPTH]] for name, rows in plain.items()}
    return {ENGINE: [str(hit.record.id) for hit in result.hits], **rankings}


def _report(tally: Tally, digest: str) -> Report:
    ours = tally.of_method(ENGINE)
    theirs = {name: tally.of_method(name) for name in NAMES}
    baselines = {name: BaselineRow(metrics=found, ratios=ratios(ours, found)) for name, found in theirs.items()}
    words_ms = tally.words.latency_ms()
    baselines["fts5"] = BaselineRow(
        metrics=theirs["fts5"],
        ratios={**ratios(ours, theirs["fts5"]), **_latency_ratio(tally)},
        latency_ms=words_ms,
    )
    return Report(
        suite="locomo",
        corpus_sha256=digest,
        metrics=ours,
        by_category=tuple(_category_rows(tally)),
        baselines=baselines,
        skipped=tuple(_skips(tally)),
        latency_ms=tally.engine.latency_ms(),
        ingest=_ingest(tally),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _latency_ratio(tally: Tally) -> dict[str, float]:
    return ratios({"cpu_p50": tally.engine.latency_ms()["cpu_p50"]}, {"cpu_p50": tally.words.latency_ms()["cpu_p50"]})


def _category_rows(tally: Tally) -> list[CategoryRow]:
    pairs = dict.fromkeys((corpus, category) for corpus, category, _ in sorted(tally.figures))
    rows: list[CategoryRow] = []
    for corpus, category in pairs:
        ours = tally.figures[corpus, category, ENGINE]
        plain = {name: means(tally.figures[corpus, category, name]) for name in NAMES}
        rows.append(
            CategoryRow(corpus=corpus, category=category, count=len(ours), metrics=means(ours), baselines=plain)
        )
    return rows


def _skips(tally: Tally) -> list[Skip]:
    reasons = {
        "evidence id": "It names no turn.",
        "question": "None of its evidence ids names a turn.",
        "conversation": "The limit was reached.",
    }
    return [
        Skip(what=what, count=tally.skipped[what], reason=reason)
        for what, reason in reasons.items()
        if tally.skipped[what]
    ]


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
