"""What each kind of record carries beside its text, one small tagged struct per kind; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class PageVerdict(StrEnum):
    """The one judgement every page, row or file gets: the worst thing that limits its use."""

    OK = "ok"
    OCR = "ocr"
    TRANSCRIBED = "transcribed"
    EMPTY = "empty"
    IMAGE_ONLY = "image-only"
    AUDIO_ONLY = "audio-only"
    GARBLED = "garbled"
    ORDER_UNCERTAIN = "order-uncertain"
    HIDDEN_TEXT = "hidden-text"
    NEEDS_PASSWORD = "needs-password"
    TIMED_OUT = "timed-out"
    DAMAGED = "damaged"
    UNSUPPORTED = "unsupported"
    SKIPPED = "skipped"


class FetchDetails(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a source came from the web, so that it can be read and asked for again in the same way.

    ``asked_url`` gave the bytes, ``final_url`` after all redirects; ``charset`` is what the server said, ``etag``
    and ``last_modified`` tell this edition from the next one. ``attributed_by`` is who said title, authors and date;
    ``refused_title`` is what somebody called it and its first page does not show.
    """

    asked_url: str
    final_url: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    attributed_by: str = ""
    refused_title: str = ""


class SourceDetails(Struct, frozen=True, kw_only=True, tag="source", omit_defaults=True):
    """A source that starts to arrive: one version of one key, with the hash of its bytes.

    ``content_hash`` tells versions apart; ``blob_hash`` names the stored original (empty where there is none, as for a
    bookmark or a chat). ``replaces`` is the source id of the version that was active when this one arrived. ``entry``
    is a reference exactly as its file writes it, in the format of ``loader``.
    """

    source_key: str
    kind: str
    title: str
    version: int
    content_hash: str
    blob_hash: str = ""
    byte_size: int = 0
    media_type: str = ""
    filename: str = ""
    uri: str = ""
    replaces: str | None = None
    loader: str = ""
    loader_version: int = 1
    page_count: int = 0
    authors: tuple[str, ...] = ()
    published: str = ""
    language: str = ""
    added_from: str = ""
    container: str | None = None
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    identifiers: dict[str, str] = {}
    entry: str = ""
    fetched: FetchDetails | None = None


class PageDetails(Struct, frozen=True, kw_only=True, tag="page", omit_defaults=True):
    """One page as read: its verdict, how it was read, its geometry, and what a reader cannot see on it.

    ``layout`` is the packed word geometry of ``text/geometry.py`` (empty where a page has none); ``width`` and
    ``height`` are the unrotated crop box in PDF points, ``rotation`` is 0, 90, 180 or 270 degrees. A page that is read
    again (a scan from its picture) is a further record; ``instead_of`` is the verdict whose place this one takes.
    """

    verdict: PageVerdict
    flags: tuple[str, ...] = ()
    method: str = "text"
    note: str = ""
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    hidden_text: str = ""
    layout: bytes = b""
    instead_of: PageVerdict | None = None


class CompletionDetails(Struct, frozen=True, kw_only=True, tag="completion", omit_defaults=True):
    """A source has arrived: every page has its verdict. The version it replaces is superseded by this record.

    ``text_hash`` is that of its letters (``log/same_texts.py``), by which the same text in another file is known.
    """

    target_source_id: str
    verdicts: dict[str, int]
    record_count: int = 0
    page_count: int = 0
    supersedes: str | None = None
    text_hash: str = ""


class RetractionDetails(Struct, frozen=True, kw_only=True, tag="retraction", omit_defaults=True):
    """Records or whole sources leave every answer; the log keeps them."""

    reason: str
    target_record_ids: tuple[str, ...] = ()
    target_source_ids: tuple[str, ...] = ()
    requested_by: str = "user"


class ReinstatementDetails(Struct, frozen=True, kw_only=True, tag="reinstatement", omit_defaults=True):
    """Records or whole sources come back; a reinstated version supersedes the one that was active."""

    reason: str
    target_record_ids: tuple[str, ...] = ()
    target_source_ids: tuple[str, ...] = ()
    supersedes: str | None = None
    requested_by: str = "user"


class RemovalDetails(Struct, frozen=True, kw_only=True, tag="removal", omit_defaults=True):
    """Records whose content was physically blanked; their header and content hash stay in the chain.

    ``originals`` are the hashes of the stored originals that went with them; ``freed_record_ids`` are records that
    stay and may be visible again, because what struck them is gone.
    """

    reason: str
    target_record_ids: tuple[str, ...] = ()
    requested_by: str = "user"
    originals: tuple[str, ...] = ()
    freed_record_ids: tuple[str, ...] = ()


class HighlightDetails(Struct, frozen=True, kw_only=True, tag="highlight", omit_defaults=True):
    """A passage she marked; the record's text is the quote, its locator the place, its source the document.

    In a newer version of its source it is a further record: ``moved_from`` is the one it came of, ``confidence`` in
    [0, 1] how sure its new place is. With 0 its words are not there any more, and it has no locator.
    """

    colour: str = "yellow"
    note: str = ""
    prefix: str = ""
    suffix: str = ""
    deleted: bool = False
    moved_from: str = ""
    confidence: float = 1.0


class TagDetails(Struct, frozen=True, kw_only=True, tag="tag", omit_defaults=True):
    """A tag put on (or, with ``removed``, taken off) sources or records."""

    name: str
    target_source_ids: tuple[str, ...] = ()
    target_record_ids: tuple[str, ...] = ()
    removed: bool = False


class CollectionDetails(Struct, frozen=True, kw_only=True, tag="collection", omit_defaults=True):
    """Sources put into (or, with ``removed``, taken out of) a named collection."""

    name: str
    target_source_ids: tuple[str, ...] = ()
    removed: bool = False


class MetadataDetails(Struct, frozen=True, kw_only=True, tag="metadata", omit_defaults=True):
    """A metadata value of a source that she set herself, and where it came from."""

    target_source_id: str
    name: str
    value: str
    origin: str = "user"


class ThreadDetails(Struct, frozen=True, kw_only=True, tag="thread", omit_defaults=True):
    """A chat thread: its title, the sources or collections it is limited to, and the model that writes in it.

    A later record with the same ``thread_id`` changes it; ``archived`` takes it from the list. ``model`` is
    ``service/model``, ``none`` for the words of the sources alone, empty for what fills the role of answers.
    """

    thread_id: str
    title: str
    scope_source_ids: tuple[str, ...] = ()
    scope_collections: tuple[str, ...] = ()
    archived: bool = False
    model: str = ""


class TurnDetails(Struct, frozen=True, kw_only=True, tag="turn", omit_defaults=True):
    """One message of a thread; ``answer`` holds the JSON of the Answer that was shown, so it can be shown again."""

    thread_id: str
    role: str
    query_id: str | None = None
    answer: str = ""


class MessageDetails(Struct, frozen=True, kw_only=True, tag="message", omit_defaults=True):
    """Where a conversation message came from: its id there, its speaker and its role."""

    message_id: str = ""
    role: str = ""
    sent_at: datetime | None = None


Span = tuple[int, int]
"""Start and end offsets into the text of a record, end exclusive."""


class FactDetails(Struct, frozen=True, kw_only=True, tag="fact", omit_defaults=True):
    """How a fact was found: the pattern or model, and the span of each evidence record that says it.

    ``spans[i]`` lies in the text of ``evidence_ids[i]``. Provider and prompt are set only where a model wrote it.
    """

    pattern: str
    extractor: str
    extractor_version: int
    spans: tuple[Span, ...] = ()
    qualifiers: dict[str, str] = {}
    negated: bool = False
    hedged: bool = False
    provider: str = ""
    prompt_sha256: str = ""


class CorrectionDetails(Struct, frozen=True, kw_only=True, tag="correction", omit_defaults=True):
    """Her correction of one record: ``struck`` are the spans of the target's text that no longer count.

    For a fact the evidence spans behind it are struck (``struck_record_ids`` in step with ``struck``).
    """

    target_record_id: str
    reason: str
    struck_record_ids: tuple[str, ...] = ()
    struck: tuple[Span, ...] = ()
    qualifiers: dict[str, str] = {}
    requested_by: str = "user"


class ExtractionDetails(Struct, frozen=True, kw_only=True, tag="extraction", omit_defaults=True):
    """These records were read by this extractor; its facts stand beside this record in one transaction.

    ``faults`` names the records that could not be read, with the reason, so that they are not tried for ever.
    """

    extractor: str
    extractor_version: int
    target_record_ids: tuple[str, ...]
    fact_count: int = 0
    faults: dict[str, str] = {}


class SummaryDetails(Struct, frozen=True, kw_only=True, tag="summary", omit_defaults=True):
    """A summary that a model wrote, with its provenance; ``evidence_hash`` tells whether it still fits its group."""

    group_id: str
    evidence_hash: str
    topic: str
    sentences: tuple[str, ...]
    sentence_record_ids: tuple[tuple[str, ...], ...]
    alt_phrasings: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    prompt_sha256: str = ""


class DescriptionDetails(Struct, frozen=True, kw_only=True, tag="description", omit_defaults=True):
    """Who described a page without text; the record's text is a model's words, never those of the source.

    Where the text is empty nothing is described: ``fault`` says why, or there was nothing to see. Without a model it is
    she who removed a description, so that nobody describes the page again.
    """

    page: int
    provider: str = ""
    model: str = ""
    prompt_sha256: str = ""
    fault: str = ""


class AliasDetails(Struct, frozen=True, kw_only=True, tag="alias", omit_defaults=True):
    """She says that these names mean one thing; with ``removed``, that the merge ``alias_id`` was wrong."""

    names: tuple[str, ...] = ()
    canonical: str = ""
    removed: bool = False
    alias_id: str = ""


class ResolutionDetails(Struct, frozen=True, kw_only=True, tag="resolution", omit_defaults=True):
    """Her word on a contested claim: the value she takes, and why. With ``removed`` the claim is contested again."""

    claim_id: str
    value: str
    reason: str
    removed: bool = False


class SnapshotDetails(Struct, frozen=True, kw_only=True, tag="snapshot", omit_defaults=True):
    """A named moment (``verb`` create), or reading as of it (enter), or no longer (leave)."""

    verb: str
    label: str = ""
    cutoff_record_id: str = ""
    snapshot_id: str = ""


class SensitivityDetails(Struct, frozen=True, kw_only=True, tag="sensitivity", omit_defaults=True):
    """These sources or records never go to a remote provider nor into an export unless named; or may again."""

    sensitive: bool
    target_source_ids: tuple[str, ...] = ()
    target_record_ids: tuple[str, ...] = ()


class EditionSentence(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One sentence of a wiki page as she last accepted it."""

    key: str
    text: str
    claim_ids: tuple[str, ...] = ()
    record_ids: tuple[str, ...] = ()
    section: str = ""
    kept: bool = False


class EditionDetails(Struct, frozen=True, kw_only=True, tag="edition", omit_defaults=True):
    """A wiki page as built or accepted; a later edition of the same slug replaces it.

    ``rejected`` holds the keys of proposals she refused, each with the text refused, so that it is not proposed again.
    """

    slug: str
    title: str
    page_kind: str
    sentences: tuple[EditionSentence, ...]
    rejected: dict[str, str] = {}
    because: str = ""


class FeedbackDetails(Struct, frozen=True, kw_only=True, tag="feedback", omit_defaults=True):
    """Whether an answer helped her, and her remark."""

    query_id: str
    helpful: bool
    note: str = ""


Payload = (
    SourceDetails
    | PageDetails
    | CompletionDetails
    | RetractionDetails
    | ReinstatementDetails
    | RemovalDetails
    | HighlightDetails
    | TagDetails
    | CollectionDetails
    | MetadataDetails
    | ThreadDetails
    | TurnDetails
    | MessageDetails
    | FactDetails
    | CorrectionDetails
    | ExtractionDetails
    | SummaryDetails
    | DescriptionDetails
    | AliasDetails
    | ResolutionDetails
    | SnapshotDetails
    | SensitivityDetails
    | EditionDetails
    | FeedbackDetails
)
