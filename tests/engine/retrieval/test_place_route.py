"""A named page, figure or table leads to what stands there, and to nothing out of scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.routes.places import SHIFT_MAX, SOURCE_COUNT, PlaceRoute
from trisynapse_memory.text.tokens import phrase_terms
from trisynapse_memory.types import Candidate, Kind, Locator, Scope, SourceId


@dataclass
class Row:
    """A record as the route sees it."""

    seq: int
    source_id: str
    text: str
    page: int = 1
    label: str | None = None
    kind: Kind = Kind.RAW_SOURCE
    fields: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def locator(self) -> Locator:
        return Locator(kind="page", page=self.page, page_label=self.label)


@dataclass
class Shelf:
    """Records that are given: pages, and what stands on them."""

    rows: list[Row]
    hidden: set[int] = field(default_factory=set[int])

    def by_seqs(self, seqs: Sequence[int]) -> Any:
        held = {row.seq: row for row in self.rows}
        return tuple(held[seq] for seq in seqs if seq in held)

    def page(self, source_id: str, number: int) -> Any:
        found = [row for row in self.rows if (row.source_id, row.page, row.kind) == (source_id, number, Kind.PAGE)]
        return found[-1] if found else None

    def count_of_source(self, source_id: str, kind: Kind) -> int:
        return sum((row.source_id, row.kind) == (source_id, kind) for row in self.rows)

    def entrances(self, source_ids: Sequence[str], scope: Scope, known: Sequence[int]) -> dict[str, tuple[int, ...]]:
        first = {row.source_id: row.seq for row in reversed(self.rows) if row.kind is not Kind.PAGE}
        owners = {row.seq: row.source_id for row in self.rows}
        return {
            one: tuple(dict.fromkeys((first[one], *(seq for seq in known if owners[seq] == one and self._seen(seq)))))
            for one in source_ids
            if one in first
        }

    def _seen(self, seq: int) -> bool:
        return seq not in self.hidden

    def phrase(self, terms: Sequence[str], scope: Scope, limit: int) -> tuple[Candidate, ...]:
        held = [row for row in self.rows if row.kind is not Kind.PAGE and self._seen(row.seq)]
        found = [row.seq for row in held if _holds(f"{row.text} {row.fields.get('caption', '')}", terms)]
        return tuple(Candidate(seq, 1.0, "phrase") for seq in found[:limit])

    def frequencies(self, keys: Sequence[str], scope: Scope) -> dict[str, int]:
        held = [row for row in self.rows if row.kind is not Kind.PAGE and self._seen(row.seq)]
        texts = [f"{row.text} {row.fields.get('caption', '')}" for row in held]
        return {key: sum(_holds(text, [key]) for text in texts) for key in keys}

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(name)


def _holds(text: str, terms: Sequence[str]) -> bool:
    keys = [term.key for term in phrase_terms(text)]
    return any(keys[place : place + len(terms)] == list(terms) for place in range(len(keys)))


def found(
    shelf: Shelf, question: str, *, within: tuple[str, ...] | None = None, seeds: Sequence[int] = ()
) -> list[int]:
    sources = tuple(map(SourceId, within)) if within is not None else None
    scope = Scope(source_ids=sources)
    readers: Any = shelf
    route = PlaceRoute(readers, readers, readers)
    ranking = route.candidates(plan_question(question, Config()), scope, [Candidate(seq, 0.9) for seq in seeds])
    assert all(one.score == 1.0 for one in ranking)
    return [one.seq for one in ranking]


def report(source: str = "src_a", start: int = 1) -> list[Row]:
    """Six pages of two records each; the third is called 1, as after a cover and a table of contents."""
    rows: list[Row] = []
    for page in range(1, 7):
        seq = start + 3 * (page - 1)
        rows.append(Row(seq, source, f"Head\nText\n{page - 2}", page, kind=Kind.PAGE))
        rows += [Row(seq + 1, source, "Text", page), Row(seq + 2, source, "More", page)]
    return rows


def test_a_page_counts_by_its_place_and_by_the_number_it_bears():
    assert found(Shelf(report()), "What is on page 2?", within=("src_a",)) == [5, 6, 11, 12]


def test_a_page_counts_by_the_label_of_its_file():
    rows = [Row(1, "src_a", "", 1, "iv", Kind.PAGE), Row(2, "src_a", "x", 1), Row(3, "src_a", "", 2, "7", Kind.PAGE)]
    assert found(Shelf([*rows, Row(4, "src_a", "y", 2)]), "Who is on page 7?", within=("src_a",)) == [4]


def test_a_number_far_from_its_place_is_another_number():
    rows = report()
    far = Row(99, "src_a", f"Head\n{2}", 2 + SHIFT_MAX + 1, kind=Kind.PAGE)
    assert 100 not in found(Shelf([*rows, far, Row(100, "src_a", "Far", far.page)]), "page 2", within=("src_a",))


def test_the_last_page_is_the_last_that_is_there():
    assert found(Shelf(report()), "What is on the last page?", within=("src_a",)) == [17, 18]
    twice = Row(40, "src_a", "Read again", 6, kind=Kind.PAGE)
    rows = [*report(), twice, Row(41, "src_a", "Text of the scan", 6)]
    assert found(Shelf(rows), "What is on the last page?", within=("src_a",)) == [41]


def test_in_a_library_pages_are_those_of_the_best_sources():
    shelf = Shelf([*report("src_a"), *report("src_b", 31)])
    assert found(shelf, "What is on the last page?", seeds=[32]) == [47, 48]
    assert found(shelf, "What is on the last page?") == []
    many = (*(f"src_{number}" for number in range(SOURCE_COUNT)), "src_a")
    assert found(shelf, "What is on the last page?", within=many, seeds=[2]) == [17, 18]


def test_a_figure_is_its_caption_in_every_source_and_no_sentence_about_it():
    rows = [
        Row(1, "src_a", "Figure 3: The axes."),
        Row(2, "src_a", "Figure 3 shows the axes."),
        Row(3, "src_b", "1 | 2", fields={"caption": "Fig. 3 the axes again"}),
        Row(4, "src_b", "Figure 31: Others."),
    ]
    assert found(Shelf(rows), "What are the axes of figure 3?") == [1, 3]


def test_a_roman_number_is_the_same_number():
    assert found(Shelf([Row(1, "src_a", "TABLE II\nSUMMARY OF ALL")]), "What does table 2 say?") == [1]


def test_what_is_hidden_is_not_proposed():
    shelf = Shelf([*report(), Row(30, "src_a", "Figure 3: The axes.")], hidden={5, 30})
    assert found(shelf, "What is on page 2?", within=("src_a",)) == [6, 11, 12]
    assert found(shelf, "What is in figure 3?") == []


def test_a_question_that_names_no_place_asks_nothing_of_anybody():
    class Untouched:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    nobody: Any = Untouched()
    plan = plan_question("How many pages contain tables?", Config())
    assert PlaceRoute(nobody, nobody, nobody).candidates(plan, Scope(), [Candidate(1, 0.5)]) == ()
