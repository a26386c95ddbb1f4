from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from trisynapse_desktop.models.sources import (
    ADDED,
    AUTHORS,
    COLUMNS,
    KIND,
    NOVELTY,
    PAGES,
    READING,
    TITLE,
    TONE_ROLE,
    YEAR,
    SourcesModel,
    authors_text,
    verdict_text,
    verdict_tone,
)
from trisynapse_memory.types import Novelty, Source, SourceStatus

START = datetime(2026, 1, 1, tzinfo=UTC)


def source(number, **changes):
    values = {
        "source_id": f"s{number}",
        "source_key": f"/{number}.pdf",
        "title": f"Paper {number:05d}",
        "kind": "pdf",
        "version": 1,
        "status": SourceStatus.ACTIVE,
        "content_hash": "0",
        "page_count": number % 40,
        "verdicts": {"ok": 3},
        "added_at": START + timedelta(minutes=number),
        "authors": (f"Author {number % 700}",),
        "published": str(1900 + number % 120),
    }
    return Source(**{**values, **changes})


@pytest.fixture
def model(qapp):
    made = SourcesModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    made.show(
        [
            source(
                1, title="Écoulement of light", authors=("Ana Ruiz", "Bo Li"), published="1931-05", tags=("optics",)
            ),
            source(2, title="Ants", kind="html", page_count=9),
            source(3, title="bees", verdicts={"ok": 4, "garbled": 2}, page_count=6),
        ]
    )
    return made


def titles(model):
    return [model.index(row, TITLE).data() for row in range(model.rowCount())]


def test_the_newest_source_comes_first(model):
    assert titles(model) == ["bees", "Ants", "Écoulement of light"]


def test_every_typed_word_must_occur_somewhere_in_the_row(model):
    model.filter("light ruiz")
    assert titles(model) == ["Écoulement of light"]
    model.filter("1931 OPTICS")
    assert titles(model) == ["Écoulement of light"]
    model.filter("light bees")
    assert titles(model) == []
    model.filter("")
    assert model.rowCount() == model.total == 3


def test_a_group_and_typed_words_narrow_together(model):
    model.filter("", lambda one: one.kind == "pdf")
    assert titles(model) == ["bees", "Écoulement of light"]
    model.filter("bee", lambda one: one.kind == "pdf")
    assert titles(model) == ["bees"]


def test_titles_sort_without_regard_to_capitals_and_pages_by_number(model):
    model.sort(TITLE)
    assert titles(model)[:2] == ["Ants", "bees"]
    model.sort(PAGES, Qt.SortOrder.DescendingOrder)
    assert titles(model) == ["Ants", "bees", "Écoulement of light"]


def test_the_chosen_row_follows_its_source_when_the_order_changes(model):
    from PySide6.QtCore import QPersistentModelIndex

    kept = QPersistentModelIndex(model.index(model.row_of("s2"), TITLE))
    model.sort(TITLE, Qt.SortOrder.DescendingOrder)
    assert kept.data() == "Ants"
    assert kept.row() == model.row_of("s2") == 2


def test_a_row_shows_what_a_reader_wants_to_know(model):
    row = model.row_of("s1")
    shown = [model.index(row, place).data() for place in (AUTHORS, YEAR, KIND, ADDED, PAGES, READING)]
    assert shown == ["Ana Ruiz and Bo Li", "1931", "PDF", "1 Jan 2026", "1", "Readable"]
    assert [model.headerData(place, Qt.Orientation.Horizontal) for place in range(3)] == ["Title", "Authors", "Year"]


def test_pages_that_cannot_be_trusted_are_counted(model):
    assert model.index(model.row_of("s3"), READING).data() == "2 of 6 pages unclear"
    assert verdict_tone(source(1, verdicts={"ok": 1, "garbled": 1})) == "warning"
    assert verdict_text(source(1, verdicts={"image-only": 4})) == "Picture only"
    assert verdict_text(source(1, status=SourceStatus.FORGOTTEN, verdicts={"ok": 1})) == "Forgotten"


def test_how_new_each_source_was_is_shown_and_sorted_by_what_is_not_known_last(model):
    assert model.index(0, NOVELTY).data() is None
    rows = [
        Novelty(source_id="s1", median=0.3, highest=0.4, level="mixed", passage_count=1),
        Novelty(source_id="s2", median=0.7, highest=0.8, level="new", passage_count=1, contradicting_count=1),
    ]
    model.show(model.sources(), rows)
    model.sort(NOVELTY, Qt.SortOrder.DescendingOrder)
    shown = [model.index(row, NOVELTY).data() for row in range(3)]
    assert shown == ["1 disputed", "Partly new", None]
    assert model.index(0, NOVELTY).data(TONE_ROLE) == "warning"
    assert "20 %" in model.index(0, NOVELTY).data(Qt.ItemDataRole.ToolTipRole)


def test_three_authors_are_named_by_the_first():
    assert authors_text(("A", "B", "C")) == "A et al."
    assert authors_text(("A",)) == "A"
    assert authors_text(()) == ""


def test_a_library_of_fifty_thousand_filters_in_a_tenth_of_a_second(qapp):
    model = SourcesModel()
    model.show([source(number) for number in range(50_000)])
    began = time.process_time()
    model.filter("paper 0421 author")
    spent_s = time.process_time() - began
    assert model.rowCount() == 15
    assert spent_s < 0.1
    began = time.process_time()
    for row in range(40):
        for column in range(len(COLUMNS)):
            model.index(row % 10, column).data()
    assert time.process_time() - began < 0.016
