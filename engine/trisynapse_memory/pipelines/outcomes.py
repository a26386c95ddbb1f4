"""Errors and skips in, result rows out; here a whole file gets its verdict. Nothing is written."""

from __future__ import annotations

from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.drafting import name_of
from trisynapse_memory.types import Fault, IngestResult, Outcome, PageNote, PageVerdict

VERDICT_OF_ERROR = {
    "source.password": PageVerdict.NEEDS_PASSWORD,
    "source.empty": PageVerdict.EMPTY,
    "source.unsupported": PageVerdict.UNSUPPORTED,
    "source.timed_out": PageVerdict.TIMED_OUT,
}
"""The verdict of a file that gave no page at all; any other error means it is damaged, for our purpose."""


def left_out(arrival: Arrival) -> IngestResult:
    """Return the result of an arrival that was skipped or could not even be looked at."""
    if arrival.error is not None:
        return failed(arrival, arrival.error)
    return IngestResult(input=arrival.label, status=Outcome.SKIPPED, reason=arrival.skipped)


def failed(arrival: Arrival, error: TrisynapseError, reason: str = "") -> IngestResult:
    """Return the result of an arrival that could not be taken in, with the verdict of the file as a whole."""
    verdict = VERDICT_OF_ERROR.get(error.code, PageVerdict.DAMAGED)
    return IngestResult(
        input=arrival.label,
        status=Outcome.FAILED,
        title=name_of(arrival),
        verdicts={verdict.value: 1},
        pages=(PageNote(page=1, verdict=verdict, note=error.problem),),
        reason=reason or error.problem,
        error=Fault.of(error),
    )
