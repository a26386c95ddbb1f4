"""The history of a vault as she uses it: what was taken in, what was asked, and trying again."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.admission import as_input
from trisynapse_memory.pipelines.asking.replays import replay
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.ingest import TRIED_AGAIN, Options
from trisynapse_memory.pipelines.opening import OpenVault
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.unpacking import INSIDE
from trisynapse_memory.types import (
    Actor,
    Draft,
    FeedbackDetails,
    IngestResult,
    IngestRun,
    Kind,
    Namespace,
    Outcome,
    Progress,
    QueryRun,
    RecordId,
    Replay,
    SourceInput,
    SourceStatus,
)


class Runs:
    """The noun door ``engine.runs``."""

    def __init__(self, opened: OpenVault, namespace: Namespace) -> None:
        self._opened = opened
        self._history: History = opened.rooms.history
        self._namespace = namespace

    def list(self, limit: int = 50) -> tuple[IngestRun, ...]:
        """Return the newest ingest runs, newest first."""
        return self._history.list(limit)

    def queries(self, limit: int = 50) -> tuple[QueryRun, ...]:
        """Return the newest query runs, newest first."""
        return self._history.queries(limit)

    def show(self, run_id: str) -> IngestRun | QueryRun:
        """Return one run by its id: ``run_...`` for an ingest, ``q_...`` for a question."""
        return self._history.query(run_id) if run_id.startswith("q_") else self._history.show(run_id)

    def replay(self, query_id: str, settings: dict[str, float | int | str] | None = None) -> Replay:
        """Ask a question again as it was asked then, and say what moved; nothing is kept of it.

        Args:
            query_id: ``q_...``.
            settings: what to change for this once, by the names of the settings ("mention_weight": 0).

        Raises:
            UnknownRecordError: no question has that id, or its run was dropped long ago.
            InvalidInputError: the run is too old to be replayed, or there is no such setting.
            InvalidSettingError: a value is out of its range.
        """
        return replay(self._opened.rooms, self._opened.query, self._history.query(query_id), settings or {})

    def retry(self, run_id: str) -> IngestRun:
        """Try again what failed in a run, page by page, or everything a crash cut off; what is whole is skipped."""
        run = self._history.show(run_id)
        inputs = self._history.inputs(run_id)
        if run.completed_at is not None:
            labels = sorted({result.input.partition(INSIDE)[0] for result in run.results if _may_get_better(result)})
            inputs = tuple(_named(label, inputs) for label in labels) or inputs
        return self._opened.ingest(inputs, Options(again=run.completed_at is not None), _silent, wait=False)

    def read_again(self, source_id: str) -> IngestRun:
        """Try the pages of one source that could not be read, and what lies in its file; the kept original is read.

        Raises:
            UnknownSourceError: no source has that id.
            InvalidInputError: no original of it is kept, or it is not in use.
        """
        rooms = self._opened.rooms
        source = rooms.shelf.get(source_id)
        if not source.blob_hash or source.status is not SourceStatus.ACTIVE:
            raise InvalidInputError(f"'{source.title}' cannot be read again.", hint="Add its file again.")
        given = SourceInput(
            path=str(rooms.blobs.path(source.blob_hash)),
            source_key=source.source_key,
            filename=source.filename,
            namespace=source.namespace,
            linked=rooms.blobs.is_linked(source.blob_hash),
        )
        return self._opened.ingest((given,), Options(again=True), _silent, wait=False)

    def cancel(self, run_id: str) -> None:
        """Ask a running ingest to stop after the batch in hand; one that is over stays as it is."""
        self._opened.cancel(run_id)

    def resume(self) -> tuple[IngestRun, ...]:
        """Go on with every run that a crash cut off, oldest first."""
        resumed = [self.retry(run_id) for run_id in self._history.interrupted()]
        for run_id in self._history.interrupted():
            self._history.finish(run_id)
        return tuple(resumed)


def give_feedback(rooms: Rooms, namespace: Namespace, query_id: str, helpful: bool, note: str) -> RecordId:
    """Remember whether an answer helped her; return the record that says so.

    Raises:
        UnknownRecordError: no question has that id, or its run was dropped long ago.
    """
    rooms.history.query(query_id)
    details = FeedbackDetails(query_id=query_id, helpful=helpful, note=note)
    draft = Draft(kind=Kind.FEEDBACK, text=note, payload=details, namespace=namespace, actor=Actor(type="user"))
    (record,) = rooms.log.append([draft])
    rooms.projector.catch_up()
    return record.id


def _may_get_better(result: IngestResult) -> bool:
    return result.status in (Outcome.FAILED, Outcome.PARTIAL) or any(
        note.verdict in TRIED_AGAIN for note in result.pages
    )


def _named(label: str, inputs: tuple[SourceInput, ...]) -> SourceInput:
    """The input a result came of; a file of a folder keeps what was said of the folder."""
    for given in inputs:
        if label in (given.path, given.url, given.filename, given.title):
            return given
        if given.path is not None and Path(label).is_relative_to(Path(given.path).expanduser().absolute()):
            return structs.replace(given, path=label, source_key=None, title=None, filename=None)
    return as_input(label)


def _silent(_: Progress) -> None:
    return None
