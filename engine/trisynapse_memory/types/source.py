"""What comes in: inputs, sources, pages and chunks; values only, no file is opened here."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.types.payload import PageVerdict
from trisynapse_memory.types.record import Locator, Modality, Namespace, SourceId


class SourceInput(Struct, frozen=True, kw_only=True):
    """One thing to take in: exactly one of ``path``, ``url``, ``text`` and ``content`` is set.

    ``source_key`` is the identity under which versions follow each other; left out, it is the absolute path, the URL,
    or the hash of the text. ``kind`` is what the caller takes it for; what it is, its content decides. ``password``
    opens an encrypted file and is never stored, logged or shown. With ``linked`` the file at ``path`` stays where it
    lies, and no copy of it is kept.
    """

    path: str | None = None
    url: str | None = None
    text: str | None = None
    content: bytes | None = None
    kind: str | None = None
    source_key: str | None = None
    filename: str | None = None
    title: str | None = None
    observed_at: datetime | None = None
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    namespace: Namespace = Namespace()
    password: str | None = field(default=None)
    linked: bool = False

    def __repr__(self) -> str:
        # The generated repr would print the password and whole file contents into a log.
        place = self.path or self.url or self.filename or ("text" if self.text is not None else "content")
        return f"SourceInput({place!r})"


class SourceStatus(StrEnum):
    """Where a source stands: still arriving, in use, replaced by a newer version, hidden by her, or removed."""

    ARRIVING = "arriving"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    REMOVED = "removed"


class Source(Struct, frozen=True, kw_only=True):
    """One version of one source as the library shows it.

    ``verdicts`` counts pages by verdict; ``same_text_as`` is the source that says the same words in another file.
    ``reference`` is the entry of a bibliography that describes this file; ``files`` are the files that an entry
    describes. ``attributed_by`` is who said title, authors and date, if not the document itself; ``refused_title`` is
    what somebody called it and its first page does not show (case R33).
    """

    source_id: SourceId
    source_key: str
    title: str
    kind: str
    version: int
    status: SourceStatus
    content_hash: str
    blob_hash: str = ""
    record_count: int = 0
    page_count: int = 0
    byte_size: int = 0
    media_type: str = ""
    filename: str = ""
    uri: str = ""
    verdicts: dict[str, int] = {}
    added_at: datetime | None = None
    authors: tuple[str, ...] = ()
    published: str = ""
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    previous_source_id: SourceId | None = None
    container: str | None = None
    namespace: Namespace = Namespace()
    identifiers: dict[str, str] = {}
    same_text_as: SourceId | None = None
    reference: SourceId | None = None
    files: tuple[SourceId, ...] = ()
    attributed_by: str = ""
    refused_title: str = ""


class Place(Struct, frozen=True, kw_only=True):
    """Where a passage stands in the version in use; no locator and confidence 0 when it is not there any more."""

    source_id: SourceId | None
    locator: Locator | None
    confidence: float


class SameText(Struct, frozen=True, kw_only=True):
    """Another source that says the same words; ``is_older`` when it was in the vault first."""

    source_id: SourceId
    source_key: str = ""
    title: str = ""
    is_older: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """One page as a loader read it; ``number`` counts from 1. A page without text is still a page, with its verdict."""

    number: int
    text: str
    verdict: PageVerdict
    label: str = ""
    flags: tuple[str, ...] = ()
    method: str = "text"
    note: str = ""
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    hidden_text: str = ""
    layout: bytes = b""


class Section(Struct, frozen=True, kw_only=True):
    """A stretch of one page that no chunk may cross out of: ``start``/``end`` are offsets into the page's text.

    ``path`` is the heading path, outermost first; ``kind`` is ``body``, ``heading``, ``table``,
    ``caption``, ``link``, ``quote`` (words of somebody else that a mail repeats) or ``margin`` (running heads, page
    numbers, signatures; no evidence where the page holds anything else).
    """

    start: int
    end: int
    path: tuple[str, ...] = ()
    kind: str = "body"
    modality: Modality = Modality.DOCUMENT
    fields: dict[str, str] = {}
    locator: Locator | None = None
    observed_at: datetime | None = None


class Terms(Struct, frozen=True, array_like=True):
    """The index terms of one record, counted once in a worker: ``positions[i]`` are the word positions of ``keys[i]``.

    ``length`` is the number of words (exact forms) of the indexed text: BM25's document length.
    """

    keys: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]
    length: int


class Chunk(Struct, frozen=True, kw_only=True):
    """One thought of a page, small enough for the embedder: ``page.text[locator.start:locator.end]``."""

    page: int
    text: str
    locator: Locator
    modality: Modality = Modality.DOCUMENT
    fields: dict[str, str] = {}
    observed_at: datetime | None = None
    terms: Terms | None = None


class Heading(Struct, frozen=True, kw_only=True):
    """What a loader knows of a document before reading its pages.

    ``identifiers`` are the names the world knows it by, each under its scheme: ``doi``, ``arxiv``, ``pmid``, ``isbn``,
    ``issn``, ``citekey``, ``url``. A loader states one only where the document itself bears it out (case R33). ``tags``
    are those that its author gave it.
    """

    page_count: int
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    language: str = ""
    media_type: str = ""
    method: str = ""
    identifiers: dict[str, str] = {}
    tags: tuple[str, ...] = ()


class Listing(Struct, frozen=True, kw_only=True):
    """One member of a file that holds others: a source of its own, or a skip with its reason.

    ``kind`` says what it is: a ``bookmark`` (an address), a ``reference`` (an entry of a bibliography), or a ``file``
    (of an archive, a mail, an export), whose bytes are ``content`` and which a loader reads like any other file.
    ``key`` tells members of one container apart and stays the same when the container is read again; of a file it is
    the path inside its container. ``path`` are its folders, outermost first; ``fields`` are searchable extras;
    ``identifiers`` as in ``Heading``. ``fault`` says why the bytes of a file cannot be had; ``skipped`` that nobody
    wants them.
    """

    key: str
    title: str
    kind: str = "bookmark"
    url: str = ""
    text: str = ""
    path: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    observed_at: datetime | None = None
    skipped: str = ""
    duplicate_of: str = ""
    fields: dict[str, str] = {}
    authors: tuple[str, ...] = ()
    published: str = ""
    identifiers: dict[str, str] = {}
    filename: str = ""
    content: bytes = b""
    collections: tuple[str, ...] = ()
    entry: str = ""
    fault: Fault | None = None


class Outcome(StrEnum):
    """What became of one input of a run."""

    SUCCESS = "success"
    PARTIAL = "partial"
    SKIPPED = "skipped"
    FAILED = "failed"


class PageNote(Struct, frozen=True, kw_only=True):
    """The verdict of one page, as a result row shows it."""

    page: int
    verdict: PageVerdict
    note: str = ""
    method: str = ""


class Fault(Struct, frozen=True, kw_only=True):
    """An error as rows and wires carry it: stable code, problem, hint."""

    code: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: TrisynapseError) -> Fault:
        """Return an error as it travels."""
        return cls(code=error.code, message=error.problem, hint=error.hint)


class IngestResult(Struct, frozen=True, kw_only=True):
    """What became of one input, or of one member of a folder or bookmark file."""

    input: str
    status: Outcome
    source_id: SourceId | None = None
    source_key: str = ""
    kind: str = ""
    title: str = ""
    version: int = 0
    record_count: int = 0
    verdicts: dict[str, int] = {}
    pages: tuple[PageNote, ...] = ()
    reason: str = ""
    error: Fault | None = None


class SourceExport(Struct, frozen=True, kw_only=True):
    """What an export of sources wrote: where, in which format, how many; ``left_out`` are marked sensitive."""

    path: str
    format: str
    sources: int
    left_out: int = 0


class Backlog(Struct, frozen=True, kw_only=True):
    """Records that are askable by their words but still wait for something."""

    vectors: int = 0
    facts: int = 0
    claims: int = 0


class IngestRun(Struct, frozen=True, kw_only=True):
    """One run of the ingest corridor; ``status`` is running, completed, partial, failed, interrupted or cancelled."""

    run_id: str
    status: str
    results: tuple[IngestResult, ...] = ()
    counts: dict[str, int] = {}
    backlog: Backlog = Backlog()
    created_at: datetime | None = None
    completed_at: datetime | None = None
    dry_run: bool = False


class Progress(Struct, frozen=True, kw_only=True):
    """How far a long work is: ``done`` of ``total`` in ``unit``; ``total`` 0 means unknown.

    ``stage`` is one of reading, words, done, failed, skipped, or the name of the background work that is waited for.
    """

    run_id: str
    stage: str
    label: str = ""
    done: int = 0
    total: int = 0
    unit: str = "pages"
    source_id: SourceId | None = None
    result: IngestResult | None = None


class WatchedFolder(Struct, frozen=True, kw_only=True):
    """A folder whose changes are taken in by themselves; ``collection`` is where its files go, ``is_there`` now."""

    path: str
    collection: str = ""
    is_there: bool = True


class Job(Struct, frozen=True, kw_only=True):
    """One piece of background work; ``status`` is pending, running, completed or failed."""

    job_id: str
    kind: str
    status: str
    attempt_count: int = 0
    error: Fault | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
