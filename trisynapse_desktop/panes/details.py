"""The chosen source in, what is known about it out: metadata, versions, and the verdict of every page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from trisynapse_desktop.models.sources import VERDICT_WORDS, day_text, kind_text, verdict_text, verdict_tone
from trisynapse_desktop.operations import curate
from trisynapse_desktop.pane import Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.layout import button, clear, label, row
from trisynapse_memory.types import Fault, Locator, Notice, PageNote, Source, SourceStatus

PAGE_LIMIT = 2000  # rows; a longer document shows its troubled pages
NAME_WIDTH = 80


class DetailsPane:
    """The sidebar's second page: everything about one source."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._source: Source | None = None
        self._wanted = ""
        self._rows = QVBoxLayout()
        self._rows.setSpacing(2 * GRID)
        self._rows.setContentsMargins(4 * GRID, 4 * GRID, 4 * GRID, 4 * GRID)
        inner = QWidget()
        inner.setLayout(self._rows)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inner)
        self._scroll.setAccessibleName("Details of the source")
        self._empty = EmptyState(context.theme, "info", "No source chosen", "Choose one in the library.")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._scroll)
        context.selection.source_selected.connect(self._choose)
        context.bridge.notice.connect(self._hear)
        self._choose(context.selection.source_id)
        return self._stack

    def open(self, target: Target) -> None:
        """Show the named source."""
        self._choose(target.source_id or self._context.selection.source_id)

    def _choose(self, source_id: str) -> None:
        self._wanted = source_id
        if source_id and self._context.bridge.vault is not None:
            self._context.bridge.run(self._load(source_id), self._show_fault)
        else:
            self._stack.setCurrentWidget(self._empty)

    def _hear(self, notice: Notice) -> None:
        if notice.topic == "sources" and self._wanted:
            self._choose(self._wanted)

    async def _load(self, source_id: str) -> None:
        source: Source = await self._context.bridge.call("sources.show", source_id=source_id)
        pages: tuple[PageNote, ...] = await self._context.bridge.call("sources.pages", source_id=source_id)
        if source_id == self._wanted:
            self._show(source, pages)

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _show(self, source: Source, pages: Sequence[PageNote]) -> None:
        self._source = source
        clear(self._rows)
        self._rows.addWidget(label(source.title, "heading", wrap=True, selectable=True))
        if source.authors:
            self._rows.addWidget(label(", ".join(source.authors), "muted", wrap=True, selectable=True))
        self._rows.addLayout(self._buttons(source))
        for name, value in facts_of(source):
            words = label(name, "small")
            words.setFixedWidth(NAME_WIDTH)
            words.setAlignment(Qt.AlignmentFlag.AlignTop)
            shown = label(value, wrap=True, selectable=True)
            shown.setToolTip(value)
            line = row(words, shown, gap=2)
            line.setStretch(1, 1)
            self._rows.addLayout(line)
        self._rows.addSpacing(GRID)
        self._rows.addWidget(label("Pages", "section"))
        state = label(verdict_text(source), verdict_tone(source), wrap=True)
        self._rows.addWidget(state)
        if pages:
            self._rows.addWidget(self._page_list(pages), 1)
        else:
            self._rows.addStretch(1)
        self._stack.setCurrentWidget(self._scroll)

    def _buttons(self, source: Source) -> QHBoxLayout:
        read = button("Read", "primary")
        read.clicked.connect(self._read)
        forgotten = source.status is SourceStatus.FORGOTTEN
        other = button("Bring back" if forgotten else "Forget")
        other.clicked.connect(self._bring_back if forgotten else self._forget)
        return row(read, other, None, gap=2)

    def _page_list(self, pages: Sequence[PageNote]) -> QListWidget:
        listed = pages if len(pages) <= PAGE_LIMIT else [page for page in pages if page.verdict != "ok"][:PAGE_LIMIT]
        made = QListWidget()
        made.setAccessibleName("Pages and their verdicts")
        made.setUniformItemSizes(True)
        made.setMinimumHeight(30 * GRID)
        made.setProperty("role", "boxed")
        for page in listed:
            words = VERDICT_WORDS.get(page.verdict, str(page.verdict))
            entry = QListWidgetItem(f"p. {page.page}   {words}{'  ·  ' + page.note if page.note else ''}")
            entry.setData(Qt.ItemDataRole.UserRole, page.page)
            entry.setToolTip(page.note)
            made.addItem(entry)
        made.itemActivated.connect(self._open_page)
        return made

    def _open_page(self, entry: QListWidgetItem) -> None:
        if self._source is not None:
            place = Locator(kind="page", page=entry.data(Qt.ItemDataRole.UserRole))
            self._context.selection.open_passage(self._source.source_id, place, self._source.title)

    def _read(self) -> None:
        if self._source is not None:
            self._context.selection.open_passage(self._source.source_id, title=self._source.title)

    def _forget(self) -> None:
        if self._source is not None:
            self._context.bridge.run(curate.forget(self._context, (self._source,)))

    def _bring_back(self) -> None:
        if self._source is not None:
            self._context.bridge.run(curate.reinstate(self._context, (self._source,)))


def facts_of(source: Source) -> list[tuple[str, str]]:
    """Return what is known about a source as (name, value), leaving out what is not."""
    facts = (
        ("Kind", kind_text(source.kind)),
        ("Published", source.published),
        ("Added", day_text(source.added_at)),
        ("Version", f"{source.version}" if source.version > 1 else ""),
        ("Pages", f"{source.page_count:,}" if source.page_count else ""),
        ("Passages", f"{source.record_count:,}" if source.record_count else ""),
        ("Size", size_text(source.byte_size)),
        ("File", source.filename),
        ("From", source.uri),
        ("Collections", ", ".join(source.collections)),
        ("Tags", ", ".join(source.tags)),
    )
    return [(name, value) for name, value in facts if value]


def size_text(byte_count: int) -> str:
    """Say a size in the unit that fits, e.g. ``1.2 MB``."""
    if byte_count <= 0:
        return ""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if byte_count >= size:
            return f"{byte_count / size:.1f} {unit}"
    return f"{byte_count} bytes"
