"""A source whose pages are in the log in, its completion and its result out; also of those that needed no reading."""

from __future__ import annotations

from collections import Counter

from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.admission import Admission, Arrival, Decision
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestResult, Outcome, SourceStatus


def complete(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Close a source with the verdicts of all its pages; the version that it replaces is superseded with it."""
    notes = rooms.log.page_notes(decision.source_id)
    verdicts = dict(Counter(note.verdict.value for note in notes))
    with rooms.log.transaction():
        lifecycle.complete(rooms.log, rooms.shelf, decision.source_id, verdicts)
        if decision.known is not None and decision.known.status is not SourceStatus.ARRIVING:
            lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
    rooms.projector.catch_up()
    rooms.vectors.prioritise(decision.source_id)
    return result_of(rooms, arrival, decision, Outcome.SUCCESS, "" if decision.version == 1 else "new version")


def leave(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Say of bytes that the vault holds already which source holds them."""
    known = decision.known
    same_key = decision.admission is Admission.UNCHANGED
    reason = "unchanged" if same_key else f"duplicate of '{known.title if known else decision.source_id}'"
    return result_of(rooms, arrival, decision, Outcome.SKIPPED, reason)


def restore(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Bring back an earlier version whose bytes have come again."""
    lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
    rooms.projector.catch_up()
    return result_of(rooms, arrival, decision, Outcome.SUCCESS, f"version {decision.version} restored")


def result_of(rooms: Rooms, arrival: Arrival, decision: Decision, status: Outcome, reason: str) -> IngestResult:
    """Return what became of an arrival, as the shelf knows its source now."""
    source = rooms.shelf.get(decision.source_id)
    return IngestResult(
        input=arrival.label,
        status=status,
        source_id=source.source_id,
        source_key=source.source_key,
        kind=source.kind,
        title=source.title,
        version=source.version,
        record_count=source.record_count,
        verdicts=source.verdicts,
        pages=rooms.log.page_notes(source.source_id),
        reason=reason,
    )
