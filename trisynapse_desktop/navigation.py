"""Visited places in, the way back and forward out; nothing is opened here, the window does that."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from trisynapse_desktop.target import Target

LENGTH = 100  # places; more than anyone walks back in a day, and a Target is small


class Navigation(QObject):
    """The one history of the window: each jump is a visit, Back and Forward walk over them.

    ``went`` carries the target to show after a step back or forward; ``changed`` says that a step became possible or
    impossible.
    """

    went = Signal(object)
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places: list[Target] = []
        self._at = -1

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether a step back can be taken again."""
        return self._at < len(self._places) - 1

    @property
    def here(self) -> Target | None:
        """The place shown now."""
        return self._places[self._at] if self._places else None

    def visit(self, target: Target) -> None:
        """Remember a jump. What lay ahead is dropped; the same place twice in a row counts once."""
        if target == self.here:
            return
        del self._places[self._at + 1 :]
        self._places.append(target)
        del self._places[:-LENGTH]
        self._at = len(self._places) - 1
        self.changed.emit()

    def back(self) -> None:
        """Go to the place before this one, if there is one."""
        if self.can_go_back:
            self._step(-1)

    def forward(self) -> None:
        """Take the last step back again, if there was one."""
        if self.can_go_forward:
            self._step(1)

    def forget(self, source_id: str) -> None:
        """Drop a source's places, so that Back never leads to a closed tab she meant to be rid of."""
        here = self.here
        self._places = [place for place in self._places if place.source_id != source_id]
        self._at = self._places.index(here) if here in self._places else len(self._places) - 1
        self.changed.emit()

    def clear(self) -> None:
        """Forget every place; another vault was opened."""
        self._places.clear()
        self._at = -1
        self.changed.emit()

    def _step(self, by: int) -> None:
        self._at += by
        self.changed.emit()
        self.went.emit(self._places[self._at])
