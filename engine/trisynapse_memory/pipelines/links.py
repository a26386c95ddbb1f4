"""Bookmarks in, a plan that names hosts and counts out; after her consent their pages, in the background."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.acquisition import fetch_page
from trisynapse_memory.pipelines.harvest import Harvest, Taker
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.urls import WEB_SCHEMES, host_of, scheme_of
from trisynapse_memory.preprocessing.web.pages import hosts_besides
from trisynapse_memory.preprocessing.web.papers import WebPage
from trisynapse_memory.preprocessing.web.politeness import PoliteDoor, everything_allowed
from trisynapse_memory.preprocessing.web.robots import Robots
from trisynapse_memory.types import (
    IngestRun,
    Link,
    LinkPlan,
    LinkStatus,
    Progress,
    Source,
    SourceId,
    SourceInput,
    SourceStatus,
)

if TYPE_CHECKING:
    from trisynapse_memory.pipelines.opening import OpenVault

CHORE: Final = "links"
OFFLINE: Final = "offline is on; the links wait"
_LOOK_S: Final = 0.1


class Links:
    """The noun door ``engine.links``."""

    def __init__(self, opened: OpenVault, reading: Reading) -> None:
        self._opened = opened
        self._rooms = opened.rooms
        self._queue = opened.rooms.history.links
        self._reading = reading

    def plan(self, source_ids: Sequence[str] | None = None, collection: str | None = None) -> LinkPlan:
        """Say what fetching the pages of bookmarks would mean; nothing is asked of anybody.

        Args:
            source_ids: these bookmarks and references; all bookmarks by default.
            collection: only those in this collection.

        Raises:
            UnknownSourceError: no source has one of the ids.
        """
        return self._planned(self._chosen(source_ids, collection))

    def fetch(self, source_ids: Sequence[str], run_id: str = "") -> LinkPlan:
        """Let the pages of these bookmarks be fetched in the background: this is her consent.

        Args:
            source_ids: as the plan named them, which she has seen.
            run_id: the run that the results are written to, if it should be another than none.

        Returns:
            The plan as it was carried out.
        """
        chosen = self._chosen(source_ids, None)
        plan = self._planned(chosen)
        wanted = set(plan.source_ids)
        self._queue.add(_link_of(source, run_id) for source in chosen if source.source_id in wanted)
        self._opened.jobs.resume(CHORE)
        return plan

    def refresh(self, source_ids: Sequence[str] | None = None) -> LinkPlan:
        """Ask again for pages that are in the vault; what has not changed is not sent, what has is a new version.

        Args:
            source_ids: these pages; everything that came from the web by default.
        """
        found = self._rooms.shelf.list(self._reading.namespace) if source_ids is None else self._named(source_ids)
        pages = [source for source in found if scheme_of(source.source_key) in WEB_SCHEMES]
        self._queue.add(_link_of(source, "") for source in pages)
        self._opened.jobs.resume(CHORE)
        hosts = Counter(host_of(source.source_key) for source in pages)
        return LinkPlan(hosts=dict(hosts.most_common()), total=len(pages), source_ids=_ids(pages))

    def list(self, status: str | None = None, limit: int = 1000) -> tuple[Link, ...]:
        """Return the links that were allowed, in their order, with what became of each.

        Raises:
            InvalidInputError: there is no such status.
        """
        try:
            chosen = None if status is None else LinkStatus(status)
        except ValueError as error:
            known = ", ".join(LinkStatus)
            raise InvalidInputError(f"There is no status '{status}'.", hint=f"Known: {known}.") from error
        return self._queue.list(chosen, limit)

    def cancel(self) -> int:
        """Let no link wait any more; what is being fetched this moment still comes. Return how many waited."""
        return self._queue.cancel()

    def wait(
        self, timeout_s: float | None = None, progress: Callable[[Progress], None] | None = None
    ) -> tuple[Link, ...]:
        """Wait until every link was tried; those that are tried again later are not waited for.

        Returns:
            The links that still wait: for the network, for a busy server, or for somebody to resume the work.
        """
        self._opened.jobs.wake()
        wait_for_links(self._opened, timeout_s, progress or _silent)
        return self._queue.list(LinkStatus.WAITING)

    def _chosen(self, source_ids: Sequence[str] | None, collection: str | None) -> tuple[Source, ...]:
        if source_ids is not None:
            found = self._named(source_ids)
        else:
            found = tuple(one for one in self._rooms.shelf.list(self._reading.namespace) if one.kind == "bookmark")
        return tuple(one for one in found if collection is None or collection in one.collections)

    def _named(self, source_ids: Sequence[str]) -> tuple[Source, ...]:
        found = self._rooms.shelf.titles(source_ids)
        return tuple(found.get(one) or self._rooms.shelf.get(one) for one in source_ids)

    def _planned(self, chosen: Sequence[Source]) -> LinkPlan:
        have = {source.source_key for source in self._rooms.shelf.list(self._reading.namespace)}
        waiting = {link.url for link in self._queue.list(LinkStatus.WAITING)}
        addresses = {address_of(source): source for source in reversed(chosen) if address_of(source)}
        new = [(url, source) for url, source in reversed(addresses.items()) if url not in have and url not in waiting]
        hosts = Counter(host_of(url) for url, _ in new)
        return LinkPlan(
            hosts=dict(hosts.most_common()),
            also=tuple(sorted({host for url, _ in new for host in hosts_besides(url)} - set(hosts))),
            total=len(new),
            source_ids=_ids([source for _, source in new]),
            fetched=sum(url in have for url in addresses),
            waiting=sum(url in waiting for url in addresses),
        )


def links_of_run(rooms: Rooms, run: IngestRun) -> tuple[Link, ...]:
    """Return the links of the bookmarks that a run took in or found unchanged."""
    ids = dict.fromkeys(one.source_id for one in run.results if one.kind == "bookmark" and one.source_id is not None)
    wanted = [
        one for one in rooms.shelf.titles(tuple(ids)).values() if one.status is SourceStatus.ACTIVE and address_of(one)
    ]
    known = [one for one in wanted if rooms.shelf.active(address_of(one), one.namespace) is None]
    return tuple(_link_of(one, run.run_id) for one in known)


def harvest_of(rooms: Rooms, take: Taker, stop: threading.Event) -> Harvest:
    """Build the background work of fetching for one vault.

    Args:
        rooms: the open vault.
        take: takes a fetched page in.
        stop: once set, everything under way ends.
    """
    config = rooms.config
    robots = Robots(rooms.egress, stop)
    door = PoliteDoor(rooms.egress, robots.rules, config.link_delay_s, stop)
    plain = PoliteDoor(rooms.egress, everything_allowed, config.link_delay_s, stop)

    def fetch(link: Link) -> WebPage:
        given = SourceInput(url=link.url, namespace=link.namespace)
        return fetch_page(rooms, given, plain if link.is_named else door, probes=link.is_named)

    return Harvest(rooms.history.links, fetch, take, stop=stop, parallel=config.link_parallel_count)


def held_up(rooms: Rooms) -> str | None:
    """Say why no link can be fetched now; None where none waits at all."""
    if not rooms.history.links.waiting_count():
        return None
    return OFFLINE if rooms.offline else ""


def wait_for_links(opened: OpenVault, timeout_s: float | None, notify: Callable[[Progress], None]) -> None:
    """Wait until every link was tried once, or nothing can go on now, telling how far it is."""
    queue = opened.rooms.history.links
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    total = queue.waiting_count()
    is_paused = partial(_is_paused, opened)
    while (queue.due_count() or opened.harvest.is_busy()) and not opened.rooms.offline and not is_paused():
        done = total - queue.waiting_count()
        notify(Progress(run_id="", stage=CHORE, done=done, total=total, unit="links"))
        if opened.is_closing() or (deadline is not None and time.monotonic() > deadline):
            return
        time.sleep(_LOOK_S)


def address_of(source: Source) -> str:
    """Return the web address that a bookmark or a reference leads to, or an empty string."""
    if scheme_of(source.uri) in WEB_SCHEMES:
        return source.uri
    names = source.identifiers
    if "arxiv" in names:
        return f"https://arxiv.org/abs/{names['arxiv']}"
    return f"https://doi.org/{names['doi']}" if "doi" in names else ""


def _link_of(source: Source, run_id: str) -> Link:
    url = source.source_key if scheme_of(source.source_key) in WEB_SCHEMES else address_of(source)
    return Link(
        url=url,
        host=host_of(url),
        title=source.title,
        source_id=source.source_id,
        namespace=source.namespace,
        collections=source.collections,
        tags=source.tags,
        run_id=run_id,
    )


def _ids(sources: Iterable[Source]) -> tuple[SourceId, ...]:
    return tuple(source.source_id for source in sources)


def _is_paused(opened: OpenVault) -> bool:
    return any(task.name == CHORE and task.status == "paused" for task in opened.jobs.tasks())


def _silent(_: Progress) -> None:
    return None
