"""What became alike of many inputs in, a count to fold out and a line for each out, a screenful at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QGridLayout

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.elided_label import ElidedLabel
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, row
from trisynapse_desktop.wording import verdict_words
from trisynapse_memory.types import IngestResult, Outcome, PageVerdict

ROW_LIMIT = 12  # files shown before she asks for more
ROW_STEP = 48
SLICE = 4  # rows made at a time; hundreds at once would keep the window still
ICON = 16  # px


class ResultGroup(QFrame):
    """Inputs of one run with one fate.

    Args:
        theme: gives the icons.
        words: what became of them, after their count: ``added``.
        sign: icon and tone of that.
    """

    def __init__(self, theme: Theme, words: str, sign: tuple[str, str]) -> None:
        super().__init__()
        self._theme, self._words, self._sign = theme, words, sign
        self._results: Sequence[IngestResult] = ()
        self._shown: list[IngestResult] = []
        self._limit = ROW_LIMIT
        self._alone, self._wanted = False, False
        self._her_word: bool | None = None
        self._icon = IconLabel(theme, "chevron-right", "muted", ICON)
        self._head = button("", "sentence")
        self._head.clicked.connect(lambda _checked=False: self.unfold(not self.unfolded))
        self._bar = boxed(row(self._icon, self._head, None, gap=2))
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(3 * GRID)
        self._rows.setVerticalSpacing(GRID)
        self._rows.setColumnStretch(1, 1)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._files = boxed(self._rows)
        self._more = button("", "link")
        self._more.clicked.connect(lambda _checked=False: self._show_more())
        self.setLayout(column(self._bar, self._files, self._more, gap=1))
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._add_slice)

    @property
    def unfolded(self) -> bool:
        """Whether its lines are shown."""
        return self._alone or (self._wanted if self._her_word is None else self._her_word)

    def show_results(self, results: Sequence[IngestResult], alone: bool, wanted: bool) -> None:
        """Show what there is now.

        Args:
            results: all of them, in the order they came; those shown before come first again, or all is shown anew.
            alone: the run is so short that every line is shown and no count stands above.
            wanted: unfold them until she folds them herself.
        """
        self._results, self._alone, self._wanted = results, alone, wanted
        self._bar.setVisible(not alone)
        self._head.setText(f"{len(results):,} {self._words}")
        if self._shown != list(results[: len(self._shown)]):
            clear(self._rows)
            self._shown = []
        self._fill()

    def unfold(self, open_now: bool) -> None:
        """Show the lines, or only their count; the first screenful comes at once."""
        self._her_word = open_now
        self._fill()

    def _fill(self) -> None:
        unfolded, wanted = self.unfolded, self._wanted_count()
        self._head.setAccessibleName(f"{self._head.text()}, {'shown' if unfolded else 'folded'}")
        self._icon.show_icon("chevron-down" if unfolded else "chevron-right")
        self._files.setVisible(unfolded)
        if len(self._shown) < wanted:
            self._add_slice()
            self._timer.start()
        rest = len(self._results) - wanted
        self._more.setVisible(unfolded and rest > 0)
        self._more.setText(f"{rest:,} more")
        self._more.setAccessibleName(f"Show more of {rest:,} that were {self._words}")

    def _wanted_count(self) -> int:
        return min(self._limit, len(self._results)) if self.unfolded else 0

    def _show_more(self) -> None:
        self._limit += ROW_STEP
        self._fill()

    def _add_slice(self) -> None:
        wanted = self._wanted_count()
        upto = min(len(self._shown) + SLICE, wanted)
        for result in self._results[len(self._shown) : upto]:
            self._add_row(len(self._shown) * 2, result)
            self._shown.append(result)
        if len(self._shown) >= wanted:
            self._timer.stop()

    def _add_row(self, place: int, result: IngestResult) -> None:
        name = ElidedLabel(result.title or result.input, result.input)
        icon, tone = self._sign
        self._rows.addWidget(IconLabel(self._theme, icon, tone, ICON), place, 0)
        self._rows.addWidget(name, place, 1)
        self._rows.addWidget(label(pages_text(result), "small"), place, 2, Qt.AlignmentFlag.AlignRight)
        if reason := reason_of(result):
            self._rows.addWidget(label(reason, "small", wrap=True, selectable=True), place + 1, 1, 1, 2)


def pages_text(result: IngestResult) -> str:
    """Say how a file's pages came out, e.g. ``118 readable, 2 garbled`` or ``12 pages``; one good page says nothing.

    Of a file that failed or was skipped the reason says it.
    """
    if result.status in (Outcome.FAILED, Outcome.SKIPPED):
        return ""
    counts = sorted(result.verdicts.items(), key=lambda pair: -pair[1])
    if len(counts) == 1 and counts[0][0] == PageVerdict.OK:
        return f"{counts[0][1]:,} pages" if counts[0][1] > 1 else ""
    return ", ".join(f"{count:,} {verdict_words(verdict)}" for verdict, count in counts)


def reason_of(result: IngestResult) -> str:
    """Say why an input is not simply added, and what to do."""
    if result.status is Outcome.SUCCESS:
        return ""
    return f"{result.error.message} {result.error.hint}".strip() if result.error else result.reason
