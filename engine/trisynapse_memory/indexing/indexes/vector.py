"""Records and their vectors in, nearest records out (``vectors.db``). No text is kept and no vector made here."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import numpy as np

from trisynapse_memory.contracts import Entry, FloatArray
from trisynapse_memory.errors import BadEmbeddingError, DiskFullError
from trisynapse_memory.indexing import vector_tables as tables
from trisynapse_memory.indexing.vector_models import begin, prepare, serving_table, switch_if_whole, target_table
from trisynapse_memory.indexing.vector_search import Bounds, bounds_of, checked, cosines, foremost
from trisynapse_memory.indexing.vector_tables import Owner, VectorTable
from trisynapse_memory.indexing.vector_view import LiveView, RowView
from trisynapse_memory.scoring.vectors import EXACT_LIMIT, RESCORED_COUNT, RESCORED_PER_RESULT
from trisynapse_memory.sqlite import Connection, Database
from trisynapse_memory.types import Candidate, Namespace, Record, Scope, indexed_text

WHY: Final = "meaning"

_UNIT_TOLERANCE: Final = 1e-3


class VectorIndex:
    """Finds records by meaning; a record whose vector is not there yet waits, and the backlog asks what waits.

    A vector belongs to the hash of a text and to a model, so a rebuild, a re-import or a return to an earlier model
    embeds nothing twice; it goes with the last record that has the text. It is kept in one byte per dimension
    (``vector_rows.py``): scores are exact cosines with what is kept. After a change of the model the old vectors
    answer until the new set is whole; then the index switches by itself (``serving_model`` tells which one answers).

    Args:
        database: ``vectors.db``, opened with ``vectors=True``: a file of format 1 holds tables of sqlite-vec.
        model_id: the model of a new file (``Embedder.model_id``); a file that has one keeps it (``vector_switch.py``).
        dimension: its number of dimensions.
        exact_limit: up to so many vectors every one is compared; beyond, sign bits choose what is compared.

    Raises:
        InvalidSettingError: the model is known with another number of dimensions.
        VaultFormatError: a newer version wrote the file.
    """

    name = "vector"
    takes_all_facts = False

    def __init__(self, database: Database, model_id: str, dimension: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        self._database = database
        self._exact_limit = exact_limit
        self._view = LiveView()
        with database.write() as connection:
            has_free_space = prepare(connection)
            begin(connection, model_id, dimension)
        if has_free_space:
            # Smaller by half, but only worth the space that rewriting takes where there is some.
            with suppress(DiskFullError):
                database.compact()

    # ------------------------------------------------------------ Index

    def applied_seq(self) -> int:
        """Return the log position this index has reached."""
        with self._database.read() as connection:
            return tables.state_of(connection, "applied_seq")

    def apply(
        self,
        entries: Sequence[Entry],
        visibility: Mapping[int, bool],
        through_seq: int,
        events: Sequence[Record] = (),
    ) -> None:
        """Take in records and changed visibility; a text embedded before is found at once, another one waits."""
        with self._changing() as (connection, change):
            known = tables.namespace_ids(connection)
            for entry in entries:
                owner = _owner_from(connection, entry, known)
                if owner is not None:
                    self._place(connection, change, owner)
            for seq, visible in visibility.items():
                before = tables.owner_of(connection, seq)
                if before is not None:
                    self._place(connection, change, before._replace(visible=visible))
            tables.set_state(connection, "applied_seq", through_seq)

    def drop(self, seqs: Sequence[int]) -> None:
        """Erase records, and the vectors of texts that no record has any more."""
        with self._changing() as (connection, change):
            for seq in seqs:
                owner = tables.owner_of(connection, seq)
                if owner is not None:
                    self._withdraw(connection, change, owner)
                    tables.delete_owner(connection, owner)

    def wipe(self) -> None:
        """Empty the index for a rebuild; the cache stays, owned by hidden rows, so no vector is made twice."""
        with self._changing() as (connection, change):
            connection.execute("UPDATE owners SET visible = 0")
            connection.execute("DELETE FROM pending")
            tables.set_state(connection, "applied_seq", 0)
            tables.set_state(connection, "vector_count", 0)
            change.whole = True

    def close(self) -> None:
        """Close the file in all threads."""
        self._database.close()

    # ------------------------------------------------------------ VectorReader

    def nearest(self, vector: FloatArray, scope: Scope, limit: int) -> tuple[Candidate, ...]:
        """Return the visible records in scope with the highest cosine to a ``(d,)`` unit vector.

        Args:
            vector: from the embedder named by ``serving_model``.
            scope: applied before the cut.
            limit: how many at most.

        Returns:
            Candidates by descending cosine [-1, 1], ties in log order. Exact up to ``exact_limit`` vectors; beyond,
            scores stay exact and recall@10 is at least 0.99 of an exact search.

        Raises:
            BadEmbeddingError: the vector has not this index's number of dimensions, or is not finite.
        """
        with self._database.read() as connection:
            table = serving_table(connection)
            query = checked(vector, table.dimension)
            bounds = bounds_of(connection, scope)
            if bounds is None or limit <= 0:
                return ()
            found = cosines(connection, table, query, self._chosen(connection, table, query, bounds, limit))
        best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
        return tuple(Candidate(seq, score, WHY) for seq, score in best)

    def embeddings(self, seqs: Sequence[int]) -> tuple[tuple[int, ...], FloatArray]:
        """Return those of these records that are visible and embedded, and their unit vectors ``(n, d) float32``."""
        with self._database.read() as connection:
            found, matrix = tables.vectors_by_seq(connection, seqs, serving_table(connection))
        return tuple(found), matrix

    def warm(self) -> None:
        """Read what a search keeps in memory, so that the first question does not wait for it."""
        with self._database.read() as connection:
            self._current(connection, serving_table(connection))

    def pending_count(self, *, serving: bool = False) -> int:
        """Return how many visible records have no vector of the wanted model yet, failed and held back ones too.

        Args:
            serving: of the model that answers now instead; the two differ while a second set is built.
        """
        with self._database.read() as connection:
            if serving and serving_table(connection) != target_table(connection):
                return self.record_count() - tables.state_of(connection, "vector_count")
            return tables.number_of(connection, "SELECT count(*) FROM pending")

    def record_count(self) -> int:
        """Return how many visible records the index knows, embedded or not."""
        with self._database.read() as connection:
            return tables.number_of(connection, "SELECT count(*) FROM owners WHERE visible")

    # ------------------------------------------------------------ what the backlog needs

    @property
    def model_id(self) -> str:
        """The model whose vectors are wanted: the one the backlog embeds with."""
        return self._name_of(self._target.model)

    @property
    def serving_model(self) -> str:
        """The model whose vectors answer now: the one a question must be embedded with."""
        with self._database.read() as connection:
            model = tables.state_of(connection, "serving")
        return self._name_of(model)

    @property
    def dimension(self) -> int:
        """How long a vector of the wanted model is."""
        return self._target.dimension

    def pending(self, limit: int) -> tuple[tuple[int, str], ...]:
        """Return what to embed next: ``(seq, text hash)`` of up to ``limit`` distinct texts, most wanted first.

        Sources given to ``prioritise`` come first (the latest of them foremost), then the newest records. Failed texts
        are left out.
        """
        with self._database.read() as connection:
            return tuple((seq, text_hash) for text_hash, seq in tables.waiting(connection, limit).items())

    def prioritise(self, source_id: str) -> None:
        """Embed this source before all others: she has just opened or dropped it."""
        with self._database.write() as connection:
            tables.raise_priority(connection, tables.source_number(connection, source_id))

    def put(self, vectors: Mapping[str, FloatArray]) -> None:
        """Store computed vectors by text hash and let all records with these texts be found, in one transaction.

        A hash that no record has any more is ignored: a record removed while its vector was computed stays removed.

        Raises:
            BadEmbeddingError: a vector has the wrong length, or is not a finite unit vector; nothing is stored then.
        """
        units = {text_hash: _unit(vector, self._target.dimension) for text_hash, vector in vectors.items()}
        with self._changing() as (connection, change):
            fresh: dict[int, FloatArray] = {}
            for text_hash, unit in units.items():
                text = tables.text_number(connection, text_hash)
                if text is not None and not tables.is_embedded(connection, text, change.target.model):
                    fresh[text] = unit
            if fresh:
                tables.keep_vectors(connection, change.target, list(fresh), np.stack(list(fresh.values())))
            for text in fresh:
                connection.execute("DELETE FROM pending WHERE text = ?", (text,))
                if change.target == change.serving:
                    change.add(tables.visible_owners(connection, text))
            change.whole |= switch_if_whole(connection, change.target)

    def note_failures(self, reasons: Mapping[str, str]) -> None:
        """Count a failed attempt for each text hash; after the third the text counts as failed and no longer waits."""
        with self._changing() as (connection, change):
            tables.note_failures(connection, reasons)
            change.whole |= switch_if_whole(connection, change.target)

    def switch(self) -> bool:
        """Let the wanted model answer if nothing waits for it any more; tell whether that was the moment."""
        if self.serving_model == self.model_id:
            return False
        with self._changing() as (connection, change):
            change.whole |= switch_if_whole(connection, change.target)
            return change.whole

    def failures(self) -> tuple[tuple[int, str], ...]:
        """Return the records that could not be embedded, newest first, each with the reason."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT p.seq, t.reason FROM pending p JOIN texts t ON t.id = p.text WHERE p.failed = ? "
                "ORDER BY p.seq DESC",
                (tables.FAILED,),
            )
            return tuple((seq, reason) for seq, reason in rows)

    def retry_failures(self) -> None:
        """Let failed records wait again, with fresh attempts: after an update, or when she asks for it."""
        with self._database.write() as connection:
            connection.execute("UPDATE texts SET attempts = 0, reason = '' WHERE attempts > 0")
            connection.execute("UPDATE pending SET failed = 0 WHERE failed")

    # ------------------------------------------------------------ inside

    @contextmanager
    def _changing(self) -> Generator[tuple[Connection, _Change]]:
        with self._database.write() as connection:
            change = _Change(serving_table(connection), target_table(connection))
            yield connection, change
            revision = tables.state_of(connection, "revision") + 1
            tables.set_state(connection, "revision", revision)
            change.settle(connection)
            if not change.whole:  # a revision that was not noted makes the view read everything
                self._view.note(revision, frozenset(change.touched))

    def _place(self, connection: Connection, change: _Change, owner: Owner) -> None:
        before = tables.owner_of(connection, owner.seq)
        if before == owner:
            return
        if before is not None:
            self._withdraw(connection, change, before)
            if before.text != owner.text:
                tables.delete_owner(connection, before)
        tables.save_owner(connection, owner)
        if not owner.visible:
            return
        if tables.is_embedded(connection, owner.text, change.serving.model):
            change.add([owner])
        if not tables.is_embedded(connection, owner.text, change.target.model):
            tables.add_pending(connection, owner)

    def _withdraw(self, connection: Connection, change: _Change, owner: Owner) -> None:
        if owner.visible and tables.is_embedded(connection, owner.text, change.serving.model):
            change.take_out(owner)
        connection.execute("DELETE FROM pending WHERE seq = ?", (owner.seq,))

    def _current(self, connection: Connection, table: VectorTable) -> RowView:
        signed = tables.state_of(connection, "vector_count") > self._exact_limit
        return self._view.current(connection, table, tables.state_of(connection, "revision"), signed=signed)

    def _chosen(
        self, connection: Connection, table: VectorTable, query: FloatArray, bounds: Bounds, limit: int
    ) -> list[int]:
        """Return the records that may be among the nearest ones, to be compared exactly."""
        view = self._current(connection, table).within(*bounds)
        if view.bits is not None:
            return view.candidates(query, max(RESCORED_COUNT, RESCORED_PER_RESULT * limit))
        return foremost(connection, query, view.seqs, view.slots, limit)

    @property
    def _target(self) -> VectorTable:
        with self._database.read() as connection:
            return target_table(connection)

    def _name_of(self, model: int) -> str:
        with self._database.read() as connection:
            row = connection.execute("SELECT name FROM models WHERE id = ?", (model,)).fetchone()
        return "" if row is None else row[0]


class _Change:
    """What one write changes of what is found: counted for the choice of search, noted for the view in memory."""

    def __init__(self, serving: VectorTable, target: VectorTable) -> None:
        self.serving = serving
        self.target = target
        self.whole = False
        self.touched: set[int] = set()
        self._added_count = 0

    def add(self, owners: Sequence[Owner]) -> None:
        self._added_count += len(owners)
        self.touched.update(owner.seq for owner in owners)

    def take_out(self, owner: Owner) -> None:
        self._added_count -= 1
        self.touched.add(owner.seq)

    def settle(self, connection: Connection) -> None:
        if self.whole or not self._added_count:
            return
        tables.set_state(connection, "vector_count", tables.state_of(connection, "vector_count") + self._added_count)


# ---------------------------------------------------------------- values


def _owner_from(connection: Connection, entry: Entry, known: dict[Namespace, int]) -> Owner | None:
    record = entry.record
    if not indexed_text(record.text, record.fields).strip():
        return None  # blank text has no meaning to embed
    namespace = known.get(record.namespace)
    if namespace is None:
        namespace = known[record.namespace] = tables.add_namespace(connection, record.namespace)
    text = tables.text_number(connection, tables.text_hash_of(record.text, record.fields), add=True)
    assert text is not None
    return Owner(record.seq, text, namespace, tables.source_number(connection, record.source_id), entry.visible)


def _unit(vector: FloatArray, dimension: int) -> FloatArray:
    unit = checked(vector, dimension)
    norm = float(np.linalg.norm(unit))
    if abs(norm - 1.0) > _UNIT_TOLERANCE:
        raise BadEmbeddingError("The embedder returned a vector that is not of length 1.", hint="Report this embedder.")
    return unit / np.float32(norm)
