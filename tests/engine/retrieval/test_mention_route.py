"""One hop from what was found to the sources its words name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.routes.mentions import DAMPING, IN_QUESTION, MentionRoute
from trisynapse_memory.types import Beside, Candidate, Intent, QueryPlan, Scope, TitleLink

PLAN = QueryPlan(question="?", intent=Intent.FACT, terms=())


@dataclass
class Text:
    seq: int
    text: str = ""
    fields: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class Shelf:
    """Links and records that are given."""

    links: tuple[TitleLink, ...] = ()
    doors: dict[str, tuple[int, ...]] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)
    titles: dict[int, str] = field(default_factory=dict[int, str])

    def beside(self, seqs: Sequence[int], scope: Scope) -> dict[int, Beside]:
        raise NotImplementedError

    def named_titles(self, texts: Mapping[int, str], scope: Scope) -> tuple[TitleLink, ...]:
        self.read = list(texts)
        return tuple(link for link in self.links if link.seq in texts)

    def entrances(self, source_ids: Sequence[str], scope: Scope, known: Sequence[int]) -> dict[str, tuple[int, ...]]:
        return {source_id: self.doors[source_id] for source_id in source_ids if source_id in self.doors}

    def by_seqs(self, seqs: Sequence[int]) -> Any:
        return tuple(Text(seq, fields={"title": self.titles.get(seq, "")}) for seq in seqs)


def found(shelf: Shelf, *seeds: tuple[int, float], config: Config | None = None) -> list[tuple[int, Any]]:
    route = MentionRoute(shelf, shelf, config or Config())
    ranking = route.candidates(PLAN, Scope(), [Candidate(seq, score) for seq, score in seeds])
    return [(one.seq, pytest.approx(one.score)) for one in ranking]


def test_a_named_source_comes_in_with_the_score_of_the_seed_that_names_it():
    shelf = Shelf((TitleLink(1, "lester smith", "s", 1),), {"s": (40,)})
    assert found(shelf, (1, 0.9), (2, 0.5)) == [(40, 0.9)]


def test_a_name_that_many_records_write_leads_less_far():
    shelf = Shelf((TitleLink(1, "united states", "s", 20),), {"s": (40,)})
    assert found(shelf, (1, 1.0)) == [(40, 1.0 / (1.0 + DAMPING * log(20)))]


def test_a_source_is_entered_where_the_question_found_it_best():
    shelf = Shelf((TitleLink(1, "lester smith", "s", 1),), {"s": (40, 41, 42)})
    assert found(shelf, (1, 0.9), (42, 0.6), (41, 0.5)) == [(42, 0.9)]


def test_of_several_sources_with_one_title_all_that_were_found_are_meant():
    links = tuple(TitleLink(1, "twins", source, 1) for source in "abc")
    shelf = Shelf(links, {"a": (40,), "b": (50, 51), "c": (60,)})
    assert found(shelf, (1, 0.9), (50, 0.3), (51, 0.4), (60, 0.2)) == [(51, 0.9), (60, 0.9)]
    assert found(shelf, (1, 0.9)) == [(40, 0.9)]


def test_a_passage_that_names_its_own_title_leads_to_no_other_of_that_title():
    shelf = Shelf((TitleLink(1, "the twins", "b", 1),), {"b": (50,)}, titles={1: "The Twins!"})
    assert found(shelf, (1, 0.9), (50, 0.3)) == []


def test_only_the_best_seeds_are_read():
    shelf = Shelf((TitleLink(3, "lester smith", "s", 1),), {"s": (40,)})
    seeds = ((1, 0.9), (2, 0.8), (3, 0.7))
    assert found(shelf, *seeds, config=Config(mention_seed_count=2)) == []
    assert shelf.read == [0, 1, 2]  # the question first
    assert found(shelf, *seeds, config=Config(mention_seed_count=3)) == [(40, 0.7)]


def test_a_source_that_cannot_be_entered_is_left_out():
    assert found(Shelf((TitleLink(1, "lester smith", "s", 1),), {}), (1, 0.9)) == []
    assert found(Shelf()) == []


def test_a_source_that_the_question_names_comes_in_without_a_seed():
    shelf = Shelf((TitleLink(0, "lester smith", "s", 1),), {"s": (40,)})
    assert found(shelf) == [(40, IN_QUESTION)]
