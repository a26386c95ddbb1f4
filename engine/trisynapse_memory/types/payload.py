"""What each kind of record carries beside its text, one small tagged struct per kind; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class PageVerdict(StrEnum):
    """The one judgement every page, row or file gets: the worst thing that limits its use."""

    OK = "ok"
    OCR = "ocr"
    EMPTY = "empty"
    IMAGE_ONLY = "image-only"
    GARBLED = "garbled"
    ORDER_UNCERTAIN = "order-uncertain"
    HIDDEN_TEXT = "hidden-text"
    NEEDS_PASSWORD = "needs-password"
    TIMED_OUT = "timed-out"
    DAMAGED = "damaged"
    UNSUPPORTED = "unsupported"
    SKIPPED = "skipped"


class SourceDetails(Struct, frozen=True, kw_only=True, tag="source", omit_defaults=True):
    """A source that starts to arrive: one version of one key, with the hash of its bytes.

    ``content_hash`` tells versions apart; ``blob_hash`` names the stored original (empty where there is none, as for a
    bookmark or a chat). ``replaces`` is the source id of the version that was active when this one arrived.
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


class PageDetails(Struct, frozen=True, kw_only=True, tag="page", omit_defaults=True):
    """One page as read: its verdict, how it was read, its geometry, and what a reader cannot see on it.

    ``layout`` is the packed word geometry of ``text/geometry.py`` (empty where a page has none); ``width`` and
    ``height`` are the unrotated crop box in PDF points, ``rotation`` is 0, 90, 180 or 270 degrees.
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


class CompletionDetails(Struct, frozen=True, kw_only=True, tag="completion", omit_defaults=True):
    """A source has arrived: every page has its verdict. The version it replaces is superseded by this record."""

    target_source_id: str
    verdicts: dict[str, int]
    record_count: int = 0
    page_count: int = 0
    supersedes: str | None = None


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
    """Records whose content was physically blanked; their header and content hash stay in the chain."""

    reason: str
    target_record_ids: tuple[str, ...] = ()
    requested_by: str = "user"


class HighlightDetails(Struct, frozen=True, kw_only=True, tag="highlight", omit_defaults=True):
    """A passage she marked; the record's text is the quote, its locator the place, its source the document."""

    colour: str = "yellow"
    note: str = ""
    prefix: str = ""
    suffix: str = ""
    deleted: bool = False


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
    """A chat thread: its title and the sources or collections it is limited to.

    A later record with the same ``thread_id`` changes it; ``archived`` takes it from the list.
    """

    thread_id: str
    title: str
    scope_source_ids: tuple[str, ...] = ()
    scope_collections: tuple[str, ...] = ()
    archived: bool = False


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
)
