"""The history of a vault as she uses it: what was taken in, what was asked, and trying again."""

from __future__ import annotations

from trisynapse_memory.pipelines.admission import as_input
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.ingest import Options
from trisynapse_memory.pipelines.opening import OpenVault
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    Actor,
    Draft,
    FeedbackDetails,
    IngestRun,
    Kind,
    Namespace,
    Outcome,
    Progress,
    QueryRun,
    RecordId,
    SourceInput,
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

    def retry(self, run_id: str) -> IngestRun:
        """Try again what failed in a run, or everything a crash cut off; what is unchanged is skipped."""
        run = self._history.show(run_id)
        failed = {result.input for result in run.results if result.status is Outcome.FAILED}
        inputs = self._history.inputs(run_id)
        if run.completed_at is not None:
            inputs = tuple(_named(label, inputs) for label in sorted(failed)) or inputs
        return self._opened.ingest(inputs, Options(), _silent, wait=False)

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


def _named(label: str, inputs: tuple[SourceInput, ...]) -> SourceInput:
    known = {given.path or given.url: given for given in inputs}
    return known.get(label) or as_input(label)


def _silent(_: Progress) -> None:
    return None
