"""A theme and an icon's name in, a label or button that keeps its colour when the theme changes out."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from trisynapse_desktop.theme import ICON_SIZE, Theme


class IconLabel(QLabel):
    """A picture beside text; it carries no meaning of its own, so screen readers skip it."""

    def __init__(self, theme: Theme, name: str, tone: str = "muted", size: int = ICON_SIZE) -> None:
        super().__init__()
        self._theme, self._name, self._tone, self._size = theme, name, tone, size
        self.setFixedSize(QSize(size, size))
        self._paint()
        theme.changed.connect(self._paint)

    def show_icon(self, name: str, tone: str = "muted") -> None:
        """Show another icon or tone."""
        self._name, self._tone = name, tone
        self._paint()

    def _paint(self) -> None:
        self.setPixmap(self._theme.pixmap(self._name, self._tone, self._size))


class IconButton(QToolButton):
    """A button with an icon and, since it has no text, a name for screen readers and a tooltip."""

    def __init__(self, theme: Theme, icon: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon_name = theme, icon
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._paint()
        theme.changed.connect(self._paint)

    def show_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon_name = icon
        self._paint()

    def _paint(self) -> None:
        self.setIcon(self._theme.icon(self._icon_name))


class ActionButton(QToolButton):
    """A button for one row of the action table; icon, tooltip, name and enabled state follow the action."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)
        self.setAccessibleName(action.text().rstrip("…"))
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
