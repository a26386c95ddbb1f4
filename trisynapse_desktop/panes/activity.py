"""Ingest runs and background work in, a card each out; she holds, cancels and retries here, the engine does it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.models.runs import STATE_TONES, STATE_WORDS, Fate, RunBook, RunView
from trisynapse_desktop.operations import ingest, jobs, links
from trisynapse_desktop.pane import Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.layout import boxed, button, column, label, restyle, row
from trisynapse_desktop.widgets.link_report import LinkReport
from trisynapse_desktop.widgets.progress import ProgressLine
from trisynapse_desktop.widgets.result_group import ROW_LIMIT, ResultGroup
from trisynapse_desktop.widgets.task_list import TaskList
from trisynapse_memory.types import Fault, IngestRun, Notice, Progress, Task

RUN_LIMIT = 15  # cards; each may hold thousands of files, and older runs stay in the engine
LINKS_DELAY_MS = 1000  # pages of links come in seconds apart
REDRAW_DELAY_MS = 100  # ten redraws a second show every file of a fast import
CARD_WIDTH = 880
SIGNS = {
    Fate.FAILED: ("x", "bad"),
    Fate.PARTIAL: ("alert", "warning"),
    Fate.ADDED: ("check", "good"),
    Fate.KNOWN: ("check", "muted"),
    Fate.LEFT_OUT: ("chevron-right", "muted"),
}
TROUBLE = (Fate.FAILED, Fate.PARTIAL)


class ActivityPane:
    """What comes in and what became of it, newest first."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._cards: dict[str, RunCard] = {}
        self._stale: set[str] = set()
        self._tasks = TaskList(context.theme)
        self._list = column(gap=3)
        self._links = LinkReport(context.theme)
        self._links.again_wanted.connect(self._try_links)
        middle = boxed(column(self._tasks, self._links, self._list, gap=3, margins=(6, 5, 6, 5)))
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
        self._links_timer = QTimer(self._stack, singleShot=True, interval=LINKS_DELAY_MS)
        self._links_timer.timeout.connect(lambda: self._context.bridge.run(self._load_links(), _let_pass))
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
        await self._load_links()

    async def _load_links(self) -> None:
        self._links.show_links(await links.troubled(self._context))

    def _try_links(self, source_ids: Sequence[str]) -> None:
        async def again() -> None:
            await links.try_again(self._context, source_ids)
            await self._load_links()

        self._context.bridge.run(again())

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
            if not self._links_timer.isActive():
                self._links_timer.start()

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
        old, self._cards = self._cards, {}
        while self._list.takeAt(0) is not None:
            pass
        for view in self._book.views():
            run_id = view.run.run_id
            if (card := old.pop(run_id, None)) is not None:
                card.show_news(view)
            else:
                card = RunCard(self._context, view)
            self._cards[run_id] = card
            self._list.addWidget(card)
        self._list.addStretch(1)
        for card in old.values():
            card.hide()
            card.deleteLater()
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
    """One run: its state, its progress while it works, and its files by what became of them, trouble first."""

    def __init__(self, context: Context, view: RunView) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._context, self._theme = context, context.theme
        self._run_id = view.run.run_id
        self._title = label("", "heading")
        self._state = label("", "muted")
        self._summary = label("", "small")
        self._progress = ProgressLine()
        self._cancel, self._retry = button("Cancel"), button("Try again")
        words = column(row(self._title, self._state, None, gap=3), self._summary, gap=1)
        head = row(words, self._cancel, self._retry, gap=3)
        head.setStretch(0, 1)
        head.setAlignment(self._cancel, Qt.AlignmentFlag.AlignTop)
        head.setAlignment(self._retry, Qt.AlignmentFlag.AlignTop)
        self._groups: dict[Fate, ResultGroup] = {}
        self._files = column(gap=1)
        self.setLayout(column(head, self._progress, self._files, gap=3, margins=(5, 4, 5, 4)))
        self._cancel.clicked.connect(self._stop)
        self._retry.clicked.connect(self._try_again)
        self.show_view(view)

    @property
    def state(self) -> str:
        """The run's state, as it is shown."""
        return self._state.text()

    def show_news(self, view: RunView) -> None:
        """Show the run as the engine has it now; what she asked for has been answered."""
        self._cancel.setEnabled(True)
        self._retry.setEnabled(True)
        self.show_view(view)

    def show_view(self, view: RunView) -> None:
        """Show how far the run is now."""
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
        self._show_groups(view)

    def _show_groups(self, view: RunView) -> None:
        groups, alone = view.groups(), view.total <= ROW_LIMIT
        for place, fate in enumerate(groups):
            if fate not in self._groups:
                self._groups[fate] = ResultGroup(self._theme, fate.value, SIGNS[fate])
            if self._files.indexOf(self._groups[fate]) != place:  # trouble that comes later goes above the rest
                self._files.insertWidget(place, self._groups[fate])
        for fate, group in self._groups.items():
            group.setVisible(fate in groups)
            group.show_results(groups.get(fate, ()), alone, wanted=fate in TROUBLE)

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
    first = view.first()
    if first is not None:
        return f"{view.total:,} sources" if view.total > 1 else first.title or first.input
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
