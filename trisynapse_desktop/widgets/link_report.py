"""Links whose page could not be had in, a card with the reasons out, those of one kind together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import button, column, counted, label, row
from trisynapse_desktop.widgets.result_group import ROW_LIMIT, ResultGroup
from trisynapse_memory.types import IngestResult, Link, LinkStatus, Outcome

WAITING = ("clock", "muted")
FAILED = ("x", "bad")
HINT = "Their bookmarks can be searched; the pages themselves are not in the vault."


class LinkReport(QFrame):
    """Which pages are missing and why. ``again_wanted`` carries the ids of the bookmarks whose pages she wants still.

    Hidden while every page that was allowed has come or is on its way.
    """

    again_wanted = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("role", "card")
        self.setAccessibleName("Pages of links that are missing")
        self._title = label("", "heading")
        self._again = button("Try again", hint="Ask for the pages that failed once more")
        self._again.setAccessibleName("Ask for these pages again")
        self._again.clicked.connect(lambda _checked=False: self.again_wanted.emit(self._failed))
        self._failed: list[str] = []
        self._groups: dict[str, ResultGroup] = {}
        self._rows = column(gap=1)
        head = row(column(self._title, label(HINT, "small", wrap=True), gap=1), self._again, gap=3)
        head.setStretch(0, 1)
        head.setAlignment(self._again, Qt.AlignmentFlag.AlignTop)
        self.setLayout(column(head, self._rows, gap=3, margins=(5, 4, 5, 4)))
        self.hide()

    def show_links(self, links: Sequence[Link]) -> None:
        """Show the links that are in trouble now; what she unfolded stays so."""
        self.setVisible(bool(links))
        self._failed = [link.source_id for link in links if link.status is LinkStatus.FAILED and link.source_id]
        self._again.setVisible(bool(self._failed))
        self._title.setText(f"{counted(len(links), 'page')} of links missing")
        kinds: dict[str, list[Link]] = {}
        for link in links:
            kinds.setdefault(kind_of(link), []).append(link)
        for kind, alike in kinds.items():
            if kind not in self._groups:
                sign = FAILED if alike[0].status is LinkStatus.FAILED else WAITING
                self._groups[kind] = ResultGroup(self._theme, kind, sign)
                self._rows.addWidget(self._groups[kind])
        for kind, group in self._groups.items():
            results = [result_of(link) for link in kinds.get(kind, ())]
            group.setVisible(bool(results))
            group.show_results(results, alone=False, wanted=len(links) <= ROW_LIMIT)


def kind_of(link: Link) -> str:
    """Say in two or three words why a page is missing, after a count: ``gone``, ``waiting: busy``."""
    verdict = link.verdict or "not fetched"
    return f"waiting: {verdict}" if link.status is LinkStatus.WAITING else verdict


def result_of(link: Link) -> IngestResult:
    """Say of one link what became of it, as of anything else that was to come in."""
    again = f" Tries again {_moment_text(link.retry_at)}." if link.retry_at is not None else ""
    note = link.note or link.verdict
    reason = f"{note[:1].upper()}{note[1:].rstrip('.')}.{again}" if note else again.strip()
    return IngestResult(input=link.url, title=link.title or link.url, status=Outcome.FAILED, reason=reason)


def _moment_text(moment: datetime) -> str:
    local = moment.astimezone()
    today = datetime.now().astimezone().date()
    return f"at {local:%H:%M}" if local.date() == today else f"on {local.day} {local:%b, %H:%M}"
