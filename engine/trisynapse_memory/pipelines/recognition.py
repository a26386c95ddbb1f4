"""Pages without usable text in, the same pages read by OCR out, as further records. Nothing leaves this machine.

What waits is told by the verdicts of the sources, so a restart goes on where it stopped. A page that has been read, or
that nothing could be read on, is written down as read and never looked at again; its first record stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.contracts import Recogniser
from trisynapse_memory.errors import BranchUnavailableError, SourceError, SourceTimedOutError, WorkerDiedError
from trisynapse_memory.pipelines.closing import renew_text
from trisynapse_memory.pipelines.drafting import Origin, Rereading, page_drafts
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.recognition import METHOD, Sheet, unread
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import (
    Draft,
    Kind,
    PageDetails,
    PageVerdict,
    Record,
    SourceDetails,
    SourceId,
    Terms,
)

GIVE_WAY_S: Final = 0.5  # longest wait for a question before a page is committed
TRIES: Final = 2  # a worker may die of something else than its page
LAYERED: Final = "pdf"
"""The one kind of source whose pages show something else than their text says: a garbled one can be looked at."""
_SCANS_SQL: Final = (
    "SELECT source_id FROM sources WHERE status = 'active'"
    f" AND (verdicts ->> '$.\"{PageVerdict.IMAGE_ONLY}\"' > 0 OR verdicts ->> '$.\"{PageVerdict.GARBLED}\"' > 0)"
    " ORDER BY seq DESC"
)

Recognise = Callable[[Path, str, str, Sheet, str], LoadedPage]
"""Reads one page from its picture: the original, its loader, the recogniser, the page, the title of the source."""


class Unread(NamedTuple):
    """One page without usable text that no OCR has looked at."""

    source_id: SourceId
    page: int


def choose_recogniser(registry: Registry) -> tuple[str, str]:
    """Return the name of the first recogniser that can work on this machine, or an empty name and why none can."""
    obstacles: list[str] = []
    for row in registry.rows("recogniser"):
        try:
            made: Recogniser = registry.load("recogniser", row.name)()
        except BranchUnavailableError as error:
            obstacles.append(error.hint)
            continue
        if not (obstacle := made.obstacle()):
            return row.name, ""
        obstacles.append(obstacle)
    return "", " ".join(obstacles)


class Recognition:
    """Reads every page that is a picture, or whose text is garbled, in sources in use, the newest source first.

    Args:
        rooms: the open vault.
        recogniser: who reads, a row of kind ``recogniser``.
        recognise: reads a page in a worker.
    """

    def __init__(self, rooms: Rooms, recogniser: str, recognise: Recognise) -> None:
        self._rooms = rooms
        self._log = rooms.log
        self._recogniser = recogniser
        self._recognise = recognise
        self._tries: Counter[Unread] = Counter()
        self._waiting: tuple[int, tuple[Unread, ...]] = (-1, ())

    def pending(self) -> int:
        """Return how many pages wait."""
        return len(self._unread())

    def step(self) -> int:
        """Read one page; return how many pages were settled.

        Raises:
            WorkerDiedError: the page's worker died for the first time; the page waits.
            VaultError: the log or the index could not be written.
        """
        for unread_page in self._unread()[:1]:
            record = self._log.page(*unread_page)
            details = record.payload if record else None
            if record is not None and isinstance(details, PageDetails):
                self._append(unread_page, record, details, self._read(unread_page, record, details))
                # Once, when all its pages are read: the hash is that of the whole.
                if all(one.source_id != unread_page.source_id for one in self._unread()):
                    renew_text(self._rooms, unread_page.source_id)
                return 1
        return 0

    def _unread(self) -> tuple[Unread, ...]:
        """Looked up again only when the log has grown."""
        head = self._log.head()
        if head != self._waiting[0]:
            with self._log.database.read() as connection:
                source_ids = [SourceId(str(row[0])) for row in connection.execute(_SCANS_SQL)]
            self._waiting = (head, tuple(one for source_id in source_ids for one in self._of_source(source_id)))
        return self._waiting[1]

    def _of_source(self, source_id: SourceId) -> list[Unread]:
        layered = self._rooms.shelf.get(source_id).kind == LAYERED
        wanted = (PageVerdict.IMAGE_ONLY, PageVerdict.GARBLED) if layered else (PageVerdict.IMAGE_ONLY,)
        return [
            Unread(source_id, note.page)
            for note in self._log.page_notes(source_id)
            if note.verdict in wanted and not note.method.startswith(METHOD)
        ]

    def _read(self, waiting: Unread, record: Record, details: PageDetails) -> LoadedPage:
        label = (record.locator.page_label if record.locator else None) or ""
        sheet = Sheet(
            number=waiting.page,
            label=label,
            width=details.width,
            height=details.height,
            rotation=details.rotation,
        )
        try:
            source = self._source(waiting)
            path = self._rooms.blobs.path(source.blob_hash)
            return self._recognise(path, source.loader, self._recogniser, sheet, source.title)
        except SourceError as error:
            self._tries[waiting] += 1
            may_pass = isinstance(error, WorkerDiedError | SourceTimedOutError)
            if may_pass and self._tries[waiting] < TRIES:
                raise
            return LoadedPage(
                page=unread(sheet, self._recogniser, f"could not be read from its picture: {error.problem}")
            )

    def _source(self, waiting: Unread) -> SourceDetails:
        (record,) = self._log.of_source(waiting.source_id, Kind.SOURCE)[:1]
        if not isinstance(record.payload, SourceDetails) or not record.payload.blob_hash:
            raise SourceError("The original of this page is not kept.")
        return record.payload

    def _append(self, waiting: Unread, record: Record, details: PageDetails, loaded: LoadedPage) -> None:
        """Write the page down in one transaction, unless it was removed or read meanwhile.

        Where nothing was seen, a garbled page keeps the text and the verdict that it had.
        """
        if details.verdict is PageVerdict.GARBLED and not loaded.chunks:
            kept = structs.replace(loaded.page, text=record.text, layout=details.layout, verdict=details.verdict)
            loaded = LoadedPage(page=kept)
        self._rooms.asking.wait_until_idle(GIVE_WAY_S)
        origin = Origin(waiting.source_id, record.namespace, record.observed_at)
        drafts: list[Draft] = []
        terms: list[Terms | None] = []
        for draft, counted in page_drafts(origin, loaded, Rereading(METHOD, details.verdict)):
            drafts.append(draft)
            terms.append(counted)
        with self._log.transaction():
            if self._log.page(*waiting) != record:
                return
            records = self._log.append(drafts)
        known = {one.seq: counted for one, counted in zip(records, terms, strict=True) if counted is not None}
        self._rooms.projector.catch_up(known)
