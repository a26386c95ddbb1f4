"""How new a source is in, a badge that says so in words and its numbers out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import column, label, row
from trisynapse_desktop.wording import novelty_hint, novelty_text, novelty_tone
from trisynapse_memory.types import Novelty


class NoveltyBadge(QFrame):
    """One line with an icon, and under it what it rests on."""

    def __init__(self, theme: Theme, novelty: Novelty) -> None:
        super().__init__()
        tone = novelty_tone(novelty)
        words = label(novelty_text(novelty), tone)
        words.setToolTip(hint_of(novelty_hint(novelty)))
        sign = IconLabel(theme, "alert" if novelty.contradicting_count else "sparkle", tone, 16)
        line = row(sign, words, None, gap=2)
        line.setAlignment(sign, Qt.AlignmentFlag.AlignTop)
        self.setLayout(column(line, label(novelty_hint(novelty), "small", wrap=True), gap=1))
        self.setAccessibleName(f"{novelty_text(novelty)}. {novelty_hint(novelty)}")
