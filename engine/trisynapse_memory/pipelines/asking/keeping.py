"""What was found and answered in, the query run in ``runs.db`` out. A full disk costs the run, never the answer."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from msgspec import structs

from trisynapse_memory.errors import DiskFullError
from trisynapse_memory.pipelines.asking.answers import Found
from trisynapse_memory.pipelines.asking.steps import ms_since
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Answer, QueryRun, RouteRow, Scope

LOGGER = logging.getLogger(__name__)


def keep_search(rooms: Rooms, found: Found, query_id: str, scope: Scope, started: float) -> None:
    """Keep how a search went; ``started`` is when, by ``time.perf_counter``."""
    _keep(rooms, _run(rooms, found, scope, started, query_id, "search"))


def keep_answer(rooms: Rooms, answer: Answer, found: Found, scope: Scope, started: float) -> None:
    """Keep how a question was answered; ``started`` is when, by ``time.perf_counter``."""
    run = structs.replace(
        _run(rooms, found, scope, started, answer.query_id, "query"),
        question=answer.question,
        abstain=answer.abstain,
        reason=answer.reason,
        cited_record_ids=tuple(one.record_id for one in answer.citations),
        looked_up=answer.asked_as,
    )
    _keep(rooms, run)


def _run(rooms: Rooms, found: Found, scope: Scope, started: float, query_id: str, mode: str) -> QueryRun:
    ranks = enumerate(found.hits, start=1)
    return QueryRun(
        query_id=query_id,
        mode=mode,
        question=found.plan.question,
        status="completed",
        created_at=datetime.now(UTC),
        duration_ms=ms_since(started),
        steps=found.steps,
        scope=scope,
        head_seq=rooms.log.head(),
        top_k=found.plan.hit_limit,
        weights=found.weights,
        ranks=tuple(RouteRow(record_id=str(hit.record.id), rank=rank, score=hit.score) for rank, hit in ranks),
    )


def _keep(rooms: Rooms, run: QueryRun) -> None:
    try:
        rooms.history.keep_query(run)
    except DiskFullError:
        LOGGER.warning("The run of a question was not kept: the disk is full.")
