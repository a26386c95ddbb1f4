"""The write corridor: inputs in, records in the log out, searchable by their words. Nothing is embedded here.

For each input, in this order: find out what it is, store the original, decide what it is to the vault, read it page by
page in a worker process, append page and chunk records batch by batch, bring the words index up to the log after each
batch, and close the source with one record that also supersedes the version it replaces. A crash leaves whole batches;
the next run goes on after the last page. A bad file costs itself only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct, structs

from trisynapse_memory.errors import DiskFullError, InvalidInputError, ProviderError, SourceError, TrisynapseError
from trisynapse_memory.log.blobs import Blob
from trisynapse_memory.pipelines import admission, closing
from trisynapse_memory.pipelines.acquisition import acquire
from trisynapse_memory.pipelines.admission import Admission, Arrival, Decision
from trisynapse_memory.pipelines.drafting import details_of, drafts_of, name_of, title_of
from trisynapse_memory.pipelines.members import Membership, take_members
from trisynapse_memory.pipelines.outcomes import failed, left_out
from trisynapse_memory.pipelines.rehearsal import rehearse
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox
from trisynapse_memory.types import (
    Draft,
    Heading,
    IngestResult,
    IngestRun,
    Kind,
    Listing,
    Outcome,
    Progress,
    SourceDetails,
    SourceInput,
    Terms,
)

GIVE_WAY_S = 0.5  # longest wait for a question before a batch is committed; most take a tenth of that


class Options(Struct, frozen=True, kw_only=True):
    """How a run works: only say what would happen, fetch links found inside files, put sources into a collection."""

    dry_run: bool = False
    fetch: bool = False
    collection: str | None = None


class Ingest:
    """Runs the write corridor for one vault.

    Args:
        rooms: the open vault.
        sandbox: reads files in a worker process.
        notify: told how far a run is; called from the thread that runs it.
    """

    def __init__(self, rooms: Rooms, sandbox: Sandbox, notify: Callable[[Progress], None]) -> None:
        self._rooms = rooms
        self._sandbox = sandbox
        self._notify = notify

    def run(self, inputs: tuple[SourceInput, ...], options: Options, stop: threading.Event) -> IngestRun:
        """Take inputs in, one after the other; what became of each is kept in the history the moment it is known."""
        if options.collection is not None:
            inputs = tuple(_collected(given, options.collection) for given in inputs)
        if options.dry_run:
            return rehearse(self._rooms, inputs)
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
            for result in self._take_with_links(run_id, arrival, options, stop):
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

    def _take_with_links(
        self, run_id: str, arrival: Arrival, options: Options, stop: threading.Event
    ) -> Iterator[IngestResult]:
        """Take one arrival in and, only where she asked for it, the pages that its links lead to."""
        for result in self._take(run_id, arrival, stop):
            yield result
            if options.fetch and result.kind == "bookmark" and result.source_id is not None and not stop.is_set():
                page = SourceInput(
                    url=result.input, namespace=arrival.input.namespace, collections=arrival.input.collections
                )
                yield from self._take(run_id, Arrival(label=result.input, input=page), stop)

    def _take(self, run_id: str, arrival: Arrival, stop: threading.Event) -> Iterator[IngestResult]:
        """Take one arrival in; whatever is wrong with it becomes its result and nothing else's."""
        if arrival.skipped or arrival.error is not None:
            yield left_out(arrival)
            return
        self._notify(Progress(run_id=run_id, stage="reading", label=Path(arrival.label).name or arrival.label))
        blob: Blob | None = None
        try:
            original = acquire(self._rooms, arrival)
            arrival, kind, blob = original.arrival, original.loader, original.blob
            if self._rooms.registry.load("loader", kind).container:
                yield from self._take_container(arrival, kind, blob)
            else:
                yield self._take_file(run_id, arrival, kind, blob, stop)
        except (SourceError, DiskFullError, ProviderError, InvalidInputError) as error:
            yield failed(arrival, error)
        finally:
            if blob is not None:
                self._discard_unused(blob)

    def _discard_unused(self, blob: Blob) -> None:
        """Let go of an original that no source names, so that a refused file leaves nothing behind."""
        if not self._rooms.shelf.holds_blob(blob.content_hash):
            self._rooms.blobs.discard(blob.content_hash)

    def _take_container(self, arrival: Arrival, kind: str, blob: Blob) -> Iterator[IngestResult]:
        loaded = self._sandbox.load(self._rooms.blobs.path(blob.content_hash), kind, filename=name_of(arrival))
        listings = (part for part in loaded if isinstance(part, Listing))
        membership = Membership(
            label=arrival.label,
            container=admission.key_of(arrival.input, blob.content_hash),
            namespace=arrival.input.namespace,
            collections=arrival.input.collections,
        )
        yield from take_members(self._rooms, membership, listings)

    def _take_file(self, run_id: str, arrival: Arrival, kind: str, blob: Blob, stop: threading.Event) -> IngestResult:
        key = admission.key_of(arrival.input, blob.content_hash)
        decision = admission.decide(self._rooms.shelf, arrival.input.namespace, key, blob.content_hash)
        match decision.admission:
            case Admission.UNCHANGED | Admission.DUPLICATE:
                return closing.leave(self._rooms, arrival, decision)
            case Admission.RESTORED:
                return closing.restore(self._rooms, arrival, decision)
            case _:
                return self._read(run_id, arrival, kind, blob, decision, stop)

    def _read(
        self,
        run_id: str,
        arrival: Arrival,
        kind: str,
        blob: Blob,
        decision: Decision,
        stop: threading.Event,
    ) -> IngestResult:
        """Read a file in the worker and append what it holds, batch by batch."""
        rooms = self._rooms
        done = rooms.log.count_of_source(decision.source_id, Kind.PAGE)
        path = rooms.blobs.path(blob.content_hash)
        loaded = self._sandbox.load(
            path,
            kind,
            password=arrival.input.password,
            start_page=done + 1,
            title=title_of(arrival),
            filename=name_of(arrival),
        )
        parts = iter(loaded)
        heading = _heading(next(parts))
        details = details_of(arrival, kind, blob, decision, heading)
        self._append_source(arrival, decision, details)
        for batch in _batches(parts, rooms.config.ingest_batch_pages):
            self._append_pages(arrival, decision, batch)
            done += len(batch)
            self._notify(
                Progress(
                    run_id=run_id,
                    stage="words",
                    label=details.title,
                    done=done,
                    total=heading.page_count,
                    source_id=decision.source_id,
                )
            )
            if stop.is_set():
                return closing.result_of(rooms, arrival, decision, Outcome.PARTIAL, "cancelled")
        return closing.complete(rooms, arrival, decision)

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
        drafts: list[Draft] = []
        terms: list[Terms | None] = []
        for loaded in batch:
            for draft, counted in drafts_of(arrival, decision, loaded):
                drafts.append(draft)
                terms.append(counted)
        records = self._rooms.log.append(drafts)
        known = {record.seq: counted for record, counted in zip(records, terms, strict=True) if counted is not None}
        self._rooms.projector.catch_up(known)


def _collected(given: SourceInput, collection: str) -> SourceInput:
    return structs.replace(given, collections=tuple(dict.fromkeys((*given.collections, collection))))


def _heading(first: object) -> Heading:
    if not isinstance(first, Heading):
        raise TypeError("A loader's first part must be its heading.")
    return first


def _batches(parts: Iterable[object], size: int) -> Iterator[list[LoadedPage]]:
    """Group pages, the first ones in a small batch, so that the first words are searchable at once."""
    batch: list[LoadedPage] = []
    limit = min(4, size)
    for part in parts:
        if isinstance(part, LoadedPage):
            batch.append(part)
            if len(batch) >= limit:
                yield batch
                batch, limit = [], size
    if batch:
        yield batch


def _halting(result: IngestResult) -> TrisynapseError | None:
    """A full disk ends the run: every further arrival would fail the same way."""
    if result.error is None or result.error.code != DiskFullError.code:
        return None
    return DiskFullError(result.error.message, result.error.hint)
