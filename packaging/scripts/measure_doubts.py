"""Measures what a local model adds to refusals where the measures of the evidence leave a doubt.

    PYTHONPATH=engine python packaging/scripts/measure_doubts.py MODEL.gguf --outcomes outcomes.json --keep doubts.json

The outcomes are those that ``calibrate_abstention.py --keep`` left. Of the questions that the built-in thresholds call
doubtful so many of each set and side are drawn, and the model is asked of each what the engine would ask it; they stand
for all doubtful ones of their set and side. The weight of its word is fitted on the first half of what was drawn, and
all figures are of the second. With ``--keep`` all lies in a file, and fitting again is free.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from calibrate_abstention import Outcome, fit_logistic
from numpy.typing import NDArray

from trisynapse_memory.answering.abstention import calibration_of
from trisynapse_memory.answering.doubt import prompt_of, read_doubt
from trisynapse_memory.answering.kinds import StoreKind
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.llama_cpp import LlamaCpp
from trisynapse_memory.types import ModelService, Prompt

SEED = 11
GROUPS = ("xquad-removed", "locomo-5", "own-papers")
FALSE_SHARES = (0.025, 0.05, 0.1)
BARRED = -20.0  # log-odds of what is refused whatever the measures say
LOCAL = ModelService(name="local", label="This machine", wire="llama_cpp", is_remote=False)
Array = NDArray[np.float64]


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """One question: its set and side, the log-odds of its evidence, whether it is open to a model, and what that says.

    ``half`` is 1 or 2 for those that a model was asked, 0 for all others.
    """

    group: str
    question: str
    answerable: bool
    odds: float
    is_open: bool
    heard: float | None = None
    half: int = 0
    seconds: float = 0.0


def draw(outcomes: Sequence[Outcome], most: int) -> tuple[list[Doubt], dict[int, Prompt]]:
    """All questions of the three sets, and the prompts of those that were drawn, by their place."""
    rows = [one for one in outcomes if one.group in GROUPS]
    doubts = [_doubt(one) for one in rows]
    drawn: dict[int, Prompt] = {}
    rng = random.Random(SEED)
    for group in GROUPS:
        for side in (True, False):
            places = [
                at for at, one in enumerate(doubts) if (one.group, one.answerable, one.is_open) == (group, side, True)
            ]
            for number, at in enumerate(rng.sample(places, min(most, len(places)))):
                drawn[at] = prompt_of(rows[at].doubt)
                doubts[at] = msgspec.structs.replace(doubts[at], half=1 + number % 2)
    return doubts, drawn


def _doubt(outcome: Outcome) -> Doubt:
    calibration = calibration_of(StoreKind(outcome.kind), embedded=True, asks_person=outcome.asks_person)
    weighed = sum(weight * outcome.full[name] for name, weight in calibration.weights.items())
    odds = BARRED if outcome.full["barred"] else calibration.bias + weighed
    return Doubt(
        group=outcome.group,
        question=outcome.question,
        answerable=outcome.answerable,
        odds=odds,
        is_open=bool(outcome.doubt) and calibration.none_below <= odds < calibration.sure,
    )


def hear(model: Path, doubts: list[Doubt], prompts: dict[int, Prompt]) -> None:
    """Ask the model of each that was drawn."""
    provider = LlamaCpp(LOCAL, Egress(offline=True), lambda _: None)
    completer = provider.completer(str(model))
    for number, at in enumerate(random.Random(SEED).sample(sorted(prompts), len(prompts)), start=1):
        reply = completer.complete(prompts[at])
        doubts[at] = msgspec.structs.replace(doubts[at], heard=read_doubt(reply), seconds=reply.usage.total_ms / 1000)
        print(
            f"{number} of {len(prompts)}: {doubts[at].group}, {doubts[at].answerable}, {doubts[at].heard}", flush=True
        )
    provider.close()


def report(doubts: Sequence[Doubt]) -> None:
    """Print what the model's word is worth, by set."""
    asked = [one for one in doubts if one.heard is not None]
    weights = fit_logistic(*_table([one for one in asked if one.half == 1]))
    print(f"all sets, first halves: log-odds {weights[0]:.3f} + {weights[1]:.3f} own + {weights[2]:.3f} model")
    share = weights[2] / weights[1]
    print(f"doubt_weight {share:.3f}; seconds, median {np.median([one.seconds for one in asked]):.1f}")
    for group in GROUPS:
        rows = [one for one in doubts if one.group == group]
        if {one.answerable for one in rows} == {True, False}:
            _print_group(group, rows, share)


def _print_group(group: str, rows: Sequence[Doubt], share: float) -> None:
    judged = [one for one in rows if one.half == 2]
    for side in (True, False):
        own = [one for one in judged if one.answerable is side]
        yes = np.mean([(one.heard or 0.0) > 0.0 for one in own] or [0.0])
        count = sum(one.answerable is side and one.is_open for one in rows)
        print(f"{group}, answerable {side}: doubtful {count}, judged {len(own)}, the model says yes to {yes:.0%}")
    for name, is_heard in (("alone", False), ("with the model", True)):
        there, gone = (list(_weighed(rows, side, share if is_heard else 0.0)) for side in (True, False))
        cells = [f"{_refused_at(there, gone, false):.1%} at {false:.1%}" for false in FALSE_SHARES]
        print(f"  {name}: right refusals {', '.join(cells)} false ones")


def _weighed(rows: Sequence[Doubt], side: bool, share: float) -> Iterator[tuple[float, float]]:
    """Score and weight of each question of one side; the judged ones stand for all that are open."""
    own = [one for one in rows if one.answerable is side]
    judged = [one for one in own if one.half == 2 and one.heard is not None]
    yield from ((one.odds, 1.0) for one in own if not one.is_open)
    weight = sum(one.is_open for one in own) / max(1, len(judged))
    for one in judged:
        yield one.odds + share * (one.heard or 0.0), weight


def _refused_at(there: Sequence[tuple[float, float]], gone: Sequence[tuple[float, float]], false_share: float) -> float:
    """The weighted share of questions without an answer below the threshold that refuses so many of the others."""
    allowed = false_share * sum(weight for _, weight in there)
    threshold, refused = float("inf"), 0.0
    for score, weight in sorted(there):
        refused += weight
        if refused > allowed:
            threshold = score
            break
    return sum(weight for score, weight in gone if score < threshold) / sum(weight for _, weight in gone)


def _table(doubts: Sequence[Doubt]) -> tuple[Array, Array]:
    return (
        np.array([[one.odds, one.heard or 0.0] for one in doubts]),
        np.array([float(one.answerable) for one in doubts]),
    )


def main() -> None:
    """Ask, or read what was kept, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--outcomes", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="where all lies, or is to lie")
    parser.add_argument("--most", type=int, default=40, help="doubtful questions of each set and side")
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        doubts = msgspec.json.decode(options.keep.read_bytes(), type=list[Doubt])
    else:
        outcomes = msgspec.json.decode(options.outcomes.read_bytes(), type=list[Outcome])
        doubts, prompts = draw(outcomes, options.most)
        hear(options.model, doubts, prompts)
        if options.keep:
            options.keep.write_bytes(msgspec.json.encode(doubts))
    report(doubts)


if __name__ == "__main__":
    main()
