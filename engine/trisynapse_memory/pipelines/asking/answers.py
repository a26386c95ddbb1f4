"""What was found for a question in, an answer out: its sentences, every side of a dispute, what corrections replaced.

Nothing is retrieved and no model is asked here; everything that is read is read in one state of the vault, which the
caller pins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import uuid4

from msgspec import Struct, structs

from trisynapse_memory.answering.abstention import NAMED_LIMIT
from trisynapse_memory.answering.citations import Place, nearest_at, nearest_to
from trisynapse_memory.answering.completing import complete_draft, without_places
from trisynapse_memory.answering.disputes import show_disputes
from trisynapse_memory.answering.inquiry import Inquiry, Statistics, TextKeys
from trisynapse_memory.answering.listing import LISTED_SOURCES
from trisynapse_memory.answering.synthesizer import Composition, Tools, compose, inquire
from trisynapse_memory.grounding.corrections import Corrections, visible_in
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.passages import best_passage, best_row
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log.strikes import struck_spans
from trisynapse_memory.pipelines.asking.recent import RecentVectors
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.ranking import Fused
from trisynapse_memory.types import (
    Answer,
    AnswerForm,
    Candidate,
    Citation,
    CitationVerdict,
    Claim,
    ClaimStatus,
    Coverage,
    Hit,
    Locator,
    Matches,
    Nearest,
    QueryPlan,
    QueryStep,
    Scope,
    StruckSentence,
    Support,
)

OUTSIDE_RECORDS: Final = 30  # looked at outside the chosen scope, for a refusal; as many as answer inside it
OUTSIDE_COVERAGE: Final = 0.5  # of the question's weight, in one record, for its source to be named
EVIDENCE_PASSAGES: Final = 3  # shown before any answer, at least


class Found(Struct, frozen=True, kw_only=True):
    """What the first half of the corridor found, for both of its ends."""

    plan: QueryPlan
    rankings: dict[str, tuple[Candidate, ...]]
    fused: tuple[Fused, ...]
    hits: tuple[Hit, ...]
    coverage: Coverage
    steps: tuple[QueryStep, ...]
    matches: Matches | None = None
    weights: dict[str, float] = {}


class Settled(NamedTuple):
    """A composition before and after every side of a dispute was added, those claims, and what corrections replaced."""

    quoted: Composition
    composition: Composition
    contested: tuple[Claim, ...]
    struck: tuple[StruckSentence, ...]


class Answers:
    """Makes answers of what was found.

    Args:
        rooms: the open vault.
        places: where words stand on their pages.
        grounder: reads the records beside others.
    """

    def __init__(self, rooms: Rooms, places: Places, grounder: Grounder) -> None:
        self._rooms = rooms
        self._places = places
        self._grounder = grounder
        self._vectors_of = RecentVectors(rooms.embedder.embed)

    def compose(self, found: Found, scope: Scope, heard: float | None = None) -> tuple[Inquiry, Composition]:
        """Take the question apart, and answer it in the words of the sources; ``heard`` as in ``Tools``."""
        embedder, away = self._rooms.embedder, self._rooms.config.answer_beside_records
        tools = Tools(
            locate=self.locate,
            count_tokens=embedder.token_counts,
            embed=None if "semantic" in found.coverage.parts_off else self._vectors_of,
            beside=lambda hit, step: self._grounder.beside(hit, step, away, scope.as_of_seq),
            outside=None if scope.source_ids is None else lambda inquiry: self._outside(inquiry, found.plan, scope),
            heard=heard,
        )
        statistics = self._statistics(found.plan, scope)
        question = found.plan.question
        inquiry = inquire(question, found.plan, found.hits, statistics)
        composition = compose(
            question,
            found.plan,
            found.hits,
            tools=tools,
            statistics=statistics,
            config=self._rooms.config,
            matches=self._matched(found, scope),
        )
        return inquiry, _counted(composition, found)

    def _matched(self, found: Found, scope: Scope) -> tuple[Hit, ...]:
        """Return a record of each source that holds what a question about the sources themselves is about."""
        if found.matches is None:
            return ()
        best: list[tuple[int, float, dict[str, float]]] = [
            (seq, 1.0, {}) for seq in found.matches.best[:LISTED_SOURCES]
        ]
        return self._grounder.ground(found.plan, best, LISTED_SOURCES, shown=False, as_of_seq=scope.as_of_seq)

    def settle(self, composition: Composition, found: Found, scope: Scope) -> Settled:
        """Add every side of what the sources dispute, and what the cited corrections replaced."""
        seqs = tuple({place.seq for place in composition.places})
        claims = self._rooms.claims.of_records(seqs, scope) if seqs else ()
        disputed = [claim for claim in claims if claim.shown and claim.status is ClaimStatus.CONTESTED]
        question = found.plan.question
        shown, contested = show_disputes(
            composition, disputed, lambda support, n: self._cite(support, n, scope), question
        )
        if contested and shown.form is AnswerForm.YES_NO:  # where sources disagree, nobody says yes for them
            shown = structs.replace(shown, form=AnswerForm.PLAIN, lead="")
        return Settled(composition, shown, contested, self._struck(shown, found.hits, scope))

    def settle_draft(self, draft: Composition, settled: Settled, found: Found, scope: Scope) -> Settled | None:
        """Settle what a model wrote from the same evidence, with what it left out; None where it may not be shown."""
        seen = without_places(draft, self._gone(draft, scope))
        if not seen.sentences:
            return None
        made = complete_draft(seen, settled.quoted)
        return self.settle(structs.replace(made, gate=settled.quoted.gate), found, scope)

    def _gone(self, draft: Composition, scope: Scope) -> set[int]:
        """The cited records that were hidden, or corrected at the place, while the model wrote."""
        seqs = list({place.seq for place in draft.places})
        visible = visible_in(self._rooms.log, seqs, scope.as_of_seq)
        strikes = struck_spans(self._rooms.log, seqs, scope.as_of_seq)
        struck = {
            place.seq
            for place in draft.places
            if any(one.start < place.end and place.start < one.end for one in strikes.get(place.seq, ()))
        }
        return (set(seqs) - visible) | struck

    def answer(self, settled: Settled, found: Found, scope: Scope) -> Answer:
        """Return an answer of what was settled; the caller adds what a model had to do with it, and the times."""
        composition = settled.composition
        cited = {citation.record_id for citation in composition.citations}
        return Answer(
            query_id=new_query_id(),
            question=found.plan.question,
            answer=" ".join(filter(None, (composition.lead, *(one.text for one in composition.sentences)))),
            abstain=composition.abstain,
            reason=composition.reason,
            level=composition.level,
            sentences=composition.sentences,
            citations=composition.citations,
            coverage=structs.replace(found.coverage, used=len(cited)),
            nearest=composition.nearest,
            withheld=composition.withheld,
            would_answer=composition.would_answer,
            contested=settled.contested,
            struck=settled.struck,
            as_of_seq=scope.as_of_seq,
            confidence=settled.quoted.gate.get("probability", 0.0),
            form=composition.form,
            lead=composition.lead,
        )

    def passages(self, found: Found, quoted: Composition) -> tuple[Nearest, ...]:
        """The evidence as it is shown before any answer: what would be quoted, then the best of the other hits."""
        cited = {citation.record_id: nearest_to(citation) for citation in quoted.citations}
        weights = {term.key: term.weight for term in found.plan.terms}
        passages = [*cited.values(), *quoted.nearest]
        known = {one.record_id for one in passages}
        for hit in found.hits[:EVIDENCE_PASSAGES]:
            if hit.record.id not in known:
                best = best_row if hit.locator is not None and hit.locator.kind == "row" else best_passage
                start, end = best(hit.record.text, weights, self._rooms.config.excerpt_max_chars)
                passages.append(nearest_at(hit, start, end, self.locate))
        return tuple(passages[: max(EVIDENCE_PASSAGES, len(known))])

    def _cite(self, support: Support, n: int, scope: Scope) -> tuple[Citation, Place] | None:
        """Return the citation of one side of a dispute, unless answers may not see its record."""
        record = self._rooms.log.get(support.record_id)
        if record.seq not in visible_in(self._rooms.log, (record.seq,), scope.as_of_seq):
            return None
        source = self._rooms.shelf.titles([str(record.source_id)]).get(str(record.source_id))
        citation = Citation(
            n=n,
            record_id=record.id,
            source_id=record.source_id,
            source_key=source.source_key if source else "",
            title=source.title if source else support.title,
            locator=self._places.locate(record, support.start, support.end),
            excerpt=" ".join(support.excerpt.split())[: self._rooms.config.excerpt_max_chars],
            verdict=CitationVerdict.VERBATIM,
            observed_at=record.observed_at,
        )
        return citation, Place(record.seq, support.start, support.end)

    def _struck(self, composition: Composition, hits: Sequence[Hit], scope: Scope) -> tuple[StruckSentence, ...]:
        """Return what the cited corrections replaced, in the old words."""
        corrections = Corrections(self._rooms.log, scope.as_of_seq)
        cited = {place.seq for place in composition.places}
        records = {hit.record.seq: hit.record for hit in hits if hit.record.seq in cited}
        return tuple(one for record in records.values() for one in corrections.replaced(record))

    def _statistics(self, plan: QueryPlan, scope: Scope) -> Statistics:
        keys = [term.key for term in plan.terms]
        lexical = self._rooms.lexical
        titles, count = self._rooms.shelf.unreadable(scope, NAMED_LIMIT)
        return Statistics(
            frequencies=lexical.frequencies(keys, scope),
            record_count=lexical.record_count(scope),
            unreadable=titles,
            unreadable_count=count,
        )

    def _outside(self, inquiry: Inquiry, plan: QueryPlan, scope: Scope) -> tuple[str, ...]:
        """Return the titles of some sources outside the chosen scope with a record that holds most of the question."""
        found = self._rooms.lexical.search(plan.terms, structs.replace(scope, source_ids=None), OUTSIDE_RECORDS)
        inside = set(map(str, scope.source_ids or ()))
        seqs = [candidate.seq for candidate in found]
        visible = visible_in(self._rooms.log, seqs, scope.as_of_seq)
        records = [record for record in self._rooms.log.by_seqs(seqs) if record.seq in visible and record.source_id]
        near = [
            str(record.source_id)
            for record in records
            if str(record.source_id) not in inside and inquiry.coverage(TextKeys.of(record.text)) >= OUTSIDE_COVERAGE
        ]
        sources = self._rooms.shelf.titles(near)
        titles = dict.fromkeys(sources[one].title for one in near if one in sources)
        return tuple(titles)[:NAMED_LIMIT]

    def locate(self, hit: Hit, start: int, end: int) -> Locator | None:
        """Return the place of a stretch of a hit's text."""
        return self._places.locate(hit.record, start, end)


def _counted(composition: Composition, found: Found) -> Composition:
    """Say before a list of sources how many there are of all; other lists count themselves."""
    if found.matches is None or composition.form is not AnswerForm.LIST or composition.lead:
        return composition
    count, shown = found.matches.source_count, len({one.source_id for one in composition.citations})
    quoted = "" if shown >= count else f"; {shown} {'is' if shown == 1 else 'are'} quoted"
    return structs.replace(composition, lead=f"{count} source{'' if count == 1 else 's'} found{quoted}.")


def new_query_id() -> str:
    """Return an id for one question."""
    return f"q_{uuid4().hex[:16]}"
