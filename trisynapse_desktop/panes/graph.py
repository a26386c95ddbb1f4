"""A concept or a source in, the claims around it as a picture and as a list out; evidence opens in the reader."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.models.graph import COLUMNS, EdgeModel
from trisynapse_desktop.operations import claims, knowledge
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.cells import CellPainter
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.graph_panel import GraphPanel
from trisynapse_desktop.widgets.graph_view import GraphView
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import boxed, button, column, counted, label, row
from trisynapse_memory.types import Edge, Fault, Graph, Node, Notice

RELOAD_MS = 800  # after the last sign of change; facts arrive in batches
PLACE_WIDTH = 320  # px; a longer name of the centre is cut
REDRAW_TOPICS = frozenset({"sources", "records", "claims"})


class GraphPane:
    """At most forty labelled concepts. A click on an edge shows its evidence; a double click moves the centre there."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._target, self._shown = Target("graph"), Target("")
        self._graph = Graph(nodes=(), edges=())
        self._wants_focus, self._focused = False, None
        self._view = GraphView(context.theme)
        self._rows = EdgeModel()
        self._table = self._make_table()
        self._empty = EmptyState(context.theme, "network", "No concepts yet")
        self._stack = QStackedWidget()
        for page in (self._view, self._table, self._empty):
            self._stack.addWidget(page)
        self._panel = GraphPanel(context.theme, self._view)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(1)
        split.addWidget(self._stack)
        split.addWidget(self._panel)
        split.setStretchFactor(0, 1)
        split.setCollapsible(0, False)
        whole = column(self._make_header(), split, gap=0)
        whole.setStretch(1, 1)
        widget = boxed(whole)
        for first, second in pairwise((*self._tools, self._table, self._view)):
            QWidget.setTabOrder(first, second)
        widget.setFocusProxy(self._view)
        self._timer = QTimer(widget, singleShot=True, interval=RELOAD_MS)
        self._timer.timeout.connect(self._load)
        self._connect()
        return widget

    def open(self, target: Target) -> None:
        """Show the graph around the named concept or source; around the open source, or all of it, without either."""
        self._target = target
        self._field.setText(target.text)
        self._focused = QApplication.focusWidget()
        self._wants_focus = True
        self._load()

    # -- loading

    def _load(self) -> None:
        if self._context.bridge.vault is not None:
            self._context.bridge.run(self._show_around(self._target), self._show_fault)

    async def _show_around(self, target: Target) -> None:
        if not self._graph.nodes and target != self._shown:
            self._empty.show_loading("Drawing the graph…")
            self._stack.setCurrentWidget(self._empty)
        graph = await knowledge.around(self._context, target.text, target.source_id)
        if target == self._target:
            self._show(graph)

    def _show(self, graph: Graph) -> None:
        same, self._shown = self._target == self._shown, self._target
        if same and graph == self._graph and graph.nodes:
            self._show_view()
            return
        self._graph = graph
        self._rows.show_graph(graph)
        self._view.show_graph(graph, keep=same)
        contested = sum(edge.status == "contested" for edge in graph.edges)
        words = [counted(len(graph.nodes), "concept"), counted(len(graph.edges), "claim")]
        words += [f"{contested} contested"] if contested else []
        words += [f"{graph.left_out:,} more not shown"] if graph.left_out else []
        self._summary.setText(" · ".join(words) if graph.nodes else "")
        self._summary.setVisible(bool(graph.nodes))
        self._name_place(graph)
        if graph.nodes:
            self._show_view()
        else:
            self._show_nothing()
        if not same:
            self._panel.show_hint()

    def _name_place(self, graph: Graph) -> None:
        place = f"Around “{graph.about}”" if graph.about else "The best connected concepts"
        room = self._place.fontMetrics().elidedText(place, Qt.TextElideMode.ElideRight, PLACE_WIDTH)
        self._place.setText(room)
        self._place.setToolTip(hint_of(place) if room != place else "")

    def _show_view(self) -> None:
        shown = self._table if self._as_list.isChecked() else self._view
        self._stack.setCurrentWidget(shown)
        self._panel.show()
        self._focus(shown)

    def _focus(self, shown: QWidget) -> None:
        """Give the keys to what is shown when she came for it, unless she went elsewhere while it was loading."""
        if self._wants_focus and QApplication.focusWidget() in (self._focused, None):
            shown.setFocus()
        self._wants_focus = False

    def _show_nothing(self) -> None:
        self._panel.hide()
        about = self._target.text or ("this source" if self._target.source_id else "")
        title = f"No claims about {about}" if about else "No concepts yet"
        hint = (
            "Try another name, or clear the field to see the best connected concepts."
            if self._target.text
            else "What your sources say of each other appears here while they are read. Activity shows how far that is."
        )
        self._empty.show_empty("network", title, hint)
        self._stack.setCurrentWidget(self._empty)
        self._focus(self._field)

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _hear(self, notice: Notice) -> None:
        if notice.topic in REDRAW_TOPICS and self._stack.isVisible():
            self._timer.start()

    # -- what she chose

    def _node(self, node_id: str) -> Node | None:
        return next((one for one in self._graph.nodes if one.node_id == node_id), None)

    def _choose_node(self, node_id: str) -> None:
        if (node := self._node(node_id)) is not None:
            self._panel.show_node(node, self._graph)

    def _read(self, node: Node) -> None:
        if node.source_id:
            self._context.selection.open_passage(node.source_id, None, node.label)

    def _open_node(self, node_id: str) -> None:
        if (node := self._node(node_id)) is not None:
            self._centre_on(node)

    def _centre_on(self, node: Node) -> None:
        target = Target("graph", source_id=node.source_id) if node.source_id else Target("graph", text=node.label)
        self._context.selection.open(target)

    def _choose_edge(self, edge: Edge) -> None:
        if edge.claim_id:
            self._context.bridge.run(self._show_claim(edge.claim_id), self._panel.show_fault)
        else:
            self._panel.show_edge(edge, self._graph)

    async def _show_claim(self, claim_id: str) -> None:
        self._panel.show_claim(await knowledge.claim(self._context, claim_id))

    def _follow_change(self, claim_id: str) -> None:
        if claim_id:
            self._context.bridge.run(self._show_claim(claim_id), self._panel.show_fault)
        else:
            self._panel.show_hint()
        self._load()

    # -- taking the picture away

    def _export(self, ending: str) -> None:
        name, _chosen = QFileDialog.getSaveFileName(
            self._view, "Save the graph", f"graph.{ending}", f"{ending.upper()} (*.{ending})"
        )
        if name and ending == "graphml":
            self._context.bridge.run(self._save_graphml(Path(name)))
        elif name:
            self.save_picture(Path(name))

    def save_picture(self, path: Path) -> None:
        """Write the picture to a PNG (twice the size on the screen) or an SVG file, by the ending of its name."""
        if path.suffix.lower() == ".svg":
            generator = QSvgGenerator()
            generator.setFileName(str(path))
            generator.setSize(self._view.size())
            generator.setViewBox(self._view.rect())
            with QPainter(generator) as painter:
                self._view.picture(painter)
        else:
            picture = QPixmap(self._view.size() * 2)
            picture.setDevicePixelRatio(2)
            with QPainter(picture) as painter:
                self._view.picture(painter)
            picture.save(str(path))
        self._context.announce(Announcement(f"Saved {path.name}.", tone="good"))

    async def _save_graphml(self, path: Path) -> None:
        text: str = await self._context.bridge.call(
            "graph.export", about=self._target.text, source_id=self._target.source_id
        )
        path.write_text(text, encoding="utf-8")
        self._context.announce(Announcement(f"Saved {path.name}.", tone="good"))

    # -- building

    def _make_header(self) -> QWidget:
        theme = self._context.theme
        self._place = label("The best connected concepts", "heading")
        self._summary = label("", "small")
        self._field = QLineEdit()
        self._field.setPlaceholderText("Concept or name")
        self._field.setAccessibleName("Show the graph around")
        self._field.setClearButtonEnabled(True)
        self._field.setFixedWidth(60 * GRID)
        self._as_list = button("List", hint="The same claims as a list")
        self._as_list.setCheckable(True)
        fit = IconButton(theme, "maximize", "Show all of the graph")
        fit.clicked.connect(lambda _checked=False: self._view.show_all())
        save = IconButton(theme, "external", "Save the graph")
        menu = QMenu(save)
        for text, ending in (("Picture (PNG)…", "png"), ("Drawing (SVG)…", "svg"), ("Graph (GraphML)…", "graphml")):
            menu.addAction(text).triggered.connect(lambda _checked=False, end=ending: self._export(end))
        save.setMenu(menu)
        save.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        words = column(self._place, self._summary, gap=0)
        self._tools = (self._field, self._as_list, fit, save)
        return boxed(row(words, None, *self._tools, margins=(4, 2, 3, 2)), "paneHeader")

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._rows)
        table.setItemDelegate(CellPainter(self._context.theme, table, EdgeModel.TONE_ROLE))
        table.setAccessibleName("Claims of the graph")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(len(COLUMNS) - 1, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        table.verticalHeader().setDefaultSectionSize(9 * GRID)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        return table

    def _connect(self) -> None:
        self._view.node_chosen.connect(self._choose_node)
        self._view.node_opened.connect(self._open_node)
        self._view.edge_chosen.connect(self._choose_edge)
        self._panel.edge_wanted.connect(self._view.choose_edge)
        self._panel.centre_wanted.connect(self._centre_on)
        self._panel.read_wanted.connect(self._read)
        self._panel.page_wanted.connect(lambda name: self._context.selection.open(Target("wiki", text=name)))
        self._panel.claim_shown.connect(lambda card: claims.follow_card(self._context, card, self._follow_change))
        self._table.selectionModel().currentRowChanged.connect(self._choose_row)
        self._as_list.toggled.connect(lambda _on: self._graph.nodes and self._show_view())
        self._field.returnPressed.connect(self._ask_around)
        self._context.bridge.notice.connect(self._hear)
        self._context.bridge.state_changed.connect(lambda _state: self._timer.start())

    def _choose_row(self) -> None:
        edge = self._rows.edge(self._table.currentIndex().row())
        if edge is not None:
            self._choose_edge(edge)

    def _ask_around(self) -> None:
        self._context.selection.open(Target("graph", text=self._field.text().strip()))
