"""The verdicts of a source's pages in, one quiet line out, and a list of the pages that are not plainly readable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import button, column, counted, label, row
from trisynapse_desktop.widgets.wrapped_link import WrappedLink
from trisynapse_desktop.wording import GOOD, verdict_words
from trisynapse_memory.types import PageNote, PageVerdict

LISTED_LIMIT = 2000  # rows; a longer ledger shows its troubled pages
SHOWN_ROWS = 8  # lines that are shown whole; more are a list to scroll through
ROW_HEIGHT = 7 * GRID  # px
MAY_GET_BETTER = (PageVerdict.TIMED_OUT, PageVerdict.DAMAGED)
HOW = {
    "ocr-layer": "from the text that a scanner put under the picture",
    "repaired": "after the file was repaired",
}
PLACES = {"pptx": "Slide", "image": "Picture", "recording": "Part"}
ONE_PAGE = "one page"  # that needs no number
RECOGNISED = "ocr:"


class PageLedger(QFrame):
    """How every page was read. ``opened`` carries the number of a page she chose, ``again_wanted`` asks for a retry."""

    opened = Signal(int)
    again_wanted = Signal()

    def __init__(self, pages: Sequence[PageNote], kind: str = "") -> None:
        super().__init__()
        told = [page for page in pages if not is_plain(page)]
        if len(told) > LISTED_LIMIT:
            told = [page for page in told if page.verdict not in GOOD][:LISTED_LIMIT]
        lines = [
            (line_of(page, kind if len(pages) > 1 else ONE_PAGE, last), page.page) for page, last in stretches(told)
        ]
        in_trouble = any(page.verdict not in GOOD for page in pages)
        parts = column(label(summary_of(pages), "warning" if in_trouble else "small", wrap=True), gap=2)
        if len(lines) > SHOWN_ROWS:
            parts.addWidget(self._list(lines))
        for words, page in lines if len(lines) <= SHOWN_ROWS else ():
            parts.addWidget(WrappedLink(words, partial(self.opened.emit, page), "sentence", "Show this page"))
        if any(page.verdict in MAY_GET_BETTER for page in pages):
            again = button("Read again", hint="Try once more what took too long or broke off; what is whole is kept")
            again.clicked.connect(lambda _checked=False: self.again_wanted.emit())
            parts.addLayout(row(again, None))
        self.setLayout(parts)

    def _list(self, lines: Sequence[tuple[str, int]]) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName("Pages that are not plainly readable")
        made.setUniformItemSizes(True)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setTextElideMode(Qt.TextElideMode.ElideRight)
        made.setProperty("role", "boxed")
        for words, page in lines:
            entry = QListWidgetItem(words)
            entry.setData(Qt.ItemDataRole.UserRole, page)
            entry.setToolTip(hint_of(words))
            entry.setSizeHint(QSize(0, ROW_HEIGHT))
            made.addItem(entry)
        made.setFixedHeight(SHOWN_ROWS * ROW_HEIGHT + 3 * GRID)
        made.itemActivated.connect(lambda entry: self.opened.emit(entry.data(Qt.ItemDataRole.UserRole)))
        return made


def is_plain(page: PageNote) -> bool:
    """Tell whether there is nothing to say of a page but that it is readable."""
    return page.verdict is PageVerdict.OK and not page.note and page.method not in HOW


def stretches(pages: Sequence[PageNote]) -> list[tuple[PageNote, int]]:
    """Put pages that follow each other and came out alike together, as the first one and the number of the last."""
    found: list[tuple[PageNote, int]] = []
    for page in pages:
        first, last = found[-1] if found else (page, page.page)
        if page.page == last + 1 and words_of(page) == words_of(first):
            found[-1] = (first, page.page)
        else:
            found.append((page, page.page))
    return found


def line_of(page: PageNote, kind: str = "", last: int = 0) -> str:
    """Say how a page, or those up to ``last``, was read: ``p. 4   read from the picture by tesseract, 91% sure``."""
    numbers = f"{page.page}–{last}" if last > page.page else f"{page.page}"
    return words_of(page) if kind == ONE_PAGE else f"{PLACES.get(kind, 'p.')} {numbers}   {words_of(page)}"


def words_of(page: PageNote) -> str:
    """Say the verdict of a page, how it was read and what was noted, in her words."""
    verdict = verdict_words(page.verdict)
    if page.verdict is PageVerdict.OCR and page.note:
        return page.note
    how = HOW.get(page.method, "")
    if page.method.startswith(RECOGNISED):
        how = f"tried by {page.method.removeprefix(RECOGNISED)}"
    return " · ".join(part for part in (verdict, how, page.note) if part)


def summary_of(pages: Sequence[PageNote]) -> str:
    """Count the pages by how they came out, the most frequent first, e.g. ``11 readable, 1 garbled``."""
    if not pages:
        return "No page has been read yet."
    counts = Counter(page.verdict for page in pages)
    if len(counts) > 1:
        return ", ".join(f"{count:,} {verdict_words(verdict)}" for verdict, count in counts.most_common())
    words = verdict_words(pages[0].verdict)
    return f"All {len(pages):,} pages: {words}." if len(pages) > 1 else f"{counted(1, 'page')}: {words}."
