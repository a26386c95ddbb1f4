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
from datetime import UTC, date, datetime
from functools import partial
from threading import Event
from typing import NamedTuple

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FollowRoute, Route
from trisynapse_memory.errors import DiskFullError, TrisynapseError
from trisynapse_memory.grounding.corrections import Row
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.asking.answers import Answers, Found, Settled, new_query_id
from trisynapse_memory.pipelines.asking.finding import Finder, followed_in
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
from trisynapse_memory.types import (
    Answer,
    AnswerStage,
    AnswerStep,
    Candidate,
    Coverage,
    Hit,
    Matches,
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
MATCHES_SHOWN = 100  # sources that match, read from the log for a question about the sources; house.md 1
MATCH_LIFT = 1.0  # above every score without exact terms, so that what matches stands first


class Asking(NamedTuple):
    """How a question is looked up: how many hits, for whose eyes, with which settings and as of which day.

    ``shown`` False gives whole records without places. ``config`` None means the settings in force, ``today`` None now.
    ``explained`` also asks the routes that count nothing, so that she sees what they would propose.
    """

    top_k: int | None = None
    shown: bool = True
    config: Config | None = None
    today: date | None = None
    explained: bool = False


class Query:
    """Answers questions about one vault.

    Args:
        rooms: the open vault.
        routes: the ways to propose candidates, in a fixed order.
        models: what models may do for an answer; None where there are none.
        followers: the ways from candidates to what is linked with them, in a fixed order.
    """

    def __init__(
        self,
        rooms: Rooms,
        routes: Sequence[Route],
        models: Models | None = None,
        followers: Sequence[FollowRoute] = (),
    ) -> None:
        self._rooms = rooms
        self._finder = Finder(rooms, routes, followers)
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
    def finder(self) -> Finder:
        """Ranks records for a plan; no run is kept."""
        return self._finder

    @property
    def places(self) -> Places:
        """Where words stand on their pages."""
        return self._places

    def search(self, question: str, scope: Scope, *, top_k: int | None = None, explain: bool = False) -> SearchResult:
        """Return ranked evidence without an answer."""
        started = time.perf_counter()
        with self._one_state():
            found = self._find(question, scope, Asking(top_k, explained=explain))
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
                routes={route: self._rows(ranking) for route, ranking in found.rankings.items()}
                | followed_in(found.steps),
                fusion=self._rows([Candidate(one.seq, one.score) for one in found.fused]),
                gate=self._gate(question, scope),
            )
        self._keep(None, found, result.query_id, "search", scope, started)
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
                found = self._find(asked_as or question, scope, Asking(limit, shown=False))
                composing = time.perf_counter()
                inquiry, quoted = self._answers.compose(found, scope)
                settled = self._answers.settle(quoted, found, scope)
                passages = self._answers.passages(found, quoted) if told is not None else ()
            found = _after(found, "answer", composing, _gate_told(quoted.gate))
            hear(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.EVIDENCE, passages=passages, asked_as=asked_as))
            writing = time.perf_counter()
            written = self._write(Asked(inquiry, found.hits, quoted), wishes, hear, stop)
        settled, written = self._with_model(settled, written, found, scope)
        if written.model or written.note:
            found = _after(found, "model", writing, written.summary)
        made = structs.replace(
            self._answers.answer(settled, found, scope),
            question=question.strip() if asked_as else found.plan.question,
            asked_as=asked_as,
            timings_ms=_timings(found.steps, started),
        )
        answer = signed(made, written)
        self._keep(answer, found, answer.query_id, "query", scope, started)
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
        return tuple(hit.record.seq for hit in self.evidence(question, scope, limit)[0])

    def evidence(self, question: str, scope: Scope, limit: int) -> tuple[tuple[Hit, ...], Coverage]:
        """Return the best evidence in whole records, best first, and what was looked at; no run is kept."""
        with self._one_state():
            found = self._find(question, scope, Asking(limit, shown=False))
        return found.hits, found.coverage

    def _gate(self, question: str, scope: Scope) -> dict[str, float]:
        """The measures by which the question would be answered or refused."""
        with self._one_state():
            asking = Asking(self._rooms.config.answer_hit_limit, shown=False)
            return self._answers.compose(self._find(question, scope, asking), scope)[1].gate

    def again(self, question: str, scope: Scope, asking: Asking) -> Found:
        """Look a question up with other settings than those in force, or as of another day; no run is kept."""
        with self._one_state():
            return self._find(question, scope, asking)

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

    def _find(self, question: str, scope: Scope, asking: Asking) -> Found:
        with self._rooms.asking:
            return self._find_now(question, scope, asking)

    def _find_now(self, question: str, scope: Scope, asking: Asking) -> Found:
        clock = _Stopwatch()
        today = asking.today or datetime.now().astimezone().date()
        plan = plan_question(question, asking.config or self._rooms.config, asking.top_k, today=today)
        matches = self._rooms.lexical.matching(plan.subject, scope) if plan.subject else None
        clock.lap("plan")
        finder = self._finder if asking.config is None else self._finder.under(asking.config)
        found = finder.find(plan, scope, partial(self._lap, clock), explained=asking.explained)
        ranked = _matching_first([(one.seq, one.score, one.parts) for one in found.fused], matches)
        limit = plan.hit_limit if matches is None or asking.shown else len(ranked)
        hits = self._grounder.ground(plan, ranked, limit, shown=asking.shown, as_of_seq=scope.as_of_seq)
        clock.lap("grounding")
        return Found(
            plan=plan,
            rankings=found.rankings,
            fused=found.fused,
            hits=hits,
            coverage=self._coverage(scope, found.rankings, found.faults, matches),
            steps=clock.steps,
            matches=matches,
        )

    def _lap(self, clock: _Stopwatch, phase: str, rankings: Mapping[str, Sequence[Candidate]]) -> None:
        clock.lap(phase, candidates={name: self._rows(ranking) for name, ranking in rankings.items()})

    def _coverage(
        self,
        scope: Scope,
        rankings: Mapping[str, Sequence[Candidate]],
        faults: Mapping[str, TrisynapseError],
        matches: Matches | None,
    ) -> Coverage:
        rooms = self._rooms
        counts = rooms.shelf.counts()
        in_scope = counts.get("active", 0) + counts.get("arriving", 0)
        return Coverage(
            sources_in_scope=in_scope if scope.source_ids is None else len(scope.source_ids),
            records_in_scope=rooms.lexical.record_count(scope),
            examined=len({found.seq for ranking in rankings.values() for found in ranking}),
            not_embedded=rooms.vectors.pending_count(serving=True),
            unreadable_sources=rooms.shelf.unreadable(scope, 0)[1],
            parts_off=tuple(faults),
            matched_records=matches.record_count if matches else None,
            matched_sources=matches.source_count if matches else None,
        )

    def _rows(self, ranking: Sequence[Candidate]) -> tuple[RouteRow, ...]:
        top = ranking[:ROUTE_ROWS]
        ids = self._rooms.log.ids([found.seq for found in top])
        return tuple(
            RouteRow(record_id=ids[found.seq], rank=rank, score=found.score)
            for rank, found in enumerate(top, start=1)
            if found.seq in ids
        )

    def _keep(
        self, answer: Answer | None, found: Found, query_id: str, mode: str, scope: Scope, started: float
    ) -> None:
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
            looked_up=answer.asked_as if answer else "",
            scope=scope,
            head_seq=self._rooms.log.head(),
            top_k=found.plan.hit_limit,
            ranks=tuple(
                RouteRow(record_id=str(hit.record.id), rank=rank, score=hit.score)
                for rank, hit in enumerate(found.hits, start=1)
            ),
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


def _matching_first(ranked: list[Row], matches: Matches | None) -> list[Row]:
    """For a question about the sources, the best record of each that matches, then what is ranked besides."""
    if matches is None:
        return ranked
    known = {row[0]: row for row in ranked}
    first = [known.get(seq, (seq, 0.0, {})) for seq in matches.best[:MATCHES_SHOWN]]
    lifted = [(seq, score + MATCH_LIFT, {**parts, "match": MATCH_LIFT}) for seq, score, parts in first]
    chosen = {seq for seq, _, _ in lifted}
    return [*lifted, *(row for row in ranked if row[0] not in chosen)]


def _after(found: Found, phase: str, started: float, summary: Mapping[str, str]) -> Found:
    """What was found, with one more step of the run."""
    step = QueryStep(phase=phase, duration_ms=_ms(started), summary=dict(summary))
    return structs.replace(found, steps=(*found.steps, step))


def _gate_told(gate: Mapping[str, float]) -> dict[str, str]:
    """What the decision to answer rests on, as a run tells it."""
    return {name: f"{value:.3f}" for name, value in gate.items()}


def _nobody(_: AnswerStep) -> None:
    return None


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _timings(steps: Sequence[QueryStep], started: float) -> dict[str, float]:
    return {**{step.phase: round(step.duration_ms, 3) for step in steps}, "total": round(_ms(started), 3)}
