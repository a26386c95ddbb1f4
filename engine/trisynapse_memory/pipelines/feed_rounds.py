"""Followed feeds in, what is new in them taken in out: each asked when its time has come, at most one at a time.

Nothing is asked while the window is closed; what became due meanwhile is asked when it opens. A feed that has not
changed is not sent again, and one that cannot be had is left alone longer each time.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import (
    HostUnknownError,
    OfflineError,
    SourceBusyError,
    SourceError,
    SourceTimedOutError,
    TrisynapseError,
)
from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.pipelines.feed_entries import LOADER, Entries, title_of
from trisynapse_memory.pipelines.feed_states import FeedState
from trisynapse_memory.pipelines.member_drafts import Membership
from trisynapse_memory.pipelines.members import FORGOTTEN, UNCHANGED
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.staffing.choices import ChoiceFile, Followed, with_feeds
from trisynapse_memory.preprocessing.fetching import Fetched, ServerStamp, fetch
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.preprocessing.web.feeds import (
    ARXIV_DELAY_S,
    ARXIV_HOST,
    LONGEST_PAUSE_S,
    pause_asked,
    refuse_arxiv_error,
    refuse_no_feed,
)
from trisynapse_memory.preprocessing.web.politeness import PoliteDoor, everything_allowed
from trisynapse_memory.providers.egress import NO_HEADERS, Reply
from trisynapse_memory.providers.offline import refuse_when_offline
from trisynapse_memory.types import Fault, Feed, FeedStatus, Heading, IngestResult, Namespace, Outcome, SourceInput
from trisynapse_memory.vault import device_id

FIRST_RETRY_S: Final = 900.0  # after what may pass; then four times as long each time: an hour, 4, 16
LOOK_S: Final = 3600.0  # the longest sleep: a clock that was set is noticed
_UNTOLD: Final = frozenset({UNCHANGED, FORGOTTEN})


class FeedRounds:
    """The feeds that are followed on this machine, and the thread that asks for them while the window is open.

    Args:
        rooms: the open vault.
        choices: where it is kept which feeds are followed, each under the machine that may ask for it.
        take: takes the bytes of a feed in.
        clock: tells what is due.
    """

    def __init__(self, rooms: Rooms, choices: ChoiceFile, take: Entries, clock: Clock = utc_now) -> None:
        self._rooms = rooms
        self._choices = choices
        self._take = take
        self._clock = clock
        self._closing, self._wake = threading.Event(), threading.Event()
        make_door = partial(PoliteDoor, rooms.egress, everything_allowed, stop=self._closing)
        self._door, self._arxiv = make_door(rooms.config.link_delay_s), make_door(ARXIV_DELAY_S)
        self._asking = threading.Lock()
        self._thread: threading.Thread | None = None
        self._listeners: tuple[Callable[[Feed], None], ...] = ()

    # ------------------------------------------------------------ which feeds

    def followed(self) -> tuple[Followed, ...]:
        """Return the feeds that this machine may ask for, in the order they were added."""
        return self._choices.choices.feeds.get(device_id(), ())

    def put(self, one: Followed) -> None:
        """Follow a feed, or another one in place of that with its id."""
        listed = self.followed()
        places = {id_of(other): other for other in listed} | {id_of(one): one}
        self._choose(tuple(places.values()))

    def drop(self, feed_id: str) -> None:
        """Follow a feed no longer, and forget how it stood."""
        self._choose(tuple(one for one in self.followed() if id_of(one) != feed_id))
        self._rooms.history.feeds.drop(feed_id)

    def standing(self, one: Followed) -> Feed:
        """Return a feed as it stands."""
        return feed_of(one, self._rooms.history.feeds.get(id_of(one)))

    def _choose(self, feeds: tuple[Followed, ...]) -> None:
        self._choices.change(lambda choices: with_feeds(choices, device_id(), feeds))

    # ------------------------------------------------------------ the thread

    def listen(self, told: Callable[[Feed], None]) -> None:
        """Tell somebody of each feed that was asked, from the thread that did."""
        self._listeners = (*self._listeners, told)

    def start(self) -> None:
        """Ask for what is due in a thread of its own until ``close``."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="feeds", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Look at once whether anything is due: the network may be there again."""
        self._wake.set()

    def close(self) -> None:
        """Stop, after the entries in hand; safe to call twice."""
        self._closing.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.clear()
            for one in self.followed():
                if not self._closing.is_set() and self._is_due(one):
                    self.refresh(one, is_due=self._is_due)
            self._wake.wait(self._pause_s())

    def _is_due(self, one: Followed) -> bool:
        at = self._rooms.history.feeds.get(id_of(one)).next_at
        return not one.is_paused and (at is None or at <= self._clock())

    def _pause_s(self) -> float:
        if self._rooms.offline:
            return LOOK_S  # whoever lifts it wakes us
        states = [self._rooms.history.feeds.get(id_of(one)) for one in self.followed() if not one.is_paused]
        moments = [one.next_at for one in states if one.next_at is not None]
        soonest = min(((at - self._clock()).total_seconds() for at in moments), default=LOOK_S)
        return min(max(soonest, 1.0), LOOK_S)

    # ------------------------------------------------------------ one feed

    def refresh(self, one: Followed, is_due: Callable[[Followed], bool] | None = None) -> Feed:
        """Ask for a feed now and take in what is new; whatever is wrong becomes how it stands.

        Args:
            one: the feed.
            is_due: asked once more when its turn has come; another thread may have been faster.
        """
        with self._asking:
            if is_due is not None and not is_due(one):
                return self.standing(one)
            feeds = self._rooms.history.feeds
            before = feeds.get(id_of(one))
            after = self._asked(one, before)
            if after is not before:
                feeds.put(id_of(one), after)
        found = self.standing(next((kept for kept in self.followed() if id_of(kept) == id_of(one)), one))
        for told in self._listeners:
            told(found)
        return found

    def _asked(self, one: Followed, before: FeedState) -> FeedState:
        if before.not_before is not None and before.not_before > self._clock():
            return before  # its server said when to come back; until then it counts every request against her
        try:
            after = self._read(one, before)
        except OfflineError:
            return structs.replace(before, is_offline=True)
        except TrisynapseError as error:
            after = self._failed(before, error)
        return before if self._closing.is_set() else after

    def _read(self, one: Followed, before: FeedState) -> FeedState:
        refuse_when_offline(self._rooms.offline, f"'{one.url}'")
        stamp = ServerStamp(before.etag, before.last_modified)
        door = self._arxiv if host_of(one.url) == ARXIV_HOST else self._door
        fetched = fetch(one.url, _Listening(door), known=stamp, pause=door.pause)
        host = host_of(fetched.final_url)
        fine = structs.replace(
            before,
            checked_at=self._clock(),
            next_at=self._clock() + timedelta(seconds=max(self._interval_s(), before.pause_s)),
            failure_count=0,
            fault=None,
            is_offline=False,
            not_before=None,
            answers_from="" if host == host_of(one.url) else host,
        )
        if fetched.is_unchanged or hashlib.sha256(fetched.content).hexdigest() == before.digest:
            return fine
        return self._taken(one, fine, fetched)

    def _taken(self, one: Followed, fine: FeedState, fetched: Fetched) -> FeedState:
        if choose_loader(fetched.content[:HEAD_BYTES], fetched.filename, self._rooms.registry) != LOADER:
            refuse_no_feed(fetched.content, one.url)
        heading, results = self._take(fetched, _membership(one))
        self._name(one, heading)
        pause_s = pause_asked(fetched.content)
        state = structs.replace(
            fine,
            etag=fetched.stamp.etag,
            last_modified=fetched.stamp.last_modified,
            digest=hashlib.sha256(fetched.content).hexdigest(),
            next_at=self._clock() + timedelta(seconds=max(self._interval_s(), pause_s)),
            pause_s=pause_s,
            entry_count=sum(not row.reason.startswith("duplicate") for row in results),
        )
        came = [row for row in results if row.status is Outcome.SUCCESS]
        if not came:
            return state
        new_count = sum(row.version == 1 for row in came)
        return structs.replace(
            state,
            came_at=self._clock(),
            new_count=new_count,
            changed_count=len(came) - new_count,
            run_id=self._kept(one, results),
        )

    def _failed(self, before: FeedState, error: TrisynapseError) -> FeedState:
        """Leave it alone longer each time; what time may heal is tried again sooner than what is wrong with it."""
        count, now = before.failure_count + 1, self._clock()
        if isinstance(error, SourceBusyError | SourceTimedOutError | HostUnknownError) or type(error) is SourceError:
            pause_s = min(FIRST_RETRY_S * 4 ** (count - 1), self._interval_s() * 2)
        else:
            pause_s = min(self._interval_s() * 2 ** (count - 1), LONGEST_PAUSE_S)
        asked_s = min(getattr(error, "retry_after_s", None) or 0.0, LONGEST_PAUSE_S)
        return structs.replace(
            before,
            checked_at=now,
            next_at=now + timedelta(seconds=max(pause_s, asked_s)),
            not_before=now + timedelta(seconds=asked_s) if asked_s else None,
            failure_count=count,
            fault=Fault.of(error),
            is_offline=False,
        )

    def _name(self, one: Followed, heading: Heading) -> None:
        """Keep what a feed called itself when it was first read; one that was unfollowed meanwhile stays so."""
        kept = next((other for other in self.followed() if id_of(other) == id_of(one)), None)
        if kept is not None and not kept.title:
            self.put(structs.replace(kept, title=title_of(heading, one.url)))

    def _kept(self, one: Followed, results: tuple[IngestResult, ...]) -> str:
        """Write a run into the history, without what stayed as it was; return its id."""
        told = [row for row in results if row.reason not in _UNTOLD]
        run_id = self._rooms.history.begin((SourceInput(url=one.url, title=one.title, namespace=owner_of(one)),))
        for place, row in enumerate(told):
            self._rooms.history.add(run_id, place, row)
        self._rooms.history.finish(run_id)
        return run_id

    def _interval_s(self) -> float:
        return self._rooms.config.feed_interval_h * 3600.0


class _Listening:
    """A door that hears arXiv say that it did not understand a search: it says so with a status, and in a feed."""

    def __init__(self, door: PoliteDoor) -> None:
        self._door = door

    def get(self, url: str, purpose: str, headers: Mapping[str, str] = NO_HEADERS) -> Reply:
        reply = self._door.get(url, purpose, headers)
        if host_of(url) == ARXIV_HOST:
            refuse_arxiv_error(reply.content)
        return reply


def id_of(one: Followed) -> str:
    """Return the id of a feed: one address in one namespace."""
    name = f"{namespace_key(owner_of(one))} {one.url}"
    return f"feed_{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def owner_of(one: Followed) -> Namespace:
    """Return the namespace that a feed is read into."""
    keys = one.owner
    return Namespace(
        user_id=keys.get("user_id"),
        agent_id=keys.get("agent_id"),
        project_id=keys.get("project_id"),
        session_id=keys.get("session_id"),
    )


def feed_of(one: Followed, state: FeedState) -> Feed:
    """Return a feed as it stands."""
    return Feed(
        feed_id=id_of(one),
        url=one.url,
        title=one.title or host_of(one.url),
        query=one.query,
        collection=one.collection,
        namespace=owner_of(one),
        status=_status(one, state),
        checked_at=state.checked_at,
        came_at=state.came_at,
        next_at=None if one.is_paused else state.next_at,
        entry_count=state.entry_count,
        new_count=state.new_count,
        changed_count=state.changed_count,
        failure_count=state.failure_count,
        fault=state.fault,
        answers_from=state.answers_from,
        run_id=state.run_id,
    )


def _status(one: Followed, state: FeedState) -> FeedStatus:
    if one.is_paused:
        return FeedStatus.PAUSED
    if state.is_offline:
        return FeedStatus.OFFLINE
    if state.fault is not None:
        return FeedStatus.FAILING
    return FeedStatus.WAITING if state.checked_at is None else FeedStatus.FINE


def _membership(one: Followed) -> Membership:
    folder = one.collection or one.title
    return Membership(
        label=one.url,
        container=one.url,
        namespace=owner_of(one),
        collections=(folder,) if folder else (),
    )
