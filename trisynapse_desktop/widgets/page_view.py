"""A PDF and a passage in, its pages with the passage marked out; where the words stand is the engine's knowledge.

Pages are rendered by QtPdf on its own thread; this view scrolls, zooms, paints marks on top and lets text be chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtPdf import QPdfDocument
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from trisynapse_desktop.theme import LIGHT, Theme
from trisynapse_desktop.widgets.page_cache import PageCache
from trisynapse_desktop.widgets.page_geometry import POINTS_AT_FULL, PageFlow
from trisynapse_desktop.widgets.page_selection import PageSelection

ZOOM_STEP = 1.2
ZOOM_RANGE = (0.25, 5.0)  # of the size on paper
FIT_LIMIT = 1.5  # a page filled to the width of a large screen has letters like a poster
PULSE_MS = 900  # long enough to catch the eye after a jump, over before she reads
SETTLE_MS = 60  # while the window is being resized, pages are stretched instead of rendered
LINE_SHARE = 0.08  # of the view's height, for an arrow key
PAGE_SHARE = 0.9  # of the view's height, for PageDown: a tenth stays to keep the place

Marks = Mapping[int, Sequence[QPolygonF]]
"""Page (from 0) -> shapes in points of the page as shown."""


class PageView(QAbstractScrollArea):
    """Continuous pages. ``page_changed`` carries the page read now (from 0), ``zoomed`` the size in percent.

    ``passage_painted`` is emitted from the paint event in which the passage first stood on a sharp page; ``chosen``
    says whether text is chosen; ``find_wanted`` that she pressed the key for it.
    """

    page_changed = Signal(int)
    zoomed = Signal(int)
    passage_painted = Signal(int)
    chosen = Signal(bool)
    find_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        # The cache first: children go in this order, and its thread must end before the document it reads.
        self._cache = PageCache(self)
        self.document = QPdfDocument(self)
        self._flow = PageFlow()
        self._fitted = True
        self._page = 0
        self._marks: dict[str, Marks] = {}
        self._passage: tuple[int, list[QPolygonF]] | None = None
        self._unpainted = False
        self._ring = False
        self.selection = PageSelection(self, self.document, self.to_page)
        self._pulse = QVariantAnimation(self, duration=PULSE_MS, startValue=0.0, endValue=1.0)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._build()

    def _build(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Pages")
        self.viewport().setMouseTracking(True)
        self._cache.ready.connect(self._show_ready)
        self._settle.timeout.connect(self._order)
        self._pulse.valueChanged.connect(self.viewport().update)
        self._theme.changed.connect(self.viewport().update)
        self.selection.changed.connect(self._follow_selection)
        self.verticalScrollBar().setSingleStep(40)

    # -- what is shown

    def load(self, path: str) -> QPdfDocument.Error:
        """Open a PDF and show its first page; a broken or locked one shows nothing and says why."""
        self._cache.show(None)
        error = self.document.load(path)
        count = self.document.pageCount() if error is QPdfDocument.Error.None_ else 0
        self._flow = PageFlow([self.document.pagePointSize(page) for page in range(count)])
        self._marks.clear()
        self._passage = None
        self.selection.clear()
        self._cache.show(self.document if count else None)
        self._arrange()
        self._page = 0
        self.verticalScrollBar().setValue(0)
        self._order()
        return error

    @property
    def page(self) -> int:
        """The page read now, from 0."""
        return self._page

    @property
    def percent(self) -> int:
        """The zoom, in percent of the size on paper."""
        return round(100 * self._flow.scale / POINTS_AT_FULL)

    def show_page(self, page: int) -> None:
        """Bring the top of a page (from 0) to the top of the view."""
        if 0 <= page < len(self._flow):
            self._scroll_to(self._flow.rect(page).top() - 8)

    def show_passage(self, page: int, shapes: Sequence[QPolygonF]) -> None:
        """Mark a passage, bring its first line to the middle and let it light up for a moment.

        Args:
            page: from 0.
            shapes: in points of the page as shown; none shows the page only.
        """
        if not 0 <= page < len(self._flow):
            return
        self._passage = (page, list(shapes)) if shapes else None
        self._unpainted = True
        if shapes:
            # One line may be wider than the window: its start counts.
            first = self._flow.from_page(page).map(shapes[0]).boundingRect()
            self._scroll_to(first.center().y() - self.viewport().height() / 2)
            self._bring_across(first)
            self._pulse.stop()
            self._pulse.start()
        else:
            self.show_page(page)
        self.viewport().update()

    def set_marks(self, layer: str, marks: Marks) -> None:
        """Replace the marks of one layer: ``kept`` are her highlights, ``found`` and ``current`` are the search's."""
        self._marks[layer] = marks
        self.viewport().update()

    def passage_rects(self) -> tuple[QRectF, ...]:
        """Return where the passage stands in the viewport, one rectangle per line."""
        if self._passage is None:
            return ()
        page, shapes = self._passage
        place = self._flow.from_page(page) * self._shift()
        return tuple(place.map(shape).boundingRect() for shape in shapes)

    def bring(self, page: int, shape: QPolygonF) -> None:
        """Scroll only if a place is not in view."""
        area = self._flow.from_page(page).map(shape).boundingRect()
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        if not (top <= area.top() and area.bottom() <= top + height):
            self._scroll_to(area.center().y() - height / 2)
        self._bring_across(area)

    # -- zoom

    def zoom(self, factor: float) -> None:
        """Show everything larger or smaller by a factor, around the middle of the view."""
        low, high = ZOOM_RANGE
        scale = self._flow.scale * factor
        self._fitted = False
        self._rescale(min(max(scale, low * POINTS_AT_FULL), high * POINTS_AT_FULL))

    def fit(self) -> None:
        """Fill the width with the page from now on."""
        self._fitted = True
        self._rescale(self._fitting())

    def to_page(self, point: QPointF) -> tuple[int, QPointF]:
        """Return the page under a point of the viewport, and where on it, in points."""
        back, _possible = self._shift().inverted()
        return self._flow.to_page(back.map(point)) if len(self._flow) else (-1, QPointF())

    def _fitting(self) -> float:
        return min(self._flow.fitting_scale(self.viewport().width()), FIT_LIMIT * POINTS_AT_FULL)

    def _rescale(self, scale: float) -> None:
        if not len(self._flow):
            return
        middle = QPointF(self.viewport().width() / 2, self.viewport().height() / 2)
        page, point = self.to_page(middle)
        self._arrange(scale)
        place = self._flow.from_page(page).map(point)
        self.horizontalScrollBar().setValue(round(place.x() - middle.x()))
        self._scroll_to(place.y() - middle.y())

    def _arrange(self, scale: float | None = None) -> None:
        before = self.percent
        view = self.viewport().size()
        self._flow.arrange(scale or self._fitting(), view.width())
        self.verticalScrollBar().setPageStep(view.height())
        self.verticalScrollBar().setRange(0, max(0, round(self._flow.height) - view.height()))
        self.horizontalScrollBar().setPageStep(view.width())
        self.horizontalScrollBar().setRange(0, max(0, round(self._flow.width) - view.width()))
        if self.percent != before:
            self.zoomed.emit(self.percent)

    # -- scrolling

    def _scroll_to(self, height: float) -> None:
        self.verticalScrollBar().setValue(round(height))
        self._order()
        self.viewport().update()

    def _bring_across(self, area: QRectF) -> None:
        left, width = self.horizontalScrollBar().value(), self.viewport().width()
        if area.left() < left or area.right() > left + width:
            self.horizontalScrollBar().setValue(round(area.left() - 40))

    def _shift(self) -> QTransform:
        return QTransform.fromTranslate(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def _order(self) -> None:
        """Have the visible pages rendered, then their neighbours."""
        if not len(self._flow):
            return
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        self._follow_page(top + height / 3)
        seen = list(self._flow.between(top, top + height))
        seen.sort(key=lambda page: page != self._page)
        beside = [seen and max(seen) + 1, seen and min(seen) - 1]
        pages = [*seen, *(page for page in beside if isinstance(page, int) and 0 <= page < len(self._flow))]
        self._cache.want([(page, self._pixels(page)) for page in pages])

    def _follow_page(self, height: float) -> None:
        page = self._flow.page_at(height)
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)

    def _pixels(self, page: int) -> QSize:
        return (self._flow.rect(page).size() * self.devicePixelRatioF()).toSize()

    def _show_ready(self, _page: int) -> None:
        self.viewport().update()

    def _follow_selection(self) -> None:
        self.chosen.emit(bool(self.selection.text))
        self.viewport().update()

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        tones = self._theme.tones
        sharp = False
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), QColor(tones.hover))
            painter.setTransform(self._shift())
            top = self.verticalScrollBar().value()
            for page in self._flow.between(top + event.rect().top(), top + event.rect().bottom()):
                self._paint_page(painter, page)
                if self._passage is None or self._passage[0] == page:
                    sharp = self._cache.is_sharp(page, self._pixels(page))
            if self._passage is not None and self._pulse.state() is QVariantAnimation.State.Running:
                self._paint_pulse(painter)
            if self._ring:
                painter.resetTransform()
                painter.setPen(QPen(QColor(tones.accent), 2))
                painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        if self._unpainted and sharp:
            self._unpainted = False
            self.passage_painted.emit(self._page if self._passage is None else self._passage[0])

    def _paint_page(self, painter: QPainter, page: int) -> None:
        rect = self._flow.rect(page)
        image = self._cache.image(page)
        if image is None:
            painter.fillRect(rect, Qt.GlobalColor.white)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, image.size() != self._pixels(page))
            painter.drawImage(rect, image)
        painter.setPen(QColor(self._theme.tones.field_line))
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
        tones = self._theme.tones
        # Paper is white in every appearance, so its marks are those of the light one; multiplied, ink stays black.
        mark = tones.mark if tones.name == "contrast" else LIGHT.mark
        self._paint_marks(painter, page, self._marks.get("kept", {}).get(page, ()), "#d8efc7")
        self._paint_marks(painter, page, self._marks.get("found", {}).get(page, ()), "#dbe4ff")
        self._paint_marks(painter, page, self._marks.get("current", {}).get(page, ()), "#ffc46b")
        if self._passage is not None and self._passage[0] == page:
            self._paint_marks(painter, page, self._passage[1], mark)
        self._paint_marks(painter, page, self.selection.shapes(page), "#bcd0ff")

    def _paint_marks(self, painter: QPainter, page: int, shapes: Sequence[QPolygonF], colour: str) -> None:
        if not shapes:
            return
        place = self._flow.from_page(page)
        # One path for all: where two shapes overlap, multiplying twice would make a darker stripe.
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for shape in shapes:
            path.addPolygon(place.map(shape))
            path.closeSubpath()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        painter.fillPath(path, QColor(colour))
        painter.restore()

    def _paint_pulse(self, painter: QPainter) -> None:
        assert self._passage is not None
        page, shapes = self._passage
        part = float(self._pulse.currentValue() or 0.0)
        colour = QColor(LIGHT.accent)
        colour.setAlphaF(1.0 - part)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 2))
        grown = 3 + 5 * part
        for shape in shapes:
            area = self._flow.from_page(page).map(shape).boundingRect()
            painter.drawRoundedRect(area.adjusted(-grown, -grown, grown, grown), 4, 4)
        painter.restore()

    # -- input

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._order()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if not len(self._flow):
            return
        # The line at the top of the view stays there; a passage just jumped to stays in the middle.
        page, point = self.to_page(QPointF(self.viewport().width() / 2, 0))
        self._arrange(self._fitting() if self._fitted else self._flow.scale)
        self.verticalScrollBar().setValue(round(self._flow.from_page(page).map(point).y()))
        if self._unpainted and self._passage is not None:
            self.show_passage(*self._passage)
        self._settle.start()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if event.angleDelta().y():
                self.zoom(ZOOM_STEP if event.angleDelta().y() > 0 else 1 / ZOOM_STEP)
            event.accept()
        else:
            super().wheelEvent(event)

    def event(self, event: QEvent) -> bool:
        # Ctrl+F searches the vault everywhere else; over a document it searches the document.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = (QKeySequence.StandardKey.Find, QKeySequence.StandardKey.Copy)
            if any(event.matches(key) for key in own):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        steps = {
            Qt.Key.Key_PageDown: PAGE_SHARE,
            Qt.Key.Key_PageUp: -PAGE_SHARE,
            Qt.Key.Key_Space: PAGE_SHARE,
            Qt.Key.Key_Down: LINE_SHARE,
            Qt.Key.Key_Up: -LINE_SHARE,
        }
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Find):
            self.find_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.selection.copy()
        elif key in steps:
            bar.setValue(bar.value() + round(steps[key] * height))
        elif key is Qt.Key.Key_Home:
            bar.setValue(0)
        elif key is Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif key is Qt.Key.Key_Escape:
            self.selection.clear()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._ring = False
        super().focusOutEvent(event)
        self.viewport().update()
