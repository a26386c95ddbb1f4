"""Widgets in, the same widgets in a row or column on the spacing grid out; styling roles are set here too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGraphicsDropShadowEffect,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from trisynapse_desktop.theme import GRID

READING_WIDTH = 744  # px; 720 of text, about 80 characters, and its margins

TEXT_ROLES = frozenset({"inline", "sentence", "quiet"})

Box = TypeVar("Box", bound=QBoxLayout)

Part = QWidget | QLayout | int | None
"""A widget, a nested layout, a fixed gap in grid steps, or ``None`` for a gap that takes what is left."""


def row(*parts: Part, gap: int = 2, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QHBoxLayout:
    """Put parts beside each other; ``gap`` and ``margins`` count grid steps."""
    return _fill(QHBoxLayout(), parts, gap, margins)


def column(*parts: Part, gap: int = 2, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QVBoxLayout:
    """Put parts below each other; ``gap`` and ``margins`` count grid steps."""
    return _fill(QVBoxLayout(), parts, gap, margins)


def boxed(layout: QLayout, name: str = "", role: str = "") -> QFrame:
    """Return a frame that holds a layout, with a style name or role."""
    frame = QFrame()
    frame.setObjectName(name)
    if role:
        frame.setProperty("role", role)
    frame.setLayout(layout)
    return frame


def centred(layout: QLayout, name: str = "", width: int = READING_WIDTH) -> QFrame:
    """Return a frame as wide as its place that keeps its content in the middle, no wider than a page of text."""
    middle = boxed(layout)
    middle.setMaximumWidth(width)
    across = row(None, middle, None, margins=(4, 3, 4, 2))
    across.setStretch(1, 1000)
    return boxed(across, name)


def label(text: str = "", role: str = "", wrap: bool = False, selectable: bool = False) -> QLabel:
    """Return a label in one of the text styles: heading, title, small, muted, section, badge, .. ."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    made.setWordWrap(wrap)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def button(text: str, role: str = "", hint: str = "") -> QPushButton:
    """Return a button: plain, ``primary`` (one per view), or ``link``; ``inline``, ``sentence`` and ``quiet`` in text.

    Space presses all of them; those that stand in text and read as links are followed by Enter too.
    """
    made = _TextLink(text) if role in TEXT_ROLES else QPushButton(text)
    made.setAccessibleName(text.rstrip("…"))
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setAutoDefault(False)
    if role:
        made.setProperty("role", role)
    if hint:
        made.setToolTip(hint)
    return made


class _TextLink(QPushButton):
    """A button that Enter presses too, as it follows a link; Qt's own leaves that to dialogs."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def lift(widget: QWidget) -> None:
    """Let a widget float over the window by a soft shadow."""
    shadow = QGraphicsDropShadowEffect(widget)
    shadow.setBlurRadius(32)
    shadow.setOffset(0, 8)
    shadow.setColor(QColor(0, 0, 0, 70))
    widget.setGraphicsEffect(shadow)


def line() -> QFrame:
    """Return a hairline."""
    made = QFrame()
    made.setProperty("role", "line")
    return made


def restyle(widget: QWidget, **properties: str) -> None:
    """Set style properties and let the style sheet look again."""
    for name, value in properties.items():
        widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def counted(count: int, one: str, many: str = "") -> str:
    """Say how many there are, e.g. ``1 claim``, ``2,000 claims``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def follow_by_tab(before: QWidget, inside: QWidget) -> None:
    """Let Tab go from one widget through everything inside another, in the order it was put there.

    Qt sends what is made later to the end of the window's order. ``before`` must not hold what is ``inside``: Qt then
    takes the last of it for where to begin.
    """
    for widget in _in_order(inside):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            QWidget.setTabOrder(before, widget)
            before = widget


def _in_order(inside: QWidget) -> Iterator[QWidget]:
    """Everything inside a widget as it is read, from the top; ``findChildren`` goes level by level."""
    layout = inside.layout()
    children = (one for one in inside.children() if isinstance(one, QWidget) and not one.isWindow())
    for part in children if layout is None else _parts_of(layout):
        yield part
        yield from _in_order(part)


def _parts_of(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        part = layout.itemAt(place)
        if part is not None and (widget := part.widget()) is not None:
            yield widget
        elif part is not None and (inner := part.layout()) is not None:
            yield from _parts_of(inner)


def clear(layout: QLayout) -> None:
    """Take every widget out of a layout and let it go."""
    while (place := layout.takeAt(0)) is not None:
        if (widget := place.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := place.layout()) is not None:
            clear(inner)


def _fill(box: Box, parts: tuple[Part, ...], gap: int, margins: tuple[int, int, int, int]) -> Box:
    box.setSpacing(gap * GRID)
    box.setContentsMargins(*(step * GRID for step in margins))
    for part in parts:
        if part is None:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part * GRID)
        elif isinstance(part, QLayout):
            box.addLayout(part)
        else:
            box.addWidget(part)
    return box
