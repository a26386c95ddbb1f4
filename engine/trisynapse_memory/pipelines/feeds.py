"""An address or a search at arXiv in, a feed that is followed out. Nobody is asked for anything before she agreed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.feed_rounds import id_of, owner_of
from trisynapse_memory.pipelines.staffing.choices import Followed
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.preprocessing.web.feeds import FeedAddress, read_address
from trisynapse_memory.providers.network.addresses import target_of
from trisynapse_memory.types import Feed, FeedPlan, Namespace

if TYPE_CHECKING:
    from trisynapse_memory.pipelines.opening import OpenVault


class Feeds:
    """The noun door ``engine.feeds``.

    Args:
        opened: the open vault.
        writer: the namespace that feeds are read into from here.
        reader: the namespace whose feeds are seen from here.
    """

    def __init__(self, opened: OpenVault, writer: Namespace, reader: Namespace) -> None:
        self._rounds = opened.feeds
        self._config = opened.rooms.config
        self._writer = writer
        self._reader = reader

    def plan(self, address: str) -> FeedPlan:
        """Say what following would mean: which host is asked for what, and how often. Nothing is asked.

        Args:
            address: the address of a feed, or a search at arXiv in its words: ``cat:cs.CL AND abs:retrieval``.

        Raises:
            InvalidInputError: it is neither.
        """
        one = self._meant(address)
        return FeedPlan(
            url=one.url,
            host=host_of(one.url),
            query=one.query,
            interval_h=self._config.feed_interval_h,
            is_followed=any(id_of(other) == id_of(one) for other in self._rounds.followed()),
        )

    def follow(self, address: str, collection: str = "") -> Feed:
        """Follow a feed on this machine from now on: this is her consent. ``refresh`` reads it.

        Args:
            address: as for ``plan``.
            collection: where its entries go; without one they lie in a collection named as the feed calls itself.

        Raises:
            InvalidInputError: it is no address and no search, or it is followed already.
        """
        one = structs.replace(self._meant(address), collection=" ".join(collection.split()))
        if any(id_of(other) == id_of(one) for other in self._rounds.followed()):
            raise InvalidInputError(f"'{one.url}' is followed already.", hint="`feeds list` shows how it stands.")
        self._rounds.put(one)
        return self._rounds.standing(one)

    def list(self) -> tuple[Feed, ...]:
        """Return the feeds that are followed on this machine, in the order they were added."""
        return tuple(self._rounds.standing(one) for one in self._seen())

    def refresh(self, feed_id: str = "") -> tuple[Feed, ...]:
        """Ask for a feed now, or for all that are not paused, and take in what is new; return how they stand.

        A feed that cannot be had says why in its ``fault``; one whose server named a time to come back waits for it.

        Raises:
            InvalidInputError: no feed has that id.
        """
        chosen = (self._one(feed_id),) if feed_id else tuple(one for one in self._seen() if not one.is_paused)
        return tuple(self._rounds.refresh(one) for one in chosen)

    def pause(self, feed_id: str) -> Feed:
        """Ask for a feed no more by itself, until ``resume``.

        Raises:
            InvalidInputError: no feed has that id.
        """
        return self._changed(structs.replace(self._one(feed_id), is_paused=True))

    def resume(self, feed_id: str) -> Feed:
        """Ask for a feed again when it is due.

        Raises:
            InvalidInputError: no feed has that id.
        """
        resumed = self._changed(structs.replace(self._one(feed_id), is_paused=False))
        self._rounds.wake()
        return resumed

    def unfollow(self, feed_id: str) -> tuple[Feed, ...]:
        """Follow a feed no longer; its entries stay in the vault. Return those that are still followed.

        Raises:
            InvalidInputError: no feed has that id.
        """
        self._rounds.drop(id_of(self._one(feed_id)))
        return self.list()

    def listen(self, told: Callable[[Feed], None]) -> None:
        """Tell somebody, in this process, of each feed that was asked."""
        self._rounds.listen(told)

    def _meant(self, address: str) -> Followed:
        read: FeedAddress = read_address(address, self._config.feed_arxiv_count)
        target_of(read.url)  # an address with a password in it must not be kept
        keys = {name: value for name, value in structs.asdict(self._writer).items() if value is not None}
        title = f"arXiv: {read.query}" if read.query else ""
        return Followed(url=read.url, query=read.query, title=title, owner=keys)

    def _seen(self) -> tuple[Followed, ...]:
        return tuple(one for one in self._rounds.followed() if self._reader.sees(owner_of(one)))

    def _one(self, feed_id: str) -> Followed:
        for one in self._seen():
            if id_of(one) == feed_id:
                return one
        raise InvalidInputError(f"There is no feed '{feed_id}'.", hint="`feeds list` shows all ids.")

    def _changed(self, one: Followed) -> Feed:
        self._rounds.put(one)
        return self._rounds.standing(one)
