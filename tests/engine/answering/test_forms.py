"""A question's words tell what form of answer it asks for; what names no form is answered plainly."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.forms import read_form
from trisynapse_memory.types import AnswerForm, Intent


@pytest.mark.parametrize(
    ("question", "sides", "about"),
    [
        ("Compare the red kiln and the blue kiln by year of building.", ("red kiln", "blue kiln"), "year of building"),
        ("What is the difference between a weir and a leat?", ("weir", "leat"), ""),
        ("difference in price between tin and zinc", ("tin", "zinc"), "price"),
        ("Tavro versus Melin on the Brask benchmark", ("Tavro", "Melin"), "the Brask benchmark"),
        ("Fizeau vs. Foucault: which method did each use?", ("Fizeau", "Foucault"), "which method did each use"),
        ("How does Tavro differ from Melin in size?", ("Tavro", "Melin"), "size"),
        ("How do Tavro and Melin differ in size?", ("Tavro", "Melin"), "size"),
        ("Compare Kolvik's and Tangen's heights", ("Kolvik", "Tangen"), "heights"),
        ("the difference between Kolvik\u2019s and Tangen\u2019s heights", ("Kolvik", "Tangen"), "heights"),
        ("Compare the heights of Kolvik and Tangen.", ("Kolvik", "Tangen"), "heights"),
        ("Compare the values of Foucault in 1862 and Cornu in 1874.", ("Foucault in 1862", "Cornu in 1874"), "values"),
        ("Which kiln gets hotter, the red kiln or the blue kiln?", ("red kiln", "blue kiln"), "Which kiln gets hotter"),
        ("Is the rope bridge longer than the stone bridge at Harn?", ("rope bridge", "stone bridge"), "the longer"),
        ("Is Brenn higher than Skar?", ("Brenn", "Skar"), "higher"),
        ("Does the red kiln hold more pots than the blue kiln?", ("red kiln", "blue kiln"), "the hold more pots"),
        ("earnings per share 2003 versus 2002", ("2003", "2002"), "earnings per share"),
        ("How much was the dividend in 2002 compared with 2001?", ("2002", "2001"), "How much was the dividend in"),
        ("Do Tavro and Melin both need a graphics card?", ("Tavro", "Melin"), "need a graphics card"),
    ],
)  # fmt: skip
def test_the_sides_of_a_comparison_and_what_they_are_compared_by(question: str, sides: tuple[str, str], about: str):
    wanted = read_form(question)
    assert (wanted.form, wanted.sides, wanted.about) == (AnswerForm.COMPARISON, sides, about)


@pytest.mark.parametrize(
    "question",
    [
        "Who compared the two kilns?",
        "Why is the difference so large?",
        "What happened between 1862 and 1874?",
        "Is the museum open on Mondays?",
        "More than how many pots does it hold?",
        "How much higher was it compared to what was planned?",
    ],
)
def test_a_question_with_such_a_word_need_not_compare(question: str):
    assert read_form(question).form is not AnswerForm.COMPARISON


@pytest.mark.parametrize(
    "question",
    [
        "List the heights of all stations.",
        "What are the advantages of drip watering?",
        "Name the three founders.",
        "Which kinds of glass were used?",
        "What does the museum shop sell?",
    ],
)
def test_a_list_is_asked_for_by_its_words(question: str):
    assert read_form(question).form is AnswerForm.LIST


def test_a_list_is_asked_for_where_the_planner_says_so():
    assert read_form("Which birds were seen?", Intent.LIST).form is AnswerForm.LIST
    assert read_form("Which birds were seen?", Intent.FACT).form is AnswerForm.PLAIN


def test_yes_or_no_needs_a_verb_first_and_no_choice():
    wanted = read_form("Was the metre redefined in 1983?")
    assert (wanted.form, wanted.verb, wanted.rest) == (AnswerForm.YES_NO, "was", "the metre redefined in 1983")
    assert read_form("Was it built in 1911 or in 1934?").form is AnswerForm.PLAIN


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a weir?", "a weir"),
        ("What does turbidity mean?", "turbidity"),
        ("Define drip watering", "drip watering"),
    ],
)
def test_the_subject_of_a_definition(question: str, subject: str):
    assert read_form(question).subject == subject


@pytest.mark.parametrize(
    ("question", "core"),
    [
        ("List the heights of all stations.", "the heights of all stations."),
        ("Tavro versus Melin", "Tavro and Melin"),
        ("Who lists the heights?", "Who lists the heights?"),
    ],
)
def test_words_that_only_ask_for_a_form_are_not_looked_for(question: str, core: str):
    assert read_form(question).core == core
