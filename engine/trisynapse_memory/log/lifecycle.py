"""Verbs in, lifecycle records out: a source completes, is forgotten, comes back; a record is corrected.

Every verb is one append. No projection is touched here, and nothing is read but the targets.
"""

from __future__ import annotations

from typing import NamedTuple

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.rows import REMOVED_TEXT
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.state import SOURCE_KEY, TEXT_HASH
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Stretch, evidence_of
from trisynapse_memory.types import (
    CITABLE,
    Actor,
    Change,
    CompletionDetails,
    CorrectionDetails,
    Draft,
    FactDetails,
    Kind,
    MetadataDetails,
    Namespace,
    Payload,
    Record,
    RecordId,
    ReinstatementDetails,
    RetractionDetails,
    Source,
    SourceStatus,
)


def complete(log: MemoryLog, shelf: Shelf, source_id: str, verdicts: dict[str, int], text_hash: str = "") -> Record:
    """Say that a source has arrived; the version it replaces is superseded by the same record."""
    source = shelf.get(source_id)
    current = shelf.active(source.source_key, source.namespace)
    details = CompletionDetails(
        target_source_id=source_id,
        verdicts=verdicts,
        record_count=source.record_count,
        page_count=sum(verdicts.values()),
        supersedes=None if current is None or current.source_id == source_id else current.source_id,
        text_hash=text_hash,
    )
    return _append(log, Kind.COMPLETION, source, details, f"{source.title} has arrived.")


def note_text(log: MemoryLog, shelf: Shelf, source_id: str, text_hash: str) -> Record:
    """Say what a source says in all, after pages of it were read that could not be read when it arrived."""
    details = MetadataDetails(target_source_id=source_id, name=TEXT_HASH, value=text_hash, origin="pages")
    return _append(log, Kind.METADATA, shelf.get(source_id), details, text_hash)


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


def move_source(log: MemoryLog, shelf: Shelf, old_key: str, new_key: str, namespace: Namespace) -> tuple[Record, ...]:
    """Say that a file has another path now: all versions of its source, and what lies in it, go along."""
    moved = [*shelf.versions(old_key, namespace), *shelf.inside(f"{old_key}!/", namespace)]
    drafts = [
        Draft(
            kind=Kind.METADATA,
            text=new_key,
            namespace=source.namespace,
            source_id=source.source_id,
            payload=MetadataDetails(
                target_source_id=source.source_id,
                name=SOURCE_KEY,
                value=new_key + source.source_key[len(old_key) :],
                origin="file",
            ),
        )
        for source in moved
    ]
    return log.append(drafts)


class Amendment(NamedTuple):
    """What a correction says beside its words; what is left out is that of its target.

    ``strikes`` are the stretches of evidence that no longer count: by default the evidence behind a fact, or the whole
    of any other record.
    """

    strikes: tuple[Stretch, ...] = ()
    subject: str = ""
    relation: str = ""
    object: str | None = None
    qualifiers: dict[str, str] | None = None


def correct(log: MemoryLog, record_id: str, text: str, reason: str, amendment: Amendment | None = None) -> Change:
    """Say what is right instead of what a record says; history keeps both, answers see the correction.

    The correction keeps source, group, place and namespace of its target, and its subject, relation and object where
    the amendment gives no others; its confidence is 1.0. Correcting a correction also strikes what that one struck, so
    that the first error does not come back.

    Source: engine.md 0.1 row 5.

    Raises:
        UnknownRecordError: no record has that id.
        InvalidInputError: the target is no evidence, or the text or the reason is empty.
    """
    target = log.get(record_id)
    _require_evidence(target, "corrected")
    _require_words(text, "A correction needs words.", "Write what is right.")
    _require_words(reason, "A reason is needed to correct.", "Say why in a few words; history shows it.")
    chosen = amendment or Amendment()
    strikes = _all_strikes(log, target, chosen.strikes)
    draft = Draft(
        kind=Kind.FACT,
        text=text.strip(),
        namespace=target.namespace,
        actor=Actor(type="user"),
        group_id=target.group_id,
        source_id=target.source_id,
        locator=target.locator,
        evidence_ids=(target.id,),
        observed_at=target.observed_at,  # it says what her source should have said on its day
        modality=target.modality,
        fields=target.fields,
        subject=chosen.subject or target.subject,
        relation=chosen.relation or target.relation,
        object=target.object if chosen.object is None else chosen.object or None,
        payload=CorrectionDetails(
            target_record_id=target.id,
            reason=reason,
            struck_record_ids=tuple(str(one.record_id) for one in strikes),
            struck=tuple((one.start, one.end) for one in strikes),
            qualifiers=_qualifiers_of(target) if chosen.qualifiers is None else chosen.qualifiers,
        ),
    )
    (record,) = log.append([draft])
    changed = log.changed_visibility([record])
    return Change(record_id=record.id, verb="correction", affected_count=sum(not seen for seen in changed.values()))


def _all_strikes(log: MemoryLog, target: Record, chosen: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
    """Return what a correction of this target strikes, once each, in the order of the log."""
    strikes = list(chosen or evidence_of(log, target))
    if isinstance(target.payload, CorrectionDetails):
        strikes.append(Stretch(target.id, 0, len(target.text)))
        spans = zip(target.payload.struck_record_ids, target.payload.struck, strict=True)
        strikes += [Stretch(RecordId(base), start, end) for base, (start, end) in spans]
    return tuple(dict.fromkeys(strikes))


def _qualifiers_of(target: Record) -> dict[str, str]:
    return dict(target.payload.qualifiers) if isinstance(target.payload, FactDetails | CorrectionDetails) else {}


def _require_words(text: str, problem: str, hint: str) -> None:
    if not text.strip():
        raise InvalidInputError(problem, hint=hint)


def _require_reason(reason: str) -> None:
    _require_words(reason, "A reason is needed to forget.", "Say why in a few words; history shows it.")


def _require_evidence(target: Record, verb: str) -> None:
    if target.text == REMOVED_TEXT and target.payload is None:
        raise InvalidInputError(f"'{target.id}' was removed for good.", hint="Nothing of it is left.")
    if target.kind not in CITABLE:
        raise InvalidInputError(
            f"'{target.id}' is a {target.kind.value} record; only evidence can be {verb}.",
            hint="For a whole source use the verbs of `sources`.",
        )


def _change(log: MemoryLog, kind: Kind, details: Payload, target: Record, reason: str) -> Change:
    _require_evidence(target, "forgotten or reinstated")
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
