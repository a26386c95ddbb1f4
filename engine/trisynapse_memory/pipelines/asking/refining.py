"""A first look that would be refused in, the best of at most three looks out. Every look is judged by the same measure.

Something near was found, but not enough: the question is looked up again with further words, then by further ways (deep
recall, engine.md A9.9). A further look is kept only where it answers beyond doubt. Each is a step of the run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct, structs

from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.asking.answers import Answers, Found
from trisynapse_memory.pipelines.asking.looking import Asking, Lookup
from trisynapse_memory.pipelines.asking.reordering import RERANKER
from trisynapse_memory.pipelines.asking.steps import Stopwatch, ms_since
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.retrieval.refinement import (
    Example,
    choose_likes,
    choose_words,
    deepened,
    propose_likes,
    propose_words,
    respelled_words,
    with_words,
    words_in,
)
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import Hit, QueryPlan, QueryStep, QueryTerm, Scope

WORDS: Final = "refine_1"
WAYS: Final = "refine_2"
ROUNDS: Final = (WORDS, WAYS)
"""The steps of a run that are further looks: with further words, then by further ways."""
GROUPS: Final = "whole sources"
"""The last part of the second round: the sources of the best hits, looked through alone."""
ALL_PARTS: Final = frozenset((*ROUNDS, GROUPS))

GROUP_COUNT: Final = 3  # sources that are looked through alone, those of the best hits
SPELLING_COUNT: Final = 30  # best hits whose words may be what a word of the question is a slip of
FACT_COUNT: Final = 40  # facts whose words are read; some 0.1 ms each
LENS_COUNT: Final = 8  # words of facts that are added; engine.md A9.9


class Look(NamedTuple):
    """What one look found, the question as these hits want it, and the answer or refusal made of them."""

    found: Found
    inquiry: Inquiry
    quoted: Composition

    @property
    def is_near(self) -> bool:
        """Whether it would be refused although something near was found; nothing else is worth another look."""
        gate = self.quoted.gate
        return self.quoted.abstain and gate.get("probability", 0.0) >= gate.get("none_below", 1.0)

    def mends(self, first: Look) -> bool:
        """Whether this look answers beyond doubt what the first one refused, by the same measure.

        Beyond doubt, for three looks are three chances to be wrong: of nine questions of LoCoMo that a look over the
        mere threshold answered, four have no answer, and one was answered from the right turn.
        """
        gate = self.quoted.gate
        return not self.quoted.abstain and not gate.get("doubtful", 1.0) and _measure_of(self) == _measure_of(first)


class _Again(Struct, frozen=True, kw_only=True):
    """A question that is looked up again: its first look, how it was asked, until when (``time.perf_counter``)."""

    first: Look
    scope: Scope
    asking: Asking
    config: Config
    until: float

    def allows(self, part: str) -> bool:
        """Whether a part may be done: while time is left, or, where a run is done again, if it was done then."""
        if self.is_stopped:
            return False
        if self.asking.parts is not None:
            return part in self.asking.parts
        return time.perf_counter() < self.until

    def gathered_by(self, lookup: Lookup, plan: QueryPlan) -> Found:
        """What a wider plan finds; the totals of a question about the sources themselves stay as they are."""
        return lookup.gather(plan, self.scope, self.asking, Stopwatch(), self.first.found.matches)

    @property
    def is_stopped(self) -> bool:
        """Whether she has stopped the question meanwhile."""
        return self.asking.stop is not None and self.asking.stop.is_set()


class Refiner:
    """Looks a question up again that would be refused.

    Args:
        rooms: the open vault.
        lookup: finds the evidence.
        answers: judges it.
    """

    def __init__(self, rooms: Rooms, lookup: Lookup, answers: Answers) -> None:
        self._rooms = rooms
        self._lookup = lookup
        self._answers = answers

    def refine(self, first: Look, scope: Scope, asking: Asking) -> Look:
        """Return the best look; the steps of what it found tell of all, and why there was no further one.

        Args:
            first: the question as it was looked up first.
            scope: what may be looked at.
            asking: how it was looked up; with ``parts``, which further looks are taken whatever the time.
        """
        config = asking.config or self._rooms.config
        until = time.perf_counter() + config.refinement_deadline_ms / 1000
        again = _Again(first=first, scope=scope, asking=asking._replace(read=False), config=config, until=until)
        best, steps = first, list(first.found.steps)
        for name in ROUNDS[: config.max_refinement_rounds]:
            if not best.is_near:
                break
            if not again.allows(name):
                why = "by her" if again.is_stopped else "no time was left"
                steps.append(QueryStep(phase=name, duration_ms=0.0, summary={"stopped": why}))
                break
            best, step = self._round(name, again, best)
            steps.append(step)
        return best._replace(found=structs.replace(best.found, steps=tuple(steps)))

    def _round(self, name: str, again: _Again, best: Look) -> tuple[Look, QueryStep]:
        """Take one further look; return the better of the two, and the step that tells of it."""
        started = time.perf_counter()
        plan, told = self._with_words(again)
        if name == WORDS:
            found = again.gathered_by(self._lookup, plan)
        else:
            found, told = self._further_ways(plan, again)  # with the words of the round before, which told of them
        ways = {way: rows for step in found.steps for way, rows in step.candidates.items()}
        found = structs.replace(found, plan=again.first.found.plan)
        look = Look(found, *self._answers.compose(found, again.scope))
        is_kept = look.mends(again.first)
        told |= _verdict(look, is_kept)
        step = QueryStep(phase=name, duration_ms=ms_since(started), summary=told, candidates=ways)
        return (_beside(look, again.first) if is_kept else best), step

    def _with_words(self, again: _Again) -> tuple[QueryPlan, dict[str, str]]:
        """The plan with words of the best hits, synonyms, and what a word that no record has may be a slip of."""
        plan, hits, lexical = again.first.found.plan, again.first.found.hits, self._rooms.lexical
        best = _examples(hits[: again.config.refinement_feedback_count])
        masses = propose_words(plan, best)
        likes = propose_likes(plan)
        keys = [*(term.key for term in plan.terms), *(key for group in likes for key in group), *masses]
        frequencies = lexical.frequencies(keys, again.scope)
        count = lexical.record_count(again.scope)
        spelled = respelled_words(plan, frequencies, _examples(hits[:SPELLING_COUNT]))
        like = choose_likes(likes, frequencies)
        chosen = choose_words(masses, frequencies, count, again.config.refinement_term_count)
        added = {"spelled": words_in(spelled), "like": words_in(like), "words": words_in(chosen)}
        return with_words(plan, spelled, like, chosen), {name: words for name, words in added.items() if words}

    def _further_ways(self, plan: QueryPlan, again: _Again) -> tuple[Found, dict[str, str]]:
        """Deep recall: what facts say of what is asked about, all that links lead to, and the best sources alone."""
        lens = self._said_about(plan, again)
        deep = deepened(with_words(plan, lens))
        found = again.gathered_by(self._lookup, deep)
        told = {"facts": words_in(lens)} if lens else {}
        narrow = _narrowed(again.scope, found.hits)
        if narrow is None or not again.allows(GROUPS):
            return found, told
        within = self._lookup.gather(deep, narrow, again.asking, Stopwatch())
        known = {hit.record.seq for hit in found.hits}
        more = tuple(hit for hit in within.hits if hit.record.seq not in known)
        return structs.replace(found, hits=(*found.hits, *more)), {**told, "reached": GROUPS}

    def _said_about(self, plan: QueryPlan, again: _Again) -> tuple[QueryTerm, ...]:
        """The query lens of the article: words of facts about what the question names."""
        keys = list(dict.fromkeys(entity_key(name) for name in plan.names))
        said = self._rooms.claims.statements_about(keys, again.scope) if keys else ()
        masses = propose_words(plan, [Example(one.text, 1.0) for one in said[:FACT_COUNT]])
        frequencies = self._rooms.lexical.frequencies([*masses], again.scope)
        return choose_words(masses, frequencies, self._rooms.lexical.record_count(again.scope), LENS_COUNT)


def parts_of(steps: Sequence[QueryStep]) -> frozenset[str]:
    """Return which further looks, and which parts of them, were taken in a run."""
    taken = [step for step in steps if step.phase in ROUNDS and "stopped" not in step.summary]
    return frozenset(
        [step.phase for step in taken] + [step.summary["reached"] for step in taken if "reached" in step.summary]
    )


def _examples(hits: Sequence[Hit]) -> list[Example]:
    """The hits as examples; without what exact words added, or one of them would silence the rest."""
    scores = [max(hit.score - hit.parts.get("exact", 0.0), 0.0) for hit in hits]
    most = max(scores, default=0.0)
    return [Example(hit.record.text, score / most) for hit, score in zip(hits, scores, strict=True) if most]


def _narrowed(scope: Scope, hits: Sequence[Hit]) -> Scope | None:
    """The scope of the sources of the best hits alone; None where that leaves nothing out, or they have none."""
    sources = tuple(dict.fromkeys(hit.record.source_id for hit in hits if hit.record.source_id))[:GROUP_COUNT]
    if not sources or (scope.source_ids is not None and len(scope.source_ids) <= len(sources)):
        return None
    return structs.replace(scope, source_ids=sources)


def _beside(look: Look, first: Look) -> Look:
    """The look that is kept, with what was off in the first one: it is off for the answer."""
    coverage = structs.replace(look.found.coverage, parts_off=first.found.coverage.parts_off)
    return look._replace(found=structs.replace(look.found, coverage=coverage))


def _verdict(look: Look, is_kept: bool) -> dict[str, str]:
    """What a further look came to, as the run tells it."""
    gate = look.quoted.gate
    told = {name: f"{gate[name]:.3f}" for name in ("probability", "threshold") if name in gate}
    return {**told, "answers": "no" if look.quoted.abstain else "yes", "kept": "yes" if is_kept else "no"}


def _measure_of(look: Look) -> tuple[frozenset[str], frozenset[str], bool]:
    """The measure a look was judged by: what of the search was off, the kind of store, whether a person is asked about.

    A cross-encoder moves no score, and further looks do not wait for one.
    """
    off = frozenset(look.found.coverage.parts_off) - {RERANKER}
    return off, frozenset(name for name in look.quoted.gate if name.startswith("kind:")), bool(look.inquiry.people)
