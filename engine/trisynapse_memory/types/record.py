"""Records of the memory log and the places they point at; values only, nothing is read or written here."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NewType

from msgspec import Struct

from trisynapse_memory.types.payload import FactDetails, Payload

RecordId = NewType("RecordId", str)
SourceId = NewType("SourceId", str)

Quad = tuple[float, float, float, float, float, float, float, float]
"""Upper left, upper right, lower right, lower left; PDF points of the unrotated crop box, origin top left."""


class Family(StrEnum):
    """The four families of records: what was read, what became of it, what she made of it, what was said."""

    EVIDENCE = "evidence"
    LIFECYCLE = "lifecycle"
    CURATION = "curation"
    CONVERSATION = "conversation"


class Kind(StrEnum):
    """What a record is. Only ``raw_source`` and ``fact`` are evidence that an answer may cite."""

    SOURCE = "source"
    PAGE = "page"
    RAW_SOURCE = "raw_source"
    FACT = "fact"
    NOTE = "note"
    COMPLETION = "completion"
    RETRACTION = "retraction"
    REINSTATEMENT = "reinstatement"
    REMOVAL = "removal"
    HIGHLIGHT = "highlight"
    TAG = "tag"
    COLLECTION = "collection"
    METADATA = "metadata"
    ALIAS = "alias"
    REVIEW = "review"
    THREAD = "thread"
    TURN = "turn"
    EXTRACTION = "extraction"
    SUMMARY = "summary"
    DESCRIPTION = "description"
    SNAPSHOT = "snapshot"
    SENSITIVITY = "sensitivity"
    EDITION = "edition"
    FEEDBACK = "feedback"


FAMILY_OF: dict[Kind, Family] = {
    **dict.fromkeys(
        (
            Kind.SOURCE,
            Kind.PAGE,
            Kind.RAW_SOURCE,
            Kind.FACT,
            Kind.NOTE,
            Kind.EXTRACTION,
            Kind.SUMMARY,
            Kind.DESCRIPTION,
        ),
        Family.EVIDENCE,
    ),
    **dict.fromkeys((Kind.COMPLETION, Kind.RETRACTION, Kind.REINSTATEMENT, Kind.REMOVAL), Family.LIFECYCLE),
    **dict.fromkeys(
        (
            Kind.HIGHLIGHT,
            Kind.TAG,
            Kind.COLLECTION,
            Kind.METADATA,
            Kind.ALIAS,
            Kind.REVIEW,
            Kind.SNAPSHOT,
            Kind.SENSITIVITY,
            Kind.EDITION,
            Kind.FEEDBACK,
        ),
        Family.CURATION,
    ),
    **dict.fromkeys((Kind.THREAD, Kind.TURN), Family.CONVERSATION),
}

CITABLE = (Kind.RAW_SOURCE, Kind.FACT)


class Modality(StrEnum):
    """What a record's text was before it was text; routes and weights depend on it."""

    DOCUMENT = "document"
    CONVERSATION = "conversation"
    TABLE = "table"
    CODE = "code"
    IMAGE = "image"
    STRUCTURED = "structured"
    BOOKMARK = "bookmark"


class Namespace(Struct, frozen=True, kw_only=True, order=True):
    """Whose memory a record is. A reader sees every record that agrees with all keys the reader sets.

    Unset keys (``None``) mean "any" for a reader and "none" for a writer.
    """

    user_id: str | None = None
    agent_id: str | None = None
    project_id: str | None = "default"
    session_id: str | None = None

    def sees(self, other: Namespace) -> bool:
        """Tell whether a reader with this namespace may see a record of the other one."""
        mine = (self.user_id, self.agent_id, self.project_id, self.session_id)
        theirs = (other.user_id, other.agent_id, other.project_id, other.session_id)
        return all(key is None or key == value for key, value in zip(mine, theirs, strict=True))


MemoryNamespace = Namespace
"""The name the published SDK uses."""


class Actor(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who or what wrote a record; model and prompt only where a model did."""

    type: str = "ingest"
    id: str | None = None
    model: str | None = None
    prompt_version: str | None = None


class Locator(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place inside a source, exact enough to paint. Only the fields of its kind are set.

    Kinds: ``page`` (page, page_label, quads, start, end), ``section`` (path, heading, start, end), ``row``
    (sheet, row, headers), ``symbol`` (path, language, symbol, start_line, end_line), ``time`` (start_s, end_s),
    ``turn`` (index, speaker, observed_at), ``cell``, ``slide``, ``region`` (page, rect, caption), ``link`` (url, path).
    Pages count from 1. ``start``/``end`` are character offsets into the stored text of that page (or, for sections,
    of page 1 of the source), end exclusive.
    """

    kind: str
    page: int | None = None
    page_label: str | None = None
    quads: tuple[Quad, ...] = ()
    start: int | None = None
    end: int | None = None
    path: tuple[str, ...] = ()
    heading: str | None = None
    sheet: str | None = None
    row: int | None = None
    headers: tuple[str, ...] = ()
    language: str | None = None
    symbol: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_s: float | None = None
    end_s: float | None = None
    index: int | None = None
    speaker: str | None = None
    observed_at: datetime | None = None
    cell: int | None = None
    slide: int | None = None
    rect: tuple[float, float, float, float] | None = None
    caption: str | None = None
    url: str | None = None


class Draft(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record before the log gave it an id, a place and a hash.

    ``external_key`` makes an append idempotent: a key the log already knows returns the record that holds it.
    ``fields`` are the searchable extras (title, section, speaker, ...); they are part of the indexed text.
    """

    kind: Kind
    text: str = ""
    namespace: Namespace = Namespace()
    actor: Actor = Actor()
    observed_at: datetime | None = None
    group_id: str | None = None
    source_id: SourceId | None = None
    locator: Locator | None = None
    evidence_ids: tuple[RecordId, ...] = ()
    confidence: float = 1.0
    modality: Modality = Modality.DOCUMENT
    fields: dict[str, str] = {}
    scope: dict[str, str] = {}
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    temporal_anchor: str | None = None
    payload: Payload | None = None
    external_key: str | None = None


class Record(Struct, frozen=True, kw_only=True):
    """One entry of the memory log, as appended; see ``docs/data.md`` for each field.

    ``content_hash`` is the salted SHA-256 of everything a removal would blank, ``chain_hash`` the SHA-256 over the
    record's header, its content hash and the previous chain hash of the same device (both hex).
    """

    id: RecordId
    seq: int
    device_id: str
    device_seq: int
    written_at: datetime
    kind: Kind
    content_hash: str
    chain_hash: str
    text: str = ""
    namespace: Namespace = Namespace()
    actor: Actor = Actor()
    observed_at: datetime | None = None
    group_id: str | None = None
    source_id: SourceId | None = None
    locator: Locator | None = None
    evidence_ids: tuple[RecordId, ...] = ()
    confidence: float = 1.0
    modality: Modality = Modality.DOCUMENT
    fields: dict[str, str] = {}
    scope: dict[str, str] = {}
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    temporal_anchor: str | None = None
    payload: Payload | None = None
    external_key: str | None = None

    @property
    def family(self) -> Family:
        """The family this record's kind belongs to."""
        return FAMILY_OF[self.kind]


PATTERN_EXTRACTOR = "pattern"


def is_searchable(record: Record) -> bool:
    """Tell whether words and vectors lead to this record: all evidence but the facts that were read out of it.

    Such a fact repeats a sentence that its evidence already holds; it routes through its claim.
    """
    return record.kind in CITABLE and not isinstance(record.payload, FactDetails)


def indexed_text(text: str, fields: dict[str, str]) -> str:
    """Return what is tokenised and embedded for a record: its text, then each field that says something new.

    Source:
        engine.md A4 step 1.
    """
    extras = [f"{name}: {value}" for name, value in fields.items() if value and value != text]
    return "\n".join([text, *extras])
