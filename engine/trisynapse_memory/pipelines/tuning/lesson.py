"""Judged questions of a vault in, a trial of learned weights out, a small step at a time. Nothing is applied here.

1. every question is ranked as it is now, and under each share of the routes;
2. weights are learned from four fifths of the questions and judged on the last, five times over: each question counts
   with weights that never saw it, and the gain must be above 0 with its whole interval;
3. weights are learned from all of them, and every question is really ranked with them (``proving.py``);
4. nothing of the guard set may be found less often than with the default weights (``proving.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from typing import Final, NamedTuple
from uuid import uuid4

import numpy as np
import numpy.typing as npt
from msgspec import structs

from trisynapse_memory.config import SETTINGS
from trisynapse_memory.log.store import Clock, utc_now
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.examples import Example, examples_of
from trisynapse_memory.pipelines.tuning.proving import Prover, Standing, guarded, height
from trisynapse_memory.pipelines.tuning.replaying import Seen, gain_of, place_of, seen_in, sheet_of
from trisynapse_memory.pipelines.tuning.weights import (
    LEXICAL,
    SEMANTIC,
    STRETCHED,
    Weights,
    default_share,
    shares_around,
    unstretched,
    weights_of,
    with_weights,
)
from trisynapse_memory.scoring.weighting import Floats, Sheet, Weighting, fit, lower_bound
from trisynapse_memory.types import Trial, TrialStatus, WeightMove

FOLDS: Final = 5  # the usual count for few examples (Hastie, Tibshirani and Friedman 2009, 7.10)
LEAST_GAIN: Final = 0.005  # nDCG; for less, results need not stand elsewhere than she remembers
FIGURE_DIGITS: Final = 4

_NOTHING: Final = "Other weights would not surely rank better what you opened."
_BEST: Final = "The weights in force are the best found for what you opened."
_PLACES: Final = "The fusion 'rrf' ranks by places alone; it has no weights to learn."
_MEANINGS: Final = {setting.name: setting.meaning for setting in SETTINGS}

Step = tuple[int, int]
"""How many of about how many steps are done."""


class _Looked(NamedTuple):
    """The questions that can teach something: how they stand now, and their candidates under each share."""

    standings: tuple[Standing, ...]
    sheets: dict[float, Sheet]

    @property
    def now(self) -> Floats:
        return np.array([one.gain for one in self.standings], dtype=np.float64)


class Lesson:
    """Learns weights for one vault from what she judged.

    Args:
        rooms: the open vault.
        query: its read corridor.
        weights: those in force.
        clock: dates the trial.
    """

    def __init__(self, rooms: Rooms, query: Query, weights: Weights, clock: Clock = utc_now) -> None:
        self._rooms = rooms
        self._weights = weights
        self._prover = Prover(rooms, query)
        self._needed = rooms.config.tuning_min_questions
        self._clock = clock

    def steps(self) -> Generator[Step, None, Trial]:
        """Do a piece of the work at each turn; the value in the end is the trial, which nobody has kept yet."""
        examples = examples_of(self._rooms)
        if self._rooms.config.fusion == "rrf":
            return self._trial(TrialStatus.NO_GAIN, _PLACES, len(examples))
        if len(examples) < self._needed:
            return self._too_few(len(examples))
        total = 2 * len(examples) + FOLDS
        looked = yield from self._look(examples, total)
        if len(looked.standings) < self._needed:
            return self._too_few(len(looked.standings))
        blind = yield from self._cross_validate(looked, total)
        trial = self._judged(looked, blind)
        if trial.status is not TrialStatus.PROPOSED:
            return trial
        config = with_weights(self._weights.default, trial.weights)
        moves = yield from self._prover.replay(looked.standings, config, total - len(examples), total)
        guards = yield from self._prover.guard(looked.standings, moves, self._weights.default, config)
        raised, lowered = (
            sum(height(one.after) * sign > height(one.before) * sign for one in moves) for sign in (1, -1)
        )
        return guarded(structs.replace(trial, examples=moves, raised=raised, lowered=lowered, guards=guards))

    def _look(self, examples: Sequence[Example], total: int) -> Generator[Step, None, _Looked]:
        """Rank every question; one whose right record is never a candidate teaches nothing."""
        default, rank = self._weights.default, self._prover.rank
        settings = {share: unstretched(default, share) for share in shares_around(default)}
        standings: list[Standing] = []
        seen: dict[float, list[Seen]] = {share: [] for share in settings}
        for number, example in enumerate(examples, start=1):
            current = rank(example, self._weights.in_force())
            under = {share: seen_in(rank(example, config)) for share, config in settings.items()}
            if any(example.wanted.intersection(one.seqs) for one in under.values()):
                wanted = example.wanted
                standings.append(Standing(example, gain_of(current, wanted), place_of(current, wanted)))
                for share, one in under.items():
                    seen[share].append(one)
            yield number, total
        wanted_by = [one.example.wanted for one in standings]
        sheets = {share: sheet_of(found, wanted_by) for share, found in seen.items()} if standings else {}
        return _Looked(tuple(standings), sheets)

    def _cross_validate(self, looked: _Looked, total: int) -> Generator[Step, None, Floats]:
        """Return the gain of each question with weights that were learned without it."""
        folds = _folds([one.example for one in looked.standings])
        gains = np.zeros(len(folds))
        for fold in range(FOLDS):
            held = folds == fold
            found = fit(looked.sheets, default_share(self._weights.default), ~held)
            gains[held] = looked.sheets[found.share].gains(found.factors)[held]
            yield len(folds) + fold + 1, total
        return gains

    def _judged(self, looked: _Looked, blind: Floats) -> Trial:
        """Learn from all questions; tell whether learning surely helped those that it had not seen."""
        default, now = self._weights.default, looked.now
        learned = fit(looked.sheets, default_share(default), np.ones(len(now), dtype=np.bool_))
        weights, low = weights_of(default, learned), lower_bound(blind - now)
        trial = structs.replace(
            self._trial(TrialStatus.NO_GAIN, _NOTHING, len(now)),
            before=_rounded(now.mean()),
            after=_rounded(blind.mean()),
            low=_rounded(low),
        )
        if weights == self._weights.changed:
            return structs.replace(trial, reason=_BEST if weights else _NOTHING)
        if low <= 0.0 or blind.mean() - now.mean() < LEAST_GAIN:
            return trial
        moves = self._moves(looked.sheets, learned, weights)
        return structs.replace(trial, status=TrialStatus.PROPOSED, reason="", weights=weights, moves=moves)

    def _moves(
        self, sheets: dict[float, Sheet], learned: Weighting, weights: dict[str, float]
    ) -> tuple[WeightMove, ...]:
        """Each weight that would move, and what her questions would lose if it alone went back."""
        default, current = self._weights.default, self._weights.in_force()
        without = {name: Weighting(default_share(default), learned.factors) for name in (LEXICAL, SEMANTIC)}
        for place, names in enumerate(STRETCHED.values()):
            factors = (*learned.factors[:place], 1.0, *learned.factors[place + 1 :])
            without |= dict.fromkeys(names, Weighting(learned.share, factors))
        whole = _mean_gain(sheets, learned)
        return tuple(
            WeightMove(
                name=name,
                meaning=_MEANINGS[name],
                before=float(getattr(current, name)),
                after=weights.get(name, float(getattr(default, name))),
                gain=_rounded(whole - _mean_gain(sheets, without[name])),
            )
            for name in sorted({*weights, *self._weights.changed})
        )

    def _too_few(self, count: int) -> Trial:
        reason = f"{count} of {self._needed} questions have a passage that you opened or marked, and that is found."
        return self._trial(TrialStatus.TOO_FEW, reason, count)

    def _trial(self, status: TrialStatus, reason: str, question_count: int) -> Trial:
        return Trial(
            trial_id=f"t_{uuid4().hex[:16]}",
            created_at=self._clock(),
            status=status,
            reason=reason,
            question_count=question_count,
        )


def _folds(examples: Sequence[Example]) -> npt.NDArray[np.int64]:
    """Deal the questions into equal parts, by their words, so that a question keeps its company from run to run."""
    keys = [
        hashlib.sha256(example.question.casefold().encode("utf-8", "surrogatepass")).hexdigest() for example in examples
    ]
    folds = np.zeros(len(keys), dtype=np.int64)
    for place, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        folds[number] = place % FOLDS
    return folds


def _mean_gain(sheets: dict[float, Sheet], weighting: Weighting) -> float:
    return float(sheets[weighting.share].gains(weighting.factors).mean())


def _rounded(value: float | np.float64) -> float:
    return round(float(value), FIGURE_DIGITS)
