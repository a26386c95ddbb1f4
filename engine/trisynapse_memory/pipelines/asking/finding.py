"""A plan in, ranked records out: routes, fusion, feedback, links, reranking. No record is grounded or shown here.

Each step takes the ranking of the step before. A route that fails is named, and the others go on; what needs it is
left out. Under the preset ``rrf`` the ranking of fusion stands as it is (engine.md A9.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Final

from msgspec import Struct

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import ComparingRoute, FollowRoute, Route
from trisynapse_memory.errors import ProviderError, TrisynapseError
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.measures import Measurer, Surroundings
from trisynapse_memory.retrieval.ranking import Fused, fuse, rerank
from trisynapse_memory.types import Candidate, Modality, QueryPlan, QueryStep, RouteRow, Scope

# Best candidates of every other route that a comparing route judges as well; 0.4 ms for 300 records.
COMPARED_COUNT: Final = 200
# Best candidates whose neighbours come in too: LoCoMo was measured with as many (docs/benchmark.md); not swept.
NEIGHBOUR_SEEDS: Final = 20
# Best records that following routes but that of names bring in besides, in turn; they take no neighbour's place.
LED_COUNT: Final = 10
MENTIONS: Final = "mentions"  # has a weight of its own in ``measures``
LINKS, SILENT = "links", "links of weight 0"
"""The steps of a run that hold what following routes proposed."""
# Linked records that come in besides the fused ones, so that links never push out half of what was found.
LINKED_COUNT: Final = 40

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
        fused = fuse(plan, judged.rankings, rare, config, judged.unjudged)
        examples = self._examples(fused)
        if examples:
            judged = self._judge(plan, judged.rankings, examples=examples)
            fused = fuse(plan, judged.rankings, rare, config, judged.unjudged)
        lap("fusion", {"fusion": _candidates(fused)})
        followed = self._follow(plan, scope, fused)
        linked = self._linked(fused, followed, scope)
        judged = self._judge(plan, judged.rankings, linked, examples)
        fused = fuse(plan, judged.rankings, rare, config, judged.unjudged, linked)
        fused = _with_linked(fused, linked, plan.candidate_limit)
        lap(LINKS, followed)
        fused = rerank(fused, self._parts(plan, scope, fused, followed))
        lap("rerank", {"rerank": _candidates(fused)})
        return fused

    def _ask(self, plan: QueryPlan, scope: Scope) -> tuple[Rankings, dict[str, TrisynapseError]]:
        rankings: Rankings = {}
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

    # ------------------------------------------------------------ what is linked

    def _follow(self, plan: QueryPlan, scope: Scope, fused: Sequence[Fused], *, are_silent: bool = False) -> Rankings:
        """Ask the following routes: those that count, or those of weight 0."""
        seeds, weights = _candidates(fused), plan.route_weights
        chosen = [route for route in self._followers if (weights.get(route.name, 1.0) == 0.0) is are_silent]
        return {route.name: route.candidates(plan, scope, seeds) for route in chosen}

    def _linked(self, fused: Sequence[Fused], followed: Rankings, scope: Scope) -> tuple[int, ...]:
        """What links lead to: named sources, the neighbours of the best, and the first of what other routes reach."""
        beside = self._rooms.graph.beside([one.seq for one in fused[:NEIGHBOUR_SEEDS]], scope)
        near = [seq for one in fused[:NEIGHBOUR_SEEDS] for seq in beside.get(one.seq, ()) if seq is not None]
        named = [one.seq for one in followed.get(MENTIONS, ())]
        others = [ranking for name, ranking in followed.items() if name != MENTIONS]
        known = {one.seq for one in fused}
        in_turn = (one.seq for row in zip_longest(*others) for one in row if one is not None and one.seq not in known)
        first = tuple(dict.fromkeys((*named, *near)))[:LINKED_COUNT]
        return tuple(dict.fromkeys((*first, *islice(in_turn, LED_COUNT))))

    def _parts(
        self, plan: QueryPlan, scope: Scope, fused: Sequence[Fused], followed: Rankings
    ) -> dict[int, dict[str, float]]:
        """Read the candidates and measure them; one that is not there (any more) gains nothing."""
        rooms, seqs = self._rooms, [one.seq for one in fused]
        beside = rooms.graph.beside(seqs, scope)
        before = [pair.before for pair in beside.values() if pair.before is not None]
        known = Surroundings(
            records={record.seq: record for record in rooms.log.by_seqs(seqs)},
            scores={one.seq: one.score - one.parts.get("exact", 0.0) for one in fused},
            beside=beside,
            mentions=_scores(followed.get(MENTIONS, ())),
            followed={name: _scores(ranking) for name, ranking in followed.items() if name != MENTIONS},
            holders=rooms.lexical.holders_among([term.key for term in plan.terms], [*seqs, *before], scope),
        )
        measurer = Measurer(plan, known, rooms.config)
        return {seq: measurer.parts(seq) for seq in known.records}


def followed_in(steps: Sequence[QueryStep]) -> dict[str, tuple[RouteRow, ...]]:
    """Return what the following routes proposed in a run, those of weight 0 as well where they were asked."""
    held = (step for step in steps if step.phase in (LINKS, SILENT))
    return {name: rows for step in held for name, rows in step.candidates.items()}


def _scores(ranking: Sequence[Candidate]) -> dict[int, float]:
    return {one.seq: one.score for one in ranking}


def _compared(route: ComparingRoute, plan: QueryPlan, seqs: Sequence[int], examples: Sequence[int]) -> dict[int, float]:
    try:
        return route.compare(plan, seqs, examples)
    except ProviderError:  # its model went away since it proposed: what it proposed stands
        return {}


def _candidates(fused: Sequence[Fused]) -> tuple[Candidate, ...]:
    """The ranking as seeds: without the lift of exact words, so that every score lies in [0, 1]."""
    return tuple(Candidate(one.seq, one.score - one.parts.get("exact", 0.0)) for one in fused)


def _with_linked(fused: Sequence[Fused], linked: Sequence[int], limit: int) -> tuple[Fused, ...]:
    """The best of the ranking with all that is linked, at most ``limit`` records together."""
    places = {one.seq: one for one in fused}
    head = {one.seq for one in fused[:limit]}
    missing = [seq for seq in linked if seq not in head][: limit // 2]
    return (*fused[: limit - len(missing)], *(places.get(seq) or Fused(seq, 0.0, {}) for seq in missing))
