"""A plan in, ranked records out: routes, fusion, feedback, links, reranking. No record is grounded or shown here.

Each step takes the ranking of the step before. A route that fails is named, and the others go on; what needs it is
left out. Under the preset ``rrf`` the ranking of fusion stands as it is (engine.md A9.5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Final

import numpy as np
from msgspec import Struct, structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import ComparingRoute, FollowRoute, Route
from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.diversity import diversify
from trisynapse_memory.retrieval.measures import Measurer, Surroundings, between_people
from trisynapse_memory.retrieval.ranking import Fused, fuse, rerank
from trisynapse_memory.retrieval.selection import select
from trisynapse_memory.types import Beside, Candidate, Modality, QueryPlan, QueryStep, RouteRow, Scope

# Best candidates of every other route that a comparing route judges as well; 0.4 ms for 300 records.
COMPARED_COUNT: Final = 200
# Candidates from which those that are read are chosen: LoCoMo recall@10 .784 for 100, .785 for 200.
POOL_COUNT: Final = 200
# Best candidates whose neighbours come in too: LoCoMo recall@10 .779 for 20, .781 for 50, .777 for 100.
NEIGHBOUR_SEEDS: Final = 50
# Best records that following routes but those of names and places bring in besides, in turn.
LED_COUNT: Final = 10
MENTIONS: Final = "mentions"  # has a weight of its own in ``measures``
PLACES: Final = "places"
LINKS, SILENT = "links", "links of weight 0"
"""The steps of a run that hold what following routes proposed."""
# Named sources and places that are surely read, so that links never push out half of what was found.
LINKED_COUNT: Final = 40

# Best hits among which repetitions step back: as many as an answer looks at (``answer_hit_limit``), and some.
SPREAD_COUNT: Final = 40

Rankings = dict[str, tuple[Candidate, ...]]
Lap = Callable[[str, Mapping[str, Sequence[Candidate]]], None]
"""Told the name of a step as it ends, with the candidates it gave."""


class Ranked(Struct, frozen=True, kw_only=True):
    """What the routes proposed, what failed, and the one ranking that was made of it."""

    rankings: Rankings
    faults: dict[str, TrisynapseError]
    fused: tuple[Fused, ...]


class _Judged(Struct, frozen=True, kw_only=True):
    """The rankings of all routes, and what each could not judge."""

    rankings: Rankings
    unjudged: dict[str, frozenset[int]]


class Finder:
    """Ranks the records of one vault for a planned question.

    Args:
        rooms: the open vault.
        routes: the ways to propose candidates, in a fixed order.
        followers: the ways from candidates to what is linked with them, in a fixed order.
    """

    def __init__(self, rooms: Rooms, routes: Sequence[Route], followers: Sequence[FollowRoute] = ()) -> None:
        self._rooms = rooms
        self._routes = tuple(routes)
        self._followers = tuple(followers)
        self._comparing = {route.name: route for route in routes if isinstance(route, ComparingRoute)}

    def under(self, config: Config) -> Finder:
        """Return one that ranks with other weights; what its routes were built with stays."""
        return Finder(replace(self._rooms, config=config), self._routes, self._followers)

    def find(self, plan: QueryPlan, scope: Scope, lap: Lap, *, explained: bool = False) -> Ranked:
        """Return the ranking, telling each step as it ends; at most ``plan.candidate_limit`` records.

        Following routes of weight 0 change nothing; they are asked only where everything is to be explained.
        """
        rankings, faults = self._ask(plan, scope)
        lap("routes", rankings)
        rare = self._rare_holders(plan, scope)
        if plan.fusion == "rrf":
            fused = fuse(plan, rankings, rare, self._rooms.config)
            lap("fusion", {"fusion": _candidates(fused)})
            return Ranked(rankings=rankings, faults=faults, fused=fused)
        fused = self._rerank(plan, scope, rankings, rare, lap)
        if explained:
            lap(SILENT, self._follow(plan, scope, fused, are_silent=True))
        return Ranked(rankings=rankings, faults=faults, fused=fused)

    def _rerank(
        self, plan: QueryPlan, scope: Scope, rankings: Rankings, rare: Mapping[str, Sequence[int]], lap: Lap
    ) -> tuple[Fused, ...]:
        config = self._rooms.config
        judged = self._judge(plan, rankings)
        fused = fuse(plan, judged.rankings, rare, config, judged.unjudged, limit=POOL_COUNT)
        examples = self._examples(fused)
        if examples:
            judged = self._judge(plan, judged.rankings, examples=examples)
            fused = fuse(plan, judged.rankings, rare, config, judged.unjudged, limit=POOL_COUNT)
        lap("fusion", {"fusion": _candidates(fused[: plan.candidate_limit])})
        followed = self._follow(plan, scope, fused)
        led = self._led(fused, followed)
        linked = tuple(dict.fromkeys((*led, *self._near(fused, scope))))
        judged = self._judge(plan, judged.rankings, linked, examples)
        pool = _all_of(fuse(plan, judged.rankings, rare, config, judged.unjudged, linked, POOL_COUNT), linked)
        known = self._surroundings(plan, scope, pool, followed)
        measurer = Measurer(plan, known, config)
        held = {one.seq: measurer.exchange(one.seq) for one in pool}
        chosen = select(pool, led, known.beside, held, plan.candidate_limit)
        lap(LINKS, followed)
        records = {record.seq: record for record in self._rooms.log.by_seqs([one.seq for one in chosen])}
        chosen = self._in_context(plan, judged, chosen, known.beside, between_people(records), rare, examples)
        known = structs.replace(known, records=records, scores=_plain(chosen))
        fused = self._spread(rerank(chosen, Measurer(plan, known, config).parts()))
        lap("rerank", {"rerank": _candidates(fused)})
        return fused

    def _ask(self, plan: QueryPlan, scope: Scope) -> tuple[Rankings, dict[str, TrisynapseError]]:
        rankings: Rankings = {}
        faults: dict[str, TrisynapseError] = {}
        for route in self._routes:
            try:
                rankings[route.name] = route.candidates(plan, scope)
            except TrisynapseError as error:  # no model or a dead one, no problem (engine.md 0.1 row 11)
                faults[route.name] = error
        return rankings, faults

    def _rare_holders(self, plan: QueryPlan, scope: Scope) -> dict[str, tuple[int, ...]]:
        """Return who holds each identifier of the question, where few do."""
        limit = self._rooms.config.rare_term_max_records
        holders = {key: self._rooms.lexical.holders(key, scope, limit + 1) for key in plan.rare_terms}
        return {key: seqs for key, seqs in holders.items() if len(seqs) <= limit}

    def _judge(
        self, plan: QueryPlan, rankings: Rankings, linked: Sequence[int] = (), examples: Sequence[int] = ()
    ) -> _Judged:
        """Let each route that can compare judge what the others proposed, and what is linked with it.

        A record without a vector yet is noted: it must not fall behind because its meaning is not known.
        """
        judged, unjudged = dict(rankings), dict[str, frozenset[int]]()
        for name, ranking in rankings.items():
            route = self._comparing.get(name)
            if route is None:
                continue
            others = [one.seq for other in rankings if other != name for one in rankings[other][:COMPARED_COUNT]]
            known = {one.seq: one.score for one in ranking}
            wanted = [seq for seq in dict.fromkeys((*known, *others, *linked)) if examples or seq not in known]
            found = _compared(route, plan, wanted, examples)
            unjudged[name] = frozenset(seq for seq in wanted if seq not in found and seq not in known)
            scores = known | found
            best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
            judged[name] = tuple(Candidate(seq, score, name) for seq, score in best if score > 0)
        return _Judged(rankings=judged, unjudged=unjudged)

    def _examples(self, fused: Sequence[Fused]) -> tuple[int, ...]:
        """The best documents, to move the question towards; a chat's turns are too short to tell its topic."""
        config = self._rooms.config
        if not config.feedback_weight or not self._comparing:
            return ()
        read = self._rooms.log.by_seqs([one.seq for one in fused[: config.feedback_count]])
        return tuple(one.seq for one in read if one.modality is not Modality.CONVERSATION)

    def _spread(self, fused: tuple[Fused, ...]) -> tuple[Fused, ...]:
        """Put what repeats a better one behind what says something else."""
        if not self._rooms.config.diversity_weight:
            return fused
        head = [one.seq for one in fused[:SPREAD_COUNT]]
        found, rows = self._rooms.vectors.embeddings(head)
        places = {seq: place for place, seq in enumerate(found)}
        known = [place for place, seq in enumerate(head) if seq in places]
        vectors = rows[[places[head[place]] for place in known]]
        likeness = np.zeros((len(head), len(head)), np.float32)
        likeness[np.ix_(known, known)] = vectors @ vectors.T
        return diversify(fused, likeness, self._rooms.config.diversity_weight)

    # ------------------------------------------------------------ what is linked

    def _follow(self, plan: QueryPlan, scope: Scope, fused: Sequence[Fused], *, are_silent: bool = False) -> Rankings:
        """Ask the following routes: those that count, or those of weight 0."""
        seeds, weights = _candidates(fused), plan.route_weights
        chosen = [route for route in self._followers if (weights.get(route.name, 1.0) == 0.0) is are_silent]
        return {route.name: route.candidates(plan, scope, seeds) for route in chosen}

    def _led(self, fused: Sequence[Fused], followed: Rankings) -> tuple[int, ...]:
        """What links lead to: named places and sources, and the first of what other routes reach."""
        named = (one.seq for name in (PLACES, MENTIONS) for one in followed.get(name, ()))
        others = [ranking for name, ranking in followed.items() if name not in (PLACES, MENTIONS)]
        known = {one.seq for one in fused}
        in_turn = (one.seq for row in zip_longest(*others) for one in row if one is not None and one.seq not in known)
        return tuple(dict.fromkeys((*islice(named, LINKED_COUNT), *islice(in_turn, LED_COUNT))))

    def _near(self, fused: Sequence[Fused], scope: Scope) -> list[int]:
        """What stands beside the best."""
        beside = self._rooms.graph.beside([one.seq for one in fused[:NEIGHBOUR_SEEDS]], scope)
        return [seq for pair in beside.values() for seq in pair if seq is not None]

    def _surroundings(self, plan: QueryPlan, scope: Scope, pool: Sequence[Fused], followed: Rankings) -> Surroundings:
        """What is known around the candidates before any of them is read."""
        seqs = [one.seq for one in pool]
        beside = self._rooms.graph.beside(seqs, scope)
        around = [seq for pair in beside.values() for seq in pair if seq is not None]
        return Surroundings(
            records={},
            scores=_plain(pool),
            beside=beside,
            mentions=_scores(followed.get(MENTIONS, ())),
            followed={name: _scores(ranking) for name, ranking in followed.items() if name != MENTIONS},
            holders=self._rooms.lexical.holders_among([term.key for term in plan.terms], [*seqs, *around], scope),
        )

    def _in_context(
        self,
        plan: QueryPlan,
        judged: _Judged,
        chosen: tuple[Fused, ...],
        beside: Mapping[int, Beside],
        turns: Collection[int],
        rare: Mapping[str, Sequence[int]],
        examples: Sequence[int],
    ) -> tuple[Fused, ...]:
        """Judge the turns between people again, each read with the turns beside it: alone it says too little."""
        share, seqs = self._rooms.config.turn_context_weight, {one.seq for one in chosen}
        if not share or not turns:
            return chosen
        together = {turn: {seq: share for seq in beside.get(turn, ()) if seq is not None} for turn in turns}
        rankings = dict(judged.rankings)
        for name in rankings.keys() & self._comparing.keys():
            alone = {one.seq: one.score for one in rankings[name] if one.seq in seqs}
            read = _compared(self._comparing[name], plan, sorted(turns), examples, together)
            rankings[name] = tuple(Candidate(seq, score, name) for seq, score in (alone | read).items() if score > 0)
        fused = fuse(plan, rankings, rare, self._rooms.config, judged.unjudged, seqs)
        return _all_of([one for one in fused if one.seq in seqs], [one.seq for one in chosen])


def followed_in(steps: Sequence[QueryStep]) -> dict[str, tuple[RouteRow, ...]]:
    """Return what the following routes proposed in a run, those of weight 0 as well where they were asked."""
    held = (step for step in steps if step.phase in (LINKS, SILENT))
    return {name: rows for step in held for name, rows in step.candidates.items()}


def _scores(ranking: Sequence[Candidate]) -> dict[int, float]:
    return {one.seq: one.score for one in ranking}


def _compared(
    route: ComparingRoute,
    plan: QueryPlan,
    seqs: Sequence[int],
    examples: Sequence[int],
    together: Mapping[int, Mapping[int, float]] | None = None,
) -> dict[int, float]:
    try:
        return route.compare(plan, seqs, examples, together)
    except ProviderError:  # its model went away since it proposed: what it proposed stands
        return {}


def _candidates(fused: Sequence[Fused]) -> tuple[Candidate, ...]:
    """The ranking as seeds: without the lift of exact words, so that every score lies in [0, 1]."""
    return tuple(Candidate(seq, score) for seq, score in _plain(fused).items())


def _plain(fused: Sequence[Fused]) -> dict[int, float]:
    return {one.seq: one.score - one.parts.get("exact", 0.0) for one in fused}


def _all_of(fused: Sequence[Fused], seqs: Sequence[int]) -> tuple[Fused, ...]:
    """The ranking, and behind it those that no route has proposed."""
    known = {one.seq for one in fused}
    return (*fused, *(Fused(seq, 0.0, {}) for seq in seqs if seq not in known))
