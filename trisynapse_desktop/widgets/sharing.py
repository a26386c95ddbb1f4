"""Collections and a limit in, what may be sent of each and how much may be spent out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator, QValidator
from PySide6.QtWidgets import QFrame, QLineEdit

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import clear, column, counted
from trisynapse_desktop.widgets.setting_parts import CONTROL_WIDTH, Choice, StateLine, section, setting
from trisynapse_memory.types import Sharing, SharingRule, Spending

CHOICES = [
    (Sharing.ALLOW.value, "May be sent"),
    (Sharing.ASK.value, "Ask me each time"),
    (Sharing.NEVER.value, "Never sent"),
]
IN_NONE = "Sources in no collection"


class SharingRules(QFrame):
    """What may be sent of each collection. ``ruled`` carries the collection and the rule."""

    ruled = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._rows = column(gap=3)
        hint = (
            "For services you have allowed. A source in several collections follows the strictest. "
            "What you marked sensitive is never sent."
        )
        self.setLayout(column(section("What may be sent", hint, self._rows)))

    def show_rules(self, rules: Sequence[SharingRule]) -> None:
        """Show one line for each collection, those in none first."""
        clear(self._rows)
        for rule in sorted(rules, key=lambda one: (bool(one.collection), one.collection.casefold())):
            choice = Choice(f"What may be sent of {rule.collection or IN_NONE}")
            choice.show_choices(CHOICES, rule.sharing.value)
            choice.chosen.connect(lambda value, name=rule.collection: self.ruled.emit(name, value))
            self._rows.addWidget(setting(rule.collection or IN_NONE, "", choice))


class Budget(QFrame):
    """What models have cost this month, and the most they may. ``limited`` carries dollars, or None for no limit."""

    limited = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._field = QLineEdit()
        self._field.setFixedWidth(CONTROL_WIDTH)
        self._field.setPlaceholderText("No limit")
        self._field.setValidator(_Amount(0.0, 100_000.0, 2, self._field))
        self._field.editingFinished.connect(self._limit)
        self._state = StateLine(theme)
        limit = setting("Most in a month, US dollars", "When it is spent, answers are quotes again.", self._field)
        self.setLayout(column(section("Costs", "", self._state, limit)))
        self._shown = ""

    def show_spending(self, spending: Spending) -> None:
        """Show what was spent, from the prices that are known."""
        self._shown = "" if spending.budget_usd is None else f"{spending.budget_usd:.2f}"
        self._field.setText(self._shown)
        tokens = f"{spending.input_tokens:,} tokens sent, {spending.output_tokens:,} written"
        text = f"This month: {spending.spent_usd:.2f} US dollars · {tokens}"
        if spending.unpriced_count:
            text += f" · {counted(spending.unpriced_count, 'answer')} without a known price"
        spent = spending.budget_usd is not None and spending.spent_usd >= spending.budget_usd
        self._state.say(text, "warning" if spent else "muted")

    def _limit(self) -> None:
        text = self._field.text().strip()
        if text == self._shown:
            return
        value, readable = self._field.locale().toDouble(text)
        self._shown = text
        self.limited.emit(value if text and readable else None)


class _Amount(QDoubleValidator):
    """An amount of money, or nothing: an empty field takes the limit away, which Qt would not let her finish."""

    def validate(self, text: str, place: int) -> object:
        return (QValidator.State.Acceptable, text, place) if not text.strip() else super().validate(text, place)
