"""A plan of pages to fetch in, her yes or no out: how many pages, of which sites, and what those sites learn."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import counted
from trisynapse_desktop.widgets.question_sheet import QuestionSheet
from trisynapse_memory.types import LinkPlan

NAMED_HOSTS = 12  # a longer list is not read; Activity names every page


class LinkSheet(QuestionSheet):
    """Asks before the pages behind links are fetched. ``agreed`` carries the plan."""

    agreed = Signal(object)

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window, theme)
        self._plan = LinkPlan()
        self.answered.connect(lambda agreed: self.agreed.emit(self._plan) if agreed else None)

    def ask(self, plan: LinkPlan, offline: bool = False) -> None:
        """Show which sites would be asked for how many pages."""
        self._plan = plan
        pages, sites = counted(plan.total, "page"), counted(len(plan.hosts), "site")
        self.put(f"Read {pages} of {sites}?", sent_words(plan, offline), KEPT, f"Read {pages}")


KEPT = (
    "Your files, notes, tags and questions.",
    "Nothing is read where a site asks programs to stay away, or wants a login; you are told which.",
)


def sent_words(plan: LinkPlan, offline: bool) -> tuple[str, ...]:
    """Say what leaves: one request a page, slowly, and to whom."""
    hosts = [f"{host} ({count:,})" for host, count in list(plan.hosts.items())[:NAMED_HOSTS]]
    rest = len(plan.hosts) - len(hosts)
    named = ", ".join(hosts) + (f" and {counted(rest, 'more site')}" if rest > 0 else "")
    waiting = ("Offline is on: the pages wait until you lift it.",) if offline else ()
    return (
        f"The address of each page, to {named}.",
        "Papers are looked up in the catalogue of their site as well. A page may lead on to another site.",
        *waiting,
    )
