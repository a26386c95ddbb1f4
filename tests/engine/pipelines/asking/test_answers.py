"""What was found becomes an answer: rows of tables, every source of an exhaustive question, what lies outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import AnswerForm, CitationVerdict, SourceInput

KILNS = "Kiln,Top temperature (degrees),Fuel\nBlue kiln,1240,gas\nRed kiln,1300,electric\nOld kiln,980,wood\n"


@pytest.fixture
def kilns(engine: MemoryEngine, tmp_path: Path) -> MemoryEngine:
    folder = tmp_path / "kilns"
    folder.mkdir()
    (folder / "kilns.csv").write_text(KILNS, encoding="utf-8")
    (folder / "yard.txt").write_text("The blue kiln in the yard was built by Osei in 2011.\n", encoding="utf-8")
    (folder / "glaze.txt").write_text("The celadon glaze is pale green. It needs a slow firing.\n", encoding="utf-8")
    (folder / "tenmoku.txt").write_text("We compared two recipes. The tenmoku glaze is black.\n", encoding="utf-8")
    engine.ingest(folder)
    return engine


def source_id(engine: MemoryEngine, title: str) -> str:
    return next(str(one.source_id) for one in engine.sources.list() if one.title == title)


def test_a_row_of_a_table_answers_with_its_headers_and_its_place(kilns: MemoryEngine) -> None:
    answer = kilns.query("What is the top temperature of the red kiln?", source_ids=[source_id(kilns, "kilns")])
    assert [one.text for one in answer.sentences] == ["Red kiln \u2013 Top temperature (degrees): 1300"]
    (citation,) = answer.citations
    assert citation.verdict is CitationVerdict.NORMALISED
    assert citation.excerpt == "Red kiln | 1300 | electric"
    assert citation.locator is not None
    assert citation.locator.row == 3


def test_a_refusal_names_what_lies_outside_the_chosen_scope(kilns: MemoryEngine) -> None:
    scoped = kilns.query("Who built the blue kiln in the yard?", source_ids=[source_id(kilns, "glaze")])
    assert scoped.abstain
    assert 'Outside the chosen scope, "yard"' in scoped.reason


def test_a_refusal_about_nothing_in_the_vault_names_no_source(kilns: MemoryEngine) -> None:
    for scope in (None, [source_id(kilns, "glaze")]):
        answer = kilns.query("Which treaty ended the war between Denmark and Sweden?", source_ids=scope)
        assert answer.abstain
        assert "Outside the chosen scope" not in answer.reason


def test_a_question_about_the_sources_is_answered_by_a_sentence_of_each(kilns: MemoryEngine) -> None:
    answer = kilns.query("How many of my sources mention glaze?")
    assert sorted(one.text for one in answer.sentences) == [
        "The celadon glaze is pale green.",
        "The tenmoku glaze is black.",
    ]
    assert answer.coverage.matched_sources == 2
    assert (answer.form, answer.lead) == (AnswerForm.LIST, "2 sources found.")
    assert len({citation.source_id for citation in answer.citations}) == 2


def test_a_list_of_many_sources_says_how_many_there_are_of_all(engine: MemoryEngine) -> None:
    texts = [f"Note {n} of the kiln. Batch {n} has celadon glaze on it." for n in range(14)]
    engine.ingest(*(SourceInput(text=text, title=f"Note {n}") for n, text in enumerate(texts)))
    answer = engine.query("Which of my sources mention celadon glaze?")
    assert answer.lead == "14 sources found; 12 are quoted."
    assert len(answer.sentences) == 12
