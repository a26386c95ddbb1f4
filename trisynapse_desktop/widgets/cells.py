"""Painters for table cells and list entries: tone, count at the right edge, a bar where the focus is."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from trisynapse_desktop.theme import GRID, Theme

COUNT_ROLE = Qt.ItemDataRole.UserRole + 7
BAR_WIDTH = 3  # px

Index = QModelIndex | QPersistentModelIndex


class CellPainter(QStyledItemDelegate):
    """Colours a cell by the tone its model names. A chosen row has a bar at its left while the table has the focus."""

    def __init__(self, theme: Theme, table: QAbstractItemView, tone_role: int) -> None:
        super().__init__(table)
        self._theme, self._table, self._tone_role = theme, table, tone_role

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        tone = index.data(self._tone_role)
        if tone:
            colour = QColor(getattr(self._theme.tones, str(tone)))
            palette: QPalette = option.palette
            palette.setColor(QPalette.ColorRole.Text, colour)
            palette.setColor(QPalette.ColorRole.HighlightedText, colour)
            option.palette = palette

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        chosen = option.state & QStyle.StateFlag.State_Selected
        if index.column() == 0 and chosen and self._table.hasFocus():
            area: QRect = option.rect
            bar = QRect(area.left(), area.top(), BAR_WIDTH, area.height())
            painter.fillRect(bar, QColor(self._theme.tones.accent))


class CountPainter(QStyledItemDelegate):
    """Paints a list entry with its count at the right edge, and a bar while the list has the focus."""

    def __init__(self, theme: Theme, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave the words room before the count."""
        super().initStyleOption(option, index)
        metrics: QFontMetrics = option.fontMetrics
        taken = metrics.horizontalAdvance(str(index.data(COUNT_ROLE) or "")) + 8 * GRID
        option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideRight, option.rect.width() - taken)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        area: QRect = option.rect
        painter.save()
        painter.setPen(QColor(self._theme.tones.muted))
        count = index.data(COUNT_ROLE) or ""
        aligned = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(area.adjusted(0, 0, -2 * GRID, 0), aligned, str(count))
        if option.state & QStyle.StateFlag.State_Selected and self._view.hasFocus():
            bar = QRect(area.left(), area.top() + GRID, BAR_WIDTH, area.height() - 2 * GRID)
            painter.fillRect(bar, QColor(self._theme.tones.accent))
        painter.restore()
