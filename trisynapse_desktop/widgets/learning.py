"""How learning from use stands in, its switch, its proposal and its buttons out; nothing is learned or asked here."""

from __future__ import annotations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, counted, label, row
from trisynapse_desktop.widgets.setting_parts import StateLine, Switch, section, setting
from trisynapse_desktop.wording import day_text
from trisynapse_memory.types import ExampleMove, GuardCheck, Trial, TrialStatus, TuningState, WeightMove

HINT = (
    "Notes which passages you open from answers and searches, in this vault alone, and looks for an order of results"
    " that shows such passages sooner. Nothing changes before you agree, and the usual order is one click away."
)
EXAMPLES_SHOWN = 6  # questions; enough to see what it would do
GUARDS = {
    "identifier": "exact identifiers",
    "title": "titles",
    "sentence": "sentences as they stand",
    "opened": "questions of yours",
    "answered": "questions that were answered",
}


class Learning(QFrame):
    """The card. ``switched`` is on or off; the other signals are its buttons."""

    switched = Signal(bool)
    learn_wanted = Signal()
    applied = Signal()
    reverted = Signal()
    cleared = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._shown: TuningState | None = None
        self._switch = Switch(theme, "Learn from what I open")
        self._switch.switched.connect(self.switched)
        self._state = StateLine(theme)
        self._in_force = column(gap=1)
        self._proposal = column(gap=2)
        self._learn = self._button("Look for a better order now", self.learn_wanted)
        self._revert = self._button("Back to the usual order", self.reverted)
        self._clear = self._button("Forget all notes", self.cleared)
        line = setting("Learn from what I open", "Off: nothing is noted, and nothing is learned.", self._switch)
        buttons = row(self._learn, self._revert, self._clear, None)
        self.setLayout(
            column(section("Learning from use", HINT, line, self._state, self._in_force, self._proposal, buttons))
        )

    def show_state(self, state: TuningState) -> None:
        """Show how learning stands; what is the same keeps its buttons and their focus."""
        if state == self._shown:
            return
        self._shown = state
        self._switch.show_state(state.is_on)
        self._state.say(*state_words(state))
        self._learn.setVisible(state.is_on)
        self._learn.setEnabled(state.question_count >= state.needed_count)
        self._revert.setVisible(bool(state.in_force or state.trouble))
        self._clear.setEnabled(bool(state.question_count or state.trials))
        clear(self._in_force)
        for move in state.in_force:
            self._in_force.addWidget(label(move_words(move), "small", wrap=True))
        clear(self._proposal)
        if state.proposal is not None:
            self._proposal.addWidget(self._card(state.proposal))

    def _card(self, trial: Trial) -> QFrame:
        agree = button("Use this order", "primary")
        agree.clicked.connect(lambda _checked=False: self.applied.emit())
        moves = [label(move_words(one), "small", wrap=True) for one in trial.moves]
        shown = trial.examples[:EXAMPLES_SHOWN]
        examples = [label(example_words(one), "small", wrap=True) for one in shown]
        parts = (
            label("A better order was found", "section"),
            label(gain_words(trial), wrap=True),
            *moves,
            *([label("What would move", "section")] if examples else []),
            *examples,
            label(guard_words(trial.guards), "small", wrap=True),
            row(agree, None),
        )
        return boxed(column(*parts, gap=1))

    def _button(self, words: str, signal: SignalInstance) -> QPushButton:
        made = button(words)
        made.clicked.connect(lambda _checked=False: signal.emit())
        return made


def state_words(state: TuningState) -> tuple[str, str]:
    """Say how learning stands, as (sentence, tone)."""
    if state.trouble:
        return f"{state.trouble} Results stand in their usual order.", "warning"
    if not state.is_on:
        return "Off. Results stand in their usual order.", "muted"
    order = "Results stand in the learned order." if state.in_force else "Results stand in their usual order."
    if state.proposal is not None:
        return f"{order} A better one waits for your word.", "good"
    if state.question_count < state.needed_count:
        missing = f"{state.question_count:,} of {state.needed_count:,} questions"
        return f"{order} Notes are being made: {missing} have a passage you opened.", "muted"
    tried = next((one for one in state.trials if one.status is not TrialStatus.TOO_FEW), None)
    if tried is None or tried.status in (TrialStatus.APPLIED, TrialStatus.DECLINED):
        return f"{order} {counted(state.question_count, 'question')} have a passage you opened.", "muted"
    return f"{order} Looked on {day_text(tried.created_at.astimezone())}: {tried.reason}", "muted"


def move_words(move: WeightMove) -> str:
    """Say which weight moves and what it is: the line of a list."""
    return f"{move.meaning.rstrip('.')}: {move.before:g} → {move.after:g}"


def example_words(move: ExampleMove) -> str:
    """Say where the passage that was right for a question stood, and would stand."""
    title = f", {move.title}" if move.title else ""
    return f"“{move.question}”{title}: {rank_words(move.before)} → {rank_words(move.after)}"


def rank_words(rank: int | None) -> str:
    """Say a rank, or that there is none."""
    return "not found" if rank is None else f"place {rank:,}"


def gain_words(trial: Trial) -> str:
    """Say how sure the gain is, in a sentence."""
    return (
        f"Tried on {counted(trial.question_count, 'question')} of yours, each with weights learned from the others:"
        f" what you opened would stand higher (quality {trial.before:.2f} now, {trial.after:.2f} then; the gain is at"
        f" least {trial.low:.3f} with 95 % certainty). Of all of them {trial.raised:,} rise and {trial.lowered:,} fall."
    )


def guard_words(guards: tuple[GuardCheck, ...]) -> str:
    """Say what was checked that must not get worse."""
    checked = ", ".join(f"{one.after:,} of {one.count:,} {GUARDS.get(one.kind, one.kind)}" for one in guards)
    return f"Nothing is lost by it. Still found: {checked}." if checked else ""
