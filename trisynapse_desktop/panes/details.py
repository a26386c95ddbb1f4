"""The chosen source in, what is known about it out: metadata, versions, and the verdict of every page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from trisynapse_desktop.models.sources import verdict_text, verdict_tone
from trisynapse_desktop.operations import curate, ingest, knowledge
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.layout import button, clear, column, label, row
from trisynapse_desktop.widgets.novelty_badge import NoveltyBadge
from trisynapse_desktop.widgets.page_ledger import PageLedger
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_desktop.widgets.source_card import SourceCardView
from trisynapse_desktop.widgets.source_facts import Kin, SourceFacts
from trisynapse_desktop.widgets.tag_row import TagRow
from trisynapse_memory.types import (
    Claim,
    Fault,
    Locator,
    Notice,
    Novelty,
    PageNote,
    Record,
    Source,
    SourceCard,
    SourceStatus,
)

RELOAD_MS = 800  # after the first sign of change; facts arrive in batches
FILE_LIMIT = 12  # files of a reference that are named
MARK_LIMIT = 20  # cards; the document itself shows all of them


class DetailsPane:
    """The sidebar's second page: everything about one source."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._source: Source | None = None
        self._shown: object = None
        self._wanted, self._tags = "", TagRow(())
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
        self._timer = QTimer(self._stack, singleShot=True, interval=RELOAD_MS)
        self._timer.timeout.connect(lambda: self._choose(self._wanted))
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
        elif notice.topic in ("claims", "summaries") and self._wanted and not self._timer.isActive():
            self._timer.start()

    async def _load(self, source_id: str) -> None:
        """Show a source at once and its card when it is there; news about the same source change nothing until then."""
        call = self._context.bridge.call
        source: Source = await call("sources.show", source_id=source_id)
        pages: tuple[PageNote, ...] = await call("sources.pages", source_id=source_id)
        kin = await self._kin(source)
        if source_id == self._wanted and (self._source is None or self._source.source_id != source_id):
            self._show(source, pages, kin)
        card = await knowledge.card(self._context, source_id)
        marks = await curate.highlights(self._context, source_id)
        novelty: tuple[Novelty, ...] = await call("sources.novelty", source_ids=[source_id])
        if source_id == self._wanted and self._shown != (source, pages, kin, card, marks, novelty):
            self._show(source, pages, kin)
            self._add_novelty(novelty)
            self._add_card(card)
            self._add_marks(source_id, marks)
            self._shown = (source, pages, kin, card, marks, novelty)

    async def _kin(self, source: Source) -> tuple[Kin, ...]:
        """Return the other sources that say the same, describe it, or are described by it."""
        related = (
            ("Same text as", (source.same_text_as,) if source.same_text_as else ()),
            ("Described by", (source.reference,) if source.reference else ()),
            ("Its files", source.files[:FILE_LIMIT]),
        )
        found: list[Kin] = []
        for relation, ids in related:
            others = [await self._context.bridge.call("sources.show", source_id=one) for one in ids]
            found += [Kin(relation, tuple(others))] if others else []
        return tuple(found)

    def _add_novelty(self, novelty: Sequence[Novelty]) -> None:
        for one in novelty:
            self._card.addSpacing(3 * GRID)
            self._card.addWidget(label("Novelty", "section"))
            self._card.addSpacing(GRID)
            self._card.addWidget(NoveltyBadge(self._context.theme, one))

    def _add_card(self, card: SourceCard) -> None:
        made = SourceCardView(self._context.theme, card)
        made.claim_wanted.connect(self._open_claim)
        made.record_wanted.connect(self._open_record)
        made.concept_wanted.connect(lambda name: self._context.selection.open(Target("graph", text=name)))
        made.question_wanted.connect(self._ask)
        self._card.addWidget(made)

    def _take_away(self, mark: Record) -> None:
        async def take() -> None:
            await curate.unhighlight(self._context, mark)
            self._choose(self._wanted)

        self._context.bridge.run(take(), self._show_fault)

    def _add_marks(self, source_id: str, marks: Sequence[Record]) -> None:
        if not marks:
            return
        self._marks.addSpacing(3 * GRID)
        self._marks.addWidget(label("Highlights and notes", "section"))
        for mark in marks[-MARK_LIMIT:]:
            title = curate.note_of(mark) or "Highlight"
            card = PassageCard(self._context.theme, title, mark.locator, mark.text, "")
            card.opened.connect(lambda place=mark.locator: self._context.selection.open_passage(source_id, place, ""))
            self._marks.addWidget(card)
            away = button("Take away", "quiet", "Remove this highlight and its note")
            away.setAccessibleName(f"Take away the highlight “{mark.text[:60]}”")
            away.clicked.connect(lambda _checked=False, mark=mark: self._take_away(mark))
            self._marks.addLayout(row(None, away))

    def _open_claim(self, claim: Claim) -> None:
        support = next((one for side in claim.sides for one in side.supports if one.source_id == self._wanted), None)
        if support is not None and support.source_id:
            self._context.selection.open_passage(support.source_id, support.locator, support.title)

    def _open_record(self, record_id: str) -> None:
        self._context.bridge.run(self._show_record(record_id), self._show_fault)

    async def _show_record(self, record_id: str) -> None:
        record: Record = await self._context.bridge.call("get", record_id=record_id)
        if record.source_id:
            self._context.selection.open_passage(record.source_id, record.locator)

    def _ask(self, question: str) -> None:
        self._context.selection.open(Target("chat", text=question))

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _show(self, source: Source, pages: Sequence[PageNote], kin: Sequence[Kin]) -> None:
        same = self._source is not None and self._source.source_id == source.source_id
        typed = (self._tags.field.text(), self._tags.has_focus) if same else ("", False)
        self._source, self._shown = source, None
        clear(self._rows)
        self._rows.addWidget(label(source.title, "heading", wrap=True, selectable=True))
        if source.authors:
            self._rows.addWidget(label(", ".join(source.authors), "muted", wrap=True, selectable=True))
        self._rows.addLayout(self._buttons(source))
        self._rows.addSpacing(GRID)
        self._rows.addWidget(self._facts(source, kin))
        self._tags = self._tag_row(source, typed[0])
        self._rows.addWidget(self._tags)
        self._card, self._marks = column(gap=0), column(gap=1)
        self._rows.addLayout(self._card)
        self._rows.addLayout(self._marks)
        self._rows.addSpacing(2 * GRID)
        self._rows.addWidget(label("Pages", "section"))
        if source.status is not SourceStatus.ACTIVE:
            self._rows.addWidget(label(verdict_text(source), verdict_tone(source), wrap=True))
        self._rows.addWidget(self._ledger(source, pages))
        self._rows.addStretch(1)
        self._stack.setCurrentWidget(self._scroll)
        if typed[1]:
            self._tags.field.setFocus()

    def _buttons(self, source: Source) -> QHBoxLayout:
        read = button("Read", "primary")
        read.clicked.connect(self._read)
        forgotten = source.status is SourceStatus.FORGOTTEN
        other = button("Bring back" if forgotten else "Forget")
        other.clicked.connect(self._bring_back if forgotten else self._forget)
        graph, page = button("Graph", hint="What it says, as a graph"), button("Wiki page")
        source_id = source.source_id
        graph.clicked.connect(lambda _=False: self._context.selection.open(Target("graph", source_id=source_id)))
        page.clicked.connect(lambda _=False: self._context.selection.open(Target("wiki", source_id=source_id)))
        return row(read, graph, page, other, None, gap=2)

    def _tag_row(self, source: Source, typed: str) -> TagRow:
        """Her tags; what she was typing when the source was shown anew stays in the field."""
        made = TagRow(source.tags)
        made.field.setText(typed)
        context, source_id = self._context, source.source_id
        made.added.connect(lambda name: context.bridge.run(curate.tag(context, source_id, name)))
        made.removed.connect(lambda name: context.bridge.run(curate.take_off(context, source_id, name)))
        return made

    def _facts(self, source: Source, kin: Sequence[Kin]) -> SourceFacts:
        made = SourceFacts(self._context.theme, source, kin)
        made.copied.connect(self._copy)
        made.wanted.connect(lambda other: self._context.selection.select_source(other.source_id))
        made.container_wanted.connect(lambda name: self._context.selection.open(Target("sources", text=name)))
        return made

    def _copy(self, name: str, value: str) -> None:
        QGuiApplication.clipboard().setText(value)
        self._context.announce(Announcement(f"{name} copied.", value, "good"))

    def _ledger(self, source: Source, pages: Sequence[PageNote]) -> PageLedger:
        made = PageLedger(pages, source.kind)
        made.opened.connect(lambda page: self._open_page(source, page))
        made.again_wanted.connect(lambda: self._context.bridge.run(ingest.read_again(self._context, source)))
        return made

    def _open_page(self, source: Source, page: int) -> None:
        place = Locator(kind="page", page=page)
        self._context.selection.open_passage(source.source_id, place, source.title)

    def _read(self) -> None:
        if self._source is not None:
            self._context.selection.open_passage(self._source.source_id, title=self._source.title)

    def _forget(self) -> None:
        if self._source is not None:
            self._context.bridge.run(curate.forget(self._context, (self._source,)))

    def _bring_back(self) -> None:
        if self._source is not None:
            self._context.bridge.run(curate.reinstate(self._context, (self._source,)))
