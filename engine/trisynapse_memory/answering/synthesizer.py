"""A planned question and its grounded hits in, cited sentences or a reasoned refusal out; no model writes here.

Order: measure, decide whether to answer, choose the fewest sentences, cite and check each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.answering.abstention import Decision, calibration_of, decide, gate_of, refuse_unsupported
from trisynapse_memory.answering.citations import Cited, Locate, Place, cite_choices, is_correction, nearest_of
from trisynapse_memory.answering.features import (
    Embed,
    Measured,
    measure_evidence,
    measure_sentences,
)
from trisynapse_memory.answering.inquiry import Inquiry, Statistics, read_question
from trisynapse_memory.answering.kinds import kind_of
from trisynapse_memory.answering.listing import list_sources
from trisynapse_memory.answering.neighbours import Beside, complete
from trisynapse_memory.answering.rows import with_rows
from trisynapse_memory.answering.selection import Choice, choose_sentences, score_sentences
from trisynapse_memory.answering.sentences import is_conversation, passages_of, speaker_of
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.types import AnswerSentence, Citation, Hit, Nearest, QueryPlan

NEAREST_COUNT: Final = 3  # passages shown beside a refusal; engine.md 0.5 asks for the nearest evidence


class Composition(Struct, frozen=True, kw_only=True):
    """What answering made of the hits; the query corridor turns it into an ``Answer``.

    ``gate`` holds what the decision rests on, for the explained result (``abstention.gate_of``). ``places`` holds one
    place per citation.
    """

    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    places: tuple[Place, ...] = ()
    abstain: bool = False
    reason: str = ""
    level: str = "answer"
    nearest: tuple[Nearest, ...] = ()
    would_answer: str = ""
    withheld: int = 0
    gate: dict[str, float] = {}

    @property
    def text(self) -> str:
        """The sentences as one text, each followed by the numbers of its citations; empty for a refusal."""
        return " ".join(f"{row.text} {''.join(f'[{n}]' for n in row.citations)}" for row in self.sentences)


class Tools(Struct, frozen=True, kw_only=True):
    """What answering needs of others.

    The way from offsets to a place, a token counter, an embedder or None, the way to the record beside a hit, and to
    the titles of sources outside the chosen scope that may be about a question; None where all are in scope.
    """

    locate: Locate
    count_tokens: TokenCounter
    embed: Embed | None = None
    beside: Beside | None = None
    outside: Callable[[Inquiry], tuple[str, ...]] | None = None


def compose(
    question: str,
    plan: QueryPlan,
    hits: Sequence[Hit],
    *,
    tools: Tools,
    statistics: Statistics,
    config: Config,
    matches: Sequence[Hit] = (),
) -> Composition:
    """Answer a question in sentences of its sources, or say why not.

    Args:
        question: as it was asked.
        plan: what the planner made of it; its exact rare terms weigh most.
        hits: grounded hits, best first.
        tools: see ``Tools``; without an embedder the decision and the choice rest on words alone.
        statistics: how rare the question's words are in scope, and what was not searched.
        config: ``answer_max_sentences``, ``excerpt_max_chars`` and the caps on tokens.
        matches: of a question about the sources themselves (``plan.subject``), one record of each source that holds its
            subject, best first: each is told by a sentence, and nothing is left to decide.

    Returns:
        Sentences with one citation each, or ``abstain`` with reason, level, the nearest passages and what would help.
    """
    inquiry = inquire(question, plan, hits, statistics)
    if plan.subject and matches:
        listed = cite_choices(list_sources(inquiry, plan.subject, matches, tools.count_tokens, config), tools.locate)
        if listed.sentences:
            return _answer(listed, {"probability": 1.0})
    passages = passages_of(hits, inquiry)
    inquiry = inquiry.respelled([passage.keys for passage in passages])
    rows = measure_sentences(inquiry, with_rows(passages, inquiry), tools.embed)
    evidence = measure_evidence(inquiry, passages, rows)
    kind = kind_of(hits)
    calibration = calibration_of(kind, embedded=tools.embed is not None, asks_person=bool(inquiry.people))
    decision = decide(inquiry, evidence, passages, statistics, calibration)
    gate = gate_of(decision, calibration, kind, evidence)
    if decision.abstain:
        if tools.outside is not None:  # looked for now, since only a refusal tells of it
            told = structs.replace(statistics, outside=tools.outside(inquiry))
            decision = decide(inquiry, evidence, passages, told, calibration)
        return _refusal(decision, inquiry, rows, tools, config, gate)
    choices = choose_sentences(inquiry, rows, tools.count_tokens, config)
    choices = tuple(sorted(choices, key=lambda choice: not is_correction(choice.sentence.hit)))  # her word goes first
    if tools.beside is not None:
        choices = complete(choices, tools.beside, tools.count_tokens, config)
    cited = cite_choices(choices, tools.locate)
    if not cited.sentences:
        refused = refuse_unsupported(inquiry, decision.probability)
        return structs.replace(_refusal(refused, inquiry, rows, tools, config, gate), withheld=cited.withheld)
    return _answer(cited, gate)


def _answer(cited: Cited, gate: dict[str, float]) -> Composition:
    return Composition(
        sentences=cited.sentences,
        citations=cited.citations,
        places=cited.places,
        withheld=cited.withheld,
        gate=gate,
    )


def inquire(question: str, plan: QueryPlan, hits: Sequence[Hit], statistics: Statistics) -> Inquiry:
    """Take a question apart as the hits want it: among turns of a conversation, names may be speakers."""
    inquiry = read_question(question, statistics, plan.rare_terms)
    if is_conversation(hits):
        return inquiry.about(frozenset(filter(None, map(speaker_of, hits))))
    return inquiry


def _refusal(
    decision: Decision,
    inquiry: Inquiry,
    rows: Sequence[Measured],
    tools: Tools,
    config: Config,
    gate: dict[str, float],
) -> Composition:
    closest = _one_per_passage(rows)
    return Composition(
        abstain=True,
        reason=decision.reason,
        level=decision.level,
        nearest=nearest_of(closest, inquiry, tools.locate, config.excerpt_max_chars),
        would_answer=decision.would_answer,
        gate=gate,
    )


def _one_per_passage(rows: Sequence[Measured]) -> list[Choice]:
    best: dict[int, Choice] = {}
    for score, row in score_sentences(rows):
        sentence = row.sentence
        best.setdefault(sentence.rank, Choice(sentence, sentence.start, sentence.end, score))
    return list(best.values())[:NEAREST_COUNT]
