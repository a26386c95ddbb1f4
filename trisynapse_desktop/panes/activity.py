"""Ingest runs and background work in, a card each out; she holds, cancels and retries here, the engine does it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QStackedWidget, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.models.runs import STATE_TONES, STATE_WORDS, RunBook, RunView, verdict_words
from trisynapse_desktop.operations import ingest, jobs
from trisynapse_desktop.pane import Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, restyle, row
from trisynapse_desktop.widgets.progress import ProgressLine
from trisynapse_desktop.widgets.task_list import TaskList
from trisynapse_memory.types import Fault, IngestResult, IngestRun, Notice, Outcome, Progress, Task

RUN_LIMIT = 30  # cards; older runs stay in the engine
ROW_LIMIT = 12  # files shown on a card before she asks for more
ROW_STEP = 100
REDRAW_DELAY_MS = 100  # ten redraws a second show every file of a fast import
CARD_WIDTH = 880
STATUS_ICONS = {
    Outcome.SUCCESS: ("check", "good"),
    Outcome.PARTIAL: ("alert", "warning"),
    Outcome.FAILED: ("x", "bad"),
    Outcome.SKIPPED: ("chevron-right", "muted"),
}


class ActivityPane:
    """What comes in and what became of it, newest first."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._cards: dict[str, RunCard] = {}
        self._stale: set[str] = set()
        self._tasks = TaskList(context.theme)
        self._list = column(gap=3)
        middle = boxed(column(self._tasks, self._list, gap=3, margins=(6, 5, 6, 5)))
        middle.setMaximumWidth(CARD_WIDTH)
        inner = QWidget()
        across = row(None, middle, None)
        across.setStretch(1, 1000)
        inner.setLayout(across)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(inner)
        self._scroll.setAccessibleName("Runs")
        self._empty = EmptyState(context.theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._scroll)
        self._stack.addWidget(self._empty)
        self._book = RunBook(self._stack)
        self._redraw_timer = QTimer(self._stack, singleShot=True, interval=REDRAW_DELAY_MS)
        self._redraw_timer.timeout.connect(self._redraw)
        self._book.reset.connect(self._rebuild)
        self._book.changed.connect(self._note_change)
        self._connect_tasks()
        context.bridge.progress.connect(self._note_progress)
        context.bridge.notice.connect(self._hear)
        context.bridge.state_changed.connect(self._follow_engine)
        self.refresh()
        return self._stack

    def open(self, target: Target) -> None:
        """Bring the newest run to the top."""
        self._scroll.verticalScrollBar().setValue(0)
        self._scroll.setFocus()

    def refresh(self) -> None:
        """Ask the engine for its runs; they are kept there, so a restart loses none."""
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load(), self._show_fault)
        elif not self._cards:
            self._follow_engine(self._context.bridge.state)

    async def _load(self) -> None:
        runs: Sequence[IngestRun] = await self._context.bridge.call("runs.list", limit=RUN_LIMIT)
        self._tasks.show_tasks(await jobs.tasks(self._context))
        self._book.show(runs)

    # -- background work

    def _connect_tasks(self) -> None:
        self._tasks.wanted.connect(lambda: self._do(jobs.tasks))
        self._tasks.paused.connect(lambda name: self._do(jobs.pause, name))
        self._tasks.resumed.connect(lambda name: self._do(jobs.resume, name))
        self._tasks.cancelled.connect(lambda name: self._do(jobs.cancel, name))

    def _do(self, ask: Callable[..., Coroutine[Any, Any, Sequence[Task]]], *names: str) -> None:
        async def show() -> None:
            self._tasks.show_tasks(await ask(self._context, *names))

        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(show(), _let_pass)

    # -- runs

    def _follow_engine(self, state: EngineState) -> None:
        if state is EngineState.READY:
            self.refresh()
        elif not self._cards:
            if self._context.bridge.fault is not None and state is EngineState.FAILED:
                self._show_fault(self._context.bridge.fault)
            else:
                self._empty.show_loading("Waiting for the engine…")
                self._stack.setCurrentWidget(self._empty)

    def _hear(self, notice: Notice) -> None:
        if notice.topic == "runs":
            self.refresh()
        elif self._tasks.isVisible():
            self._do(jobs.tasks)

    def _note_progress(self, progress: Progress) -> None:
        self._book.note(progress)
        # The end of a run carries no times and counts; the engine's own record does.
        if progress.stage in ("done", "failed") and progress.result is None:
            self.refresh()

    def _note_change(self, run_id: str) -> None:
        self._stale.add(run_id)
        if not self._redraw_timer.isActive():
            self._redraw_timer.start()

    def _redraw(self) -> None:
        stale, self._stale = self._stale, set()
        for run_id in stale:
            view, card = self._book.view(run_id), self._cards.get(run_id)
            if view is not None and card is not None:
                card.show_view(view)

    def _rebuild(self) -> None:
        clear(self._list)
        self._cards = {}
        for view in self._book.views():
            card = RunCard(self._context, view)
            self._cards[view.run.run_id] = card
            self._list.addWidget(card)
        self._list.addStretch(1)
        if self._cards or self._tasks.is_busy:
            self._stack.setCurrentWidget(self._scroll)
        else:
            hint = "What you drop on the window is listed here: every file, every page, and what could not be read."
            self._empty.show_empty("activity", "Nothing came in yet", hint)
            self._stack.setCurrentWidget(self._empty)

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)


class RunCard(QFrame):
    """One run: its state, its progress while it works, and a line for each file, trouble first."""

    def __init__(self, context: Context, view: RunView) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._context, self._theme = context, context.theme
        self._run_id = view.run.run_id
        self._row_limit = ROW_LIMIT
        self._title = label("", "heading")
        self._state = label("", "muted")
        self._summary = label("", "small")
        self._progress = ProgressLine()
        self._cancel, self._retry = button("Cancel"), button("Try again")
        self._more = button("", "link")
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(3 * GRID)
        self._rows.setVerticalSpacing(GRID)
        self._rows.setColumnStretch(1, 1)
        words = column(row(self._title, self._state, None, gap=3), self._summary, gap=1)
        head = row(words, self._cancel, self._retry, gap=3)
        head.setStretch(0, 1)
        head.setAlignment(self._cancel, Qt.AlignmentFlag.AlignTop)
        head.setAlignment(self._retry, Qt.AlignmentFlag.AlignTop)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._files = boxed(self._rows)
        self.setLayout(column(head, self._progress, self._files, self._more, gap=3, margins=(5, 4, 5, 4)))
        self._cancel.clicked.connect(self._stop)
        self._retry.clicked.connect(self._try_again)
        self._more.clicked.connect(self._show_more)
        self._shown: tuple[IngestResult, ...] = ()
        self._files.hide()
        self.show_view(view)

    def show_view(self, view: RunView) -> None:
        """Show how far the run is now."""
        self._view = view
        run = view.run
        self._title.setText(title_of(view))
        self._state.setText(STATE_WORDS.get(run.status, run.status.capitalize()))
        restyle(self._state, role=STATE_TONES.get(run.status, "muted"))
        self._summary.setText(" · ".join(part for part in (view.summary(), when_text(run), took_text(run)) if part))
        self.setAccessibleName(f"{self._title.text()}, {self._state.text()}, {self._summary.text()}")
        self._progress.setVisible(view.running and view.progress is not None)
        if view.running and view.progress is not None:
            self._progress.show_progress(view.progress)
        self._cancel.setVisible(view.running)
        self._retry.setVisible(view.can_retry)
        self._show_rows(view.results())

    def _show_rows(self, results: tuple[IngestResult, ...]) -> None:
        shown = results[: self._row_limit]
        if shown != self._shown:
            self._shown = shown
            clear(self._rows)
            self._files.setVisible(bool(shown))
            for place, result in enumerate(shown):
                self._add_row(place, result)
        rest = len(results) - len(shown)
        self._more.setVisible(rest > 0)
        self._more.setText(f"{rest:,} more")
        self._more.setAccessibleName(f"Show {rest} more files")

    def _add_row(self, place: int, result: IngestResult) -> None:
        icon, tone = STATUS_ICONS[result.status]
        name = label(result.title or result.input)
        name.setToolTip(hint_of(result.input))
        self._rows.addWidget(IconLabel(self._theme, icon, tone, 16), place * 2, 0)
        self._rows.addWidget(name, place * 2, 1)
        verdicts = label(verdict_words(result), "small")
        self._rows.addWidget(verdicts, place * 2, 2, Qt.AlignmentFlag.AlignRight)
        reason = f"{result.error.message} {result.error.hint}".strip() if result.error else result.reason
        if reason and result.status is not Outcome.SUCCESS:
            self._rows.addWidget(label(reason, "small", wrap=True, selectable=True), place * 2 + 1, 1, 1, 2)

    def _show_more(self) -> None:
        self._row_limit += ROW_STEP
        self._show_rows(self._view.results())

    def _stop(self) -> None:
        self._cancel.setEnabled(False)
        self._context.bridge.run(ingest.cancel(self._context, self._run_id))

    def _try_again(self) -> None:
        self._retry.setEnabled(False)
        self._context.bridge.run(ingest.retry(self._context, self._run_id))


def _let_pass(_fault: Fault) -> None:
    """The engine's end is told by the window; the next second asks again."""


def title_of(view: RunView) -> str:
    """Name a run by what it took in."""
    results = view.results()
    if len(results) == 1:
        return results[0].title or results[0].input
    if results:
        return f"{len(results):,} files"
    return view.progress.label if view.progress and view.progress.label else "Getting ready"


def when_text(run: IngestRun) -> str:
    """Say when a run began, on her clock."""
    if run.created_at is None:
        return ""
    moment = run.created_at.astimezone()
    today = datetime.now().astimezone().date()
    return f"today {moment:%H:%M}" if moment.date() == today else f"{moment.day} {moment:%b %Y, %H:%M}"


def took_text(run: IngestRun) -> str:
    """Say how long a finished run took, and how many pages a second that was."""
    if run.created_at is None or run.completed_at is None:
        return ""
    seconds = (run.completed_at - run.created_at).total_seconds()
    page_count = sum(sum(result.verdicts.values()) for result in run.results)
    speed = f" · {page_count / seconds:,.0f} pages/s" if seconds > 0 and page_count > seconds else ""
    return f"{seconds:.1f} s{speed}"
