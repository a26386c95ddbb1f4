"""What she opened, marked and called helpful in, questions with the records that were right for them out.

An answer she called unhelpful takes its citations, and what she opened from it, back; what she marked by hand stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, NamedTuple

from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import FeedbackDetails, JudgedBy, Kind, QueryRun, Scope

EXAMPLES_MAX: Final = 300  # newest questions; 300 x 8 rankings of 20 ms are 50 s of an idle machine


class Example(NamedTuple):
    """A question as it was looked up, and the log positions of what was right for it; at least one, all visible.

    ``answered`` says that it was answered, and not only searched for.
    """

    query_id: str
    question: str
    scope: Scope
    today: date
    wanted: frozenset[int]
    answered: bool


def examples_of(rooms: Rooms) -> tuple[Example, ...]:
    """Return the newest questions with a judgement, oldest first; one that was asked twice counts once."""
    verdicts = _verdicts(rooms)
    judged: dict[str, dict[str, JudgedBy]] = {}
    for one in rooms.history.judgements.list():
        judged.setdefault(one.query_id, {})[one.record_id] = one.judged_by
    found: dict[tuple[str, Scope], Example] = {}
    runs = sorted(_runs(rooms, {*judged, *(name for name, helpful in verdicts.items() if helpful)}), key=_age)
    for run in runs:
        ids = set(_right(run, judged.get(run.query_id, {}), verdicts.get(run.query_id)))
        example = _example(rooms, run, ids)
        if example is not None:
            key = (" ".join(example.question.casefold().split()), example.scope)
            earlier = found.pop(key, None)
            found[key] = example if earlier is None else _joined(earlier, example)
    return tuple(found.values())[-EXAMPLES_MAX:]


def _joined(earlier: Example, later: Example) -> Example:
    return later._replace(wanted=earlier.wanted | later.wanted, answered=earlier.answered or later.answered)


def _verdicts(rooms: Rooms) -> dict[str, bool]:
    """Her last word on each answer."""
    records = rooms.log.of_kind(Kind.FEEDBACK)
    details = (
        record.payload for record in records if record.seq in rooms.log.visible([record.seq for record in records])
    )
    return {one.query_id: one.helpful for one in details if isinstance(one, FeedbackDetails)}


def _runs(rooms: Rooms, query_ids: Iterable[str]) -> Iterator[QueryRun]:
    for query_id in query_ids:
        try:
            run = rooms.history.query(query_id)
        except UnknownRecordError:  # the run was dropped; its question is not known any more
            continue
        if run.scope is not None:
            yield run


def _age(run: QueryRun) -> tuple[str, str]:
    return run.created_at.isoformat(), run.query_id


def _right(run: QueryRun, judged: dict[str, JudgedBy], helpful: bool | None) -> Iterator[str]:
    """The ids of the records that were right for a question."""
    for record_id, judged_by in judged.items():
        if judged_by is JudgedBy.MARKED or helpful is not False:
            yield record_id
    if helpful:
        yield from run.cited_record_ids


def _example(rooms: Rooms, run: QueryRun, record_ids: Iterable[str]) -> Example | None:
    seqs = {seq for record_id in record_ids if (seq := _place(rooms, record_id)) is not None}
    wanted = rooms.log.visible(sorted(seqs))
    if not wanted or run.scope is None:
        return None
    return Example(
        query_id=run.query_id,
        question=run.looked_up or run.question,
        scope=run.scope,
        today=run.created_at.astimezone().date(),
        wanted=frozenset(wanted),
        answered=run.mode == "query" and not run.abstain,
    )


def _place(rooms: Rooms, record_id: str) -> int | None:
    try:
        return rooms.log.get(record_id).seq
    except UnknownRecordError:
        return None
