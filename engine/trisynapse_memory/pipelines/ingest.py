"""The write corridor: inputs in, records in the log out, searchable by their words. Nothing is embedded here.

For each input, in this order: find out what it is, store the original, decide what it is to the vault, read it page by
page in a worker process, append page and chunk records batch by batch, bring the words index up to the log after each
batch, and close the source with one record that also supersedes the version it replaces. What lies in it (files of an
archive, attachments) is taken in before it is closed, each like a file of its own. A crash leaves whole batches; the
next run goes on after the last page, or with the first member that is not whole. A bad file costs itself only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing as closing_it
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, structs

from trisynapse_memory.errors import (
    DiskFullError,
    InvalidInputError,
    OfflineError,
    ProviderError,
    SourceError,
    SourceTimedOutError,
    TrisynapseError,
)
from trisynapse_memory.log.blobs import Blob
from trisynapse_memory.pipelines import admission, closing
from trisynapse_memory.pipelines.acquisition import acquire, let_wait
from trisynapse_memory.pipelines.admission import Admission, Arrival, Decision
from trisynapse_memory.pipelines.attributing import attributed, keep_address, keep_older, shows_less, with_notes
from trisynapse_memory.pipelines.drafting import (
    Rereading,
    details_of,
    drafts_of,
    origin_of,
    page_drafts,
)
from trisynapse_memory.pipelines.members import Membership, take_members
from trisynapse_memory.pipelines.outcomes import failed, left_out
from trisynapse_memory.pipelines.portions import Parts, batches, heading_of, is_file_listing, until
from trisynapse_memory.pipelines.rehearsal import rehearse
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.unpacking import INSIDE, Nest, gone_from, member_of
from trisynapse_memory.pipelines.zotero import take_zotero
from trisynapse_memory.preprocessing.references.zotero_folder import is_zotero_folder
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.types import (
    Draft,
    Heading,
    IngestResult,
    IngestRun,
    Kind,
    Listing,
    Outcome,
    PageVerdict,
    Progress,
    SourceDetails,
    SourceInput,
    Terms,
)

TRIED_AGAIN = frozenset({PageVerdict.TIMED_OUT, PageVerdict.DAMAGED})  # what another try may read after all
GIVE_WAY_S = 0.5  # longest wait for a question before a batch is committed; most take a tenth of that


class Options(Struct, frozen=True, kw_only=True):
    """How a run works: only say what would happen, fetch links found inside files, put sources into a collection.

    ``again`` tries pages that could not be read, and what lies in files that are there already.
    """

    dry_run: bool = False
    fetch: bool = False
    collection: str | None = None
    again: bool = False


class _Work(NamedTuple):
    """One file being taken in: its arrival, who reads it, its original, and the key it has in the vault."""

    run_id: str
    arrival: Arrival
    kind: str
    blob: Blob
    key: str
    stop: threading.Event


class Ingest:
    """Runs the write corridor for one vault.

    Args:
        rooms: the open vault.
        sandbox: reads files in a worker process.
        notify: told how far a run is; called from the thread that runs it.
    """

    def __init__(self, rooms: Rooms, sandbox: Sandbox, notify: Callable[[Progress], None]) -> None:
        self._rooms = rooms
        self._nest = Nest(sandbox)
        self._notify = notify
        self._again = False

    def run(self, inputs: tuple[SourceInput, ...], options: Options, stop: threading.Event) -> IngestRun:
        """Take inputs in, one after the other; what became of each is kept in the history the moment it is known."""
        if options.collection is not None:
            inputs = tuple(_collected(given, options.collection) for given in inputs)
        self._again = options.again
        try:
            return rehearse(self._rooms, inputs, self._nest) if options.dry_run else self._run(inputs, options, stop)
        finally:
            self._nest.close()

    def _run(self, inputs: tuple[SourceInput, ...], options: Options, stop: threading.Event) -> IngestRun:
        run_id = self._rooms.history.begin(inputs)
        position = 0
        halted: TrisynapseError | None = None
        for arrival in admission.arrivals(inputs):
            if stop.is_set():
                break
            if halted is not None:
                self._keep(run_id, position, failed(arrival, halted, "not tried"))
                position += 1
                continue
            for result in self._take(run_id, arrival, stop):
                halted = halted or _halting(result)
                self._keep(run_id, position, result)
                position += 1
        return self._rooms.history.finish(run_id, cancelled=stop.is_set())

    def _keep(self, run_id: str, position: int, result: IngestResult) -> None:
        self._rooms.history.add(run_id, position, result)
        self._notify(
            Progress(
                run_id=run_id,
                stage=result.status.value,
                label=result.title or result.input,
                source_id=result.source_id,
                result=result,
            )
        )

    def take_one(self, run_id: str, arrival: Arrival, stop: threading.Event) -> IngestResult:
        """Take one arrival in outside a run; where ``run_id`` names one, what became of it is written behind its rows.

        Returns:
            What became of it; of a file that holds others, what became of the first.
        """
        try:
            results = tuple(self._take(run_id, arrival, stop))
        finally:
            self._nest.close()
        for result in results if run_id else ():
            self._rooms.history.append(run_id, result)
        nothing = IngestResult(input=arrival.label, status=Outcome.SKIPPED, reason="nothing lies in it")
        return results[0] if results else nothing

    def _take(self, run_id: str, arrival: Arrival, stop: threading.Event) -> Iterator[IngestResult]:
        """Take one arrival in; whatever is wrong with it becomes its result and nothing else's."""
        if arrival.skipped or arrival.error is not None:
            yield left_out(arrival)
            return
        self._notify(Progress(run_id=run_id, stage="reading", label=Path(arrival.label).name or arrival.label))
        blob: Blob | None = None
        try:
            if arrival.input.path is not None and is_zotero_folder(Path(arrival.input.path)):
                take = partial(self._take, run_id, stop=stop)
                yield from take_zotero(self._rooms, arrival, take, stop)
                return
            original = acquire(self._rooms, arrival, stop)
            arrival, kind, blob = original.arrival, original.loader, original.blob
            work = _Work(run_id, arrival, kind, blob, admission.key_of(arrival.input, blob.content_hash), stop)
            if self._rooms.registry.load("loader", kind).container:
                yield from self._take_container(work)
            else:
                yield from self._take_file(work)
        except OfflineError as error:
            yield failed(arrival, error, let_wait(self._rooms, arrival, run_id))
        except (SourceError, DiskFullError, ProviderError, InvalidInputError) as error:
            yield failed(arrival, error)
        finally:
            if blob is not None:
                self._discard_unused(blob)

    def _discard_unused(self, blob: Blob) -> None:
        """Let go of an original that no source names, so that a refused file leaves nothing behind."""
        if not self._rooms.shelf.holds_blob(blob.content_hash):
            self._rooms.blobs.discard(blob.content_hash)

    def _take_container(self, work: _Work) -> Iterator[IngestResult]:
        with closing_it(self._load(work)) as loaded:
            yield from self._take_members(work, Parts(loaded))

    def _take_file(self, work: _Work) -> Iterator[IngestResult]:
        rooms, arrival, blob = self._rooms, work.arrival, work.blob
        decision = admission.decide(rooms.shelf, arrival.input.namespace, work.key, blob.content_hash)
        match decision.admission:
            case Admission.UNCHANGED if self._again or arrival.input.password is not None:
                yield from self._read_again(work, decision)
            case Admission.UNCHANGED | Admission.DUPLICATE:
                yield closing.leave(rooms, arrival, decision)
            case Admission.RESTORED:
                yield closing.restore(rooms, arrival, decision)
                yield from self._read_again(work, decision)
            case _:
                yield from self._read(work, decision)

    def _read_again(self, work: _Work, decision: Decision) -> Iterator[IngestResult]:
        """Try the pages of a whole source that could not be read, and everything that lies in its file."""
        notes = self._rooms.log.page_notes(decision.source_id)
        unread = {note.page: note.verdict for note in notes if note.verdict in TRIED_AGAIN}
        mended = 0
        with closing_it(self._load(work, min(unread, default=len(notes) + 1))) as loaded:
            parts = Parts(loaded, has_begun=True)
            for page in parts.pages():
                former = unread.get(page.page.number)
                if former is not None and page.page.verdict not in TRIED_AGAIN:
                    again = Rereading(f"again-{self._rooms.log.head()}", former)
                    self._append_drafts(page_drafts(origin_of(work.arrival, decision), page, again))
                    mended += 1
                if work.stop.is_set():
                    return
            yield from self._take_members(work, parts)
        if decision.admission is Admission.UNCHANGED:
            yield closing.mended(self._rooms, work.arrival, decision, mended)

    def _read(self, work: _Work, decision: Decision) -> Iterator[IngestResult]:
        """Read a file in the worker, append what it holds batch by batch, take in what lies in it, and close it.

        It is closed last: after a crash its members are looked at again, and those that are whole are skipped.
        """
        rooms, arrival = self._rooms, work.arrival
        done = rooms.log.count_of_source(decision.source_id, Kind.PAGE)
        with closing_it(self._load(work, done + 1)) as loaded:
            first = next(loaded, None)
            if first is None:
                name = work.arrival.input.filename or arrival.label
                raise SourceTimedOutError(f"'{name}' was not opened: it was stopped before.", hint="Add it again.")
            arrival, heading, loaded_parts = attributed(arrival, heading_of(first), loaded)
            details = details_of(arrival, work.kind, work.blob, decision, heading)
            self._append_source(arrival, decision, details)
            parts = Parts(loaded_parts, has_begun=True)
            for batch in batches(parts.pages(), rooms.config.ingest_batch_pages):
                self._append_pages(arrival, decision, batch)
                done += len(batch)
                self._notify(
                    Progress(
                        run_id=work.run_id,
                        stage="words",
                        label=details.title,
                        done=done,
                        total=heading.page_count,
                        source_id=decision.source_id,
                    )
                )
                if work.stop.is_set():
                    break
            else:
                yield from self._take_members(work, parts)
        if work.stop.is_set():
            yield closing.result_of(rooms, arrival, decision, Outcome.PARTIAL, "cancelled")
        elif shows_less(rooms, arrival, decision):
            yield keep_older(rooms, arrival, decision)
        else:
            keep_address(rooms, arrival, decision)
            yield with_notes(arrival, closing.complete(rooms, arrival, decision, work.stop))

    def _load(self, work: _Work, start_page: int = 1) -> Generator[LoadedPage | Heading | Listing]:
        path = self._rooms.blobs.path(work.blob.content_hash)
        return self._nest.load(work.arrival, work.kind, path, start_page, work.stop)

    def _take_members(self, work: _Work, parts: Parts) -> Iterator[IngestResult]:
        """Take in what lies in a file, one member after the other: files as arrivals, the others in batches.

        Raises:
            DiskFullError: every further member would fail like this one.
        """
        arrival, seen = work.arrival, set[str]()
        membership = Membership(
            label=arrival.label,
            container=work.key,
            loader=work.kind,
            namespace=arrival.input.namespace,
            collections=arrival.input.collections,
        )
        try:
            for are_files, listings in groupby(until(work.stop, parts.members()), key=is_file_listing):
                if not are_files:
                    yield from take_members(self._rooms, membership, listings)
                    continue
                for listing in listings:
                    member = member_of(arrival, work.key, listing)
                    seen.add(member.input.source_key or "")
                    for result in self._take(work.run_id, member, work.stop):
                        yield result
                        if (full := _halting(result)) is not None:
                            raise full
        except SourceError as error:
            if not parts.has_begun:
                raise
            yield failed(structs.replace(arrival, label=f"{arrival.label}{INSIDE}"), error)
            return
        if seen and not work.stop.is_set():
            yield from gone_from(self._rooms.shelf, arrival, work.key, seen)

    def _append_source(self, arrival: Arrival, decision: Decision, details: SourceDetails) -> None:
        draft = Draft(
            kind=Kind.SOURCE,
            text=details.title,
            namespace=arrival.input.namespace,
            source_id=decision.source_id,
            payload=details,
            observed_at=arrival.input.observed_at,
            external_key=f"source:{decision.source_id}",
        )
        self._rooms.log.append([draft])

    def _append_pages(self, arrival: Arrival, decision: Decision, batch: list[LoadedPage]) -> None:
        """Append a batch of pages with their chunks in one transaction, then make their words searchable.

        A question that is being answered goes first; committing beside it would make both slow.
        """
        self._rooms.asking.wait_until_idle(GIVE_WAY_S)
        self._append_drafts(chain.from_iterable(drafts_of(arrival, decision, loaded) for loaded in batch))

    def _append_drafts(self, counted_drafts: Iterable[tuple[Draft, Terms | None]]) -> None:
        drafts: list[Draft] = []
        terms: list[Terms | None] = []
        for draft, counted in counted_drafts:
            drafts.append(draft)
            terms.append(counted)
        records = self._rooms.log.append(drafts)
        known = {record.seq: counted for record, counted in zip(records, terms, strict=True) if counted is not None}
        self._rooms.projector.catch_up(known)


def _collected(given: SourceInput, collection: str) -> SourceInput:
    return structs.replace(given, collections=tuple(dict.fromkeys((*given.collections, collection))))


def _halting(result: IngestResult) -> TrisynapseError | None:
    """A full disk ends the run: every further arrival would fail the same way."""
    if result.error is None or result.error.code != DiskFullError.code:
        return None
    return DiskFullError(result.error.message, result.error.hint)
