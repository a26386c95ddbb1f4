"""The read corridor: a question in, ranked evidence or a cited answer out. Reads only, but for the query's own run.

In this order: plan, ask the routes, fuse, ground in the log, compose, judge, and where she wants one, let a model write
from the same evidence. A route that fails is named in the coverage, and the others go on. No index is built and no
record is embedded.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event

from msgspec import structs

from trisynapse_memory.contracts import Route
from trisynapse_memory.errors import DiskFullError, ProviderError, TrisynapseError
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.answers import Answers, Found, Settled, new_query_id
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.writing.descriptions import DescribedPages
from trisynapse_memory.pipelines.writing.followups import FollowUps
from trisynapse_memory.pipelines.writing.model_answers import (
    HIDDEN_MEANWHILE,
    NO_WISHES,
    Asked,
    ModelAnswers,
    Models,
    Stops,
    Told,
    Wishes,
    Written,
    signed,
)
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import fuse
from trisynapse_memory.types import (
    Answer,
    AnswerStage,
    AnswerStep,
    Candidate,
    Coverage,
    QueryPlan,
    QueryRun,
    QueryStep,
    RouteRow,
    Scope,
    SearchResult,
)

LOGGER = logging.getLogger(__name__)
ROUTE_ROWS = 20  # engine.md A2: candidates kept per route in a run
STATE_TRIES = 20  # looks at whether the indexes have reached the log; a commit takes some 10 ms
STATE_WAIT_S = 0.005


class Query:
    """Answers questions about one vault.

    Args:
        rooms: the open vault.
        routes: the ways to propose candidates, in a fixed order.
        models: what models may do for an answer; None where there are none.
    """

    def __init__(self, rooms: Rooms, routes: Sequence[Route], models: Models | None = None) -> None:
        self._rooms = rooms
        self._routes = tuple(routes)
        self._places = Places(rooms.log)
        self._grounder = Grounder(rooms.log, rooms.shelf, self._places, rooms.config)
        self._described = DescribedPages(rooms)
        self._answers = Answers(rooms, self._places, self._grounder)
        self._stops = Stops()
        self._writer: ModelAnswers | None = None
        if models is not None:
            limit = rooms.config.excerpt_max_chars
            self._writer = ModelAnswers(models.writers, models.shares, self._answers.locate, limit)
        self._followups = FollowUps(rooms.log, models)

    @property
    def places(self) -> Places:
        """Where words stand on their pages."""
        return self._places

    def search(self, question: str, scope: Scope, *, top_k: int | None = None, explain: bool = False) -> SearchResult:
        """Return ranked evidence without an answer."""
        started = time.perf_counter()
        with self._one_state():
            found = self._find(question, scope, top_k)
            described = self._described.search(found.plan, scope)
        result = SearchResult(
            query_id=new_query_id(),
            question=found.plan.question,
            hits=found.hits,
            plan=found.plan,
            descriptions=described,
            coverage=found.coverage,
            timings_ms=_timings(found.steps, started),
        )
        if explain:
            result = structs.replace(
                result,
                routes={route: self._rows(ranking) for route, ranking in found.rankings.items()},
                fusion=self._rows([Candidate(one.seq, one.score) for one in found.fused]),
            )
        self._keep(None, found, result.query_id, "search", started)
        return result

    def answer(
        self,
        question: str,
        scope: Scope,
        *,
        top_k: int | None = None,
        wishes: Wishes = NO_WISHES,
        told: Told | None = None,
    ) -> Answer:
        """Return an answer whose every sentence is cited, or an abstention with its reason and the nearest evidence.

        Args:
            question: as she asked it.
            scope: what may be looked at.
            top_k: how many hits may answer.
            wishes: which model writes, if any, and how it can be stopped.
            told: hears each step at once, the best passages first; from any thread.
        """
        started, hear = time.perf_counter(), told or _nobody
        with self._stops.open(wishes.ask_id) as stop:
            asked_as = self._followups.rephrase(question, wishes, stop)
            with self._one_state():
                limit = top_k or self._rooms.config.answer_hit_limit
                found = self._find(asked_as or question, scope, limit, shown=False)
                composing = time.perf_counter()
                inquiry, quoted = self._answers.compose(found, scope)
                settled = self._answers.settle(quoted, found, scope)
                passages = self._answers.passages(found, quoted) if told is not None else ()
            found = _after(found, "answer", composing)
            hear(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.EVIDENCE, passages=passages, asked_as=asked_as))
            writing = time.perf_counter()
            written = self._write(Asked(inquiry, found.hits, quoted), wishes, hear, stop)
        settled, written = self._with_model(settled, written, found, scope)
        if written.model or written.note:
            found = _after(found, "model", writing, written)
        made = structs.replace(
            self._answers.answer(settled, found, scope),
            question=question.strip() if asked_as else found.plan.question,
            asked_as=asked_as,
            timings_ms=_timings(found.steps, started),
        )
        answer = signed(made, written)
        self._keep(answer, found, answer.query_id, "query", started)
        hear(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.ANSWER, answer=answer))
        return answer

    @property
    def stops(self) -> Stops:
        """By which the models of questions, and of what else she waits for, are stopped."""
        return self._stops

    def cancel(self, ask_id: str) -> None:
        """Stop the model of a question; what stands by then stays."""
        self._stops.cancel(ask_id)

    def _write(self, asked: Asked, wishes: Wishes, told: Told, stop: Event) -> Written:
        """Let the model write; what is refused without one stays refused."""
        if self._writer is None or asked.quoted.abstain:
            return Written()
        with self._rooms.asking:
            return self._writer.write(asked, wishes, told, stop)

    def _with_model(self, settled: Settled, written: Written, found: Found, scope: Scope) -> tuple[Settled, Written]:
        """Put what the model wrote in the place of the quoted answer, unless it may not be seen any more."""
        if written.composition is None:
            return settled, written
        with self._one_state():
            drafted = self._answers.settle_draft(written.composition, settled, found, scope)
        if drafted is None:
            return settled, structs.replace(written, composition=None, note=HIDDEN_MEANWHILE)
        return drafted, written

    def positions(self, question: str, scope: Scope, limit: int) -> tuple[int, ...]:
        """Return where the best evidence for a question stands in the log, best first; no run is kept."""
        with self._one_state():
            found = self._find(question, scope, limit, shown=False)
        return tuple(hit.record.seq for hit in found.hits)

    @contextmanager
    def _one_state(self) -> Generator[None]:
        """Pin the log and the indexes at one position, so that nothing moves while a question is answered.

        Log and indexes commit one after the other; whoever comes in between waits for the second, a moment at most.
        """
        rooms = self._rooms
        for attempt in range(STATE_TRIES):
            with rooms.index.read(), rooms.log.database.read():
                if rooms.index.applied_seq("lexical") == rooms.log.head() or attempt == STATE_TRIES - 1:
                    yield
                    return
            time.sleep(STATE_WAIT_S)

    def _find(self, question: str, scope: Scope, top_k: int | None, *, shown: bool = True) -> Found:
        with self._rooms.asking:
            return self._find_now(question, scope, top_k, shown)

    def _find_now(self, question: str, scope: Scope, top_k: int | None, shown: bool) -> Found:
        config, clock = self._rooms.config, _Stopwatch()
        plan = plan_question(question, config, top_k, today=datetime.now().astimezone().date())
        clock.lap("plan")
        rankings, faults = self._ask_routes(plan, scope)
        clock.lap("routes", candidates={name: self._rows(found) for name, found in rankings.items()})
        fused = fuse(plan, rankings, self._rare_holders(plan, scope), config)
        clock.lap("fusion")
        ranked = [(one.seq, one.score, one.parts) for one in fused]
        hits = self._grounder.ground(plan, ranked, plan.hit_limit, shown=shown, as_of_seq=scope.as_of_seq)
        clock.lap("grounding")
        coverage = self._coverage(scope, rankings, faults)
        return Found(plan=plan, rankings=rankings, fused=fused, hits=hits, coverage=coverage, steps=clock.steps)

    def _ask_routes(
        self, plan: QueryPlan, scope: Scope
    ) -> tuple[dict[str, tuple[Candidate, ...]], dict[str, TrisynapseError]]:
        rankings: dict[str, tuple[Candidate, ...]] = {}
        faults: dict[str, TrisynapseError] = {}
        for route in self._routes:
            try:
                rankings[route.name] = route.candidates(plan, scope)
            except ProviderError as error:  # no model, no problem (engine.md 0.1 row 11)
                faults[route.name] = error
        return rankings, faults

    def _rare_holders(self, plan: QueryPlan, scope: Scope) -> dict[str, tuple[int, ...]]:
        """Return who holds each identifier of the question, where few do."""
        limit = self._rooms.config.rare_term_max_records
        holders = {key: self._rooms.lexical.holders(key, scope, limit + 1) for key in plan.rare_terms}
        return {key: seqs for key, seqs in holders.items() if len(seqs) <= limit}

    def _coverage(
        self, scope: Scope, rankings: Mapping[str, Sequence[Candidate]], faults: Mapping[str, TrisynapseError]
    ) -> Coverage:
        rooms = self._rooms
        counts = rooms.shelf.counts()
        in_scope = counts.get("active", 0) + counts.get("arriving", 0)
        return Coverage(
            sources_in_scope=in_scope if scope.source_ids is None else len(scope.source_ids),
            records_in_scope=rooms.lexical.record_count(scope),
            examined=len({found.seq for ranking in rankings.values() for found in ranking}),
            not_embedded=rooms.vectors.pending_count(serving=True),
            unreadable_sources=rooms.shelf.unreadable_count(),
            parts_off=tuple(faults),
        )

    def _rows(self, ranking: Sequence[Candidate]) -> tuple[RouteRow, ...]:
        top = ranking[:ROUTE_ROWS]
        ids = self._rooms.log.ids([found.seq for found in top])
        return tuple(
            RouteRow(record_id=ids[found.seq], rank=rank, score=found.score)
            for rank, found in enumerate(top, start=1)
            if found.seq in ids
        )

    def _keep(self, answer: Answer | None, found: Found, query_id: str, mode: str, started: float) -> None:
        run = QueryRun(
            query_id=query_id,
            mode=mode,
            question=answer.question if answer else found.plan.question,
            status="completed",
            created_at=datetime.now(UTC),
            duration_ms=_ms(started),
            steps=found.steps,
            abstain=answer.abstain if answer else False,
            reason=answer.reason if answer else "",
            cited_record_ids=tuple(one.record_id for one in answer.citations) if answer else (),
        )
        try:
            self._rooms.history.keep_query(run)
        except DiskFullError:  # a full disk costs the history of a question, never its answer
            LOGGER.warning("The run of a question was not kept: the disk is full.")


class _Stopwatch:
    """Collects the steps of one question with their times."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._steps: list[QueryStep] = []

    def lap(self, phase: str, candidates: dict[str, tuple[RouteRow, ...]] | None = None) -> None:
        now = time.perf_counter()
        self._steps.append(QueryStep(phase=phase, duration_ms=(now - self._last) * 1000, candidates=candidates or {}))
        self._last = time.perf_counter()

    @property
    def steps(self) -> tuple[QueryStep, ...]:
        return tuple(self._steps)


def _after(found: Found, phase: str, started: float, written: Written | None = None) -> Found:
    """What was found, with one more step of the run."""
    summary = {} if written is None else written.summary
    return structs.replace(
        found, steps=(*found.steps, QueryStep(phase=phase, duration_ms=_ms(started), summary=summary))
    )


def _nobody(_: AnswerStep) -> None:
    return None


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _timings(steps: Sequence[QueryStep], started: float) -> dict[str, float]:
    return {**{step.phase: round(step.duration_ms, 3) for step in steps}, "total": round(_ms(started), 3)}
