"""Kinds of background work in, one line each out: what it is, how far it is, and buttons to hold it or let it go on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QProgressBar

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import button, column, label, row
from trisynapse_memory.types import Task

POLL_MS = 1000  # numbers that move once a second are live enough to trust, and cheap
NAME_WIDTH, BAR_WIDTH = 190, 120  # px
WORDS = {
    "facts": "Reading facts",
    "scans": "Reading scans",
    "links": "Reading pages of links",
    "vectors": "Embedding",
    "similarity": "Linking similar passages",
    "summaries": "Summaries",
    "novelty": "Novelty",
    "consolidation": "Tidying up",
    "pages": "Wiki pages",
    "tuning": "Learning from use",
    "model facts": "Facts, by a model",
    "model summaries": "Summaries, by a model",
    "descriptions": "Describing pictures",
}
HINTS = {
    "facts": "Statements are read from your sources, for the graph and the wiki",
    "scans": "Pages that are pictures are read, so that their words can be found and marked",
    "links": "Pages you allowed are fetched, one site slowly after the other",
    "vectors": "Passages become findable by meaning, not only by their words",
    "similarity": "Passages that say the same are linked",
    "summaries": "Sources, collections and concepts are summed up",
    "novelty": "Each source is compared with what was there before it",
    "consolidation": "Names of one thing are looked for, and concepts are ranked",
    "pages": "The files of the wiki follow what changed",
    "tuning": "Another order of results is tried on what you opened; nothing changes before you agree",
    "model facts": "The model you chose reads for statements that patterns miss; each is checked",
    "model summaries": "The model you chose sums up sources and concepts; each sentence is checked",
    "descriptions": "The model you chose describes pages that hold no text; marked as its words",
}
UNITS = {
    "facts": "passages",
    "scans": "pages",
    "links": "pages",
    "vectors": "passages",
    "similarity": "passages",
    "summaries": "groups",
    "novelty": "sources",
    "consolidation": "rounds",
    "tuning": "rounds",
    "pages": "pages",
    "model facts": "passages",
    "model summaries": "groups",
    "descriptions": "pages",
}
ALL_DONE = "Everything is read, embedded and linked."


class TaskList(QFrame):
    """Background work as a card. It asks for news once a second while it can be seen and something waits.

    ``wanted`` asks for the tasks of now; ``paused``, ``resumed`` and ``cancelled`` carry the name of a task.
    """

    wanted = Signal()
    paused = Signal(str)
    resumed = Signal(str)
    cancelled = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines: dict[str, TaskLine] = {}
        self._moving = False
        self.setProperty("role", "card")
        self.setAccessibleName("Background work")
        self._state = label("", "muted")
        self._rows = column(gap=2)
        head = row(label("Background work", "heading"), self._state, None, gap=3)
        self.setLayout(column(head, self._rows, gap=3, margins=(5, 4, 5, 4)))
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._ask)

    @property
    def is_busy(self) -> bool:
        """Whether something waits, works or is held."""
        return any(line.isVisibleTo(self) for line in self._lines.values())

    def show_tasks(self, tasks: Sequence[Task]) -> None:
        """Show how every kind of work is doing; what has nothing to do is not listed."""
        for task in tasks:
            if task.name not in self._lines:
                self._lines[task.name] = self._make_line(task.name)
            self._lines[task.name].show_task(task)
        busy = [task for task in tasks if is_listed(task)]
        self._moving = any(task.status in ("running", "waiting") and task.pending for task in tasks)
        held = sum(task.status == "paused" for task in busy)
        self._state.setText(ALL_DONE if not busy else "Held" if held == len(busy) else "Goes on while you work")
        self.setAccessibleDescription("; ".join(f"{WORDS.get(one.name, one.name)}: {state_text(one)}" for one in busy))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.wanted.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _ask(self) -> None:
        if self._moving and self.isVisible():
            self.wanted.emit()

    def _make_line(self, name: str) -> TaskLine:
        line = TaskLine(self._theme, name)
        line.paused.connect(self.paused)
        line.resumed.connect(self.resumed)
        line.cancelled.connect(self.cancelled)
        self._rows.addWidget(line)
        return line


class TaskLine(QFrame):
    """One kind of work: its name, how far it is, what troubles it, and its buttons."""

    paused = Signal(str)
    resumed = Signal(str)
    cancelled = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._name, words = name, WORDS.get(name, name.capitalize())
        self._icon = IconLabel(theme, "clock", "muted", 16)
        title = label(words)
        title.setFixedWidth(NAME_WIDTH)
        title.setToolTip(HINTS.get(name, ""))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(BAR_WIDTH)
        self._bar.setAccessibleName(words)
        self._state = label("", "small", wrap=True)
        self._hold, self._leave = button("Pause", "quiet"), button("Not now", "quiet")
        self._leave.setToolTip("Leave what waits until something new arrives")
        self._leave.setAccessibleName(f"Not now: {words}")
        self._hold.clicked.connect(self._switch)
        self._leave.clicked.connect(lambda _checked=False: self.cancelled.emit(self._name))
        line = row(self._icon, title, self._bar, self._state, self._hold, self._leave, gap=3)
        line.setStretch(3, 1)
        self.setLayout(line)
        self._is_held = False

    def show_task(self, task: Task) -> None:
        """Show how the work is doing."""
        self._is_held = task.status == "paused"
        whole = task.done + task.pending
        self._bar.setRange(0, max(whole, 1))
        self._bar.setValue(task.done)
        self._state.setText(state_text(task))
        troubled = bool(task.trouble) and not self._is_held
        icon = (
            "alert" if troubled else "square" if self._is_held else "refresh" if task.status == "running" else "clock"
        )
        self._icon.show_icon(icon, "warning" if troubled else "accent" if task.status == "running" else "muted")
        words = WORDS.get(task.name, task.name)
        self._hold.setText("Go on" if self._is_held else "Try now" if task.retry_at else "Pause")
        self._hold.setAccessibleName(f"{self._hold.text()}: {words}")
        self._leave.setVisible(not self._is_held and task.pending > 0)
        self._waits_for_retry = task.retry_at is not None
        self.setVisible(is_listed(task))

    def _switch(self) -> None:
        (self.resumed if self._is_held or self._waits_for_retry else self.paused).emit(self._name)


def is_listed(task: Task) -> bool:
    """Tell whether there is something to say about a kind of work."""
    return task.pending > 0 or task.status in ("running", "paused") or bool(task.trouble)


def state_text(task: Task) -> str:
    """Say how far a kind of work is, e.g. ``214 passages to go`` or why it waits."""
    unit = UNITS.get(task.name, "steps")
    left = f"{task.pending:,} {unit[:-1] if task.pending == 1 else unit} to go" if task.pending else "Nothing waits"
    if task.status == "paused":
        return f"Paused · {left}" if task.pending else "Paused"
    if task.trouble:
        again = f" Tries again at {task.retry_at.astimezone():%H:%M}." if task.retry_at else ""
        return f"{left}. {task.trouble[:1].upper()}{task.trouble[1:].rstrip('.')}.{again}"
    return left
