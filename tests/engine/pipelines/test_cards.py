"""What a source brings, from hand-built claims: its message, its disputes, what is new, what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from pytest import fixture, mark, raises

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.pipelines.cards import Cards, questions_of
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import (
    Claim,
    ClaimSide,
    ClaimStatus,
    Draft,
    Kind,
    Namespace,
    RecordId,
    Scope,
    SourceDetails,
    SourceId,
    Summary,
    SummarySentence,
    Support,
)

PAPER, BOOK = SourceId("src_paper"), SourceId("src_book")


def support(source_id, record):
    return Support(
        fact_id=RecordId(f"f_{record}"),
        record_id=RecordId(record),
        source_id=source_id,
        title=source_id,
        excerpt="Words.",
        start=0,
        end=6,
    )


def side(value, *supports, **more):
    return ClaimSide(value=value, normalised=value, supports=supports, **more)


def claim(claim_id, subject, relation, *sides, confidence=0.9, status=ClaimStatus.ACTIVE, **more):
    return Claim(
        claim_id=claim_id,
        subject=subject,
        relation=relation,
        object=sides[0].value,
        text="Words.",
        status=status,
        sides=sides,
        confidence=confidence,
        shown=True,
        **more,
    )


@dataclass
class Claims:
    """Claims as values."""

    all: tuple[Claim, ...]

    def of_source(self, source_id, scope, *, shown=None, limit=100):
        inside = (c for c in self.all if any(s.source_id == source_id for side in c.sides for s in side.supports))
        return tuple(inside)[:limit]

    def list(self, scope, *, status="", about="", shown=None, limit=100):
        wanted = entity_key(about)
        return tuple(c for c in self.all if wanted in {entity_key(name) for name in (c.subject, *c.objects)})[:limit]


@dataclass
class Summaries:
    """One summary, or none."""

    made: Summary | None

    def get(self, group_id):
        return self.made if self.made is not None and self.made.group_id == group_id else None


SUMMARY = Summary(
    group_id=f"source:{PAPER}",
    title="A paper",
    topic="adaptation",
    sentences=(SummarySentence(text="LoRA adapts models.", record_ids=(RecordId("r_20"),)),),
)
OLD, NEW = support(BOOK, "r_10"), support(PAPER, "r_20")
FOUND = (
    claim("c1", "LoRA", "is_a", side("adaptation method", NEW)),
    claim("c2", "LoRA", "uses", side("low-rank matrices", NEW), confidence=0.8),
    claim("c3", "Transformer", "uses", side("attention", OLD, NEW), confidence=0.95),
    claim("c4", "LoRA", "cites", side("Vaswani et al. 2017", NEW)),
    claim("c5", "GPT-3", "has_result", side("91.3", NEW), qualifiers={"metric": "accuracy", "dataset": "GLUE"}),
    claim("c6", "BERT", "pretrained_with", side("Adam", OLD), side("AdamW", NEW), status=ClaimStatus.CONTESTED),
    claim("c7", "T5", "uses", side("span corruption", OLD)),
    claim("c8", "table row", "has_cell", side("3", NEW)),
)


@fixture
def cards(log):
    """Build cards of a paper and a book."""
    for source_id in (BOOK, PAPER):
        details = SourceDetails(source_key=source_id, kind="pdf", title=source_id, version=1, content_hash=source_id)
        log.append([Draft(kind=Kind.SOURCE, text=source_id, source_id=source_id, payload=details)])

    def build(claims=FOUND, summary=SUMMARY, pending=False):
        scope = Scope(namespace=Namespace(project_id=None))
        return Cards(Shelf(log), Claims(claims), Summaries(summary), lambda: scope, lambda _: pending)

    return build


def test_the_card_of_a_paper(cards):
    card = cards().card(PAPER)
    assert (card.source_id, card.title, card.summary, card.ready) == (PAPER, PAPER, SUMMARY, True)
    assert [one.claim_id for one in card.key_claims] == ["c1", "c3", "c5", "c2"]
    assert [one.claim_id for one in card.disagreements] == ["c6"]
    assert card.questions == (
        "What is LoRA?",
        "What does Transformer use?",
        "What accuracy does GPT-3 reach on GLUE?",
    )


def test_a_concept_is_new_where_its_oldest_evidence_is(cards):
    assert cards().card(PAPER).new_concepts == ("LoRA", "adaptation method", "low-rank matrices", "GPT-3")
    assert {"T5", "Transformer", "attention"} <= set(cards().card(BOOK).new_concepts)
    assert not {"LoRA", "GPT-3"} & set(cards().card(BOOK).new_concepts)


def test_a_card_is_ready_when_facts_and_summary_are(cards):
    assert not cards(pending=True).card(PAPER).ready
    stale = Summary(group_id=SUMMARY.group_id, title="", topic="", sentences=(), stale=True)
    assert not cards(summary=stale).card(PAPER).ready
    empty = cards(claims=(), summary=None).card(PAPER)
    assert (empty.ready, empty.summary, empty.key_claims, empty.questions) == (True, None, (), ())


def test_a_dispute_that_she_resolved_is_no_disagreement(cards):
    sides = (side("AdamW", NEW, preferred=True), side("Adam", OLD))
    resolved = claim("c6", "BERT", "pretrained_with", *sides, resolution="The paper says so.")
    assert cards(claims=(resolved,)).card(PAPER).disagreements == ()


def test_an_unknown_source_is_named(cards):
    with raises(UnknownSourceError):
        cards().card("src_nothing")


@mark.parametrize(
    ("made", "questions"),
    [
        (claim("c", "LoRA", "uses", side("x", NEW), negated=True), ()),
        (claim("c", "LoRA", "uses", side("x", OLD)), ()),
        (claim("c", "our method", "uses", side("x", NEW)), ()),
        (claim("c", "LoRA", "has_result", side("91", NEW)), ()),
        (claim("c", "LoRA", "about", side("x", NEW)), ()),
        (claim("c", "LoRA", "costs", side("5 EUR", NEW), status=ClaimStatus.SUPERSEDED), ()),
        (claim("c", "light", "measured_as", side("3", NEW)), ("What value was measured for light?",)),
        (claim("c", "Atlas", "launch_date", side("2026-10-14", NEW)), ("When does Atlas launch?",)),
    ],
)
def test_only_what_the_source_states_is_asked(made, questions):
    assert questions_of([made], PAPER) == questions


def test_questions_go_round_the_subjects_before_they_repeat_one():
    made = [
        claim("a", "LoRA", "uses", side("x", NEW)),
        claim("b", "LoRA", "based_on", side("x", NEW)),
        claim("c", "BERT", "uses", side("x", NEW)),
        claim("d", "LoRA", "uses", side("y", NEW)),
    ]
    assert questions_of(made, PAPER) == ("What does LoRA use?", "What does BERT use?", "What is LoRA based on?")
