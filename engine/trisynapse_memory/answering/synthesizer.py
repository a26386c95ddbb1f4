"""A planned question and its grounded hits in, cited sentences or a reasoned refusal out; no model writes here.

Order: measure, decide whether to answer, choose the fewest sentences, cite and check each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from msgspec import Struct, structs

from trisynapse_memory.answering.abstention import (
    Calibration,
    Decision,
    calibration_of,
    decide,
    gate_of,
    refuse_unsupported,
)
from trisynapse_memory.answering.citations import Cited, Locate, Place, cite_choices, is_correction, nearest_of
from trisynapse_memory.answering.comparing import JudgeSide, compare_sides, with_bases
from trisynapse_memory.answering.features import (
    Embed,
    Evidence,
    Measured,
    measure_evidence,
    measure_sentences,
)
from trisynapse_memory.answering.forms import Wanted, read_form
from trisynapse_memory.answering.inquiry import Inquiry, Statistics, read_question
from trisynapse_memory.answering.kinds import kind_of
from trisynapse_memory.answering.layout import Laid, lay_out, reply
from trisynapse_memory.answering.listing import list_sources
from trisynapse_memory.answering.neighbours import Beside, complete
from trisynapse_memory.answering.rows import with_rows
from trisynapse_memory.answering.selection import Choice, choose_sentences, score_sentences, within_budget
from trisynapse_memory.answering.sentences import Passage, is_conversation, passages_of, speaker_of
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.types import AnswerForm, AnswerSentence, Citation, Hit, Nearest, QueryPlan

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
    form: AnswerForm = AnswerForm.PLAIN
    lead: str = ""

    @property
    def text(self) -> str:
        """The sentences as one text, each followed by the numbers of its citations; empty for a refusal."""
        return " ".join(f"{row.text} {''.join(f'[{n}]' for n in row.citations)}" for row in self.sentences)


class Tools(Struct, frozen=True, kw_only=True):
    """What answering needs of others.

    The way from offsets to a place, a token counter, an embedder or None, the way to the record beside a hit, and to
    the titles of sources outside the chosen scope that may be about a question; None where all are in scope. ``heard``
    is what a model that was asked in doubt adds to the log-odds of an answer; None where none was asked.
    """

    locate: Locate
    count_tokens: TokenCounter
    embed: Embed | None = None
    beside: Beside | None = None
    outside: Callable[[Inquiry], tuple[str, ...]] | None = None
    heard: float | None = None


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
    """Answer a question in sentences of its sources, in the form that it asks for, or say why not.

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
    if plan.subject and matches:
        inquiry = inquire(question, plan, hits, statistics)
        listed = cite_choices(list_sources(inquiry, plan.subject, matches, tools.count_tokens, config), tools.locate)
        if listed.sentences:
            return structs.replace(_answer(listed, {"probability": 1.0}), form=AnswerForm.LIST)
    case = _read_case(question, plan, hits, statistics, tools)
    kind = kind_of(hits)
    calibration = calibration_of(kind, embedded=tools.embed is not None, asks_person=bool(case.inquiry.people))
    judge_case = partial(decide, passages=case.passages, calibration=calibration)
    decision = judge_case(case.inquiry, case.evidence, statistics=statistics, heard=tools.heard)
    gate = gate_of(decision, calibration, kind, case.evidence)
    laid = _laid(case, tools, config, is_answered=not decision.abstain)
    if laid is None:
        judge_side = partial(_is_answered, case.passages, statistics, calibration) if decision.abstain else None
        laid = _compared(case, plan, statistics, tools, config, judge_side)
    if decision.abstain and not laid.choices:
        if tools.outside is not None:  # looked for now, since only a refusal tells of it
            told = structs.replace(statistics, outside=tools.outside(case.inquiry))
            decision = judge_case(case.inquiry, case.evidence, statistics=told, heard=tools.heard)
        return _refusal(decision, case.inquiry, case.rows, tools, config, gate)
    cited = cite_choices(laid.choices, tools.locate)
    if not cited.sentences:
        refused = refuse_unsupported(case.inquiry, decision.probability)
        refusal = _refusal(refused, case.inquiry, case.rows, tools, config, gate)
        return structs.replace(refusal, withheld=cited.withheld)
    return structs.replace(_answer(cited, gate), form=laid.form, lead=laid.lead)


class _Case(NamedTuple):
    """A question and what the hits have of it."""

    wanted: Wanted
    inquiry: Inquiry
    passages: tuple[Passage, ...]
    rows: Sequence[Measured]
    evidence: Evidence


def _read_case(question: str, plan: QueryPlan, hits: Sequence[Hit], statistics: Statistics, tools: Tools) -> _Case:
    inquiry = inquire(question, plan, hits, statistics)
    wanted = read_form(question, plan.intent)
    passages = passages_of(hits, inquiry)
    inquiry = inquiry.respelled([passage.keys for passage in passages])
    inquiry = with_bases(inquiry, passages) if wanted.amounts else inquiry
    told = with_rows(passages, inquiry, whole=wanted.form is AnswerForm.LIST)
    rows = measure_sentences(inquiry, told, tools.embed)
    return _Case(wanted, inquiry, passages, rows, measure_evidence(inquiry, passages, rows))


def _laid(case: _Case, tools: Tools, config: Config, *, is_answered: bool) -> Laid | None:
    """The chosen sentences in their form; none for a question that is refused, None for a comparison yet to be made."""
    compares = case.wanted.form is AnswerForm.COMPARISON
    if not is_answered:
        return None if compares else Laid(())
    choices = choose_sentences(case.inquiry, case.rows, tools.count_tokens, config)
    choices = tuple(sorted(choices, key=lambda choice: not is_correction(choice.sentence.hit)))  # her word goes first
    laid = reply(case.wanted, choices) if case.wanted.verb else None
    if laid is None:
        if compares:
            return None
        laid = lay_out(case.wanted, case.inquiry, choices, case.rows, tools.count_tokens, config)
    return _completed(laid, tools, config)


def _completed(laid: Laid, tools: Tools, config: Config) -> Laid:
    if tools.beside is None or laid.form is AnswerForm.LIST:
        return laid
    return laid._replace(choices=complete(laid.choices, tools.beside, tools.count_tokens, config))


def _compared(
    case: _Case,
    plan: QueryPlan,
    statistics: Statistics,
    tools: Tools,
    config: Config,
    judge_side: JudgeSide | None,
) -> Laid:
    """The two sides of a comparison; where they cannot be told apart, the sentences of any other question."""
    read = partial(_read_piece, case.inquiry, statistics, plan)
    compared = compare_sides(case.wanted, read, case.passages, tools.embed, judge_side)
    if compared.choices:
        shown = within_budget(compared.choices, case.inquiry, tools.count_tokens, config)
        return Laid(shown, AnswerForm.COMPARISON, compared.lead)
    if judge_side is not None:
        return Laid(())
    plain = Wanted(AnswerForm.PLAIN, case.wanted.core)
    return _laid(case._replace(wanted=plain), tools, config, is_answered=True) or Laid(())


def _is_answered(
    passages: Sequence[Passage],
    statistics: Statistics,
    calibration: Calibration,
    inquiry: Inquiry,
    rows: Sequence[Measured],
) -> bool:
    """Whether what is said of one side of a comparison would answer a question about it alone."""
    return not decide(inquiry, measure_evidence(inquiry, passages, rows), passages, statistics, calibration).abstain


def _read_piece(whole: Inquiry, statistics: Statistics, plan: QueryPlan, piece: str) -> Inquiry:
    """A piece of a question, taken apart; its words are known as the whole question has them."""
    read = read_question(piece, statistics, plan.rare_terms)
    known = {word.text.lower(): word for word in whole.words}
    return replace(read, words=tuple(known.get(word.text.lower(), word) for word in read.words))


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
    inquiry = read_question(read_form(question, plan.intent).core, statistics, plan.rare_terms)
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
