"""The measures of the evidence in, whether to answer out, and in words why not. No sentence is chosen here.

One small logistic regression per kind of store: a threshold does not travel between prose and chats. The weights and
thresholds were fitted by ``packaging/scripts/calibrate_abstention.py``; the curve stands in ``docs/user/answers.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from math import exp
from typing import Final

from msgspec import Struct

from trisynapse_memory.answering.answer_types import Attribute, Expected
from trisynapse_memory.answering.counting import lacks_counted
from trisynapse_memory.answering.features import Evidence
from trisynapse_memory.answering.inquiry import Inquiry, Statistics, Word
from trisynapse_memory.answering.kinds import StoreKind
from trisynapse_memory.answering.labels import missing_labels
from trisynapse_memory.answering.sentences import Passage, is_conversation

NONE_COVERAGE: Final = (
    0.25  # share of the question's weight below which the best passage is about nothing of it; not tuned
)
NAMED_LIMIT: Final = 3  # words or titles named in a reason

_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")


class Calibration(Struct, frozen=True):
    """Weights by the name of the measure in ``Evidence``, and the log-odds that part its answers and refusals.

    A question is answered from ``threshold`` on. Below ``none_below`` nothing found is about it; between the two it is
    refused with the nearest passages. From ``sure`` on one in ten of the questions without an answer is left, so below
    it another round of the search may pay. ``needs_names`` refuses where a name of the question is in no record in
    scope: in long documents that costs one answer in a hundred (309 questions) and refuses one in eight of our false
    premises; in short prose it costs one answer in a hundred too, and refuses next to none more.
    """

    bias: float
    weights: dict[str, float]
    threshold: float
    none_below: float
    sure: float
    needs_names: bool = False


# XQuAD, English, 2026-12-01: all 1,190 questions with and without their paragraph. ``threshold`` refuses 2.5 % of those
# that can be answered (3 % with words only), ``none_below`` half a percent.
PROSE: Final = Calibration(
    -9.932,
    {
        "support": 4.512,
        "cosine": 3.595,
        "bound": 4.197,
        "typed": 4.097,
        "apart": -1.405,
        "demand": 1.007,
        "background": -3.847,
    },
    -1.464,
    -3.214,
    -0.178,
)
PROSE_WORDS: Final = Calibration(
    -11.392,
    {"support": 4.4, "bm25_share": 2.939, "bound": 4.867, "typed": 4.415, "apart": -1.902, "demand": 1.823},
    -1.489,
    -2.902,
    0.047,
)
LONG: Final = Calibration(-0.36, {"support": 2.759, "apart": -2.575}, -0.3, -2.584, 0.627, needs_names=True)
LONG_WORDS: Final = Calibration(0.001, {"support": 2.529, "apart": -2.633}, -0.25, -2.451, 0.59, needs_names=True)
# LoCoMo, the same day: 692 questions and 206 about the wrong person; ``threshold`` refuses 4 % of the first.
TALK: Final = Calibration(-0.323, {"gap": 6.357}, -0.551, -1.848, 0.916)
TALK_WORDS: Final = Calibration(-0.284, {"gap": 7.392}, -0.516, -1.857, 0.82)
# Talk where nobody is asked about: the weights of long documents, for no set has enough such questions without an
# answer. All 108 of BEAM that have one lie above the threshold (106 with words only), most about other things below.
TALK_AT_LARGE: Final = Calibration(-0.36, {"support": 2.759}, 0.25, 0.25, 0.627)
TALK_AT_LARGE_WORDS: Final = Calibration(0.001, {"support": 2.529}, 0.341, 0.341, 0.59)


class Decision(Struct, frozen=True, kw_only=True):
    """Whether to answer, with the probability in [0, 1] that the evidence answers, and the words for it.

    ``level`` is ``answer``, ``nearest`` (what was found is close, but not confirmed to answer) or ``none`` (nothing
    found is about it). ``is_doubtful`` says that the evidence is neither plainly enough nor plainly nothing, whatever a
    model said; ``is_barred`` that something is missing that no measure and no model makes up for.
    """

    abstain: bool
    probability: float
    reason: str = ""
    level: str = "answer"
    would_answer: str = ""
    is_doubtful: bool = False
    is_barred: bool = False


def calibration_of(kind: StoreKind, *, embedded: bool, asks_person: bool = False) -> Calibration:
    """The weights for one kind of store, with or without sentence vectors; in talk, also by whom is asked about."""
    if kind is StoreKind.TALK:
        pair = (TALK, TALK_WORDS) if asks_person else (TALK_AT_LARGE, TALK_AT_LARGE_WORDS)
    else:
        pair = (LONG, LONG_WORDS) if kind is StoreKind.LONG else (PROSE, PROSE_WORDS)
    return pair[0] if embedded else pair[1]


def log_odds(evidence: Evidence, calibration: Calibration) -> float:
    """How likely the evidence answers the question, as log-odds."""
    return calibration.bias + sum(weight * getattr(evidence, name) for name, weight in calibration.weights.items())


def decide(
    inquiry: Inquiry,
    evidence: Evidence,
    passages: Sequence[Passage],
    statistics: Statistics,
    calibration: Calibration,
    heard: float | None = None,
) -> Decision:
    """Answer, or refuse with a reason that says what is missing and what would help.

    Args:
        inquiry: the question.
        evidence: its measures.
        passages: what was found.
        statistics: what was not searched, for the reason.
        calibration: the weights of this kind of store.
        heard: what a model that was asked adds to the log-odds; it counts only in doubt. None where none was asked.
    """
    alone = log_odds(evidence, calibration)
    doubtful = bool(passages) and calibration.none_below <= alone < calibration.sure
    odds = alone if heard is None or not doubtful else alone + heard
    probability = _logistic(odds) if passages else 0.0
    barred = _is_barred(inquiry, passages, calibration)
    lacking = bool(evidence.attribute_missing) and not is_conversation([passage.hit for passage in passages])
    if passages and odds >= calibration.threshold and not lacking and not barred:
        return Decision(abstain=False, probability=probability, is_doubtful=doubtful)
    near = bool(passages) and evidence.passage >= NONE_COVERAGE and odds >= calibration.none_below
    return Decision(
        abstain=True,
        probability=probability,
        reason=_reason(inquiry, passages, statistics, lacking and odds >= calibration.threshold),
        level="nearest" if near else "none",
        would_answer=would_answer(inquiry),
        is_doubtful=doubtful,
        is_barred=barred or lacking,
    )


def gate_of(decision: Decision, calibration: Calibration, kind: StoreKind, evidence: Evidence) -> dict[str, float]:
    """What a decision rests on, in numbers, for the explained result.

    Returns:
        ``probability``, ``threshold`` and ``none_below`` in [0, 1]; ``doubtful`` and ``barred`` 0 or 1; 1 for ``kind:``
        with the kind of store, as in ``kind:talk``; and the fields of ``Evidence`` by name.
    """
    return {
        "probability": decision.probability,
        "threshold": _logistic(calibration.threshold),
        "none_below": _logistic(calibration.none_below),
        "doubtful": float(decision.is_doubtful),
        "barred": float(decision.is_barred),
        f"kind:{kind}": 1.0,
        **{field.name: float(getattr(evidence, field.name)) for field in fields(evidence)},
    }


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, odds))))


def _is_barred(inquiry: Inquiry, passages: Sequence[Passage], calibration: Calibration) -> bool:
    """Whether something the question cannot do without is nowhere, whatever the measures say."""
    if _lacks_identifier(inquiry, passages):
        return True
    hits = [passage.hit for passage in passages]
    if is_conversation(hits):  # When a turn was said is no word of it.
        return False
    if missing_labels(inquiry.question, hits) or _lacks_year(inquiry, passages) or lacks_counted(inquiry, passages):
        return True
    return calibration.needs_names and _lacks_name(inquiry, passages)


def _lacks_name(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether a name of the question is in no record in scope, nor a near spelling of it in a passage."""
    names = [word for word in inquiry.words if word.is_name and not word.in_store]
    return any(not any(word.share(passage.keys) for passage in passages) for word in names)


def _lacks_year(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether a year of the question is in none of the passages; XQuAD: refuses 1 answerable question of 1,158."""
    years = [word for word in inquiry.words if _YEAR.fullmatch(word.text)]
    return any(not any(word.share(passage.keys) for passage in passages) for word in years)


def _lacks_identifier(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether a code or id of the question is in none of the passages: nothing about another one answers it."""
    codes = [word for word in inquiry.words if word.is_exact and word.is_number]
    return any(not any(word.share(passage.keys) for passage in passages) for word in codes)


def refuse_unsupported(inquiry: Inquiry, probability: float) -> Decision:
    """The refusal where sentences were found but none of them passed its check against the source."""
    return Decision(
        abstain=True,
        probability=probability,
        reason="The passages found could not be quoted without changing what they say.",
        level="nearest",
        would_answer=would_answer(inquiry),
    )


def _reason(inquiry: Inquiry, passages: Sequence[Passage], statistics: Statistics, lacking: bool) -> str:
    attribute = inquiry.sought.attribute
    labels = missing_labels(inquiry.question, [passage.hit for passage in passages]) if passages else ()
    if labels:
        parts = [f"None of the passages found is or mentions {_joined(labels)}."]
    elif lacking and attribute:
        parts = [_attribute_missing(inquiry, attribute)]
    else:
        parts = [_what_is_missing(inquiry, passages)]
    if statistics.outside:
        parts.append(f"Outside the chosen scope, {_listed(statistics.outside)} may be about it.")
    if statistics.unreadable:
        count = max(len(statistics.unreadable), statistics.unreadable_count)
        verb = "was" if count == 1 else "were"
        parts.append(f"{_listed(statistics.unreadable, count)} could not be read and {verb} not searched.")
    return " ".join(parts)


def _attribute_missing(inquiry: Inquiry, attribute: Attribute) -> str:
    subject = [word for word in inquiry.words if not attribute.given.search(word.text)]
    return f"No sentence found says the {attribute.name} of {_quoted(subject or inquiry.words)}."


def _what_is_missing(inquiry: Inquiry, passages: Sequence[Passage]) -> str:
    if not inquiry.words:
        return "The question names nothing to look for."
    absent = [word for word in inquiry.words if not word.in_store]
    if not passages:
        words = absent or list(inquiry.words)
        return f"Nothing in scope mentions {_quoted(words)}."
    best = max(passages, key=lambda passage: (inquiry.coverage(passage.keys), -passage.rank))
    missing = [word for word in inquiry.words if not word.share(best.keys)]
    found = [word for word in inquiry.words if word.share(best.keys)]
    absent = [word for word in missing if not any(word.share(passage.keys) for passage in passages)]
    if not missing:
        return f"The passages found mention {_quoted(found)}, but no sentence of them answers this."
    if not found or len(absent) == len(inquiry.words):
        return f"Nothing in scope mentions {_quoted(absent or missing)}."
    unheard = [word for word in absent if not word.in_store]
    if unheard:
        return f"Nothing in scope mentions {_quoted(unheard)}; the nearest passages are about {_quoted(found)}."
    if absent:
        return f"Nothing found mentions {_quoted(absent)} together with {_quoted(found)}."
    return f"No passage mentions {_quoted(missing)} together with {_quoted(found)}."


def would_answer(inquiry: Inquiry) -> str:
    """One sentence on the kind of source that would answer a question."""
    wanted = {
        Expected.DATE: "gives a date for",
        Expected.NUMBER: "gives a figure for",
        Expected.NAME: "names who is meant by",
        Expected.PLACE: "names the place of",
        Expected.ANY: "states something about",
    }[inquiry.expected]
    if not inquiry.words:
        return "A question that names a thing, a person or a place could be looked up."
    people = sorted(inquiry.people)
    about = f" by or about {_joined(people)}" if people else ""
    return f"A source{about} that {wanted} {_quoted(_heaviest(inquiry.words))} would answer it."


def _heaviest(words: Sequence[Word]) -> list[Word]:
    """The rarest words, in the order of the question."""
    rare = sorted(words, key=lambda word: -word.weight)[:NAMED_LIMIT]
    return [word for word in words if word in rare]


def _quoted(words: Sequence[Word]) -> str:
    return _joined([f'"{word.text}"' for word in _heaviest(words)])


def _listed(titles: Sequence[str], count: int = 0) -> str:
    """Name the first of them, and say how many of all ``count`` (0: of those given) are left."""
    named = [f'"{title}"' for title in titles[:NAMED_LIMIT]]
    rest = (count or len(titles)) - len(named)
    return _joined([*named, f"{rest} more"] if rest else named)


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
