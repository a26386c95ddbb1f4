"""Inputs in, what would become of them out. Nothing is written: no record, no blob, no history.

A file that holds others is opened where it lies, or from a temporary copy where it lies in another one; its members are
judged like files of their own. No other file is read for more than its hash.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceError, SourceUnsupportedError
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Admission, Arrival
from trisynapse_memory.pipelines.drafting import bytes_of, digest_of, path_of
from trisynapse_memory.pipelines.members import Membership, foresee_members
from trisynapse_memory.pipelines.outcomes import failed, left_out
from trisynapse_memory.pipelines.portions import Parts, is_file_listing
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.unpacking import Nest, member_of
from trisynapse_memory.pipelines.zotero import foresee_zotero
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.preprocessing.references.zotero_folder import is_zotero_folder
from trisynapse_memory.types import Fault, IngestResult, IngestRun, Outcome, SourceInput

HOLDING_FILES: Final = frozenset({"archive", "mail", "outlook"})
"""Loaders whose files are sources and hold others as a rule. Files embedded in a paper are told when it is read."""

_WORDS: Final = {Admission.UNCHANGED: "duplicate", Admission.RESUMED: "new"}


def rehearse(rooms: Rooms, inputs: tuple[SourceInput, ...], nest: Nest) -> IngestRun:
    """Say what would become of each input, and of what lies in it: new, changed, duplicate, unsupported."""
    results = tuple(row for arrival in admission.arrivals(inputs) for row in foresee(rooms, arrival, nest))
    return IngestRun(run_id="", status="completed", results=results, dry_run=True)


def foresee(rooms: Rooms, arrival: Arrival, nest: Nest) -> Iterator[IngestResult]:
    """Say what would become of an arrival and of its members without writing anything."""
    if arrival.skipped or arrival.error is not None:
        yield left_out(arrival)
        return
    if arrival.input.url is not None:
        yield _foresee_address(rooms, arrival)
        return
    try:
        if arrival.input.path is not None and is_zotero_folder(Path(arrival.input.path)):
            yield from foresee_zotero(rooms, arrival, lambda file: foresee(rooms, file, nest))
        else:
            yield from _foresee_file(rooms, arrival, nest)
    except SourceUnsupportedError as error:
        yield IngestResult(input=arrival.label, status=Outcome.SKIPPED, reason="unsupported", error=Fault.of(error))
    except SourceError as error:
        yield failed(arrival, error)


def _foresee_address(rooms: Rooms, arrival: Arrival) -> IngestResult:
    """What lies behind an address is known only once it is fetched."""
    key = admission.key_of(arrival.input, "")
    current = rooms.shelf.active(key, arrival.input.namespace)
    return IngestResult(
        input=arrival.label,
        status=Outcome.SKIPPED,
        source_id=None if current is None else current.source_id,
        source_key=key,
        reason="new; it would be fetched" if current is None else "there already; it would be asked for changes",
    )


def _foresee_file(rooms: Rooms, arrival: Arrival, nest: Nest) -> Iterator[IngestResult]:
    path = path_of(arrival)
    head = admission.read_head(path, rooms.config.file_max_bytes) if path else bytes_of(arrival)
    kind = choose_loader(head, arrival.input.filename or arrival.label, rooms.registry)
    digest = digest_of(path) if path else hashlib.sha256(bytes_of(arrival)).hexdigest()
    key = admission.key_of(arrival.input, digest)
    is_container = bool(rooms.registry.load("loader", kind).container)
    decision = admission.decide(rooms.shelf, arrival.input.namespace, key, digest)
    is_known = decision.admission in (Admission.UNCHANGED, Admission.DUPLICATE)
    if is_container or (kind in HOLDING_FILES and not is_known):
        yield from _foresee_members(rooms, arrival, kind, key, nest)
    if not is_container:
        yield IngestResult(
            input=arrival.label,
            status=Outcome.SKIPPED,
            source_id=decision.source_id,
            source_key=key,
            kind=kind,
            version=decision.version,
            reason=_WORDS.get(decision.admission, decision.admission.value),
        )


def _foresee_members(rooms: Rooms, arrival: Arrival, kind: str, key: str, nest: Nest) -> Iterator[IngestResult]:
    membership = Membership(
        label=arrival.label,
        container=key,
        loader=kind,
        namespace=arrival.input.namespace,
        collections=arrival.input.collections,
    )
    with _lying_somewhere(arrival) as path, closing(nest.load(arrival, kind, path)) as loaded:
        for are_files, listings in groupby(Parts(loaded).members(), key=is_file_listing):
            if not are_files:
                yield from foresee_members(rooms, membership, listings)
                continue
            for listing in listings:
                yield from foresee(rooms, member_of(arrival, key, listing), nest)


@contextmanager
def _lying_somewhere(arrival: Arrival) -> Generator[Path]:
    """The file of an arrival; what has none gets a temporary one."""
    path = path_of(arrival)
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="trisynapse-") as copy:
        copy.write(bytes_of(arrival))
        copy.flush()
        yield Path(copy.name)
