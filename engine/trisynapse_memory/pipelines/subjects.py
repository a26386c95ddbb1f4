"""Claims, summaries and sources in, what wiki pages are about out. Everything is read, nothing is compiled or kept.

A concept has a page when at least two statements are about it, or a summary is, and keeps it while one is; a source
when it has a summary or a claim that may be shown; a collection when one of its sources has a summary.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.contracts import ClaimReader, SummaryReader
from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.quotes import headings_of, quote_of_sentence, support_of, visible_records
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.types import (
    Claim,
    ClaimSide,
    CorrectionDetails,
    Kind,
    Node,
    RecordId,
    Scope,
    Source,
    SourceId,
    Summary,
    WikiPage,
)
from trisynapse_memory.wiki.compiler import (
    UNTOLD,
    Names,
    Struck,
    Subject,
    compile_collection,
    compile_concept,
    compile_source,
)
from trisynapse_memory.wiki.sentences import Quote, former_sides
from trisynapse_memory.wiki.slugs import PageName, name_pages

ENTITY: Final = "entity:"
"""Node ids of entities are this and the entity's key."""

CORRECTION: Final = "correction"
"""The pattern of a fact that she wrote herself."""

CLAIM_LIMIT: Final = 50_000  # claims of a vault that pages are made of, best supported first
CONCEPT_LIMIT: Final = 2_000  # pages; beyond the best connected entities nobody browses
STATEMENTS: Final = 2  # fewer about a concept make no page

_AMOUNT: Final = re.compile(r"[\d.,]+\s")


@dataclass(frozen=True, slots=True)
class Amendments:
    """Her corrections: reasons by the id of the correcting fact, struck values by claim."""

    reasons: Mapping[str, str]
    struck: Mapping[str, tuple[Struck, ...]]


@dataclass(frozen=True, slots=True)
class Topic:
    """One page to be: its identity, which outlives new versions and names, its kind, and all that is known."""

    page_id: str
    kind: str
    subject: Subject


@dataclass(frozen=True, slots=True)
class Atlas:
    """Everything that has a page at one moment, and the names by which pages find each other."""

    topics: tuple[Topic, ...]
    names: Names

    def compile(self, topic: Topic) -> WikiPage:
        """Return the page of a topic."""
        compilers: dict[str, Callable[[Subject, Names], WikiPage]] = {
            "concept": compile_concept,
            "source": compile_source,
            "collection": compile_collection,
        }
        return compilers[topic.kind](topic.subject, self.names)


def _is_never_pending(_: SourceId) -> bool:
    return False


class Subjects:
    """Reads what pages are about from the claims, the summaries and the log.

    Args:
        log: the log.
        shelf: its sources.
        claims: the compiled claims.
        summaries: the group summaries.
        is_pending: whether facts or the summary of a source are still to be made.
        state: a value that changes whenever the claims or summaries do (``file_state``), so that what was gathered
            before need not be gathered again; without it nothing is remembered.
    """

    def __init__(
        self,
        log: MemoryLog,
        shelf: Shelf,
        claims: ClaimReader,
        summaries: SummaryReader,
        is_pending: Callable[[SourceId], bool] = _is_never_pending,
        state: Callable[[], object] | None = None,
    ) -> None:
        self.is_pending = is_pending
        self._state = state
        self._log = log
        self._shelf = shelf
        self._claims = claims
        self._summaries = summaries

    def state(self, scope: Scope) -> object | None:
        """Return a value that is equal as long as ``gather`` would find the same, or None where that is not known."""
        return None if self._state is None else (self._state(), self._log.head(), scope)

    def gather(self, scope: Scope, taken: Mapping[str, str]) -> Atlas:
        """Return all topics of a scope.

        Args:
            scope: whose memory, and as of when.
            taken: page id -> slug of pages that exist; they keep it.
        """
        claims = self._claims.list(scope, shown=True, limit=CLAIM_LIMIT)
        amendments = self._amendments(claims)
        topics = self._concepts(scope, claims, amendments, taken)
        sources = [source for source in self._shelf.list(scope.namespace) if _is_inside(source, scope)]
        topics += self._sources(sources, claims)
        topics += self._collections(sources, claims, topics)
        slugs = name_pages([PageName(one.page_id, one.kind, one.subject.title) for one in topics], taken)
        named = tuple(Topic(one.page_id, one.kind, _with_slug(one.subject, slugs[one.page_id])) for one in topics)
        return Atlas(named, _names_of(named))

    def _concepts(
        self, scope: Scope, claims: Sequence[Claim], amendments: Amendments, taken: Mapping[str, str]
    ) -> list[Topic]:
        nodes = [node for node in self._claims.entities(scope, limit=CONCEPT_LIMIT) if _can_be_a_title(node.label)]
        about = _claims_by_entity(nodes, claims)
        summaries = {node.node_id: self._summary(f"concept:{entity_key(node.label)}") for node in nodes}
        leads = self._leads(summaries.values())
        topics: list[Topic] = []
        for node in nodes:
            summary = summaries[node.node_id]
            lead = leads.get(summary.group_id, ()) if summary is not None else ()
            page_id = _concept_id(node, taken)
            needed = 1 if page_id in taken else STATEMENTS
            if not lead and _statement_count(about[node.node_id]) < needed:
                continue
            subject = Subject(
                slug="",
                title=node.label,
                about=_entity_of(node),
                aliases=tuple(name for name in node.aliases if name != node.label),
                claims=tuple(about[node.node_id]),
                lead=lead,
                corrections=amendments.reasons,
                struck=amendments.struck,
            )
            topics.append(Topic(page_id, "concept", subject))
        return topics

    def _sources(self, sources: Sequence[Source], claims: Sequence[Claim]) -> list[Topic]:
        by_source: dict[str, list[Claim]] = defaultdict(list)
        for claim in claims:
            for source_id in {one.source_id for side in claim.sides for one in side.supports if one.source_id}:
                by_source[source_id].append(claim)
        summaries = {source.source_id: self._summary(f"source:{source.source_id}") for source in sources}
        leads = self._leads(summaries.values())
        topics: list[Topic] = []
        for source in sources:
            lead = leads.get(f"source:{source.source_id}", ())
            own = by_source.get(source.source_id, [])
            if not lead and not own:
                continue
            subject = Subject(
                slug="",
                title=source.title,
                about=source.source_id,
                claims=tuple(own),
                lead=lead,
                contents=headings_of(self._log, source) if source.record_count > 1 else (),
                source_ids=(source.source_id,),
            )
            topics.append(Topic(source_page_id(source), "source", subject))
        return topics

    def _collections(self, sources: Sequence[Source], claims: Sequence[Claim], topics: Sequence[Topic]) -> list[Topic]:
        leads = {str(topic.subject.about): topic.subject.lead for topic in topics if topic.kind == "source"}
        members: dict[str, list[Source]] = defaultdict(list)
        for source in sources:
            for name in source.collections:
                members[name].append(source)
        summaries = {name: self._summary(f"collection:{name}") for name in members}
        own = self._leads(summaries.values())
        made: list[Topic] = []
        for name, inside in members.items():
            told = [source for source in inside if leads.get(source.source_id)]
            if not told:
                continue
            firsts = tuple(_first_sentence(source, leads[source.source_id]) for source in told)
            subject = Subject(
                slug="",
                title=name,
                about=name,
                claims=tuple(claims),
                lead=own.get(f"collection:{name}", ()),
                contents=firsts,
                source_ids=tuple(source.source_id for source in inside),
            )
            made.append(Topic(f"collection:{name}", "collection", subject))
        return made

    def _summary(self, group_id: str) -> Summary | None:
        return self._summaries.get(group_id)

    def _leads(self, summaries: Iterable[Summary | None]) -> dict[str, tuple[Quote, ...]]:
        """Return the sentences of each group that their evidence carries, with the places they stand at."""
        known = [summary for summary in summaries if summary is not None]
        wanted = {record_id for summary in known for one in summary.sentences for record_id in one.record_ids}
        records = visible_records(self._log, wanted)
        titles = self._shelf.titles([record.source_id for record in records.values() if record.source_id])
        leads: dict[str, tuple[Quote, ...]] = {}
        for summary in known:
            quotes = (quote_of_sentence(one, records, titles) for one in summary.sentences)
            leads[summary.group_id] = tuple(quote for quote in quotes if quote is not None)
        return leads

    def _amendments(self, claims: Sequence[Claim]) -> Amendments:
        """Return what she corrected among these claims: her reasons, and the values that were struck."""
        by_fact = {
            one.fact_id: claim
            for claim in claims
            for side in claim.sides
            for one in side.supports
            if one.pattern == CORRECTION or former_sides(claim)
        }
        reasons: dict[str, str] = {}
        struck: dict[str, tuple[Struck, ...]] = {}
        for fact_id, record in visible_records(self._log, by_fact).items():
            if isinstance(record.payload, CorrectionDetails):
                reasons[fact_id] = record.payload.reason
                claim = by_fact[RecordId(fact_id)]
                old = self._struck(claim, record.payload)
                struck[claim.claim_id] = (*struck.get(claim.claim_id, ()), *old)
        return Amendments(reasons, struck)

    def _struck(self, claim: Claim, details: CorrectionDetails) -> tuple[Struck, ...]:
        """Return the value that a correction struck, where it was a fact and its evidence may be seen."""
        old = self._log.get(details.target_record_id)
        evidence = visible_records(self._log, old.evidence_ids)
        if old.kind is not Kind.FACT or not old.object or not evidence or old.object in claim.objects:
            return ()
        titles = self._shelf.titles([record.source_id for record in evidence.values() if record.source_id])
        supports = tuple(
            structs.replace(support_of(record, None, titles), fact_id=old.id, excerpt=old.text, locator=old.locator)
            for record in evidence.values()
        )
        side = ClaimSide(value=old.object, normalised=old.object.casefold(), supports=supports)
        return ((side, details.reason),)


def file_state(*paths: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, times (ns) and sizes of SQLite files and their WALs: each commit changes one of them."""
    parts = [part for path in paths for part in (path, path.with_name(f"{path.name}-wal"))]
    found = [(part.name, part.stat()) for part in parts if part.exists()]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)


def source_page_id(source: Source) -> str:
    """Return the identity of a source's page: that of its key, so that a new version changes the page it has."""
    key = f"{namespace_key(source.namespace)}\x1f{source.source_key}"
    return f"source:{hashlib.sha256(key.encode()).hexdigest()[:20]}"


def _entity_of(node: Node) -> str:
    """Return the entity key of a node, or that of its name where the node has another kind of id."""
    return node.node_id.removeprefix(ENTITY) if node.node_id.startswith(ENTITY) else entity_key(node.label)


def _concept_id(node: Node, taken: Mapping[str, str]) -> str:
    """Return the identity of a concept's page: one that exists under any of its names, else that of its name."""
    ids = [f"concept:{entity_key(name)}" for name in (node.label, *node.aliases)]
    return next((page_id for page_id in ids if page_id in taken), ids[0])


def _claims_by_entity(nodes: Sequence[Node], claims: Sequence[Claim]) -> dict[str, list[Claim]]:
    """Return the claims of each entity, as subject or as value, under any of its names."""
    owner = {entity_key(name): node.node_id for node in reversed(nodes) for name in (*node.aliases, node.label)}
    found: dict[str, list[Claim]] = {node.node_id: [] for node in nodes}
    for claim in claims:
        said = (f"{ENTITY}{claim.subject_entity}", f"{ENTITY}{claim.object_entity}")
        named = (owner.get(entity_key(name), "") for name in (claim.subject, *claim.objects))
        for node_id in dict.fromkeys((*said, *named)):
            if node_id in found:
                found[node_id].append(claim)
    return found


def _statement_count(claims: Sequence[Claim]) -> int:
    told = (claim for claim in claims if claim.relation not in UNTOLD)
    return len({one.fact_id for claim in told for side in claim.sides for one in side.supports})


def _first_sentence(source: Source, lead: Sequence[Quote]) -> Quote:
    return Quote(lead[0].text, lead[0].supports, (source.title,))


def _can_be_a_title(name: str) -> bool:
    """Tell whether a name names something by itself; "2 epochs" and "32 batches" are amounts."""
    return not is_generic(name) and not _AMOUNT.match(name)


def _with_slug(subject: Subject, slug: str) -> Subject:
    return replace(subject, slug=slug)


def _names_of(topics: Sequence[Topic]) -> Names:
    entities: dict[str, str] = {}
    for topic in topics:
        if topic.kind == "concept":
            for name in (topic.subject.title, *topic.subject.aliases):
                entities.setdefault(entity_key(name), topic.subject.slug)
    return Names(entities, {one.subject.about: one.subject.slug for one in topics if one.kind == "source"})


def _is_inside(source: Source, scope: Scope) -> bool:
    return scope.source_ids is None or SourceId(source.source_id) in scope.source_ids
