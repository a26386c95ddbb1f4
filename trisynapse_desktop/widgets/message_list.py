"""A number of messages and a maker of their widgets in, a scrolling thread that builds only what is looked at out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import clear

BATCH = 16  # messages built at a time: more than a screen, less than 100 ms
NEAR_TOP = 600  # px; older messages are built before she gets there
WIDTH = 720  # px of text at most, also in a window of its own

Make = Callable[[int], QWidget]


class MessageList(QScrollArea):
    """The messages of one thread. It stays at the end while she is there, and never jumps when older ones are built."""

    def __init__(self, make: Make) -> None:
        super().__init__()
        self._make = make
        self._widgets: dict[int, QWidget] = {}
        self._first = 0
        self._following = True
        self._anchor: QWidget | None = None
        self._column = QVBoxLayout()
        self._column.setContentsMargins(4 * GRID, 4 * GRID, 4 * GRID, 4 * GRID)
        self._column.setSpacing(5 * GRID)
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        inner = QFrame()
        inner.setLayout(self._column)
        inner.setMaximumWidth(WIDTH)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Conversation")
        self.verticalScrollBar().valueChanged.connect(self._follow_scroll)
        self.verticalScrollBar().rangeChanged.connect(self._keep_place)

    def show_messages(self, count: int) -> None:
        """Show another thread, at its end."""
        clear(self._column)
        self._widgets.clear()
        self._anchor = None
        self._following = True
        self._first = count
        self._build_older()

    def append(self, index: int) -> None:
        """Add one message at the end and go there."""
        self._add(index, self._column.count())
        self._following = True

    def anchor(self, index: int) -> None:
        """Keep a message (the last question) in view while what follows it grows past the window."""
        self._anchor = self._widgets.get(index)

    def message(self, index: int) -> QWidget | None:
        """Return the widget of a message, if it has been built."""
        return self._widgets.get(index)

    @property
    def built_count(self) -> int:
        """How many messages have a widget."""
        return len(self._widgets)

    def _add(self, index: int, place: int) -> None:
        widget = self._make(index)
        self._widgets[index] = widget
        self._column.insertWidget(place, widget)

    def _build_older(self) -> None:
        last = self._first
        self._first = max(0, last - BATCH)
        for place, index in enumerate(range(self._first, last)):
            self._add(index, place)

    def _follow_scroll(self, value: int) -> None:
        bar = self.verticalScrollBar()
        self._following = value >= min(bar.maximum(), self._furthest()) - 4
        if value < NEAR_TOP and self._first > 0:
            self._build_older()

    def _furthest(self) -> int:
        """Return how far to follow: to the end, but not so far that the question leaves the window."""
        end = self.verticalScrollBar().maximum()
        return end if self._anchor is None else min(end, max(0, self._anchor.y() - 2 * GRID))

    def _keep_place(self, _low: int, high: int) -> None:
        bar = self.verticalScrollBar()
        grown = high - getattr(self, "_before", 0)
        self._before = high
        if self._following:
            bar.setValue(self._furthest())
        elif grown > 0 and bar.value() < NEAR_TOP:
            # Older messages came in above: what she reads must not move.
            bar.setValue(bar.value() + grown)
