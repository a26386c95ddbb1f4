"""A page view and typed words in, marks on every place they stand and steps between them out."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPolygonF
from PySide6.QtPdf import QPdfLink, QPdfSearchModel

from trisynapse_desktop.widgets.page_view import PageView

MARK_LIMIT = 2000  # places marked; a letter stands in a book a million times


class PageSearch(QObject):
    """Searches an open PDF page by page, without keeping the window. ``counted`` carries (place from 1, how many)."""

    counted = Signal(int, int)

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self._view = view
        self._model = QPdfSearchModel(self)
        self._model.setDocument(view.document)
        self._model.countChanged.connect(self._follow)
        self._current = -1

    def find_text(self, text: str) -> int:
        """Search for other words from the page read now on; what is found first is gone to."""
        self._current = -1
        self._view.set_marks("found", {})
        self._view.set_marks("current", {})
        self._model.setSearchString(text)
        self._follow()
        return self._count()

    def step(self, by: int) -> int:
        """Go to the next or previous place, round the end; return its number from 1."""
        count = self._count()
        if not count:
            return 0
        self._current = (self._current + by) % count
        link = self._model.resultAtIndex(self._current)
        shapes = _shapes(link)
        self._view.set_marks("current", {link.page(): shapes})
        if shapes:
            self._view.bring(link.page(), shapes[0])
        self.counted.emit(self._current + 1, count)
        return self._current + 1

    def _count(self) -> int:
        return self._model.rowCount(self._model.index(-1, -1))

    def _follow(self) -> None:
        count = self._count()
        marks: dict[int, list[QPolygonF]] = defaultdict(list)
        for place in range(min(count, MARK_LIMIT)):
            link = self._model.resultAtIndex(place)
            marks[link.page()].extend(_shapes(link))
        self._view.set_marks("found", marks)
        if self._current < 0 and count:
            self._go_to_nearest(count)
        else:
            self.counted.emit(self._current + 1, count)

    def _go_to_nearest(self, count: int) -> None:
        pages = (self._model.resultAtIndex(place).page() for place in range(min(count, MARK_LIMIT)))
        first = next((place for place, page in enumerate(pages) if page >= self._view.page), 0)
        self._current = first - 1
        self.step(1)


def _shapes(link: QPdfLink) -> list[QPolygonF]:
    return [QPolygonF(rectangle) for rectangle in link.rectangles()]
