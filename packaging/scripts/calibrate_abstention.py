"""Fits when to refuse, per kind of store, on questions that can be answered and on such that cannot.

    PYTHONPATH=engine python packaging/scripts/calibrate_abstention.py --data ../shared/data --keep outcomes.json

Every question is asked of the real engine; what its gate says is taken down, and once more with words only.
Fitted on: XQuAD, with and without the paragraph; LoCoMo; BEAM against questions about other chats; MMLongBench-Doc
against the same questions with other names and numbers, and of other documents. Measured on: XQuAD's other articles and
LoCoMo's other conversations (five folds), and our own 400 questions over PDFs, on which nothing is fitted. The weights
to be written down are those of all folds. With ``--keep`` the measures lie in a file, and fitting again is free.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import msgspec
import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from trisynapse_memory.answering.doubt import write_doubt
from trisynapse_memory.answering.inquiry import Statistics
from trisynapse_memory.answering.kinds import StoreKind, kind_of
from trisynapse_memory.answering.synthesizer import Composition, Tools, compose, inquire
from trisynapse_memory.bench import workplace
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.probes import (
    Probe,
    ProbeStore,
    paper_probes,
    removed_paragraphs,
    swapped_speakers,
    unanswered_chats,
)
from trisynapse_memory.bench.probing import ask_all
from trisynapse_memory.bench.refusals import curve_of
from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.asking import answers
from trisynapse_memory.pipelines.writing.doubts import best_first
from trisynapse_memory.pipelines.writing.model_answers import Asked
from trisynapse_memory.types import Hit, QueryPlan

RIDGE = 1.0
SEED = 7
FOLDS = 5
NONE_SHARE = 0.005  # of the answerable questions below which "nothing found is about it" would be said of them
SURE_SHARE = 0.9  # of the questions without an answer, that lie below ``sure``
FALSE_SHARES = (0.02, 0.03, 0.04, 0.05, 0.1, 0.15)
Array = NDArray[np.float64]

_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|(?<![\w.])\d(?![\w])")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured for one question, with vectors and with words only; ``fold`` is what is held out together.

    ``doubt`` is what a model would be asked (``measure_doubts.py``); empty where nothing was found or it is barred.
    """

    group: str
    part: str
    question: str
    fold: str
    answerable: bool
    kind: str
    asks_person: bool
    full: dict[str, float]
    words: dict[str, float]
    doubt: str = ""


class Recipe(NamedTuple):
    """One calibration: its name, whether with vectors, its measures, and the groups it is fitted and measured on."""

    name: str
    embedded: bool
    measures: tuple[str, ...]
    fitted: tuple[str, ...]
    judged: tuple[str, ...]


PROSE = ("support", "bound", "typed", "apart", "demand")
RECIPES = (
    Recipe("PROSE", True, (*PROSE, "cosine", "background"), ("xquad-removed",), ("xquad-removed",)),
    Recipe("PROSE_WORDS", False, (*PROSE, "bm25_share"), ("xquad-removed",), ("xquad-removed",)),
    Recipe("LONG", True, ("support", "apart"), ("papers", "mutated"), ("papers", "own-papers")),
    Recipe("LONG_WORDS", False, ("support", "apart"), ("papers", "mutated"), ("papers", "own-papers")),
    Recipe("TALK", True, ("gap",), ("locomo-5",), ("locomo-5",)),
    Recipe("TALK_WORDS", False, ("gap",), ("locomo-5",), ("locomo-5",)),
    Recipe("TALK_AT_LARGE", True, ("support",), ("beam-foreign",), ("beam-foreign", "beam")),
    Recipe("TALK_AT_LARGE_WORDS", False, ("support",), ("beam-foreign",), ("beam-foreign", "beam")),
)


class Tap:
    """Stands where answers are composed, and takes down the gate of each, with vectors and with words only."""

    def __init__(self) -> None:
        self.kind = StoreKind.PROSE
        self.asks_person = False
        self.full: dict[str, float] = {}
        self.words: dict[str, float] = {}
        self.doubt = ""

    def compose(
        self,
        question: str,
        plan: QueryPlan,
        hits: Sequence[Hit],
        *,
        tools: Tools,
        statistics: Statistics,
        config: Config,
        matches: Sequence[Hit] = (),
    ) -> Composition:
        """Take the place of ``synthesizer.compose``."""
        inquiry = inquire(question, plan, hits, statistics)
        self.kind, self.asks_person = kind_of(hits), bool(inquiry.people)
        made = compose(question, plan, hits, tools=tools, statistics=statistics, config=config)
        shown = best_first(Asked(inquiry, tuple(hits), made))
        self.doubt = write_doubt(inquiry, shown).text if shown and not made.gate.get("barred") else ""
        self.full = _side(made)
        bare = [structs.replace(hit, parts={"lexical": hit.parts.get("lexical", 0.0)}) for hit in hits]
        deaf = structs.replace(tools, embed=None)
        self.words = _side(compose(question, plan, bare, tools=deaf, statistics=statistics, config=config))
        return made


def _side(made: Composition) -> dict[str, float]:
    return made.gate | {"refused": float(made.abstain), "none": float(made.abstain and made.level == "none")}


def stores_of(data: Path, labels: Path, limit: int | None) -> Iterator[ProbeStore]:
    """All that is asked, vault by vault."""
    yield from swapped_speakers(data, limit)
    yield from with_foreign_questions(list(unanswered_chats(data, limit)))
    papers = paper_probes(data, labels, limit)
    yield structs.replace(papers, probes=(*papers.probes, *mutated(papers.probes)))
    yield from removed_paragraphs(data, limit)


def with_foreign_questions(chats: Sequence[ProbeStore]) -> Iterator[ProbeStore]:
    """Ask each chat what the next one answers as well; its own questions count in both sets."""
    for number, chat in enumerate(chats):
        own = [one for one in chat.probes if one.answerable]
        foreign = [one for one in chats[(number + 1) % len(chats)].probes if one.answerable]
        group = "beam-foreign"
        asked = [structs.replace(one, group=group) for one in own]
        asked += [structs.replace(one, group=group, kind="foreign", answerable=False) for one in foreign]
        yield structs.replace(chat, probes=(*chat.probes, *asked))


def mutated(probes: Iterable[Probe]) -> Iterator[Probe]:
    """Make questions without an answer: another document, another name, another number."""
    rng = random.Random(SEED)
    base = [one for one in probes if one.group == "papers" and one.answerable]
    names = {one.key: [found.group() for other in base if other.key != one.key for found in _NAME.finditer(other.text)]
             for one in base}  # fmt: skip
    for one in base:
        gone = structs.replace(one, group="mutated", answerable=False)
        others = sorted({other.key for other in base} - {one.key})
        if others:
            other = rng.choice(others)
            yield structs.replace(gone, kind="other document", within=(other,), key=other)
        for found in rng.sample(list(_NAME.finditer(one.text)), k=min(1, len(_NAME.findall(one.text)))):
            for name in rng.sample(names[one.key], k=min(2, len(names[one.key]))):
                yield structs.replace(gone, kind="other name", text=_exchanged(one.text, found, name))
        for found in list(_NUMBER.finditer(one.text))[:1]:
            yield structs.replace(gone, kind="other number", text=_exchanged(one.text, found, _other(found[0], rng)))


def _exchanged(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def _other(number: str, rng: random.Random) -> str:
    """A year some years off, any other number far off."""
    if re.fullmatch(r"(?:19|20)\d\d", number):
        return str(int(number) + rng.choice((-7, -4, -3, 3, 4, 6)))
    return str(3 * int(re.sub(r"\D", "", number)) + rng.randint(5, 40))


def measure_all(data: Path, labels: Path, limit: int | None) -> Iterator[Outcome]:
    """Ask every question of every vault, each looked up once: further looks are for what the fit calls doubtful."""
    tap = Tap()
    once = partial(Config, max_refinement_rounds=0)
    with patch.object(answers, "compose", tap.compose), patch.object(workplace, "Config", once):
        for store in stores_of(data, labels, limit):
            for reply in ask_all(store, Stopwatch(), print):
                if "support" in tap.full:  # not so where sources are listed: nothing is decided there
                    yield _outcome(tap, store, reply.probe)


def _outcome(tap: Tap, store: ProbeStore, probe: Probe) -> Outcome:
    fold = (probe.key or probe.without).split("/")[0] if probe.group == "xquad-removed" else store.store.name
    return Outcome(
        group=probe.group,
        part=probe.kind,
        question=probe.text,
        fold=fold,
        answerable=probe.answerable,
        kind=str(tap.kind),
        asks_person=tap.asks_person,
        full=tap.full,
        words=tap.words,
        doubt=tap.doubt,
    )


def fit_logistic(features: Array, labels: Array) -> Array:
    """Newton's method with a ridge on all but the bias; both sides weigh the same. The bias comes first."""
    x = np.column_stack([np.ones(len(features)), features])
    share = labels.mean()
    mass = np.where(labels > 0, 0.5 / share, 0.5 / (1 - share))
    weights = np.zeros(x.shape[1])
    penalty = RIDGE * np.diag([0.0] + [1.0] * features.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-x @ weights))
        gradient = x.T @ (mass * (labels - p)) - penalty @ weights
        hessian = (x * (mass * p * (1 - p))[:, None]).T @ x + penalty + 1e-9 * np.eye(x.shape[1])
        weights += np.linalg.solve(hessian, gradient)
    return weights


def scored(weights: Array, features: Array) -> Array:
    """The log-odds of each row."""
    return weights[0] + features @ weights[1:]


def report(recipe: Recipe, outcomes: Sequence[Outcome]) -> None:
    """Print the constants of a recipe, and how they do on what they were not fitted on."""
    asks = recipe.name.startswith("TALK") and "LARGE" not in recipe.name
    known = [one for one in outcomes if not asks or one.asks_person]
    own = [one for one in known if one.group in recipe.fitted]
    if not own:
        return
    x, y = table(recipe, own)
    weights = fit_logistic(x, y)
    scores = scored(weights, x)
    there, gone = scores[y > 0], scores[y == 0]
    named = {name: round(weight, 3) for name, weight in zip(recipe.measures, weights[1:].tolist(), strict=True)}
    none, sure = np.quantile(there, NONE_SHARE), np.quantile(gone, SURE_SHARE)
    print(f"\n{recipe.name}: bias {weights[0]:.3f}, weights {named}, none below {none:.3f}, sure {sure:.3f}")
    realised: list[tuple[float, float]] = []
    folds = len({one.fold for one in own}) >= FOLDS and recipe.fitted == recipe.judged
    if folds:
        held, realised = folded(recipe, own)
        print_curve(f"  {recipe.fitted[0]}, held out", held[y > 0], held[y == 0])
    for group in recipe.judged:
        rows = [one for one in known if one.group == group]
        a, b = table(recipe, rows)
        s = scored(weights, a)
        print_curve(f"  {group}", s[b > 0], s[b == 0])
    for place, share in enumerate(FALSE_SHARES):
        base = there if "papers" not in recipe.fitted else scored(weights, table(recipe, paper_side(own))[0])
        threshold = float(np.quantile(base, share))
        cells = [f"{group} {judged_at(recipe, weights, threshold, known, group)}" for group in recipe.judged]
        if folds:
            cells = [f"carried {realised[place][0]:.1%} / {realised[place][1]:.1%}"]
        print(f"    threshold {threshold:.3f} (aimed at {share:.0%}): false / right {', '.join(cells)}")


def paper_side(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The answerable questions of the public set."""
    return [one for one in outcomes if one.answerable]


def judged_at(recipe: Recipe, weights: Array, threshold: float, outcomes: Sequence[Outcome], group: str) -> str:
    """False and right refusals of a group at a threshold."""
    x, y = table(recipe, [one for one in outcomes if one.group == group])
    below = scored(weights, x) < threshold
    return f"{below[y > 0].mean():.1%} / {below[y == 0].mean():.1%}"


def folded(recipe: Recipe, outcomes: Sequence[Outcome]) -> tuple[Array, list[tuple[float, float]]]:
    """Scores of what was held out, and the realised refusals of thresholds carried from the rest."""
    x, y = table(recipe, outcomes)
    names = list(dict.fromkeys(one.fold for one in outcomes))
    folds = np.array([names.index(one.fold) % FOLDS for one in outcomes])
    scores, below = np.zeros(len(y)), np.zeros((len(FALSE_SHARES), len(y)))
    for fold in range(FOLDS):
        out = folds == fold
        weights = fit_logistic(x[~out], y[~out])
        scores[out] = scored(weights, x[out])
        rest = scored(weights, x[~out & (y > 0)])
        for place, share in enumerate(FALSE_SHARES):
            below[place, out] = scores[out] < np.quantile(rest, share)
    return scores, [(float(row[y > 0].mean()), float(row[y == 0].mean())) for row in below]


def table(recipe: Recipe, outcomes: Sequence[Outcome]) -> tuple[Array, Array]:
    """The measures and the labels of some questions."""
    sides = [one.full if recipe.embedded else one.words for one in outcomes]
    return (
        np.array([[side[name] for name in recipe.measures] for side in sides]),
        np.array([float(one.answerable) for one in outcomes]),
    )


def print_curve(title: str, there: Array, gone: Array) -> None:
    """Print what no threshold of ours is needed for."""
    figures = ", ".join(f"{name} {value:.3f}" for name, value in curve_of(there.tolist(), gone.tolist()).items())
    print(f"{title}: n {len(there)}+{len(gone)}, {figures}")


def report_decisions(outcomes: Sequence[Outcome]) -> None:
    """What all built-in rules together refuse, and to how many of those it is said that nothing is about them."""
    for group in dict.fromkeys(one.group for one in outcomes):
        for title, side in (("vectors", _full), ("words", _words)):
            rows = [one for one in outcomes if one.group == group]
            cells = [
                f"{name} {np.mean([side(one)[name] for one in rows if one.answerable is answerable] or [0.0]):.1%}"
                for answerable in (True, False)
                for name in ("refused", "none")
            ]
            kinds = ", ".join(f"{kind} {sum(one.kind == kind for one in rows)}" for kind in StoreKind)
            print(
                f"built in, {group}, {title}: answerable {cells[0]}, {cells[1]}; not {cells[2]}, {cells[3]} ({kinds})"
            )
    for group, part in dict.fromkeys((one.group, one.part) for one in outcomes if one.group == "own-papers"):
        rows = [one for one in outcomes if (one.group, one.part) == (group, part)]
        print(f"  {part}: n {len(rows)}, refused {np.mean([one.full['refused'] for one in rows]):.1%}")


def _full(outcome: Outcome) -> dict[str, float]:
    return outcome.full


def _words(outcome: Outcome) -> dict[str, float]:
    return outcome.words


def main() -> None:
    """Measure all sets, or read what was kept, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, default=Path("tests/corpora"))
    parser.add_argument("--keep", type=Path, help="where the measures lie, or are to lie")
    parser.add_argument("--limit", type=int, help="questions of each kind of each vault")
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        outcomes = msgspec.json.decode(options.keep.read_bytes(), type=list[Outcome])
    else:
        outcomes = list(measure_all(options.data, options.labels, options.limit))
        if options.keep:
            options.keep.write_bytes(msgspec.json.encode(outcomes))
    for recipe in RECIPES:
        report(recipe, outcomes)
    report_decisions(outcomes)


if __name__ == "__main__":
    main()
