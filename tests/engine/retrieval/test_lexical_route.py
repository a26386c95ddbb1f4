"""The lexical route: words rank, quoted phrases decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.routes.lexical import LexicalRoute
from trisynapse_memory.types import Candidate, Intent, QueryPlan, QueryTerm, Scope

TERMS = (QueryTerm("low"), QueryTerm("rank"))
SCOPE = Scope(as_of_seq=9)


@dataclass
class Shelf:
    """A reader whose answers are given."""

    by_words: tuple[Candidate, ...] = ()
    by_phrase: Mapping[tuple[str, ...], Sequence[int]] = field(default_factory=dict)
    asked: list[tuple[object, ...]] = field(default_factory=list)

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        self.asked.append((tuple(terms), scope, limit))
        return self.by_words[:limit]

    def phrase(self, terms: Sequence[str], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        self.asked.append((tuple(terms), scope, limit))
        return tuple(Candidate(seq, 1.0, "phrase") for seq in self.by_phrase.get(tuple(terms), ())[:limit])

    def holders(self, key: str, scope: Scope, limit: int) -> tuple[int, ...]:
        raise NotImplementedError

    def frequencies(self, keys: Sequence[str], scope: Scope) -> dict[str, int]:
        raise NotImplementedError

    def record_count(self, scope: Scope) -> int:
        raise NotImplementedError


WORDS = (Candidate(4, 9.0, "words"), Candidate(1, 6.0, "words"), Candidate(2, 3.0, "words"))


def plan(*phrases: tuple[str, ...]) -> QueryPlan:
    return QueryPlan(question="q", intent=Intent.FACT, terms=TERMS, phrases=phrases)


def test_without_a_phrase_the_ranking_is_that_of_the_words() -> None:
    shelf = Shelf(WORDS)
    assert LexicalRoute(shelf, Config(lexical_limit=7)).candidates(plan(), SCOPE) == WORDS
    assert shelf.asked == [(TERMS, SCOPE, 7)]


def test_a_phrase_that_some_record_holds_keeps_the_others_out() -> None:
    shelf = Shelf(WORDS, {("low", "rank"): [1, 2]})
    found = LexicalRoute(shelf, Config()).candidates(plan(("low", "rank")), SCOPE)
    assert [(one.seq, one.why) for one in found] == [(1, "phrase"), (2, "phrase")]
    assert found[0].score > found[1].score > 0


def test_a_phrase_that_no_record_holds_leaves_the_words_alone() -> None:
    assert LexicalRoute(Shelf(WORDS), Config()).candidates(plan(("no", "such")), SCOPE) == WORDS


def test_a_record_with_more_of_the_phrases_comes_before_better_words() -> None:
    shelf = Shelf(WORDS, {("low", "rank"): [1, 4], ("rank", "two"): [1]})
    found = LexicalRoute(shelf, Config()).candidates(plan(("low", "rank"), ("rank", "two")), SCOPE)
    assert [one.seq for one in found] == [1, 4]


def test_a_record_that_holds_the_phrase_but_fell_out_of_the_words_is_still_proposed() -> None:
    found = LexicalRoute(Shelf(WORDS, {("low",): [77]}), Config()).candidates(plan(("low",)), SCOPE)
    assert [one.seq for one in found] == [77]
    assert found[0].score > 0


def test_the_limit_holds_with_phrases_too() -> None:
    shelf = Shelf(WORDS, {("a",): [1, 2], ("b",): [3, 4]})
    assert len(LexicalRoute(shelf, Config(lexical_limit=2)).candidates(plan(("a",), ("b",)), SCOPE)) == 2


def test_nothing_found_is_an_empty_ranking() -> None:
    assert LexicalRoute(Shelf(), Config()).candidates(plan(("a",)), SCOPE) == ()
