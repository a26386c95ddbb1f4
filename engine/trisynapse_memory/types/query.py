"""What flows through a question: scope, plan, candidates, rankings, hits and the run; values only."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

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
    ``names`` its capitalised words. ``is_exhaustive`` says that it asks about the sources themselves ("how many of my
    papers ..."), so that all that match are counted.
    """

    question: str
    intent: Intent
    terms: tuple[QueryTerm, ...]
    rare_terms: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    periods: tuple[Period, ...] = ()
    modalities: tuple[Modality, ...] = ()
    names: tuple[str, ...] = ()
    is_exhaustive: bool = False
    profile: str = "balanced"
    route_weights: dict[str, float] = {}
    fusion: str = "convex"
    candidate_limit: int = 100
    hit_limit: int = 12


class Candidate(Struct, frozen=True):
    """A record that a route proposes, by log position, with the route's own score and one word why."""

    seq: int
    score: float
    why: str = ""


Ranking = tuple[Candidate, ...]
"""Candidates, best first; ties in log order."""


class Hit(Struct, frozen=True, kw_only=True):
    """A grounded record: the record itself, the passage shown, and where its score comes from.

    ``score`` is in [0, about 2]; ``parts`` names each part (route scores, exact-token bonus). ``mark`` says where the
    words are not the source's own ("a model's description of the page"); such a hit is no evidence. ``copies`` are
    other sources that say the same words as its source: they are named here instead of being hits of their own.
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
    """How much of the vault a result rests on, and what was not ready or off."""

    sources_in_scope: int = 0
    records_in_scope: int = 0
    examined: int = 0
    used: int = 0
    not_embedded: int = 0
    unreadable_sources: int = 0
    parts_off: tuple[str, ...] = ()


class RouteRow(Struct, frozen=True, kw_only=True):
    """One row of a route's list in an explained result."""

    record_id: str
    rank: int
    score: float


class SearchResult(Struct, frozen=True, kw_only=True):
    """Ranked evidence without an answer; ``routes``, ``fusion`` and ``gate`` are filled when explained.

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
    timings_ms: dict[str, float] = {}


class QueryStep(Struct, frozen=True, kw_only=True):
    """One step of a query run: what it took, what it gave, how long (ms)."""

    phase: str
    duration_ms: float
    summary: dict[str, str] = {}
    candidates: dict[str, tuple[RouteRow, ...]] = {}
    error: str = ""


class QueryRun(Struct, frozen=True, kw_only=True):
    """How one question was answered: every step, kept in ``runs.db`` and never part of the log."""

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
