"""Typed or dropped links and text in, what she agreed to take in out; nothing is fetched from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import button, column, label, lift, row
from trisynapse_memory.types import SourceInput

WIDTH = 560  # px
HEIGHT = 300  # px


class AddSheet(QFrame):
    """The one place that asks before the network is used: it names the hosts, and its button says what it does.

    ``accepted`` carries the inputs and whether hosts may be contacted.

    Args:
        window: what the sheet lies over.
        read: turns text into inputs.
        hosts: names the hosts that inputs would contact.
    """

    accepted = Signal(object, bool)

    def __init__(
        self,
        window: QWidget,
        read: Callable[[str], tuple[SourceInput, ...]],
        hosts: Callable[[Sequence[SourceInput]], tuple[str, ...]],
    ) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("role", "palette")
        self.setAccessibleName("Add a link or text")
        self._read, self._hosts = read, hosts
        self._offline = False
        self._field = QPlainTextEdit()
        self._field.setProperty("role", "field")
        self._field.setAccessibleName("Links or text to add")
        self._field.setPlaceholderText("https://…   or any text")
        self._field.setTabChangesFocus(True)
        self._note = label("", "small", wrap=True)
        self._add = button("Add", "primary")
        cancel = button("Cancel")
        self.setLayout(
            column(
                label("Add a link or text", "heading"),
                self._field,
                self._note,
                row(None, cancel, self._add),
                gap=3,
                margins=(5, 4, 5, 4),
            )
        )
        self._field.textChanged.connect(self._judge)
        self._add.clicked.connect(self._accept)
        cancel.clicked.connect(self._leave)
        lift(self)
        self.hide()

    def ask(self, text: str = "", offline: bool = False) -> None:
        """Show the sheet, with text already in it or empty."""
        self._offline = offline
        self._field.setPlainText(text)
        self._judge()
        window = self._window
        width = min(WIDTH, window.width() - 8 * GRID)
        self.setGeometry((window.width() - width) // 2, window.height() // 6, width, HEIGHT)
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def note(self) -> str:
        """What the sheet says about the network."""
        return self._note.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def _judge(self) -> None:
        inputs = self._read(self._field.toPlainText())
        hosts = self._hosts(inputs)
        self._add.setEnabled(bool(inputs) and not (hosts and self._offline))
        if hosts and self._offline:
            self._note.setText("Offline is on (Settings, Privacy), so no page is fetched. You can paste its text here.")
        elif hosts:
            named = ", ".join(hosts[:5]) + (f" and {len(hosts) - 5} more" if len(hosts) > 5 else "")
            self._note.setText(f"{len(inputs)} request{'' if len(inputs) == 1 else 's'} will be sent to {named}.")
        else:
            self._note.setText("A text is kept as it is; nothing leaves this computer.")
        self._add.setText(f"Fetch from {hosts[0]}" if len(hosts) == 1 else "Fetch" if hosts else "Add")
        self._add.setAccessibleName(self._add.text())

    def _accept(self) -> None:
        inputs = self._read(self._field.toPlainText())
        self._leave()
        self.accepted.emit(inputs, bool(self._hosts(inputs)))

    def _leave(self) -> None:
        self.hide()
        self._window.setFocus(Qt.FocusReason.PopupFocusReason)
