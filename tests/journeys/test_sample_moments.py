"""The sample vault, made as the window makes it, keeps the promises of its start page: disputed, corrected, stale."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from trisynapse_desktop.app import compose
from trisynapse_desktop.bridge import Bridge, EngineState
from trisynapse_desktop.operations import vault as operations
from trisynapse_desktop.session import Session
from trisynapse_desktop.theme import resources_folder
from trisynapse_desktop.window import Window
from trisynapse_memory import MemoryEngine
from trisynapse_memory.types import Answer, ClaimStatus

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.timeout(300)]

FACTS = json.loads((resources_folder() / "sample" / "questions.json").read_text("utf-8"))
QUESTIONS = {question["id"]: question for question in FACTS["questions"]}
VERSION = FACTS["version_2"]


class Asked:
    """An engine in this process, asked as the window asks its engine process: by verb and names."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.engine = engine

    async def __call__(self, verb: str, **args: Any) -> Any:
        found: Any = self.engine
        for name in verb.split("."):
            found = getattr(found, name)
        return found(*args.pop("inputs", ()), **args)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished sample vault, closed."""
    folder = tmp_path_factory.mktemp("sample") / operations.SAMPLE_NAME
    with MemoryEngine.open(folder, offline=True) as engine:
        engine.ingest(*operations.sample_inputs())
        asyncio.run(operations.finish_sample(Asked(engine)))
        engine.jobs.wait()
    return folder


@pytest.fixture(scope="module")
def engine(made: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(made, offline=True) as opened:
        yield opened


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(made, tmp_path / made.name))


def asked(engine: MemoryEngine, question_id: str) -> Answer:
    return engine.query(QUESTIONS[question_id]["question"])


def said(answer: Answer) -> str:
    return " ".join(" ".join(sentence.text for sentence in answer.sentences).split())


# --- disputed -----------------------------------------------------------------------------------------------------


def test_two_measurements_stand_side_by_side_and_both_are_contested(engine: MemoryEngine) -> None:
    answer = asked(engine, "best-value-1930")

    first, second = answer.sentences
    assert "299,796 ± 4 km/s" in first.text
    assert "299,774 ± 11 km/s" in second.text
    assert {first.status, second.status} == {"contested"}
    places = {one.n: one.locator for one in answer.citations}
    assert all(places[n] is not None and places[n].page for one in answer.sentences for n in one.citations)
    (claim,) = answer.contested
    assert (claim.subject, claim.status) == ("speed of light", ClaimStatus.CONTESTED)
    assert {"299,796 ± 4 km/s", "299,774 ± 11 km/s"} <= set(claim.objects)


def test_the_graph_has_an_amber_edge_that_opens_both_passages(engine: MemoryEngine) -> None:
    graph = engine.graph.around(about="speed of light")
    labels = {node.node_id: node.label for node in graph.nodes}

    contested = [edge for edge in graph.edges if edge.status == "contested"]
    ends = {labels[edge.target] for edge in contested} | {labels[edge.source] for edge in contested}
    assert {"speed of light", "299,796 ± 4 km/s", "299,774 ± 11 km/s"} <= ends
    (claim_id,) = {edge.claim_id for edge in contested}
    sides = {side.value: side.supports for side in engine.claims.show(claim_id).sides}
    for value in ("299,796 ± 4 km/s", "299,774 ± 11 km/s"):
        support = next(one for one in sides[value] if value in " ".join(one.excerpt.split()))
        assert support.title == "The mountain and the tube: 1926 and 1935"
        record = engine.get(support.record_id)
        assert record.text[support.start : support.end] == support.excerpt


# --- corrected ----------------------------------------------------------------------------------------------------


def test_the_corrected_value_answers_and_the_printed_one_is_struck_with_its_reason(engine: MemoryEngine) -> None:
    expected = QUESTIONS["michelson-1879"]
    answer = asked(engine, "michelson-1879")

    assert all(part in said(answer) for part in expected["answer_contains"])
    assert expected["struck"]["value"] not in said(answer)
    (struck,) = answer.struck
    assert expected["struck"]["phrase"] in struck.text
    assert struck.reason.casefold() == f"{expected['struck']['reason']}.".casefold()


def test_the_printed_value_is_corrected_once_however_often_the_sample_is_finished(engine: MemoryEngine) -> None:
    before = len(engine.list_records(limit=5000))
    asyncio.run(operations.finish_sample(Asked(engine)))
    assert len(engine.list_records(limit=5000)) == before


# --- the other three ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question_id", ["rotating-mirror-first", "serial-number"])
def test_the_plain_questions_are_answered_from_their_page(engine: MemoryEngine, question_id: str) -> None:
    expected = QUESTIONS[question_id]
    answer = asked(engine, question_id)

    assert all(part in said(answer) for part in expected["answer_contains"])
    assert {one.locator.page for one in answer.citations if one.locator} == {expected["evidence"][0]["page"]}
    assert answer.contested == ()


def test_what_no_source_says_is_not_answered_and_the_nearest_passage_is_shown(engine: MemoryEngine) -> None:
    answer = asked(engine, "foucault-cost")
    assert answer.abstain
    assert answer.nearest


def test_no_answer_claim_or_edge_rests_on_the_hidden_line(engine: MemoryEngine) -> None:
    hidden = "310,000"
    assert not any(hidden in said(asked(engine, question_id)) for question_id in QUESTIONS)
    assert not any(hidden in " ".join(claim.objects) for claim in engine.claims.list(include_all=True, limit=1000))
    assert not any(hidden in node.label for node in engine.graph.around(about="speed of light").nodes)


# --- out of date --------------------------------------------------------------------------------------------------


def test_version_two_makes_exactly_one_sentence_of_the_wiki_stale(copied: Path) -> None:
    with MemoryEngine.open(copied, offline=True) as engine:
        assert engine.wiki.changes() == ()
        before = [source.source_key for source in engine.sources.list()]
        (change,) = asyncio.run(operations.replace_paper(Asked(engine)))

        assert (change.before, change.after) == (VERSION["old"], VERSION["new"])
        page = engine.wiki.show(change.slug)
        assert page.title == "From the cavity to the laser: 1947–1983"
        assert [one.text for one in page.sentences if one.stale] == [VERSION["old"]]
        assert sorted(source.source_key for source in engine.sources.list()) == sorted(before)

        engine.wiki.accept(change.slug, change.key)
        assert asyncio.run(operations.replace_paper(Asked(engine))) == ()


# --- in the window ------------------------------------------------------------------------------------------------


@pytest.fixture
def window(qapp, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: Path) -> Iterator[Window]:
    """A real window over a real engine process, with the finished sample open."""
    monkeypatch.setenv("TRISYNAPSE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    loop = qasync.QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    asyncio.events._set_running_loop(loop)
    bridge = Bridge()
    made = compose(qapp, Session(tmp_path / "config" / "session.json"), bridge)
    made.show()
    made.open_vault(copied)
    qtbot.waitUntil(lambda: bridge.state is EngineState.READY, timeout=60_000)
    yield made
    made.close()
    bridge.close()
    made.deleteLater()
    for _turn in range(5):
        qapp.processEvents()
    asyncio.events._set_running_loop(None)
    asyncio.set_event_loop(None)
    loop.close()


def named(window: Window, name: str) -> QPushButton:
    (found,) = [one for one in window.findChildren(QPushButton) if one.accessibleName() == name]
    return found


def test_the_button_of_the_start_page_leads_to_the_stale_sentence(window: Window, qtbot: Any) -> None:
    window.context.actions.action("go.start").trigger()
    button = named(window, "Drop version 2 of a paper")
    qtbot.waitUntil(button.isVisible, timeout=10_000)

    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isEnabled()
    qtbot.waitUntil(lambda: window.tabs.current_key() == "wiki", timeout=120_000)

    assert button.isEnabled()
    last = window.toasts.showing()[-1]
    assert (last.text, last.tone) == ("Version 2 of the paper is in.", "plain")
    assert last.hint == "One sentence of the wiki may change. You decide."
