"""What models have said of pages without text in, those pages out (``DescriptionReader``).

An index of its own, so that a model's words are in no other: no answer, claim, summary or page of the wiki can be made
of what is only here. Tables ``descriptions_*`` of ``index.db``; whether a description may be seen is asked of the log.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.log.rows import namespace_key, namespace_of
from trisynapse_memory.scoring.bm25 import bm25_scores, idf
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.text.tokens import TOKENIZER_VERSION
from trisynapse_memory.types import Candidate, DescriptionDetails, QueryTerm, Record, Scope

NAME: Final = "descriptions"
FORM: Final = f"pages-1 {TOKENIZER_VERSION}"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS descriptions_pages (
    seq INTEGER PRIMARY KEY,
    source_id TEXT NOT NULL,
    page INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    provider TEXT NOT NULL,          -- '': she removed what was said of this page
    model TEXT NOT NULL,
    length INTEGER NOT NULL          -- in words; 0 where nothing was said
) STRICT;
CREATE INDEX IF NOT EXISTS descriptions_pages_of ON descriptions_pages (source_id, page);
CREATE TABLE IF NOT EXISTS descriptions_postings (
    term TEXT NOT NULL, seq INTEGER NOT NULL, frequency INTEGER NOT NULL, PRIMARY KEY (term, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS descriptions_postings_of ON descriptions_postings (seq);
"""

_IN_SCOPE: Final = """
    d.length > 0 AND d.namespace IN (SELECT value FROM json_each(:namespaces))
    AND (:sources IS NULL OR d.source_id IN (SELECT value FROM json_each(:sources)))
    AND (:last IS NULL OR d.seq <= :last)
"""

_SETTLED_SQL: Final = """
    SELECT DISTINCT page FROM descriptions_pages
    WHERE source_id = ? AND (length > 0 OR provider = '' OR (provider = ? AND model = ?))
"""


class DescriptionIndex:
    """The described pages of a vault: an ``Index`` for the projector, a ``DescriptionReader`` for searches.

    Args:
        place: ``index.db``, or the database already open on it.
        config: ``bm25_k1`` and ``bm25_b`` are read.
    """

    name = NAME
    takes_all_facts = False

    def __init__(self, place: Path | IndexDatabase, config: Config) -> None:
        self._owns_database = not isinstance(place, IndexDatabase)
        self._database = place if isinstance(place, IndexDatabase) else IndexDatabase(place)
        self._config = config
        self._database.install(NAME, FORM, _SCHEMA)

    # ------------------------------------------------------------ Index

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        return self._database.applied_seq(NAME)

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        """Take in the descriptions among the events; evidence is none of this index's business."""
        with self._database.write() as connection:
            for record in events:
                if isinstance(record.payload, DescriptionDetails):
                    _add(connection, record, record.payload)
            self._database.advance(connection, NAME, through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, also from the freed pages and the write-ahead log."""
        if not seqs:
            return
        wanted = (json.dumps(list(seqs)),)
        with self._database.write() as connection:
            for table in ("postings", "pages"):
                connection.execute(
                    f"DELETE FROM descriptions_{table} WHERE seq IN (SELECT value FROM json_each(?))", wanted
                )
        self._database.checkpoint()

    def wipe(self) -> None:
        """Empty the index and go back to position 0."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM descriptions_postings")
            connection.execute("DELETE FROM descriptions_pages")
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open."""
        if self._owns_database:
            self._database.close()

    # ------------------------------------------------------------ DescriptionReader

    def search(self, terms: Sequence[QueryTerm], scope: Scope) -> tuple[Candidate, ...]:
        """Return every description in scope that holds any of these words (BM25 > 0), best first, ties in log order.

        Frequencies and lengths are those of the scope; hidden descriptions count for them, and are for the caller to
        leave out.

        Source:
            engine.md A8.2.
        """
        weights: dict[str, float] = {}
        for term in terms:
            weights[term.key] = max(term.weight, weights.get(term.key, 0.0))
        scores: Counter[int] = Counter()
        with self._database.read() as connection:
            bindings = _bindings(connection, scope)
            count, average = connection.execute(
                f"SELECT count(*), coalesce(avg(d.length), 0) FROM descriptions_pages d WHERE {_IN_SCOPE}", bindings
            ).fetchall()[0]
            for key in sorted(weights) if count else ():
                rows = connection.execute(
                    "SELECT p.seq, p.frequency, d.length FROM descriptions_postings p JOIN descriptions_pages d"
                    f" USING (seq) WHERE p.term = :term AND {_IN_SCOPE} ORDER BY p.seq",
                    {**bindings, "term": key},
                ).fetchall()
                found = bm25_scores(
                    [frequency for _, frequency, _ in rows],
                    [length for _, _, length in rows],
                    term_idf=idf(len(rows), count),
                    average_length=average,
                    weight=weights[key],
                    k1=self._config.bm25_k1,
                    b=self._config.bm25_b,
                )
                for (seq, _, _), score in zip(rows, found.tolist(), strict=True):
                    scores[int(seq)] += score
        ranked = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
        return tuple(Candidate(seq, score, "words") for seq, score in ranked if score > 0.0)

    def settled(self, source_id: str, provider: str, model: str) -> set[int]:
        """Return the pages of a source that are described, that this model failed on, or that she wants left alone."""
        with self._database.read() as connection:
            rows: Iterable[Sequence[object]] = connection.execute(_SETTLED_SQL, (source_id, provider, model))
            return {int(str(row[0])) for row in rows}


def _add(connection: Connection, record: Record, details: DescriptionDetails) -> None:
    terms = terms_of(record.text, {})
    connection.execute(
        "INSERT OR REPLACE INTO descriptions_pages VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            record.seq,
            str(record.source_id),
            details.page,
            namespace_key(record.namespace),
            details.provider,
            details.model,
            terms.length,
        ),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO descriptions_postings VALUES (?, ?, ?)",
        [(key, record.seq, len(at)) for key, at in zip(terms.keys, terms.positions, strict=True)],
    )


def _bindings(connection: Connection, scope: Scope) -> dict[str, SqlValue]:
    """The scope as the queries above take it."""
    keys = [str(row[0]) for row in connection.execute("SELECT DISTINCT namespace FROM descriptions_pages")]
    return {
        "namespaces": json.dumps([key for key in keys if scope.namespace.sees(namespace_of(key))]),
        "sources": None if scope.source_ids is None else json.dumps([str(one) for one in scope.source_ids]),
        "last": scope.as_of_seq,
    }
