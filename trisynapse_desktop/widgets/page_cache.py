"""A PDF and wanted pages in, finished page pictures out, rendered off the window's thread; nothing is painted here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtPdf import QPdfDocument, QPdfDocumentRenderOptions, QPdfPageRenderer

PAGE_LIMIT = 12  # pictures; about four screens to scroll back without a white page
BYTE_LIMIT = 160_000_000  # a page at twice the usual zoom on a dense screen takes 30 MB


@dataclass(frozen=True, slots=True)
class _Order:
    page: int
    size: QSize


class PageCache(QObject):
    """Keeps the pictures used last. One page is rendered at a time, so what is looked at now is always next.

    ``ready`` carries the number of a page whose picture is there.
    """

    ready = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._renderer = QPdfPageRenderer(self)
        self._renderer.setRenderMode(QPdfPageRenderer.RenderMode.MultiThreaded)
        self._renderer.pageRendered.connect(self._take)
        self._images: OrderedDict[int, QImage] = OrderedDict()
        self._wanted: list[_Order] = []
        self._running: _Order | None = None
        self._request = 0

    def show(self, document: QPdfDocument | None) -> None:
        """Render another document from now on; what was kept is dropped."""
        self._images.clear()
        self._wanted.clear()
        self._running = None
        if document is not None:
            self._renderer.setDocument(document)

    def image(self, page: int) -> QImage | None:
        """Return the picture of a page, maybe of another size: stretched, it is better than white paper."""
        image = self._images.get(page)
        if image is not None:
            self._images.move_to_end(page)
        return image

    def is_sharp(self, page: int, size: QSize) -> bool:
        """Tell whether the picture of a page is there in exactly the size it is shown."""
        image = self._images.get(page)
        return image is not None and image.size() == size

    def want(self, orders: Sequence[tuple[int, QSize]]) -> None:
        """Say which pages are needed now, in which size in device pixels, most wanted first; replaces the last wish."""
        self._wanted = [_Order(page, size) for page, size in orders if not self.is_sharp(page, size)]
        self._go_on()

    def _go_on(self) -> None:
        while self._running is None and self._wanted:
            order = self._wanted.pop(0)
            if order.size.isEmpty() or self.is_sharp(order.page, order.size):
                continue
            self._running = order
            self._request = self._renderer.requestPage(order.page, order.size, QPdfDocumentRenderOptions())

    def _take(self, page: int, size: QSize, image: QImage, _options: QPdfDocumentRenderOptions, request: int) -> None:
        if request != self._request or self._running is None:
            return
        self._running = None
        if not image.isNull():
            self._images[page] = _on_paper(image)
            self._images.move_to_end(page)
            self._trim(page)
            self.ready.emit(page)
        self._go_on()

    def _trim(self, newest: int) -> None:
        while (
            len(self._images) > PAGE_LIMIT or sum(image.sizeInBytes() for image in self._images.values()) > BYTE_LIMIT
        ):
            oldest = next(iter(self._images))
            if oldest == newest:
                return
            del self._images[oldest]


def _on_paper(image: QImage) -> QImage:
    """Put a rendered page on white: Qt renders pages without their paper."""
    paper = QImage(image.size(), QImage.Format.Format_RGB32)
    paper.fill(0xFFFFFFFF)
    with QPainter(paper) as painter:
        painter.drawImage(0, 0, image)
    return paper
