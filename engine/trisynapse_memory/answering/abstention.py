"""The measures of the evidence in, whether to answer out, and in words why not. No sentence is chosen here.

One small logistic regression per kind of store: a threshold does not travel between prose and chats. The weights and
thresholds were fitted by ``packaging/scripts/calibrate_abstention.py``; the curve stands in ``docs/user/answers.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp
from typing import Final

from msgspec import Struct

from trisynapse_memory.answering.answer_types import Attribute, Expected
from trisynapse_memory.answering.features import Evidence
from trisynapse_memory.answering.inquiry import Inquiry, Statistics, Word
from trisynapse_memory.answering.sentences import Passage, is_conversation

NONE_COVERAGE: Final = (
    0.25  # share of the question's weight below which the best passage is about nothing of it; not tuned
)
NAMED_LIMIT: Final = 3  # words or titles named in a reason

_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")


class Calibration(Struct, frozen=True):
    """Weights by the name of the measure in ``Evidence``, and the least log-odds at which a question is answered.

    ``closing_threshold`` holds instead where no record in scope has the question's last content word, which mostly
    names what is asked of a thing ("... cost?"). On the test half of XQuAD it
    adds a point or two of right refusals and no false ones; with vectors off it costs one answer in a hundred, and is
    not used.
    """

    bias: float
    weights: dict[str, float]
    threshold: float
    closing_threshold: float = float("-inf")


PROSE: Final = Calibration(-7.662, {"support": 5.943, "cosine": 3.538, "bound": 4.581}, -1.848, -1.0)
PROSE_WORDS: Final = Calibration(-4.914, {"support": 5.399, "bm25_share": 3.496, "bound": 4.947}, -1.821)
TALK: Final = Calibration(1.392, {"support": -0.817, "cosine": 0.356, "rarest_missing": -0.466, "gap": 5.022}, -0.092)
TALK_WORDS: Final = Calibration(1.57, {"support": -1.008, "rarest_missing": -0.384, "gap": 5.434}, 0.336)


class Decision(Struct, frozen=True, kw_only=True):
    """Whether to answer, with the probability in [0, 1] that the evidence answers, and the words for it."""

    abstain: bool
    probability: float
    reason: str = ""
    level: str = "answer"
    would_answer: str = ""


def calibration_of(*, conversation: bool, embedded: bool) -> Calibration:
    """The weights for one kind of store, with or without sentence vectors."""
    if conversation:
        return TALK if embedded else TALK_WORDS
    return PROSE if embedded else PROSE_WORDS


def log_odds(evidence: Evidence, calibration: Calibration) -> float:
    """How likely the evidence answers the question, as log-odds."""
    return calibration.bias + sum(weight * getattr(evidence, name) for name, weight in calibration.weights.items())


def decide(
    inquiry: Inquiry, evidence: Evidence, passages: Sequence[Passage], statistics: Statistics, calibration: Calibration
) -> Decision:
    """Answer, or refuse with a reason that says what is missing and what would help."""
    odds = log_odds(evidence, calibration)
    probability = 1.0 / (1.0 + exp(-max(-60.0, min(60.0, odds))))
    barred = _is_barred(inquiry, passages, odds, calibration.closing_threshold)
    lacking = bool(evidence.attribute_missing) and not is_conversation([passage.hit for passage in passages])
    if passages and odds >= calibration.threshold and not lacking and not barred:
        return Decision(abstain=False, probability=probability)
    return Decision(
        abstain=True,
        probability=probability if passages else 0.0,
        reason=_reason(inquiry, passages, statistics, lacking and odds >= calibration.threshold),
        level="nearest" if passages and evidence.passage >= NONE_COVERAGE else "none",
        would_answer=would_answer(inquiry),
    )


def _is_barred(inquiry: Inquiry, passages: Sequence[Passage], odds: float, closing_threshold: float) -> bool:
    """Whether something the question cannot do without is nowhere, whatever the measures say."""
    if _lacks_identifier(inquiry, passages):
        return True
    if is_conversation([passage.hit for passage in passages]):  # When a turn was said is no word of it.
        return False
    return _lacks_year(inquiry, passages) or (odds < closing_threshold and _lacks_closing_word(inquiry, passages))


def _lacks_year(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether a year of the question is in none of the passages; XQuAD: refuses 1 answerable question of 1,158."""
    years = [word for word in inquiry.words if _YEAR.fullmatch(word.text)]
    return any(not any(word.share(passage.keys) for passage in passages) for word in years)


def _lacks_identifier(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether a code or id of the question is in none of the passages: nothing about another one answers it."""
    codes = [word for word in inquiry.words if word.is_exact and word.is_number]
    return any(not any(word.share(passage.keys) for passage in passages) for word in codes)


def _lacks_closing_word(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Whether the last content word of the question is in no record in scope, nor a synonym of it in a passage."""
    if not inquiry.words or inquiry.words[-1].in_store:
        return False
    return not any(inquiry.words[-1].share(passage.keys) for passage in passages)


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
    parts = [_attribute_missing(inquiry, attribute) if lacking and attribute else _what_is_missing(inquiry, passages)]
    if statistics.outside:
        parts.append(f"Outside the chosen scope, {_listed(statistics.outside)} may be about it.")
    if statistics.unreadable:
        count = len(statistics.unreadable)
        verb = "was" if count == 1 else "were"
        parts.append(f"{_listed(statistics.unreadable)} could not be read and {verb} not searched.")
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


def _listed(titles: Sequence[str]) -> str:
    named = [f'"{title}"' for title in titles[:NAMED_LIMIT]]
    rest = len(titles) - len(named)
    return _joined([*named, f"{rest} more"] if rest else named)


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
