"""Ranked records and what is known around them in, what each gains or loses out, by name. Nothing is looked up here.

A passage of a document is judged by its words and by the passages beside it; a turn of a conversation between people
by what it says together with the turn before it, by who speaks and by the days it names; in a conversation with an
assistant only by who wrote it. Every part is a weight of the settings times a measure in [-1, 1]
(docs/formulas.md, "Reranking").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from trisynapse_memory.config import Config
from trisynapse_memory.scoring.bm25 import idf
from trisynapse_memory.text.dates import find_dates
from trisynapse_memory.text.tokens import index_key, tokenize
from trisynapse_memory.types import (
    Beside,
    Intent,
    MessageDetails,
    Modality,
    QueryPlan,
    Record,
    TermHolders,
)

# Share with which the turn behind a turn holds words for it: LoCoMo recall@10 .777 for 0, .780 for a half, with turns
# read in their context (docs/benchmark.md, "The third stage").
AFTER_SHARE: Final = 0.5

Words = tuple[tuple[str, ...], ...]
"""The words of a question, each as the index keys that stand for it."""

_NOBODY: Final = Beside(None, None)
_ASSISTANTS: Final = frozenset({"assistant", "tool", "system"})
_HERSELF: Final = frozenset({"user", "you", "human"})  # speakers that only a conversation with an assistant has
_ASKS_ASSISTANT: Final = re.compile(
    r"\b(?:you|assistant|chatbot|chatgpt|model)\b.{0,40}\b(?:sa(?:id|y)|sugges\w+|recommend\w*|advi[sc]e\w*|told|tell"
    r"|explain\w*|propos\w+|wr[io]te\w*|g[ai]ve\w*|provid\w+|mention\w*|answer\w*)\b",
    re.IGNORECASE,
)
_QUESTION_ENDS: Final = ("?", "\uff1f", "\u061f")


class Surroundings(Struct, frozen=True, kw_only=True):
    """What is known around the candidates, by log position.

    ``scores`` are those of fusion in [0, 1], ``mentions`` how strongly another candidate names the source, ``holders``
    which candidates (and turns before them) hold which key of the question. ``followed`` is how strongly each other
    following route, by its name, leads to a record.
    """

    records: Mapping[int, Record]
    scores: Mapping[int, float]
    beside: Mapping[int, Beside]
    mentions: Mapping[int, float]
    holders: TermHolders
    followed: Mapping[str, Mapping[int, float]] = {}


def words_of(plan: QueryPlan) -> Words:
    """Return the content words of a question, each as the keys that stand for it in the index."""
    known = {term.key for term in plan.terms}
    words: dict[int, list[str]] = {}
    for token in tokenize(plan.question):
        key = index_key(token)
        if key in known:
            words.setdefault(token.position, []).append(key)
    return tuple(dict.fromkeys(tuple(keys) for keys in words.values()))


def between_people(records: Mapping[int, Record]) -> frozenset[int]:
    """Return the turns (log positions) of conversations in which no assistant speaks."""
    assisted = {one.group_id for one in records.values() if _role(one) in _ASSISTANTS}
    return frozenset(
        seq
        for seq, one in records.items()
        if is_turn(one) and one.group_id not in assisted and _speaker(one) not in _HERSELF
    )


class Measurer:
    """Measures the candidates of one question.

    Args:
        plan: the question.
        known: what is known around them.
        config: the weights.
    """

    def __init__(self, plan: QueryPlan, known: Surroundings, config: Config) -> None:
        self._plan = plan
        self._known = known
        self._config = config
        self._words = words_of(plan)
        self._weights = [self._rarity(word) for word in self._words]
        self._shares: dict[int, float] = {}  # by the words that are held: most candidates hold one of few choices
        self._asked = {word.casefold() for word in re.findall(r"\w+", plan.question)}

    def parts(self) -> dict[int, dict[str, float]]:
        """Return what each candidate gains (above 0) or loses, by name; what is 0 is left out."""
        parts = {seq: self._own_parts(seq) for seq in self._known.records}
        totals = {seq: self._known.scores.get(seq, 0.0) + sum(found.values()) for seq, found in parts.items()}
        best: dict[str | None, float] = {}
        for seq, total in totals.items():
            group = self._known.records[seq].group_id
            best[group] = max(total, best.get(group, 0.0))
        for seq, record in self._known.records.items():
            session = self._config.session_weight * best[record.group_id]
            if session and is_turn(record):
                parts[seq]["session"] = session
        return parts

    def _own_parts(self, seq: int) -> dict[str, float]:
        """What a candidate gains or loses by itself and by what is beside it."""
        record = self._known.records[seq]
        config, parts = self._config, {"mention": self._config.mention_weight * self._known.mentions.get(seq, 0.0)}
        for name, scores in self._known.followed.items():
            parts[name] = self._plan.route_weights.get(name, 0.0) * scores.get(seq, 0.0)
        if not is_turn(record):
            parts["neighbour"] = config.document_neighbour_weight * self._neighbour(seq)
            parts["coverage"] = config.coverage_weight * self._coverage([seq])
        elif seq not in self._between_people:
            parts["assistant"] = -config.assistant_weight * self._is_unasked(record)
        else:
            parts["neighbour"] = config.turn_neighbour_weight * self._neighbour(seq)
            parts["exchange"] = config.exchange_weight * self.exchange(seq)
            parts["speaker"] = config.speaker_weight * self._speaker(record)
            parts["time"] = config.time_weight * self._names_day(record)
            parts["asking"] = -config.asking_weight * record.text.rstrip().endswith(_QUESTION_ENDS)
        return {name: value for name, value in parts.items() if value}

    def _beside(self, seq: int) -> Beside:
        return self._known.beside.get(seq, _NOBODY)

    def _rarity(self, word: Collection[str]) -> float:
        holders = self._known.holders
        commonest = max((holders.frequencies.get(key, 0) for key in word), default=0)
        return idf(min(commonest, holders.record_count), holders.record_count)

    def _neighbour(self, seq: int) -> float:
        """The better score of the records beside this one."""
        return max(self._known.scores.get(one, 0.0) if one is not None else 0.0 for one in self._beside(seq))

    @cached_property
    def _held(self) -> dict[int, int]:
        """Which of the question's words each record holds: bit n is word n."""
        held: dict[int, int] = {}
        for place, word in enumerate(self._words):
            for seq in frozenset[int]().union(*(self._known.holders.holders.get(key, ()) for key in word)):
                held[seq] = held.get(seq, 0) | 1 << place
        return held

    def _coverage(self, seqs: Sequence[int | None]) -> float:
        """The share of the question's words, by rarity, that these records hold together."""
        bits = 0
        for seq in seqs:
            bits |= self._held.get(seq, 0) if seq is not None else 0
        share = self._shares.get(bits)
        if share is None:
            total = sum(self._weights)
            held = sum(weight for place, weight in enumerate(self._weights) if bits >> place & 1)
            share = self._shares[bits] = held / total if total else 0.0
        return share

    def exchange(self, seq: int) -> float:
        """The share of the question's words that a record and those beside it hold, in [0, 1]; no record is needed.

        What the one behind it says counts by its share.
        """
        beside = self._beside(seq)
        return (1 - AFTER_SHARE) * self._coverage([seq, beside.before]) + AFTER_SHARE * self._coverage([seq, *beside])

    # ------------------------------------------------------------ conversations

    @cached_property
    def _between_people(self) -> frozenset[int]:
        return between_people(self._known.records)

    @cached_property
    def _named(self) -> frozenset[str]:
        """The speakers whom the question names, by any of their names."""
        speakers = {_speaker(one) for one in self._known.records.values() if is_turn(one)}
        return frozenset(one for one in speakers if self._asked & set(re.findall(r"\w+", one)))

    def _is_unasked(self, record: Record) -> bool:
        """Whether an assistant wrote it and nobody asks for an assistant's words."""
        return _role(record) in _ASSISTANTS and not _ASKS_ASSISTANT.search(self._plan.question)

    def _speaker(self, record: Record) -> float:
        """1 for a turn by somebody the question names, -1 for one by somebody else, 0 where it names no speaker."""
        if not self._named:
            return 0.0
        return 1.0 if _speaker(record) in self._named else -1.0

    def _names_day(self, record: Record) -> bool:
        """Whether the question asks for a time, and the turn names another day than its own."""
        if self._plan.intent is not Intent.TEMPORAL:
            return False
        own = record.observed_at.date() if record.observed_at is not None else None
        spans = find_dates(record.text, own)
        return any(own is None or not span.interval.start <= own <= span.interval.end for span in spans)


def is_turn(record: Record) -> bool:
    """Whether a record is a turn of a conversation."""
    return record.modality is Modality.CONVERSATION and record.locator is not None and record.locator.kind == "turn"


def _speaker(record: Record) -> str:
    return ((record.locator.speaker or "") if record.locator is not None else "").casefold()


def _role(record: Record) -> str:
    """Who wrote a turn: a role such as ``user`` or ``assistant``, or the speaker where none was told."""
    if not is_turn(record):
        return ""
    role = record.payload.role if isinstance(record.payload, MessageDetails) else ""
    return role.casefold() or _speaker(record)
