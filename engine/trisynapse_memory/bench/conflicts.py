"""Pairs of statements judged by hand in, how many true conflicts the claims find, and how many they invent, out.

The facts of each pair are given, so this judges the rules of claims alone, not extraction. A pair is read as two
sources of a vault of its own; of two versions of one source only the newer one is in use, as the log would have it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trisynapse_memory.bench.corpora import files_in
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, digest_of, peak_rss_mb
from trisynapse_memory.bench.report import CategoryRow, Report
from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import (
    PATTERN_EXTRACTOR,
    ClaimStatus,
    FactDetails,
    Kind,
    Record,
    RecordId,
    Scope,
    SourceId,
    Terms,
)

FOLDER: Final = "conflicts"
NEWER_VERSION: Final = "correction"
"""The kind of pair whose sides are two versions of one source."""

_SIDES: Final = ("left", "right")
_CONFIDENCE: Final = 0.8  # of every fact; the rules do not look at it
_WRITTEN: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Fact(Struct, frozen=True, kw_only=True):
    """One statement of one side."""

    text: str
    source: str
    date: str
    subject: str
    relation: str
    object: str
    negated: bool = False
    hedged: bool = False
    qualifiers: dict[str, str] = {}
    temporal_anchor: str = ""
    replaced: bool = False


class Pair(Struct, frozen=True, kw_only=True):
    """Two sources, what they state, and whether they truly disagree."""

    pair_id: str
    kind: str
    conflict: bool
    facts: tuple[Fact, ...]


class Posting(Struct, frozen=True):
    """A fact as the index receives it."""

    record: Record
    terms: Terms
    visible: bool


def run(data: Path, limit: int | None, note: Note) -> Report:
    """Judge every pair of ``conflicts/*.jsonl``.

    Metrics: ``precision`` (of pairs called contested, the share that truly is), ``recall`` (of true conflicts, the
    share found), both in [0, 1], and the counts behind them.

    Raises:
        InvalidInputError: the corpus is missing, or a line of it has another form.
    """
    paths = files_in(data / FOLDER, "*.jsonl")
    pairs = [pair for path in paths for pair in read_pairs(path)][:limit]
    watch = Stopwatch()
    called: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, pair in enumerate(pairs):
            note(f"pair {number + 1} of {len(pairs)}")
            with watch.lap():
                called.append(is_contested(pair, Path(folder) / f"{number}.db"))
    return Report(
        suite=FOLDER,
        corpus_sha256=digest_of(paths, data),
        metrics=score(pairs, called),
        by_category=_by_kind(pairs, called),
        latency_ms=watch.latency_ms(),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """Read one file of judged pairs, one JSON object a line.

    Raises:
        InvalidInputError: a line has another form.
    """
    found: list[Pair] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(_pair_of(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInputError(
                f"Line {number} of '{path.name}' is no judged pair ({type(error).__name__}).",
                hint="See the README of the corpora for their form.",
            ) from error
    return tuple(found)


def is_contested(pair: Pair, place: Path) -> bool:
    """Compile the claims of one pair in a file of their own; tell whether any of them is contested."""
    index = Registry(guests=False).load("index", "claims")(place, Config())
    try:
        postings = [_posting(seq, fact) for seq, fact in enumerate(pair.facts, start=1)]
        index.apply(postings, {}, len(postings))
        return bool(index.list(Scope(), status=ClaimStatus.CONTESTED.value, limit=1))
    finally:
        index.close()


def score(pairs: Sequence[Pair], called: Sequence[bool]) -> dict[str, float]:
    """Return precision and recall of the pairs called contested; 1 where nothing was called, or nothing was to find."""
    judged = list(zip(pairs, called, strict=True))
    right = sum(said and pair.conflict for pair, said in judged)
    wrong = sum(said and not pair.conflict for pair, said in judged)
    missed = sum(pair.conflict and not said for pair, said in judged)
    return {
        "precision": right / (right + wrong) if right + wrong else 1.0,
        "recall": right / (right + missed) if right + missed else 1.0,
        "found": float(right),
        "false_alarms": float(wrong),
        "missed": float(missed),
    }


def _by_kind(pairs: Sequence[Pair], called: Sequence[bool]) -> tuple[CategoryRow, ...]:
    rows: list[CategoryRow] = []
    for kind in sorted({pair.kind for pair in pairs}):
        chosen = [(pair, said) for pair, said in zip(pairs, called, strict=True) if pair.kind == kind]
        right = sum(said == pair.conflict for pair, said in chosen)
        rows.append(
            CategoryRow(corpus=FOLDER, category=kind, count=len(chosen), metrics={"accuracy": right / len(chosen)})
        )
    return tuple(rows)


def _posting(seq: int, fact: Fact) -> Posting:
    record = Record(
        id=RecordId(f"r_{seq}"),
        seq=seq,
        device_id="bench",
        device_seq=seq,
        written_at=_WRITTEN,
        kind=Kind.FACT,
        content_hash="",
        chain_hash="",
        text=fact.text,
        source_id=SourceId(fact.source),
        group_id=fact.source,
        observed_at=datetime.fromisoformat(fact.date).replace(tzinfo=UTC) if fact.date else None,
        confidence=_CONFIDENCE,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        temporal_anchor=fact.temporal_anchor or None,
        payload=FactDetails(
            pattern="judged",
            extractor=PATTERN_EXTRACTOR,
            extractor_version=1,
            qualifiers=fact.qualifiers,
            negated=fact.negated,
            hedged=fact.hedged,
        ),
    )
    return Posting(record, Terms((), (), 0), not fact.replaced)


def _pair_of(row: Mapping[str, Any]) -> Pair:
    kind = str(row["kind"])
    versions = kind == NEWER_VERSION and row["left"]["source"] == row["right"]["source"]
    facts = [fact for side in _SIDES for fact in _facts_of(row[side], replaced=versions and side == _SIDES[0])]
    return Pair(pair_id=str(row["id"]), kind=kind, conflict=bool(row["conflict"]), facts=tuple(facts))


def _facts_of(side: Mapping[str, Any], *, replaced: bool) -> Iterator[Fact]:
    for given in side["facts"]:
        yield Fact(
            text=str(side["text"]),
            source=f"{side['source']}, as replaced" if replaced else str(side["source"]),
            date=str(side["date"] or ""),
            subject=str(given["subject"]),
            relation=str(given["relation"]),
            object=str(given["object"]),
            negated=bool(given.get("negated", False)),
            hedged=bool(given.get("hedged", False)),
            qualifiers={str(key): str(value) for key, value in given.get("qualifiers", {}).items()},
            temporal_anchor=str(given.get("temporal_anchor", "")),
            replaced=replaced,
        )
