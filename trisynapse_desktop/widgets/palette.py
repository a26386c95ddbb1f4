"""A list of choices and typed letters in, the choice she meant out; what a choice does is not known here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from trisynapse_desktop.theme import GRID, RADIUS, Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import column, label, lift, row

WIDTH = 600  # px
ROW_HEIGHT = 9 * GRID
ROWS_SHOWN = 10
CHOICES_SHOWN = 200  # nobody scrolls further; typing one more letter is faster

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the palette. ``keys`` is a shortcut or another short note at the right edge."""

    id: str
    text: str
    hint: str = ""
    keys: str = ""
    icon: str = ""
    enabled: bool = True


def score(text: str, typed: str) -> float:
    """Say how well typed letters fit a text: 0 for not at all, more for word starts, runs and short texts.

    Every letter must occur in order; a plain substring beats scattered letters.
    """
    low, wanted = text.casefold(), typed.casefold()
    if not wanted:
        return 1.0
    found = low.find(wanted)
    if found >= 0:
        starts_word = found == 0 or not low[found - 1].isalnum()
        return 100.0 + (50.0 if starts_word else 0.0) - found * 0.1 - len(low) * 0.01
    total, at, run = 0.0, -1, 0
    for letter in wanted:
        if letter == " ":
            continue
        place = low.find(letter, at + 1)
        if place < 0:
            return 0.0
        run = run + 1 if place == at + 1 else 0
        total += 1.0 + run + (3.0 if place == 0 or not low[place - 1].isalnum() else 0.0)
        at = place
    return max(total - len(low) * 0.01, 0.01)


def best(choices: Iterable[Choice], typed: str, limit: int = CHOICES_SHOWN) -> list[Choice]:
    """Return the choices that fit, best first; equal ones keep their order. The hint counts a tenth."""
    scored = [(max(score(choice.text, typed), score(choice.hint, typed) * 0.1), choice) for choice in choices]
    scored = [pair for pair in scored if pair[0] > 0]
    scored.sort(key=lambda pair: -pair[0] - (0 if pair[1].enabled else -1000))
    return [choice for _points, choice in scored[:limit]]


class _Choices(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.choices: list[Choice] = []

    def show(self, choices: list[Choice]) -> None:
        self.beginResetModel()
        self.choices = choices
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.choices)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        choice = self.choices[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return choice.text
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return f"{choice.hint} {choice.keys}".strip()
        return choice if role == Qt.ItemDataRole.UserRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEnabled if self.choices[index.row()].enabled else flags


class _ChoicePainter(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(WIDTH, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        choice: Choice = index.data(Qt.ItemDataRole.UserRole)
        tones = self._theme.tones
        area = option.rect.adjusted(0, 1, 0, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tones.chosen))
            painter.drawRoundedRect(area, RADIUS, RADIUS)
        painter.setOpacity(1.0 if choice.enabled else 0.5)
        icon: QIcon = self._theme.icon(choice.icon) if choice.icon else QIcon()
        icon.paint(painter, area.left() + 3 * GRID, area.top(), 18, area.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        words = area.adjusted(10 * GRID, 0, -3 * GRID, 0)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(tones.muted))
        painter.drawText(words, middle | Qt.AlignmentFlag.AlignRight, choice.keys)
        keys_width = metrics.horizontalAdvance(choice.keys) + 3 * GRID if choice.keys else 0
        text_width = min(metrics.horizontalAdvance(choice.text), words.width() - keys_width)
        text = metrics.elidedText(choice.text, Qt.TextElideMode.ElideRight, words.width() - keys_width)
        hint_area = words.adjusted(text_width + 3 * GRID, 0, -keys_width, 0)
        painter.drawText(
            hint_area, middle, metrics.elidedText(choice.hint, Qt.TextElideMode.ElideRight, hint_area.width())
        )
        painter.setPen(QColor(tones.text))
        painter.drawText(words, middle, text)
        painter.restore()


class Palette(QFrame):
    """One field and a list over the window. Up, Down, Enter, Escape; a click outside closes it.

    ``picked`` carries the id of the choice.
    """

    picked = Signal(str)

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("role", "palette")
        self.setAccessibleName("Command palette")
        self._choices: tuple[Choice, ...] = ()
        self._pick: Callable[[str], None] | None = None
        self._field = QLineEdit()
        self._field.setProperty("role", "bare")
        self._field.setAccessibleName("Type to choose")
        self._model = _Choices()
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(_ChoicePainter(theme, self._list))
        self._list.setUniformItemSizes(True)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setAccessibleName("Choices")
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = label("Nothing by that name", "muted")
        self._nothing.setContentsMargins(16, 12, 16, 16)
        head = row(IconLabel(theme, "search"), self._field, gap=2, margins=(4, 1, 3, 1))
        self.setLayout(column(head, self._list, self._nothing, gap=0, margins=(0, 0, 0, 0)))
        self._field.textChanged.connect(self._filter)
        self._field.installEventFilter(self)
        window.installEventFilter(self)
        self._list.clicked.connect(self._click)
        lift(self)
        self.hide()

    def ask(self, prompt: str, choices: Iterable[Choice], pick: Callable[[str], None]) -> None:
        """Show the palette with these choices; ``pick`` gets the id of the one she takes."""
        self._choices, self._pick = tuple(choices), pick
        self._field.setPlaceholderText(prompt)
        self._field.clear()
        self._filter("")
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def shown_ids(self) -> tuple[str, ...]:
        """Return the ids of the choices listed now, best first."""
        return tuple(choice.id for choice in self._model.choices)

    def type_text(self, text: str) -> None:
        """Put text into the field, as typing does."""
        self._field.setText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
            return False
        if event.type() == QEvent.Type.FocusOut and not self._list.underMouse():
            self.hide()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._press(event.key())
        return super().eventFilter(watched, event)

    def _press(self, key: int) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if key in steps:
            count = self._model.rowCount()
            at = self._list.currentIndex().row() + steps[Qt.Key(key)]
            if abs(steps[Qt.Key(key)]) == 1 and count:
                at %= count
            self._list.setCurrentIndex(self._model.index(max(0, min(at, count - 1)), 0))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self._list.currentIndex())
            return True
        if key == Qt.Key.Key_Escape:
            self._leave()
            return True
        return False

    def _filter(self, typed: str) -> None:
        self._model.show(best(self._choices, typed.strip()))
        count = self._model.rowCount()
        self._list.setVisible(count > 0)
        self._nothing.setVisible(count == 0)
        self._list.setFixedHeight(min(count, ROWS_SHOWN) * ROW_HEIGHT + 14)
        self._list.setCurrentIndex(self._model.index(0, 0))
        self._place()

    def _place(self) -> None:
        window = self._window
        width = min(WIDTH, window.width() - 8 * GRID)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((window.width() - width) // 2, min(24 * GRID, window.height() // 8))

    def _click(self, index: QModelIndex) -> None:
        self._take(index)

    def _take(self, index: QModelIndex) -> None:
        choice = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if choice is None or not choice.enabled:
            return
        pick = self._pick
        self._leave()
        self.picked.emit(choice.id)
        if pick is not None:
            pick(choice.id)

    def _leave(self) -> None:
        self.hide()
        self._window.setFocus(Qt.FocusReason.PopupFocusReason)
