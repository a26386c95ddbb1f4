"""Progress values in, a thin bar with a true sentence out; nothing is guessed where the total is unknown."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QProgressBar, QWidget

from trisynapse_desktop.widgets.layout import column, label
from trisynapse_memory.types import Progress

SPEED_WINDOW_S = 10.0  # speed over the last ten seconds: an average over the whole run hides a stall
STAGE_WORDS = {
    "reading": "Reading",
    "words": "Making words searchable",
    "vectors": "Learning meanings",
    "success": "Added",
    "partial": "Added, with gaps:",
    "done": "Done",
    "failed": "Could not be read",
    "skipped": "Left out",
}


class Speed:
    """Counts, and tells how fast it has been counting of late."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, int]] = []

    def note(self, done: int, now: float | None = None) -> None:
        """Note that so much is done by now (seconds on a monotonic clock)."""
        moment = time.monotonic() if now is None else now
        self._marks = [mark for mark in self._marks if moment - mark[0] <= SPEED_WINDOW_S and mark[1] <= done]
        self._marks.append((moment, done))

    def per_second(self) -> float:
        """Return units per second over the last marks, 0.0 when there are too few."""
        if len(self._marks) < 2:
            return 0.0
        (start, first), (end, last) = self._marks[0], self._marks[-1]
        return (last - first) / (end - start) if end > start else 0.0


class ProgressLine(QWidget):
    """A sentence and a 4-pixel bar: what is done, how fast, how much is left."""

    def __init__(self) -> None:
        super().__init__()
        self._speed = Speed()
        self._words = label("", "small")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self.setLayout(column(self._words, self._bar, gap=1))

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._words.text()

    def show_progress(self, progress: Progress) -> None:
        """Show one more step."""
        self._speed.note(progress.done)
        self._bar.setRange(0, progress.total)
        self._bar.setValue(progress.done)
        self._words.setText(sentence_of(progress, self._speed.per_second()))


def sentence_of(progress: Progress, per_second: float = 0.0) -> str:
    """Say how far a run is, e.g. ``Reading Lewis 2020 - 40 of 120 pages - 12 pages/s - 7 s left``."""
    stage = STAGE_WORDS.get(progress.stage, progress.stage.capitalize())
    parts = [f"{stage} {progress.label}".strip()]
    if progress.total:
        parts.append(f"{progress.done:,} of {progress.total:,} {progress.unit}")
    elif progress.done:
        parts.append(f"{progress.done:,} {progress.unit}")
    if per_second > 0:
        parts.append(
            f"{per_second:.0f} {progress.unit}/s" if per_second >= 1 else f"{per_second:.1f} {progress.unit}/s"
        )
        left = progress.total - progress.done
        if left > 0:
            parts.append(f"{duration_of(left / per_second)} left")
    return " · ".join(parts)


def duration_of(seconds: float) -> str:
    """Say a duration in the largest unit that fits, e.g. ``4 min``."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
