"""A remote service in, her yes or no out: what would be sent, and what never is, before the first byte leaves."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import counted
from trisynapse_desktop.widgets.question_sheet import LISTED, QuestionSheet
from trisynapse_memory.types import ConsentSheet


class ConsentPanel(QuestionSheet):
    """Asks for the consent to a service. ``agreed`` carries its name; ``declined`` too."""

    agreed = Signal(str)
    declined = Signal(str)

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window, theme, f"{LISTED} You can take this back there.")
        self._service = ""
        self.answered.connect(self._tell)

    def ask(self, sheet: ConsentSheet) -> None:
        """Show what she would agree to."""
        self._service = sheet.service
        title = f"Let {sheet.label} read passages of your sources?"
        self.put(title, sheet.sent, (*sheet.kept_here, *marked_words(sheet)), f"Send to {sheet.host}")

    def _tell(self, agreed: bool) -> None:
        (self.agreed if agreed else self.declined).emit(self._service)


def marked_words(sheet: ConsentSheet) -> tuple[str, ...]:
    """Say what she has marked by now that is never sent; nothing where she has marked nothing."""
    parts = [f"{counted(sheet.sensitive_count, 'source')} marked sensitive"] if sheet.sensitive_count else []
    parts += [f"“{name}”" for name in sheet.never_collections]
    return (f"So far: {', '.join(parts)}.",) if parts else ()
