"""Measured sentences in, the smallest set that answers out. No sentence is rewritten and no verdict is given here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import exp
from typing import Final

from trisynapse_memory.answering.features import RANKER_WORDS, Measured
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.sentences import Sentence, one_line
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.unsaid import is_order

# Log-odds that a sentence holds the answer, by the order of ``Measured.vector``: coverage, context, passage, cosine,
# hit score, answer type, fragment. Softmax regression on the first half of the articles of XQuAD (English), by
# ``packaging/scripts/calibrate_sentences.py``. The set has no captions, titles or cells: -2 for them is a guess.
RANKER: Final = (3.16, 2.58, 2.0, 2.31, 3.74, 2.37, -2.0, 1.22, 1.02, 0.98)
# The scores are log-odds of one choice, so that their softmax is the probability that a sentence holds the answer.
# Further ones are shown until this much of it is. XQuAD, share of answers shown and sentences a question: 0.9 .944 and
# 1.9, 0.95 .948 and 2.0, all three of three .952 and 3.0.
SHOWN_MASS: Final = 0.95
NEAR_BEST: Final = 3.0  # log-odds below the best at most, for any other; same source: 2.0 shows .934, 2.5 .940
NEW_WEIGHT: Final = 0.2  # share of the question's weight that one beyond that mass must add
SCORE_DIGITS: Final = 4  # of a score that count; behind them is the noise of vectors of single precision
LISTED_SENTENCES: Final = 3  # shown after one that ends with a colon, where what follows bears no marks of a list
SAME_SHARE: Final = 0.85  # of the words of the shorter one: two sentences that say the same; not tuned
FRAME_WORDS: Final = 2  # in small letters, for two sentences to be one but for their names: "was built by"

_ENTRY: Final = re.compile(
    r"[\ue000-\uf8ff\u2022\u25e6\u25aa\u2023\u2219\u00b7\u25cf\u25cb*\u2013-]\s|\(?\w{1,3}[.)]\s"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One sentence to be shown: its place in the hit's text, and its score in log-odds.

    ``part`` is the side of a comparison it is about, ``items`` the places of what it enumerates, in the same text.
    """

    sentence: Sentence
    start: int
    end: int
    score: float
    part: str = ""
    items: tuple[tuple[int, int], ...] = ()


def score_sentences(rows: Sequence[Measured]) -> list[tuple[float, Measured]]:
    """Order sentences by how likely they hold the answer, best first, ties in log and text order."""
    weights = RANKER if any(row.cosine for row in rows) else RANKER_WORDS
    scored = [(sum(w * x for w, x in zip(weights, row.vector(), strict=True)), row) for row in rows]
    return sorted(scored, key=lambda pair: (-round(pair[0], SCORE_DIGITS), *_place_of(pair[1].sentence)))


def _place_of(sentence: Sentence) -> tuple[int, int]:
    return sentence.hit.record.seq, sentence.start


def choose_sentences(
    inquiry: Inquiry, rows: Sequence[Measured], count_tokens: TokenCounter, config: Config
) -> tuple[Choice, ...]:
    """Take the best sentence, and others while they may well be the better one, add words of it or contest it.

    Returns:
        At most ``answer_max_sentences`` choices, best first, within the token caps of ``config``; empty for no rows.
    """
    scored = score_sentences(rows)
    chosen: list[tuple[float, Measured]] = []
    covered: frozenset[int] = frozenset()
    whole = sum(exp(score - scored[0][0]) for score, _ in scored)
    mass = 0.0
    for score, row in scored:
        if len(chosen) == config.answer_max_sentences or (chosen and score < chosen[0][0] - NEAR_BEST):
            break
        if chosen and row.fragment > chosen[0][1].fragment:
            continue
        own = inquiry.covered(row.sentence.keys)
        if any(_is_said(row.sentence, own, other.sentence, inquiry) for _, other in chosen):
            continue
        if mass >= SHOWN_MASS and not _adds_enough(inquiry, own - covered) and not _contests(row, chosen[0][1]):
            continue
        chosen.append((score, row))
        covered |= own
        mass += exp(score - scored[0][0]) / whole
    placed = [_placed(score, row, chosen, config.excerpt_max_chars) for score, row in chosen]
    return within_budget(_first_of(placed, config.answer_max_sentences), inquiry, count_tokens, config)


def _first_of(choices: Sequence[Choice], limit: int) -> list[Choice]:
    """The first of them, so many that all their sentences are at most ``limit``; the best is whole in any case."""
    kept: list[Choice] = []
    count = 0
    for choice in choices:
        own = 1 + (choice.start < choice.sentence.start)
        again = any(_holds(other, choice) or _holds(choice, other) for other in kept)
        if not kept or (count + own <= limit and not again):
            kept.append(choice)
            count += own
    return kept


def _holds(one: Choice, other: Choice) -> bool:
    return one.sentence.hit is other.sentence.hit and one.start <= other.start and other.end <= one.end


def _adds_enough(inquiry: Inquiry, words: frozenset[int]) -> bool:
    return sum(inquiry.words[index].weight for index in words) >= NEW_WEIGHT * inquiry.total


def _is_said(sentence: Sentence, words: frozenset[int], other: Sentence, inquiry: Inquiry) -> bool:
    """Whether a sentence adds nothing to one that is shown: it says the same, or is a worse row of the same table."""
    if sentence.is_row and other.is_row and sentence.hit is other.hit:
        return other.is_extreme or words < inquiry.covered(other.keys)
    return says_the_same(sentence, other) or _is_of_another(sentence, words, other, inquiry)


def _is_of_another(sentence: Sentence, words: frozenset[int], other: Sentence, inquiry: Inquiry) -> bool:
    """Whether a sentence says of another thing what one that is shown says of the one that the question names."""
    missing = inquiry.covered(other.keys) - words
    if not any(inquiry.words[index].is_name for index in missing):
        return False
    frame, shown = (tuple(word for word in one.text.split() if word[:1].islower()) for one in (sentence, other))
    return len(frame) >= FRAME_WORDS and frame == shown


def says_the_same(one: Sentence, two: Sentence) -> bool:
    """Whether two sentences have nearly all words in common, and every number."""
    mine, its = set(one.keys.frequencies), set(two.keys.frequencies)
    numbers = {key for key in mine ^ its if any(letter.isdigit() for letter in key)}
    return not numbers and len(mine & its) >= SAME_SHARE * max(1, min(len(mine), len(its)))


def _contests(row: Measured, best: Measured) -> bool:
    """Whether a sentence says the same as the best one, with other numbers: both are shown, whoever is right."""
    mine, its = (_without_numbers(one.sentence) for one in (row, best))
    if any(len(words) == len(one.sentence.keys.frequencies) for words, one in ((mine, row), (its, best))):
        return False
    return len(mine & its) >= SAME_SHARE * max(len(mine), len(its))


def _without_numbers(sentence: Sentence) -> set[str]:
    return {key for key in sentence.keys.frequencies if not any(letter.isdigit() for letter in key)}


def _placed(score: float, row: Measured, chosen: Sequence[tuple[float, Measured]], limit: int) -> Choice:
    """With the sentence before it where it cannot stand alone, and with the list that it opens."""
    sentence = row.sentence
    start, end = sentence.start, sentence.end
    if sentence.text.endswith((":", "\uff1a")) and not sentence.is_row:
        end = _list_end(sentence, limit)
    previous = sentence.previous
    is_best = row is chosen[0][1]
    if previous is not None and (sentence.is_dangling or (is_best and sentence.refers_back)):
        read = [o.sentence for _, o in takewhile(lambda pair: pair[1] is not row, chosen)]
        shown = any(one.start == previous.start and one.hit is sentence.hit for one in read)
        start = start if shown else previous.start
    return Choice(sentence, start, end, score)


def _list_end(sentence: Sentence, limit: int) -> int:
    """Where the list ends that a sentence opens: with its last marked entry, or the third sentence where none is."""
    text = sentence.hit.record.text
    behind = (span for span in sentence_spans(text) if span[0] >= sentence.end)
    following = list(takewhile(lambda span: not is_order(one_line(text[span[0] : span[1]])), behind))
    entries = list(takewhile(lambda span: _ENTRY.match(text, span[0]) is not None, following))
    told = entries or following[:LISTED_SENTENCES]
    return max([stop for _, stop in told if stop - sentence.start <= limit], default=sentence.end)


def within_budget(
    choices: Sequence[Choice], inquiry: Inquiry, count_tokens: TokenCounter, config: Config
) -> tuple[Choice, ...]:
    """Cut what is too long to quote, and stop where the caps on tokens are reached; the caps hold for the first too."""
    kept: list[Choice] = []
    total = 0
    by_source: dict[str, int] = {}
    for choice in choices:
        source = choice.sentence.hit.source_key
        room = min(config.context_max_tokens - total, config.source_max_tokens - by_source.get(source, 0))
        fitting = _cut(choice, inquiry, config.excerpt_max_chars)
        cost = _tokens(fitting, count_tokens)
        while cost > room and not kept and fitting.end - fitting.start > 1 and not choice.sentence.is_row:
            fitting = _cut(choice, inquiry, (fitting.end - fitting.start) // 2)
            cost = _tokens(fitting, count_tokens)
        if cost > room:
            continue
        kept.append(fitting)
        total += cost
        by_source[source] = by_source.get(source, 0) + cost
    return tuple(kept)


def _tokens(choice: Choice, count_tokens: TokenCounter) -> int:
    sentence = choice.sentence
    return count_tokens([sentence.text if sentence.is_row else sentence.hit.record.text[choice.start : choice.end]])[0]


def _cut(choice: Choice, inquiry: Inquiry, limit: int) -> Choice:
    """At most ``limit`` characters: without the sentence before, then the words around the question's own."""
    if choice.end - choice.start <= limit or choice.sentence.is_row:  # a row is short enough as it is told
        return choice
    sentence = choice.sentence
    if sentence.end - choice.start <= limit:
        return replace(choice, end=sentence.end)
    if sentence.end - sentence.start <= limit:
        return replace(choice, start=sentence.start, end=sentence.end)
    text = sentence.hit.record.text
    start, end = densest_window(text[choice.start : sentence.end], inquiry, limit)
    if start:  # the sentence before it is too much
        start, end = densest_window(text[sentence.start : sentence.end], inquiry, limit)
        return replace(choice, start=sentence.start + start, end=sentence.start + end)
    return replace(choice, end=choice.start + end)


def densest_window(text: str, inquiry: Inquiry, limit: int) -> tuple[int, int]:
    """The stretch of at most ``limit`` characters, cut between words, that has most of the question.

    Of those that have as much, the beginning, which says whom a sentence is about; else the one in the middle.
    """
    starts = [0, *(i + 1 for i, letter in enumerate(text[:-1]) if letter.isspace() and not text[i + 1].isspace())]
    forms = [word.text.lower()[:6] for word in inquiry.words]
    lower = text.lower()
    best = -1.0
    places: list[tuple[int, int]] = []
    for start in starts:
        end = min(len(text), start + limit)
        if end < len(text):
            end = max((i for i in range(end, start, -1) if text[i].isspace()), default=end)
        part = lower[start:end]
        weight = sum(word.weight for word, form in zip(inquiry.words, forms, strict=True) if form in part)
        if weight > best + 1e-9:
            best, places = weight, []
        if weight > best - 1e-9:
            places.append((start, end))
    return places[0] if best <= 0 or places[0][0] == 0 else places[len(places) // 2]
