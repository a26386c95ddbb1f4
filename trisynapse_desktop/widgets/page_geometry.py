"""Page sizes, a zoom and quads in, rectangles and polygons on the screen out; nothing is painted here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPolygonF, QTransform

from trisynapse_memory.types import Quad

POINTS_AT_FULL = 96 / 72  # px per point at 100 %: the size on paper, on a 96 dpi screen
PAGE_GAP = 12.0  # px between pages
PAGE_MARGIN = 20.0  # px around all pages


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The page as the engine measured it: the unrotated crop box in points, and by how much a viewer turns it.

    ``rotation`` is clockwise, in degrees: 0, 90, 180 or 270. A width of 0 means that the engine does not know.
    """

    width: float = 0.0
    height: float = 0.0
    rotation: int = 0


def displayed(frame: PageFrame, size: QSizeF) -> QTransform:
    """Return the map from the unrotated crop box to the page as it is shown, both in points with the origin top left.

    Args:
        frame: what the engine knows of the page.
        size: the size of the page as shown; it also carries a unit other than a point, where a PDF sets one.
    """
    turned = frame.rotation % 180 != 0
    width = frame.width or (size.height() if turned else size.width())
    height = frame.height or (size.width() if turned else size.height())
    # x' = m11 x + m21 y + dx;  y' = m12 x + m22 y + dy
    turn = {
        0: QTransform(1, 0, 0, 1, 0, 0),
        90: QTransform(0, 1, -1, 0, height, 0),
        180: QTransform(-1, 0, 0, -1, width, height),
        270: QTransform(0, -1, 1, 0, 0, width),
    }[frame.rotation % 360]
    shown_width, shown_height = (height, width) if turned else (width, height)
    return turn * QTransform.fromScale(size.width() / shown_width, size.height() / shown_height)


def polygons_of(quads: Sequence[Quad], frame: PageFrame, size: QSizeF) -> list[QPolygonF]:
    """Return quads as polygons on the page as shown, in points."""
    transform = displayed(frame, size)
    return [transform.map(QPolygonF([QPointF(quad[at], quad[at + 1]) for at in (0, 2, 4, 6)])) for quad in quads]


def quads_of(polygons: Sequence[QPolygonF], frame: PageFrame, size: QSizeF) -> tuple[Quad, ...]:
    """Return shapes on the page as shown as quads of the unrotated crop box: what is stored with a highlight."""
    back, _possible = displayed(frame, size).inverted()
    quads: list[Quad] = []
    for polygon in polygons:
        box = polygon.boundingRect()
        corners = [back.map(corner) for corner in (box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft())]
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = ((round(at.x(), 2), round(at.y(), 2)) for at in corners)
        quads.append((x0, y0, x1, y1, x2, y2, x3, y3))
    return tuple(quads)


class PageFlow:
    """Pages below each other, centred, at one scale; all numbers are logical pixels from the top left of the flow."""

    def __init__(self, sizes: Sequence[QSizeF] = ()) -> None:
        self._sizes = list(sizes)
        self._rects: list[QRectF] = []
        self._tops: list[float] = []
        self._bottoms: list[float] = []
        self.scale = POINTS_AT_FULL
        self.width = 0.0
        self.height = 0.0

    def __len__(self) -> int:
        return len(self._sizes)

    def size(self, page: int) -> QSizeF:
        """Return the size of a page as shown, in points."""
        return self._sizes[page]

    def fitting_scale(self, width: float) -> float:
        """Return the scale at which the widest page fills a width, in px per point."""
        widest = max((size.width() for size in self._sizes), default=0.0)
        return max(1.0, width - 2 * PAGE_MARGIN) / widest if widest > 0 else POINTS_AT_FULL

    def arrange(self, scale: float, viewport_width: float) -> None:
        """Lay all pages out at a scale (px per point)."""
        self.scale = scale
        widest = max((size.width() for size in self._sizes), default=0.0) * scale
        self.width = max(viewport_width, widest + 2 * PAGE_MARGIN)
        self._rects.clear()
        top = PAGE_MARGIN
        for size in self._sizes:
            width, height = size.width() * scale, size.height() * scale
            # Whole pixels: a page that starts between two of them is blurred when its picture is painted.
            self._rects.append(QRectF(round((self.width - width) / 2), round(top), round(width), round(height)))
            top += round(height) + PAGE_GAP
        self._tops = [rect.top() for rect in self._rects]
        self._bottoms = [rect.bottom() for rect in self._rects]
        self.height = top - PAGE_GAP + PAGE_MARGIN if self._sizes else 0.0

    def rect(self, page: int) -> QRectF:
        """Return where a page lies."""
        return self._rects[page]

    def between(self, top: float, bottom: float) -> range:
        """Return the pages that show something between two heights."""
        return range(bisect_left(self._bottoms, top), bisect_right(self._tops, bottom))

    def page_at(self, height: float) -> int:
        """Return the page at a height; between two pages, the lower one; past the end, the last."""
        return min(bisect_left(self._bottoms, height), max(0, len(self._sizes) - 1))

    def to_page(self, point: QPointF) -> tuple[int, QPointF]:
        """Return the page under a point, and where on it, in points."""
        page = self.page_at(point.y())
        rect = self._rects[page]
        return page, (point - rect.topLeft()) / self.scale

    def from_page(self, page: int) -> QTransform:
        """Return the map from points of a page as shown to the flow."""
        rect = self._rects[page]
        return QTransform.fromScale(self.scale, self.scale) * QTransform.fromTranslate(rect.left(), rect.top())
