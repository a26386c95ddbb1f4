"""Records that a removal blanks in, what has to be said again without their words out. The log is read, never changed.

A verb, a thread's title or a page she accepted does something beside speaking. Where that still holds it is said again,
at the end of the log; where a later record has changed it since, it is not, or the past would come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from msgspec import structs

from trisynapse_memory.log.rows import REMOVED_TEXT
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.quotations import Quotations
from trisynapse_memory.types import (
    Draft,
    EditionDetails,
    Payload,
    Record,
    RecordId,
    ReinstatementDetails,
    RemovalDetails,
    RetractionDetails,
    SourceStatus,
    ThreadDetails,
)


class Restatements:
    """Collects, in log order, what has to be said again.

    Args:
        log: tells what still holds.
        ids: the records that are removed.
        quotations: what they said.
    """

    def __init__(self, log: MemoryLog, ids: Set[RecordId], quotations: Quotations) -> None:
        self._log = log
        self._ids = ids
        self._quotations = quotations
        self._drafts: dict[str, Draft] = {}

    def lose(self, record: Record) -> None:
        """Hear of a record that is blanked."""
        payload = self._payload_of(record)
        topic = _topic_of(record.payload) or record.id
        self._drafts.pop(topic, None)
        if payload is not None:
            self._drafts[topic] = Draft(
                kind=record.kind,
                text=REMOVED_TEXT,
                payload=payload,
                namespace=record.namespace,
                source_id=record.source_id,
                group_id=record.group_id,
                actor=record.actor,
            )

    def keep(self, record: Record) -> None:
        """Hear of a record that stays: it is the last word on its topic."""
        self._drafts.pop(_topic_of(record.payload), None)

    def drafts(self) -> tuple[Draft, ...]:
        """Return what is to be appended."""
        return tuple(self._drafts.values())

    def _payload_of(self, record: Record) -> Payload | None:
        match record.payload:
            case RetractionDetails() as details:
                records, sources = self._still(details, hidden=True)
                return _unless_empty(structs.replace(details, reason=REMOVED_TEXT, **_targets(records, sources)))
            case ReinstatementDetails() as details:
                records, sources = self._still(details, hidden=False)
                return _unless_empty(structs.replace(details, reason=REMOVED_TEXT, **_targets(records, sources)))
            case RemovalDetails() as details:
                return structs.replace(details, reason=REMOVED_TEXT)
            case ThreadDetails() as details:
                return structs.replace(details, title=REMOVED_TEXT)
            case EditionDetails() as details:
                return self._edition_without(details)
            case _:
                return None

    def _still(
        self, details: RetractionDetails | ReinstatementDetails, *, hidden: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return those records and sources of a verb that are as it left them."""
        wanted = SourceStatus.FORGOTTEN if hidden else SourceStatus.ACTIVE
        with self._log.database.read() as connection:
            records = tuple(
                one
                for one in details.target_record_ids
                if one not in self._ids
                and hidden
                == bool(
                    connection.execute("SELECT 1 FROM hidden JOIN records USING (seq) WHERE id = ?", (one,)).fetchone()
                )
            )
            sources = tuple(
                one
                for one in details.target_source_ids
                if connection.execute("SELECT status FROM sources WHERE source_id = ?", (one,)).get == wanted.value
            )
        return records, sources

    def _edition_without(self, details: EditionDetails) -> EditionDetails | None:
        """Return what she accepted of a page, less the sentences that rest on what goes or quote it."""
        if any(map(self._quotations.holds, (details.slug, details.title))):
            return None
        quotes = self._quotations.quoted_in
        kept = tuple(one for one in details.sentences if self._ids.isdisjoint(one.record_ids) and not quotes(one.text))
        rejected = {key: text for key, text in details.rejected.items() if not quotes(text)}
        return structs.replace(details, sentences=kept, rejected=rejected, because="")


def _topic_of(payload: Payload | None) -> str:
    match payload:
        case ThreadDetails() as details:
            return f"thread {details.thread_id}"
        case EditionDetails() as details:
            return f"page {details.slug}"
        case _:
            return ""


def _targets(records: Iterable[str], sources: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {"target_record_ids": tuple(records), "target_source_ids": tuple(sources)}


def _unless_empty(
    details: RetractionDetails | ReinstatementDetails,
) -> RetractionDetails | ReinstatementDetails | None:
    return details if details.target_record_ids or details.target_source_ids else None
