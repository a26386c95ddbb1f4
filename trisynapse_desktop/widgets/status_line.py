"""What is so now in, one quiet line at the window's foot out: vault, running work, backlog, model, network."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QToolButton

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import counted, label, row
from trisynapse_memory.types import Backlog

ICON_SIZE = 14  # px


class StatusLine(QFrame):
    """The status bar. It only ever says what is known to be true.

    Args:
        theme: colours and icons.
        go_models: leads to where models are chosen.
        go_privacy: leads to what has left this computer.
    """

    def __init__(self, theme: Theme, go_models: QAction, go_privacy: QAction) -> None:
        super().__init__()
        self.setObjectName("statusBar")
        self.setFixedHeight(7 * GRID)
        self._theme = theme
        self.request_count = 0
        self._offline = False
        self._vault = label("No vault")
        self._vault_icon = IconLabel(theme, "layers", size=ICON_SIZE)
        self._work = label("")
        self._backlog = label("")
        self._model = _link(go_models, "Who writes the answers")
        self._network = _link(go_privacy, "What has left this computer")
        self.setLayout(
            row(
                self._vault_icon,
                self._vault,
                3,
                self._work,
                None,
                self._backlog,
                3,
                self._model,
                1,
                self._network,
                gap=1,
                margins=(3, 0, 2, 0),
            )
        )
        theme.changed.connect(self._paint)
        self.show_model("")
        self.show_network(offline=False, request_count=0)

    @property
    def is_offline(self) -> bool:
        """Whether nothing may leave, as far as is known."""
        return self._offline

    def show_vault(self, name: str, path: str = "") -> None:
        """Name the open vault."""
        self._vault.setText(name or "No vault")
        self._vault.setToolTip(path)

    def show_work(self, sentence: str) -> None:
        """Say what is running, or nothing."""
        self._work.setText(sentence)

    def show_backlog(self, backlog: Backlog) -> None:
        """Say how many records are found by their words only, so far."""
        self._backlog.setText(f"{backlog.vectors:,} to embed" if backlog.vectors else "")
        self._backlog.setToolTip("Found by their words already; found by meaning once they are embedded.")

    def show_model(self, name: str) -> None:
        """Name the model that writes answers; without one nothing is said."""
        self._model.setText(name)
        self._model.setAccessibleName(f"Answers are written by {name or 'no model'}")
        self._model.setVisible(bool(name))

    def show_network(self, offline: bool, request_count: int) -> None:
        """Say whether the network is off, and how many requests left this computer."""
        self.request_count, self._offline = request_count, offline
        requests = f"{counted(request_count, 'request')} sent"
        self._network.setText(f"Offline · {requests}" if offline else requests)
        self._paint()

    def words(self) -> str:
        """Return everything the line says, for tests and screen readers."""
        parts = (self._vault, self._work, self._backlog, self._model, self._network)
        return " | ".join(part.text() for part in parts if part.text())

    def _paint(self) -> None:
        self._network.setIcon(self._theme.icon("wifi-off" if self._offline else "lock", size=ICON_SIZE))
        self._model.setIcon(self._theme.icon("sparkle", size=ICON_SIZE))


def _link(action: QAction, hint: str) -> QToolButton:
    """A word of the line that leads somewhere."""
    made = QToolButton()
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setToolTip(hint)
    made.setAccessibleDescription(hint)
    made.clicked.connect(action.trigger)
    return made
