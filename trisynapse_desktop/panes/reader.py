"""A source and a place in, its pages or its text with the passage marked out; one reader is one tab."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPolygonF
from PySide6.QtPdf import QPdfDocument
from PySide6.QtWidgets import QStackedWidget, QWidget

from trisynapse_desktop.operations import curate, vault
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.citation import with_place
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.find_bar import FindBar
from trisynapse_desktop.widgets.layout import boxed, column
from trisynapse_desktop.widgets.note_bar import NoteBar
from trisynapse_desktop.widgets.page_geometry import PageFrame, polygons_of, quads_of
from trisynapse_desktop.widgets.page_search import PageSearch
from trisynapse_desktop.widgets.page_view import ZOOM_STEP, PageView
from trisynapse_desktop.widgets.reader_header import ReaderHeader
from trisynapse_desktop.widgets.text_flow import TextKind
from trisynapse_desktop.widgets.text_view import TextView
from trisynapse_desktop.widgets.verdict_strip import VerdictStrip
from trisynapse_memory.types import Fault, Locator, PageDetails, PageNote, PageVerdict, Quad, Record, Source

PDF_FAULTS = {
    QPdfDocument.Error.IncorrectPassword: Fault(
        code="reader.locked",
        message="This PDF is locked with a password.",
        hint="Save a copy without one and add that.",
    ),
    QPdfDocument.Error.UnsupportedSecurityScheme: Fault(
        code="reader.locked", message="This PDF is protected in a way that cannot be opened here.", hint=""
    ),
    QPdfDocument.Error.FileNotFound: Fault(
        code="reader.missing",
        message="The stored original is not there.",
        hint="Check the vault, or add the file again.",
    ),
}
BROKEN = Fault(
    code="reader.broken",
    message="This PDF cannot be shown.",
    hint="Its text, as far as it was read, answers questions.",
)
WORDLESS = {
    "image": ("image", "No words of this picture yet"),
    "recording": ("microphone", "No words of this recording yet"),
}
CODE_KINDS = ("code", "notebook", "structured")


class ReaderPane(QObject):
    """Reads one source. Pages for a PDF, one column of text for everything else.

    ``passage_painted`` says that the passage last jumped to stands on the screen, sharp and marked.
    """

    passage_painted = Signal(int)

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._source: Source | None = None
        self._wanted = Target("reader")
        self._passage: Locator | None = None
        self._notes: dict[int, PageNote] = {}
        self._frames: dict[int, PageFrame] = {}
        self._starts: list[int] = []
        self._task: asyncio.Task[None] | None = None
        self._pages: PageView | None = None
        self._text: TextView | None = None
        self._search: PageSearch | None = None
        self._found_count = 0
        self._header = ReaderHeader(context.theme, context.actions)
        self._strip = VerdictStrip(context.theme)
        self._find_bar = FindBar(context.theme)
        self._note_bar = NoteBar(context.theme)
        self._noted: tuple[str, Locator] | None = None
        self._empty = EmptyState(context.theme, "book-open")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        whole = column(self._header, self._strip, self._find_bar, self._note_bar, self._stack, gap=0)
        whole.setStretch(4, 1)
        self._widget = boxed(whole)
        self.setParent(self._widget)
        self._header.page_wanted.connect(self._go_to_label)
        self._strip.wanted.connect(lambda: context.bridge.run(self._show_hidden()))
        self._strip.approved.connect(self._approve_hidden)
        self._find_bar.searched.connect(self._find)
        self._find_bar.stepped.connect(self._step)
        self._find_bar.closed.connect(self._focus)
        self._note_bar.noted.connect(self._keep_note)
        self._note_bar.closed.connect(self._focus)
        return self._widget

    def open(self, target: Target) -> None:
        """Show a source at a place; the same source again only moves to the place."""
        self._bind()
        self._wanted = target
        if self._task is not None:
            self._task.cancel()
        if self._source is None or self._source.source_id != target.source_id:
            self._header.show_title(target.title or "…")
            self._empty.show_loading("Opening…")
            self._stack.setCurrentWidget(self._empty)
        self._task = self._context.bridge.run(self._show(target), self._show_fault)

    @property
    def view(self) -> PageView | TextView | None:
        """What shows the source now; ``None`` while it is loading or failed."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, PageView | TextView) else None

    # -- loading

    async def _show(self, target: Target) -> None:
        fresh = self._source is None or self._source.source_id != target.source_id or self.view is None
        if fresh:
            await self._load(target.source_id)
        await self._go_to(target.locator, fresh)

    async def _load(self, source_id: str) -> None:
        call = self._context.bridge.call
        source, notes, path = await asyncio.gather(
            call("sources.show", source_id=source_id),
            call("sources.pages", source_id=source_id),
            call("sources.original", source_id=source_id),
        )
        self._source = source
        self._notes = {note.page: note for note in notes}
        self._frames.clear()
        self._header.show_title(source.title, ", ".join(source.authors), source.published[:4])
        if source.kind == "pdf" and path:
            self._open_pages(path)
        else:
            records: tuple[Record, ...] = await call("sources.text", source_id=source_id)
            self._open_text(source, records)
        self._focus()

    def _open_pages(self, path: str) -> None:
        if self._pages is None:
            self._pages = self._make_pages()
        error = self._pages.load(path)
        if error is not QPdfDocument.Error.None_ or self._pages.document.pageCount() == 0:
            self._show_fault(PDF_FAULTS.get(error, BROKEN))
            return
        self._stack.setCurrentWidget(self._pages)
        self._follow_page(0)
        self._context.bridge.run(self._load_highlights())

    def _open_text(self, source: Source, records: tuple[Record, ...]) -> None:
        texts = [record.text for record in records]
        if not any(text.strip() for text in texts):
            self._say_nothing_to_read(source)
            return
        if self._text is None:
            self._text = self._make_text()
        self._starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
        self._text.show_text(texts, text_kind(source))
        self._stack.setCurrentWidget(self._text)
        self._header.show_pages(False)
        self._header.show_zoom(self._text.percent)
        worst = next((note for note in self._notes.values() if note.verdict is not PageVerdict.OK), None)
        self._strip.show_verdict(worst.verdict if worst else PageVerdict.OK, worst.note if worst else "")

    def _say_nothing_to_read(self, source: Source) -> None:
        why = next((note.note for note in self._notes.values() if note.note), "No text of this source was kept.")
        hint = f"{why[:1].upper()}{why[1:].rstrip('.')}."
        self._empty.show_empty(*WORDLESS.get(source.kind, ("file-text", "Nothing to read here")), hint)
        self._header.show_pages(False)
        self._stack.setCurrentWidget(self._empty)

    def _make_pages(self) -> PageView:
        view = PageView(self._context.theme)
        view.page_changed.connect(self._follow_page)
        view.zoomed.connect(self._header.show_zoom)
        view.find_wanted.connect(self._find_bar.enter)
        view.passage_painted.connect(self.passage_painted)
        self._search = PageSearch(view)
        self._search.counted.connect(self._find_bar.show_count)
        self._stack.addWidget(view)
        return view

    def _make_text(self) -> TextView:
        view = TextView(self._context.theme)
        view.link_wanted.connect(self._tell_link)
        view.find_wanted.connect(self._find_bar.enter)
        view.passage_painted.connect(self.passage_painted)
        view.zoomed.connect(self._header.show_zoom)
        self._stack.addWidget(view)
        return view

    def _show_fault(self, fault: Fault) -> None:
        self._empty.show_fault(fault)
        self._header.show_pages(False)
        self._strip.hide()
        self._stack.setCurrentWidget(self._empty)

    # -- places

    async def _go_to(self, locator: Locator | None, fresh: bool) -> None:
        view = self.view
        self._passage = locator or (None if fresh else self._passage)
        if locator is None or view is None:
            return
        if isinstance(view, TextView):
            if locator.start is not None:
                before = self._starts[(locator.page or 1) - 1] if (locator.page or 1) <= len(self._starts) else 0
                view.show_passage(before + locator.start, before + (locator.end or locator.start))
            return
        page = min(max(locator.page or 1, 1), view.document.pageCount())
        quads, frame = await asyncio.gather(self._quads(locator, page), self._frame(page))
        view.show_passage(page - 1, polygons_of(quads, frame, view.document.pagePointSize(page - 1)))

    async def _quads(self, locator: Locator, page: int) -> tuple[Quad, ...]:
        """Return where a passage stands: as the citation says, else as the engine works it out from its offsets."""
        if locator.quads or locator.start is None or locator.end is None or locator.page is None:
            return locator.quads
        source_id = self._wanted.source_id
        return await self._context.bridge.call(
            "sources.quads", source_id=source_id, page=page, start=locator.start, end=locator.end
        )

    async def _frame(self, page: int) -> PageFrame:
        if page not in self._frames:
            details = await self._details(page)
            self._frames[page] = PageFrame(details.width, details.height, details.rotation) if details else PageFrame()
        return self._frames[page]

    async def _details(self, page: int) -> PageDetails | None:
        source_id = self._wanted.source_id
        records: tuple[Record, ...] = await self._context.bridge.call("sources.text", source_id=source_id, page=page)
        payload = records[0].payload if records else None
        return payload if isinstance(payload, PageDetails) else None

    def _follow_page(self, page: int) -> None:
        if self._pages is None:
            return
        document = self._pages.document
        label = document.pageLabel(page) or f"{page + 1}"
        self._header.show_pages(True)
        self._header.show_page(label, page + 1, document.pageCount())
        self._header.show_zoom(self._pages.percent)
        self._pages.setAccessibleName(f"{self._header.title}, page {label} of {document.pageCount()}")
        note = self._notes.get(page + 1)
        self._strip.show_verdict(note.verdict if note else PageVerdict.OK, note.note if note else "")

    def _go_to_label(self, wanted: str) -> None:
        if self._pages is None:
            return
        document = self._pages.document
        labels = [document.pageLabel(page).casefold() for page in range(document.pageCount())]
        if wanted.casefold() in labels:
            self._pages.show_page(labels.index(wanted.casefold()))
        elif wanted.isdigit() and 1 <= int(wanted) <= document.pageCount():
            self._pages.show_page(int(wanted) - 1)
        self._follow_page(self._pages.page)
        self._focus()

    async def _show_hidden(self) -> None:
        page = self._pages.page + 1 if self._pages is not None else 1
        details = await self._details(page)
        self._strip.show_hidden(page, details.hidden_text if details else "")

    def _approve_hidden(self, page: int) -> None:
        self._context.bridge.run(curate.approve_hidden(self._context, self._wanted.source_id, page))

    # -- commands

    def _bind(self) -> None:
        bind = self._context.actions.bind
        bind("reader.find", self._find_bar.enter)
        bind("reader.zoom_in", lambda: self.view and self.view.zoom(ZOOM_STEP))
        bind("reader.zoom_out", lambda: self.view and self.view.zoom(1 / ZOOM_STEP))
        bind("reader.fit", lambda: self.view and self.view.fit())
        bind("reader.copy_citation", self.copy_citation)
        bind("reader.highlight", self.highlight)

    def _find(self, text: str) -> None:
        if isinstance(self.view, TextView):
            self._found_count = self.view.find_text(text)
            self._find_bar.show_count(min(self._found_count, 1), self._found_count)
        elif self._search is not None:
            self._search.find_text(text)

    def _step(self, by: int) -> None:
        if isinstance(self.view, TextView):
            self._find_bar.show_count(self.view.step(by), self._found_count)
        elif self._search is not None:
            self._search.step(by)

    def _focus(self) -> None:
        if self.view is not None:
            self._widget.setFocusProxy(self.view)
            self.view.setFocus()

    def copy_citation(self) -> None:
        """Put ``Title, p. iii`` on the clipboard; with text chosen, the text in quotation marks before it."""
        if self._source is None:
            return
        place = with_place(self._source.title, self._here())
        chosen = self._chosen()
        text = f"“{chosen}” ({place})" if chosen else place
        QGuiApplication.clipboard().setText(text)
        self._context.announce(Announcement("Copied as citation.", text, "good"))

    def highlight(self) -> None:
        """Keep the chosen text as a highlight, a record of the log."""
        if self._source is None or not isinstance(self.view, PageView):
            return
        if not self._chosen():
            self._context.announce(Announcement("Choose some text first.", "Drag over the words, then highlight them."))
            return
        self._context.bridge.run(self._keep_highlight(self.view))

    async def _keep_highlight(self, view: PageView) -> None:
        assert self._source is not None
        quote = view.selection.text
        for page in view.selection.pages():
            frame = await self._frame(page + 1)
            quads = quads_of(view.selection.shapes(page), frame, view.document.pagePointSize(page))
            label = view.document.pageLabel(page) or None
            place = Locator(kind="page", page=page + 1, page_label=label, quads=quads)
            await curate.highlight(self._context, self._source.source_id, quote, place)
            self._noted = (quote, place)
        view.selection.clear()
        await self._load_highlights()
        self._note_bar.ask(quote)

    def _keep_note(self, note: str) -> None:
        if self._source is not None and self._noted is not None:
            quote, place = self._noted
            keep = curate.highlight(self._context, self._source.source_id, quote, place, note=note)
            self._context.bridge.run(keep)

    async def _load_highlights(self) -> None:
        if self._source is None or self._pages is None:
            return
        marks: dict[int, list[QPolygonF]] = {}
        for record in await curate.highlights(self._context, self._source.source_id):
            place = record.locator
            if place is not None and place.page is not None and place.quads:
                size = self._pages.document.pagePointSize(place.page - 1)
                shapes = polygons_of(place.quads, await self._frame(place.page), size)
                marks.setdefault(place.page - 1, []).extend(shapes)
        self._pages.set_marks("kept", marks)

    def _chosen(self) -> str:
        if isinstance(self.view, PageView):
            return self.view.selection.text
        return " ".join(self.view.textCursor().selectedText().split()) if self.view is not None else ""

    def _here(self) -> Locator | None:
        if not isinstance(self.view, PageView):
            return self._passage
        page = self.view.page
        return Locator(kind="page", page=page + 1, page_label=self.view.document.pageLabel(page) or None)

    # -- links

    def _tell_link(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme == "trisynapse":
            question = parse_qs(parts.query).get("q", [""])[0]
            self._context.selection.open(Target("chat", text=question))
        elif parts.scheme == "wiki":
            self._context.bridge.run(self._open_named(address.removeprefix("wiki:")))
        else:
            self._offer_link(address, parts.netloc)

    def _offer_link(self, address: str, host: str) -> None:
        def follow() -> None:
            QDesktopServices.openUrl(QUrl(address))

        webby = address.startswith(("http://", "https://"))
        text = f"This link leads out of the vault, to {host}." if webby else "This link leads out of the vault."
        said = Announcement(text, address)
        self._context.announce(replace(said, undo_text="Open in browser", undo=follow) if webby else said)

    async def _open_named(self, name: str) -> None:
        for source in await vault.library(self._context):
            if name in (source.title, source.filename, source.filename.rsplit(".", 1)[0]):
                self._context.selection.open_passage(source.source_id, title=source.title)
                return
        self._context.announce(Announcement(f"Nothing in the vault is named “{name}”."))


def text_kind(source: Source) -> TextKind:
    """Say how the stored text of a source is to be read."""
    if source.media_type == "text/markdown" or source.kind in ("markdown", "note"):
        return TextKind.MARKDOWN
    if source.kind in CODE_KINDS:
        return TextKind.CODE
    return TextKind.ARTICLE if source.kind in ("html", "bookmark", "web") else TextKind.PLAIN
