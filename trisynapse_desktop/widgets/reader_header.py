"""Title, page and zoom of an open source in, one quiet line above it out; a typed page number goes out as a wish."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QSizePolicy

from trisynapse_desktop.actions import Actions
from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import ActionButton
from trisynapse_desktop.widgets.layout import label, row

TITLE_WIDTH = 280  # px; under it two papers of one author look the same
CONTROLS_WIDTH = 400  # px; page, zoom and buttons


class ReaderHeader(QFrame):
    """The reader's own bar. ``page_wanted`` carries what she typed: a page's label or its number."""

    page_wanted = Signal(str)

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("paneHeader")
        self.setFixedHeight(11 * GRID)
        self._title, self._origin = _ElidedLabel(), label("", "small")
        self._page = QLineEdit()
        self._page.setAccessibleName("Page")
        self._page.setToolTip("Type a page, as it is printed or counted")
        self._page.setFixedWidth(13 * GRID)
        self._page.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._count, self._zoom = label("", "small"), label("", "small")
        self._zoom.setMinimumWidth(10 * GRID)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignCenter)
        names = ("zoom_out", "zoom_in", "fit", "find", "highlight", "copy_citation")
        out, closer, fit, find, mark, quote = (ActionButton(actions.action(f"reader.{name}")) for name in names)
        pages = row(self._page, self._count, gap=1)
        sizes = row(out, self._zoom, closer, fit, gap=1)
        line = row(self._title, self._origin, 2, pages, 3, sizes, 2, find, mark, quote, gap=1, margins=(4, 0, 2, 0))
        line.setStretch(0, 1)
        self.setLayout(line)
        self._mark = mark
        self._page.returnPressed.connect(self._wish)

    @property
    def title(self) -> str:
        """The full title."""
        return self._title.toolTip()

    @property
    def place(self) -> str:
        """What the bar says of the page: its label and its number."""
        return f"{self._page.text()} {self._count.text()}".strip()

    def show_title(self, title: str, authors: str = "", year: str = "") -> None:
        """Name the source."""
        self._title.show_words(title)
        self._origin.setText(" · ".join(part for part in (authors, year) if part))
        self._spare_room()

    def show_pages(self, paged: bool) -> None:
        """Say whether the source has pages; a text has none to go to."""
        for part in (self._page, self._count, self._mark):
            part.setVisible(paged)

    def show_page(self, printed: str, number: int, count: int) -> None:
        """Show where she is: the label as printed, and the number where it differs."""
        self._page.setText(printed)
        self._count.setText(f"of {count:,}" if printed == str(number) else f"({number:,} of {count:,})")

    def show_zoom(self, percent: int) -> None:
        """Show the zoom."""
        self._zoom.setText(f"{percent} %")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spare_room()

    def _spare_room(self) -> None:
        """Let the authors go where the bar is narrow: the title is what tells sources apart."""
        needed = self._origin.fontMetrics().horizontalAdvance(self._origin.text()) + CONTROLS_WIDTH + TITLE_WIDTH
        self._origin.setVisible(bool(self._origin.text()) and self.width() > needed)

    def _wish(self) -> None:
        self.page_wanted.emit(self._page.text().strip())


class _ElidedLabel(QLabel):
    """One bold line that ends in dots where there is no room for it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        font = self.font()
        font.setBold(True)
        self.setFont(font)

    def show_words(self, words: str) -> None:
        self.setToolTip(hint_of(words))
        self.setAccessibleName(words)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self.toolTip(), Qt.TextElideMode.ElideRight, self.width()))
