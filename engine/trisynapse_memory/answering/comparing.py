"""Two sides of a comparison and the passages in, a sentence for each side out, with what two values say of each other.

The sentences are chosen in pairs, so that both tell the same thing of their side ("has 110 million parameters", "has
0.4 billion parameters"). Nothing is concluded but which of two written values is more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from trisynapse_memory.answering.amounts import compare_amounts, units_in
from trisynapse_memory.answering.features import Embed, Measured, measure_sentences
from trisynapse_memory.answering.forms import Wanted
from trisynapse_memory.answering.inquiry import Inquiry, TextKeys, Word
from trisynapse_memory.answering.rows import with_rows
from trisynapse_memory.answering.selection import Choice, score_sentences
from trisynapse_memory.answering.sentences import Passage, Sentence
from trisynapse_memory.text.tokens import STEM_PREFIX

NAMED_SHARE: Final = 0.6  # of the weight of the words that only this side has, for a sentence to be about it
CANDIDATES: Final = 8  # sentences of each side that are tried as one of a pair
# Log-odds of a pair that says the same in the same words: about one measure of ``selection.RANKER``, and a third of it
# where the question itself says what to compare. Both chosen on ``tests/corpora/answer_forms.json``.
PARALLEL_GAIN: Final = 3.0
PARALLEL_GAIN_ASKED: Final = 1.0
BESIDE_LOSS: Final = 1.5  # log-odds, where only the title or the sentence before names the side
AMOUNT_GAIN: Final = 1.5  # log-odds of a pair with values of the kind that is compared; as the losses, by hand
SHARED_LOSS: Final = 1.0  # log-odds, where a sentence names the other side as well
ALIKE: Final = 0.5  # of the words apart from names and numbers, for a further pair, and for a side with no word asked
PAIRS: Final = 3  # shown where nothing is named by which to compare
MEANT_COSINE: Final = 0.4  # to what is asked, for a sentence without a word of it; as of the routes' nearest passages

_BASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "higher": "high height", "lower": "low height", "taller": "tall height", "deeper": "deep depth",
        "longer": "long length", "shorter": "short length", "wider": "wide width", "larger": "large size",
        "bigger": "big size", "greater": "great", "smaller": "small size", "older": "old age", "younger": "young age",
        "heavier": "heavy weight", "lighter": "light weight", "faster": "fast speed", "slower": "slow speed",
        "hotter": "hot temperature", "colder": "cold temperature", "warmer": "warm temperature",
        "cheaper": "cheap cost price", "earlier": "early", "later": "late", "further": "far distance",
        "farther": "far distance",
    }
)  # fmt: skip

ReadWords = Callable[[str], Inquiry]
"""Takes a piece of the question apart, with the weights of the question's words."""

JudgeSide = Callable[[Inquiry, Sequence[Measured]], bool]
"""An inquiry about one side and its measured sentences -> whether they answer it."""


_Scored = tuple[float, Measured]


class Compared(NamedTuple):
    """The sentences of each side, side by side, and what is said before them; ``lead`` may be empty."""

    choices: tuple[Choice, ...]
    lead: str


class _Side(NamedTuple):
    """One side: its name and the words of it, those that only it has, and the sentences that may tell of it."""

    name: str
    named: Inquiry
    own: Inquiry
    about: Inquiry
    told: tuple[_Scored, ...]


def compare_sides(
    wanted: Wanted,
    read: ReadWords,
    passages: Sequence[Passage],
    embed: Embed | None,
    judge_side: JudgeSide | None = None,
) -> Compared:
    """Choose what to show of each side.

    Args:
        wanted: a comparison.
        read: takes a piece of the question apart.
        passages: cut into sentences.
        embed: None where the search by meaning is off.
        judge_side: an inquiry about one side and its measured sentences -> whether they are enough to answer it; both
            sides must be answered then. None where the whole question is.

    Returns:
        Choices with their ``part``, the first side first; none where nothing can be compared. A side that nothing is
        said of is named in the lead.
    """
    sides = [_read_side(wanted, read, passages, embed, place) for place in (0, 1)]
    first, second = sides
    if judge_side is not None and not all(side.told and judge_side(side.about, _rows(side)) for side in sides):
        return Compared((), "")
    if not first.told and not second.told:
        return Compared((), "")
    if not first.told or not second.told:
        gone = first if not first.told else second
        if any(gone.own.coverage(passage.keys) >= NAMED_SHARE for passage in passages):
            return Compared((), "")  # it is there, though no sentence could be made out to tell of it
        here, missing = (first, second) if first.told else (second, first)
        return Compared((_choice(here.told[0], here.name),), f"Nothing found says this of {missing.name}.")
    topic = read(wanted.about) if wanted.about else None
    pairs = _pairs(wanted, topic, first, second)
    if not pairs:
        return Compared((), "")
    choices = [_choice(pair[0], first.name) for pair in pairs], [_choice(pair[1], second.name) for pair in pairs]
    if choices[0][0].sentence is choices[1][0].sentence:
        return Compared((replace(choices[0][0], part=f"{first.name} and {second.name}"),), "")
    told = (choices[0][0].sentence, choices[1][0].sentence)
    asked = wanted.amounts or topic is None or all(topic.covered(one.keys) for one in told)
    plain = asked and len(pairs) == 1 and _is_of(told[0], first, second) and _is_of(told[1], second, first)
    lead = compare_amounts(wanted, (first.name, told[0]), (second.name, told[1])) if plain else ""
    return Compared((*choices[0], *choices[1]), lead)


def with_bases(inquiry: Inquiry, passages: Sequence[Passage]) -> Inquiry:
    """The same question where "deeper" also counts as "deep" and "depth", as far as the passages have these words."""
    found = {key for passage in passages for key in passage.keys.frequencies}
    return replace(inquiry, words=tuple(_based(word, found) for word in inquiry.words))


def _based(word: Word, found: Set[str]) -> Word:
    bases = TextKeys.of(_BASES.get(word.text.lower(), "")).frequencies.keys() & found
    if not bases:
        return word
    stems = {key for key in bases if key.startswith(STEM_PREFIX)}
    return replace(word, keys=word.keys | (bases - stems), stems=word.stems | stems, in_store=True)


def _rows(side: _Side) -> list[Measured]:
    return [row for _, row in side.told]


def _read_side(wanted: Wanted, read: ReadWords, passages: Sequence[Passage], embed: Embed | None, place: int) -> _Side:
    name, other = wanted.sides[place], read(wanted.sides[1 - place])
    named = read(name)
    own, foreign = _without(named, other), _without(other, named)
    about = read(f"{wanted.about or wanted.core} {name}" if wanted.about else name)
    rows = measure_sentences(about, with_rows(passages, about), embed)
    told = [
        (score - loss, row) for score, row in score_sentences(rows) if (loss := _loss(row, own, foreign)) is not None
    ]
    told.sort(key=lambda pair: (-round(pair[0], 4), pair[1].sentence.hit.record.seq, pair[1].sentence.start))
    return _Side(name, named, own, about, tuple(told[:CANDIDATES]))


def _without(one: Inquiry, other: Inquiry) -> Inquiry:
    """The words that only one side has; all of them where both have the same."""
    theirs = {key for word in other.words for key in word.keys | word.stems}
    words = tuple(word for word in one.words if theirs.isdisjoint(word.keys | word.stems))
    return replace(one, words=words or one.words)


def _is_of(sentence: Sentence, side: _Side, other: _Side) -> bool:
    """Whether the values of a sentence are surely those of its side: it has a word of its name, and not the other's."""
    bare = all(word.is_number for word in other.own.words)  # "Quill 4": a 4 alone may be anything
    if other.name in sentence.text if bare else other.own.coverage(sentence.keys) >= NAMED_SHARE:
        return False
    return bool(side.named.covered(sentence.keys)) or sentence.is_dangling


def _loss(row: Measured, own: Inquiry, foreign: Inquiry) -> float | None:
    """What a sentence loses for how it names its side, in log-odds; None where it does not."""
    sentence = row.sentence
    if sentence.speaker:  # what a side of a talk says is its own, whomever it calls by name
        return row.fragment if own.coverage(TextKeys.of(sentence.speaker)) >= NAMED_SHARE else None
    shared = SHARED_LOSS if foreign.coverage(sentence.keys) >= NAMED_SHARE else 0.0
    if own.coverage(sentence.keys) >= NAMED_SHARE:
        return shared + row.fragment
    if shared:
        return None
    beside = [sentence.around, sentence.previous.keys if sentence.previous else None]
    hit = sentence.hit
    beside.append(TextKeys.of(f"{hit.title}\n{hit.record.fields.get('section', '')}"))
    near = [keys for keys in beside if keys is not None]
    named = own.coverage(sentence.keys, *near) >= NAMED_SHARE
    elsewhere = any(foreign.coverage(keys) >= NAMED_SHARE for keys in near)
    return BESIDE_LOSS + row.fragment if named and not elsewhere else None


def _pairs(wanted: Wanted, topic: Inquiry | None, first: _Side, second: _Side) -> list[tuple[_Scored, _Scored]]:
    """The best pair; where the question names nothing to compare by, further ones that say the same thing of both."""
    gain = PARALLEL_GAIN if topic is None else PARALLEL_GAIN_ASKED
    units = {id(row.sentence): units_in(wanted, row.sentence) for side in (first, second) for _, row in side.told}

    def worth(pair: tuple[_Scored, _Scored]) -> float:
        (score, row), (other, its) = pair
        shared = AMOUNT_GAIN if units[id(row.sentence)] & units[id(its.sentence)] else 0.0
        return score + other + gain * _alike(row, its, first, second) + shared

    ranked = sorted(product(first.told, second.told), key=lambda pair: -worth(pair))
    best = next((pair for pair in ranked if _is_asked(topic, pair, first, second)), None)
    if best is None:
        return []
    kept = [best]
    for pair in ranked if topic is None else ():
        used = {id(row.sentence) for shown in kept for _, row in shown}
        fresh = used.isdisjoint(id(row.sentence) for _, row in pair) and pair[0][1].sentence is not pair[1][1].sentence
        if fresh and len(kept) < PAIRS and _alike(pair[0][1], pair[1][1], first, second) >= ALIKE:
            kept.append(pair)
    return kept


def _is_asked(topic: Inquiry | None, pair: tuple[_Scored, _Scored], first: _Side, second: _Side) -> bool:
    """Whether both sentences tell what is asked: by a word of it, by their meaning, or because one is as the other."""
    rows = (pair[0][1], pair[1][1])
    if topic is None or _alike(*rows, first, second) >= ALIKE:
        return True
    return all(row.cosine >= MEANT_COSINE or topic.coverage(row.sentence.keys) > 0 for row in rows)


def _alike(one: Measured, two: Measured, first: _Side, second: _Side) -> float:
    """The share of words that two sentences have in common, without those of the sides and without numbers."""
    named = {key for side in (first, second) for word in side.own.words for key in word.keys | word.stems}
    mine, its = (_plain_keys(row.sentence) - named for row in (one, two))
    return len(mine & its) / len(mine | its) if mine | its else 0.0


def _plain_keys(sentence: Sentence) -> set[str]:
    return {key for key in sentence.keys.frequencies if not any(letter.isdigit() for letter in key)}


def _choice(scored: _Scored, part: str) -> Choice:
    score, row = scored
    sentence = row.sentence
    leans = sentence.is_dangling and sentence.previous is not None
    start = sentence.previous.start if leans and sentence.previous is not None else sentence.start
    return Choice(sentence, start, sentence.end, score, part=part)
