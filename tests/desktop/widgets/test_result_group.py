from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.elided_label import ElidedLabel
from trisynapse_desktop.widgets.result_group import ResultGroup, pages_text, reason_of
from trisynapse_memory.types import Fault, IngestResult, Outcome


@pytest.fixture
def group(qapp, qtbot):
    made = ResultGroup(Theme(qapp, "light"), "added", ("check", "good"))
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def results(count, first=0):
    return [IngestResult(input=f"/{number}", status=Outcome.SUCCESS) for number in range(first, first + count)]


def names(group):
    return [one.accessibleName() for one in group.findChildren(ElidedLabel) if not one.isHidden()]


def test_a_short_run_shows_its_lines_without_a_count(group, qtbot):
    group.show_results(results(3), alone=True, wanted=False)
    qtbot.waitUntil(lambda: names(group) == ["/0", "/1", "/2"])
    assert not any(one.isVisible() for one in group.findChildren(QPushButton))


def test_lines_are_folded_once_there_are_many_unless_she_says_otherwise(group, qtbot):
    group.show_results(results(3), alone=True, wanted=False)
    assert group.unfolded
    group.show_results(results(13), alone=False, wanted=False)
    assert not group.unfolded
    group.unfold(True)
    group.show_results(results(14), alone=False, wanted=False)
    assert group.unfolded
    qtbot.waitUntil(lambda: len(names(group)) == 12)


def test_lines_that_come_are_added_and_another_list_is_shown_anew(group, qtbot):
    group.show_results(results(2), alone=True, wanted=True)
    kept = group.findChildren(ElidedLabel)[0]
    group.show_results(results(5), alone=True, wanted=True)
    qtbot.waitUntil(lambda: len(names(group)) == 5)
    assert not kept.isHidden()
    group.show_results(results(2, first=7), alone=True, wanted=True)
    qtbot.waitUntil(lambda: names(group) == ["/7", "/8"])


def test_pages_and_reasons_are_said_where_they_tell_something():
    def row(status, verdicts, **more):
        return IngestResult(input="/a", status=Outcome(status), verdicts=verdicts, **more)

    assert pages_text(row("success", {"ok": 12})) == "12 pages"
    assert pages_text(row("success", {"ok": 1})) == ""
    assert pages_text(row("success", {"ok": 1118, "ocr": 2})) == "1,118 readable, 2 read from the picture"
    assert pages_text(row("failed", {"damaged": 1})) == ""
    fault = Fault(code="x", message="It is broken.", hint="Copy it again.")
    assert reason_of(row("failed", {}, error=fault, reason="broken")) == "It is broken. Copy it again."
    assert reason_of(row("skipped", {}, reason="duplicate of 'a'")) == "duplicate of 'a'"
    assert reason_of(row("success", {}, reason="new version")) == ""
