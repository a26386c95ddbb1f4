"""What she wants of learning from use in, how it stands out. Off by default; what is learned waits for her word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import structs

from trisynapse_memory.config import SETTINGS
from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.pipelines.judgements import TRIALS_KEPT
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.examples import examples_of
from trisynapse_memory.pipelines.tuning.proving import height
from trisynapse_memory.pipelines.tuning.teacher import Teacher
from trisynapse_memory.pipelines.tuning.weights import Weights
from trisynapse_memory.types import (
    ExampleMove,
    JudgedBy,
    Progress,
    Trial,
    TrialStatus,
    TuningState,
    WeightMove,
)

STAGE: Final = "tuning"  # as the progress of a lesson calls it
TRIALS_SHOWN: Final = 10
EXAMPLES_SHOWN: Final = 20  # of a trial: those that move furthest


class Tuning:
    """The noun door ``engine.tuning``."""

    def __init__(self, rooms: Rooms, weights: Weights, teacher: Teacher) -> None:
        self._rooms = rooms
        self._weights = weights
        self._teacher = teacher

    def show(self) -> TuningState:
        """Return how learning stands: what is in force, what is proposed, what was tried."""
        kept = self._rooms.history.judgements.trials(TRIALS_KEPT)
        proposal = next((one for one in kept if one.status is TrialStatus.PROPOSED), None)
        return TuningState(
            is_on=self._weights.is_on,
            in_force=self._in_force(),
            question_count=len(examples_of(self._rooms)),
            needed_count=self._rooms.config.tuning_min_questions,
            proposal=None if proposal is None else self._told(proposal),
            trials=tuple(structs.replace(one, examples=()) for one in kept[:TRIALS_SHOWN]),
            trouble=self._weights.trouble,
        )

    def switch(self, on: bool) -> TuningState:
        """Let the vault learn from what she opens, or let it stop; once off, the default weights hold again.

        Raises:
            VaultError: the choice cannot be written; nothing is changed.
        """
        self._weights.switch(on)
        if not on:
            self._close_trials()
        return self.show()

    def note(self, query_id: str, record_id: str, judged_by: JudgedBy = JudgedBy.OPENED) -> bool:
        """Keep that a record was right for a question; what she only opened is not kept unless learning is on.

        Returns:
            Whether it was kept. A question whose run was dropped teaches nothing, and is no error.

        Raises:
            UnknownRecordError: no record has that id.
        """
        if judged_by is JudgedBy.OPENED and not self._weights.is_on:
            return False
        self._rooms.log.get(record_id)
        try:
            self._rooms.history.query(query_id)
        except UnknownRecordError:
            return False
        self._rooms.history.judgements.keep(query_id, record_id, judged_by)
        return True

    def clear(self) -> int:
        """Forget everything that was noted and tried, and rank with the defaults; return how many notes that were."""
        self._weights.use({})
        return self._rooms.history.judgements.clear()

    def learn(self, progress: Callable[[Progress], None] | None = None) -> Trial:
        """Try now whether other weights would rank better what she opened; nothing is applied.

        Raises:
            InvalidInputError: learning is off.
        """
        if not self._weights.is_on:
            raise InvalidInputError("Learning from use is off.", hint="Switch it on first: `tuning on`.")
        tell = progress or _silent

        def told(done: int, total: int) -> None:
            tell(Progress(run_id="", stage=STAGE, done=done, total=total, unit="questions"))

        return self._told(self._teacher.learn(told))

    def apply(self) -> TuningState:
        """Rank with the proposed weights from now on.

        Raises:
            InvalidInputError: nothing is proposed.
            InvalidSettingError: what is proposed is out of range by now; nothing is changed.
        """
        kept = self._rooms.history.judgements
        proposal = next((one for one in kept.trials(TRIALS_KEPT) if one.status is TrialStatus.PROPOSED), None)
        if proposal is None or not self._weights.is_on:
            raise InvalidInputError("No weights are proposed.", hint="`tuning learn` looks for better ones.")
        self._weights.use(proposal.weights)
        self._close_trials()
        kept.keep_trial(structs.replace(proposal, status=TrialStatus.APPLIED))
        return self.show()

    def revert(self) -> TuningState:
        """Rank with the defaults again, exactly as before anything was learned; what was noted stays."""
        self._weights.use({})
        self._close_trials()
        return self.show()

    def _close_trials(self) -> None:
        """Say of what waits, or was in force, that it is no longer so."""
        kept = self._rooms.history.judgements
        for one in kept.trials(TRIALS_KEPT):
            if one.status in (TrialStatus.PROPOSED, TrialStatus.APPLIED):
                kept.keep_trial(structs.replace(one, status=TrialStatus.DECLINED))

    def _in_force(self) -> tuple[WeightMove, ...]:
        default, meanings = self._weights.default, {setting.name: setting.meaning for setting in SETTINGS}
        return tuple(
            WeightMove(name=name, meaning=meanings[name], before=float(getattr(default, name)), after=value)
            for name, value in self._weights.changed.items()
        )

    def _told(self, trial: Trial) -> Trial:
        """A trial with the words of its questions and the titles of its sources, the furthest moves first."""
        moving = [one for one in trial.examples if one.before != one.after]
        moving.sort(key=lambda one: (-abs(height(one.after) - height(one.before)), one.query_id))
        named = (self._named(one) for one in moving[:EXAMPLES_SHOWN])
        return structs.replace(trial, examples=tuple(one for one in named if one is not None))

    def _named(self, move: ExampleMove) -> ExampleMove | None:
        """A move in words; None where its question or its record is not known any more."""
        try:
            run = self._rooms.history.query(move.query_id)
            record = self._rooms.log.get(move.record_id)
        except UnknownRecordError:
            return None
        source = self._rooms.shelf.titles([str(record.source_id)]).get(str(record.source_id))
        return structs.replace(move, question=run.question, title=source.title if source else "")


def _silent(_: Progress) -> None:
    return None
