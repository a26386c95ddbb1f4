"""A question becomes a cited answer or an honest refusal, whatever part is off, and reading writes no memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from msgspec import structs

from trisynapse_memory.errors import DiskFullError, InvalidInputError, ProviderError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.lifecycle import Amendment
from trisynapse_memory.log.strikes import Stretch
from trisynapse_memory.pipelines.asking import looking
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.backlog import EmbeddingBacklog
from trisynapse_memory.pipelines.history import History
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.routes.lexical import LexicalRoute
from trisynapse_memory.retrieval.routes.semantic import SemanticRoute
from trisynapse_memory.types import Draft, Hit, IngestRun, Kind, Namespace, Scope

Take = Callable[..., IngestRun]
QUESTION = "Who measured the speed of light with a rotating mirror?"


class BrokenEmbedder:
    """A model that cannot do its work."""

    model_id, dimension, max_tokens = "broken", 64, 256

    def embed(self, texts):
        raise ProviderError("The model is not there.")

    def token_counts(self, texts):
        return tuple(len(text.split()) for text in texts)


def corridor(rooms: Rooms) -> Query:
    return Query(
        rooms, [LexicalRoute(rooms.lexical, rooms.config), SemanticRoute(rooms.vectors, rooms.embedder, rooms.config)]
    )


def embed_all(rooms: Rooms) -> None:
    work = EmbeddingBacklog(rooms.vectors, rooms.log, lambda texts, _: rooms.embedder.embed(texts), rooms.config)
    while rooms.vectors.pending(1):
        work.step()


@pytest.fixture
def full(rooms: Rooms, take: Take, papers: Path) -> Rooms:
    for number in range(8):
        (papers / f"filler{number}.txt").write_text(f"Device KX-0013{number} was painted green. It hums at night.\n")
    take(papers)
    embed_all(rooms)
    return rooms


def test_an_answer_is_cited_and_its_words_stand_in_the_source(full: Rooms):
    answer = corridor(full).answer(QUESTION, Scope())
    assert not answer.abstain
    assert "Foucault" in answer.answer
    (citation,) = answer.citations
    record = full.log.get(citation.record_id)
    page = full.log.page(citation.source_id, 1)
    assert citation.excerpt == page.text[citation.locator.start : citation.locator.end]
    assert record.text.startswith("Foucault")
    assert {n for sentence in answer.sentences for n in sentence.citations} == {1}
    assert answer.coverage.used == 1
    assert answer.coverage.sources_in_scope == 10
    assert answer.timings_ms["total"] > 0


def test_a_question_about_nothing_in_the_vault_is_refused_with_a_reason(full: Rooms):
    answer = corridor(full).answer("Which fungus lives in the roots of Antarctic orchids?", Scope())
    assert answer.abstain
    assert (answer.answer, answer.citations, answer.sentences) == ("", (), ())
    assert answer.reason
    assert answer.level in ("none", "nearest")


def test_an_empty_vault_abstains(rooms: Rooms):
    answer = corridor(rooms).answer(QUESTION, Scope())
    assert (answer.abstain, answer.level) == (True, "none")


def test_the_record_with_the_exact_identifier_comes_first(full: Rooms):
    result = corridor(full).search("What is the calibration code of device KX-00120?", Scope())
    assert "KX-00120" in result.hits[0].record.text
    assert result.hits[0].parts["exact"] == 1.0


def test_an_explained_search_shows_every_route_and_the_fusion(full: Rooms):
    result = corridor(full).search("rotating mirror", Scope(), explain=True)
    assert set(result.routes) == {"lexical", "semantic"}
    assert [row.rank for row in result.fusion] == list(range(1, len(result.fusion) + 1))
    assert result.fusion[0].record_id == result.hits[0].record.id
    plain = corridor(full).search("rotating mirror", Scope())
    assert (plain.routes, plain.fusion) == ({}, ())
    assert [hit.record.id for hit in plain.hits] == [hit.record.id for hit in result.hits]


def test_top_k_is_how_many_hits_there_are(full: Rooms):
    assert len(corridor(full).search("device", Scope(), top_k=3).hits) == 3


def test_a_scope_holds_on_every_route(full: Rooms):
    source = next(one for one in full.shelf.list(Namespace()) if one.filename == "device.md")
    inside = corridor(full).search(QUESTION, Scope(source_ids=(source.source_id,)), explain=True)
    assert {hit.record.source_id for hit in inside.hits} <= {source.source_id}
    assert inside.coverage.sources_in_scope == 1
    nothing = corridor(full).search(QUESTION, Scope(source_ids=()))
    assert nothing.hits == ()
    assert corridor(full).search(QUESTION, Scope(namespace=Namespace(user_id="her"))).hits == ()


def test_without_a_model_the_words_answer_and_the_answer_says_what_is_off(full: Rooms):
    rooms = replace(full, embedder=BrokenEmbedder())
    answer = corridor(rooms).answer(QUESTION, Scope())
    assert "Foucault" in answer.answer
    assert answer.coverage.parts_off == ("semantic",)


def test_before_anything_is_embedded_words_answer_and_coverage_counts_what_waits(
    rooms: Rooms, take: Take, papers: Path
):
    take(papers)
    result = corridor(rooms).search("mirror", Scope())
    assert "mirror" in result.hits[0].record.text
    assert result.coverage.not_embedded == 2


def test_sources_without_a_word_are_counted(full: Rooms, take: Take, tmp_path: Path):
    document = pymupdf.open()
    document.new_page()
    document.save(tmp_path / "blank.pdf")
    document.close()
    take(tmp_path / "blank.pdf")
    assert corridor(full).search("mirror", Scope()).coverage.unreadable_sources == 1


def test_r9_a_refusal_names_the_scans_in_scope_that_nobody_has_read(full: Rooms, take: Take, tmp_path: Path):
    titles = [f"letters {number}" for number in range(5)]
    for title in titles:
        document = pymupdf.open()
        document.new_page().draw_rect(pymupdf.Rect(90, 90, 300, 300), fill=(0.1, 0.1, 0.1))
        document.save(tmp_path / f"{title}.pdf")
        document.close()
    results = [take(tmp_path / f"{title}.pdf").results[0] for title in titles]
    assert [result.verdicts for result in results] == [{"image-only": 1}] * 5
    assert [result.record_count for result in results] == [0] * 5, "a page without words is no record to embed"
    asked = "Who wrote the letters of Quorvex?"
    reason = corridor(full).answer(asked, Scope()).reason
    assert '"letters 4", "letters 3", "letters 2" and 2 more could not be read and were not searched.' in reason
    one = Scope(source_ids=(results[0].source_id,))
    assert corridor(full).answer(asked, one).reason.endswith('"letters 0" could not be read and was not searched.')
    elsewhere = Scope(namespace=Namespace(project_id="other"))
    assert "could not be read" not in corridor(full).answer(asked, elsewhere).reason


def test_a_sentence_over_two_pages_is_shown_whole_with_a_citation_on_each(full: Rooms, take: Take, tmp_path: Path):
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The Zeppelin hangar of the harbour was for many long years")
    document.new_page().insert_text((72, 72), "guarded by a lighthouse keeper called Wilhelmina Brandt.")
    document.save(tmp_path / "hangar.pdf")
    document.close()
    take(tmp_path / "hangar.pdf")
    embed_all(full)
    answer = corridor(full).answer("Which lighthouse keeper called Wilhelmina guarded it?", Scope())
    assert [citation.locator.page for citation in answer.citations] == [1, 2]
    assert answer.answer.startswith("The Zeppelin hangar")
    lifecycle.forget_record(full.log, answer.citations[0].record_id, "no")
    again = corridor(full).answer("Which lighthouse keeper called Wilhelmina guarded it?", Scope())
    assert [citation.locator.page for citation in again.citations] == [2]


def test_asking_writes_no_record_and_moves_no_index(full: Rooms):
    before = (full.log.head(), full.lexical.applied_seq(), full.vectors.applied_seq(), full.projector.lag())
    corridor(full).answer(QUESTION, Scope())
    corridor(full).search(QUESTION, Scope())
    assert (full.log.head(), full.lexical.applied_seq(), full.vectors.applied_seq(), full.projector.lag()) == before


def test_how_a_question_was_answered_is_kept_in_the_history(full: Rooms):
    answer = corridor(full).answer(QUESTION, Scope())
    run = full.history.query(answer.query_id)
    assert run.cited_record_ids == (answer.citations[0].record_id,)
    assert [step.phase for step in run.steps] == [
        "plan",
        "routes",
        "fusion",
        "links",
        "rerank",
        "grounding",
        "gate",
        "answer",
    ]
    assert len(run.steps[1].candidates["lexical"]) <= 20


def test_a_full_disk_costs_the_history_and_not_the_answer(full: Rooms, monkeypatch: pytest.MonkeyPatch):
    def no_room(*_: object) -> None:
        raise DiskFullError("The disk that holds 'runs.db' is full.")

    monkeypatch.setattr(History, "keep_query", no_room)
    assert "Foucault" in corridor(full).answer(QUESTION, Scope()).answer


def test_background_work_is_told_while_a_question_is_answered(full: Rooms, monkeypatch: pytest.MonkeyPatch):
    seen: list[bool] = []
    search = type(full.lexical).search
    monkeypatch.setattr(type(full.lexical), "search", lambda *args: seen.append(full.asking.goes_on()) or search(*args))
    corridor(full).search("mirror", Scope())
    assert seen
    assert all(seen)
    assert not full.asking.goes_on()


@pytest.mark.parametrize("question", ["", "  \n", "x" * 4001])
def test_no_question_and_a_whole_document_are_refused(full: Rooms, question: str):
    with pytest.raises(InvalidInputError, match="question"):
        corridor(full).answer(question, Scope())
    assert not full.asking.goes_on()


def test_forgotten_evidence_is_no_evidence(full: Rooms):
    target = next(record for record in full.log.of_kind(Kind.RAW_SOURCE) if "Foucault" in record.text)
    lifecycle.forget_record(full.log, target.id, "no")
    # The index has not heard of it yet; the log decides.
    hits = corridor(full).search(QUESTION, Scope()).hits
    assert hits
    assert target.id not in {hit.record.id for hit in hits}


# ---------------------------------------------------------------- one state


def test_a_question_waits_for_indexes_that_are_one_commit_behind(full: Rooms, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(looking, "STATE_TRIES", 4000)
    full.log.append([Draft(kind=Kind.RAW_SOURCE, text="Fizeau used a toothed wheel.")])
    behind = threading.Timer(0.05, full.projector.catch_up)
    behind.start()
    hits = corridor(full).search("toothed wheel", Scope()).hits
    behind.join()
    assert "Fizeau used a toothed wheel." in [hit.record.text for hit in hits]


def test_an_index_that_stays_behind_is_asked_as_it_is(full: Rooms):
    full.log.append([Draft(kind=Kind.RAW_SOURCE, text="Fizeau used a toothed wheel.")])
    assert "Foucault" in corridor(full).answer(QUESTION, Scope()).answer


def test_nothing_moves_while_a_question_is_answered(full: Rooms):
    asked = corridor(full)
    with asked._lookup.one_state():
        head = full.log.head()
        writing = threading.Thread(target=_add_and_catch_up, args=(full,))
        writing.start()
        writing.join(10)
        assert full.log.head() == head
        assert full.index.applied_seq("lexical") == head
    assert full.log.head() == head + 1


def _add_and_catch_up(rooms: Rooms) -> None:
    rooms.log.append([Draft(kind=Kind.RAW_SOURCE, text="Later.")])
    rooms.projector.catch_up()


def test_a_chunk_beside_another_comes_without_what_was_struck(full: Rooms):
    source = full.log.by_seqs(full.log.visible(range(1, full.log.head() + 1)))[0]
    draft = Draft(kind=Kind.RAW_SOURCE, text="It was wrong. It was long.", source_id=source.source_id)
    before, after = full.log.append([draft, structs.replace(draft, text="And so it ended.")])
    stretch = Stretch(before.id, 0, len("It was wrong."))
    lifecycle.correct(full.log, before.id, "It was right.", "a slip", Amendment(strikes=(stretch,)))
    full.projector.catch_up()
    hit = Hit(record=after, score=1.0, title="", excerpt=after.text, locator=None)
    beside = corridor(full)._grounder.beside(hit, -1, 4)
    assert beside is not None
    assert beside.record.text.strip() == "It was long."
    assert len(beside.record.text) == len(before.text)
