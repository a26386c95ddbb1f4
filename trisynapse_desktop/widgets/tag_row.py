"""The tags of a source in, a chip each and a field for one more out; nothing is kept here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QLayout, QLayoutItem, QLineEdit

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import button

FIELD_WIDTH = 30 * GRID  # px


class TagRow(QFrame):
    """Her tags. Typing and Enter adds one, clicking a chip takes it off.

    ``added`` and ``removed`` carry the tag's name.
    """

    added = Signal(str)
    removed = Signal(str)

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName("Tags")
        flow = Flow(GRID)
        for tag in tags:
            chip = button(f"{tag}  ×", "tag", f"Take the tag “{tag}” off")
            chip.setAccessibleName(f"Take off the tag {tag}")
            chip.clicked.connect(lambda _checked=False, tag=tag: self.removed.emit(tag))
            flow.addWidget(chip)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Add a tag")
        self.field.setAccessibleName("Add a tag")
        self.field.setProperty("role", "chip")
        self.field.setFixedWidth(FIELD_WIDTH)
        self.field.returnPressed.connect(self._add)
        flow.addWidget(self.field)
        self.setLayout(flow)

    @property
    def has_focus(self) -> bool:
        """Whether the keys go to the field or to one of the chips."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def _add(self) -> None:
        if name := self.field.text().strip():
            self.field.clear()
            self.added.emit(name)


class Flow(QLayout):
    """Widgets from left to right, on as many lines as they need."""

    def __init__(self, gap: int) -> None:
        super().__init__()
        self._gap = gap
        self._parts: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, part: QLayoutItem) -> None:
        self._parts.append(part)

    def count(self) -> int:
        return len(self._parts)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._parts[index] if 0 <= index < len(self._parts) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._parts.pop(index) if 0 <= index < len(self._parts) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        sizes = [part.minimumSize() for part in self._parts]
        return QSize(
            max((size.width() for size in sizes), default=0), max((size.height() for size in sizes), default=0)
        )

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._place(area, move=True)

    def _place(self, area: QRect, move: bool) -> int:
        """Put the parts into lines; return how high they are together."""
        at, line_height = QPoint(area.left(), area.top()), 0
        for part in self._parts:
            size = part.sizeHint()
            if at.x() > area.left() and at.x() + size.width() > area.right() + 1:
                at = QPoint(area.left(), at.y() + line_height + self._gap)
                line_height = 0
            if move:
                part.setGeometry(QRect(at, size))
            at.setX(at.x() + size.width() + self._gap)
            line_height = max(line_height, size.height())
        return at.y() + line_height - area.top()
