"""The card of learning says how it stands in plain words, shows what a proposal would do, and asks before anything."""

from __future__ import annotations

import msgspec
import pytest
from fake_tuning import MOVE, OFF, PROPOSAL, WAITING
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.learning import Learning, example_words, state_words
from trisynapse_desktop.widgets.setting_parts import Switch
from trisynapse_memory.types import TrialStatus, TuningState

NO_GAIN = msgspec.structs.replace(PROPOSAL, status=TrialStatus.NO_GAIN, reason="Nothing would surely be better.")


def state(**changes) -> TuningState:
    return msgspec.structs.replace(WAITING, **changes)


@pytest.fixture
def card(qapp, qtbot) -> Learning:
    made = Learning(Theme(qapp))
    qtbot.addWidget(made)
    made.show()
    return made


def show(card: Learning, shown: TuningState) -> None:
    card.show_state(shown)
    QApplication.processEvents()  # Qt shows what is new in a layout a turn later


def words(card: Learning) -> list[str]:
    return [one.text() for one in card.findChildren(QLabel) if one.text() and one.isVisibleTo(card)]


def button(card: Learning, name: str) -> QPushButton:
    found = [one for one in card.findChildren(QPushButton) if one.text() == name and one.isVisibleTo(card)]
    return found[-1]


@pytest.mark.parametrize(
    ("shown", "said", "tone"),
    [
        (OFF, "Off. Results stand in their usual order.", "muted"),
        (WAITING, "A better one waits for your word.", "good"),
        (state(question_count=3, proposal=None, trials=()), "3 of 30 questions have a passage you opened.", "muted"),
        (state(proposal=None, trials=(NO_GAIN,)), "Nothing would surely be better.", "muted"),
        (state(proposal=None, trials=(), in_force=(MOVE,)), "Results stand in the learned order.", "muted"),
        (state(trouble="A weight is gone."), "A weight is gone. Results stand in their usual order.", "warning"),
    ],
)
def test_every_state_is_a_sentence_with_a_tone(shown, said, tone):
    text, found = state_words(shown)
    assert said in text
    assert found == tone


def test_a_proposal_shows_what_it_would_do_and_what_it_loses(card):
    show(card, WAITING)
    text = "\n".join(words(card))
    assert "0.5 → 1" in text
    assert "“Who turned a mirror?”, Mirrors: place 6 → place 1" in text
    assert "12 rise and 3 fall" in text
    assert "20 of 20 titles" in text
    assert example_words(PROPOSAL.examples[1]) == "“What is ether?”: place 2 → not found"


def test_each_button_asks_for_its_own_thing(card, qtbot):
    show(card, state(in_force=(MOVE,)))
    for name, signal in (
        ("Use this order", card.applied),
        ("Back to the usual order", card.reverted),
        ("Look for a better order now", card.learn_wanted),
        ("Forget all notes", card.cleared),
    ):
        with qtbot.waitSignal(signal, timeout=5_000):
            button(card, name).click()
    with qtbot.waitSignal(card.switched, timeout=5_000, check_params_cb=lambda on: not on):
        card.findChild(Switch).click()


def test_what_cannot_be_done_now_is_not_offered(card):
    show(card, OFF)
    names = [one.text() for one in card.findChildren(QPushButton) if one.isVisibleTo(card)]
    assert names == ["Forget all notes"]
    assert not button(card, "Forget all notes").isEnabled()
    show(card, state(question_count=3, proposal=None, trials=()))
    assert not button(card, "Look for a better order now").isEnabled()
