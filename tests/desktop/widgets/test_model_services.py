from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.model_services import ModelServices, badge_of
from trisynapse_desktop.widgets.setting_parts import Switch
from trisynapse_memory.types import KeyringState, ModelService, ServiceState

VENDOR = ModelService(
    name="openai",
    label="OpenAI",
    wire="openai_compatible",
    base_url="https://api.example/v1",
    needs_key=True,
    key_url="https://keys.example",
)
HERE = ModelService(
    name="ollama", label="Ollama", wire="openai_compatible", base_url="http://127.0.0.1:11434/v1", is_remote=False
)
USABLE = KeyringState(name="Keyring", is_usable=True)
LOCKED = KeyringState(name="", is_usable=False, problem="It is locked.", hint="Unlock it.")


@pytest.fixture
def services(qapp, qtbot):
    made = ModelServices(Theme(qapp))
    qtbot.addWidget(made)
    made.show()
    return made


def put(services, keyring, *states):
    services.show_services(states, keyring)
    QApplication.processEvents()  # what is new is shown by then


def visible(services, kind=QPushButton):
    return [one.accessibleName() for one in services.findChildren(kind) if one.isVisible()]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (ServiceState(service=VENDOR), "No key"),
        (ServiceState(service=VENDOR, has_key=True), "Not allowed yet"),
        (ServiceState(service=VENDOR, has_key=True, is_allowed=True), "Ready"),
        (
            ServiceState(service=VENDOR, has_key=True, is_session_key=True, is_allowed=True),
            "Ready, key for this session",
        ),
        (ServiceState(service=HERE, is_allowed=True), "In this computer"),
    ],
)
def test_how_a_service_stands_is_said_in_words(state, words):
    assert badge_of(state)[0] == words


def test_only_what_would_do_something_is_there(services):
    put(services, USABLE, ServiceState(service=VENDOR), ServiceState(service=HERE))
    assert set(visible(services)) == {"Give a key OpenAI", "Which models? Ollama", "Add a server of yours"}
    allowed = ServiceState(service=VENDOR, has_key=True, is_allowed=True)
    put(services, USABLE, allowed, ServiceState(service=HERE, is_own=True))
    assert set(visible(services)) == {
        "Change the key OpenAI",
        "Which models? OpenAI",
        "Remove the key OpenAI",
        "Do not allow any more OpenAI",
        "Which models? Ollama",
        "Remove Ollama",
        "Add a server of yours",
    }


def test_without_a_keyring_a_key_is_for_this_session_and_the_reason_is_said(services, qtbot):
    put(services, LOCKED, ServiceState(service=VENDOR))
    assert "It is locked. Unlock it." in [one.text() for one in services.findChildren(QLabel)]
    (give,) = [one for one in services.findChildren(QPushButton) if one.accessibleName() == "Give a key OpenAI"]
    give.click()
    (session,) = services.findChildren(Switch)
    assert (session.isChecked(), session.isEnabled()) == (True, False)
    assert any("https://keys.example" in one.text() for one in services.findChildren(QLabel) if one.isVisible())
    (field,) = [one for one in services.findChildren(QLineEdit) if one.isVisible()]
    qtbot.keyClicks(field, "k-1")
    with qtbot.waitSignal(services.key_given) as given:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert given.args == ["openai", "k-1", True]


def test_an_empty_field_gives_no_key(services, qtbot):
    put(services, LOCKED, ServiceState(service=VENDOR))
    (give,) = [one for one in services.findChildren(QPushButton) if one.accessibleName() == "Give a key OpenAI"]
    give.click()
    (field,) = [one for one in services.findChildren(QLineEdit) if one.isVisible()]
    with qtbot.assertNotEmitted(services.key_given):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.isVisible()
