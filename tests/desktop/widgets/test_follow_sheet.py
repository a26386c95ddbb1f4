"""The sheet that follows a feed: its button names who is asked, and nothing is agreed to before that is known."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.widgets.follow_sheet import FollowSheet
from trisynapse_memory.types import FeedPlan

QUERY = "cat:cs.CL AND abs:retrieval"
PLAN = FeedPlan(url="https://export.arxiv.org/api/query?x", host="export.arxiv.org", query=QUERY)


@pytest.fixture
def sheet(qtbot) -> FollowSheet:
    window = QWidget()
    window.resize(1000, 700)
    qtbot.addWidget(window)
    window.show()
    made = FollowSheet(window)
    made.ask()
    return made


def test_nothing_can_be_agreed_to_before_it_is_known_who_is_asked(sheet: FollowSheet, qtbot):
    assert not sheet._follow.isEnabled()
    with qtbot.waitSignal(sheet.judged, timeout=10_000) as told:
        qtbot.keyClicks(sheet._address, QUERY)
    assert told.args == [QUERY]
    with qtbot.assertNotEmitted(sheet.agreed):
        qtbot.keyClick(sheet._address, Qt.Key.Key_Return)


def test_the_button_names_the_host_and_the_note_purpose_and_rhythm(sheet: FollowSheet, qtbot):
    sheet._address.setText(QUERY)
    sheet.show_plan(QUERY, PLAN)
    assert sheet._follow.text() == "Follow, ask export.arxiv.org"
    assert sheet.note == (
        f"export.arxiv.org is asked for the newest papers for “{QUERY}” now, and once a day while this window is open."
    )
    sheet._collection.setText(" Papers ")
    with qtbot.waitSignal(sheet.agreed) as told:
        sheet._follow.click()
    assert told.args == [QUERY, "Papers"]
    assert not sheet.isVisible()


def test_an_answer_about_what_was_typed_over_is_passed_over(sheet: FollowSheet):
    sheet._address.setText("https://other.example/rss")
    sheet.show_plan(QUERY, PLAN)
    sheet.show_refusal(QUERY, "No.")
    assert (sheet._follow.isEnabled(), sheet.note) == (False, "")


def test_a_refusal_and_a_feed_that_is_followed_leave_nothing_to_agree_to(sheet: FollowSheet):
    sheet._address.setText("x")
    sheet.show_refusal("x", "That is no address.")
    assert (sheet._follow.isEnabled(), sheet.note) == (False, "That is no address.")
    sheet.show_plan("x", FeedPlan(url="x", host="x", is_followed=True))
    assert (sheet._follow.isEnabled(), sheet.note) == (False, "This feed is followed already.")


def test_offline_is_said_and_escape_leaves(sheet: FollowSheet, qtbot):
    sheet.ask("https://light.example/rss", offline=True)
    sheet.show_plan("https://light.example/rss", FeedPlan(url="u", host="light.example", interval_h=12))
    assert sheet.note.endswith("every 12 hours while this window is open. Offline is on: it waits until you lift it.")
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
