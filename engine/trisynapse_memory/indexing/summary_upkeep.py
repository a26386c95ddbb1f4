"""What the summary job reads and writes: which group waits, what it rests on, what was made of it.

No text is made here. Every method is one short transaction; the job reads the records between them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing import summary_bodies as bodies
from trisynapse_memory.indexing import summary_tables as tables
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.indexing.summary_bodies import Body, BodySentence
from trisynapse_memory.indexing.summary_tables import CONCEPT_LEAST, EVIDENCE, SHOWN
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import RecordId, SummaryDetails

READ_RECORDS: Final = 32  # first records read of a source or chat; an abstract and an introduction
READ_FACTS: Final = 32  # shown facts looked at
SOURCE_RECORDS: Final = 3  # first records read of each source of a collection
SOURCE_COUNT: Final = 24  # sources of a collection that are read, the newest


class Turn(NamedTuple):
    """A group whose turn it is; ``touched`` tells whether it has changed again meanwhile."""

    no: int
    group_id: str
    touched: int

    @property
    def kind(self) -> str:
        """Source, collection, chat or concept."""
        return self.group_id.partition(":")[0]


class Basis(NamedTuple):
    """What a group rests on: all of it as a hash and a count, and the part of it that is read.

    ``facts`` are positions of shown facts, ``seqs`` those of other records, both in log order; ``struck`` are spans
    that corrections took back. ``written`` is what a model made of exactly this.
    """

    title: str
    evidence_hash: str
    record_count: int
    newest_seq: int
    seqs: tuple[int, ...]
    facts: tuple[int, ...]
    struck: dict[int, list[tuple[int, int]]]
    written: SummaryDetails | None


class SummaryUpkeep:
    """The group summaries as the background keeps them.

    Args:
        database: ``index.db`` with the tables of the summaries in it.
    """

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database

    def waiting_count(self) -> int:
        """Return how many groups wait for a new summary."""
        with self._database.read() as connection:
            return int(connection.execute("SELECT count(*) FROM summaries_groups WHERE touched > built").get)

    def next_turn(self) -> Turn | None:
        """Return the newest group that waits; collections come last, since they change with each of their sources."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT no, group_id, touched FROM summaries_groups WHERE touched > built"
                " ORDER BY group_id LIKE 'collection:%', no DESC LIMIT 1"
            ).fetchone()
        return None if row is None else Turn(*row)

    def basis(self, turn: Turn) -> Basis | None:
        """Return what a group rests on now; None when nothing of it is visible, or too little."""
        with self._database.read() as connection:
            if turn.kind == "collection":
                return _collection_basis(connection, turn)
            return _group_basis(connection, turn)

    def put(self, turn: Turn, basis: Basis, body: Body) -> None:
        """Keep what was made of a group, searchable by its words; it waits on if it has changed meanwhile."""
        terms = terms_of(body.searchable, {})
        with self._database.write() as connection:
            tables.clear_body(connection, turn.no)
            connection.execute(
                "UPDATE summaries_groups SET body = ?, hash = ?, record_count = ?, newest_seq = ?, length = ?,"
                " built = ? WHERE no = ?",
                (
                    msgspec.json.encode(body),
                    basis.evidence_hash,
                    basis.record_count,
                    basis.newest_seq,
                    terms.length,
                    turn.touched,
                    turn.no,
                ),
            )
            connection.executemany(
                "INSERT INTO summaries_postings VALUES (?, ?, ?)",
                [(key, turn.no, len(at)) for key, at in zip(terms.keys, terms.positions, strict=True)],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO summaries_cited VALUES (?, ?)",
                [(seq, turn.no) for sentence in body.sentences for seq in sentence.seqs],
            )

    def put_nothing(self, turn: Turn) -> None:
        """Note that a group has no summary now."""
        with self._database.write() as connection:
            tables.clear_body(connection, turn.no)
            connection.execute("UPDATE summaries_groups SET built = ? WHERE no = ?", (turn.touched, turn.no))

    def positions(self, record_ids: Sequence[str]) -> tuple[int, ...]:
        """Return the log positions of those of the records that are known, in log order."""
        with self._database.read() as connection:
            return _positions(connection, record_ids)

    def sentences_of(self, details: SummaryDetails) -> tuple[BodySentence, ...]:
        """Return the sentences a model wrote with the positions of their records; those that name none are left out."""
        with self._database.read() as connection:
            found = [
                BodySentence(text=text, record_ids=tuple(map(RecordId, ids)), seqs=_positions(connection, ids))
                for text, ids in zip(details.sentences, details.sentence_record_ids, strict=False)
            ]
        return tuple(one for one in found if one.seqs and len(one.seqs) == len(one.record_ids))

    def unembedded(self, model: str, limit: int) -> list[tuple[int, str]]:
        """Return (group number, searchable text) of summaries without a vector of this model, none that waits."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT no, body FROM summaries_groups WHERE body IS NOT NULL AND touched <= built AND model <> ?"
                " ORDER BY no LIMIT ?",
                (model, limit),
            ).fetchall()
        return [(int(no), msgspec.json.decode(body, type=Body).searchable) for no, body in rows]

    def unembedded_count(self, model: str) -> int:
        """Return how many summaries have no vector of this model, those that wait left out."""
        sql = "SELECT count(*) FROM summaries_groups WHERE body IS NOT NULL AND touched <= built AND model <> ?"
        with self._database.read() as connection:
            return int(connection.execute(sql, (model,)).get)

    def put_vectors(self, model: str, texts: Sequence[tuple[int, str]], vectors: FloatArray) -> None:
        """Keep the vectors ``(n, d) float32`` of summaries whose text is still the same."""
        with self._database.write() as connection:
            for (no, text), vector in zip(texts, vectors, strict=True):
                row = connection.execute("SELECT body FROM summaries_groups WHERE no = ?", (no,)).fetchone()
                if row is None or row[0] is None or msgspec.json.decode(row[0], type=Body).searchable != text:
                    continue
                connection.execute(
                    "UPDATE summaries_groups SET vector = ?, model = ? WHERE no = ?",
                    (np.asarray(vector, np.float32).tobytes(), model, no),
                )


# ---------------------------------------------------------------- what a group rests on


def evidence_hash_of(record_ids: Iterable[str]) -> str:
    """Return the hash a summary is kept under: SHA-256 (hex) of the ids of its visible records, in log order.

    Source:
        engine.md A8.6.
    """
    return hashlib.sha256("\n".join(record_ids).encode()).hexdigest()


def _group_basis(connection: Connection, turn: Turn) -> Basis | None:
    rows = _visible_members(connection, turn.no)
    facts = tuple(seq for seq, _, role in rows if role == SHOWN)
    seqs = tuple(seq for seq, _, role in rows if role == EVIDENCE)
    if turn.kind == "concept":
        if len(facts) < CONCEPT_LEAST:
            return None
        facts, seqs = facts[-READ_FACTS:], ()
    else:
        facts = facts[:READ_FACTS]
        seqs = _spread(seqs, READ_RECORDS) if turn.kind == "chat" else seqs[:READ_RECORDS]
    return _basis(connection, turn, evidence_hash_of(record_id for _, record_id, _ in rows), rows, (seqs, facts))


def _collection_basis(connection: Connection, turn: Turn) -> Basis | None:
    """A collection rests on its sources: its hash is that of theirs, by their ids."""
    sources = connection.execute(
        "SELECT c.source_id, g.no FROM summaries_collections c JOIN summaries_groups g"
        " ON g.group_id = 'source:' || c.source_id WHERE c.name = ?1"
        " AND g.namespace = (SELECT namespace FROM summaries_groups WHERE no = ?2) ORDER BY c.source_id",
        (turn.group_id.partition(":")[2], turn.no),
    ).fetchall()
    members = {source_id: _visible_members(connection, no) for source_id, no in sources}
    members = {source_id: rows for source_id, rows in members.items() if rows}
    hashes = [f"{source} {evidence_hash_of(one for _, one, _ in rows)}" for source, rows in members.items()]
    newest = sorted(members.values(), key=lambda rows: rows[0][0])[-SOURCE_COUNT:]
    seqs = sorted(seq for rows in newest for seq, _, role in rows[:SOURCE_RECORDS] if role == EVIDENCE)
    everything = [row for rows in members.values() for row in rows]
    return _basis(connection, turn, evidence_hash_of(hashes), everything, (tuple(seqs), ()))


def _basis(
    connection: Connection,
    turn: Turn,
    evidence_hash: str,
    rows: Sequence[tuple[int, str, int]],
    chosen: tuple[tuple[int, ...], tuple[int, ...]],
) -> Basis | None:
    if not rows:
        return None
    seqs, facts = chosen
    row = connection.execute(
        "SELECT details FROM summaries_written WHERE no = ? AND hash = ? ORDER BY seq DESC LIMIT 1",
        (turn.no, evidence_hash),
    ).fetchone()
    return Basis(
        title=bodies.title_of(connection, turn.group_id),
        evidence_hash=evidence_hash,
        record_count=len(rows),
        newest_seq=max(seq for seq, _, _ in rows),
        seqs=seqs,
        facts=facts,
        struck={seq: spans for seq in seqs if (spans := bodies.struck_spans(connection, seq))},
        written=None if row is None else msgspec.json.decode(row[0], type=SummaryDetails),
    )


def _visible_members(connection: Connection, no: int) -> list[tuple[int, str, int]]:
    """(seq, id, role) of a group's visible records, in log order."""
    rows = connection.execute(
        "SELECT m.seq, r.id, m.role FROM summaries_members m JOIN summaries_records r ON r.seq = m.seq"
        " WHERE m.no = ? AND m.visible = 1",
        (no,),
    )
    return sorted((int(seq), str(record_id), int(role)) for seq, record_id, role in rows)


def _spread(seqs: tuple[int, ...], count: int) -> tuple[int, ...]:
    """So many of them, evenly spread: a chat has no abstract at its head."""
    if len(seqs) <= count:
        return seqs
    return tuple(seqs[place * len(seqs) // count] for place in range(count))


def _positions(connection: Connection, record_ids: Sequence[str]) -> tuple[int, ...]:
    rows = connection.execute(
        "SELECT seq FROM summaries_records WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (json.dumps(list(record_ids)),),
    )
    return tuple(int(seq) for (seq,) in rows)
