"""Records as the word index takes them, and a plain index that holds everything in dictionaries, to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from trisynapse_memory.scoring.bm25 import idf
from trisynapse_memory.types import Kind, Namespace, QueryTerm, Record, RecordId, Scope, SourceId, Terms

ANYONE = Scope()
READERS = (
    Namespace(project_id=None),
    Namespace(),
    Namespace(user_id="ada"),
    Namespace(user_id="ada", project_id=None),
    Namespace(user_id="ada", agent_id="bot"),
)
WRITERS = (Namespace(), Namespace(user_id="ada"), Namespace(user_id="ada", agent_id="bot"), Namespace(project_id="x"))
SOURCES = (None, SourceId("paper"), SourceId("thesis"))
WORDS = ("cat", "dog", "kx-00120", "naïve", "~run", "素粒子", "the")


@dataclass(frozen=True)
class Entry:
    record: Record
    terms: Terms
    visible: bool = True


def entry(
    seq: int,
    words: str | Sequence[str],
    namespace: Namespace = Namespace(),  # noqa: B008 - frozen
    source_id: SourceId | None = None,
    visible: bool = True,
) -> Entry:
    places: dict[str, list[int]] = {}
    listed = words.split() if isinstance(words, str) else words
    for position, word in enumerate(listed):
        places.setdefault(word, []).append(position)
    record = Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        namespace=namespace,
        source_id=source_id,
    )
    return Entry(record, Terms(tuple(places), tuple(map(tuple, places.values())), len(listed)), visible)


@dataclass
class PlainIndex:
    """What LexicalIndex must answer, in a few lines."""

    entries: dict[int, Entry] = field(default_factory=dict)
    shown: dict[int, bool] = field(default_factory=dict)

    def apply(self, entries: Sequence[Entry], visibility: dict[int, bool]) -> None:
        for one in entries:
            self.entries[one.record.seq] = one
            self.shown[one.record.seq] = one.visible
        self.shown.update({seq: shown for seq, shown in visibility.items() if seq in self.entries})

    def drop(self, seqs: Sequence[int]) -> None:
        for seq in seqs:
            self.entries.pop(seq, None)
            self.shown.pop(seq, None)

    def in_scope(self, scope: Scope) -> dict[int, Terms]:
        return {
            seq: one.terms
            for seq, one in sorted(self.entries.items())
            if (self.shown[seq] or scope.as_of_seq is not None)  # the log says what was visible then
            and scope.namespace.sees(one.record.namespace)
            and (scope.source_ids is None or one.record.source_id in scope.source_ids)
            and (scope.as_of_seq is None or seq <= scope.as_of_seq)
        }

    def search(self, terms: Sequence[QueryTerm], scope: Scope) -> dict[int, float]:
        found = self.in_scope(scope)
        mean = sum(one.length for one in found.values()) / max(len(found), 1)
        scores: dict[int, float] = {}
        for term in sorted({term.key: term.weight for term in terms}.items()):
            holding = {seq: one for seq, one in found.items() if term[0] in one.keys}
            for seq, one in holding.items():
                frequency = len(one.positions[one.keys.index(term[0])])
                share = frequency * 2.5 / (frequency + 1.5 * (0.25 + 0.75 * one.length / max(mean, 1)))
                scores[seq] = scores.get(seq, 0.0) + term[1] * idf(len(holding), len(found)) * share
        return scores

    def phrase(self, words: Sequence[str], scope: Scope) -> dict[int, int]:
        counted: dict[int, int] = {}
        for seq, one in self.in_scope(scope).items():
            at = {(key, position) for key, where in zip(one.keys, one.positions, strict=True) for position in where}
            times = sum(
                all((word, start + step) in at for step, word in enumerate(words)) for start in range(one.length)
            )
            if times:
                counted[seq] = times
        return counted
