"""Widgets with keys in, one tabbed area with a quiet strip above it out; what a tab means is not known here."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QFrame, QStackedWidget, QTabBar, QToolButton, QWidget

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import ActionButton, IconButton
from trisynapse_desktop.widgets.layout import boxed, column, row


class TabArea(QFrame):
    """The centre of the window: back and forward, tabs, and what is in front.

    ``switched`` carries the key of the tab she clicked; ``close_wanted`` the key of one she wants closed.
    """

    switched = Signal(str)
    close_wanted = Signal(str)

    def __init__(self, theme: Theme, left: Iterable[QAction], right: Iterable[QAction]) -> None:
        super().__init__()
        self.setObjectName("centre")
        self._theme = theme
        self._widgets: dict[str, QWidget] = {}
        self._icons: dict[str, str] = {}
        self._bar = QTabBar()
        self._bar.setAccessibleName("Open tabs")
        self._bar.setExpanding(False)
        self._bar.setElideMode(Qt.TextElideMode.ElideRight)
        self._bar.setUsesScrollButtons(True)
        self._bar.setIconSize(QSize(16, 16))
        self._bar.setDrawBase(False)
        self._stack = QStackedWidget()
        strip = row(*(ActionButton(action) for action in left), 1, self._bar, gap=0, margins=(2, 0, 2, 0))
        strip.setStretch(strip.count() - 1, 1)
        for action in right:
            strip.addWidget(ActionButton(action))
        top = boxed(strip, "tabStrip")
        top.setFixedHeight(10 * GRID)
        self.setLayout(column(top, self._stack, gap=0))
        self._bar.tabBarClicked.connect(self._click)
        self._bar.currentChanged.connect(self._follow_bar)
        theme.changed.connect(self._repaint_icons)

    def add(self, key: str, widget: QWidget, title: str, icon: str, closable: bool) -> None:
        """Add a tab at the end."""
        self._widgets[key] = widget
        self._icons[key] = icon
        self._stack.addWidget(widget)
        self._bar.blockSignals(True)
        place = self._bar.addTab(QIcon(self._theme.icon(icon)), title.replace("&", "&&"))
        self._bar.setTabData(place, key)
        self._bar.setTabToolTip(place, title)
        if closable:
            self._bar.setTabButton(place, QTabBar.ButtonPosition.RightSide, self._close_button(key, title))
        self._bar.blockSignals(False)

    def has(self, key: str) -> bool:
        """Tell whether a tab with that key is open."""
        return key in self._widgets

    def show_tab(self, key: str) -> None:
        """Bring a tab to the front."""
        self._bar.blockSignals(True)
        self._bar.setCurrentIndex(self._place(key))
        self._bar.blockSignals(False)
        self._stack.setCurrentWidget(self._widgets[key])

    def rename(self, key: str, title: str) -> None:
        """Give a tab another title."""
        place = self._place(key)
        self._bar.setTabText(place, title.replace("&", "&&"))
        self._bar.setTabToolTip(place, title)

    def close_tab(self, key: str) -> None:
        """Close a tab and let its widget go."""
        self._bar.blockSignals(True)
        self._bar.removeTab(self._place(key))
        self._bar.blockSignals(False)
        widget = self._widgets.pop(key)
        self._icons.pop(key)
        self._stack.removeWidget(widget)
        widget.deleteLater()

    def current_key(self) -> str:
        """Return the key of the tab in front, or an empty string."""
        return str(self._bar.tabData(self._bar.currentIndex()) or "")

    def open_keys(self) -> tuple[str, ...]:
        """Return the keys of all tabs, left to right."""
        return tuple(str(self._bar.tabData(place)) for place in range(self._bar.count()))

    def title(self, key: str) -> str:
        """Return the full title of a tab."""
        return self._bar.tabToolTip(self._place(key))

    def _place(self, key: str) -> int:
        return self.open_keys().index(key)

    def _close_button(self, key: str, title: str) -> QToolButton:
        made = IconButton(self._theme, "x", f"Close {title}")
        made.setIconSize(QSize(12, 12))
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.setObjectName(key)
        made.clicked.connect(self._close_click)
        return made

    def _close_click(self) -> None:
        sender = self.sender()
        if isinstance(sender, QToolButton):
            self.close_wanted.emit(sender.objectName())

    def _click(self, place: int) -> None:
        if place >= 0:
            self.switched.emit(str(self._bar.tabData(place)))

    def _follow_bar(self, place: int) -> None:
        # Arrow keys on the focused bar change the tab without a click.
        if place >= 0 and self._bar.hasFocus():
            self.switched.emit(str(self._bar.tabData(place)))

    def _repaint_icons(self) -> None:
        for place, key in enumerate(self.open_keys()):
            self._bar.setTabIcon(place, QIcon(self._theme.icon(self._icons[key])))
