"""The front door: every verb on an open vault, for whoever it is opened, and closed so that the next one gets in."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

import pytest

from trisynapse_memory import MemoryNamespace
from trisynapse_memory.config import Config
from trisynapse_memory.errors import (
    InvalidInputError,
    UnknownRecordError,
    UnknownSourceError,
    VaultHeldError,
    VaultMissingError,
)
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Message, Namespace, Progress, SourceInput
from trisynapse_memory.vault import owner_of

QUESTION = "Who measured the speed of light with a rotating mirror?"


def test_a_vault_is_made_where_there_is_none_unless_that_is_forbidden(in_process: None, tmp_path: Path):
    with pytest.raises(VaultMissingError):
        MemoryEngine.open(tmp_path / "v", create=False)
    with MemoryEngine.open(tmp_path / "v") as made:
        vault_id = made.vault_id
    with MemoryEngine.open(tmp_path / "v", create=True) as again:
        assert again.vault_id == vault_id


def test_an_open_vault_is_held_and_a_closed_one_free(engine: MemoryEngine, tmp_path: Path):
    with pytest.raises(VaultHeldError):
        MemoryEngine.open(tmp_path / "one.vault")
    engine.close()
    engine.close()
    assert owner_of(tmp_path / "one.vault") is None
    MemoryEngine.open(tmp_path / "one.vault").close()


def test_an_opening_that_fails_frees_the_vault(in_process: None, tmp_path: Path):
    MemoryEngine.open(tmp_path / "v", create=True).close()
    log = tmp_path / "v" / "log.db"
    whole = log.read_bytes()
    log.write_bytes(b"no database" * 500)
    with pytest.raises(Exception, match=r"log\.db"):
        MemoryEngine.open(tmp_path / "v")
    log.write_bytes(whole)
    MemoryEngine.open(tmp_path / "v").close()


def test_what_is_taken_in_is_answered_with_its_citation(engine: MemoryEngine, papers: Path):
    run = engine.ingest(papers)
    assert (run.status, engine.jobs.backlog().vectors) == ("completed", 0)
    answer = engine.query(QUESTION)
    assert "Foucault" in answer.answer
    citation = answer.citations[0]
    assert engine.get(citation.record_id).source_id == citation.source_id
    assert engine.search(QUESTION, top_k=1).hits[0].record.id == citation.record_id


def test_urls_paths_and_inputs_may_be_mixed_and_nothing_is_no_input(engine: MemoryEngine, papers: Path):
    run = engine.ingest(papers / "light.txt", str(papers / "device.md"), SourceInput(text="A lamp."), wait=False)
    assert run.counts["success"] == 3
    assert engine.ingest("https://example.org/x", wait=False).results[0].error.code == "network.offline"
    with pytest.raises(InvalidInputError, match="nothing to take in"):
        engine.ingest()


def test_vectors_are_waited_for_with_progress_or_left_to_the_background(engine: MemoryEngine, papers: Path):
    engine.ingest(papers, wait=False)
    told: list[Progress] = []
    assert engine.jobs.wait(20, progress=told.append).vectors == 0
    names = {task.name for task in engine.jobs.list()}
    # Scans and recordings wait only where something on this machine reads them.
    expected = {"facts", "vectors", "similarity", "summaries", "novelty", "consolidation", "pages"}
    assert names - {"scans", "recordings"} == expected
    assert {progress.stage for progress in told} <= names


def test_a_forgotten_record_and_source_leave_the_answers_and_come_back(engine: MemoryEngine, papers: Path):
    engine.ingest(papers)
    record = engine.search("Foucault").hits[0].record

    def found() -> bool:
        return any("Foucault" in hit.excerpt for hit in engine.search("Foucault").hits)

    change = engine.forget(record.id, "a misprint")
    assert (change.affected_count, found()) == (1, False)
    assert [one.kind.value for one in engine.history(record.id)] == ["raw_source", "retraction"]
    assert engine.get(record.id).text == record.text
    assert (engine.reinstate(record.id, "no misprint").affected_count, found()) == (1, True)
    engine.sources.forget(record.source_id, "all of it")
    assert not found()
    engine.sources.reinstate(record.source_id, "back")
    assert found()
    assert engine.validate().ok


def test_records_are_listed_by_kind_in_pages_and_unknown_kinds_are_named(engine: MemoryEngine, papers: Path):
    engine.ingest(papers, wait=False)
    first = engine.list_records(limit=3)
    rest = engine.list_records(cursor=first[-1].seq)
    assert [record.seq for record in (*first, *rest)] == list(range(1, 9))
    assert len(engine.list_records(kind="raw_source")) == 2
    engine.forget(engine.list_records(kind="raw_source")[0].id, "no")
    assert len(engine.list_records(kind="raw_source")) == 1
    assert len(engine.list_records(kind="raw_source", include_retracted=True)) == 2
    with pytest.raises(InvalidInputError, match=r"'moon'.*raw_source"):
        engine.list_records(kind="moon")


def test_a_question_is_limited_to_sources_and_collections(engine: MemoryEngine, papers: Path):
    engine.ingest(papers / "light.txt", collection="Light", wait=False)
    engine.ingest(papers / "device.md", wait=False)
    device = next(source for source in engine.sources.list() if source.filename == "device.md")
    assert {hit.record.source_id for hit in engine.search("device mirror", source_ids=[device.source_id]).hits} == {
        device.source_id
    }
    assert {hit.title for hit in engine.search("device mirror", collection="Light").hits} == {"light"}
    assert engine.search("device mirror", source_ids=[device.source_id], collection="Light").hits == ()
    with pytest.raises(UnknownSourceError, match="src_x"):
        engine.query(QUESTION, source_ids=["src_x"])


def test_a_writer_sees_its_own_a_broader_reader_sees_all(in_process: None, tmp_path: Path):
    mine = MemoryNamespace(user_id="me", project_id=None)
    with MemoryEngine.open(tmp_path / "v", namespace=mine, create=True) as engine:
        engine.ingest(SourceInput(text="My mirror.", source_key="k"), wait=False)
        engine.ingest_messages([{"role": "user", "content": "My lamp.", "id": "1"}], group_id="g")
        (source, chat) = reversed(engine.sources.list())
        assert source.namespace == chat.namespace == Namespace(user_id="me", project_id="default")
        her = engine.view(Namespace(user_id="her", project_id=None))
        assert her.sources.list() == ()
        assert her.search("mirror lamp").hits == ()
        assert her.list_records() == ()
        everyone = engine.view(Namespace(project_id=None))
        assert len(everyone.search("mirror lamp").hits) == 2


def test_messages_may_be_plain_dictionaries_and_need_content(engine: MemoryEngine):
    one, two = engine.ingest_messages(
        [{"content": "A mirror.", "speaker": "Ada"}, Message(role="user", content="A lamp.")], group_id="g"
    )
    assert (engine.get(one).text, engine.get(two).text) == ("Ada: A mirror.", "user: A lamp.")
    with pytest.raises(InvalidInputError, match="content"):
        engine.ingest_messages([{"role": "user"}], group_id="g")


def test_rebuilding_the_indexes_changes_no_answer(engine: MemoryEngine, papers: Path):
    engine.ingest(papers)
    before = [hit.record.id for hit in engine.search("light mirror device").hits]
    names = ("lexical", "facts", "claims", "graph", "summaries", "descriptions", "novelty", "vector")
    head = engine.list_records(cursor=0, limit=1000, include_retracted=True)[-1].seq
    assert engine.reindex() == dict.fromkeys(names, head)
    engine.jobs.wait(20)
    assert [hit.record.id for hit in engine.search("light mirror device").hits] == before
    assert engine.reindex(["lexical"]) == {"lexical": head}
    assert engine.validate(repair=True).ok


def test_a_run_can_be_cancelled_from_another_thread(engine: MemoryEngine, papers: Path):
    def notify(progress: Progress) -> None:
        if progress.stage == "success":
            engine.runs.cancel(progress.run_id)

    run = engine.ingest(papers, wait=False, progress=notify)
    assert (run.status, len(run.results)) == ("cancelled", 1)
    engine.runs.cancel("run_that_is_over")
    assert engine.ingest(papers, wait=False).status == "completed"


def test_unknown_records_are_named(engine: MemoryEngine):
    for verb in (engine.get, engine.history):
        with pytest.raises(UnknownRecordError, match="r_x"):
            verb("r_x")


def test_other_numbers_than_the_defaults_hold(in_process: None, tmp_path: Path, papers: Path):
    with MemoryEngine.open(tmp_path / "v", create=True, config=Config(hit_limit=1)) as engine:
        engine.ingest(papers, wait=False)
        assert len(engine.search("device mirror light").hits) == 1


def test_four_writers_and_four_readers_on_one_engine(engine: MemoryEngine):
    errors: list[BaseException] = []
    stop = threading.Event()

    def guarded(work) -> threading.Thread:
        def body() -> None:
            try:
                work()
            except BaseException as error:
                errors.append(error)

        return threading.Thread(target=body)

    def write(n: int) -> None:
        for k in range(4):
            engine.ingest(SourceInput(text=f"Writer {n} saw mirror {k}.", source_key=f"{n}-{k}"), wait=False)
            engine.ingest_messages([Message(role="user", content=f"{n} saw lamp {k}.", id=str(k))], group_id=str(n))

    def read() -> None:
        while not stop.is_set():
            engine.search("mirror lamp")
            engine.sources.list()

    writers = [guarded(lambda n=n: write(n)) for n in range(4)]
    readers = [guarded(read) for _ in range(4)]
    for thread in (*writers, *readers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []
    assert len(engine.list_records(kind="raw_source", limit=1000)) == 32
    engine.jobs.wait(30)
    assert engine.validate().ok


def test_closing_while_somebody_asks_ends_without_hanging(engine: MemoryEngine, papers: Path):
    engine.ingest(papers, wait=False)

    def ask() -> None:
        # Whatever a closed vault says to somebody who comes late, it says it at once.
        with contextlib.suppress(Exception):
            for _ in range(200):
                engine.search("mirror")

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 20
    asking.join(20)
    assert not asking.is_alive()


def test_the_published_example_runs_with_our_engine(in_process: None, tmp_path: Path):
    """Text and messages go in, a question comes out with a citation; facts and corrections come with a later issue."""
    namespace = MemoryNamespace(user_id="maya", project_id="assistant")
    with MemoryEngine.open(tmp_path / "store", namespace=namespace) as memory:
        memory.ingest(SourceInput(kind="text", text="Maya prefers short weekly updates.", title="Preferences"))
        ids = memory.ingest_messages(
            [{"role": "user", "content": "The launch was moved to 14 October 2026."}, "I will tell the team."],
            group_id="chat:1",
        )
        result = memory.query("Which updates does Maya prefer?")
        assert "short weekly updates" in result.answer
        assert [citation.record_id for citation in result.citations]
        assert memory.get(ids[0]).text == "user: The launch was moved to 14 October 2026."
        with pytest.raises(UnknownRecordError):
            memory.get("r_unknown")
