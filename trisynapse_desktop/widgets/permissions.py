"""Remote services in, those that may be sent something out, each with a way to take that back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import button, clear, column
from trisynapse_desktop.widgets.setting_parts import StateLine, name_button, section, setting
from trisynapse_memory.types import ServiceState

HINT = "Before a service is sent anything you see what that would be, and say yes or no. No is the default."


class Permissions(QFrame):
    """Which services she has allowed. ``disallowed`` carries the name of the one she takes it back from."""

    disallowed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._none = StateLine(theme)
        self._rows = column(gap=3)
        self.setLayout(column(section("Who may be asked", HINT, self._none, self._rows)))

    def show_services(self, services: Sequence[ServiceState]) -> None:
        """Show one line for each service beyond this computer that is allowed."""
        clear(self._rows)
        allowed = [one.service for one in services if one.service.is_remote and one.is_allowed]
        self._none.say("" if allowed else "No service beyond this computer.", "good")
        for service in allowed:
            take_back = button("Take it back")
            name_button(take_back, service.label)
            take_back.clicked.connect(lambda _checked=False, name=service.name: self.disallowed.emit(name))
            self._rows.addWidget(setting(service.label, service.base_url, take_back))
