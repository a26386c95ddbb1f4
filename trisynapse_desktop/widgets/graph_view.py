"""A graph with places in, a picture of it out: painted in one go, moved with mouse and keys; nothing is computed here.

Contested edges cannot be overlooked: amber, thick, with a sign in the middle. A label that would cover a more important
one waits until its node is pointed at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import GRID, RADIUS, Theme
from trisynapse_desktop.widgets.graph_geometry import (
    Wish,
    along_edge,
    arrow_head,
    beside_node,
    disc,
    distance,
    is_same,
    next_place,
    place_labels,
    radius_of,
    short,
    spoken,
)
from trisynapse_memory.types import Edge, Graph, Node

MARGIN = 12 * GRID  # px around the picture, so that labels at its edge are whole
REACH = 9.0  # px; how near a click must be
ZOOM_STEP, ZOOM_LEAST, ZOOM_MOST = 1.2, 0.5, 6.0
EDGE_LABELS = 24  # edges up to which all are labelled; beyond, those of the chosen node
SPREAD_WIDTH, SPREAD_HEIGHT = 260, 180  # px times the root of the number of nodes: no more room than they fill
SIGN, SIGN_RADIUS = "≠", 10.0  # px
QUIET, FAINT = 0.6, 0.35  # opacity of an edge: when nothing is chosen, and when another is
SMALL_WORDS = 0.88  # size of an edge's label beside a node's


class GraphView(QWidget):
    """The picture of a graph. Arrow keys walk from node to node, Enter opens, plus and minus zoom, 0 shows all.

    ``node_chosen`` and ``edge_chosen`` say what she picked; ``node_opened`` that she wants to go there.
    """

    node_chosen = Signal(str)
    node_opened = Signal(str)
    edge_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._graph = Graph(nodes=(), edges=())
        self._nodes: dict[str, Node] = {}
        self._chosen = ""
        self._edge: Edge | None = None
        self._pointed = ""
        self._boxes: dict[object, QRectF] = {}
        self._sizes: dict[tuple[str, bool], QSizeF] = {}
        self._zoom, self._offset = 1.0, QPointF()
        self._grip: QPointF | None = None
        self._dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(QSize(320, 240))
        self.setAccessibleName("Concept graph")
        theme.changed.connect(self.update)

    # -- what is shown

    def show_graph(self, graph: Graph, keep: bool = False) -> None:
        """Show a graph; its nodes carry their places in [0, 1].

        Args:
            graph: what to show.
            keep: it is the same place with news: what is chosen stays chosen, and the view does not move.
        """
        self._graph = graph
        self._nodes = {node.node_id: node for node in graph.nodes}
        self._chosen = self._chosen if keep and self._chosen in self._nodes else ""
        self._edge = next((edge for edge in graph.edges if keep and is_same(edge, self._edge)), None)
        self._pointed = ""
        self._boxes, self._sizes = {}, {}
        if keep:
            self.update()
        else:
            self.show_all()
        self._describe()

    @property
    def graph(self) -> Graph:
        """The graph shown."""
        return self._graph

    @property
    def chosen(self) -> str:
        """The id of the chosen node, or an empty string."""
        return self._chosen

    def labels(self) -> dict[object, QRectF]:
        """Return where labels were painted last: by node id, or by edge."""
        return dict(self._boxes)

    def choose_node(self, node_id: str) -> None:
        """Choose a node and say so."""
        if node_id in self._nodes:
            self._chosen, self._edge = node_id, None
            self._describe()
            self.update()
            self.node_chosen.emit(node_id)

    def choose_edge(self, edge: Edge) -> None:
        """Choose an edge and say so."""
        self._edge, self._chosen = edge, ""
        self._describe()
        self.update()
        self.edge_chosen.emit(edge)

    def show_all(self) -> None:
        """Show the whole picture."""
        self._zoom, self._offset = 1.0, QPointF()
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom in or out around a point; around the middle without one."""
        middle = at or QPointF(self.rect().center())
        wanted = min(max(self._zoom * factor, ZOOM_LEAST), ZOOM_MOST)
        self._offset = middle - (middle - self._offset) * (wanted / self._zoom)
        self._zoom = wanted
        self.update()

    def place_of(self, node_id: str) -> QPointF:
        """Return where a node stands in the widget, in pixels."""
        node = self._nodes[node_id]
        room = QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        # A few nodes stay together in the middle: spread over the whole pane, they would not look like one thing.
        spread = math.sqrt(len(self._nodes))
        width, height = min(room.width(), SPREAD_WIDTH * spread), min(room.height(), SPREAD_HEIGHT * spread)
        corner = room.center() - QPointF(width, height) / 2
        return (corner + QPointF(node.x * width, node.y * height)) * self._zoom + self._offset

    def picture(self, painter: QPainter) -> None:
        """Paint everything, onto the screen or into a file."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.tones.surface))
        places = {node_id: self.place_of(node_id) for node_id in self._nodes}
        edges = sorted(self._known_edges(), key=lambda one: (one.status == "contested", self._is_lit(one)))
        for edge in edges:
            self._paint_edge(painter, edge, places[edge.source], places[edge.target])
        for node in self._graph.nodes:
            self._paint_node(painter, node, places[node.node_id])
        self._boxes = self._arrange(edges, places)
        self._paint_labels(painter, edges)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.picture(painter)
            if self.hasFocus():
                painter.setPen(QPen(QColor(self._theme.tones.accent), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)

    def _paint_edge(self, painter: QPainter, edge: Edge, start: QPointF, end: QPointF) -> None:
        contested, lit = edge.status == "contested", self._is_lit(edge)
        colour = self._amber() if contested else QColor(self._theme.tones.accent if lit else self._theme.tones.muted)
        if not contested and not lit:
            colour.setAlphaF(FAINT if self._lit or self._edge is not None else QUIET)
        pen = QPen(colour, 4.0 if contested and lit else 3.0 if contested else 2.0 if lit else 1.2)
        if edge.status == "superseded":
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLine(start, end)
        if edge.kind == "claim":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(arrow_head(start, end, radius_of(self._nodes[edge.target])))
        if contested:
            self._paint_sign(painter, (start + end) / 2, lit)

    def _paint_sign(self, painter: QPainter, middle: QPointF, lit: bool) -> None:
        tones = self._theme.tones
        painter.setPen(QPen(self._amber(), 2.5 if lit else 1.5))
        painter.setBrush(QColor(tones.warning_ground))
        painter.drawEllipse(middle, SIGN_RADIUS, SIGN_RADIUS)
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(tones.warning))
        painter.drawText(disc(middle, SIGN_RADIUS), Qt.AlignmentFlag.AlignCenter, SIGN)

    def _amber(self) -> QColor:
        """The colour of a dispute. A line may be brighter than words: 3:1 is enough for it, WCAG 2.2, 1.4.11."""
        tone = QColor(self._theme.tones.warning)
        return tone if self._theme.tones.dark else tone.lighter(140)

    def _paint_node(self, painter: QPainter, node: Node, place: QPointF) -> None:
        tones = self._theme.tones
        radius = radius_of(node)
        if node.node_id == self._chosen:
            painter.setPen(QPen(QColor(tones.accent), 2))
            painter.setBrush(QColor(tones.chosen))
            painter.drawEllipse(place, radius + 5, radius + 5)
        painter.setPen(QPen(QColor(tones.surface), 1.5))
        painter.setBrush(QColor(tones.accent if node.kind == "entity" else tones.muted))
        if node.kind == "source":
            painter.drawRoundedRect(disc(place, radius), 3, 3)
        else:
            painter.drawEllipse(place, radius, radius)

    def _arrange(self, edges: Sequence[Edge], places: dict[str, QPointF]) -> dict[object, QRectF]:
        """Find a place for every label, the chosen and the important first; what does not fit waits."""
        first = (self._chosen, self._pointed, *((self._edge.source, self._edge.target) if self._edge else ()))
        nodes = sorted(self._graph.nodes, key=lambda one: (one.node_id not in first, -one.weight, one.label))
        ends: dict[str, list[str]] = {node_id: [] for node_id in places}
        for edge in edges:
            ends[edge.source].append(edge.target)
            ends[edge.target].append(edge.source)
        wishes = [
            Wish(
                node.node_id,
                beside_node(
                    places[node.node_id],
                    radius_of(node),
                    self._size_of(short(node.label)),
                    [places[other] for other in ends[node.node_id]],
                ),
                node.node_id in first,
            )
            for node in nodes
        ]
        few = len(edges) <= EDGE_LABELS
        for edge in sorted(edges, key=lambda one: not self._is_lit(one)):
            if edge.label and (few or self._is_lit(edge)):
                size = self._size_of(spoken(edge), small=True)
                start, end = places[edge.source], places[edge.target]
                wishes.append(Wish(edge, along_edge(start, end, size)))
        taken = [disc(places[node.node_id], radius_of(node)) for node in nodes]
        taken += [
            disc((places[edge.source] + places[edge.target]) / 2, SIGN_RADIUS + 2)
            for edge in edges
            if edge.status == "contested"
        ]
        return place_labels(wishes, taken, QRectF(self.rect()))

    def _paint_labels(self, painter: QPainter, edges: Sequence[Edge]) -> None:
        tones = self._theme.tones
        for edge in edges:
            if (box := self._boxes.get(edge)) is not None:
                self._paint_words(painter, spoken(edge), box, tones.text if self._is_lit(edge) else tones.muted, True)
        for node in self._graph.nodes:
            if (box := self._boxes.get(node.node_id)) is not None:
                self._paint_words(painter, short(node.label), box, tones.text)

    def _paint_words(self, painter: QPainter, text: str, box: QRectF, tone: str, small: bool = False) -> None:
        ground = QColor(self._theme.tones.surface)
        ground.setAlphaF(0.9)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 3, 3)
        painter.setFont(self._font_of(small))
        painter.setPen(QColor(tone))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _font_of(self, small: bool) -> QFont:
        font = QFont(self.font())
        if small:
            font.setPointSizeF(font.pointSizeF() * SMALL_WORDS)
        return font

    def _size_of(self, text: str, small: bool = False) -> QSizeF:
        if (text, small) not in self._sizes:
            metrics = QFontMetricsF(self._font_of(small))
            self._sizes[text, small] = QSizeF(metrics.horizontalAdvance(text) + 2 * GRID, metrics.height())
        return self._sizes[text, small]

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._sizes = {}
        super().changeEvent(event)

    def _known_edges(self) -> list[Edge]:
        return [edge for edge in self._graph.edges if edge.source in self._nodes and edge.target in self._nodes]

    def _is_lit(self, edge: Edge) -> bool:
        """Whether an edge is chosen or touches the node that is pointed at or chosen."""
        return edge == self._edge or (bool(self._lit) and self._lit in (edge.source, edge.target))

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            moved = event.position() - self._grip
            if self._dragged or moved.manhattanLength() > 4:
                self._dragged, self._grip = True, event.position()
                self._offset += moved
                self.update()
            return
        pointed = self._node_at(event.position())
        edge = None if pointed else self._edge_at(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if pointed or edge else Qt.CursorShape.ArrowCursor)
        self.setToolTip(hint_of(self._nodes[pointed].label if pointed else self._sentence(edge) if edge else ""))
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        if self._dragged or event.button() != Qt.MouseButton.LeftButton:
            return
        node_id = self._node_at(event.position())
        edge = None if node_id else self._edge_at(event.position())
        if node_id:
            self.choose_node(node_id)
        elif edge is not None:
            self.choose_edge(edge)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if node_id := self._node_at(event.position()):
            self.node_opened.emit(node_id)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(ZOOM_STEP if event.angleDelta().y() > 0 else 1 / ZOOM_STEP, event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        directions = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        key = Qt.Key(event.key())
        if key in directions:
            self.choose_node(self._next_node(*directions[key]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._chosen:
            self.node_opened.emit(self._chosen)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom(1 / ZOOM_STEP if key == Qt.Key.Key_Minus else ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)

    @property
    def _lit(self) -> str:
        return self._pointed or self._chosen

    def _node_at(self, point: QPointF) -> str:
        for node in self._graph.nodes:
            place = self.place_of(node.node_id)
            near = math.hypot(point.x() - place.x(), point.y() - place.y()) <= radius_of(node) + 4
            if near or self._boxes.get(node.node_id, QRectF()).contains(point):
                return node.node_id
        return ""

    def _edge_at(self, point: QPointF) -> Edge | None:
        known = self._known_edges()
        near = [(distance(point, self.place_of(edge.source), self.place_of(edge.target)), edge) for edge in known]
        found = min(near, key=lambda pair: pair[0], default=None)
        return found[1] if found is not None and found[0] <= REACH else None

    def _next_node(self, across: int, down: int) -> str:
        """The nearest node in a direction; from nowhere, the most important one."""
        if not self._chosen:
            return max(self._graph.nodes, key=lambda node: node.weight).node_id if self._graph.nodes else ""
        places = {node_id: self.place_of(node_id) for node_id in self._nodes}
        return next_place(places, self._chosen, across, down)

    def _sentence(self, edge: Edge) -> str:
        ends = [self._nodes[end].label for end in (edge.source, edge.target)]
        words = f"{ends[0]} {spoken(edge)} {ends[1]}"
        return f"{words} (contested)" if edge.status == "contested" else words

    def _describe(self) -> None:
        """Tell a screen reader what is chosen; the list beside the picture holds everything."""
        count = f"{len(self._graph.nodes)} concepts, {len(self._graph.edges)} claims"
        chosen = self._nodes[self._chosen].label if self._chosen else self._sentence(self._edge) if self._edge else ""
        self.setAccessibleDescription(f"{count}. Chosen: {chosen}." if chosen else count)
