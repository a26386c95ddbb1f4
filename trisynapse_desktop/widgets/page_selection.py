"""Mouse moves over pages in, chosen text and its shapes out; the view asks for the shapes and paints them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPolygonF
from PySide6.QtPdf import QPdfDocument, QPdfSelection
from PySide6.QtWidgets import QAbstractScrollArea

ToPage = Callable[[QPointF], tuple[int, QPointF]]
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


class PageSelection(QObject):
    """What she chose with the mouse: from where she pressed to where she is, over any number of pages."""

    changed = Signal()

    def __init__(self, view: QAbstractScrollArea, document: QPdfDocument, to_page: ToPage) -> None:
        super().__init__(view)
        self._document, self._to_page = document, to_page
        self._parts: dict[int, QPdfSelection] = {}
        self._start: tuple[int, QPointF] | None = None
        self._viewport = view.viewport()
        self._viewport.setCursor(Qt.CursorShape.IBeamCursor)
        self._viewport.installEventFilter(self)

    @property
    def text(self) -> str:
        """The chosen text, lines joined where a sentence goes on."""
        words = " ".join(self._parts[page].text() for page in sorted(self._parts))
        # Lines end with a carriage return; a hyphen that only broke a word is U+FFFE here.
        return " ".join(re.sub(r"\ufffe\s*|\x02\s*", "", words).split())

    def shapes(self, page: int) -> Sequence[QPolygonF]:
        """Return what to paint on a page, in points of the page as shown."""
        part = self._parts.get(page)
        return part.bounds() if part is not None else ()

    def pages(self) -> tuple[int, ...]:
        """Return the pages with something chosen, in order."""
        return tuple(sorted(self._parts))

    def copy(self) -> None:
        """Put the chosen text on the clipboard."""
        if text := self.text:
            QGuiApplication.clipboard().setText(text)

    def clear(self) -> None:
        """Choose nothing."""
        self._start = None
        self._choose({})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent):
            return False
        left = Qt.MouseButton.LeftButton
        if event.type() == QEvent.Type.MouseButtonDblClick and event.button() == left:
            self._choose_word(*self._to_page(event.position()))
        elif event.type() == QEvent.Type.MouseButtonPress and event.button() == left:
            self._choose({})
            self._start = self._to_page(event.position())
        elif event.type() == QEvent.Type.MouseMove and event.buttons() & left and self._start is not None:
            self._extend(*self._to_page(event.position()))
        elif event.type() != QEvent.Type.MouseButtonRelease or event.button() != left:
            return False
        event.accept()
        return True

    def _extend(self, page: int, point: QPointF) -> None:
        assert self._start is not None
        places = sorted((self._start, (page, point)), key=lambda place: place[0])
        marks = [(number, self._index(number, spot)) for number, spot in places if number >= 0]
        if len(marks) < 2:
            return
        (first_page, first), (last_page, last) = sorted(marks)
        parts: dict[int, QPdfSelection] = {}
        for number in range(first_page, last_page + 1):
            begin = first if number == first_page else 0
            end = last + 1 if number == last_page else len(self._document.getAllText(number).text())
            parts[number] = self._document.getSelectionAtIndex(number, begin, end - begin)
        self._choose(parts)

    def _choose_word(self, page: int, point: QPointF) -> None:
        if page < 0:
            return
        place = self._index(page, point)
        for word in _WORD.finditer(self._document.getAllText(page).text()):
            if word.start() <= place < word.end():
                self._choose({page: self._document.getSelectionAtIndex(page, word.start(), word.end() - word.start())})

    def _index(self, page: int, point: QPointF) -> int:
        """Return the number of the character nearest to a point. Qt tells it only as the end of a selection."""
        lines = self._document.getAllText(page).bounds()
        if not lines:
            return 0
        boxes = [line.boundingRect() for line in lines]
        nearest = min(boxes, key=lambda box: (_inside(box, point) - point).manhattanLength())
        start = boxes[0]
        # The first character stands at one end of its line; which one depends on how the page is turned.
        for corner in (start.topLeft(), start.topRight(), start.bottomLeft(), start.bottomRight()):
            here = self._document.getSelection(page, _inside(start, corner), _inside(nearest, point))
            if here.isValid() and here.startIndex() == 0:
                return here.endIndex()
        return 0

    def _choose(self, parts: dict[int, QPdfSelection]) -> None:
        before = bool(self._parts)
        self._parts = {page: part for page, part in parts.items() if part.isValid() and part.text()}
        if self._parts or before:
            self.changed.emit()


def _inside(box: QRectF, point: QPointF) -> QPointF:
    """Return the point of a box that is nearest to another, a little away from its edge."""
    edge = 0.5
    return QPointF(
        min(max(point.x(), box.left() + edge), max(box.right() - edge, box.left() + edge)),
        min(max(point.y(), box.top() + edge), max(box.bottom() - edge, box.top() + edge)),
    )
