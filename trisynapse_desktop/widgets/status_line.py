"""What is so now in, one quiet line at the window's foot out: vault, network, backlog, running work."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import label, row
from trisynapse_memory.types import Backlog


class StatusLine(QFrame):
    """The status bar. It only ever says what is known to be true."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("statusBar")
        self.setFixedHeight(7 * GRID)
        self.request_count = 0
        self._vault = label("No vault")
        self._vault_icon = IconLabel(theme, "layers", size=14)
        self._work = label("")
        self._backlog = label("")
        self._network_icon = IconLabel(theme, "lock", size=14)
        self._network = label("")
        self.setLayout(
            row(
                self._vault_icon,
                self._vault,
                3,
                self._work,
                None,
                self._backlog,
                3,
                self._network_icon,
                self._network,
                gap=1,
                margins=(3, 0, 3, 0),
            )
        )
        self.show_network(offline=False, request_count=0)

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

    def show_network(self, offline: bool, request_count: int) -> None:
        """Say whether the network is off, and how many requests left this computer."""
        self.request_count = request_count
        requests = f"{request_count:,} request{'' if request_count == 1 else 's'} sent"
        self._network_icon.show_icon("wifi-off" if offline else "lock")
        self._network.setText(f"Offline · {requests}" if offline else requests)

    def words(self) -> str:
        """Return everything the line says, for tests and screen readers."""
        parts = (self._vault, self._work, self._backlog, self._network)
        return " | ".join(part.text() for part in parts if part.text())
