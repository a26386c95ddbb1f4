"""Ingest runs and progress in, what the Activity pane shows of each out; nothing is asked of the engine here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from trisynapse_memory.types import IngestResult, IngestRun, Outcome, Progress

STATE_WORDS = {
    "running": "Running",
    "completed": "Done",
    "partial": "Done, with gaps",
    "failed": "Failed",
    "interrupted": "Interrupted",
    "cancelled": "Cancelled",
}
STATE_TONES = {"completed": "good", "partial": "warning", "failed": "bad", "interrupted": "warning"}
# What she must look at comes first.
ORDER = {Outcome.FAILED: 0, Outcome.PARTIAL: 1, Outcome.SUCCESS: 2, Outcome.SKIPPED: 3}


@dataclass(slots=True)
class RunView:
    """One run as the pane shows it: what the engine recorded, and what its progress added since."""

    run: IngestRun
    progress: Progress | None = None
    live: dict[str, IngestResult] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether the run still works."""
        return self.run.status == "running"

    @property
    def can_retry(self) -> bool:
        """Whether something of the run is worth trying again."""
        return not self.running and (
            self.run.status in ("failed", "interrupted", "cancelled")
            or any(result.status is Outcome.FAILED for result in self.results())
        )

    def results(self) -> tuple[IngestResult, ...]:
        """Return what became of each input, trouble first."""
        rows = self.run.results or tuple(self.live.values())
        return tuple(sorted(rows, key=lambda result: ORDER[result.status]))

    def summary(self) -> str:
        """Count the inputs by what became of them, e.g. ``12 added, 1 failed``."""
        words = {"success": "added", "partial": "with gaps", "failed": "failed", "skipped": "already here"}
        counts = dict.fromkeys(words, 0)
        for result in self.results():
            counts[result.status.value] += 1
        return ", ".join(f"{count:,} {words[name]}" for name, count in counts.items() if count)


class RunBook(QObject):
    """All runs, newest first.

    ``reset`` says that the list of runs is another; ``changed`` carries the id of one run that moved on.
    """

    reset = Signal()
    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: dict[str, RunView] = {}

    def show(self, runs: Sequence[IngestRun]) -> None:
        """Replace the list; progress of runs that still work is kept."""
        old = self._views
        self._views = {run.run_id: self._merged(run, old.get(run.run_id)) for run in runs}
        self.reset.emit()

    def note(self, progress: Progress) -> None:
        """Take one step of progress; a run not known yet joins the top of the list."""
        view = self._views.get(progress.run_id)
        if view is None:
            view = RunView(IngestRun(run_id=progress.run_id, status="running"))
            self._views = {progress.run_id: view, **self._views}
            self.reset.emit()
        view.progress = progress
        if progress.result is not None:
            view.live[progress.result.input] = progress.result
        self.changed.emit(progress.run_id)

    def views(self) -> tuple[RunView, ...]:
        """Return every run, newest first."""
        return tuple(self._views.values())

    def view(self, run_id: str) -> RunView | None:
        """Return one run."""
        return self._views.get(run_id)

    @staticmethod
    def _merged(run: IngestRun, old: RunView | None) -> RunView:
        if old is None or run.status != "running":
            return RunView(run)
        return RunView(run, old.progress, old.live)


def verdict_words(result: IngestResult) -> str:
    """Say how a file's pages came out, e.g. ``118 ok, 2 garbled``; one verdict alone says only its count."""
    return ", ".join(
        f"{count:,} {verdict}" for verdict, count in sorted(result.verdicts.items(), key=lambda pair: -pair[1])
    )
