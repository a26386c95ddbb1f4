"""A state of the whole window in, one line across its top out; it stays until the state is over."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import button, label, restyle, row


class Banner(QFrame):
    """Says that the engine is lost, or could not start, and offers the way on."""

    def __init__(self, theme: Theme, retry: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._icon = IconLabel(theme, "alert", "warning")
        self._text = label("", wrap=True)
        self._retry = button("Start again")
        self._retry.clicked.connect(lambda _checked=False: retry())
        layout = row(self._icon, self._text, self._retry, gap=3, margins=(4, 2, 3, 2))
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def warn(self, text: str) -> None:
        """Say that something is being mended by itself."""
        self._show(text, "warning", False)

    def fail(self, text: str) -> None:
        """Say that something needs her."""
        self._show(text, "bad", True)

    def _show(self, text: str, tone: str, retry: bool) -> None:
        restyle(self, tone=tone)
        self._icon.show_icon("alert", tone)
        self._text.setText(text)
        self.setAccessibleName(text)
        self._retry.setVisible(retry)
        self.show()
