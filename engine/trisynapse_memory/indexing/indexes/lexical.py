"""Index terms of records in, records ranked by their words out (``LexicalReader``); no text is read or stored here.

The postings lie in segments (``indexing.segments``), what else a ranking needs in ``indexing.documents``. Statistics
are exact for every scope: document frequencies are counted over the visible postings in scope while they are read,
the number of records and their mean length come from counters kept with each commit.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Entry
from trisynapse_memory.indexing import documents, segments
from trisynapse_memory.indexing.documents import DocumentReader, NewDocument, View
from trisynapse_memory.indexing.postings import Flags, Integers, Postings, collect_postings
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.scoring.bm25 import bm25_scores, idf
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.tokens import TOKENIZER_VERSION
from trisynapse_memory.types import Candidate, Matches, QueryTerm, Record, Scope, TermHolders

NAME = "lexical"
FORM = f"segments-1 {TOKENIZER_VERSION}"  # Another tokenizer gives other terms; a mixture would miss records.
SEGMENT_RECORDS = 1024  # records per segment at most; bounds the memory of a rebuild in one call.
_POSITION_BITS = 28  # An occurrence is one number: a seq, and below it a position among up to 268 million.
MERGE_SHARE = 4  # Postings merged per posting written: one per tier up to 200 million postings (a million records).
MERGE_LEAST_POSTINGS = 2048  # So that single appends, which pass two tiers more, keep up too.

# A commit leaves segments 512 times its own size to larger commits and to ``merge``: with a big merge under way, each
# single append would take 5 ms more, and such segments are few.
MERGE_TIERS_ABOVE = 2


class LexicalIndex:
    """The word index of a vault: an ``Index`` for the projector, a ``LexicalReader`` for routes.

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
        self._documents = DocumentReader()
        self._recent: _Recent | None = None
        self._database.install(NAME, FORM, segments.SCHEMA + documents.SCHEMA)

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
        """Take in new records and the changed visibility of older ones, up to ``through_seq``, in one transaction.

        A record that is there already is only shown or hidden, so a repeated call changes nothing.
        """
        with self._database.write() as connection:
            for start in range(0, len(entries), SEGMENT_RECORDS):
                self._take_in(connection, entries[start : start + SEGMENT_RECORDS])
            documents.show_documents(connection, visibility)
            self._database.advance(connection, NAME, through_seq)

    def _take_in(self, connection: Connection, entries: Sequence[Entry]) -> None:
        known = documents.known_seqs(connection, [entry.record.seq for entry in entries]).tolist()
        documents.show_documents(
            connection, {entry.record.seq: entry.visible for entry, there in zip(entries, known, strict=True) if there}
        )
        new = {entry.record.seq: entry for entry, there in zip(entries, known, strict=True) if not there}
        documents.add_documents(connection, [_document_of(entry) for entry in new.values()])
        written = segments.write_segment(
            connection, collect_postings([(seq, entry.terms) for seq, entry in new.items()])
        )
        budget = max(MERGE_SHARE * written, MERGE_LEAST_POSTINGS)
        segments.merge_segments(connection, budget, segments.tier_of(written) + MERGE_TIERS_ABOVE)

    def merge(self, budget_ms: float) -> bool:
        """Merge segments in the background for about so long, in short transactions; True when nothing is left.

        Answers do not depend on it; it only takes work off the commits that follow, and speeds questions up.
        """
        deadline = time.monotonic() + budget_ms / 1000.0
        while time.monotonic() < deadline:
            with self._database.write() as connection:
                if not segments.merge_segments(connection, segments.STEP_POSTINGS):
                    return True
        return False

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase these records, whether or not they are there, also from the freed pages and the write-ahead log."""
        if not seqs:
            return
        dead = np.zeros(max(seqs) + 1, np.bool_)
        dead[np.array(seqs, np.int64)] = True
        with self._database.write() as connection:
            segments.erase_postings(connection, dead)
            documents.erase_documents(connection, seqs)
        self._recent = None
        self._database.checkpoint()

    def wipe(self) -> None:
        """Empty the index and go back to position 0."""
        with self._database.write() as connection:
            segments.wipe_segments(connection)
            documents.wipe_documents(connection)
            self._database.advance(connection, NAME, 0)

    def close(self) -> None:
        """Close the file, unless it was handed in open: then whoever opened it closes it."""
        if self._owns_database:
            self._database.close()

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return the best ``limit`` records by BM25 (score > 0), best first, ties in log order.

        A key that is given twice counts once, with its larger weight. The score of a record is the sum over the terms
        in code point order, so it is the same to the last bit however the index was built.

        Source:
            engine.md A8.2 and 0.3.
        """
        weights: dict[str, float] = {}
        for term in terms:
            weights[term.key] = max(term.weight, weights.get(term.key, 0.0))
        with self._reading(scope) as (connection, view):
            postings = self._postings(connection, view, tuple(weights))
        return _best(self._scores(postings, weights, view), limit)

    def _scores(self, postings: Postings, weights: Mapping[str, float], view: View) -> NDArray[np.float64]:
        scores = np.zeros(view.mask.size)
        for term, place in postings.slices():
            seqs = postings.seqs[place]
            kept = view.mask[seqs]
            seqs = seqs[kept]
            scores[seqs] += bm25_scores(
                postings.frequencies[place][kept],
                view.lengths[seqs],
                term_idf=idf(seqs.size, view.statistics.record_count),
                average_length=view.statistics.average_length,
                weight=weights[term],
                k1=self._config.bm25_k1,
                b=self._config.bm25_b,
            )
        return scores

    def phrase(self, terms: Sequence[str], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return records that hold the exact forms next to each other in this order; score is the number of times."""
        if not terms:
            return ()
        with self._reading(scope) as (connection, view):
            postings = segments.read_postings(connection, tuple(dict.fromkeys(terms)), positions=True)
        if len(postings.terms) < len(set(terms)):
            return ()
        places = _places(postings, view.mask)
        # From the rarest on: the others are only looked up.
        anchor = min(range(len(terms)), key=lambda step: places[terms[step]].size)
        starts = places[terms[anchor]]
        starts = starts[(starts & ((1 << _POSITION_BITS) - 1)) >= anchor] - anchor
        for step, term in enumerate(terms):
            starts = starts[_contained(starts + step, places[term])]
        seqs, times = np.unique(starts >> _POSITION_BITS, return_counts=True)
        return _ranked(seqs, times.astype(np.float64), limit, "phrase")

    def holders(self, key: str, scope: Scope, limit: int) -> tuple[int, ...]:
        """Return the log positions of up to ``limit`` visible records that hold this very term, in log order."""
        with self._reading(scope) as (connection, view):
            seqs = segments.read_postings(connection, (key,)).seqs
        return tuple(np.sort(seqs[view.mask[seqs]])[: max(limit, 0)].tolist())

    def matching(self, words: Sequence[Sequence[str]], scope: Scope) -> Matches:
        """Count all visible records that hold every word, by any of the keys given for it; none for no words.

        Reads the postings of these keys, whole: the cost grows with how often they occur, not with the vault.
        """
        weights = {key: 1.0 for keys in words for key in keys}
        with self._reading(scope) as (connection, view):
            postings = segments.read_postings(connection, tuple(weights))
        held = view.mask.copy() if words else np.zeros(view.mask.size, np.bool_)
        for keys in words:
            held &= _holding(postings, keys, held.size)
        seqs = np.flatnonzero(held)
        seqs = seqs[np.lexsort((seqs, -self._scores(postings, weights, view)[seqs]))]
        # A record without a source stands for itself: its own position, negative, is its group.
        groups = np.where(view.sources[seqs] == documents.NO_SOURCE, -seqs - 1, view.sources[seqs].astype(np.int64))
        _, firsts = np.unique(groups, return_index=True)
        best = seqs[np.sort(firsts)]
        return Matches(record_count=seqs.size, source_count=best.size, best=tuple(best.tolist()))

    def frequencies(self, keys: Sequence[str], scope: Scope) -> dict[str, int]:
        """Return in how many visible records each term occurs; 0 for a term that none holds."""
        found = dict.fromkeys(keys, 0)
        with self._reading(scope) as (connection, view):
            postings = self._postings(connection, view, tuple(found))
        for term, place in postings.slices():
            found[term] = int(np.count_nonzero(view.mask[postings.seqs[place]]))
        return found

    def holders_among(self, keys: Sequence[str], seqs: Sequence[int], scope: Scope) -> TermHolders:
        """Return which of these records hold which of these terms, and how rare the terms are in the scope."""
        wanted = np.array(sorted(set(seqs)), np.int64)
        with self._reading(scope) as (connection, view):
            postings = self._postings(connection, view, tuple(dict.fromkeys(keys)))
        asked = np.zeros(view.mask.size, np.bool_)
        asked[wanted[wanted < view.mask.size]] = True
        frequencies: dict[str, int] = dict.fromkeys(keys, 0)
        holders: dict[str, frozenset[int]] = dict.fromkeys(keys, frozenset())
        for term, place in postings.slices():
            held = postings.seqs[place]
            held = held[view.mask[held]]
            frequencies[term] = held.size
            holders[term] = frozenset(held[asked[held]].tolist())
        return TermHolders(record_count=view.statistics.record_count, frequencies=frequencies, holders=holders)

    def record_count(self, scope: Scope) -> int:
        """Return how many visible records the scope holds."""
        with self._reading(scope) as (_, view):
            return view.statistics.record_count

    def _postings(self, connection: Connection, view: View, keys: tuple[str, ...]) -> Postings:
        """Read postings, those of the question before without the disk: its candidates are looked at once more."""
        recent, wanted = self._recent, frozenset(keys)
        if recent is not None and (recent.stamp, recent.keys) == (view.stamp, wanted):
            return recent.postings
        postings = segments.read_postings(connection, keys)
        self._recent = _Recent(view.stamp, wanted, postings)
        return postings

    @contextmanager
    def _reading(self, scope: Scope) -> Generator[tuple[Connection, View]]:
        with self._database.read() as connection:
            yield connection, self._documents.view(connection, scope)


class _Recent(NamedTuple):
    """The postings that were read last, and the state of the records they are of."""

    stamp: int
    keys: frozenset[str]
    postings: Postings


def _document_of(entry: Entry) -> NewDocument:
    record = entry.record
    return NewDocument(record.seq, entry.terms.length, record.namespace, record.source_id, entry.visible)


def _places(postings: Postings, mask: Flags) -> dict[str, Integers]:
    """Return where each term stands in the records that hold all of them: seq, then position, as one number each."""
    together = mask.copy()
    for _, place in postings.slices():
        holding = np.zeros(mask.size, np.bool_)
        holding[postings.seqs[place]] = True
        together &= holding
    kept = postings.keeping(together[postings.seqs])
    occurrences = (np.repeat(kept.seqs, kept.frequencies) << _POSITION_BITS) | kept.positions
    ends = np.cumsum(np.concatenate(([0], kept.frequencies)))
    none = np.zeros(0, np.int64)
    return dict.fromkeys(postings.terms, none) | {
        term: np.sort(occurrences[ends[place.start] : ends[place.stop]]) for term, place in kept.slices()
    }


def _holding(postings: Postings, keys: Sequence[str], size: int) -> Flags:
    """Mark the records that hold one of these keys."""
    holding = np.zeros(size, np.bool_)
    for term, place in postings.slices():
        if term in keys:
            holding[postings.seqs[place]] = True
    return holding


def _contained(values: Integers, ordered: Integers) -> Flags:
    """Tell for each value whether an ordered array holds it."""
    if not ordered.size:
        return np.zeros(values.size, np.bool_)
    return ordered[np.minimum(np.searchsorted(ordered, values), ordered.size - 1)] == values


def _best(scores: NDArray[np.float64], limit: int) -> tuple[Candidate, ...]:
    """Choose the ``limit`` highest scores above 0 out of the scores of all seqs."""
    seqs = np.flatnonzero(scores > 0.0)
    found = scores[seqs]
    if 0 < limit < found.size:
        lowest = np.partition(found, found.size - limit)[found.size - limit]
        above = np.flatnonzero(found > lowest)
        level = np.flatnonzero(found == lowest)[: limit - above.size]
        chosen = np.concatenate((above, level))
        seqs, found = seqs[chosen], found[chosen]
    return _ranked(seqs, found, limit, "words")


def _ranked(seqs: Integers, scores: NDArray[np.float64], limit: int, why: str) -> tuple[Candidate, ...]:
    order = np.lexsort((seqs, -scores))[: max(limit, 0)]
    return tuple(
        Candidate(seq, score, why) for seq, score in zip(seqs[order].tolist(), scores[order].tolist(), strict=True)
    )
