"""From routes to one ranking: what is not embedded yet keeps its words' rank, and links bring in what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.pipelines.asking.finding import SILENT, Finder
from trisynapse_memory.pipelines.furnishing import build_followers
from trisynapse_memory.pipelines.messages import take_messages
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.retrieval.routes.lexical import LexicalRoute
from trisynapse_memory.retrieval.routes.mentions import MentionRoute
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import (
    Candidate,
    IngestRun,
    Message,
    Namespace,
    QueryPlan,
    Scope,
    SourceInput,
    is_searchable,
)

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


# ------------------------------------------------------------ conversations


_ROLES = {"Assistant": "assistant"}


def talk(rooms: Rooms, *lines: str, group: str = "walk", speakers: tuple[str, str] = ("Ada", "Ben")) -> None:
    messages = [
        Message(role=_ROLES.get(speaker, "user"), speaker=speaker, content=line, id=f"{group}/{place}")
        for place, line in enumerate(lines)
        for speaker in [speakers[place % 2]]
    ]
    take_messages(rooms, Namespace(), group, "", messages)


LINES = ("Which lake did you visit on your holiday?", "The one near Bled.", "Nice. I stayed at home.", "Oh no.")


def test_a_turn_is_judged_together_with_the_turns_beside_it(rooms: Rooms):
    talk(rooms, *LINES)
    embed(rooms)
    alone = structs.replace(rooms.config, turn_context_weight=0.0)
    (read,) = [one for text, one in ranked(rooms, "lake visited on a holiday") if "Bled" in text]
    (bare,) = [one for text, one in ranked(replace(rooms, config=alone), "lake visited on a holiday") if "Bled" in text]
    assert bare.parts.get("semantic", 0.0) < 0.05 < read.parts["semantic"]  # it shares no word with the question
    assert read.parts["exchange"] == pytest.approx(bare.parts["exchange"])


def test_with_an_assistant_every_turn_is_judged_alone(rooms: Rooms):
    talk(rooms, *LINES, speakers=("You", "Assistant"))
    embed(rooms)
    alone = structs.replace(rooms.config, turn_context_weight=0.0)
    question = "lake visited on a holiday"
    assert ranked(rooms, question) == ranked(replace(rooms, config=alone), question)


def test_a_turn_beside_a_strong_one_is_read_before_a_lonely_one(rooms: Rooms):
    talk(rooms, "Which lake did you visit?", "The one near Bled.")
    for place in range(12):
        talk(rooms, f"Day {place} we saw something of a lake.", group=f"g{place}")
    embed(rooms)
    tight = replace(rooms, config=structs.replace(rooms.config, candidate_limit=6))
    texts = [text for text, _ in ranked(tight, "Which lake did she visit?")]
    assert len(texts) == 6
    assert any("Bled" in text for text in texts)


# ------------------------------------------------------------ places, repetitions


def test_what_a_question_names_by_its_number_comes_first_with_its_reason(library: Rooms, take: Take):
    take(
        SourceInput(text="Figure 3: Copper content by year.", title="Report"),
        SourceInput(
            text="We drew figure 3 and figure 4 by hand, and what figure 3 tells is told above.", title="Notes"
        ),
    )
    embed(library)
    followed = Finder(library, (LexicalRoute(library.lexical, library.config),), build_followers(library))
    plan = plan_question("What does figure 3 tell?", library.config)
    best = followed.find(plan, Scope(), Steps([]).lap).fused[0]
    assert library.log.by_seqs([best.seq])[0].text.startswith("Figure 3:")
    assert best.parts["places"] == library.config.place_weight
    off = structs.replace(library.config, place_weight=0.0)
    other = followed.under(off).find(plan_question("What does figure 3 tell?", off), Scope(), Steps([]).lap).fused[0]
    assert "We drew" in library.log.by_seqs([other.seq])[0].text


def test_a_near_repetition_steps_behind_what_says_something_else(library: Rooms, take: Take):
    take(
        SourceInput(text="Green paint is made of copper. It fades in the sun!", title="Copied paint"),
        SourceInput(text="Copper paint on old doors flakes.", title="Doors"),
    )
    embed(library)
    varied = replace(library, config=structs.replace(library.config, diversity_weight=2.0))
    plain = replace(library, config=structs.replace(library.config, diversity_weight=0.0))
    question = "green copper paint fades"
    assert ["fades" in text for text, _ in ranked(plain, question)[:3]] == [True, True, False]
    assert ["fades" in text for text, _ in ranked(varied, question)[:2]] == [True, False]
