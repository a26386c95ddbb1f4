"""The vault's pages in, one page to read with every sentence's evidence a click away out; stale ones as a diff."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.operations import claims, knowledge, wiki
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.cells import COUNT_ROLE, CountPainter
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.graph_panel import GraphPanel
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import READING_WIDTH, boxed, button, centred, column, counted, label, row
from trisynapse_desktop.widgets.markdown import RichText
from trisynapse_desktop.widgets.wiki_page import page_html
from trisynapse_desktop.widgets.wiki_sections import ACCEPT, CITE, CLAIM, KEEP, PAGE, REJECT
from trisynapse_memory.types import Fault, Notice, Source, Support, WikiPage, WikiSentence

RELOAD_MS = 800  # after the last sign of change
LIST_WIDTH = 240  # px
KIND_WORDS = {"concept": "Concepts", "source": "Sources", "collection": "Collections"}
LINK_MARGIN = 80  # px kept around a link that Tab went to
NO_PAGE = "A concept has one when two statements are about it; a source, when it was read."
REDRAW_TOPICS = frozenset({"sources", "records", "claims", "wiki"})


class WikiPane(QObject):
    """A list of pages and the page she reads. Nothing stands on a page that has no evidence."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._pages: dict[str, WikiPage] = {}
        self._sources: tuple[Source, ...] = ()
        self._names = SourceNames()
        self._written: object = None
        self._slug, self._wanted, self._page_shown = "", Target("wiki"), False
        self._text = RichText(context.theme)
        self._text.setAccessibleName("Page")
        self._empty = EmptyState(context.theme, "layers", "No pages yet")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._make_page())
        self._stack.addWidget(self._empty)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(1)
        split.addWidget(self._make_list())
        split.addWidget(self._stack)
        split.addWidget(self._make_panel())
        split.setStretchFactor(1, 1)
        split.setCollapsible(1, False)
        whole = column(self._make_header(), split, gap=0)
        whole.setStretch(1, 1)
        self._widget = widget = boxed(whole)
        widget.setFocusProxy(self._filter)
        self._timer = QTimer(widget, singleShot=True, interval=RELOAD_MS)
        self._timer.timeout.connect(self._load)
        self._connect()
        return widget

    def open(self, target: Target) -> None:
        """Show the named page, by its title or slug, or a source's page; the page read last without a name."""
        self._wanted = target
        focused = QApplication.focusWidget()
        if focused is None or not self._widget.isAncestorOf(focused):
            (self._text if target.text or target.source_id else self._filter).setFocus()
        self._load()

    # -- loading

    def _load(self) -> None:
        if self._context.bridge.vault is not None:
            self._context.bridge.run(self._fetch(), self._show_fault)

    async def _fetch(self) -> None:
        sources: tuple[Source, ...] = await self._context.bridge.call("sources.list", include_all=True)
        if sources != self._sources:
            self._sources, self._names = sources, SourceNames(sources)
        found = await wiki.pages(self._context)
        self._pages = {page.slug: page for page in found}
        self._fill_list()
        if not found:
            self._show_nothing()
            return
        self._side.setVisible(self._claim.isHidden())
        self._export_button.setEnabled(True)
        wanted, self._wanted = self._wanted, Target("wiki")
        slug = self._slug_of(wanted)
        if (wanted.text or wanted.source_id) and not slug:
            self._context.announce(Announcement(f"There is no page about {wanted.text or 'this source'} yet.", NO_PAGE))
        await self._show_slug(slug or self._known(self._slug) or self._first())

    async def _show_slug(self, slug: str) -> None:
        page = await wiki.show(self._context, slug)
        fresh = slug != self._slug or not self._page_shown
        self._slug, self._page_shown = slug, True
        self._pages[slug] = page
        stale = sum(one.stale for one in page.sentences)
        self._state.setText(f"{counted(stale, 'sentence')} to look at" if stale else "")
        titles = {one.slug: one.title for one in self._pages.values()}
        self._text.setAccessibleName(f"Wiki page {page.title}")
        self._write(page, titles)
        self._stack.setCurrentIndex(0)
        self._mark_current()
        if fresh:
            self._area.verticalScrollBar().setValue(0)
            self._close_claim()

    def _write(self, page: WikiPage, titles: dict[str, str]) -> None:
        """Write the page, unless it says the same as before: news elsewhere must not take the keys off a link."""
        written = (page, titles, self._sources)
        if written != self._written:
            self._written, theme, names = written, self._context.theme, self._names
            self._text.show_html(lambda: page_html(page, titles, names, theme.tones))

    def _known(self, slug: str) -> str:
        return slug if slug in self._pages else ""

    def _first(self) -> str:
        """The page that stands first in the list."""
        order = list(KIND_WORDS)
        pages = sorted(self._pages.values(), key=lambda one: (order.index(one.kind), one.title.casefold()))
        return pages[0].slug

    def _slug_of(self, target: Target) -> str:
        """The page a target names: by slug, title, another name, or the source it is about."""
        if target.source_id:
            named = [page for page in self._pages.values() if page.about == target.source_id]
        else:
            wanted = target.text.casefold()
            names = {page.slug: (page.slug, page.title, *page.aliases) for page in self._pages.values()}
            named = [self._pages[slug] for slug, known in names.items() if wanted in map(str.casefold, known)]
        return named[0].slug if named else ""

    def _show_nothing(self) -> None:
        self._state.setText("")
        self._page_shown = False
        self._close_claim()
        self._side.hide()
        self._export_button.setEnabled(False)
        hint = "Every sentence of a page rests on a passage of your sources. Add sources, let them be read, then build."
        self._empty.show_empty("layers", "No pages yet", hint)
        self._stack.setCurrentWidget(self._empty)

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _hear(self, notice: Notice) -> None:
        if notice.topic in REDRAW_TOPICS and self._stack.isVisible():
            self._timer.start()

    # -- the list

    def _fill_list(self) -> None:
        self._list.blockSignals(True)
        self._list.clear()
        wanted = self._filter.text().casefold().strip()
        for kind, title in KIND_WORDS.items():
            chosen = [page for page in self._pages.values() if page.kind == kind and _matches(page, wanted)]
            if chosen:
                head = QListWidgetItem(title)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
                self._list.addItem(head)
            for page in sorted(chosen, key=lambda one: one.title.casefold()):
                stale = sum(one.stale for one in page.sentences)
                entry = QListWidgetItem(page.title)
                entry.setData(Qt.ItemDataRole.UserRole, page.slug)
                entry.setData(COUNT_ROLE, f"{stale}" if stale else "")
                words = f"{page.title}: {counted(stale, 'sentence')} to look at" if stale else page.title
                entry.setToolTip(hint_of(words))
                entry.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                self._list.addItem(entry)
        self._list.blockSignals(False)
        self._mark_current()

    def _mark_current(self) -> None:
        for place in range(self._list.count()):
            if self._list.item(place).data(Qt.ItemDataRole.UserRole) == self._slug:
                self._list.blockSignals(True)
                self._list.setCurrentRow(place)
                self._list.blockSignals(False)

    def _choose(self, entry: QListWidgetItem | None) -> None:
        slug = entry.data(Qt.ItemDataRole.UserRole) if entry is not None else None
        if slug and slug != self._slug:
            self._context.selection.open(Target("wiki", text=slug))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes from the filter into the list, Enter there to the page."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self._filter and event.key() == Qt.Key.Key_Down:
                self._list.setFocus()
                self._step_into_list()
                return True
            if watched is self._list and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._text.setFocus()
                return True
        return super().eventFilter(watched, event)

    def _step_into_list(self) -> None:
        if self._list.currentRow() < 0:
            rows = (row for row in range(self._list.count()) if self._list.item(row).data(Qt.ItemDataRole.UserRole))
            self._list.setCurrentRow(next(rows, -1))

    def _open_found(self) -> None:
        """Enter in the filter: the first page found, and the keys go to it."""
        for place in range(self._list.count()):
            if self._list.item(place).data(Qt.ItemDataRole.UserRole):
                self._list.setCurrentRow(place)
                self._text.setFocus()
                return

    # -- the page

    def _follow_link(self, address: str) -> None:
        verb, _, rest = address.partition(":")
        decide = {ACCEPT: wiki.accept, REJECT: wiki.reject, KEEP: wiki.keep}.get(f"{verb}:")
        if address.startswith("#"):
            self._area.verticalScrollBar().setValue(self._text.top_of(address[1:]))
        elif f"{verb}:" == PAGE:
            self._context.selection.open(Target("wiki", text=rest))
        elif f"{verb}:" == CITE:
            self._open_passage(rest)
        elif f"{verb}:" == CLAIM:
            self._context.bridge.run(self._show_claim(rest), self._show_panel_fault)
        elif decide is not None:
            self._change(decide(self._context, self._slug, rest))

    async def _show_claim(self, claim_id: str) -> None:
        self._panel.show_claim(await knowledge.claim(self._context, claim_id))
        self._open_claim()

    def _show_panel_fault(self, fault: Fault) -> None:
        self._panel.show_fault(fault)
        self._open_claim()

    def _open_claim(self) -> None:
        """Show the claim beside the page, where the list was: three columns would leave no room to read."""
        self._claim.show()
        self._side.hide()

    def _close_claim(self) -> None:
        if not self._claim.isHidden():
            had_focus = self._claim.isAncestorOf(QApplication.focusWidget() or self._text)
            self._claim.hide()
            self._side.show()
            if had_focus:
                self._text.setFocus()

    def _follow_claim(self, claim_id: str) -> None:
        if claim_id:
            self._context.bridge.run(self._show_claim(claim_id), self._show_panel_fault)
        else:
            self._close_claim()
        self._load()

    def _open_passage(self, place: str) -> None:
        key, _, number = place.rpartition(":")
        support = self._support(key, int(number))
        if support is not None:
            claims.open_support(self._context, support)

    def _follow_focus(self, link: QRect) -> None:
        """Scroll to the link that Tab went to."""
        place = self._text.mapTo(self._sheet, link.center())
        self._area.ensureVisible(place.x(), place.y(), 0, LINK_MARGIN)

    def _support(self, key: str, number: int) -> Support | None:
        page = self._pages.get(self._slug)
        found: WikiSentence | None = next((one for one in page.sentences if one.key == key), None) if page else None
        return found.supports[number] if found is not None and number < len(found.supports) else None

    def _change(self, change: Coroutine[Any, Any, object]) -> None:
        async def make() -> None:
            await change
            await self._fetch()

        self._context.bridge.run(make(), self._show_fault)

    def _build(self) -> None:
        self._empty.show_loading("Compiling pages…")
        if not self._pages:
            self._stack.setCurrentWidget(self._empty)
        self._change(wiki.build(self._context))

    def _export(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._stack, "Write the wiki into a folder")
        if folder:
            self._context.bridge.run(wiki.export(self._context, Path(folder)))

    # -- building

    def _make_header(self) -> QWidget:
        self._state = label("", "warning")
        build = button("Build", "primary", "Compile pages from what was read since")
        build.clicked.connect(lambda _checked=False: self._build())
        export = self._export_button = button("Export…", hint="Markdown that opens in Obsidian")
        export.clicked.connect(lambda _checked=False: self._export())
        return boxed(
            row(label("Wiki", "heading"), self._state, None, export, build, margins=(4, 2, 4, 2)), "paneHeader"
        )

    def _make_list(self) -> QWidget:
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Find a page")
        self._filter.setAccessibleName("Find a page")
        self._filter.setClearButtonEnabled(True)
        self._list = QListWidget()
        self._list.setObjectName("facets")
        self._list.setAccessibleName("Wiki pages")
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setItemDelegate(CountPainter(self._context.theme, self._list))
        self._side = side = boxed(column(self._filter, self._list, gap=2, margins=(2, 2, 2, 2)), "sidePanelLeft")
        side.setMinimumWidth(LIST_WIDTH - 10 * GRID)
        side.setMaximumWidth(LIST_WIDTH + 20 * GRID)
        return side

    def _make_page(self) -> QScrollArea:
        self._area = area = QScrollArea()
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the text in it takes the keys
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sheet = boxed(column(centred(column(self._text, margins=(0, 2, 0, 6)), width=READING_WIDTH), None))
        area.setWidget(self._sheet)
        area.setAccessibleName("Wiki page")
        return area

    def _make_panel(self) -> QWidget:
        """The claim behind a dispute, beside the page; hidden until she asks for it."""
        close = IconButton(self._context.theme, "x", "Close the claim")
        close.clicked.connect(self._close_claim)
        self._panel = GraphPanel(self._context.theme, self._text)
        self._panel.claim_shown.connect(lambda card: claims.follow_card(self._context, card, self._follow_claim))
        head = row(label("The claim behind it", "section"), None, close, margins=(4, 2, 2, 0))
        self._claim = boxed(column(head, self._panel, gap=0), "sidePanel")
        self._claim.hide()
        return self._claim

    def _connect(self) -> None:
        self._text.link_wanted.connect(self._follow_link)
        self._list.currentItemChanged.connect(lambda entry, _before: self._choose(entry))
        self._filter.textChanged.connect(lambda _text: self._fill_list())
        self._filter.returnPressed.connect(self._open_found)
        self._filter.installEventFilter(self)
        self._list.installEventFilter(self)
        self._text.link_reached.connect(self._follow_focus)
        self._context.bridge.notice.connect(self._hear)
        self._context.bridge.state_changed.connect(lambda _state: self._timer.start())


def _matches(page: WikiPage, wanted: str) -> bool:
    """Whether a page is found by what she typed: in its title or one of its other names."""
    return any(wanted in name.casefold() for name in (page.title, *page.aliases))
