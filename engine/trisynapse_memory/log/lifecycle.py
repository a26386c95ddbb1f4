"""Verbs in, lifecycle records out: a source completes, is forgotten or comes back. No projection is touched here."""

from __future__ import annotations

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import (
    CITABLE,
    Change,
    CompletionDetails,
    Draft,
    Kind,
    Payload,
    Record,
    ReinstatementDetails,
    RetractionDetails,
    Source,
    SourceStatus,
)


def complete(log: MemoryLog, shelf: Shelf, source_id: str, verdicts: dict[str, int]) -> Record:
    """Say that a source has arrived; the version it replaces is superseded by the same record."""
    source = shelf.get(source_id)
    current = shelf.active(source.source_key, source.namespace)
    details = CompletionDetails(
        target_source_id=source_id,
        verdicts=verdicts,
        record_count=source.record_count,
        page_count=sum(verdicts.values()),
        supersedes=None if current is None or current.source_id == source_id else current.source_id,
    )
    return _append(log, Kind.COMPLETION, source, details, f"{source.title} has arrived.")


def forget_record(log: MemoryLog, record_id: str, reason: str) -> Change:
    """Hide one record from every answer; the log keeps it."""
    record = log.get(record_id)
    _require_reason(reason)
    details = RetractionDetails(reason=reason, target_record_ids=(record.id,))
    return _change(log, Kind.RETRACTION, details, record, reason)


def reinstate_record(log: MemoryLog, record_id: str, reason: str) -> Change:
    """Bring one hidden record back."""
    record = log.get(record_id)
    details = ReinstatementDetails(reason=reason, target_record_ids=(record.id,))
    return _change(log, Kind.REINSTATEMENT, details, record, reason)


def forget_source(log: MemoryLog, shelf: Shelf, source_id: str, reason: str) -> Change:
    """Hide a source and all its records from every answer; the log keeps them."""
    source = shelf.get(source_id)
    _require_reason(reason)
    details = RetractionDetails(reason=reason, target_source_ids=(source_id,))
    return _source_change(log, Kind.RETRACTION, source, details, reason)


def reinstate_source(log: MemoryLog, shelf: Shelf, source_id: str, reason: str) -> Change:
    """Bring a forgotten or superseded version back; the version in use now, if any, is superseded by it."""
    source = shelf.get(source_id)
    if source.status is SourceStatus.REMOVED:
        raise InvalidInputError(
            f"'{source.title}' was removed for good.", hint="Add the file again; nothing of it is left to bring back."
        )
    current = shelf.active(source.source_key, source.namespace)
    details = ReinstatementDetails(
        reason=reason,
        target_source_ids=(source_id,),
        supersedes=None if current is None or current.source_id == source_id else current.source_id,
    )
    return _source_change(log, Kind.REINSTATEMENT, source, details, reason)


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise InvalidInputError("A reason is needed to forget.", hint="Say why in a few words; history shows it.")


def _change(log: MemoryLog, kind: Kind, details: Payload, target: Record, reason: str) -> Change:
    if target.kind not in CITABLE:
        raise InvalidInputError(
            f"'{target.id}' is a {target.kind.value} record; only evidence can be forgotten or reinstated.",
            hint="For a whole source use the verbs of `sources`.",
        )
    draft = Draft(kind=kind, text=reason, payload=details, namespace=target.namespace, group_id=target.group_id)
    (record,) = log.append([draft])
    return Change(record_id=record.id, verb=kind.value, affected_count=len(log.changed_visibility([record])))


def _source_change(log: MemoryLog, kind: Kind, source: Source, details: Payload, reason: str) -> Change:
    record = _append(log, kind, source, details, reason)
    return Change(record_id=record.id, verb=kind.value, affected_count=len(log.changed_visibility([record])))


def _append(log: MemoryLog, kind: Kind, source: Source, details: Payload, text: str) -> Record:
    draft = Draft(kind=kind, text=text, payload=details, namespace=source.namespace, source_id=source.source_id)
    (record,) = log.append([draft])
    return record
