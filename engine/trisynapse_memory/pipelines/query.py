"""The read corridor: a question in, ranked evidence or a cited answer out. Reads only, but for the query's own run.

In this order: plan, ask the routes, fuse, ground in the log, compose, judge. A route that fails is named in the
coverage, and the others go on. No index is built and no record is embedded.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import uuid4

from msgspec import Struct, structs

from trisynapse_memory.answering.citations import Place
from trisynapse_memory.answering.disputes import show_disputes
from trisynapse_memory.answering.inquiry import Statistics
from trisynapse_memory.answering.synthesizer import Composition, Tools, compose
from trisynapse_memory.contracts import Route
from trisynapse_memory.errors import DiskFullError, ProviderError, TrisynapseError
from trisynapse_memory.grounding.corrections import Corrections, visible_in
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused, fuse
from trisynapse_memory.types import (
    Answer,
    Candidate,
    Citation,
    CitationVerdict,
    Claim,
    ClaimStatus,
    Coverage,
    Hit,
    Locator,
    QueryPlan,
    QueryRun,
    QueryStep,
    RouteRow,
    Scope,
    SearchResult,
    StruckSentence,
    Support,
)

LOGGER = logging.getLogger(__name__)
BESIDE_RECORDS = 4  # log positions looked at for the chunk beside another; pages stand between chunks
ROUTE_ROWS = 20  # engine.md A2: candidates kept per route in a run
STATE_TRIES = 20  # looks at whether the indexes have reached the log; a commit takes some 10 ms
STATE_WAIT_S = 0.005


class Found(Struct, frozen=True, kw_only=True):
    """What the first half of the corridor found, for both of its ends."""

    plan: QueryPlan
    rankings: dict[str, tuple[Candidate, ...]]
    fused: tuple[Fused, ...]
    hits: tuple[Hit, ...]
    coverage: Coverage
    steps: tuple[QueryStep, ...]


class Query:
    """Answers questions about one vault.

    Args:
        rooms: the open vault.
        routes: the ways to propose candidates, in a fixed order.
    """

    def __init__(self, rooms: Rooms, routes: Sequence[Route]) -> None:
        self._rooms = rooms
        self._routes = tuple(routes)
        self._places = Places(rooms.log)
        self._grounder = Grounder(rooms.log, rooms.shelf, self._places, rooms.config)

    @property
    def places(self) -> Places:
        """Where words stand on their pages."""
        return self._places

    def search(self, question: str, scope: Scope, *, top_k: int | None = None, explain: bool = False) -> SearchResult:
        """Return ranked evidence without an answer."""
        started = time.perf_counter()
        with self._one_state():
            found = self._find(question, scope, top_k)
        result = SearchResult(
            query_id=_new_id(),
            question=found.plan.question,
            hits=found.hits,
            plan=found.plan,
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

    def answer(self, question: str, scope: Scope, *, top_k: int | None = None) -> Answer:
        """Return an answer whose every sentence is cited, or an abstention with its reason and the nearest evidence."""
        started = time.perf_counter()
        with self._one_state():
            found = self._find(question, scope, top_k or self._rooms.config.answer_hit_limit, shown=False)
            composing = time.perf_counter()
            composition, contested = self._compose(found, scope)
            struck = self._struck(composition, found.hits, scope)
        steps = (*found.steps, QueryStep(phase="answer", duration_ms=_ms(composing)))
        cited = {citation.record_id for citation in composition.citations}
        answer = Answer(
            query_id=_new_id(),
            question=found.plan.question,
            answer=" ".join(sentence.text for sentence in composition.sentences),
            abstain=composition.abstain,
            reason=composition.reason,
            level=composition.level,
            sentences=composition.sentences,
            citations=composition.citations,
            coverage=structs.replace(found.coverage, used=len(cited)),
            nearest=composition.nearest,
            withheld=composition.withheld,
            would_answer=composition.would_answer,
            contested=contested,
            struck=struck,
            as_of_seq=scope.as_of_seq,
            timings_ms=_timings(steps, started),
        )
        self._keep(answer, structs.replace(found, steps=steps), answer.query_id, "query", started)
        return answer

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

    def _compose(self, found: Found, scope: Scope) -> tuple[Composition, tuple[Claim, ...]]:
        """Answer in the words of the sources, with every side of what they dispute."""
        embedder = self._rooms.embedder
        tools = Tools(
            locate=self._locate,
            count_tokens=embedder.token_counts,
            embed=None if "semantic" in found.coverage.parts_off else embedder.embed,
            beside=lambda hit, step: self._grounder.beside(hit, step, BESIDE_RECORDS, scope.as_of_seq),
        )
        statistics = self._statistics(found.plan, scope)
        composition = compose(
            found.plan.question, found.plan, found.hits, tools=tools, statistics=statistics, config=self._rooms.config
        )
        seqs = tuple({place.seq for place in composition.places})
        claims = self._rooms.claims.of_records(seqs, scope) if seqs else ()
        disputed = [claim for claim in claims if claim.shown and claim.status is ClaimStatus.CONTESTED]
        question = found.plan.question
        return show_disputes(composition, disputed, lambda support, n: self._cite(support, n, scope), question)

    def _cite(self, support: Support, n: int, scope: Scope) -> tuple[Citation, Place] | None:
        """Return the citation of one side of a dispute, unless answers may not see its record."""
        record = self._rooms.log.get(support.record_id)
        if record.seq not in visible_in(self._rooms.log, (record.seq,), scope.as_of_seq):
            return None
        source = self._rooms.shelf.titles([str(record.source_id)]).get(str(record.source_id))
        citation = Citation(
            n=n,
            record_id=record.id,
            source_id=record.source_id,
            source_key=source.source_key if source else "",
            title=source.title if source else support.title,
            locator=self._places.locate(record, support.start, support.end),
            excerpt=" ".join(support.excerpt.split())[: self._rooms.config.excerpt_max_chars],
            verdict=CitationVerdict.VERBATIM,
            observed_at=record.observed_at,
        )
        return citation, Place(record.seq, support.start, support.end)

    def _struck(self, composition: Composition, hits: Sequence[Hit], scope: Scope) -> tuple[StruckSentence, ...]:
        """Return what the cited corrections replaced, in the old words."""
        corrections = Corrections(self._rooms.log, scope.as_of_seq)
        cited = {place.seq for place in composition.places}
        records = {hit.record.seq: hit.record for hit in hits if hit.record.seq in cited}
        return tuple(one for record in records.values() for one in corrections.replaced(record))

    def _find(self, question: str, scope: Scope, top_k: int | None, *, shown: bool = True) -> Found:
        with self._rooms.asking:
            return self._find_now(question, scope, top_k, shown)

    def _find_now(self, question: str, scope: Scope, top_k: int | None, shown: bool) -> Found:
        config, clock = self._rooms.config, _Stopwatch()
        plan = plan_question(question, config, top_k)
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
            not_embedded=rooms.vectors.pending_count(),
            unreadable_sources=rooms.shelf.unreadable_count(),
            parts_off=tuple(faults),
        )

    def _statistics(self, plan: QueryPlan, scope: Scope) -> Statistics:
        keys = [term.key for term in plan.terms]
        lexical = self._rooms.lexical
        return Statistics(frequencies=lexical.frequencies(keys, scope), record_count=lexical.record_count(scope))

    def _locate(self, hit: Hit, start: int, end: int) -> Locator | None:
        return self._places.locate(hit.record, start, end)

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
            question=found.plan.question,
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


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _timings(steps: Sequence[QueryStep], started: float) -> dict[str, float]:
    return {**{step.phase: round(step.duration_ms, 3) for step in steps}, "total": round(_ms(started), 3)}


def _new_id() -> str:
    return f"q_{uuid4().hex[:16]}"
