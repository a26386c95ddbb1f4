"""A row of the pane table in, its pane at first use out; a pane that cannot be loaded leaves the others alone."""

from __future__ import annotations

import logging

from PySide6.QtWidgets import QFrame

from trisynapse_desktop.pane import Context, Pane, PaneRow
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.layout import column
from trisynapse_memory.types import Fault

logger = logging.getLogger(__name__)


class PaneSlot(QFrame):
    """The place of one pane. Nothing is imported before the first ``open``; that keeps the first paint early."""

    def __init__(self, context: Context, row: PaneRow) -> None:
        super().__init__()
        self._context = context
        self.row = row
        self.pane: Pane | None = None
        self.setObjectName(f"slot-{row.id}")
        self._place = column(gap=0)
        self.setLayout(self._place)

    def ensure(self) -> None:
        """Load and build the pane, once."""
        if self._place.count():
            return
        try:
            self.pane = self.row.load()
            widget = self.pane.build(self._context)
        except ImportError as error:
            logger.exception("The pane '%s' could not be loaded.", self.row.id)
            self.pane = None
            widget = EmptyState(self._context.theme)
            hint = "Install the program again; a part of it is missing."
            widget.show_fault(Fault(code="pane.missing", message=f"{self.row.title}: {error}", hint=hint))
        self._place.addWidget(widget)

    def open(self, target: Target) -> None:
        """Show a target in the pane."""
        self.ensure()
        if self.pane is not None:
            self.pane.open(target)
