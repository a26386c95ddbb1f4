"""The doors of what was compiled: names, graph, groups, cards, feedback, and the work behind them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trisynapse_memory.errors import (
    InvalidInputError,
    UnknownAliasError,
    UnknownGroupError,
    UnknownRecordError,
)
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import SourceInput

ATLAS = (
    "Project Atlas is the new search service of the team. Priya Raman is the tech lead of Project Atlas. "
    "Project Atlas launches on 14 October 2026. The budget was approved in spring."
)
LAUNCH = "When does Project Atlas launch?"


# ---------------------------------------------------------------- names, graph, groups, feedback


def test_names_are_merged_and_the_merge_can_be_undone(engine: MemoryEngine):
    engine.ingest(
        SourceInput(text="Project Atlas launches on 14 October 2026.", title="a"),
        SourceInput(text="Priya Raman is the tech lead of Orion.", title="b"),
    )
    alias = engine.aliases.merge("Project Atlas", "Orion")
    assert set(alias.names) >= {"Project Atlas", "Orion"}
    assert {claim.relation for claim in engine.claims(about="Orion")} == {"launch_date", "role_held_by"}
    assert engine.aliases.unmerge(alias.alias_id) == ()
    assert {claim.relation for claim in engine.claims(about="Orion")} == {"role_held_by"}
    for name, other in (("it", "Orion"), ("Orion", "the Orion")):
        with pytest.raises(InvalidInputError):
            engine.aliases.merge(name, other)
    with pytest.raises(UnknownAliasError):
        engine.aliases.unmerge("alias_none")


def test_the_graph_shows_entities_values_and_disputes(bert: MemoryEngine):
    graph = bert.graph.around(about="BERT")
    assert {node.label for node in graph.nodes} == {"BERT", "Adam", "AdamW"}
    assert {edge.status for edge in graph.edges} == {"contested"}
    assert [node.kind for node in graph.nodes] == ["entity"] * 3
    assert graph.nodes[0].label == "BERT"
    assert all(0 <= node.x <= 1 and 0 <= node.y <= 1 for node in graph.nodes)
    assert bert.graph.around().nodes
    small = bert.graph.around(about="BERT", limit=2)
    assert (len(small.nodes), small.left_out) == (2, 1)
    text = bert.graph.export(about="BERT")
    assert "<graphml" in text
    assert "AdamW" in text


def test_the_graph_starts_at_a_source_or_a_question_and_has_one_centre(bert: MemoryEngine):
    (code,) = [source for source in bert.sources.list() if source.title == "The code"]
    assert {node.label for node in bert.graph.around(source_id=code.source_id).nodes} >= {"BERT", "AdamW"}
    assert {node.label for node in bert.graph.around(question="pretrained BERT").nodes} >= {"BERT"}
    with pytest.raises(InvalidInputError, match="one centre"):
        bert.graph.around(about="BERT", question="x")
    with pytest.raises(InvalidInputError):
        bert.graph.around(about="BERT", hops=9)


def test_records_stand_in_where_nothing_is_claimed(engine: MemoryEngine):
    engine.ingest(SourceInput(text="Light is fast. " * 3, title="Light"), SourceInput(text="Sound is slow.", title="S"))
    (light,) = [source for source in engine.sources.list() if source.title == "Light"]
    graph = engine.graph.around(source_id=light.source_id)
    assert {node.kind for node in graph.nodes} <= {"record", "entity", "source"}
    assert graph.nodes[0].label.startswith("Light is fast.")


def test_a_group_is_summarised_in_words_of_its_records(atlas: MemoryEngine):
    (source,) = atlas.sources.list()
    summary = atlas.groups.summarize(f"source:{source.source_id}")
    assert summary.group_id in [one.group_id for one in atlas.groups.list()]
    for sentence in summary.sentences:
        assert all(sentence.text in atlas.get(record_id).text for record_id in sentence.record_ids)
    with pytest.raises(UnknownGroupError):
        atlas.groups.show("source:none")


def test_feedback_is_a_record_and_needs_a_question(atlas: MemoryEngine):
    answer = atlas.query(LAUNCH)
    record = atlas.get(atlas.feedback(answer.query_id, helpful=True, note="exactly"))
    assert (record.kind.value, record.text) == ("feedback", "exactly")
    with pytest.raises(UnknownRecordError):
        atlas.feedback("q_none", helpful=False)


def test_a_source_has_a_card_and_may_be_marked_sensitive(atlas: MemoryEngine):
    (source,) = atlas.sources.list()
    card = atlas.sources.card(source.source_id)
    assert (card.title, card.ready) == ("Atlas plan", True)
    assert {claim.relation for claim in card.key_claims} == {"role_held_by", "launch_date"}
    assert atlas.sources.mark_sensitive(source.source_id).kind.value == "sensitivity"


# ---------------------------------------------------------------- the background


def test_work_survives_a_restart_and_nothing_is_read_twice(in_process: None, tmp_path: Path):
    with MemoryEngine.open(tmp_path / "v", offline=True) as engine:
        engine.jobs.pause()
        engine.ingest(SourceInput(text=ATLAS, title="Atlas plan"), wait=False)
        assert engine.jobs.backlog().facts == 1
        assert {task.status for task in engine.jobs.list()} == {"paused"}
    with MemoryEngine.open(tmp_path / "v", offline=True) as engine:
        engine.jobs.wait(10)
        assert (engine.jobs.backlog().facts, len(engine.claims())) == (0, 2)
        head = engine._rooms.log.head()
        engine.reindex()
        engine.jobs.wait(10)
        assert engine._rooms.log.head() == head
        assert len(engine.claims()) == 2
        assert engine.validate().ok


def test_a_run_says_what_is_left_after_it(engine: MemoryEngine):
    engine.jobs.pause()
    run = engine.ingest(SourceInput(text=ATLAS), wait=False)
    assert (run.backlog.facts, run.backlog.vectors, run.backlog.claims) == (1, 1, 0)
    engine.jobs.prioritise(str(run.results[0].source_id))
    engine.jobs.resume()
    assert engine.jobs.wait(10).facts == 0


def test_writers_and_readers_get_in_nobodys_way(engine: MemoryEngine):
    errors: list[str] = []
    written: list[list[str]] = [[], [], [], []]

    def write(number: int) -> None:
        for turn in range(8):
            text = f"Project Number{number}x{turn} launches on {turn + 1} October 2026."
            (record_id,) = engine.ingest_messages([text], group_id=f"g{number}")
            written[number].append(record_id)
            if turn % 2:
                engine.correct(record_id, text.replace("October", "November"), "moved")

    def read(number: int) -> None:
        for turn in range(8):
            answer = engine.query(f"When does Project Number{number}x{turn} launch?")
            struck = {one.text for one in answer.struck}
            errors.extend(one.text for one in answer.sentences if one.text in struck)
            errors.extend(one.excerpt for one in answer.citations if one.excerpt not in engine.get(one.record_id).text)
            engine.claims(limit=5)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(verb, number) for number in range(4) for verb in (write, read)]:
            done.result(60)
    assert errors == []
    assert sorted(map(len, written)) == [8] * 4
    engine.jobs.wait(20)
    assert len(engine.claims(limit=100)) == 32
    assert engine.validate().ok


def test_the_files_of_the_wiki_lose_what_was_forgotten(atlas: MemoryEngine, tmp_path: Path):
    atlas.wiki.build()
    folder = tmp_path / "one.vault" / "wiki"

    def words() -> str:
        return "".join(path.read_text() for path in folder.glob("*.md"))

    assert "14 October 2026" in words()
    atlas.sources.forget(atlas.sources.list()[0].source_id, "the wrong plan")
    atlas.jobs.wait(10, include_idle=True)
    assert "14 October 2026" not in words()
