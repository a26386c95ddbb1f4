"""What flows through a question: scope, plan, candidates, rankings, hits and the run; values only."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from trisynapse_memory.types.record import Locator, Modality, Namespace, Record, SourceId
from trisynapse_memory.types.source import SameText


class Scope(Struct, frozen=True, kw_only=True):
    """What a question may look at. ``source_ids`` None means every source; an empty tuple means none.

    ``as_of_seq`` hides every record appended after that log position.
    """

    namespace: Namespace = Namespace(project_id=None)
    source_ids: tuple[SourceId, ...] | None = None
    as_of_seq: int | None = None


class QueryTerm(Struct, frozen=True):
    """One unique index term of a question, with the weight of its form (exact 1.0, other forms less)."""

    key: str
    weight: float = 1.0


class Intent(StrEnum):
    """What kind of answer a question asks for: one thing, several, a moment, a relation or cause, a judgement."""

    FACT = "fact"
    LIST = "list"
    TEMPORAL = "temporal"
    MULTI_HOP = "multi_hop"
    INFERENCE = "inference"


class Period(Struct, frozen=True):
    """A stretch of days that a question names, both ends included; None where that side is open."""

    start: date | None
    end: date | None


class QueryPlan(Struct, frozen=True, kw_only=True):
    """What the planner decided: intent, terms, routes with their weights, and budgets.

    ``rare_terms`` are identifiers and exact tokens that fusion must never bury; ``phrases`` are quoted strings.
    ``periods`` are the stretches of time the question names, ``modalities`` the kinds of record ("in which table"),
    ``names`` its capitalised words. ``extra_hops`` are what walks go further than the settings say. ``subject`` is what
    an exhaustive question is about ("how many of my papers mention dropout"): the words that a record must hold to be
    counted, each with the index keys that stand for it; empty for every other question.
    """

    question: str
    intent: Intent
    terms: tuple[QueryTerm, ...]
    rare_terms: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    periods: tuple[Period, ...] = ()
    modalities: tuple[Modality, ...] = ()
    names: tuple[str, ...] = ()
    subject: tuple[tuple[str, ...], ...] = ()
    profile: str = "balanced"
    route_weights: dict[str, float] = {}
    fusion: str = "convex"
    candidate_limit: int = 100
    hit_limit: int = 12
    extra_hops: int = 0


class Beside(NamedTuple):
    """The log positions of the records before and after one in its conversation or document; None for none."""

    before: int | None
    after: int | None


class TitleLink(NamedTuple):
    """A record (log position) names the title of a source; ``name_count`` records name the same entity (1 or more).

    ``title`` is in small letters without punctuation; several sources may bear one.
    """

    seq: int
    title: str
    source_id: str
    name_count: int


class Tie(NamedTuple):
    """One node of the record graph leads to another, this strongly, in (0, 1].

    A record is its log position, an entity its number in the graph as a negative one.
    """

    source: int
    target: int
    weight: float


class Statement(NamedTuple):
    """What a visible fact (log position) states, in words, and the log positions of the evidence it rests on."""

    seq: int
    text: str
    evidence: tuple[int, ...]


class TermHolders(Struct, frozen=True, kw_only=True):
    """Which of some records hold which index keys, and how rare the keys are among all records in scope."""

    record_count: int
    frequencies: dict[str, int]
    holders: dict[str, frozenset[int]]


class Candidate(Struct, frozen=True):
    """A record that a route proposes, by log position, with the route's own score and one word why."""

    seq: int
    score: float
    why: str = ""


Ranking = tuple[Candidate, ...]
"""Candidates, best first; ties in log order."""


class Hit(Struct, frozen=True, kw_only=True):
    """A grounded record: the record itself, the passage shown, and where its score comes from.

    ``score`` is mostly in [0, 3], more for an exact identifier; ``parts`` names what it is made of: scores of routes in
    their own units, and what was added or taken. ``mark`` says where the words are not the source's own ("a model's
    description of the page"); such a hit is no evidence. ``copies`` are other sources that say the same words as its
    source: they are named here instead of being hits of their own.
    """

    record: Record
    score: float
    title: str
    excerpt: str
    locator: Locator | None
    parts: dict[str, float] = {}
    source_key: str = ""
    kind: str = ""
    mark: str = ""
    copies: tuple[SameText, ...] = ()


class Coverage(Struct, frozen=True, kw_only=True):
    """How much of the vault a result rests on, and what was not ready or off.

    ``matched_records`` and ``matched_sources`` are totals over everything in scope, for a question about the sources
    themselves; None for any other.
    """

    sources_in_scope: int = 0
    records_in_scope: int = 0
    examined: int = 0
    used: int = 0
    matched_records: int | None = None
    matched_sources: int | None = None
    not_embedded: int = 0
    unreadable_sources: int = 0
    parts_off: tuple[str, ...] = ()


class Matches(Struct, frozen=True, kw_only=True):
    """All that an exhaustive question is about: how many records and sources hold its subject.

    ``best`` is one log position a source, that of its record with most of the subject, best first; a record without a
    source stands for itself.
    """

    record_count: int
    source_count: int
    best: tuple[int, ...]


class RouteRow(Struct, frozen=True, kw_only=True):
    """One row of a route's list in an explained result."""

    record_id: str
    rank: int
    score: float


class SearchResult(Struct, frozen=True, kw_only=True):
    """Ranked evidence without an answer; ``routes``, ``fusion``, ``gate`` and ``steps`` when explained.

    ``descriptions`` are pages without text that a model has described in these words. They stand apart, for they are no
    evidence; each carries its mark.
    """

    query_id: str
    question: str
    hits: tuple[Hit, ...]
    plan: QueryPlan
    descriptions: tuple[Hit, ...] = ()
    stage: str = "fast"
    coverage: Coverage = Coverage()
    routes: dict[str, tuple[RouteRow, ...]] = {}
    fusion: tuple[RouteRow, ...] = ()
    gate: dict[str, float] = {}
    steps: tuple[QueryStep, ...] = ()
    timings_ms: dict[str, float] = {}


class QueryStep(Struct, frozen=True, kw_only=True):
    """One step of a query run: what it took, what it gave, how long (ms)."""

    phase: str
    duration_ms: float
    summary: dict[str, str] = {}
    candidates: dict[str, tuple[RouteRow, ...]] = {}
    error: str = ""


class QueryRun(Struct, frozen=True, kw_only=True):
    """How one question was answered: every step, kept in ``runs.db`` and never part of the log.

    ``looked_up`` is what was searched for where a follow-up question cannot be understood alone. ``scope``,
    ``head_seq`` (where the log ended) and ``top_k`` are what the question needs to be asked again; ``ranks`` are the
    hits in their order. ``weights`` are the learned weights it was ranked with, where they differed from the defaults.
    """

    query_id: str
    mode: str
    question: str
    status: str
    created_at: datetime
    duration_ms: float = 0.0
    steps: tuple[QueryStep, ...] = ()
    abstain: bool = False
    reason: str = ""
    cited_record_ids: tuple[str, ...] = ()
    looked_up: str = ""
    scope: Scope | None = None
    head_seq: int = 0
    top_k: int | None = None
    ranks: tuple[RouteRow, ...] = ()
    weights: dict[str, float] = {}


class RankMove(Struct, frozen=True, kw_only=True):
    """Where a record stood in a query run and where it stands in the replay; None where it is not among the hits."""

    record_id: str
    title: str
    before: int | None
    after: int | None


class Replay(Struct, frozen=True, kw_only=True):
    """A question asked again as it was asked then, perhaps with other settings: what moved.

    ``changed`` are the settings it was replayed with in place of those in force. ``same`` says that the hits and their
    order are those of the run. ``vault_grew`` says that records were added since; they are hidden from the replay, but
    the statistics of words follow what is visible today, so small differences may come of it.
    """

    query_id: str
    question: str
    changed: dict[str, float | int | str]
    moves: tuple[RankMove, ...]
    same: bool
    vault_grew: bool
    hits: tuple[Hit, ...]
    coverage: Coverage = Coverage()
