"""Markdown or HTML made by us in, a text of its own height with links that are told, not followed, out.

What a model or a source wrote is never trusted: no raw HTML passes, no picture, file or address is ever loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from markdown_it import MarkdownIt
from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QToolTip

from trisynapse_desktop.theme import Theme

SCROLL_KEYS = frozenset(
    {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End}
)
COALESCE_MS = 40  # a stream of words is laid out 25 times a second, not at every word


def to_html(text: str) -> str:
    """Turn Markdown into HTML. HTML, links and pictures in the text are shown as text: no sentence leads anywhere."""
    plain = ["image", "link", "autolink", "reference"]
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(plain).render(text)


class RichText(QTextBrowser):
    """A piece of rich text as tall as its content. Tab goes from link to link, Enter follows one.

    ``link_wanted`` carries the address of a link she clicked; ``link_reached`` the place, in this widget, of the link
    that Tab went to, for whoever scrolls it.
    """

    link_wanted = Signal(str)
    link_reached = Signal(QRect)

    def __init__(self, theme: Theme, tooltip: Callable[[str], str] | None = None) -> None:
        super().__init__()
        self._theme, self._tooltip = theme, tooltip
        self._html: Callable[[], str] = str
        self._timer = QTimer(self, singleShot=True, interval=COALESCE_MS)
        self._timer.timeout.connect(self._lay_out)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.document().documentLayout().documentSizeChanged.connect(self._follow_size)
        self.anchorClicked.connect(self._tell_link)
        theme.changed.connect(self._lay_out)

    def show_html(self, html: Callable[[], str], at_once: bool = True) -> None:
        """Show what a function returns; it is called again when the colours change.

        Args:
            html: makes the HTML in the colours of now.
            at_once: lay out now; otherwise together with what follows within some milliseconds.
        """
        self._html = html
        if at_once:
            self._timer.stop()
            self._lay_out()
        elif not self._timer.isActive():
            self._timer.start()

    def _lay_out(self) -> None:
        self.setHtml(self._html())
        self.setAccessibleDescription(self.toPlainText())
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self._follow_size()

    def _follow_size(self) -> None:
        height = max(ceil(self.document().size().height()), 1)
        if height != self.height():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def focusNextPrevChild(self, next: bool) -> bool:
        moved = super().focusNextPrevChild(next)
        if moved and self.hasFocus():
            self.viewport().update()
            self.link_reached.emit(self.cursorRect())
        return moved

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        cursor = self.textCursor()
        if self.hasFocus() and cursor.hasSelection() and cursor.charFormat().isAnchor():
            with QPainter(self.viewport()) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(QColor(self._theme.tones.accent), 2))
                for line in self._lines_of(cursor):
                    painter.drawRoundedRect(line.adjusted(-1, 0, 1, 1), 3, 3)

    def _lines_of(self, chosen: QTextCursor) -> list[QRect]:
        """Where a stretch of text stands, one rectangle a line."""
        cursor = QTextCursor(chosen)
        lines: dict[int, QRect] = {}
        for place in range(chosen.selectionStart(), chosen.selectionEnd() + 1):
            cursor.setPosition(place)
            box = self.cursorRect(cursor)
            lines[box.top()] = lines.get(box.top(), box).united(box)
        return list(lines.values())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in SCROLL_KEYS and not event.modifiers():
            event.ignore()  # all of the text is shown: whoever holds it scrolls
            return
        super().keyPressEvent(event)

    def top_of(self, anchor: str) -> int:
        """Return how far down a named place stands, in pixels; 0 where there is no such place."""
        block = self.document().begin()
        while block.isValid():
            parts = block.begin()
            while not parts.atEnd():
                if anchor in parts.fragment().charFormat().anchorNames():
                    return round(self.document().documentLayout().blockBoundingRect(block).top())
                parts += 1
            block = block.next()
        return 0

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The thread scrolls, not the message in it.
        event.ignore()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._tooltip is not None:
            text = self._tooltip(self.anchorAt(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def _tell_link(self, address: QUrl) -> None:
        self.link_wanted.emit(address.toString())
