"""Followed feeds in, one line each with how it stands and what can be done out; no feed is asked for here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import button, clear, column, counted, row
from trisynapse_desktop.widgets.setting_parts import StateLine, name_button, section, setting
from trisynapse_desktop.wording import day_text
from trisynapse_memory.types import Feed, FeedStatus

HINT = (
    "New entries become sources with title, authors, date and summary. Each feed is asked at most once a day while this"
    " window is open, and never while it is closed. The pages and papers behind the entries are fetched only when you"
    " ask for them."
)


class FollowedFeeds(QFrame):
    """The list.

    ``follow_wanted`` and ``look_wanted`` ask for a new feed and for a look at all of them; ``looked``, ``paused`` and
    ``stopped`` carry the feed.
    """

    follow_wanted = Signal()
    look_wanted = Signal()
    looked = Signal(object)
    paused = Signal(object)
    stopped = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._none = StateLine(theme)
        self._rows = column(gap=4)
        self._shown: tuple[Feed, ...] | None = None
        follow = button("Follow a feed…", hint="An RSS or Atom feed, or a search at arXiv")
        self._look = button("Ask all now", hint="Ask for every feed that is not paused")
        follow.clicked.connect(lambda _checked=False: self.follow_wanted.emit())
        self._look.clicked.connect(lambda _checked=False: self.look_wanted.emit())
        self.setLayout(column(section("Followed feeds", HINT, self._none, self._rows, row(follow, self._look, None))))

    def show_feeds(self, feeds: Sequence[Feed]) -> None:
        """Show every followed feed with how it stands; a list that is the same keeps its buttons and their focus."""
        if tuple(feeds) == self._shown:
            return
        self._shown = tuple(feeds)
        clear(self._rows)
        self._none.say("" if feeds else "No feed is followed.")
        self._look.setEnabled(any(feed.status is not FeedStatus.PAUSED for feed in feeds))
        for feed in feeds:
            self._rows.addWidget(self._line(feed))

    def _line(self, feed: Feed) -> QWidget:
        verb = "Resume" if feed.status is FeedStatus.PAUSED else "Pause"
        controls = (
            self._button("Ask now", feed, self.looked),
            self._button(verb, feed, self.paused),
            self._button("Stop following", feed, self.stopped),
        )
        frame = QFrame()
        frame.setLayout(row(*controls, gap=2))
        line = setting(feed.title, place_words(feed), frame)
        line.setToolTip(hint_of(feed.url))
        state = StateLine(self._theme)
        state.say(*standing_words(feed))
        whole = QFrame()
        whole.setLayout(column(line, state, gap=1))
        return whole

    def _button(self, words: str, feed: Feed, signal: SignalInstance) -> QPushButton:
        made = button(words)
        name_button(made, feed.title)
        made.clicked.connect(lambda _checked=False: signal.emit(feed))
        return made


def place_words(feed: Feed) -> str:
    """Say where a feed comes from and where its entries go."""
    came = "a search at arXiv" if feed.query else feed.url
    into = feed.collection or feed.title
    return f"{came} · into “{into}”"


def standing_words(feed: Feed) -> tuple[str, str]:
    """Say how a feed stands, as (sentence, tone)."""
    if feed.status is FeedStatus.OFFLINE:
        return "Offline is on. It is asked for once you lift it.", "warning"
    if feed.status is FeedStatus.PAUSED:
        return "Paused. It is not asked for by itself.", "muted"
    if feed.status is FeedStatus.WAITING:
        return "Not asked for yet.", "muted"
    if feed.fault is not None:
        again = f" It is tried again from {moment_text(feed.next_at)}." if feed.next_at is not None else ""
        return f"{feed.fault.message} {feed.fault.hint}{again}".strip(), "bad"
    moved = f" It answers from {feed.answers_from} now." if feed.answers_from else ""
    return f"{news_words(feed)} Asked {moment_text(feed.checked_at)}.{moved}", "good"


def news_words(feed: Feed) -> str:
    """Say how many entries a feed holds, and what it brought last."""
    held = counted(feed.entry_count, "entry", "entries")
    if feed.came_at is None:
        return f"{held}, none of them new."
    changed = f" and {feed.changed_count:,} changed" if feed.changed_count else ""
    return f"{held}; {feed.new_count:,} new{changed} on {day_text(feed.came_at.astimezone())}."


def moment_text(moment: datetime | None) -> str:
    """Say a moment in her own time: ``1 Dec 2026, 14:05``."""
    if moment is None:
        return "never"
    local = moment.astimezone()
    return f"{day_text(local)}, {local:%H:%M}"
