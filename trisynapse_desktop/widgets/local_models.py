"""Model files for this computer in, one line each out, with what she can do: fetch, use, stop, take away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QProgressBar

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, counted, label, line, restyle, row
from trisynapse_desktop.widgets.setting_parts import StateLine, name_button, section
from trisynapse_memory.types import LocalModel

READING_SPEED = 10.0  # tokens a second; slower, and one waits for each sentence
FOLDED_FROM = 6  # models; more would push the services off the screen
POLL_MS = 500  # twice a second; a bar that moves at all is believed
FITS = {
    "good": ("Fits well", "good"),
    "tight": ("Tight: close other programs", "warning"),
    "too-large": ("Too large for this computer", "bad"),
}


class LocalModels(QFrame):
    """The curated list and her own files. It asks for news while something is on its way and it can be seen.

    ``wanted`` asks for the list of now; the other signals carry the name of a model.
    """

    wanted = Signal()
    file_wanted = Signal()
    fetched = Signal(str)
    stopped = Signal(str)
    used = Signal(str)
    removed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines: dict[str, _ModelLine] = {}
        self._near: frozenset[str] = frozenset()
        self._rows = column(gap=3)
        self._all = button("", "link")
        self._is_whole = False
        self._all.clicked.connect(lambda _checked=False: self._unfold(not self._is_whole))
        pick = button("Use a file of yours…", hint="A model file in the GGUF format; it stays where it is")
        pick.clicked.connect(self.file_wanted)
        hint = "A model in this computer answers without a network. The files are large; one is enough."
        self.setLayout(column(section("Models on this computer", hint, self._rows, row(self._all, None, pick))))
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._ask)

    def show_models(self, models: Sequence[LocalModel]) -> None:
        """Show every file as it stands now; lines that are there already only change their words."""
        if [one.name for one in models] != list(self._lines):
            self._rebuild(models)
        for model in models:
            self._lines[model.name].show_model(model)
        self._near = names_near(models)
        self._unfold(self._is_whole)

    def say(self, name: str, text: str, tone: str = "bad") -> None:
        """Say under a model what became of what she asked for."""
        if name in self._lines:
            self._lines[name].say(text, tone)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _unfold(self, unfolded: bool) -> None:
        """Show the whole list, or what is here and what suits this computer."""
        self._is_whole = unfolded
        self._all.setText("Show only what suits this computer" if unfolded else f"Show all {len(self._lines)} models")
        self._all.setVisible(len(self._near) < len(self._lines))
        for name, one in self._lines.items():
            one.setVisible(unfolded or name in self._near)

    def _ask(self) -> None:
        if any(one.is_moving for one in self._lines.values()):
            self.wanted.emit()

    def _rebuild(self, models: Sequence[LocalModel]) -> None:
        clear(self._rows)
        self._lines = {}
        for model in models:
            made = _ModelLine(self._theme, model)
            made.fetched.connect(self.fetched)
            made.stopped.connect(self.stopped)
            made.used.connect(self.used)
            made.removed.connect(self.removed)
            self._lines[model.name] = made
            self._rows.addWidget(made)


class _ModelLine(QFrame):
    """One model: its name, what it costs this computer, how far it is, and its buttons."""

    fetched = Signal(str)
    stopped = Signal(str)
    used = Signal(str)
    removed = Signal(str)

    def __init__(self, theme: Theme, model: LocalModel) -> None:
        super().__init__()
        self._facts = label("", "small", wrap=True)
        self._fit = label("", "small")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Fetching {model.label}")
        self._done = label("", "small")
        self._note = StateLine(theme)
        self._fetch, self._stop = button("Download"), button("Stop")
        self._use, self._remove = button("Use"), button("Remove", "link")
        for one, signal in (
            (self._fetch, self.fetched),
            (self._stop, self.stopped),
            (self._use, self.used),
            (self._remove, self.removed),
        ):
            name_button(one, model.label)
            one.clicked.connect(lambda _checked=False, signal=signal: signal.emit(model.name))
        purpose = [label(model.description, "small", wrap=True)] if model.description else []
        words = column(row(label(model.label), self._fit, None, gap=2), *purpose, self._facts, gap=1)
        head = row(words, self._remove, self._fetch, self._stop, self._use, gap=2)
        head.setStretch(0, 1)
        self._way = boxed(row(self._bar, self._done, gap=3))
        self.setLayout(column(line(), head, self._way, self._note, gap=2))
        self.show_model(model)

    @property
    def is_moving(self) -> bool:
        return self._moving

    def say(self, text: str, tone: str) -> None:
        self._note.say(text, tone)

    def show_model(self, model: LocalModel) -> None:
        self._moving = model.state == "downloading"
        self._facts.setText(facts_of(model))
        words, tone = FITS.get(model.fit, ("", "muted"))
        self._fit.setText(words)
        self._fit.setVisible(bool(words))
        restyle(self._fit, role=tone)
        self._way.setVisible(self._moving)
        self._bar.setRange(0, 1000)
        self._bar.setValue(1000 * model.done_bytes // max(1, model.size_bytes))
        self._done.setText(f"{size_words(model.done_bytes)} of {size_words(model.size_bytes)}")
        can_fetch = model.state in ("offered", "broken") and bool(model.url) and model.fit != "too-large"
        self._fetch.setVisible(can_fetch)
        self._fetch.setText("Go on" if can_fetch and model.done_bytes else "Download")
        name_button(self._fetch, model.label)
        self._stop.setVisible(self._moving)
        self._use.setVisible(model.state == "ready")
        self._remove.setVisible(model.state in ("ready", "broken") and bool(model.path))
        if model.note or self._moving:
            self._note.say(model.note, "bad" if model.state == "broken" else "muted")


def names_near(models: Sequence[LocalModel]) -> frozenset[str]:
    """Name the models that are here or on their way, and the offered ones around the one that suits this computer.

    That is the largest that fits well and writes about as fast as one reads. A short list is not cut.
    """
    if len(models) <= FOLDED_FROM:
        return frozenset(one.name for one in models)
    present = {one.name for one in models if one.state != "offered" or one.done_bytes}
    suiting = [place for place, one in enumerate(models) if one.fit == "good" and one.speed >= READING_SPEED]
    best = max(suiting, key=lambda place: models[place].size_bytes, default=0)
    return frozenset(present | {one.name for one in models[max(0, best - 1) : best + 2]})


def facts_of(model: LocalModel) -> str:
    """Say in one line what a model file costs and allows."""
    parts = [size_words(model.size_bytes)]
    if model.memory_bytes:
        parts.append(f"needs {size_words(model.memory_bytes)} of memory")
    if model.speed:
        parts.append(f"about {counted(max(1, round(model.speed)), 'token')} a second here")
    if model.licence:
        parts.append(model.licence)
    return " · ".join(parts)


def size_words(count: int) -> str:
    """Say a size as file managers do, in powers of ten."""
    if count >= 1_000_000_000:
        return f"{count / 1_000_000_000:.1f} GB"
    return f"{count / 1_000_000:.0f} MB" if count >= 1_000_000 else f"{count / 1000:.0f} kB"
