"""The words of a page: verbatim where a sentence stands alone, else nothing but the claim's own words."""

from __future__ import annotations

import re

from hypothesis import given
from pytest import mark

from tests.engine.wiki.wiki_cases import CORRECTED, DEFINITION, DISPUTE, claim, claims, side, support
from trisynapse_memory.scoring.relations import RELATIONS, relation_of
from trisynapse_memory.types import ClaimStatus
from trisynapse_memory.wiki.wording import (
    conditions_of,
    date_of,
    in_order,
    iso_date,
    label_of,
    phrase_of,
    published_date,
    question_of,
    quote_of,
    reading,
    stands_alone,
    state,
    value_of,
)

FRAME = {"a", "an", "of", "not", "does", "did", "say", "have", "contested"}
WORD = re.compile(r"[^\W_]+")


def test_evidence_reads_as_typed():
    assert reading("the mea-\nsured  value is\n 10 km/s ") == "the measured value is 10 km/s"
    assert (
        reading("a well-\nknown e\ufb03ciency of 10\u2212\u2074 m\u00b2")
        == "a well-known efficiency of 10\u2212\u2074 m\u00b2"
    )
    assert reading("“1862–1983”, `code`, H\u2082O, so\u00adft") == "“1862–1983”, `code`, H\u2082O, soft"


@mark.parametrize(
    ("text", "alone"),
    [
        ("Foucault measured the speed of light in 1862.", True),
        ("mRNA carries the code to the ribosome.", True),
        ('He said "no".', False),
        ("It was measured in Paris in 1862.", False),
        ("However, the value of 1926 was higher.", False),
        ("This agrees with the table of values.", False),
        ("was corrected to 299,910 km/s by him.", False),
        ("Foucault measured the speed of light in", False),
        ("What did Foucault measure in Paris?", False),
        ("Light is fast.", False),
        ("Italy has a long coast.", True),
        ("Thesis work on light began in 1860.", True),
    ],
)
def test_a_sentence_that_points_elsewhere_is_not_quoted(text, alone):
    assert stands_alone(text) is alone


def test_the_oldest_sentence_that_stands_alone_is_quoted_with_its_place_first():
    late = support("Light in vacuum has one speed only.", "r_9")
    leaning = support("It has one speed only, he said.", "r_1")
    early = support("Light has a single speed in vacuum.", "r_5")
    text, supports = quote_of((late, leaning, early)) or ("", ())
    assert text == "Light has a single speed in vacuum."
    assert [one.record_id for one in supports] == ["r_5", "r_1", "r_9"]
    assert quote_of((leaning,)) is None


def test_each_place_counts_once_and_a_newcomer_changes_no_order():
    one, two = support("First words.", "r_1"), support("Second words.", "r_2")
    assert in_order((two, one, two)) == (one, two)


@mark.parametrize(
    ("relation", "value", "more", "text"),
    [
        ("is_a", "adaptation method", {}, "LoRA is an adaptation method."),
        ("is_a", "LSTM variant", {}, "LoRA is an LSTM variant."),
        ("is_a", "uniform prior", {}, "LoRA is a uniform prior."),
        ("is_a", "methods", {}, "LoRA is methods."),
        ("is_a", "Transformer", {}, "LoRA is Transformer."),
        ("uses", "AdamW", {}, "LoRA uses AdamW."),
        ("uses", "AdamW", {"negated": True}, "LoRA does not use AdamW."),
        ("uses", "not AdamW", {"negated": True}, "LoRA does not use AdamW."),
        ("has_result", "91.3", {"negated": True}, "LoRA does not reach 91.3."),
        ("is_a", "layer", {"negated": True}, "LoRA is not a layer."),
        ("stated", "that", {"negated": True}, "LoRA did not say that."),
        ("has_part", "two matrices", {"negated": True}, "LoRA does not have two matrices."),
        ("measure", "rank", {}, "LoRA measures rank."),
        ("carry", "rank", {"negated": True}, "LoRA does not carry rank."),
        ("has_result", "91.3", {"qualifiers": {"dataset": "GLUE", "metric": "F1"}}, "LoRA reaches 91.3 (GLUE, F1)."),
        ("has_value", "3 km", {"qualifiers": {"unit": "km", "time": "1926"}}, "LoRA is 3 km."),
    ],
)
def test_a_claim_in_its_own_words(relation, value, more, text):
    made = claim("c", "LoRA", relation, side(value, support("x")), **more)
    assert state(made, made.sides[0]) == text


@mark.parametrize(
    ("relation", "part", "value", "more", "text"),
    [
        ("role_held_by", "tech lead", "Priya Raman", {}, "Tech lead of Atlas is Priya Raman."),
        ("role_held_by", "tech lead", "not Priya Raman", {}, "Tech lead of Atlas is not Priya Raman."),
        ("role_held_by", "", "Priya Raman", {}, "Atlas is Priya Raman."),
        ("has_cell", "Value (km/s)", "315,300", {"condition": "Fizeau"}, "Value (km/s) of Atlas is 315,300 (Fizeau)."),
    ],
)
def test_a_role_and_a_column_are_said_as_such(relation, part, value, more, text):
    made = claim("c", "Atlas", relation, side(value, support("x")), qualifiers={"part": part, **more})
    assert state(made, made.sides[0]) == text
    assert label_of(made, made.sides[0]).startswith(part if relation == "role_held_by" and part else "is")


def test_a_side_of_a_dispute_says_so():
    texts = [state(DISPUTE, one) for one in DISPUTE.sides]
    assert texts == [
        "Speed of light was measured as 299,796 ± 4 km/s (vacuum) (contested).",
        "Speed of light was measured as 299,774 ± 11 km/s (vacuum) (contested).",
    ]
    assert question_of(DISPUTE) == "Speed of light was measured as … (vacuum)"


def test_a_dispute_about_a_denial_asks_the_affirmed_question():
    made = claim(
        "c", "BERT", "uses", side("not AdamW", support("x")), side("AdamW", support("y", "r_2")), negated=True,
        status=ClaimStatus.CONTESTED,
    )  # fmt: skip
    assert question_of(made) == "BERT uses …"
    assert [state(made, one) for one in made.sides] == [
        "BERT does not use AdamW (contested).",
        "BERT uses AdamW (contested).",
    ]


@given(claims)
def test_a_frame_adds_no_word_of_its_own(made):
    own = [made.subject, relation_of(made.relation).phrase, made.status.value, *made.qualifiers.values()]
    for one in made.sides:
        known = {word for text in (*own, one.value) for word in WORD.findall(reading(text).casefold())}
        known |= FRAME | {made.relation + "s"}
        bases = {word.removesuffix("es") for word in known} | {word.removesuffix("s") for word in known}
        assert set(WORD.findall(state(made, one).casefold())) <= known | bases


def test_every_phrase_of_the_table_can_be_denied():
    for relation in RELATIONS:
        made = claim("c", "It", relation, side("x", support("x")), negated=True)
        assert re.match(r"(?:(?:is|was) not|does not|did not say)\b", phrase_of(made, made.sides[0])), relation


@mark.parametrize(
    ("text", "date"),
    [
        ("1926", "1926"),
        ("2026-10-14", "2026-10-14"),
        ("2026-10", "2026-10"),
        ("14 October 2026", "2026"),
        ("2026-07-01/2026-09-30", "2026-07-01"),
        ("299,792", ""),
        ("1500.5 km", ""),
        ("next spring", ""),
    ],
)
def test_dates(text, date):
    assert iso_date(text) == date


def test_a_date_is_what_a_source_says_and_else_when_it_was_published():
    assert date_of(CORRECTED, CORRECTED.sides[0]) == "1879"
    assert [date_of(DISPUTE, one) for one in DISPUTE.sides] == ["1926", "1935"]
    assert date_of(DEFINITION, DEFINITION.sides[0]) == ""
    assert published_date(DEFINITION.sides[0].supports) == "1983-01-01"
    born = claim("c", "Foucault", "born_on", side("18 September 1819", support("x")))
    assert date_of(born, born.sides[0]) == "1819"


def test_what_the_value_says_already_is_no_condition():
    made = claim(
        "c", "LoRA", "has_result", side("91.3 F1", support("x")), qualifiers={"metric": "F1", "dataset": "GLUE"}
    )
    assert conditions_of(made, made.sides[0]) == "GLUE"
    assert value_of(made, made.sides[0]) == "91.3 F1"
