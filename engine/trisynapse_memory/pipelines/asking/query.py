"""The read corridor: a question in, ranked evidence or a cited answer out. Reads only, but for the query's own run.

In this order: plan, ask the routes, fuse, ground in the log, compose, judge, and where she wants one, let a model write
from the same evidence. A route that fails is named in the coverage, and the others go on. No index is built and no
record is embedded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Final

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FollowRoute, Route
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.asking.answers import Answers, Found, Settled, new_query_id
from trisynapse_memory.pipelines.asking.finding import Finder, followed_in
from trisynapse_memory.pipelines.asking.keeping import keep_answer, keep_search
from trisynapse_memory.pipelines.asking.looking import Asking, Lookup
from trisynapse_memory.pipelines.asking.refining import Look, Refiner
from trisynapse_memory.pipelines.asking.reordering import Reordering, ordered_in
from trisynapse_memory.pipelines.asking.steps import ms_since, timings_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.writing.descriptions import DescribedPages
from trisynapse_memory.pipelines.writing.doubts import Doubts, Heard, best_first
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
from trisynapse_memory.types import (
    Answer,
    AnswerStage,
    AnswerStep,
    Candidate,
    Coverage,
    Hit,
    QueryStep,
    Scope,
    SearchResult,
)

TOLD_OF_GATE: Final = ("probability", "threshold", "none_below", "doubtful", "barred")


class Query:
    """Answers questions about one vault.

    Args:
        rooms: the open vault.
        routes: the ways to propose candidates, in a fixed order.
        models: what models may do for an answer; None where there are none.
        followers: the ways from candidates to what is linked with them, in a fixed order.
        settings: those in force at any time, with what she let be learned; None for those of the rooms.
        reordering: puts the best in the order of a model she chose; None for never.
    """

    def __init__(
        self,
        rooms: Rooms,
        routes: Sequence[Route],
        models: Models | None = None,
        followers: Sequence[FollowRoute] = (),
        settings: Callable[[], Config] | None = None,
        reordering: Reordering | None = None,
    ) -> None:
        self._rooms = rooms
        self._finder = Finder(rooms, routes, followers)
        self._places = Places(rooms.log)
        self._grounder = Grounder(rooms.log, rooms.shelf, self._places, rooms.config)
        self._lookup = Lookup(rooms, self._finder, self._grounder, settings, reordering)
        self._described = DescribedPages(rooms)
        self._answers = Answers(rooms, self._places, self._grounder)
        self._refiner = Refiner(rooms, self._lookup, self._answers)
        self._stops = Stops()
        self._writer: ModelAnswers | None = None
        self._doubts = Doubts(models) if models is not None else None
        if models is not None:
            limit = rooms.config.excerpt_max_chars
            self._writer = ModelAnswers(models.writers, models.shares, self._answers.locate, limit, rooms.parser)
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
        with self._lookup.one_state():
            found = self._lookup.find(question, scope, Asking(top_k, explained=explain))
            described = self._described.search(found.plan, scope)
            best = self._would_answer(found, scope) if explain else None
        result = SearchResult(
            query_id=new_query_id(),
            question=found.plan.question,
            hits=found.hits,
            plan=found.plan,
            descriptions=described,
            coverage=found.coverage,
            timings_ms=timings_of(found.steps, started),
        )
        if best is not None:
            found = structs.replace(found, steps=best.found.steps)
            result = structs.replace(
                result,
                routes={route: self._lookup.rows(ranking) for route, ranking in found.rankings.items()}
                | followed_in(found.steps)
                | ordered_in(found.steps),
                fusion=self._lookup.rows([Candidate(one.seq, one.score) for one in found.fused]),
                gate=best.quoted.gate,
                steps=found.steps,
            )
        keep_search(self._rooms, found, result.query_id, scope, started)
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
            with self._lookup.one_state():
                limit = top_k or self._rooms.config.answer_hit_limit
                asking = Asking(limit, shown=False, stop=stop)
                found = self._lookup.find(asked_as or question, scope, asking)
                found, inquiry, quoted = self._judge(found, scope, asking)
                settling = time.perf_counter()
                settled = self._answers.settle(quoted, found, scope)
                passages = self._answers.passages(found, quoted) if told is not None else ()
            found = _after(found, "answer", settling, _gate_told(quoted.gate))
            hear(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.EVIDENCE, passages=passages, asked_as=asked_as))
            doubting = time.perf_counter()
            heard = self._doubt(Asked(inquiry, found.hits, quoted), wishes, stop)
            if heard.odds is not None:
                with self._lookup.one_state():
                    inquiry, quoted = self._answers.compose(found, scope, self._rooms.config.doubt_weight * heard.odds)
                    quoted = heard.told_by(quoted)
                    settled = self._answers.settle(quoted, found, scope)
            if heard.model or heard.note:
                found = _after(found, "doubt", doubting, heard.summary | _gate_told(quoted.gate))
            writing = time.perf_counter()
            written = self._write(Asked(inquiry, found.hits, quoted), wishes, hear, stop)
        settled, written = self._with_model(settled, written, found, scope)
        if written.model or written.note:
            found = _after(found, "model", writing, written.summary)
        made = structs.replace(
            self._answers.answer(settled, found, scope),
            question=question.strip() if asked_as else found.plan.question,
            asked_as=asked_as,
            timings_ms=timings_of(found.steps, started),
        )
        answer = signed(made, written)
        keep_answer(self._rooms, answer, found, scope, started)
        hear(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.ANSWER, answer=answer))
        return answer

    @property
    def stops(self) -> Stops:
        """By which the models of questions, and of what else she waits for, are stopped."""
        return self._stops

    def cancel(self, ask_id: str) -> None:
        """Stop the model of a question; what stands by then stays."""
        self._stops.cancel(ask_id)

    def _doubt(self, asked: Asked, wishes: Wishes, stop: Event) -> Heard:
        """Let her local model say whether the passages answer, where their measures leave a doubt."""
        gate = asked.quoted.gate
        if self._doubts is None or not self._rooms.config.doubt_weight:
            return Heard()
        if not gate.get("doubtful") or gate.get("barred"):
            return Heard()
        with self._rooms.asking:
            return self._doubts.ask(asked.inquiry, best_first(asked), wishes, stop)

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
        with self._lookup.one_state():
            drafted = self._answers.settle_draft(written.composition, settled, found, scope)
        if drafted is None:
            return settled, structs.replace(written, composition=None, note=HIDDEN_MEANWHILE)
        return drafted, written

    def positions(self, question: str, scope: Scope, limit: int) -> tuple[int, ...]:
        """Return where the best evidence for a question stands in the log, best first; no run is kept."""
        return tuple(hit.record.seq for hit in self.evidence(question, scope, limit)[0])

    def evidence(self, question: str, scope: Scope, limit: int) -> tuple[tuple[Hit, ...], Coverage]:
        """Return the best evidence in whole records, best first, and what was looked at; no run is kept."""
        with self._lookup.one_state():
            found = self._lookup.find(question, scope, Asking(limit, shown=False, read=False))
        return found.hits, found.coverage

    def _judge(self, found: Found, scope: Scope, asking: Asking) -> Look:
        """Make an answer or a refusal of what was found; where that is not enough, look further."""
        started = time.perf_counter()
        inquiry, quoted = self._answers.compose(found, scope)
        told = {name: value for name, value in _gate_told(quoted.gate).items() if name in TOLD_OF_GATE}
        found = _after(found, "gate", started, told)  # all of it is told of the look that answers
        return self._refiner.refine(Look(found, inquiry, quoted), scope, asking)

    def _would_answer(self, found: Found, scope: Scope) -> Look:
        """What a search would be answered with: of its ranking as many whole hits as answer, and further looks."""
        limit = self._rooms.config.answer_hit_limit
        hits = self._lookup.ground(found, scope, limit, shown=False)
        whole = structs.replace(found, plan=structs.replace(found.plan, hit_limit=limit), hits=hits)
        return self._judge(whole, scope, Asking(limit, shown=False))

    def is_answered(self, question: str, scope: Scope, asking: Asking) -> bool:
        """Tell whether a question would be answered in the words of the sources, and not refused; no run is kept."""
        with self._lookup.one_state():
            found = self._lookup.find(question, scope, asking._replace(top_k=self._rooms.config.answer_hit_limit))
            return not self._answers.compose(found, scope)[1].abstain

    def again(self, question: str, scope: Scope, asking: Asking) -> Found:
        """Look a question up with other settings than those in force, or as of another day; no run is kept.

        With ``parts``, as an answer does: again where that is not enough.
        """
        with self._lookup.one_state():
            found = self._lookup.find(question, scope, asking)
            return found if asking.parts is None else self._judge(found, scope, asking).found


def _after(found: Found, phase: str, started: float, summary: Mapping[str, str]) -> Found:
    """What was found, with one more step of the run."""
    step = QueryStep(phase=phase, duration_ms=ms_since(started), summary=dict(summary))
    return structs.replace(found, steps=(*found.steps, step))


def _gate_told(gate: Mapping[str, float]) -> dict[str, str]:
    """What the decision to answer rests on, as a run tells it."""
    return {name: f"{value:.3f}" for name, value in gate.items()}


def _nobody(_: AnswerStep) -> None:
    return None
