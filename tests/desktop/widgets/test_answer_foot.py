from __future__ import annotations

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.answer_foot import AnswerFoot
from trisynapse_memory.types import Answer, Usage

ANSWER = Answer(query_id="q", question="?", answer="In 1862. [1]", abstain=False)


@pytest.fixture
def foot(qapp, qtbot):
    def make(**changes):
        made = AnswerFoot(Theme(qapp), msgspec.structs.replace(ANSWER, **changes), None, 0)
        qtbot.addWidget(made)
        made.show()
        return made

    return make


def words(widget):
    return [one.text() for one in widget.findChildren(QLabel) if one.text() and one.isVisible()]


def test_words_of_the_sources_have_no_writer(foot):
    assert not any("Written by" in text for text in words(foot()))


def test_a_local_model_is_named_without_a_price(foot):
    made = foot(model="local/SmolLM2", usage=Usage(cost_usd=0.0))
    assert "Written by SmolLM2, each sentence checked against its passage" in words(made)


def test_a_remote_model_is_named_with_its_service_and_price(foot):
    made = foot(model="openai/small-1", usage=Usage(cost_usd=0.00123))
    expected = "Written by small-1 (openai), each sentence checked against its passage · 0.0012 US dollars"
    assert expected in words(made)


def test_why_no_model_wrote_is_said(foot):
    assert "The model ended while it wrote." in words(foot(note="The model ended while it wrote."))


@pytest.mark.parametrize(("text", "said"), [("Send this once", "ask"), ("Always", "allow"), ("Never", "never")])
def test_passages_that_were_held_back_are_hers_to_share(foot, qtbot, text, said):
    made = foot(not_sent=2, asks=("Interviews",))
    question = "2 passages of “Interviews” were not sent to the model. Send them, and ask again?"
    assert question in words(made)
    (one,) = [child for child in made.findChildren(QPushButton) if child.text() == text]
    with qtbot.waitSignal(made.share_chosen) as chosen:
        one.click()
    assert chosen.args == [("Interviews",), said]
