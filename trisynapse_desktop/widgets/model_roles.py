"""Roles and what can fill them in, one choice for everything and one for each role out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import boxed, button, column, row
from trisynapse_desktop.widgets.setting_parts import Choice, StateLine, name_button, section, setting
from trisynapse_memory.types import WRITING_ROLES, ModelTest, Role, RoleChoice

EVERYTHING = "completion"
NONE, MIXED, FOLDER = "", "mixed", "folder"
TITLES = {
    Role.ANSWER: "Answers",
    Role.EXTRACTION: "Facts",
    Role.SUMMARY: "Summaries",
    Role.WIKI: "Wiki pages",
    Role.REWRITING: "Follow-up questions",
    Role.VISION: "Pictures",
    Role.EMBEDDING: "Finding by meaning",
    Role.TRANSCRIPTION: "Recordings",
    Role.RERANKING: "Best passages first",
}
HINTS = {
    Role.ANSWER: "Writes answers from the passages found. Without a model, answers are quotes.",
    Role.EXTRACTION: "Reads more statements out of your sources. Without a model, by patterns alone.",
    Role.SUMMARY: "Sums up sources and concepts. Without a model, by their most telling sentences.",
    Role.WIKI: "Joins the sentences of a page. Without a model, they stand as a list.",
    Role.REWRITING: "Makes “and when?” a whole question. Without a model, the last question's names are kept.",
    Role.VISION: "Describes pages that are pictures. Without a model, they stay unread, and say so.",
    Role.EMBEDDING: "Finds passages that say it in other words. MiniLM on this computer is built in.",
    Role.TRANSCRIPTION: "Writes down what is said in recordings, on this computer. Without one, they stay unread.",
    Role.RERANKING: "Reads a question with each passage found, on this computer, and puts the best first.",
}
BUILT_IN = "Built in (MiniLM)"
UNCHOSEN = {Role.EMBEDDING: BUILT_IN, Role.TRANSCRIPTION: "What is on this computer"}
"""What stands for no choice of hers where that is not the same as no model."""

BUILT_IN_SERVICE = "built-in"


class Offer(NamedTuple):
    """A model that could be chosen now: ``service/model``, the words for it, and what it can be wanted for."""

    value: str
    words: str
    roles: tuple[Role, ...]


class ModelRoles(QFrame):
    """Which model writes. First one choice for all text; each role for itself behind a link.

    ``chosen`` carries a role (or ``completion``) and what fills it: ``service/model``, empty for none, or ``folder``
    for one she has yet to point at; ``tested`` the role to try.
    """

    chosen = Signal(str, str)
    tested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._all = Choice("One model for everything")
        self._all.chosen.connect(lambda value: self.chosen.emit(EVERYTHING, value) if value != MIXED else None)
        self._try = button("Test", hint="Ask for one short reply")
        self._try.clicked.connect(lambda: self.tested.emit(Role.ANSWER))
        self._state = StateLine(theme)
        self._shown = ("", RoleChoice(role=Role.ANSWER))
        self._lines = {role: _RoleLine(theme, role) for role in Role}
        for line in self._lines.values():
            line.chosen.connect(self.chosen)
            line.tested.connect(self.tested)
        self._each = boxed(column(*self._lines.values(), gap=3))
        self._more = button("Choose for each kind of work", "link")
        self._more.clicked.connect(lambda _checked=False: self._unfold(self._each.isHidden()))
        hint = "Everything works without one. With a model, answers are written in sentences, and each is checked."
        everything = setting("One model for everything", "", boxed(row(self._all, self._try)))
        self.setLayout(
            column(section("Which model writes", hint, everything, self._state, row(self._more, None), self._each))
        )
        self._each.hide()

    def show_roles(self, roles: Sequence[RoleChoice], offers: Sequence[Offer]) -> None:
        """Show what fills each role, and offer what else could."""
        by_role = {one.role: one for one in roles}
        writing = {value_of(by_role[role]) for role in WRITING_ROLES if role in by_role}
        value = writing.pop() if len(writing) == 1 else MIXED
        writers = [(one.value, one.words) for one in offers if set(WRITING_ROLES) <= set(one.roles)]
        self._all.show_choices(_with([(NONE, "No model"), *writers], value), value)
        answer = by_role.get(Role.ANSWER, RoleChoice(role=Role.ANSWER))
        words, tone = state_words(answer)
        if (words, answer) != self._shown:  # else what came of a test would go with the next notice
            self._shown = (words, answer)
            self._state.say(words, tone)
        self._try.setEnabled(answer.state != "off")
        for role, line in self._lines.items():
            if role in by_role:
                line.show_choice(by_role[role], [(one.value, one.words) for one in offers if role in one.roles])

    def show_test(self, test: ModelTest) -> None:
        """Show what came of a test."""
        self._lines[test.role].show_test(test)
        if test.role is Role.ANSWER:
            self._state.say(*test_words(test))

    def _unfold(self, unfolded: bool) -> None:
        self._each.setVisible(unfolded)
        self._more.setText("Hide the single roles" if unfolded else "Choose for each kind of work")


class _RoleLine(QFrame):
    """One role: what it is for, what fills it, a test, and how it is doing."""

    chosen = Signal(str, str)
    tested = Signal(str)

    def __init__(self, theme: Theme, role: Role) -> None:
        super().__init__()
        self._role = role
        self._shown = RoleChoice(role=role)
        self._choice = Choice(TITLES[role])
        self._choice.chosen.connect(lambda value: self.chosen.emit(role, value))
        self._try = button("Test")
        name_button(self._try, TITLES[role])
        self._try.clicked.connect(lambda: self.tested.emit(role))
        self._state = StateLine(theme)
        line = setting(TITLES[role], HINTS[role], boxed(row(self._choice, self._try)))
        self.setLayout(column(line, self._state, gap=1))

    def show_choice(self, choice: RoleChoice, offered: Sequence[tuple[str, str]]) -> None:
        value = value_of(choice)
        self._choice.show_choices(_with([(NONE, UNCHOSEN.get(self._role, "No model")), *offered], value), value)
        self._try.setEnabled(choice.state != "off")
        if choice != self._shown:
            self._shown = choice
            quiet = ("ready",) if self._role is Role.TRANSCRIPTION else ("ready", "off")  # it works without a choice
            self._state.say("" if choice.state in quiet else choice.note, "warning")

    def show_test(self, test: ModelTest) -> None:
        self._state.say(*test_words(test))


def value_of(choice: RoleChoice) -> str:
    """Return what fills a role as one value, empty for nothing and for what is built in."""
    return f"{choice.service}/{choice.model}" if choice.service not in ("", BUILT_IN_SERVICE) else NONE


def state_words(choice: RoleChoice) -> tuple[str, str]:
    """Say whether the model of a role can work, with a tone; nothing where none is chosen."""
    if choice.state == "ready":
        return choice.note or "Ready.", "good"
    return choice.note, "warning"


def test_words(test: ModelTest) -> tuple[str, str]:
    """Return what came of a test in a sentence, and its tone."""
    if not test.passed:
        return test.problem, "bad"
    usage = test.usage
    parts = [f"“{test.reply.strip()}”" if test.reply.strip() else "It answers."]
    if usage.first_token_ms:
        parts.append(f"first word after {usage.first_token_ms / 1000:.1f} s")
    writing_ms = usage.total_ms - usage.first_token_ms
    if usage.output_tokens > 1 and writing_ms > 0:
        parts.append(f"{(usage.output_tokens - 1) / writing_ms * 1000:.0f} tokens a second")
    return " · ".join(parts), "good"


def _with(choices: Sequence[tuple[str, str]], value: str) -> list[tuple[str, str]]:
    """The choices, and the one in use where it is not among them."""
    known = {one for one, _ in choices}
    if value in known:
        return list(choices)
    service, _, model = value.partition("/")
    words = "/".join(Path(model).parts[-2:]) if Path(model).is_absolute() else model
    return [*choices, (value, "Several" if value == MIXED else f"{words} ({service})" if model else value)]
