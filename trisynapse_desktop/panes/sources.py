"""The vault's sources in, a table she filters, sorts and opens out; the engine keeps the truth, the pane shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.models.sources import (
    ADDED,
    AUTHORS,
    COLUMNS,
    KIND,
    NOVELTY,
    PAGES,
    READING,
    TITLE,
    TONE_ROLE,
    YEAR,
    SourcesModel,
    trouble_count,
)
from trisynapse_desktop.operations import curate, feeds
from trisynapse_desktop.pane import Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.cells import COUNT_ROLE, CellPainter, CountPainter
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.followed_feeds import standing_words
from trisynapse_desktop.widgets.layout import boxed, column, label, row
from trisynapse_desktop.wording import kind_text
from trisynapse_memory.types import Fault, Feed, FeedStatus, Notice, Novelty, Source, SourceStatus

ROW_HEIGHT = 9 * GRID
FACETS_WIDTH = 184
REFRESH_DELAY_MS = 200  # an import changes sources many times a second; five redraws a second are plenty
SOURCES_PER_MS = 20  # a library of 20,000 is asked for at most once in 1.2 s: reading its list takes a tenth of that
FILTER_DELAY_MS = 60  # shorter than the gap between two letters of a fast typist would filter twice

HINDERED = (FeedStatus.FAILING, FeedStatus.OFFLINE, FeedStatus.PAUSED)  # said in place of the number of entries

TITLE_WIDTH = 224  # px; under it titles of papers cannot be told apart
COLUMNS_BY_NEED = (AUTHORS, YEAR, READING, NOVELTY, ADDED, KIND, PAGES)

ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)

Keep = Callable[[Source], bool]


def in_use(source: Source) -> bool:
    """Tell whether a source belongs to the library as she sees it."""
    return source.status in (SourceStatus.ACTIVE, SourceStatus.ARRIVING)


class SourcesPane(QObject):
    """The library: groups at the left, the table beside them."""

    def __init__(self) -> None:
        super().__init__()
        self._keep: Keep = in_use
        self._facet = "all"
        self._is_stale = False
        self._feeds: tuple[Feed, ...] = ()

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._model = SourcesModel(lambda name: context.theme.icon(name))
        self._empty = EmptyState(context.theme)
        self._offer_add()
        self._table = self._make_table(context.theme)
        self._table.installEventFilter(self)
        self._facets = self._make_facets()
        self._field, self._count = self._make_field(), label("", "small")
        self._stack = QStackedWidget()
        self._splitter = self._make_splitter()
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._empty)
        header = boxed(row(self._field, None, self._count, gap=3, margins=(3, 2, 4, 2)), "paneHeader")
        self._header = header
        self._widget = boxed(column(header, self._stack, gap=0))
        self._widget.installEventFilter(self)
        self._filter_timer = QTimer(self._widget, singleShot=True, interval=FILTER_DELAY_MS)
        self._filter_timer.timeout.connect(self._filter)
        self._refresh_timer = QTimer(self._widget, singleShot=True, interval=REFRESH_DELAY_MS)
        self._refresh_timer.timeout.connect(self.refresh)
        self._bind()
        self.refresh()
        return self._widget

    def open(self, target: Target) -> None:
        """Bring the table to the front, with the named source chosen or the named text as filter."""
        if target.text:
            self._field.setText(target.text)
        if target.source_id:
            self._choose(target.source_id)
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Ask the engine for the list again."""
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load(), self._show_fault)
        else:
            self._show_state(self._context.bridge.state)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._table:
            if event.type() == QEvent.Type.Show and self._is_stale:
                self.refresh()
        elif event.type() == QEvent.Type.Resize:
            self._fit_columns()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in ENTER_KEYS:
            self._open_chosen()
            return True
        return super().eventFilter(watched, event)

    # -- loading

    async def _load(self) -> None:
        sources: tuple[Source, ...] = await self._context.bridge.call("sources.list", include_all=True)
        novelty: tuple[Novelty, ...] = await self._context.bridge.call("sources.novelty")
        self._feeds = tuple(await feeds.feeds(self._context))
        chosen = self._context.selection.source_id
        self._is_stale = False
        self._refresh_timer.setInterval(REFRESH_DELAY_MS + len(sources) // SOURCES_PER_MS)
        self._model.show(sources, novelty)
        self._fill_facets(sources)
        self._filter()
        self._choose(chosen)

    def _show_state(self, state: EngineState) -> None:
        if state is EngineState.READY:
            self.refresh()
        elif self._model.total == 0 and state in (EngineState.STARTING, EngineState.LOST):
            self._empty.show_loading("Opening the vault…")
            self._stack.setCurrentWidget(self._empty)
            self._header.setVisible(False)
        elif self._model.total == 0 and self._context.bridge.fault is not None:
            self._show_fault(self._context.bridge.fault)

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _hear(self, notice: Notice) -> None:
        if notice.topic != "sources":
            return
        if not self._widget.isVisible():
            self._is_stale = True  # an import tells of itself many times; nobody sees the table follow it
        elif not self._refresh_timer.isActive():
            self._refresh_timer.start()

    # -- showing

    def _filter(self) -> None:
        self._model.filter(self._field.text(), self._keep)
        shown, total = self._model.rowCount(), self._model.total
        self._count.setText(f"{shown:,} of {total:,}" if shown != total else f"{total:,} source{'s' * (total != 1)}")
        self._header.setVisible(total > 0)
        for made in self._empty_buttons:
            made.setVisible(total == 0)
        if total == 0:
            hint = "Drop files, folders or links anywhere on this window. They are askable within seconds."
            self._empty.show_empty("inbox", "This library is empty", hint)
            self._stack.setCurrentWidget(self._empty)
        else:
            self._stack.setCurrentWidget(self._splitter)

    def _fit_columns(self) -> None:
        """Give up the least needed columns until a title has room to be read."""
        left = self._table.width() - TITLE_WIDTH
        for place in COLUMNS_BY_NEED:
            left -= COLUMNS[place].width
            self._table.setColumnHidden(place, left < 0)

    def _choose(self, source_id: str) -> None:
        place = self._model.row_of(source_id) if source_id else -1
        if place >= 0:
            index = self._model.index(place, TITLE)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            if self._table.currentIndex().row() != place or not self._table.selectionModel().isSelected(index):
                self._table.selectionModel().setCurrentIndex(index, flags)
                self._table.scrollTo(index)

    def _chosen(self) -> tuple[Source, ...]:
        rows = {index.row() for index in self._table.selectionModel().selectedIndexes()}
        return tuple(self._model.source(place) for place in sorted(rows))

    def _follow_choice(self) -> None:
        chosen = self._chosen()
        self._context.actions.set_condition("source", bool(chosen))
        if chosen:
            self._context.selection.select_source(chosen[0].source_id)

    def _open_chosen(self) -> None:
        for source in self._chosen()[:1]:
            self._context.selection.open_passage(source.source_id, title=source.title)

    def _forget(self) -> None:
        if chosen := self._chosen():
            self._context.bridge.run(curate.forget(self._context, chosen))

    def _reinstate(self) -> None:
        if chosen := self._chosen():
            self._context.bridge.run(curate.reinstate(self._context, chosen))

    # -- groups

    def _fill_facets(self, sources: Iterable[Source]) -> None:
        known = tuple(sources)
        current = [source for source in known if in_use(source)]
        self._facets.blockSignals(True)
        self._facets.clear()
        self._facet_keeps: dict[str, Keep] = {}
        self._add_facet("all", "All sources", len(current), in_use)
        troubled = [source for source in current if trouble_count(source)]
        self._add_facet("trouble", "Needs a look", len(troubled), lambda one: in_use(one) and trouble_count(one) > 0)
        gone = sum(source.status is SourceStatus.FORGOTTEN for source in known)
        if gone:
            self._add_facet("gone", "Forgotten", gone, lambda one: one.status is SourceStatus.FORGOTTEN)
        words = Counter(kind_text(source.kind) for source in current)
        self._add_group("Kinds", "kind", words, lambda one: (kind_text(one.kind),))
        self._add_feeds(current)
        names = Counter(name for source in current for name in source.collections)
        self._add_group("Collections", "collection", names, lambda one: one.collections)
        names = Counter(name for source in current for name in source.tags)
        self._add_group("Tags", "tag", names, lambda one: one.tags)
        if self._facet not in self._facet_keeps:
            self._facet = "all"
        for place in range(self._facets.count()):
            if self._facets.item(place).data(Qt.ItemDataRole.UserRole) == self._facet:
                self._facets.setCurrentRow(place)
        self._facets.blockSignals(False)
        self._keep = self._facet_keeps[self._facet]

    def _add_feeds(self, current: Sequence[Source]) -> None:
        """One line for each followed feed: its entries, and in its hint how it stands."""
        counts = Counter(source.container for source in current)
        for place, feed in enumerate(self._feeds):
            if place == 0:
                self._add_heading("Feeds")

            def keep(one: Source, url: str = feed.url) -> bool:
                return in_use(one) and one.container == url

            entry = self._add_facet(f"feed:{feed.feed_id}", feed.title, counts[feed.url], keep)
            entry.setToolTip(hint_of(f"{feed.title}. {standing_words(feed)[0]}"))
            if feed.status in HINDERED:
                entry.setData(COUNT_ROLE, str(feed.status))

    def _add_group(
        self,
        title: str,
        prefix: str,
        counts: Counter[str],
        values: Callable[[Source], tuple[str, ...]],
    ) -> None:
        if not counts:
            return
        self._add_heading(title)
        for name, count in counts.most_common():

            def keep(one: Source, name: str = name) -> bool:
                return in_use(one) and name in values(one)

            self._add_facet(f"{prefix}:{name}", name, count, keep)

    def _add_heading(self, title: str) -> None:
        heading = QListWidgetItem(title)
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        self._facets.addItem(heading)

    def _add_facet(self, key: str, text: str, count: int, keep: Keep) -> QListWidgetItem:
        entry = QListWidgetItem(text)
        entry.setData(COUNT_ROLE, f"{count:,}")
        entry.setData(Qt.ItemDataRole.UserRole, key)
        entry.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, {count} sources")
        self._facets.addItem(entry)
        self._facet_keeps[key] = keep
        return entry

    def _pick_facet(self) -> None:
        entry = self._facets.currentItem()
        key = entry.data(Qt.ItemDataRole.UserRole) if entry is not None else None
        if key in self._facet_keeps:
            self._facet, self._keep = key, self._facet_keeps[key]
            self._filter()

    # -- building

    def _make_table(self, theme: Theme) -> QTableView:
        table = QTableView()
        table.setModel(self._model)
        table.setAccessibleName("Sources")
        table.setItemDelegate(CellPainter(theme, table, TONE_ROLE))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setMouseTracking(True)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicator(ADDED, Qt.SortOrder.DescendingOrder)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(56)
        for place, one in enumerate(COLUMNS):
            if place != TITLE:
                table.setColumnWidth(place, one.width)
        table.setSortingEnabled(True)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._show_menu)
        table.selectionModel().selectionChanged.connect(self._follow_choice)
        table.doubleClicked.connect(self._open_chosen)
        return table

    def _make_facets(self) -> QListWidget:
        facets = QListWidget()
        facets.setObjectName("facets")
        facets.setAccessibleName("Groups")
        facets.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        facets.setItemDelegate(CountPainter(self._context.theme, facets))
        facets.currentRowChanged.connect(self._pick_facet)
        return facets

    def _make_field(self) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText("Filter by title, author, year, tag")
        field.setAccessibleName("Filter sources")
        field.setClearButtonEnabled(True)
        field.setFixedWidth(320)
        field.textChanged.connect(lambda _text: self._filter_timer.start())
        field.returnPressed.connect(self._table.setFocus)
        return field

    def _make_splitter(self) -> QSplitter:
        splitter = QSplitter()
        splitter.setHandleWidth(1)
        splitter.addWidget(self._facets)
        splitter.addWidget(self._table)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([FACETS_WIDTH, 10_000])
        splitter.setCollapsible(1, False)
        return splitter

    def _offer_add(self) -> None:
        actions = self._context.actions
        self._empty_buttons = (
            self._empty.offer("Add files…", actions.action("add.files").trigger, primary=True),
            self._empty.offer("Add a link or text…", actions.action("add.link").trigger),
        )

    def _bind(self) -> None:
        context = self._context
        context.bridge.state_changed.connect(self._show_state)
        context.bridge.notice.connect(self._hear)
        context.selection.source_selected.connect(self._choose)
        context.actions.bind("source.open", self._open_chosen)
        context.actions.bind("source.forget", self._forget)
        context.actions.bind("source.reinstate", self._reinstate)
        context.theme.changed.connect(self._table.viewport().update)

    def _show_menu(self, at: QPoint) -> None:
        menu = QMenu(self._table)
        forgotten = any(source.status is SourceStatus.FORGOTTEN for source in self._chosen())
        hide = "source.reinstate" if forgotten else "source.forget"
        names = ("source.open", "view.details", "source.original", "source.page", hide)
        for name in names:
            menu.addAction(self._context.actions.action(name))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._table.viewport().mapToGlobal(at))
