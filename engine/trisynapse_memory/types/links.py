"""Addresses that wait to be fetched and what became of them; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from trisynapse_memory.types.record import Namespace, SourceId


class LinkStatus(StrEnum):
    """Where a link stands: it waits, its page is in the vault, its page cannot be had, or she no longer wants it."""

    WAITING = "waiting"
    FETCHED = "fetched"
    FAILED = "failed"
    CANCELLED = "cancelled"


class LinkPlan(Struct, frozen=True, kw_only=True):
    """What fetching would mean, for her consent: how many pages of which hosts, most pages first.

    ``source_ids`` are the bookmarks and references whose pages these are; ``fetched`` counts those whose page is in the
    vault already, ``waiting`` those that wait already. ``also`` are hosts that are asked besides: the catalogues of
    papers, and where the files of a repository lie. A page may still redirect elsewhere.
    """

    hosts: dict[str, int] = {}
    also: tuple[str, ...] = ()
    total: int = 0
    source_ids: tuple[SourceId, ...] = ()
    fetched: int = 0
    waiting: int = 0


class Link(Struct, frozen=True, kw_only=True):
    """One address that she allowed to be fetched.

    ``verdict`` is one or two words (``gone``, ``needs a login``, ``robots say no``, ``no article text``, ``busy``),
    ``note`` the whole sentence. ``source_id`` is the bookmark, ``page_source_id`` its page once it is there.
    ``is_named``: she named this very address, so that robots.txt has no say in it.
    """

    url: str
    host: str
    title: str = ""
    status: LinkStatus = LinkStatus.WAITING
    verdict: str = ""
    note: str = ""
    attempts: int = 0
    retry_at: datetime | None = None
    source_id: SourceId | None = None
    page_source_id: SourceId | None = None
    namespace: Namespace = Namespace()
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    run_id: str = ""
    is_named: bool = False
