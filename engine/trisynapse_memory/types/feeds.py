"""Feeds she follows and how new a source is to the vault; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from trisynapse_memory.types.record import Namespace, SourceId
from trisynapse_memory.types.source import Fault


class FeedStatus(StrEnum):
    """Where a feed stands: not asked yet, fine, could not be had, kept back by the offline switch, or paused by her."""

    WAITING = "waiting"
    FINE = "fine"
    FAILING = "failing"
    OFFLINE = "offline"
    PAUSED = "paused"


class FeedPlan(Struct, frozen=True, kw_only=True):
    """What following would mean, for her consent: who is asked for which address, and how often.

    ``query`` is the search at arXiv that the address stands for, or empty. ``is_followed``: it is followed already.
    """

    url: str
    host: str
    query: str = ""
    interval_h: float = 24.0
    is_followed: bool = False


class Feed(Struct, frozen=True, kw_only=True):
    """A feed that is followed on this machine.

    ``new_count`` and ``changed_count`` are of the last time anything came, at ``came_at``; ``entry_count`` is what the
    feed held then. ``run_id`` is that run in the history. ``next_at`` is when it is asked again at the earliest.
    ``fault`` says why the last try failed; ``failure_count`` counts tries in a row. ``answers_from`` is the host that
    answered where it is another than that of the address.
    """

    feed_id: str
    url: str
    title: str
    query: str = ""
    collection: str = ""
    namespace: Namespace = Namespace()
    status: FeedStatus = FeedStatus.WAITING
    checked_at: datetime | None = None
    came_at: datetime | None = None
    next_at: datetime | None = None
    entry_count: int = 0
    new_count: int = 0
    changed_count: int = 0
    failure_count: int = 0
    fault: Fault | None = None
    answers_from: str = ""
    run_id: str = ""


class Novelty(Struct, frozen=True, kw_only=True):
    """How new a source was to the vault when it came, measured against everything that was there before it.

    ``median`` and ``highest`` are over its passages, of 1 - the highest cosine to an earlier passage of another source:
    0 says the same, 1 has nothing to do with it; both in [0, 1], and 1 where nothing was there. ``level`` is the median
    in a word: ``known``, ``mixed`` or ``new``. ``passage_count`` passages were compared. ``claim_count`` claims rest on
    it; ``new_claim_count`` of them no earlier source says anything about; ``contradicting_count`` are in dispute with
    another source.
    """

    source_id: SourceId
    median: float
    highest: float
    level: str
    passage_count: int
    claim_count: int = 0
    new_claim_count: int = 0
    contradicting_count: int = 0
