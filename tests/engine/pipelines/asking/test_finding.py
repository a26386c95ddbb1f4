"""From routes to one ranking: what is not embedded yet keeps its words' rank, and links bring in what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.pipelines.asking.finding import SILENT, Finder
from trisynapse_memory.pipelines.furnishing import build_followers
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.retrieval.routes.lexical import LexicalRoute
from trisynapse_memory.retrieval.routes.mentions import MentionRoute
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import Candidate, IngestRun, QueryPlan, Scope, SourceInput, is_searchable

Take = Callable[..., IngestRun]
TEXTS = {
    "Demon Dice": "Demon Dice is a game of chance. It was made by Lester Smith for a small publisher.",
    "Lester Smith": "An American who was born in 1955. He also wrote several books of verse.",
    "Green paint": "Green paint is made of copper. It fades in the sun.",
}


@dataclass
class Steps:
    """The steps that were told."""

    names: list[str]

    def lap(self, name: str, _: object) -> None:
        self.names.append(name)


def finder(rooms: Rooms) -> Finder:
    routes = (LexicalRoute(rooms.lexical, rooms.config), SemanticRoute(rooms.vectors, rooms.embedder, rooms.config))
    return Finder(rooms, routes, (MentionRoute(rooms.graph, rooms.log, rooms.config),))


def embed(rooms: Rooms, *, but: str = "") -> None:
    waiting = dict(rooms.vectors.pending(100))
    for record in rooms.log.by_seqs(list(waiting)):
        if not but or but not in record.text:
            (vector,) = rooms.embedder.embed([record.text])
            rooms.vectors.put({waiting[record.seq]: vector})


def ranked(rooms: Rooms, question: str) -> list[tuple[str, Fused]]:
    plan = plan_question(question, rooms.config)
    fused = finder(rooms).find(plan, Scope(), Steps([]).lap).fused
    texts = {record.seq: record.text for record in rooms.log.by_seqs([one.seq for one in fused])}
    return [(texts[one.seq], one) for one in fused]


@pytest.fixture
def library(rooms: Rooms, take: Take, tmp_path: Path) -> Rooms:
    take(*(SourceInput(text=text, title=title) for title, text in TEXTS.items()))
    return rooms


def test_a_record_without_a_vector_does_not_fall_behind_what_only_means_alike(library: Rooms):
    embed(library, but="copper")
    text, best = ranked(library, "copper paint fades in the sun")[0]
    assert "copper" in text
    assert "semantic" not in best.parts
    assert best.score > 0.9  # the words alone, and not their share


def test_a_record_that_only_words_propose_is_judged_by_meaning_as_well(library: Rooms):
    embed(library)
    tight = replace(library, config=structs.replace(library.config, semantic_limit=1))
    found = dict(ranked(tight, "green copper game"))
    assert sum("semantic" in one.parts for one in found.values()) >= 2


def test_a_source_that_the_best_passage_names_comes_in(library: Rooms):
    embed(library)
    (born,) = [one for text, one in ranked(library, "game of chance dice publisher") if "1955" in text]
    assert born.parts["mention"] > 0.5
    off = replace(library, config=structs.replace(library.config, mention_weight=0.0))
    assert all("mention" not in one.parts for _, one in ranked(off, "game of chance dice publisher"))


def test_without_an_embedder_links_and_words_still_rank(library: Rooms):
    texts = [text for text, _ in ranked(library, "game of chance dice publisher")]
    assert "Demon Dice" in texts[0]
    assert any("1955" in text for text in texts)


def test_the_articles_fusion_stands_as_it_is(library: Rooms):
    embed(library)
    article = replace(library, config=structs.replace(library.config, fusion="rrf"))
    steps = Steps([])
    plan = plan_question("game of chance", article.config)
    fused = finder(article).find(plan, Scope(), steps.lap).fused
    assert steps.names == ["routes", "fusion"]
    assert set(fused[0].parts) <= {"lexical", "semantic"}


def test_every_step_is_told_and_reading_writes_nothing(library: Rooms):
    embed(library)
    before, steps = library.log.head(), Steps([])
    finder(library).find(plan_question("game of chance", library.config), Scope(), steps.lap)
    assert steps.names == ["routes", "fusion", "links", "rerank"]
    assert library.log.head() == before


def test_an_identifier_is_buried_by_no_link(library: Rooms, take: Take):
    take(SourceInput(text="The calibration code of device KX-00120 is 7781.", title="Device list"))
    embed(library)
    assert "KX-00120" in ranked(library, "Does Lester Smith own KX-00120?")[0][0]


class Led:
    """A following route that leads to what it is given, and counts how often it is asked."""

    def __init__(self, name: str, *found: Candidate) -> None:
        self.name = name
        self.found = found
        self.asked_count = 0

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        self.asked_count += 1
        return self.found


def test_a_following_route_adds_its_weight_times_its_score_and_brings_records_in(library: Rooms):
    embed(library)
    records = library.log.by_seqs(range(1, library.log.head() + 1))
    (paint,) = [one.seq for one in records if is_searchable(one) and one.text.startswith("Green paint")]
    route = Led("graph", Candidate(paint, 0.5))
    followed = Finder(library, (LexicalRoute(library.lexical, library.config),), (route,))
    weighed = structs.replace(library.config, graph_weight=0.4)
    fused = followed.under(weighed).find(plan_question("Lester Smith", weighed), Scope(), Steps([]).lap).fused
    parts = {one.seq: one.parts for one in fused}
    assert parts[paint]["graph"] == pytest.approx(0.2)
    assert not any("graph" in part for seq, part in parts.items() if seq != paint)


def test_a_following_route_of_weight_0_is_asked_only_to_explain_and_changes_nothing(library: Rooms):
    embed(library)
    route, steps = Led("graph", Candidate(1, 0.5)), Steps([])
    plan = plan_question("Lester Smith", library.config)
    plan = structs.replace(plan, route_weights=plan.route_weights | {"graph": 0.0})
    routes = (LexicalRoute(library.lexical, library.config),)
    plain = Finder(library, routes).find(plan, Scope(), steps.lap).fused
    followed = Finder(library, routes, (route,))
    assert followed.find(plan, Scope(), steps.lap).fused == plain
    assert route.asked_count == 0
    steps.names.clear()
    assert followed.find(plan, Scope(), steps.lap, explained=True).fused == plain
    assert (route.asked_count, steps.names[-1]) == (1, SILENT)


def test_every_following_route_keeps_to_the_scope_and_to_its_scale(library: Rooms, take: Take):
    take(SourceInput(text="Demon Dice uses dice. | Lester Smith sold Demon Dice on 4 May 1990.", title="Sales"))
    embed(library)
    plan = plan_question("In which table did Lester Smith sell Demon Dice in May 1990?", library.config)
    records = [one for one in library.log.by_seqs(range(1, library.log.head() + 1)) if is_searchable(one)]
    seeds = [Candidate(one.seq, 0.9) for one in records]
    routes = build_followers(library)
    names = {row.name for row in library.registry.rows("route")}
    assert {route.name for route in routes} == names - {"lexical", "semantic"}
    for route in routes:
        found = route.candidates(plan, Scope(), seeds)
        assert list(found) == sorted(found, key=lambda one: (-one.score, one.seq))
        assert all(0 < one.score <= 1 for one in found)
        assert {one.seq for one in found} <= {one.seq for one in records}
        assert route.candidates(plan, Scope(source_ids=()), []) == ()
