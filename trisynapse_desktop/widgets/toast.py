"""Announcements in, short messages over the lower edge of the window out; they never take the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget

from trisynapse_desktop.pane import Announcement
from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconButton, IconLabel
from trisynapse_desktop.widgets.layout import button, column, label, lift, row

SHOWN_MS = 6000  # long enough to read two lines
UNDO_SHOWN_MS = 12_000  # long enough to think twice
STACK_LIMIT = 3
WIDTH = 440  # px
ICONS = {"plain": ("info", "muted"), "good": ("check", "good"), "bad": ("alert", "bad")}


class Toast(QFrame):
    """One message, with Undo where there is something to undo. ``left`` carries the toast when it goes."""

    left = Signal(object)

    def __init__(self, theme: Theme, announcement: Announcement, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "toast")
        self.setAccessibleName(announcement.text)
        self.setFixedWidth(WIDTH)
        lift(self)
        self.announcement = announcement
        icon, tone = ICONS[announcement.tone]
        words = column(label(announcement.text, wrap=True), gap=0)
        if announcement.hint:
            words.addWidget(label(announcement.hint, "small", wrap=True))
        line = row(IconLabel(theme, icon, tone), words, gap=3, margins=(4, 2, 2, 2))
        line.setStretch(1, 1)
        if announcement.undo is not None:
            undo = button(announcement.undo_text or "Undo", "link")
            undo.clicked.connect(self._undo)
            line.addWidget(undo)
        close = IconButton(theme, "x", "Dismiss")
        close.clicked.connect(self.leave)
        line.addWidget(close)
        self.setLayout(line)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.leave)
        self._timer.start(UNDO_SHOWN_MS if announcement.undo else SHOWN_MS)

    def leave(self) -> None:
        """Go away now."""
        self._timer.stop()
        self.hide()
        self.left.emit(self)
        self.deleteLater()

    def enterEvent(self, event: QEvent) -> None:
        # A message she points at is being read.
        self._timer.stop()
        super().enterEvent(event)  # type: ignore[arg-type]

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start(SHOWN_MS)
        super().leaveEvent(event)

    def _undo(self) -> None:
        if self.announcement.undo is not None:
            self.announcement.undo()
        self.leave()


class ToastStack(QObject):
    """Keeps the messages of one window stacked above its lower edge, newest at the bottom."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._toasts: list[Toast] = []
        window.installEventFilter(self)

    def show(self, announcement: Announcement) -> Toast:
        """Show one more message; the oldest leaves when there are too many."""
        toast = Toast(self._theme, announcement, self._window)
        # Not ``destroyed``: its sender is no toast any more, and one dead toast kept would end the program at the next
        # resize (PySide 6.11 does not survive an exception in an event filter).
        toast.left.connect(self._drop)
        while len(self._toasts) >= STACK_LIMIT:
            self._toasts[0].leave()
        self._toasts.append(toast)
        toast.show()
        self._place()
        return toast

    def showing(self) -> tuple[Announcement, ...]:
        """Return the messages on the screen, oldest first."""
        return tuple(toast.announcement for toast in self._toasts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _drop(self, gone: Toast) -> None:
        self._toasts = [toast for toast in self._toasts if toast is not gone]
        self._place()

    def _place(self) -> None:
        bottom = self._window.height() - 10 * GRID
        for toast in reversed(self._toasts):
            height = max(toast.heightForWidth(WIDTH), toast.sizeHint().height())
            toast.resize(WIDTH, height)
            bottom -= height
            toast.move((self._window.width() - WIDTH) // 2, bottom)
            toast.raise_()
            bottom -= 2 * GRID
