"""The list of followed feeds says how each stands, and its buttons name the feed they act on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_chores import FEEDS
from PySide6.QtWidgets import QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.followed_feeds import FollowedFeeds, place_words, standing_words
from trisynapse_memory.types import Fault, Feed, FeedStatus

MOMENT = datetime(2026, 12, 1, 12, tzinfo=UTC)


def feed(**more) -> Feed:
    return Feed(feed_id="f", url="https://light.example/rss", title="Light", **more)


@pytest.fixture
def listed(qapp, qtbot) -> FollowedFeeds:
    made = FollowedFeeds(Theme(qapp))
    qtbot.addWidget(made)
    return made


def button(listed: FollowedFeeds, name: str) -> QPushButton:
    return next(one for one in listed.findChildren(QPushButton) if one.accessibleName() == name)


@pytest.mark.parametrize(
    ("more", "start", "tone"),
    [
        ({}, "Not asked for yet.", "muted"),
        ({"status": FeedStatus.PAUSED}, "Paused. It is not asked for by itself.", "muted"),
        ({"status": FeedStatus.OFFLINE}, "Offline is on.", "warning"),
        (
            {"status": FeedStatus.FINE, "checked_at": MOMENT, "came_at": MOMENT, "entry_count": 1, "new_count": 1},
            "1 entry; 1 new on 1 Dec 2026. Asked 1 Dec 2026, ",
            "good",
        ),
        (
            {"status": FeedStatus.FINE, "checked_at": MOMENT, "answers_from": "b.example"},
            "0 entries, none of them new. Asked ",
            "good",
        ),
        (
            {"status": FeedStatus.FAILING, "next_at": MOMENT, "fault": Fault(code="c", message="Gone.", hint="Look.")},
            "Gone. Look. It is tried again from 1 Dec 2026, ",
            "bad",
        ),
    ],
)
def test_every_state_is_a_sentence_with_a_tone(more, start, tone):
    words, shown = standing_words(feed(**more))
    assert words.startswith(start)
    assert shown == tone
    assert ("It answers from b.example now." in words) is ("answers_from" in more)


def test_a_feed_says_where_it_comes_from_and_where_its_entries_go():
    assert place_words(feed(collection="Optics")) == "https://light.example/rss · into “Optics”"
    assert place_words(feed(query="cat:cs.CL")) == "a search at arXiv · into “Light”"


def test_the_buttons_carry_the_feed_they_name(listed: FollowedFeeds, qtbot):
    listed.show_feeds(FEEDS)
    for name, signal, expected in (
        ("Ask now Light, weekly", listed.looked, FEEDS[0]),
        ("Pause Light, weekly", listed.paused, FEEDS[0]),
        ("Resume Old news", listed.paused, FEEDS[2]),
        ("Stop following Old news", listed.stopped, FEEDS[2]),
    ):
        with qtbot.waitSignal(signal) as told:
            button(listed, name).click()
        assert told.args == [expected]


def test_without_a_feed_it_says_so_and_asks_nobody(listed: FollowedFeeds):
    listed.show_feeds(())
    assert not listed._look.isEnabled()
    listed.show_feeds(FEEDS[2:])  # paused
    assert not listed._look.isEnabled()
    listed.show_feeds(FEEDS)
    assert listed._look.isEnabled()
