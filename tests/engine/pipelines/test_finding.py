"""From routes to one ranking: what is not embedded yet keeps its words' rank, and links bring in what they lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.pipelines.finding import Finder
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.retrieval.routes.lexical import LexicalRoute
from trisynapse_memory.retrieval.routes.mentions import MentionRoute
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import IngestRun, Scope, SourceInput

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
