"""Recordings without words in, the same pages with what is said in them out, as further records. Nothing leaves here.

What waits is told by the verdicts of the sources, so a restart goes on where it stopped, a minute of sound at most
behind. A minute that has been heard, or that nobody could hear, is written down and never listened to again; its first
record stays. A recording that came before there was anything to open it with is looked into first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from typing import Final, NamedTuple, Protocol

from trisynapse_memory.errors import SourceError, SourceTimedOutError, TrisynapseError, WorkerDiedError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.same_texts import text_digest
from trisynapse_memory.pipelines.closing import renew_text
from trisynapse_memory.pipelines.drafting import Origin, Rereading, page_drafts
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.recordings.transcripts import METHOD, UNMEASURED, Hearing, unheard
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.preprocessing.transcribing import Minute, Voice
from trisynapse_memory.types import Draft, Heading, Kind, Listing, PageVerdict, Record, SourceDetails, SourceId, Terms

GIVE_WAY_S: Final = 0.5  # longest wait for a question before a minute is committed
TRIES: Final = 2  # a worker may die of something else than its recording
LOOKED: Final = "looked"
_WAITING_SQL: Final = (
    "SELECT source_id FROM sources WHERE status = 'active'"
    f" AND verdicts ->> '$.\"{PageVerdict.AUDIO_ONLY}\"' > 0 ORDER BY seq DESC"
)


class Listener(Protocol):
    """Who listens, in a child process (``preprocessing/transcribing.py``)."""

    def transcribe(self, voice: Voice, minute: Minute) -> LoadedPage:
        """Return one stretch as it was heard, cut into chunks."""
        ...

    def look_again(self, minute: Minute) -> Generator[LoadedPage | Heading | Listing]:
        """Read a recording as an import does."""
        ...


class Unheard(NamedTuple):
    """One page of a recording that nobody has listened to; its recording may have to be looked into first."""

    source_id: SourceId
    page: int
    is_measured: bool


class Transcription:
    """Writes down every recording in use that has no words, the newest first, minute by minute.

    Args:
        rooms: the open vault.
        voice: says who writes down, or raises why nobody can.
        listener: does it.
    """

    def __init__(self, rooms: Rooms, voice: Callable[[], Voice], listener: Listener) -> None:
        self._rooms = rooms
        self._log = rooms.log
        self._voice = voice
        self._listener = listener
        self._tries: Counter[Unheard] = Counter()
        self._proven: set[Voice] = set()
        self._waiting: tuple[int, tuple[Unheard, ...]] = (-1, ())

    def pending(self) -> int:
        """Return how many pages wait."""
        return len(self._unheard())

    def held_up(self) -> str | None:
        """Why nobody can listen now, an empty text where somebody can, None where nobody can and nothing waits."""
        try:
            self._voice()
        except TrisynapseError as error:
            return str(error) if self.pending() else None
        return ""

    def step(self) -> int:
        """Listen to one minute, or look into one recording; return how many pages were settled.

        Raises:
            WorkerDiedError: the worker died; the page waits.
            ModelFileError, BranchUnavailableError: the model cannot be used.
            VaultError: the log or the index could not be written.
        """
        waiting = min(self._unheard(), key=lambda one: self._tries[one], default=None)
        record = None if waiting is None else self._log.page(waiting.source_id, waiting.page)
        if waiting is None or record is None:
            return 0
        voice = self._voice()
        if waiting.is_measured:
            self._append(waiting, record, [self._heard(voice, waiting, record)], METHOD)
        else:
            self._look(waiting, record)
        # Once, when all its minutes are heard: the hash is that of the whole.
        if all(one.source_id != waiting.source_id for one in self._unheard()):
            renew_text(self._rooms, waiting.source_id)
        return 1

    def _unheard(self) -> tuple[Unheard, ...]:
        """Looked up again only when the log has grown."""
        head = self._log.head()
        if head != self._waiting[0]:
            with self._log.database.read() as connection:
                source_ids = [SourceId(str(row[0])) for row in connection.execute(_WAITING_SQL)]
            self._waiting = (head, tuple(one for source_id in source_ids for one in self._of_source(source_id)))
        return self._waiting[1]

    def _of_source(self, source_id: SourceId) -> Iterable[Unheard]:
        for note in self._log.page_notes(source_id):
            if note.verdict is PageVerdict.AUDIO_ONLY and not note.method.startswith(METHOD):
                yield Unheard(source_id, note.page, note.method != UNMEASURED)

    def _heard(self, voice: Voice, waiting: Unheard, record: Record) -> LoadedPage:
        label = (record.locator.page_label if record.locator else None) or ""
        hearing = Hearing(waiting.page, voice.method)
        try:
            loaded = self._listener.transcribe(voice, self._minute(waiting))
        except SourceError as error:
            self._wait_or_go_on(voice, waiting, error)
            return LoadedPage(page=unheard(hearing, label, f"could not be listened to: {error.problem}"))
        self._proven.add(voice)
        return loaded

    def _wait_or_go_on(self, voice: Voice, waiting: Unheard, error: SourceError) -> None:
        """Let a page wait that may be heard the next time; a model that never worked costs no page its turn."""
        self._tries[waiting] += 1
        may_pass = isinstance(error, WorkerDiedError | SourceTimedOutError)
        if may_pass and (self._tries[waiting] < TRIES or voice not in self._proven):
            raise error

    def _minute(self, waiting: Unheard) -> Minute:
        (record,) = self._log.of_source(waiting.source_id, Kind.SOURCE)[:1]
        details = record.payload
        if not isinstance(details, SourceDetails) or not details.blob_hash:
            raise SourceError("The original of this recording is not kept.")
        path = self._rooms.blobs.path(details.blob_hash)
        return Minute(path, details.loader, waiting.page, details.filename, details.title)

    def _look(self, waiting: Unheard, record: Record) -> None:
        """Find out how long a recording is, and give each of its minutes a page; one that cannot be read says so."""
        try:
            parts = self._listener.look_again(self._minute(waiting))
            pages = [part for part in parts if isinstance(part, LoadedPage)]
        except SourceError as error:
            pages = [LoadedPage(page=unheard(Hearing(1, LOOKED), "", f"could not be looked into: {error.problem}"))]
        self._append(waiting, record, pages, LOOKED)

    def _append(self, waiting: Unheard, record: Record, pages: Iterable[LoadedPage], reading: str) -> None:
        """Write pages down in one transaction, unless the first was removed or read meanwhile."""
        self._rooms.asking.wait_until_idle(GIVE_WAY_S)
        origin = Origin(waiting.source_id, record.namespace, record.observed_at)
        drafts: list[Draft] = []
        terms: list[Terms | None] = []
        for loaded in pages:
            is_first = loaded.page.number == waiting.page
            again = Rereading(reading, PageVerdict.AUDIO_ONLY) if is_first else None
            for draft, counted in page_drafts(origin, loaded, again):
                drafts.append(draft)
                terms.append(counted)
        with self._log.transaction():
            if self._log.page(waiting.source_id, waiting.page) != record:
                return
            records = self._log.append(drafts)
            if reading == LOOKED:
                self._count_anew(waiting.source_id)
        known = {one.seq: counted for one, counted in zip(records, terms, strict=True) if counted is not None}
        self._rooms.projector.catch_up(known)

    def _count_anew(self, source_id: SourceId) -> None:
        """A recording that was one page now has one for each minute: it has arrived anew, with their verdicts."""
        verdicts = dict(Counter(note.verdict.value for note in self._log.page_notes(source_id)))
        lifecycle.complete(self._log, self._rooms.shelf, source_id, verdicts, text_digest(self._log, source_id))
