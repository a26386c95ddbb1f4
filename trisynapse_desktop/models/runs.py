"""Ingest runs and progress in, what the Activity pane shows of each out; nothing is asked of the engine here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import structs
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


class Fate(StrEnum):
    """What became of one input, as she counts it; what she must look at comes first."""

    FAILED = "could not be read"
    PARTIAL = "with gaps"
    ADDED = "added"
    KNOWN = "already here"
    LEFT_OUT = "left out"


@dataclass(slots=True)
class RunView:
    """One run as the pane shows it: what the engine recorded, and what its progress added since."""

    run: IngestRun
    progress: Progress | None = None
    live: dict[tuple[str, str], IngestResult] = field(default_factory=dict)
    _groups: dict[Fate, list[IngestResult]] = field(default_factory=dict)
    _grouped: int = -1

    @property
    def running(self) -> bool:
        """Whether the run still works."""
        return self.run.status == "running"

    @property
    def can_retry(self) -> bool:
        """Whether something of the run is worth trying again."""
        return not self.running and (
            self.run.status in ("failed", "interrupted", "cancelled") or bool(self.groups().get(Fate.FAILED))
        )

    @property
    def total(self) -> int:
        """How many inputs something has become of."""
        return len(self.run.results) or len(self.live)

    def note(self, result: IngestResult) -> None:
        """Take what became of one more input, or what became of it after all."""
        key = _key_of(result)
        if key in self.live or self._grouped != len(self.live):
            self._grouped = -1
        else:
            self._groups.setdefault(fate_of(result), []).append(result)
            self._grouped += 1
        self.live[key] = result

    def groups(self) -> dict[Fate, list[IngestResult]]:
        """Return what became of each input, trouble first; groups that hold nothing are left out.

        Kept and added to: a run of thousands is looked at ten times a second.
        """
        if self._grouped != self.total:
            self._groups = {}
            for result in self.run.results or self.live.values():
                self._groups.setdefault(fate_of(result), []).append(result)
            self._grouped = self.total
        return {fate: self._groups[fate] for fate in Fate if fate in self._groups}

    def first(self) -> IngestResult | None:
        """Return what became of the first input, if anything has."""
        return next(iter(self.run.results or self.live.values()), None)

    def summary(self) -> str:
        """Count the inputs by what became of them, e.g. ``12 added, 1 could not be read``."""
        counts = {fate: len(results) for fate, results in self.groups().items()}
        return ", ".join(f"{counts[fate]:,} {fate}" for fate in SUMMARY_ORDER if fate in counts)


def fate_of(result: IngestResult) -> Fate:
    """Say what became of one input; what was skipped either is in the vault or is nothing for it."""
    if result.status is Outcome.SKIPPED:
        return Fate.KNOWN if result.source_id else Fate.LEFT_OUT
    return FATES[result.status]


FATES = {Outcome.FAILED: Fate.FAILED, Outcome.PARTIAL: Fate.PARTIAL, Outcome.SUCCESS: Fate.ADDED}
SUMMARY_ORDER = (Fate.ADDED, Fate.PARTIAL, Fate.FAILED, Fate.KNOWN, Fate.LEFT_OUT)


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
            view.note(progress.result)
        self.changed.emit(progress.run_id)

    def views(self) -> tuple[RunView, ...]:
        """Return every run, newest first."""
        return tuple(self._views.values())

    def view(self, run_id: str) -> RunView | None:
        """Return one run."""
        return self._views.get(run_id)

    @staticmethod
    def _merged(run: IngestRun, old: RunView | None) -> RunView:
        if run.status != "running":
            is_same = old is not None and not old.running and _mark_of(old.run) == _mark_of(run)
            return old if old is not None and is_same else RunView(run)
        known = {_key_of(result): result for result in run.results}
        if old is None:
            return RunView(structs.replace(run, results=()), live=known)
        return RunView(structs.replace(run, results=()), old.progress, known | old.live)


def _mark_of(run: IngestRun) -> tuple[object, ...]:
    """What tells two states of a finished run apart; pages of its links may still come."""
    return run.status, run.completed_at, len(run.results)


def _key_of(result: IngestResult) -> tuple[str, str]:
    return result.input, result.source_key
