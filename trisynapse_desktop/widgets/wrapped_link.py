"""A sentence in, a link over as many lines as it needs out; keys and name are those of a button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.widgets.layout import button, column

LINE_LIMIT = 3  # lines; the tooltip has the rest
PADDING = 2  # px above and below together, as the style sheet says
FRAME = 4  # px that the focus ring takes on both sides together


class WrappedLink(QFrame):
    """Text over several lines that acts like a link; Enter and Space work as a click does.

    With the role ``sentence`` it looks like text and says by ``hint`` what a click does.
    """

    def __init__(
        self, text: str, do: Callable[[], object], role: str = "inline", hint: str = "", limit: int = LINE_LIMIT
    ) -> None:
        super().__init__()
        self._limit = limit
        self.link = button(text, role)
        self.link.setAccessibleName(text)
        self.link.setAccessibleDescription(hint)
        self.link.setToolTip(hint_of(hint or text))
        self.link.clicked.connect(lambda _checked=False: do())
        self.link.setMinimumWidth(1)
        self._text = text
        self.setLayout(column(self.link, gap=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wrap()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._wrap()

    def _wrap(self) -> None:
        """Break the text for the width of now, and ask for the height it needs."""
        metrics = self.link.fontMetrics()
        lines = wrapped(self._text, max(self.width() - FRAME, 40), metrics.horizontalAdvance, self._limit)
        self.link.setText("\n".join(lines))
        # Said outright: when the colours change, Qt forgets what a styled button asked for.
        self.link.setMinimumHeight(max(len(lines), 1) * metrics.lineSpacing() + FRAME + PADDING)

    def text(self) -> str:
        """The whole text."""
        return self._text


def wrapped(text: str, width: int, measure: Callable[[str], int], limit: int = LINE_LIMIT) -> list[str]:
    """Break a text into at most ``limit`` lines no wider than ``width`` pixels; the last one says when more follows."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        grown = f"{line} {word}".strip()
        if line and measure(grown) > width:
            if len(lines) == limit - 1:
                return [*lines, f"{line} …"]
            lines.append(line)
            line = word
        else:
            line = grown
    return [*lines, line] if line else lines
