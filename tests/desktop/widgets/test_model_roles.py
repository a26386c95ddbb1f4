from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets import model_roles  # its test_words is no test
from trisynapse_desktop.widgets.model_roles import ModelRoles, Offer, state_words, value_of
from trisynapse_desktop.widgets.setting_parts import Choice
from trisynapse_memory.types import WRITING_ROLES, ModelTest, Role, RoleChoice, Usage

OFFERS = [
    Offer("local/small", "Small (this computer)", WRITING_ROLES),
    Offer("ollama/nomic", "nomic (Ollama)", (Role.EMBEDDING,)),
]


@pytest.fixture
def roles(qapp, qtbot):
    made = ModelRoles(Theme(qapp))
    qtbot.addWidget(made)
    return made


def choices_of(roles, name):
    (choice,) = [one for one in roles.findChildren(Choice) if one.accessibleName() == name]
    return [choice.itemText(place) for place in range(choice.count())]


def said(roles):
    return [one.text() for one in roles.findChildren(QLabel) if one.text() and one.isVisibleTo(roles)]


def every(**filled):
    return [RoleChoice(role=role, **filled) for role in Role]


def test_each_role_is_offered_only_what_can_fill_it(roles):
    roles.show_roles(every(), OFFERS)
    assert choices_of(roles, "One model for everything") == ["No model", "Small (this computer)"]
    assert choices_of(roles, "Pictures") == ["No model"]
    assert choices_of(roles, "Finding by meaning") == ["Built in (MiniLM)", "nomic (Ollama)"]


def test_a_choice_that_is_offered_no_more_is_still_shown(roles):
    roles.show_roles(every(service="openai", model="old-1", state="no-key", note="There is no key."), OFFERS)
    assert choices_of(roles, "Answers")[-1] == "old-1 (openai)"
    assert "There is no key." in said(roles)


def test_what_came_of_a_test_stays_until_the_choice_changes(roles):
    ready = every(service="local", model="small", state="ready")
    roles.show_roles(ready, OFFERS)
    assert "Ready." in said(roles)
    roles.show_test(ModelTest(role=Role.ANSWER, passed=True, reply="ready"))
    roles.show_roles(ready, OFFERS)
    assert "“ready”" in said(roles)
    roles.show_roles(every(), OFFERS)
    assert "“ready”" not in said(roles)


def test_built_in_is_no_choice_of_a_service():
    assert value_of(RoleChoice(role=Role.EMBEDDING, service="built-in", state="ready")) == ""
    folder = RoleChoice(role=Role.EMBEDDING, service="sentence-transformers", model="/models/e5")
    assert value_of(folder) == "sentence-transformers//models/e5"


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (RoleChoice(role=Role.ANSWER), ("", "warning")),
        (RoleChoice(role=Role.ANSWER, state="ready"), ("Ready.", "good")),
        (RoleChoice(role=Role.ANSWER, state="budget", note="It is spent."), ("It is spent.", "warning")),
    ],
)
def test_how_a_role_is_doing_is_said_in_words(choice, words):
    assert state_words(choice) == words


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (ModelTest(role=Role.ANSWER, passed=False, problem="No key."), ("No key.", "bad")),
        (ModelTest(role=Role.EMBEDDING, passed=True, reply="384 dimensions"), ("“384 dimensions”", "good")),
        (
            ModelTest(
                role=Role.ANSWER,
                passed=True,
                reply="ready",
                usage=Usage(output_tokens=11, first_token_ms=1_250, total_ms=2_250),
            ),
            ("“ready” · first word after 1.2 s · 10 tokens a second", "good"),
        ),
    ],
)
def test_a_test_is_told_with_its_speed_where_that_was_measured(test, words):
    assert model_roles.test_words(test) == words
