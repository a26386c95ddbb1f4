"""Errors, skips and sources as they stand in, result rows out; a whole file gets its verdict. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.drafting import name_of
from trisynapse_memory.pipelines.history import count_results
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Fault, IngestResult, IngestRun, Outcome, PageNote, PageVerdict

VERDICT_OF_ERROR = {
    "source.password": PageVerdict.NEEDS_PASSWORD,
    "source.empty": PageVerdict.EMPTY,
    "source.unsupported": PageVerdict.UNSUPPORTED,
    "source.timed_out": PageVerdict.TIMED_OUT,
}
"""The verdict of a file that gave no page at all; any other error means it is damaged, for our purpose."""


NEVER_SEEN = frozenset(
    {"source.missing", "source.host", "source.denied", "source.robots", "source.busy", "source.error", "input.invalid",
     "source.too_large", "network.offline"}
)  # fmt: skip
"""Errors of an address of which nothing came, so that nothing of it can be called damaged."""


UNREADABLE = (
    PageVerdict.IMAGE_ONLY,
    PageVerdict.AUDIO_ONLY,
    PageVerdict.GARBLED,
    PageVerdict.NEEDS_PASSWORD,
    PageVerdict.TIMED_OUT,
    PageVerdict.DAMAGED,
    PageVerdict.UNSUPPORTED,
    PageVerdict.SKIPPED,
)
"""Verdicts of pages whose text cannot be used: a source with such a page is whole, but not all of it is known."""


def gaps_of(verdicts: Mapping[str, int]) -> str:
    """Say which pages of a source cannot be read, e.g. ``2 of 5 pages cannot be read: 1 garbled, 1 image-only``."""
    missing = {verdict.value: count for verdict in UNREADABLE if (count := verdicts.get(verdict.value, 0))}
    if not missing:
        return ""
    total = sum(verdicts.values())
    told = ", ".join(f"{count} {name}" for name, count in missing.items())
    return f"{sum(missing.values())} of {total} page{'' if total == 1 else 's'} cannot be read: {told}"


def with_gaps(result: IngestResult) -> IngestResult:
    """Return the result of a source that was taken in as ``partial``, with the reason, where pages cannot be read."""
    gaps = gaps_of(result.verdicts) if result.status is Outcome.SUCCESS else ""
    if not gaps:
        return result
    return structs.replace(result, status=Outcome.PARTIAL, reason="; ".join(filter(None, (result.reason, gaps))))


def as_it_stands(rooms: Rooms, run: IngestRun) -> IngestRun:
    """Return a run with the verdicts that its pages have now: scans and recordings were read since."""
    waited = {PageVerdict.IMAGE_ONLY.value, PageVerdict.AUDIO_ONLY.value}
    results = tuple(one if waited.isdisjoint(one.verdicts) else _looked_up(rooms, one) for one in run.results)
    return structs.replace(run, results=results, counts=count_results(results))


def _looked_up(rooms: Rooms, result: IngestResult) -> IngestResult:
    if result.source_id is None:
        return result
    source = rooms.shelf.get(result.source_id)
    pages = rooms.log.page_notes(result.source_id)
    before = gaps_of(result.verdicts)
    reason = "; ".join(part for part in result.reason.split("; ") if part and part != before)
    is_whole = result.status is Outcome.PARTIAL and before and before in result.reason
    now = structs.replace(
        result,
        status=Outcome.SUCCESS if is_whole else result.status,
        reason=reason,
        verdicts=source.verdicts,
        record_count=source.record_count,
        pages=pages,
    )
    return with_gaps(now)


def left_out(arrival: Arrival) -> IngestResult:
    """Return the result of an arrival that was skipped or could not even be looked at."""
    if arrival.error is not None:
        return failed(arrival, arrival.error)
    return IngestResult(input=arrival.label, status=Outcome.SKIPPED, reason=arrival.skipped)


def failed(arrival: Arrival, error: TrisynapseError, reason: str = "") -> IngestResult:
    """Return the result of an arrival that could not be taken in, with the verdict of the file as a whole."""
    verdict = VERDICT_OF_ERROR.get(error.code, PageVerdict.DAMAGED)
    if arrival.input.url is not None and error.code in NEVER_SEEN:
        verdict = PageVerdict.SKIPPED
    return IngestResult(
        input=arrival.label,
        status=Outcome.FAILED,
        title=name_of(arrival),
        verdicts={verdict.value: 1},
        pages=(PageNote(page=1, verdict=verdict, note=error.problem),),
        reason=reason or error.problem,
        error=Fault.of(error),
    )
