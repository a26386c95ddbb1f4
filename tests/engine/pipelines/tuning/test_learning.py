"""A vault learns from what a reader opens: on her word only, for questions it never saw, and never at any price."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.engine.pipelines.harbour_cases import (
    CONFIG,
    READ,
    UNREAD,
    WEATHER,
    book_rank,
    is_book,
    is_notice,
    question_of,
    read,
    take_in,
)
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import JudgedBy, Progress, QueryRun, TrialStatus


def _scores(engine: MemoryEngine, name: str) -> list[tuple[str, float]]:
    return [(str(hit.record.id), hit.score) for hit in engine.search(question_of(name), top_k=40).hits]


def _run(engine: MemoryEngine, query_id: str) -> QueryRun:
    run = engine.runs.show(query_id)
    assert isinstance(run, QueryRun)
    return run


@pytest.mark.usefixtures("in_process")
def test_what_a_reader_opens_ranks_higher_for_questions_nobody_asked_until_she_takes_it_back(tmp_path: Path):
    with take_in(tmp_path / "v") as engine:
        plain = _scores(engine, UNREAD[0])
        assert {book_rank(engine, name) for name in UNREAD} == {6}  # behind the five notices
        engine.tuning.switch(True)
        read(engine, is_book)
        heard: list[Progress] = []
        trial = engine.tuning.learn(heard.append)
        assert (trial.status, trial.reason, trial.question_count) == (TrialStatus.PROPOSED, "", len(READ))
        assert trial.after > trial.before + 0.5
        assert trial.low > 0
        assert heard[-1].done == heard[-1].total > 0
        assert all(check.after >= check.before for check in trial.guards)
        assert {check.kind for check in trial.guards} == {"title", "sentence", "opened"}
        assert {(one.before, one.after) for one in trial.examples} == {(6, 1)}
        assert trial.examples[0].title in {f"Log book of {name}" for name in READ}
        assert all(one.gain > 0 and one.meaning for one in trial.moves)
        assert _scores(engine, UNREAD[0]) == plain  # proposed is not applied

        state = engine.tuning.apply()
        assert {one.name: one.after for one in state.in_force} == trial.weights
        assert (state.proposal, state.trials[0].status) == (None, TrialStatus.APPLIED)
        assert {book_rank(engine, name) for name in UNREAD} == {1}
        learned = engine.search(question_of(UNREAD[0]), top_k=5)
        assert _run(engine, learned.query_id).weights == trial.weights

    with MemoryEngine.open(tmp_path / "v", offline=True, config=CONFIG) as engine:
        assert book_rank(engine, UNREAD[1]) == 1  # a restart keeps it
        first = next(run for run in engine.runs.queries(500) if not run.weights)
        assert engine.runs.replay(first.query_id).same  # what was asked before is replayed as it was
        state = engine.tuning.revert()
        assert state.in_force == ()
        assert state.is_on
        assert _scores(engine, UNREAD[0]) == plain
        assert engine.runs.replay(learned.query_id).same  # and what was asked meanwhile as it was then
        with pytest.raises(InvalidInputError, match="No weights are proposed"):
            engine.tuning.apply()


@pytest.mark.usefixtures("in_process")
def test_clicks_without_a_pattern_change_nothing(tmp_path: Path):
    dice = random.Random(7)
    with take_in(tmp_path / "v") as engine:
        engine.tuning.switch(True)
        read(engine, lambda _, __: dice.random() < 0.1)
        trial = engine.tuning.learn()
        assert trial.question_count >= CONFIG.tuning_min_questions
        assert (trial.status, trial.weights) == (TrialStatus.NO_GAIN, {})
        assert trial.reason
        with pytest.raises(InvalidInputError):
            engine.tuning.apply()


@pytest.mark.usefixtures("in_process")
def test_what_would_lose_sentences_of_the_vault_is_refused_with_the_reason(tmp_path: Path):
    with take_in(tmp_path / "v", WEATHER) as engine:
        engine.tuning.switch(True)
        read(engine, is_notice)
        trial = engine.tuning.learn()
        assert trial.status is TrialStatus.GUARDED
        (worse,) = [check for check in trial.guards if check.after < check.before]
        assert worse.kind == "sentence"
        assert engine.get(worse.lost[0]).text.startswith("Rain fell")
        said = f"sentences as they stand: {worse.after} found instead of {worse.before} of {worse.count}"
        assert said in trial.reason
        with pytest.raises(InvalidInputError):
            engine.tuning.apply()
        assert engine.tuning.show().in_force == ()


@pytest.mark.usefixtures("in_process")
def test_in_the_background_it_learns_once_there_is_enough_and_proposes(tmp_path: Path):
    with take_in(tmp_path / "v") as engine:
        engine.tuning.switch(True)
        read(engine, is_book, READ[:19])
        engine.jobs.wait(include_idle=True)
        assert engine.tuning.show().trials == ()
        read(engine, is_book, READ[19:])
        engine.jobs.wait(include_idle=True)
        state = engine.tuning.show()
        assert state.proposal is not None
        assert state.question_count == len(READ)
        assert len(state.trials) == 1
        assert state.in_force == ()
        engine.jobs.wait(include_idle=True)
        assert len(engine.tuning.show().trials) == 1  # nothing new was judged, so nothing is tried again
        assert engine.tuning.switch(False).proposal is None


# ---------------------------------------------------------------- what is noted


def test_it_is_off_and_notes_nothing_until_she_says_so(atlas: MemoryEngine):
    found = atlas.search("Who leads Project Atlas?")
    record_id = str(found.hits[0].record.id)
    assert not atlas.tuning.show().is_on
    assert not atlas.tuning.note(found.query_id, record_id)
    with pytest.raises(InvalidInputError, match="off"):
        atlas.tuning.learn()
    assert atlas.tuning.note(found.query_id, record_id, JudgedBy.MARKED)  # she said so of this one
    assert atlas.tuning.show().question_count == 1
    atlas.tuning.switch(True)
    trial = atlas.tuning.learn()
    assert (trial.status, trial.question_count) == (TrialStatus.TOO_FEW, 1)
    assert "1 of 30" in trial.reason


def test_her_word_on_an_answer_counts_for_what_it_cites_and_against_what_she_opened_from_it(atlas: MemoryEngine):
    atlas.tuning.switch(True)
    answer = atlas.query("Who is the tech lead of Project Atlas?", model="none")
    cited = answer.citations[0].record_id
    atlas.feedback(answer.query_id, helpful=True)
    assert atlas.tuning.show().question_count == 1
    atlas.feedback(answer.query_id, helpful=False)
    atlas.tuning.note(answer.query_id, cited)
    assert atlas.tuning.show().question_count == 0
    atlas.tuning.note(answer.query_id, cited, JudgedBy.MARKED)
    assert atlas.tuning.show().question_count == 1


def test_a_question_asked_twice_is_one_and_what_was_forgotten_teaches_nothing(atlas: MemoryEngine):
    atlas.tuning.switch(True)
    for question in ("When does Atlas launch?", "when does  atlas launch?"):
        found = atlas.search(question)
        atlas.tuning.note(found.query_id, str(found.hits[0].record.id))
    assert atlas.tuning.show().question_count == 1
    atlas.forget(str(atlas.search("Atlas").hits[0].record.id), "not mine")
    assert atlas.tuning.show().question_count == 0


def test_a_removal_takes_the_notes_of_its_questions_along(atlas: MemoryEngine):
    atlas.tuning.switch(True)
    found = atlas.search("Priya Raman is the tech lead of Project Atlas.")
    atlas.tuning.note(found.query_id, str(found.hits[0].record.id))
    assert atlas.tuning.clear() == 1
    atlas.tuning.note(found.query_id, str(found.hits[0].record.id))
    atlas.sources.remove(str(found.hits[0].record.source_id), "private")
    assert atlas.tuning.clear() == 0


def test_a_note_on_an_unknown_record_is_an_error_and_on_a_dropped_question_none(atlas: MemoryEngine):
    atlas.tuning.switch(True)
    found = atlas.search("Atlas")
    assert not atlas.tuning.note("q_none", str(found.hits[0].record.id))
    with pytest.raises(Exception, match="r_none"):
        atlas.tuning.note(found.query_id, "r_none")
