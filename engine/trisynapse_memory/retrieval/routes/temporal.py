"""A question about a time in, those candidates out that were written then or tell of it, by real days.

It has nothing to say where the question names no time. A record's days are its own and those its words name, with
"yesterday" counted from its own; what lies inside the period scores 1, and half as much for every half-life outside.
Words are read of the best candidates only: finding dates is dear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import RecordReader
from trisynapse_memory.scoring.activation import strongest
from trisynapse_memory.text.dates import find_dates
from trisynapse_memory.types import Candidate, Period, QueryPlan, Record, Scope

LEAST: Final = 0.01  # under it, about seven half-lives away, a day is not near any more
_WHY: Final = "time"


class TemporalRoute:
    """Proposes the candidates that lie near the time a question names.

    Args:
        records: reads the candidates.
        config: ``temporal_half_life_days`` and ``temporal_read_count`` are read.
    """

    name = "temporal"

    def __init__(self, records: RecordReader, config: Config) -> None:
        self._records = records
        self._half_life = config.temporal_half_life_days
        self._read_count = config.temporal_read_count

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the near ones among the seeds by nearness in (0, 1]; nothing where no time is named."""
        if not plan.periods or not seeds:
            return ()
        read = self._records.by_seqs([seed.seq for seed in seeds])
        scores = {
            record.seq: self._nearness(record, plan.periods, reads_words=place < self._read_count)
            for place, record in enumerate(read)
        }
        near = {seq: score for seq, score in scores.items() if score >= LEAST}
        return tuple(Candidate(seq, score, _WHY) for seq, score in strongest(near, len(near)).items())

    def _nearness(self, record: Record, periods: Sequence[Period], *, reads_words: bool) -> float:
        gap = min((_gap(periods, start, end) for start, end in _own_day(record)), default=None)
        if gap != 0 and reads_words:
            told = (_gap(periods, start, end) for start, end in _told_days(record))
            gap = min((one for one in (gap, *told) if one is not None), default=None)
        return 0.0 if gap is None else 0.5 ** (gap / self._half_life)


def _own_day(record: Record) -> Iterator[tuple[date, date]]:
    if record.observed_at is not None:
        yield record.observed_at.date(), record.observed_at.date()


def _told_days(record: Record) -> Iterator[tuple[date, date]]:
    own = record.observed_at.date() if record.observed_at is not None else None
    for span in find_dates(record.text, own):
        if not span.interval.label:  # a financial year is a name, not a stretch of days
            yield span.interval.start, span.interval.end


def _gap(periods: Sequence[Period], start: date, end: date) -> int:
    return min(gap_days(period, start, end) for period in periods)


def gap_days(period: Period, start: date, end: date) -> int:
    """Return how many days lie between a period and a stretch of days; 0 where they touch or overlap."""
    after = (start - period.end).days if period.end is not None else 0
    before = (period.start - end).days if period.start is not None else 0
    return max(after, before, 0)
