"""A question of the history is asked again to the same ranks; with other settings, what moved is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trisynapse_memory.errors import InvalidInputError, InvalidSettingError, UnknownRecordError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import QueryRun, SourceInput

TEXTS = {
    "Mirrors": "The rotating mirror measured the speed of light. Foucault built it in Paris.",
    "Lamps": "The lamp behind the mirror burned for nine hours.",
    "Foucault": "Foucault also hung a pendulum in the Panthéon to show that the Earth turns.",
    "Wheels": "Fizeau used a toothed wheel and a beam over eight kilometres.",
    "Ether": "No drift of the ether was found with the interferometer.",
}


def _taken_in(path: Path) -> MemoryEngine:
    opened = MemoryEngine.open(path)
    opened.ingest(*(SourceInput(text=text, title=title, source_key=title) for title, text in TEXTS.items()))
    opened.jobs.wait()
    return opened


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryEngine]:
    with _taken_in(tmp_path_factory.mktemp("replays") / "vault") as opened:
        yield opened


@pytest.mark.parametrize("mode", ["search", "query"])
def test_an_unchanged_vault_gives_the_same_ranks(engine: MemoryEngine, mode: str):
    question = "Who built the rotating mirror?"
    asked = engine.search(question, top_k=4) if mode == "search" else engine.query(question)
    found = engine.runs.replay(asked.query_id)
    assert found.same
    assert not found.vault_grew
    assert [move.before for move in found.moves] == list(range(1, len(found.moves) + 1))
    assert found.moves[0].title == "Mirrors"
    if mode == "search":
        assert [str(hit.record.id) for hit in found.hits] == [
            str(hit.record.id) for hit in engine.search(question, top_k=4).hits
        ]


def test_what_was_added_since_is_hidden_from_the_replay(tmp_path: Path):
    with _taken_in(tmp_path / "vault") as engine:
        _grow_and_replay(engine)


def _grow_and_replay(engine: MemoryEngine) -> None:
    asked = engine.search("Who built the rotating mirror?")
    engine.ingest(
        SourceInput(text="Who built the rotating mirror? The rotating mirror was built by Foucault.", title="New")
    )
    engine.jobs.wait()
    found = engine.runs.replay(asked.query_id)
    assert found.vault_grew
    assert "New" not in {move.title for move in found.moves}
    assert found.moves[0].title == "Mirrors"
    assert engine.search("Who built the rotating mirror?").hits[0].title == "New"


def test_a_silenced_part_moves_what_stood_by_it(engine: MemoryEngine):
    asked = engine.search("rotating mirror of Foucault")
    found = engine.runs.replay(asked.query_id, {"semantic_weight": 0, "lexical_weight": 1})
    assert found.changed == {"semantic_weight": 0, "lexical_weight": 1}
    assert {move.record_id for move in found.moves} >= {str(hit.record.id) for hit in asked.hits}
    plain = engine.runs.replay(asked.query_id, {"fusion": "rrf"})
    assert [hit.score for hit in plain.hits] != [hit.score for hit in asked.hits]


def test_a_replay_leaves_no_run_behind(engine: MemoryEngine):
    asked = engine.search("mirror")
    before = engine.runs.queries()
    engine.runs.replay(asked.query_id, {"mention_weight": 0})
    assert engine.runs.queries() == before


def test_wrong_names_and_values_are_refused(engine: MemoryEngine):
    asked = engine.search("mirror")
    with pytest.raises(InvalidInputError, match="There is no setting 'colour'"):
        engine.runs.replay(asked.query_id, {"colour": 1})
    with pytest.raises(InvalidSettingError, match="mention_weight"):
        engine.runs.replay(asked.query_id, {"mention_weight": -1})
    with pytest.raises(UnknownRecordError):
        engine.runs.replay("q_0000000000000000")


def test_a_question_about_the_sources_counts_all_and_shows_one_passage_of_each(engine: MemoryEngine):
    result = engine.search("How many of my papers mention Foucault?", top_k=3)
    assert (result.coverage.matched_records, result.coverage.matched_sources) == (2, 2)
    assert {hit.title for hit in result.hits[:2]} == {"Mirrors", "Foucault"}
    assert all(hit.parts["match"] for hit in result.hits[:2])
    assert engine.search("Who built the rotating mirror?").coverage.matched_sources is None
    answer = engine.query("How many of my papers mention Foucault?")
    assert answer.coverage.matched_sources == 2


def test_the_run_and_the_explained_result_tell_what_the_gate_measured(engine: MemoryEngine):
    answer = engine.query("Who built the rotating mirror?")
    run = engine.runs.show(answer.query_id)
    assert isinstance(run, QueryRun)
    (step,) = [one for one in run.steps if one.phase == "answer"]
    assert float(step.summary["probability"]) == pytest.approx(answer.confidence, abs=0.001)
    assert step.summary.keys() >= {"threshold", "none_below", "doubtful"}
    explained = engine.search("Who built the rotating mirror?", explain=True)
    assert explained.gate["probability"] == pytest.approx(answer.confidence, abs=1e-9)
    assert engine.search("Who built the rotating mirror?").gate == {}
