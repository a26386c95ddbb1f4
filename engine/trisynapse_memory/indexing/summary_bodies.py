"""Summaries as they are kept in ``index.db`` in, as a reader may see them out. Nothing is chosen or written here.

What a summary shows is checked when it is read: a sentence whose record is hidden, struck out or out of scope is left
out at once, and with it every key phrase and question that only it supported.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import summary_tables as tables
from trisynapse_memory.scoring.bm25 import bm25_scores, idf
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import QueryTerm, RecordId, Scope, Summary, SummarySentence

_LAST: Final = 2**62


class BodySentence(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One sentence as kept: ``seqs`` are the records that must be visible for it, the first one holds the span."""

    text: str
    record_ids: tuple[RecordId, ...]
    seqs: tuple[int, ...]
    start: int = 0
    end: int = 0


class Body(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was made of a group; ``phrases`` and ``questions`` without a model, ``topic`` and ``model`` with one.

    ``label`` is what a concept is called where it is written; the others have their title.
    """

    sentences: tuple[BodySentence, ...]
    phrases: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    topic: str = ""
    model: str = ""
    label: str = ""

    @property
    def searchable(self) -> str:
        """What words lead to it: sentences, topic and questions (engine.md A8.6)."""
        parts = (*(one.text for one in self.sentences), self.topic or ", ".join(self.phrases), *self.questions)
        return "\n".join(part for part in parts if part)


class Group(NamedTuple):
    """One row of the groups: which one, and what is kept of it."""

    no: int
    group_id: str
    namespace: int
    is_stale: bool
    evidence_hash: str
    record_count: int
    body: bytes


class Window(NamedTuple):
    """A scope in the numbers of these tables; ``sources`` None means all."""

    namespaces: frozenset[int]
    sources: frozenset[str] | None
    last_seq: int


_GROUP: Final = "SELECT no, group_id, namespace, touched > built, hash, record_count, body FROM summaries_groups"


def window_of(connection: Connection, scope: Scope) -> Window:
    """Translate a scope."""
    known = tables.namespaces(connection).items()
    return Window(
        namespaces=frozenset(number for number, namespace in known if scope.namespace.sees(namespace)),
        sources=None if scope.source_ids is None else frozenset(map(str, scope.source_ids)),
        last_seq=_LAST if scope.as_of_seq is None else scope.as_of_seq,
    )


def read_group(connection: Connection, group_id: str, window: Window) -> Summary | None:
    """Return a group's summary; where several namespaces have one, the one of the most records.

    A chat is also found by its source.
    """
    group_id = _chat_of(connection, group_id) or group_id
    rows = connection.execute(
        f"{_GROUP} WHERE group_id = ? AND body IS NOT NULL AND namespace IN (SELECT value FROM json_each(?))"
        " ORDER BY record_count DESC, newest_seq",
        (group_id, json.dumps(sorted(window.namespaces))),
    ).fetchall()
    found = (view(connection, _group(row), window) for row in rows)
    return next((summary for summary in found if summary is not None), None)


def _chat_of(connection: Connection, group_id: str) -> str:
    if not group_id.startswith("source:"):
        return ""
    row = connection.execute(
        "SELECT g.group_id FROM summaries_members m JOIN summaries_groups g ON g.no = m.no"
        " WHERE g.group_id LIKE 'chat:%' AND m.seq = (SELECT seq FROM summaries_records WHERE source_id = ? LIMIT 1)",
        (group_id.removeprefix("source:"),),
    ).fetchone()
    return "" if row is None else str(row[0])


def list_groups(connection: Connection, window: Window, limit: int) -> tuple[Summary, ...]:
    """Return up to ``limit`` summaries, those of the newest records first."""
    rows = connection.execute(
        f"{_GROUP} WHERE body IS NOT NULL AND namespace IN (SELECT value FROM json_each(?))"
        " ORDER BY newest_seq DESC, group_id",
        (json.dumps(sorted(window.namespaces)),),
    ).fetchall()
    found: list[Summary] = []
    for row in rows:
        if len(found) >= limit:
            break
        summary = view(connection, _group(row), window)
        if summary is not None:
            found.append(summary)
    return tuple(found)


def members(connection: Connection, group_id: str, window: Window, limit: int) -> tuple[int, ...]:
    """Return up to ``limit`` visible records in scope that a group rests on, in log order; facts as well."""
    rows = connection.execute(
        "SELECT m.seq, r.source_id FROM summaries_groups g JOIN summaries_members m ON m.no = g.no"
        " JOIN summaries_records r ON r.seq = m.seq WHERE g.group_id = ? AND m.visible = 1 AND m.seq <= ?"
        " AND g.namespace IN (SELECT value FROM json_each(?)) ORDER BY m.seq",
        (_chat_of(connection, group_id) or group_id, window.last_seq, json.dumps(sorted(window.namespaces))),
    )
    kept = (int(seq) for seq, source_id in rows if window.sources is None or source_id in window.sources)
    return tuple(islice(kept, max(limit, 0)))


def view(connection: Connection, group: Group, window: Window) -> Summary | None:
    """Return a summary as a reader may see it now; None when no sentence is left."""
    body = msgspec.json.decode(group.body, type=Body)
    kept = tuple(one for one in body.sentences if _may_show(connection, one, window))
    if not kept:
        return None
    whole = len(kept) == len(body.sentences)
    title = body.label or title_of(connection, group.group_id)
    phrases, questions = (body.phrases, body.questions) if whole else _supported(body, kept, title)
    return Summary(
        group_id=group.group_id,
        title=title,
        topic=(body.topic if whole else "") or ", ".join(phrases),
        sentences=tuple(
            SummarySentence(text=one.text, record_ids=one.record_ids, start=one.start, end=one.end) for one in kept
        ),
        alt_phrasings=questions,
        evidence_hash=group.evidence_hash,
        record_count=group.record_count,
        stale=group.is_stale,
        model=body.model,
    )


def _may_show(connection: Connection, sentence: BodySentence, window: Window) -> bool:
    rows = connection.execute(
        "SELECT source_id, visible FROM summaries_records WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(sentence.seqs),),
    ).fetchall()
    if len(rows) < len(sentence.seqs) or not all(visible for _, visible in rows):
        return False
    if max(sentence.seqs) > window.last_seq:
        return False
    if window.sources is not None and not all(source_id in window.sources for source_id, _ in rows):
        return False
    return not any(
        start < sentence.end and sentence.start < end
        for seq in sentence.seqs
        for start, end in struck_spans(connection, seq)
    )


def struck_spans(connection: Connection, seq: int) -> list[tuple[int, int]]:
    """Return what visible corrections strike out of a record's text."""
    rows = connection.execute(
        'SELECT s.start, s."end" FROM summaries_struck s JOIN summaries_records r ON r.seq = s.by'
        " WHERE s.seq = ? AND r.visible",
        (seq,),
    )
    return [(int(start), int(end)) for start, end in rows]


def _supported(body: Body, kept: Sequence[BodySentence], title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The phrases that what is left still says, and the questions that name no other."""
    said = " ".join((title, *(one.text for one in kept))).casefold()
    phrases = tuple(phrase for phrase in body.phrases if phrase.casefold() in said)
    gone = [phrase.casefold() for phrase in body.phrases if phrase not in phrases]
    if body.model:
        return (), ()  # a model's own words may come from any sentence
    return phrases, tuple(one for one in body.questions if phrases and not any(g in one.casefold() for g in gone))


def title_of(connection: Connection, group_id: str) -> str:
    """Return what a group is called: a source by its title, the others by their name."""
    kind, _, name = group_id.partition(":")
    if kind != "source":
        return name
    row = connection.execute(
        "SELECT title FROM summaries_titles WHERE source_id = ? ORDER BY seq DESC LIMIT 1", (name,)
    ).fetchone()
    return name if row is None else str(row[0])


# ---------------------------------------------------------------- search


def search(
    connection: Connection, terms: Sequence[QueryTerm], window: Window, limit: int, k1: float, b: float
) -> tuple[tuple[str, float], ...]:
    """Return (group id, BM25 score > 0) of the summaries in scope that hold these words, best first.

    Document frequencies and lengths are those of the namespaces in scope. A summary that has lost a sentence since it
    was made is left out until it is made anew: the word that found it may be the lost one.
    """
    seen = json.dumps(sorted(window.namespaces))
    inside = "body IS NOT NULL AND namespace IN (SELECT value FROM json_each(?))"
    row = connection.execute(f"SELECT count(*), coalesce(avg(length), 0) FROM summaries_groups WHERE {inside}", (seen,))
    count, average = row.fetchall()[0]
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.key] = max(term.weight, weights.get(term.key, 0.0))
    scores: Counter[int] = Counter()
    for key in sorted(weights):
        rows = connection.execute(
            "SELECT p.no, p.frequency, g.length FROM summaries_postings p JOIN summaries_groups g USING (no)"
            f" WHERE p.term = ? AND g.{inside.replace(' namespace', ' g.namespace')} ORDER BY p.no",
            (key, seen),
        ).fetchall()
        found = bm25_scores(
            [frequency for _, frequency, _ in rows],
            [length for _, _, length in rows],
            term_idf=idf(len(rows), count),
            average_length=average,
            weight=weights[key],
            k1=k1,
            b=b,
        )
        for (no, _, _), score in zip(rows, found.tolist(), strict=True):
            scores[no] += score
    return _best(connection, scores, window, limit)


def nearest(
    connection: Connection, vector: FloatArray, model: str, window: Window, limit: int
) -> tuple[tuple[str, float], ...]:
    """Return (group id, cosine) of the summaries in scope that are nearest to a ``(d,)`` unit vector, best first."""
    rows = connection.execute(
        "SELECT no, vector FROM summaries_groups WHERE body IS NOT NULL AND model = ? AND vector IS NOT NULL"
        " AND namespace IN (SELECT value FROM json_each(?))",
        (model, json.dumps(sorted(window.namespaces))),
    ).fetchall()
    if not rows:
        return ()
    matrix = np.frombuffer(b"".join(blob for _, blob in rows), np.float32).reshape(len(rows), -1)
    cosines = matrix @ np.asarray(vector, np.float32)
    scores = Counter({no: float(score) for (no, _), score in zip(rows, cosines.tolist(), strict=True)})
    return _best(connection, scores, window, limit)


def _best(connection: Connection, scores: Counter[int], window: Window, limit: int) -> tuple[tuple[str, float], ...]:
    rows = connection.execute(
        f"{_GROUP} WHERE no IN (SELECT value FROM json_each(?))", (json.dumps(list(scores)),)
    ).fetchall()
    groups = sorted((_group(row) for row in rows), key=lambda group: (-scores[group.no], group.group_id, group.no))
    found: dict[str, float] = {}
    for group in groups:
        if len(found) >= limit:
            break
        if group.group_id in found:
            continue
        summary = view(connection, group, window)
        if summary is not None and (not group.is_stale or _is_whole(group, summary)):
            found[group.group_id] = scores[group.no]
    return tuple(found.items())


def _is_whole(group: Group, summary: Summary) -> bool:
    return len(summary.sentences) == len(msgspec.json.decode(group.body, type=Body).sentences)


def _group(row: Sequence[object]) -> Group:
    no, group_id, namespace, is_stale, evidence_hash, record_count, body = row
    assert isinstance(body, bytes)
    return Group(
        int(str(no)),
        str(group_id),
        int(str(namespace)),
        bool(is_stale),
        str(evidence_hash),
        int(str(record_count)),
        body,
    )
