from __future__ import annotations

import pytest

from trisynapse_desktop.selection import Selection
from trisynapse_desktop.target import Target
from trisynapse_memory.types import Citation, CitationVerdict, Locator

PAGE = Locator(kind="page", page=4, page_label="iv")


@pytest.fixture
def selection(qapp):
    return Selection()


def test_opening_a_passage_chooses_the_source_and_asks_for_its_reader(selection, qtbot):
    opened = []
    selection.opened.connect(opened.append)
    with qtbot.waitSignal(selection.source_selected) as chosen:
        selection.open_passage("s1", PAGE, "A paper")
    assert chosen.args == ["s1"]
    assert opened == [Target("reader", source_id="s1", locator=PAGE, title="A paper")]


def test_a_citation_opens_the_passage_it_rests_on(selection):
    opened = []
    selection.opened.connect(opened.append)
    selection.open_citation(citation("s1"))
    assert (opened[0].source_id, opened[0].locator, selection.record_id) == ("s1", PAGE, "r1")


def test_a_citation_without_a_source_opens_nothing(selection):
    opened = []
    selection.opened.connect(opened.append)
    selection.open_citation(citation(None))
    assert opened == []


def test_choosing_the_same_source_again_says_nothing(selection):
    said = []
    selection.source_selected.connect(said.append)
    selection.select_source("s1")
    selection.select_source("s1")
    assert said == ["s1"]


def citation(source_id):
    return Citation(
        n=1, record_id="r1", source_id=source_id, source_key="k", title="A paper", locator=PAGE, excerpt="x",
        verdict=CitationVerdict.VERBATIM,
    )  # fmt: skip
