"""A row of the pane table in, a loaded pane out; no pane is imported before it is first shown.

A pane is one file in ``panes/`` and one row below. The window builds it at first use, puts its widget where the row
says, and sends it every target that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol

from PySide6.QtWidgets import QWidget

from trisynapse_desktop.target import Target

if TYPE_CHECKING:
    from trisynapse_desktop.actions import Actions
    from trisynapse_desktop.bridge import Bridge
    from trisynapse_desktop.navigation import Navigation
    from trisynapse_desktop.selection import Selection
    from trisynapse_desktop.session import Session
    from trisynapse_desktop.theme import Theme

Place = Literal["centre", "tab", "side"]
"""``centre`` panes exist once and have a rail icon; ``tab`` panes exist once per source; ``side`` panes share the
right sidebar."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One short message over the window that leaves by itself.

    ``undo`` is called when she presses the button named ``undo_text``; ``tone`` is ``plain``, ``good`` or ``bad``.
    """

    text: str
    hint: str = ""
    tone: Literal["plain", "good", "bad"] = "plain"
    undo_text: str = ""
    undo: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a pane may touch. Panes keep it; they never reach for the window or for each other."""

    bridge: Bridge
    selection: Selection
    actions: Actions
    theme: Theme
    navigation: Navigation
    session: Session
    announce: Callable[[Announcement], None]


class Pane(Protocol):
    """The contract of a pane class. The class takes no arguments; ``build`` is called once, before any ``open``."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget. Must not wait for the engine: start a coroutine with ``context.bridge.run``."""
        ...

    def open(self, target: Target) -> None:
        """Show what the target names. Called for each jump, also when the pane is already in front."""
        ...


@dataclass(frozen=True, slots=True)
class PaneRow:
    """One pane as the window knows it before it is loaded. ``where`` is ``module:Class``."""

    id: str
    title: str
    icon: str
    place: Place
    where: str
    needs_vault: bool = True

    def load(self) -> Pane:
        """Import the pane's module and make one pane.

        Raises:
            ImportError: the module is not there, or something it needs is missing.
        """
        module_name, class_name = self.where.split(":")
        pane_class: Callable[[], Pane] = getattr(import_module(module_name), class_name)
        return pane_class()


PANES: tuple[PaneRow, ...] = (
    PaneRow("welcome", "Start", "home", "centre", "trisynapse_desktop.panes.welcome:WelcomePane", needs_vault=False),
    PaneRow("sources", "Library", "library", "centre", "trisynapse_desktop.panes.sources:SourcesPane"),
    PaneRow("search", "Search", "search", "centre", "trisynapse_desktop.panes.search:SearchPane"),
    PaneRow("graph", "Graph", "network", "centre", "trisynapse_desktop.panes.graph:GraphPane"),
    PaneRow("wiki", "Wiki", "layers", "centre", "trisynapse_desktop.panes.wiki:WikiPane"),
    PaneRow("activity", "Activity", "activity", "centre", "trisynapse_desktop.panes.activity:ActivityPane"),
    PaneRow("settings", "Settings", "settings", "centre", "trisynapse_desktop.panes.settings:SettingsPane"),
    PaneRow("reader", "Reader", "book-open", "tab", "trisynapse_desktop.panes.reader:ReaderPane"),
    PaneRow("chat", "Ask", "message", "side", "trisynapse_desktop.panes.chat:ChatPane"),
    PaneRow("details", "Details", "info", "side", "trisynapse_desktop.panes.details:DetailsPane"),
)


def pane_row(pane_id: str) -> PaneRow:
    """Look one row up by its id.

    Raises:
        KeyError: no pane has that id.
    """
    for row in PANES:
        if row.id == pane_id:
            return row
    raise KeyError(pane_id)
