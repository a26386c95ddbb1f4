"""What learning from use shows and keeps: judgements, trials of other weights, and how it stands; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class JudgedBy(StrEnum):
    """How she said that a record was right for a question: she opened it from there, or marked it."""

    OPENED = "opened"
    MARKED = "marked"


class TrialStatus(StrEnum):
    """What became of an attempt to learn.

    ``too_few``: not enough questions. ``no_gain``: nothing that would surely help. ``guarded``: something that would
    help these questions and harm what has to be found; refused. ``proposed``: waits for her word. ``applied``: in
    force. ``declined``: taken back, or overtaken by a later trial.
    """

    TOO_FEW = "too_few"
    NO_GAIN = "no_gain"
    GUARDED = "guarded"
    PROPOSED = "proposed"
    APPLIED = "applied"
    DECLINED = "declined"


class WeightMove(Struct, frozen=True, kw_only=True):
    """One weight of the ranking before and after.

    ``gain`` is what the mean gain over her questions would lose if this weight alone went back, in nDCG [-1, 1].
    """

    name: str
    meaning: str
    before: float
    after: float
    gain: float = 0.0


class ExampleMove(Struct, frozen=True, kw_only=True):
    """Where the best record that was right for a question stood, and would stand; None below the candidates.

    ``question`` and ``title`` are filled when it is shown; a trial keeps the ids alone.
    """

    query_id: str
    record_id: str
    before: int | None
    after: int | None
    question: str = ""
    title: str = ""


class GuardCheck(Struct, frozen=True, kw_only=True):
    """How many probes of one kind of the guard set are found with the default weights, and with the others.

    ``kind`` is ``identifier``, ``title``, ``sentence``, ``opened`` (her own questions) or ``answered``. ``lost`` names
    up to five records, or queries, that were found and no longer are.
    """

    kind: str
    count: int
    before: int
    after: int
    lost: tuple[str, ...] = ()


class Trial(Struct, frozen=True, kw_only=True):
    """One attempt to learn weights from what she did.

    ``before`` and ``after`` are the mean nDCG of her questions [0, 1] with the weights in force and with learned ones,
    each question judged by weights that were learned without it; ``low`` is the lower end of the 95 % interval of the
    difference. ``weights`` are the settings that would change, with their new values. ``raised`` and ``lowered``
    count the questions whose right record really stands higher, or lower, with them.
    """

    trial_id: str
    created_at: datetime
    status: TrialStatus
    reason: str
    question_count: int = 0
    before: float = 0.0
    after: float = 0.0
    low: float = 0.0
    weights: dict[str, float] = {}
    moves: tuple[WeightMove, ...] = ()
    examples: tuple[ExampleMove, ...] = ()
    raised: int = 0
    lowered: int = 0
    guards: tuple[GuardCheck, ...] = ()


class TuningState(Struct, frozen=True, kw_only=True):
    """How learning from use stands.

    ``in_force`` are the weights that differ from the defaults now. ``question_count`` questions have a record that was
    right for them; ``needed_count`` are needed. ``proposal`` is the trial that waits for her word; ``trials`` are the
    newest ones, newest first. ``trouble`` says why kept weights are not used.
    """

    is_on: bool
    in_force: tuple[WeightMove, ...]
    question_count: int
    needed_count: int
    proposal: Trial | None
    trials: tuple[Trial, ...]
    trouble: str = ""
