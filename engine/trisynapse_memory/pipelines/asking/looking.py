"""A question and its scope in, grounded evidence out: planned, ranked, read from the log. Nothing is answered here.

Everything of one question is read in one state of the vault (``Lookup.one_state``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import partial
from threading import Event
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.grounding.corrections import Row
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.pipelines.asking.answers import Found
from trisynapse_memory.pipelines.asking.finding import Finder
from trisynapse_memory.pipelines.asking.reordering import RERANKER, Reordered, Reordering
from trisynapse_memory.pipelines.asking.steps import Stopwatch
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.weights import learned_in
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.types import Candidate, Coverage, Hit, Matches, QueryPlan, RouteRow, Scope

ROUTE_ROWS: Final = 20  # engine.md A2: candidates kept per route in a run
STATE_TRIES: Final = 20  # looks at whether the indexes have reached the log; a commit takes some 10 ms
STATE_WAIT_S: Final = 0.005
MATCHES_SHOWN: Final = 100  # sources that match, read from the log for a question about the sources; house.md 1
MATCH_LIFT: Final = 1.0  # above every score without exact terms, so that what matches stands first


class Asking(NamedTuple):
    """How a question is looked up: how many hits, for whose eyes, with which settings and as of which day.

    ``shown`` False gives whole records without places. ``config`` None means the settings in force, ``today`` None now.
    ``explained`` also asks the routes that count nothing, so that she sees what they would propose.
    ``read`` False asks no model to put the best in order, where many questions are asked at a time; ``stop``, once
    set, ends what a model is asked meanwhile. ``parts`` are the further looks that are taken where a run is done again
    (``refining.parts_of``); None means all that time allows.
    """

    top_k: int | None = None
    shown: bool = True
    config: Config | None = None
    today: date | None = None
    explained: bool = False
    read: bool = True
    stop: Event | None = None
    parts: frozenset[str] | None = None


class Lookup:
    """Finds the evidence for questions about one vault.

    Args:
        rooms: the open vault.
        finder: ranks its records.
        grounder: reads them.
        settings: those in force at any time, with what she let be learned; None for those of the rooms.
        reordering: puts the best in the order of a model she chose; None for never.
    """

    def __init__(
        self,
        rooms: Rooms,
        finder: Finder,
        grounder: Grounder,
        settings: Callable[[], Config] | None = None,
        reordering: Reordering | None = None,
    ) -> None:
        self._rooms = rooms
        self._reordering = reordering
        self._settings = settings or (lambda: rooms.config)
        self._finder = finder
        self._grounder = grounder

    @contextmanager
    def one_state(self) -> Generator[None]:
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

    def find(self, question: str, scope: Scope, asking: Asking) -> Found:
        """Plan a question and gather its evidence.

        Raises:
            InvalidInputError: the question is empty, or too long.
        """
        clock = Stopwatch()
        today = asking.today or datetime.now().astimezone().date()
        config = asking.config or self._settings()
        plan = plan_question(question, config, asking.top_k, today=today)
        matches = self._rooms.lexical.matching(plan.subject, scope) if plan.subject else None
        clock.lap("plan")
        return self.gather(plan, scope, asking._replace(config=config), clock, matches)

    def gather(
        self, plan: QueryPlan, scope: Scope, asking: Asking, clock: Stopwatch, matches: Matches | None = None
    ) -> Found:
        """Gather the evidence for a plan; each step ends on the clock, whose steps go into what was found."""
        config = asking.config or self._settings()
        finder = self._finder if config is self._rooms.config else self._finder.under(config)
        with self._rooms.asking:
            ranked = finder.find(plan, scope, partial(self._lap, clock), explained=asking.explained)
            ordered = self._reorder(plan, ranked.fused, asking, config, clock)
            faults = ranked.faults if ordered.fault is None else {**ranked.faults, RERANKER: ordered.fault}
            found = Found(
                plan=plan,
                rankings=ranked.rankings,
                fused=ordered.fused,
                hits=(),
                coverage=self._coverage(scope, ranked.rankings, faults, matches),
                steps=(),
                matches=matches,
                weights=learned_in(config, self._rooms.config),
            )
            hits = self.ground(found, scope, plan.hit_limit, shown=asking.shown)
        clock.lap("grounding")
        return structs.replace(found, hits=hits, steps=clock.steps)

    def _reorder(
        self, plan: QueryPlan, fused: tuple[Fused, ...], asking: Asking, config: Config, clock: Stopwatch
    ) -> Reordered:
        """Let the model she chose put the best in order; a step of its own, where there is one."""
        if self._reordering is None or not asking.read:
            return Reordered(fused=fused)
        ordered = self._reordering.reorder(plan, fused, config, asking.stop)
        if ordered.summary:
            judged = [Candidate(one.seq, one.parts[RERANKER]) for one in ordered.fused if RERANKER in one.parts]
            clock.lap(RERANKER, {RERANKER: self.rows(judged)} if judged else {}, ordered.summary)
        return ordered

    def ground(self, found: Found, scope: Scope, limit: int, *, shown: bool) -> tuple[Hit, ...]:
        """Read the best of a ranking; all of it where she asks about the sources themselves and nobody looks yet."""
        rows = _matching_first([(one.seq, one.score, one.parts) for one in found.fused], found.matches)
        most = limit if found.matches is None or shown else len(rows)
        return self._grounder.ground(found.plan, rows, most, shown=shown, as_of_seq=scope.as_of_seq)

    def rows(self, ranking: Sequence[Candidate]) -> tuple[RouteRow, ...]:
        """Return the first of a ranking as a run tells them."""
        top = ranking[:ROUTE_ROWS]
        ids = self._rooms.log.ids([found.seq for found in top])
        return tuple(
            RouteRow(record_id=ids[found.seq], rank=rank, score=found.score)
            for rank, found in enumerate(top, start=1)
            if found.seq in ids
        )

    def _lap(self, clock: Stopwatch, phase: str, rankings: Mapping[str, Sequence[Candidate]]) -> None:
        clock.lap(phase, candidates={name: self.rows(ranking) for name, ranking in rankings.items()})

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


def _matching_first(ranked: list[Row], matches: Matches | None) -> list[Row]:
    """For a question about the sources, the best record of each that matches, then what is ranked besides."""
    if matches is None:
        return ranked
    known = {row[0]: row for row in ranked}
    first = [known.get(seq, (seq, 0.0, {})) for seq in matches.best[:MATCHES_SHOWN]]
    lifted = [(seq, score + MATCH_LIFT, {**parts, "match": MATCH_LIFT}) for seq, score, parts in first]
    chosen = {seq for seq, _, _ in lifted}
    return [*lifted, *(row for row in ranked if row[0] not in chosen)]
