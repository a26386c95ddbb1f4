"""Hits in, a list of painted cards out; one row is one passage, and no widget is made per hit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from trisynapse_desktop.theme import GRID, RADIUS, Theme
from trisynapse_desktop.wording import clock_text
from trisynapse_memory.types import Hit, Locator

EXCERPT_LINES = 3
BATCH = 10  # rows measured at a time; a screen shows about as many
TEXT_WIDTH = 720  # px; 60 to 80 characters a line
PREFIX_CUT = 2  # letters at a word's end that an inflection may change
LONG_WORD = 5  # letters; cutting shorter words would mark half the dictionary

Index = QModelIndex | QPersistentModelIndex
_WORD = re.compile(r"\w+")


def page_text(locator: Locator | None) -> str:
    """Say where in its source a passage stands, as a reader would: ``p. iv``, ``row 12``, ``lines 4-9``."""
    if locator is None:
        return ""
    if locator.slide is not None:
        return f"slide {locator.slide}"
    if locator.row is not None:
        return f"{locator.sheet + ', ' if locator.sheet else ''}row {locator.row}"
    if locator.kind == "time" and locator.start_s is not None:
        return clock_text(locator.start_s)
    if locator.kind == "section" and locator.page_label:
        return locator.page_label  # a chapter of a book
    if locator.page_label or locator.page is not None:
        return f"p. {locator.page_label or locator.page}"
    if locator.start_line is not None:
        return f"lines {locator.start_line}–{locator.end_line or locator.start_line}"
    return locator.heading or (locator.path[-1] if locator.path else "")


def marks_of(text: str, question: str) -> list[tuple[int, int]]:
    """Find the words of a question in a text, as (start, length); an inflected long word counts too."""
    wanted = [word for word in _WORD.findall(question.casefold()) if len(word) > 2 or word.isdigit()]
    stems = tuple(word[:-PREFIX_CUT] if len(word) > LONG_WORD and word.isalpha() else word for word in wanted)
    if not stems:
        return []
    return [
        (found.start(), found.end() - found.start())
        for found in _WORD.finditer(text)
        if found.group().casefold().startswith(stems)
    ]


class HitsModel(QAbstractListModel):
    """The hits of one question, best first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits: tuple[Hit, ...] = ()
        self.question = ""

    def show(self, hits: Sequence[Hit], question: str) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.hits, self.question = tuple(hits), question
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        hit = self.hits[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{hit.title}, {place_of(hit)}: {hit.excerpt}"
        return hit if role == Qt.ItemDataRole.UserRole else None


class _HitPainter(QStyledItemDelegate):
    def __init__(self, theme: Theme, model: HitsModel, view: QListView) -> None:
        super().__init__(view)
        self._theme, self._model, self._view = theme, model, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hit: Hit = index.data(Qt.ItemDataRole.UserRole)
        line = option.fontMetrics.lineSpacing()
        width = self._column(self._view.viewport().rect()).width() - 6 * GRID
        excerpt = self._laid_out(hit.excerpt, option.font, width)
        return QSize(200, line + round(excerpt.boundingRect().height()) + 7 * GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        hit: Hit = index.data(Qt.ItemDataRole.UserRole)
        tones = self._theme.tones
        area = self._column(option.rect).adjusted(0, GRID // 2, 0, -GRID // 2)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tones.chosen if state & QStyle.StateFlag.State_Selected else tones.hover))
            painter.drawRoundedRect(area, RADIUS, RADIUS)
        inner = area.adjusted(3 * GRID, 2 * GRID, -3 * GRID, -2 * GRID)
        if state & QStyle.StateFlag.State_Selected and self._view.hasFocus():
            painter.fillRect(area.left(), area.top() + 2 * GRID, 3, area.height() - 4 * GRID, QColor(tones.accent))
        self._paint_head(painter, inner, hit)
        line = painter.fontMetrics().lineSpacing()
        self._paint_excerpt(painter, inner.adjusted(0, line + GRID + 2, 0, 0), hit)
        painter.restore()

    def _paint_head(self, painter: QPainter, area: QRect, hit: Hit) -> None:
        tones = self._theme.tones
        place = place_of(hit)
        painter.setPen(QColor(tones.muted))
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(area, top | Qt.AlignmentFlag.AlignRight, place)
        room = area.width() - painter.fontMetrics().horizontalAdvance(place) - 4 * GRID
        plain = painter.font()
        bold = QFont(plain)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(tones.text))
        title = painter.fontMetrics().elidedText(hit.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(area, top | Qt.AlignmentFlag.AlignLeft, title)
        painter.setFont(plain)

    def _paint_excerpt(self, painter: QPainter, area: QRect, hit: Hit) -> None:
        tones = self._theme.tones
        layout = self._laid_out(hit.excerpt, painter.font(), area.width())
        painter.setPen(QColor(tones.text))
        layout.draw(painter, QPointF(area.left(), area.top()))

    def _column(self, area: QRect) -> QRect:
        """Return the middle of a row: text wider than 80 characters is hard to follow."""
        width = min(area.width() - 4 * GRID, TEXT_WIDTH + 6 * GRID)
        return QRect(area.left() + (area.width() - width) // 2, area.top(), width, area.height())

    def _laid_out(self, excerpt: str, font: QFont, width: int) -> QTextLayout:
        text = " ".join(excerpt.split())
        layout = QTextLayout(text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        marked = QTextCharFormat()
        marked.setBackground(QColor(self._theme.tones.mark))
        marked.setForeground(QColor(self._theme.tones.on_mark))
        ranges = []
        for start, length in marks_of(text, self._model.question):
            one = QTextLayout.FormatRange()
            one.start, one.length, one.format = start, length, marked
            ranges.append(one)
        layout.setFormats(ranges)
        layout.beginLayout()
        height, end = 0.0, 0
        for _line in range(EXCERPT_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(width)
            line.setPosition(QPointF(0, height))
            height += line.height()
            end = line.textStart() + line.textLength()
        layout.endLayout()
        if end < len(text):
            return self._laid_out(shortened(text, end), font, width)
        return layout


def place_of(hit: Hit) -> str:
    """Say where a hit stands; words that are not the source's own say so first."""
    return " · ".join(part for part in (hit.mark, page_text(hit.locator)) if part)


def shortened(text: str, room: int) -> str:
    """Cut a text that is too long to fewer than ``room`` characters, at a word's end, and say that it goes on.

    The result is always shorter than what was given, so that cutting again ends.
    """
    body = text.removesuffix(" …")
    kept = body[: max(min(room, len(body)) - 3, 0)]
    return f"{kept.rsplit(' ', 1)[0] if ' ' in kept else kept} …"


class HitList(QListView):
    """The list of passages. Enter or a click opens one, Up on the first gives the focus back.

    ``opened`` carries the hit; ``left`` says that she went up past the first row.
    """

    opened = Signal(object)
    chosen = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._model = HitsModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_HitPainter(theme, self._model, self))
        self.setResizeMode(QListView.ResizeMode.Adjust)
        # A screenful first: laying out thirty excerpts at each letter she types cost two frames.
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(BATCH)
        self.setMouseTracking(True)
        self.setAccessibleName("Passages found")
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._open)
        self.selectionModel().currentChanged.connect(self._choose)
        theme.changed.connect(self.viewport().update)

    def show_hits(self, hits: Sequence[Hit], question: str) -> None:
        """Show other hits; the first is chosen, nothing is opened."""
        self._model.show(hits, question)
        if hits:
            self.setCurrentIndex(self._model.index(0, 0))

    def hits(self) -> tuple[Hit, ...]:
        """Return the hits shown, best first."""
        return self._model.hits

    def current(self) -> Hit | None:
        """Return the hit chosen now."""
        return self.currentIndex().data(Qt.ItemDataRole.UserRole) if self.currentIndex().isValid() else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(index.data(Qt.ItemDataRole.UserRole))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None)
