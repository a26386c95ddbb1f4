"""An answer in, the small lines below it out: who wrote it, what was held back, what it rests on, and its buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QToolButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.answer_text import (
    asks_line,
    coverage_line,
    timings_line,
    withheld_line,
    writer_line,
)
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import boxed, button, column, label, row
from trisynapse_desktop.widgets.setting_parts import StateLine
from trisynapse_memory.types import Answer, Sharing

WITHHELD_WHY = (
    "A sentence is withheld when its words do not stand in the passage it names. "
    "Nothing is shown that your sources do not say."
)


class AnswerFoot(QFrame):
    """What stands below an answer.

    ``copy_wanted`` is the copy button. ``share_chosen`` carries the collections a remote model was not shown, and what
    she says to that: ``ask`` (this once), ``allow`` or ``never``. ``judged`` carries whether the answer helped her.

    Args:
        theme: colours and icons.
        answer: what was answered.
        passages: a hidden frame with the best passages, shown by a switch; None for no switch.
        count: how many passages it holds.
    """

    copy_wanted = Signal()
    share_chosen = Signal(tuple, str)
    judged = Signal(bool)

    def __init__(self, theme: Theme, answer: Answer, passages: QFrame | None, count: int) -> None:
        super().__init__()
        self._theme = theme
        layout = column(gap=2)
        if writer_line(answer):
            layout.addWidget(label(writer_line(answer), "small", wrap=True))
        if answer.note:
            note = StateLine(theme)
            note.say(answer.note, "warning")
            layout.addWidget(note)
        if answer.asks:
            layout.addWidget(self._asks(answer))
        if answer.withheld:
            why = label(WITHHELD_WHY, "small", wrap=True)
            why.hide()
            link = button(f"{withheld_line(answer.withheld)} · show why", "link")
            link.clicked.connect(lambda: why.setVisible(why.isHidden()))
            layout.addLayout(row(link, None))
            layout.addWidget(why)
        timings = label(timings_line(answer), "small", wrap=True)
        timings.hide()
        foot = row(label(coverage_line(answer), "small", wrap=True), gap=0)
        foot.setStretch(0, 1)
        if passages is not None:
            passages.hide()
            foot.addWidget(self._switch("layers", f"The {count} best passages", passages))
        copy = IconButton(theme, "copy", "Copy with citations")
        copy.clicked.connect(self.copy_wanted)
        foot.addWidget(self._switch("clock", "How long it took", timings))
        for icon, name, helpful in (("thumb-up", "This helped", True), ("thumb-down", "This did not help", False)):
            verdict = IconButton(theme, icon, name)
            verdict.clicked.connect(lambda _checked=False, helpful=helpful: self.judged.emit(helpful))
            foot.addWidget(verdict)
        foot.addWidget(copy)
        layout.addLayout(foot)
        for part in (passages, timings):
            if part is not None:
                layout.addWidget(part)
        self.setLayout(layout)

    def _asks(self, answer: Answer) -> QFrame:
        """The passages that were held back until she says so, with her three answers."""
        once, always, never = button("Send this once"), button("Always"), button("Never")
        for one, sharing in ((once, Sharing.ASK), (always, Sharing.ALLOW), (never, Sharing.NEVER)):
            one.setAccessibleName(f"{one.text()}: {_names(answer.asks)}")
            one.clicked.connect(
                lambda _checked=False, sharing=sharing: self.share_chosen.emit(answer.asks, sharing.value)
            )
        return boxed(column(label(asks_line(answer), wrap=True), row(once, always, never, None), gap=2))

    def _switch(self, icon: str, name: str, part: QFrame | QLabel) -> QToolButton:
        made = IconButton(self._theme, icon, name)
        made.setCheckable(True)
        made.toggled.connect(part.setVisible)
        return made


def _names(collections: Sequence[str]) -> str:
    return ", ".join(collections)
