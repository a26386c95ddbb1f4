"""What has to be typed in, a link that turns into fields and back out: an answer in place, no dialog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from trisynapse_desktop.widgets.layout import button, column, label, row


@dataclass(frozen=True, slots=True)
class Entry:
    """One field: its name for screen readers, what stands in it while it is empty, and what it begins with."""

    name: str
    placeholder: str
    text: str = ""
    required: bool = True


class InlineForm(QFrame):
    """A link; clicked, it becomes its fields. Enter goes on to what is missing and then keeps, Escape puts it back.

    ``submitted`` carries the texts, in the order of the fields; ``unfolded`` and ``folded`` say what it has become.
    """

    submitted = Signal(list)
    unfolded = Signal()
    folded = Signal()

    def __init__(self, text: str, entries: Sequence[Entry], hint: str = "", name: str = "", role: str = "link") -> None:
        super().__init__()
        self.setAccessibleName(name or text.rstrip("…"))
        self._entries = tuple(entries)
        self.link = button(text, role, hint)
        self.link.setAccessibleName(name or text.rstrip("…"))
        self.link.clicked.connect(lambda _checked=False: self.unfold())
        self.fields = [self._field(entry) for entry in self._entries]
        self._hint = label("Enter keeps it, Escape leaves it as it was.", "small", wrap=True)
        self.setLayout(column(row(self.link, None), *self.fields, self._hint, gap=1))
        self.fold()

    def unfold(self) -> None:
        """Show the fields with the cursor in the first."""
        self.link.hide()
        for field in (*self.fields, self._hint):
            field.show()
        self.unfolded.emit()
        self.fields[0].setFocus()
        self.fields[0].selectAll()

    def fold(self) -> None:
        """Show the link again; what was typed is dropped."""
        for field, entry in zip(self.fields, self._entries, strict=True):
            field.setText(entry.text)
            field.hide()
        self._hint.hide()
        self.link.show()
        self.folded.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self.fold()
            self.link.setFocus()
            return True
        return super().eventFilter(watched, event)

    def _field(self, entry: Entry) -> QLineEdit:
        made = QLineEdit(entry.text)
        made.setPlaceholderText(entry.placeholder)
        made.setAccessibleName(entry.name)
        made.setToolTip(entry.placeholder)
        made.installEventFilter(self)
        made.returnPressed.connect(self._go_on)
        return made

    def _go_on(self) -> None:
        for field, entry in zip(self.fields, self._entries, strict=True):
            if entry.required and not field.text().strip():
                field.setFocus()
                return
        if not self.fields[-1].hasFocus() and not self._entries[-1].text and not self.fields[-1].text():
            self.fields[-1].setFocus()
            return
        self.submitted.emit([field.text().strip() for field in self.fields])
