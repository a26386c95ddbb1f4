"""What a pane shows when it has nothing else to show: empty, loading, failed or offline; no pane invents its own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import button, column, label, row
from trisynapse_memory.types import Fault

WIDTH = 400  # px; about 55 characters, so that two lines say it


class EmptyState(QWidget):
    """One icon, one sentence, one hint, and at most two things to do, in the middle of the pane."""

    def __init__(self, theme: Theme, icon: str = "inbox", title: str = "", hint: str = "") -> None:
        super().__init__()
        self._icon = IconLabel(theme, icon, "muted", 40)
        self._title = self._centred(label("", "heading", wrap=True))
        self._hint = self._centred(label("", "muted", wrap=True))
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setFixedWidth(WIDTH // 2)
        self._busy.setAccessibleName("Working")
        self._buttons = row(gap=2)
        self.setLayout(
            column(
                None,
                row(None, self._icon, None),
                2,
                self._capped(self._title),
                self._capped(self._hint),
                row(None, self._busy, None),
                2,
                row(None, self._buttons, None),
                None,
                gap=1,
                margins=(6, 6, 6, 6),
            )
        )
        self.show_empty(icon, title, hint)

    def show_empty(self, icon: str, title: str, hint: str = "") -> None:
        """Say that there is nothing here, and how something gets here."""
        self._show(icon, "muted", title, hint)

    def show_loading(self, title: str = "Loading…") -> None:
        """Say that something is on its way."""
        self._show("clock", "muted", title, "", busy=True)

    def show_fault(self, fault: Fault) -> None:
        """Say what went wrong and what to do."""
        self._show("alert", "warning", fault.message, fault.hint)

    def show_offline(self, hint: str) -> None:
        """Say that this needs the network, which is off."""
        self._show("wifi-off", "muted", "You are offline", hint)

    def offer(self, text: str, do: Callable[[], object], primary: bool = False) -> QPushButton:
        """Add something to do."""
        made = button(text, "primary" if primary else "")
        made.clicked.connect(lambda _checked=False: do())
        self._buttons.addWidget(made)
        return made

    @property
    def title(self) -> str:
        """The sentence shown."""
        return self._title.text()

    def _show(self, icon: str, tone: str, title: str, hint: str, busy: bool = False) -> None:
        self._icon.show_icon(icon, tone)
        self._title.setText(title)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._busy.setVisible(busy)
        self.setAccessibleName(title)
        self.setAccessibleDescription(hint)

    @staticmethod
    def _centred(made: QLabel) -> QLabel:
        made.setAlignment(Qt.AlignmentFlag.AlignCenter)
        made.setMaximumWidth(WIDTH)
        return made

    @staticmethod
    def _capped(made: QLabel) -> QHBoxLayout:
        """Give a sentence all the width there is, up to its limit."""
        line = row(None, made, None)
        line.setStretch(1, 1000)
        return line
