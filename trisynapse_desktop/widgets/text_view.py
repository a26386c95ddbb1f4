"""The stored text of a source and a stretch of it in, a readable page with that stretch marked out.

Nothing is fetched: pictures and style sheets named in a text are never loaded, and links are told, not followed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableFormat,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.text_flow import Block, BlockStyle, Run, TextKind, flow

MEASURE = 72  # characters a line
SLICE_BLOCKS = 200  # laid out at a time; a book would keep the window still for seconds
BODY_SCALE = 1.25  # of the interface font: this is for reading
LINE_HEIGHT = 145  # percent
LINE_HEIGHTS = {BlockStyle.HEADING: 118, BlockStyle.META: 110, BlockStyle.CODE: 130}
GAPS_BELOW = {BlockStyle.BODY: 3 * GRID, BlockStyle.QUOTE: 3 * GRID, BlockStyle.ENTRY: GRID}  # px
HEADING_SCALES = {1: 1.55, 2: 1.25, 3: 1.1}
ENTRY_INDENT = 6 * GRID  # px
FOUND_LIMIT = 500  # marks of a search; more cannot be told apart


class TextView(QTextBrowser):
    """One column of text in a comfortable measure.

    ``passage_painted`` is emitted from the paint event in which the passage first stood in view; ``link_wanted``
    carries the address of a link she clicked; ``find_wanted`` says that she pressed the key for it.
    """

    passage_painted = Signal(int)
    link_wanted = Signal(str)
    find_wanted = Signal()
    zoomed = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._spans: list[tuple[int, int, int]] = []
        self._starts: list[int] = []
        self._pending: Iterator[Block] = iter(())
        self._blocks: list[Block] = []
        self._passage: tuple[int, int] | None = None
        self._unpainted = False
        self._found: list[tuple[int, int]] = []
        self._current = -1
        self._percent = 100
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._lay_slice)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setAccessibleName("Text")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.anchorClicked.connect(self._tell_link)
        theme.changed.connect(self._repaint)

    # -- what is shown

    def show_text(self, pages: Sequence[str], kind: TextKind) -> None:
        """Show the stored text of a source, page after page.

        Args:
            pages: the text of each page; offsets of a locator count in the first.
            kind: how to read it.
        """
        self._blocks = []
        starts = [sum(len(page) + 1 for page in pages[:number]) for number in range(len(pages))]
        parts = (flow(page, kind, start) for page, start in zip(pages, starts, strict=True))
        self._passage = None
        self._restart(block for part in parts for block in part)

    def show_passage(self, start: int, end: int) -> None:
        """Mark a stretch of the stored text and bring it to the middle; an empty stretch only shows the place."""
        while self._timer.isActive() and (not self._spans or self._last_laid() < end):
            self._lay_slice()
        self._passage = (start, end)
        self._unpainted = True
        self._mark()
        cursor = self._cursor(start, end)
        if cursor is not None:
            self._bring(cursor)
        self.viewport().update()

    def passage_text(self) -> str:
        """Return the words marked now, as they are shown."""
        cursor = self._cursor(*self._passage) if self._passage else None
        return cursor.selectedText().replace("\u2029", "\n") if cursor is not None else ""

    # -- finding and zooming, as a page view does

    def find_text(self, text: str) -> int:
        """Mark every place of a text and go to the first one at or below the top of the view; return how many."""
        self._found, self._current = [], -1
        cursor = QTextCursor(self.document())
        while text and len(self._found) < FOUND_LIMIT:
            cursor = self.document().find(text, cursor)
            if cursor.isNull():
                break
            self._found.append((cursor.selectionStart(), cursor.selectionEnd()))
        self._mark()
        if self._found:
            top = self.cursorForPosition(self.viewport().rect().topLeft()).position()
            first = next((place for place, span in enumerate(self._found) if span[0] >= top), 0)
            self._current = first - 1
            self.step(1)
        return len(self._found)

    def step(self, by: int) -> int:
        """Go to the next or previous place found, round the end; return its number from 1."""
        if not self._found:
            return 0
        self._current = (self._current + by) % len(self._found)
        start, end = self._found[self._current]
        self._mark()
        self._bring(self._span(start, end))
        return self._current + 1

    def zoom(self, factor: float) -> None:
        """Make the letters larger or smaller by a factor."""
        self._percent = round(min(max(self._percent * factor, 60), 300))
        self._repaint()
        self.zoomed.emit(self._percent)

    def fit(self) -> None:
        """Show letters in their usual size."""
        self.zoom(100 / self._percent)

    @property
    def percent(self) -> int:
        """The size of letters, in percent of the usual one."""
        return self._percent

    # -- laying out

    def _restart(self, blocks: Iterator[Block]) -> None:
        self._spans, self._starts = [], []
        self._pending = blocks
        self._found, self._current = [], -1
        self.document().clear()
        self.document().setDocumentMargin(0)
        self._set_measure()
        self._timer.start()
        self._lay_slice()

    def _lay_slice(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        rows: list[Block] = []
        for _count in range(SLICE_BLOCKS):
            block = next(self._pending, None)
            if block is not None:
                self._blocks.append(block)
            if rows and (block is None or block.style is not BlockStyle.TABLE):
                self._write_table(cursor, rows)
                rows = []
            if block is None:
                self._timer.stop()
                break
            if block.style is BlockStyle.TABLE:
                rows.append(block)
            else:
                self._write(cursor, block)
        if rows:
            self._write_table(cursor, rows)
        cursor.endEditBlock()
        self._starts = [span[0] for span in self._spans]

    def _write(self, cursor: QTextCursor, block: Block) -> None:
        shape = self._shape(block)
        if self._spans or cursor.position():
            cursor.insertBlock(shape, QTextCharFormat())
        else:
            cursor.setBlockFormat(shape)
        look = self._look(block)
        if block.sign:
            sign = QTextCharFormat(look)
            sign.setForeground(QColor(self._theme.tones.muted))
            cursor.insertText(f"{block.sign}\t", sign)
        self._write_runs(cursor, block.runs, look)

    def _write_runs(self, cursor: QTextCursor, runs: Sequence[Run], look: QTextCharFormat) -> None:
        for run in runs:
            if run.text:
                self._spans.append((run.start, cursor.position(), len(run.text)))
                cursor.insertText(run.text, self._run_look(run, look))

    def _write_table(self, cursor: QTextCursor, rows: Sequence[Block]) -> None:
        shape = QTextTableFormat()
        shape.setCellPadding(6)
        shape.setCellSpacing(0)
        shape.setBorder(0.5)
        shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderCollapse(True)
        shape.setBorderBrush(QBrush(QColor(self._theme.tones.line)))
        shape.setMargin(2 * GRID)
        shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table = cursor.insertTable(len(rows), max(len(row.cells) for row in rows), shape)
        for across, row in enumerate(rows):
            for down, runs in enumerate(row.cells):
                inner = table.cellAt(across, down).firstCursorPosition()
                look = self._look(row)
                if across == 0:
                    look.setFontWeight(QFont.Weight.DemiBold)
                self._write_runs(inner, runs, look)
        cursor.movePosition(QTextCursor.MoveOperation.End)

    def _shape(self, block: Block) -> QTextBlockFormat:
        shape = QTextBlockFormat()
        percent = LINE_HEIGHTS.get(block.style, LINE_HEIGHT)
        shape.setLineHeight(percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        shape.setBottomMargin(GAPS_BELOW.get(block.style, 0))
        if block.style is BlockStyle.HEADING:
            shape.setTopMargin(6 * GRID if self._spans else 0)
            shape.setBottomMargin(2 * GRID)
            shape.setHeadingLevel(block.level)
        elif block.style in (BlockStyle.ENTRY, BlockStyle.QUOTE):
            shape.setLeftMargin(ENTRY_INDENT * (block.level + 1))
            shape.setTextIndent(-ENTRY_INDENT if block.sign else 0)
            shape.setTabPositions([QTextOption.Tab(ENTRY_INDENT, QTextOption.TabType.LeftTab)])
        return shape

    def _look(self, block: Block) -> QTextCharFormat:
        look = QTextCharFormat()
        size = self._size()
        # Said of every run: the document's own font is set back whenever the style of the window changes.
        look.setFontPointSize(size)
        if block.style is BlockStyle.HEADING:
            look.setFontPointSize(size * HEADING_SCALES.get(block.level, 1.0))
            look.setFontWeight(QFont.Weight.DemiBold)
        elif block.style in (BlockStyle.META, BlockStyle.QUOTE):
            look.setForeground(QColor(self._theme.tones.muted))
        if block.style in (BlockStyle.META, BlockStyle.CODE):
            look.setFontFamilies(_fixed_families())
            look.setFontPointSize(size * 0.88)
        return look

    def _run_look(self, run: Run, base: QTextCharFormat) -> QTextCharFormat:
        look = QTextCharFormat(base)
        if run.bold:
            look.setFontWeight(QFont.Weight.Bold)
        look.setFontItalic(run.italic or base.fontItalic())
        if run.code:
            look.setFontFamilies(_fixed_families())
            look.setBackground(QColor(self._theme.tones.hover))
        if run.href:
            look.setAnchor(True)
            look.setAnchorHref(run.href)
            look.setForeground(QColor(self._theme.tones.accent))
            look.setFontUnderline(True)
            look.setToolTip(hint_of(run.href))
        return look

    def _size(self) -> float:
        return max(self.font().pointSizeF(), 8.0) * BODY_SCALE * self._percent / 100

    # -- places

    def _last_laid(self) -> int:
        start, _position, length = self._spans[-1]
        return start + length

    def _position(self, offset: int) -> int:
        """Return where a character of the stored text stands in the document.

        One that is left out (a sign of Markdown) has no place: the start of what follows it counts.
        """
        place = bisect_right(self._starts, offset) - 1
        if place < 0:
            return self._spans[0][1]
        start, position, length = self._spans[place]
        if offset - start >= length and place + 1 < len(self._spans):
            return self._spans[place + 1][1]
        return position + min(offset - start, length)

    def _cursor(self, start: int, end: int) -> QTextCursor | None:
        if not self._spans:
            return None
        first = self._position(start)
        if end <= start:
            return self._span(first, first)
        last = bisect_right(self._starts, end - 1) - 1
        begin, position, length = self._spans[max(last, 0)]
        return self._span(first, max(first, position + min(end - begin, length)))

    def _span(self, first: int, last: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(first)
        cursor.setPosition(min(last, self.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _bring(self, cursor: QTextCursor) -> None:
        start = QTextCursor(cursor)
        start.setPosition(cursor.selectionStart())
        area = self.cursorRect(start)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + area.center().y() - self.viewport().height() // 3)

    def _mark(self) -> None:
        tones = self._theme.tones
        spans = [(self._span(*span), tones.chosen, tones.text) for span in self._found]
        if 0 <= self._current < len(self._found):
            spans[self._current] = (self._span(*self._found[self._current]), tones.accent, tones.on_accent)
        if self._passage is not None and (cursor := self._cursor(*self._passage)) is not None:
            spans.insert(0, (cursor, tones.mark, tones.on_mark))
        marks: list[QTextEdit.ExtraSelection] = []
        for cursor, ground, ink in spans:
            mark = QTextEdit.ExtraSelection()
            look = QTextCharFormat()
            look.setBackground(QColor(ground))
            look.setForeground(QColor(ink))
            mark.cursor, mark.format = cursor, look
            marks.append(mark)
        self.setExtraSelections(marks)

    def _set_measure(self) -> None:
        column = round(MEASURE * _mean_width(self.font(), self._size()))
        side = max(6 * GRID, (self.viewport().width() - column) // 2)
        # Margins of the page, not of the viewport: those would be set from within their own resize event.
        shape = self.document().rootFrame().frameFormat()
        if shape.leftMargin() != side:
            shape.setLeftMargin(side)
            shape.setRightMargin(side)
            shape.setTopMargin(8 * GRID)
            shape.setBottomMargin(12 * GRID)
            self.document().rootFrame().setFrameFormat(shape)

    def _repaint(self) -> None:
        rest = list(self._pending)
        blocks, self._blocks = [*self._blocks, *rest], []
        passage = self._passage
        self._restart(iter(blocks))
        if passage is not None:
            self.show_passage(*passage)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None  # nothing is read from disk or net because a text names it

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._unpainted:
            self._unpainted = False
            self.passage_painted.emit(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_measure()
        if self._unpainted and self._passage is not None:
            self.show_passage(*self._passage)

    def event(self, event: QEvent) -> bool:
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self.find_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _tell_link(self, address: QUrl) -> None:
        self.link_wanted.emit(address.toString())


def _fixed_families() -> list[str]:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()


def _mean_width(font: QFont, size: float) -> float:
    font.setPointSizeF(size)
    # Running English text, not the average of all glyphs, which is wider.
    sample = "the quick brown fox jumps over the lazy dog and light is slower in water"
    return QFontMetricsF(font).horizontalAdvance(sample) / len(sample)
