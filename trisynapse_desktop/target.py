"""What panes, tabs, history and citations point at; a value, nothing is opened here."""

from __future__ import annotations

from dataclasses import dataclass

from trisynapse_memory.types import Locator


@dataclass(frozen=True, slots=True)
class Target:
    """A place she can jump to and come back from: a pane, and what it shows.

    ``text`` is what a pane searches for or asks; ``title`` is what a tab shows until the source itself is known.
    """

    pane: str
    source_id: str = ""
    locator: Locator | None = None
    title: str = ""
    text: str = ""
