"""Inputs in, what would become of them out. Nothing is written: no record, no blob, no history."""

from __future__ import annotations

import hashlib

from trisynapse_memory.errors import SourceError, SourceUnsupportedError
from trisynapse_memory.pipelines import admission
from trisynapse_memory.pipelines.admission import Admission, Arrival
from trisynapse_memory.pipelines.drafting import bytes_of, digest_of, path_of
from trisynapse_memory.pipelines.outcomes import failed, left_out
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.types import Fault, IngestResult, IngestRun, Outcome, SourceInput


def rehearse(rooms: Rooms, inputs: tuple[SourceInput, ...]) -> IngestRun:
    """Say what would become of each input: new, changed, duplicate, unsupported."""
    results = tuple(foresee(rooms, arrival) for arrival in admission.arrivals(inputs))
    return IngestRun(run_id="", status="completed", results=results, dry_run=True)


def foresee(rooms: Rooms, arrival: Arrival) -> IngestResult:
    """Say what would become of an arrival without writing anything."""
    if arrival.skipped or arrival.error is not None:
        return left_out(arrival)
    try:
        path = path_of(arrival)
        head = admission.read_head(path, rooms.config.file_max_bytes) if path else bytes_of(arrival)
        kind = choose_loader(head, arrival.input.filename or arrival.label, rooms.registry)
        digest = digest_of(path) if path else hashlib.sha256(bytes_of(arrival)).hexdigest()
    except SourceUnsupportedError as error:
        return IngestResult(input=arrival.label, status=Outcome.SKIPPED, reason="unsupported", error=Fault.of(error))
    except SourceError as error:
        return failed(arrival, error)
    key = admission.key_of(arrival.input, digest)
    decision = admission.decide(rooms.shelf, arrival.input.namespace, key, digest)
    reason = {Admission.UNCHANGED: "duplicate", Admission.RESUMED: "new"}.get(
        decision.admission, decision.admission.value
    )
    return IngestResult(
        input=arrival.label,
        status=Outcome.SKIPPED,
        source_id=decision.source_id,
        source_key=key,
        kind=kind,
        version=decision.version,
        reason=reason,
    )
