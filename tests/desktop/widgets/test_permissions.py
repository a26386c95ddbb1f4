from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.permissions import Permissions
from trisynapse_memory.types import ModelService, ServiceState

FAR = ModelService(name="far", label="Far", wire="openai_compatible", base_url="https://far.example/v1")
HERE = ModelService(
    name="here", label="Here", wire="openai_compatible", base_url="http://127.0.0.1:1/v1", is_remote=False
)


def test_only_services_beyond_this_computer_are_listed_and_only_while_they_are_allowed(qapp, qtbot):
    permissions = Permissions(Theme(qapp))
    qtbot.addWidget(permissions)
    permissions.show()
    permissions.show_services([ServiceState(service=FAR, is_allowed=True), ServiceState(service=HERE, is_allowed=True)])
    (take_back,) = permissions.findChildren(QPushButton)
    with qtbot.waitSignal(permissions.disallowed) as told:
        take_back.click()
    assert told.args == ["far"]
    permissions.show_services([ServiceState(service=FAR), ServiceState(service=HERE, is_allowed=True)])
    assert "No service beyond this computer." in [one.text() for one in permissions.findChildren(QLabel)]
    assert not any(one.isVisible() for one in permissions.findChildren(QPushButton))
