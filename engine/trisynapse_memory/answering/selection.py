"""Measured sentences in, the smallest set that answers out. No sentence is rewritten and no verdict is given here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.answering.features import RANKER_WORDS, Measured
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.sentences import Sentence
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.text.sentences import sentence_spans

# Log-odds that a sentence holds the answer, by the order of ``Measured.vector``: coverage, context, passage, cosine,
# hit score, answer type, fragment. Softmax regression on the first half of the articles of XQuAD (English), by
# ``packaging/scripts/calibrate_abstention.py``. The set has no captions, titles or cells: -2 for them is a guess.
RANKER: Final = (3.16, 2.58, 2.0, 2.31, 3.74, 2.37, -2.0, 1.22, 1.02, 0.98)
NEAR_BEST: Final = 0.75  # log-odds below the best within which a sentence is shown beside it; same source
NEW_WEIGHT: Final = 0.2  # share of the question's weight a further sentence must add; same source
NEW_DISTANCE: Final = 1.5  # log-odds below the best at most, for one that adds words
LISTED_SENTENCES: Final = 3  # shown after one that ends with a colon, as far as an excerpt goes
SAME_SHARE: Final = 0.85  # of the words of the shorter one: two sentences that say the same; not tuned


@dataclass(frozen=True, slots=True)
class Choice:
    """One sentence to be shown: its place in the hit's text, and its score in log-odds."""

    sentence: Sentence
    start: int
    end: int
    score: float


def score_sentences(rows: Sequence[Measured]) -> list[tuple[float, Measured]]:
    """Order sentences by how likely they hold the answer, best first, ties in hit and text order."""
    weights = RANKER if any(row.cosine for row in rows) else RANKER_WORDS
    scored = [(sum(w * x for w, x in zip(weights, row.vector(), strict=True)), row) for row in rows]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].sentence.rank, pair[1].sentence.start))


def choose_sentences(
    inquiry: Inquiry, rows: Sequence[Measured], count_tokens: TokenCounter, config: Config
) -> tuple[Choice, ...]:
    """Take the best sentence, and others only where they add words of the question or are about as good.

    Returns:
        At most ``answer_max_sentences`` choices, best first, within the token caps of ``config``; empty for no rows.
    """
    scored = score_sentences(rows)
    chosen: list[tuple[float, Measured]] = []
    covered: frozenset[int] = frozenset()
    for score, row in scored:
        if len(chosen) == config.answer_max_sentences or (chosen and score < chosen[0][0] - NEW_DISTANCE):
            break
        if chosen and row.fragment > chosen[0][1].fragment:
            continue
        if any(_say_the_same(row.sentence, other.sentence) for _, other in chosen):
            continue
        own = inquiry.covered(row.sentence.keys)
        near = not chosen or score >= chosen[0][0] - NEAR_BEST
        if not near and not _adds_enough(inquiry, own - covered) and not _contests(row, chosen[0][1]):
            continue
        chosen.append((score, row))
        covered |= own
    return _within_budget([_placed(score, row, chosen) for score, row in chosen], inquiry, count_tokens, config)


def _adds_enough(inquiry: Inquiry, words: frozenset[int]) -> bool:
    return sum(inquiry.words[index].weight for index in words) >= NEW_WEIGHT * inquiry.total


def _say_the_same(one: Sentence, two: Sentence) -> bool:
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


def _placed(score: float, row: Measured, chosen: Sequence[tuple[float, Measured]]) -> Choice:
    """With the sentence before it where it cannot stand alone, and with the list that it opens."""
    sentence = row.sentence
    start, end = sentence.start, sentence.end
    if sentence.text.endswith((":", "\uff1a")):
        end = max([stop for _, stop in _following(sentence)[:LISTED_SENTENCES]], default=end)
    previous = sentence.previous
    if previous is not None and sentence.is_dangling:
        shown = any(o.sentence.start == previous.start and o.sentence.hit is sentence.hit for _, o in chosen)
        start = start if shown else previous.start
    return Choice(sentence, start, end, score)


def _following(sentence: Sentence) -> list[tuple[int, int]]:
    return [span for span in sentence_spans(sentence.hit.record.text) if span[0] >= sentence.end]


def _within_budget(
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
        while cost > room and not kept and fitting.end - fitting.start > 1:
            fitting = _cut(choice, inquiry, (fitting.end - fitting.start) // 2)
            cost = _tokens(fitting, count_tokens)
        if cost > room:
            continue
        kept.append(fitting)
        total += cost
        by_source[source] = by_source.get(source, 0) + cost
    return tuple(kept)


def _tokens(choice: Choice, count_tokens: TokenCounter) -> int:
    return count_tokens([choice.sentence.hit.record.text[choice.start : choice.end]])[0]


def _cut(choice: Choice, inquiry: Inquiry, limit: int) -> Choice:
    """At most ``limit`` characters: without the sentence before, then the words around the question's own."""
    if choice.end - choice.start <= limit:
        return choice
    sentence = choice.sentence
    if sentence.end - choice.start <= limit:
        return replace(choice, end=sentence.end)
    if sentence.end - sentence.start <= limit:
        return replace(choice, start=sentence.start, end=sentence.end)
    text = sentence.hit.record.text
    start, end = densest_window(text[sentence.start : sentence.end], inquiry, limit)
    return replace(choice, start=sentence.start + start, end=sentence.start + end)


def densest_window(text: str, inquiry: Inquiry, limit: int) -> tuple[int, int]:
    """The stretch of at most ``limit`` characters, cut between words, that has most of the question."""
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
    # Of the stretches that tie, the middle one: words on both sides of the question's own.
    return places[len(places) // 2] if best > 0 else places[0]
