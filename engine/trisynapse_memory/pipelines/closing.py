"""A source whose pages are in the log in, its completion and its result out; also of those that needed no reading."""

from __future__ import annotations

import threading
from collections import Counter

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.same_texts import known_digest, text_digest
from trisynapse_memory.pipelines import matching
from trisynapse_memory.pipelines.admission import Admission, Arrival, Decision
from trisynapse_memory.pipelines.anchoring import Carried, carry_highlights
from trisynapse_memory.pipelines.outcomes import with_gaps
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestResult, Outcome, SourceStatus


def complete(rooms: Rooms, arrival: Arrival, decision: Decision, stop: threading.Event) -> IngestResult:
    """Close a source with the verdicts of all its pages; the version that it replaces is superseded with it.

    Of a source that is stopped before, all pages are there; it is closed when it is added again.
    """
    notes = rooms.log.page_notes(decision.source_id)
    verdicts = dict(Counter(note.verdict.value for note in notes))
    text_hash = text_digest(rooms.log, decision.source_id, stop)
    if stop.is_set():
        return result_of(rooms, arrival, decision, Outcome.PARTIAL, "cancelled")
    carried = _carried(rooms, decision)
    with rooms.log.transaction():
        lifecycle.complete(rooms.log, rooms.shelf, decision.source_id, verdicts, text_hash)
        if decision.known is not None and decision.known.status is not SourceStatus.ARRIVING:
            lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
        rooms.log.append(carried.drafts)
    rooms.projector.catch_up()
    rooms.vectors.prioritise(decision.source_id)
    version = "" if decision.version == 1 else "new version"
    said = (version, carried.told, _same_text(rooms, decision), matching.match_file(rooms, decision.source_id))
    return with_gaps(result_of(rooms, arrival, decision, Outcome.SUCCESS, "; ".join(filter(None, said))))


def _carried(rooms: Rooms, decision: Decision) -> Carried:
    """Her highlights on the version that leaves, as they go to the one that comes."""
    if decision.current is None or decision.current.source_id == decision.source_id:
        return Carried()
    return carry_highlights(rooms, decision.current.source_id, decision.source_id)


def _same_text(rooms: Rooms, decision: Decision) -> str:
    """Say where the same words are already; both files stay, and results show them once."""
    others = rooms.shelf.copies([decision.source_id]).get(decision.source_id, ())
    return f"same text as '{others[0].title}'" if others else ""


def renew_text(rooms: Rooms, source_id: str) -> None:
    """Write down what a source says in all, where pages that were read late have changed it: it may be a copy now."""
    text_hash = text_digest(rooms.log, source_id)
    if text_hash != known_digest(rooms.log, source_id):
        lifecycle.note_text(rooms.log, rooms.shelf, source_id, text_hash)
        rooms.projector.catch_up()


def leave(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Say of bytes that the vault holds already which source holds them."""
    known = decision.known
    same_key = decision.admission is Admission.UNCHANGED
    reason = "unchanged" if same_key else f"duplicate of '{known.title if known else decision.source_id}'"
    return result_of(rooms, arrival, decision, Outcome.SKIPPED, reason)


def mended(rooms: Rooms, arrival: Arrival, decision: Decision, page_count: int) -> IngestResult:
    """Say how many pages of a source that is there already another try has read."""
    if not page_count:
        return leave(rooms, arrival, decision)
    renew_text(rooms, decision.source_id)
    pages = "1 page" if page_count == 1 else f"{page_count} pages"
    return with_gaps(result_of(rooms, arrival, decision, Outcome.SUCCESS, f"{pages} read at last"))


def restore(rooms: Rooms, arrival: Arrival, decision: Decision) -> IngestResult:
    """Bring back an earlier version whose bytes have come again."""
    carried = _carried(rooms, decision)
    with rooms.log.transaction():
        lifecycle.reinstate_source(rooms.log, rooms.shelf, decision.source_id, "added again")
        rooms.log.append(carried.drafts)
    rooms.projector.catch_up()
    said = (f"version {decision.version} restored", carried.told)
    return with_gaps(result_of(rooms, arrival, decision, Outcome.SUCCESS, "; ".join(filter(None, said))))


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
