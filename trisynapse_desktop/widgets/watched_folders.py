"""Watched folders in, one line each with how it stands and a way to stop out; no folder is looked into here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import button, clear, column, row
from trisynapse_desktop.widgets.setting_parts import StateLine, name_button, section, setting
from trisynapse_memory.types import WatchedFolder

HINT = (
    "What lies in these folders of this computer is taken in, and what changes follows by itself: a renamed file stays"
    " the source it was, a deleted one is archived with its highlights."
)


class WatchedFolders(QFrame):
    """The list. ``add_wanted`` and ``look_wanted`` ask for a folder and for a look now, ``stopped`` carries a path."""

    add_wanted = Signal()
    look_wanted = Signal()
    stopped = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._none = StateLine(theme)
        self._rows = column(gap=3)
        add, self._look = (
            button("Watch a folder…"),
            button("Look now", hint="Bring the vault up to all of them at once"),
        )
        add.clicked.connect(lambda _checked=False: self.add_wanted.emit())
        self._look.clicked.connect(lambda _checked=False: self.look_wanted.emit())
        self.setLayout(column(section("Watched folders", HINT, self._none, self._rows, row(add, self._look, None))))

    def show_folders(self, folders: Sequence[WatchedFolder]) -> None:
        """Show every watched folder; one that is not there now says so."""
        clear(self._rows)
        self._none.say("" if folders else "No folder is watched.")
        self._look.setEnabled(bool(folders))
        for folder in folders:
            self._rows.addWidget(self._line(folder))

    def _line(self, folder: WatchedFolder) -> QWidget:
        stop = button("Stop watching")
        name = Path(folder.path).name or folder.path
        name_button(stop, name)
        stop.clicked.connect(lambda _checked=False: self.stopped.emit(folder.path))
        goes_to = f"{folder.path} · into “{folder.collection}”" if folder.collection else folder.path
        line = setting(name, goes_to, stop)
        if folder.is_there:
            return line
        gone = StateLine(self._theme)
        gone.say("It is not there now. It is looked at again as soon as it is back.", "warning")
        frame = QFrame()
        frame.setLayout(column(line, gone, gap=1))
        return frame
