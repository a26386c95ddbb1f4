"""What she picked in one pane in, a signal to every other pane out; panes never learn of each other here."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from trisynapse_desktop.target import Target
from trisynapse_memory.types import Citation, Locator


class Selection(QObject):
    """How panes talk: one pane says what was chosen, whoever cares listens.

    ``opened`` carries a ``Target`` that the window must bring to the front; the other signals only say what is chosen
    now, and nothing moves on the screen because of them.
    """

    opened = Signal(object)
    source_selected = Signal(str)
    record_selected = Signal(str)
    citation_selected = Signal(object)
    question_proposed = Signal(str)
    vault_chosen = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source_id = ""
        self._record_id = ""

    @property
    def source_id(self) -> str:
        """The source chosen last, or an empty string."""
        return self._source_id

    @property
    def record_id(self) -> str:
        """The record chosen last, or an empty string."""
        return self._record_id

    def open(self, target: Target) -> None:
        """Bring a place to the front; every jump of the app goes through here, so that Back can undo it."""
        self.opened.emit(target)

    def open_passage(self, source_id: str, locator: Locator | None = None, title: str = "") -> None:
        """Open a source in its reader tab and paint the passage; without a locator, at its first page."""
        self.select_source(source_id)
        self.open(Target("reader", source_id=source_id, locator=locator, title=title))

    def open_citation(self, citation: Citation) -> None:
        """Open the passage a citation rests on."""
        self.citation_selected.emit(citation)
        self.select_record(citation.record_id)
        if citation.source_id is not None:
            self.open_passage(citation.source_id, citation.locator, citation.title)

    def select_source(self, source_id: str) -> None:
        """Say which source is chosen now; an empty string means none."""
        if source_id != self._source_id:
            self._source_id = source_id
            self.source_selected.emit(source_id)

    def select_record(self, record_id: str) -> None:
        """Say which record is chosen now; an empty string means none."""
        if record_id != self._record_id:
            self._record_id = record_id
            self.record_selected.emit(record_id)

    def choose_vault(self, vault: Path, create: bool = False) -> None:
        """Open another vault, or make it."""
        self.vault_chosen.emit(vault, create)

    def clear(self) -> None:
        """Choose nothing; another vault was opened."""
        self.select_record("")
        self.select_source("")

    def propose_question(self, text: str) -> None:
        """Put text into the question field of the chat without sending it ("ask about this")."""
        self.question_proposed.emit(text)
