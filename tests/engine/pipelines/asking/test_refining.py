"""A question that is refused near its evidence is looked up again, and the better look is kept, by one measure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.config import Config
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.asking.answers import Found
from trisynapse_memory.pipelines.asking.looking import Asking
from trisynapse_memory.pipelines.asking.refining import ALL_PARTS, GROUPS, WAYS, WORDS, Look, Refiner, parts_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.types import Coverage, IngestRun, QueryRun, QueryStep, Scope, SourceId, SourceInput

Take = Callable[..., IngestRun]
QUESTION = "Who measured the glacier?"


def gate(probability: float, *, kind: str = "prose", abstain: bool = True) -> Composition:
    numbers = {"probability": probability, "threshold": 0.4, "none_below": 0.1, f"kind:{kind}": 1.0}
    doubtful = float(0.1 <= probability < 0.7)
    return Composition(abstain=abstain, gate={**numbers, "doubtful": doubtful})


@dataclass(frozen=True)
class Asked:
    """Stands for the question taken apart."""

    people: frozenset[str] = frozenset()


@dataclass
class Looks:
    """Stands for the lookup and for who answers: what each further look comes to is told before."""

    outcomes: list[Composition]
    parts_off: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()
    asked: list[tuple[Any, Scope, Asking]] = field(default_factory=list)

    def gather(self, plan: Any, scope: Scope, asking: Asking, clock: Any, matches: Any) -> Found:
        self.asked.append((plan, scope, asking))
        found = Found(plan=plan, rankings={}, fused=(), hits=(), coverage=Coverage(parts_off=self.parts_off), steps=())
        return structs.replace(found, steps=(QueryStep(phase="rerank", duration_ms=1.0, candidates={"rerank": ()}),))

    def compose(self, found: Found, scope: Scope) -> tuple[Any, Composition]:
        return Asked(self.people), self.outcomes.pop(0)


def refine(rooms: Rooms, first: Composition, *further: Composition, **wishes: Any) -> tuple[Look, Looks]:
    config = structs.replace(
        Config(), refinement_deadline_ms=wishes.pop("deadline_ms", 10_000.0), **wishes.pop("settings", {})
    )
    looks = Looks(list(further), parts_off=wishes.pop("parts_off", ()), people=wishes.pop("people", frozenset()))
    plan = plan_question(QUESTION, config)
    off = Coverage(parts_off=wishes.pop("first_off", ()))
    found = Found(plan=plan, rankings={}, fused=(), hits=(), coverage=off, steps=())
    refiner = Refiner(rooms, looks, looks)  # type: ignore[arg-type]  # only these two of their methods are used
    asking = Asking(shown=False, config=config, **wishes)
    return refiner.refine(Look(found, Asked(), first), Scope(), asking), looks  # type: ignore[arg-type]  # only its people are read


def told(look: Look) -> list[tuple[str, str]]:
    return [(step.phase, step.summary.get("kept", step.summary.get("stopped", ""))) for step in look.found.steps]


@pytest.mark.parametrize("first", [gate(0.9, abstain=False), gate(0.3, abstain=False), gate(0.05)])
def test_what_is_answered_or_near_nothing_is_not_looked_up_again(rooms: Rooms, first: Composition):
    look, looks = refine(rooms, first)
    assert (look.quoted, told(look), looks.asked) == (first, [], [])


def test_the_first_look_that_answers_beyond_doubt_ends_the_search(rooms: Rooms):
    look, looks = refine(rooms, gate(0.3), gate(0.8, abstain=False))
    assert (look.quoted.abstain, told(look)) == (False, [(WORDS, "yes")])
    assert len(looks.asked) == 1
    look, _ = refine(rooms, gate(0.3), gate(0.2), gate(0.8, abstain=False))
    assert (look.quoted.abstain, told(look)) == (False, [(WORDS, "no"), (WAYS, "yes")])


def test_a_look_that_is_refused_or_leaves_a_doubt_is_not_kept(rooms: Rooms):
    look, _ = refine(rooms, gate(0.3), gate(0.6, abstain=False), gate(0.9))
    assert look.quoted.gate["probability"] == 0.3
    assert told(look) == [(WORDS, "no"), (WAYS, "no")]
    answers = [step.summary["answers"] for step in look.found.steps]
    assert answers == ["yes", "no"]


def test_another_measure_is_no_better_measure(rooms: Rooms):
    look, _ = refine(rooms, gate(0.3), gate(0.9, kind="long", abstain=False), gate(0.2))
    assert look.quoted.abstain
    look, _ = refine(rooms, gate(0.3), gate(0.9, abstain=False), gate(0.2), parts_off=("semantic",))
    assert look.quoted.abstain
    look, _ = refine(rooms, gate(0.3), gate(0.9, abstain=False), gate(0.2), people=frozenset({"ann"}))
    assert look.quoted.abstain


def test_a_cross_encoder_that_was_off_is_off_for_the_look_that_is_kept_too(rooms: Rooms):
    look, _ = refine(rooms, gate(0.3), gate(0.9, abstain=False), first_off=("reranker",))
    assert (look.quoted.abstain, look.found.coverage.parts_off) == (False, ("reranker",))


def test_a_look_keeps_the_question_s_own_plan_and_asks_no_cross_encoder(rooms: Rooms):
    look, looks = refine(rooms, gate(0.3), gate(0.2), gate(0.8, abstain=False))
    assert look.found.plan == plan_question(QUESTION, Config())
    (_, _, words), (deep, _, ways) = looks.asked
    assert (words.read, ways.read) == (False, False)
    assert (deep.extra_hops, deep.hit_limit) == (1, 24)


@pytest.mark.parametrize(("rounds", "phases"), [(0, []), (1, [WORDS]), (2, [WORDS, WAYS])])
def test_there_are_no_more_rounds_than_the_setting_says(rooms: Rooms, rounds: int, phases: list[str]):
    look, _ = refine(rooms, gate(0.3), gate(0.2), gate(0.2), settings={"max_refinement_rounds": rounds})
    assert [phase for phase, _ in told(look)] == phases


def test_without_time_what_was_found_stands_and_the_run_says_so(rooms: Rooms):
    look, looks = refine(rooms, gate(0.3), deadline_ms=0.0)
    assert told(look) == [(WORDS, "no time was left")]
    assert (look.quoted.gate["probability"], looks.asked) == (0.3, [])
    assert parts_of(look.found.steps) == frozenset()


def test_a_question_that_she_stopped_is_not_looked_up_again(rooms: Rooms):
    stop = threading.Event()
    stop.set()
    look, looks = refine(rooms, gate(0.3), stop=stop)
    assert (told(look), looks.asked) == ([(WORDS, "by her")], [])


def test_a_run_that_is_done_again_takes_the_looks_it_took_whatever_the_time(rooms: Rooms):
    look, _ = refine(rooms, gate(0.3), gate(0.2), deadline_ms=0.0, parts=frozenset({WORDS}))
    assert told(look) == [(WORDS, "no"), (WAYS, "no time was left")]
    look, _ = refine(rooms, gate(0.3), gate(0.2), gate(0.2), deadline_ms=0.0, parts=ALL_PARTS)
    assert told(look) == [(WORDS, "no"), (WAYS, "no")]


# ---------------------------------------------------------------- in a vault

TEXTS = {
    "Arven": "The Arven glacier was measured by Ragna Holt. The Arven glacier is old.",
    "Brisk": "Who measured the Brisk glacier? Nobody knows who measured the Brisk glacier.",
    "Keeper": "Ragna Holt is the keeper of Arven.",
    "Station": "Ragna Holt lived at the station beside the tongue of the glacier.",
    **{f"Hut {number}": f"Hut {number} stands beside the lake. It was painted in June." for number in range(12)},
}
NEAR = "Which painter of Quorvex drowned near the Arven glacier?"


PATIENT = Config(refinement_deadline_ms=10_000.0)  # on a busy machine, too, every look is taken


@contextmanager
def vault(path: Path, config: Config = PATIENT) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(path, config=config) as opened:
        opened.ingest(*(SourceInput(text=text, title=title, source_key=title) for title, text in TEXTS.items()))
        opened.jobs.wait()
        yield opened


@pytest.fixture(autouse=True)
def near(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a vault, whatever is refused is near: where that border lies is fitted anew now and then."""
    if "tmp_path" in request.fixturenames and "rooms" not in request.fixturenames:
        monkeypatch.setattr(Look, "is_near", property(lambda look: look.quoted.abstain))


@pytest.fixture
def engine(tmp_path: Path, in_process: None) -> Iterator[MemoryEngine]:
    with vault(tmp_path / "vault") as opened:
        yield opened


def run_of(engine: MemoryEngine, query_id: str) -> QueryRun:
    run = engine.runs.show(query_id)
    assert isinstance(run, QueryRun)
    return run


def test_each_further_look_is_a_step_with_its_words_its_candidates_and_its_verdict(engine: MemoryEngine):
    answer = engine.query(NEAR)
    run = run_of(engine, answer.query_id)
    assert answer.abstain
    assert [step.phase for step in run.steps][-4:] == ["gate", WORDS, WAYS, "answer"]
    words, ways = (step for step in run.steps if step.phase in (WORDS, WAYS))
    assert words.summary["words"]
    assert words.summary["answers"] == "no"
    assert 0 <= float(words.summary["probability"]) < float(words.summary["threshold"])
    assert words.candidates["rerank"]
    assert ways.summary["reached"] == GROUPS
    assert set(ways.candidates) >= {"lexical", "semantic", "graph", "claims"}


def test_a_run_with_further_looks_is_done_again_to_the_same_ranks(engine: MemoryEngine):
    answer = engine.query(NEAR)
    assert parts_of(run_of(engine, answer.query_id).steps) == ALL_PARTS
    again = engine.runs.replay(answer.query_id)
    assert again.same
    assert again.moves
    assert engine.runs.replay(answer.query_id, {"max_refinement_rounds": 0}).hits


def test_a_look_that_is_kept_gives_the_hits_of_the_run_and_is_done_again_to_the_same_ranks(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
):
    first = run_of(engine, engine.query(NEAR, top_k=4).query_id)
    monkeypatch.setattr(Look, "mends", lambda look, _: look.found.plan.hit_limit < len(look.found.hits))
    kept = run_of(engine, engine.query(NEAR, top_k=4).query_id)
    assert (len(first.ranks), first.top_k, kept.top_k) == (4, 4, 4)
    assert len(kept.ranks) > 4
    assert engine.runs.replay(kept.query_id).same


def test_an_explained_search_tells_the_same_looks_and_leaves_its_hits_as_they_are(engine: MemoryEngine):
    answer = engine.query(NEAR)
    explained, plain = engine.search(NEAR, explain=True), engine.search(NEAR)
    assert [hit.record.id for hit in explained.hits] == [hit.record.id for hit in plain.hits]
    assert explained.gate["probability"] == pytest.approx(answer.confidence, abs=1e-9)
    looks = {step.phase: step.summary for step in explained.steps if step.phase in (WORDS, WAYS)}
    steps = run_of(engine, answer.query_id).steps
    assert looks == {step.phase: step.summary for step in steps if step.phase in (WORDS, WAYS)}
    assert run_of(engine, explained.query_id).steps == explained.steps
    assert (plain.steps, engine.runs.replay(explained.query_id).same) == ((), True)


def test_an_explained_search_looks_the_question_up_once(engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch):
    lexical = type(engine._opened.rooms.lexical)
    searched: list[Scope] = []
    search = lexical.search
    monkeypatch.setattr(
        lexical, "search", lambda self, terms, scope, limit: searched.append(scope) or search(self, terms, scope, limit)
    )
    engine.search("Who measured the Arven glacier?", explain=True)
    assert len(searched) == 1


def test_what_deep_recall_reads_alone_stays_within_the_scope(engine: MemoryEngine):
    ids = [source.source_id for source in engine.sources.list() if source.title in ("Arven", "Brisk", "Hut 1", "Hut 2")]
    answer = engine.query(NEAR, source_ids=ids)
    run = run_of(engine, answer.query_id)
    assert GROUPS in parts_of(run.steps)
    looked: set[SourceId | None] = {engine.get(row.record_id).source_id for row in run.ranks}
    assert looked <= set(ids)


def test_deep_recall_takes_along_what_facts_say_of_the_things_that_the_question_names(tmp_path: Path, in_process: None):
    with vault(tmp_path / "vault", structs.replace(PATIENT, refinement_term_count=0)) as engine:
        run = run_of(engine, engine.query(NEAR).query_id)
    (ways,) = (step for step in run.steps if step.phase == WAYS)
    assert "keeper" in ways.summary["facts"].split(", ")
