"""A seed in, records of 60 words with the facts they state out, and their drafts for the log. Nothing is stored here.

Three facts in ten are about one of 2,000 popular subjects, which follow Zipf's law; the others are about names that
only their source knows. Half are results, whose metric and dataset make them comparable, a quarter uses, a quarter
dates.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trisynapse_memory.bench.scale import word_of
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.types import (
    Actor,
    Draft,
    ExtractionDetails,
    FactDetails,
    Kind,
    Locator,
    PageDetails,
    PageVerdict,
    Record,
    SourceId,
    Terms,
)

WORD_COUNT = 60  # of a record
FACT_COUNT = 2  # a record states at most
POPULAR_COUNT, POPULAR_SHARE = 2_000, 0.3
LOCAL_COUNT = 100  # subjects that only one source knows
VOCABULARY_COUNT = 50_000
PATTERN = "bench"
METRICS = ("accuracy", "F1", "BLEU", "recall", "perplexity", "latency", "error rate", "precision")


@dataclass(frozen=True)
class Stated:
    """One fact that a text states, with its span there."""

    start: int
    end: int
    subject: str
    relation: str
    object: str
    qualifiers: dict[str, str]


@dataclass(frozen=True)
class Written:
    """One record as it is drawn: 60 words, of which the first two sentences state a fact each."""

    text: str
    facts: tuple[Stated, ...]
    terms: Terms


class Writer:
    """Draws records, each with so many facts; the same seed draws the same ones."""

    def __init__(self, seed: int = 7, fact_count: int = FACT_COUNT) -> None:
        self.fact_count = fact_count
        self._random = np.random.default_rng(seed)
        self._words = _zipf(VOCABULARY_COUNT, 1.05)
        self._popular = _zipf(POPULAR_COUNT, 1.0)

    def record(self, source_number: int) -> Written:
        """Return one record of a source."""
        text, facts = "", list[Stated]()
        for _ in range(self.fact_count):
            sentence, stated = self._fact(source_number)
            facts.append(Stated(len(text), len(text) + len(sentence), *stated))
            text += sentence + " "
        missing = WORD_COUNT - len(text.split())
        ranks = np.searchsorted(self._words, self._random.random(missing)).tolist()
        text += " ".join(word_of(rank) for rank in ranks).capitalize() + "."
        return Written(text, tuple(facts), terms_of(text, {}))

    def vectors(self, count: int, dimension: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """Draw unit vectors, evenly over the sphere."""
        drawn = self._random.standard_normal((count, dimension)).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def _fact(self, source_number: int) -> tuple[str, tuple[str, str, str, dict[str, str]]]:
        subject = self._name(source_number)
        match int(self._random.integers(4)):
            case 0 | 1:
                value, metric, dataset = self._random.integers(100, 1000) / 10, self._metric(), self._dataset()
                found = (subject, "has_result", f"{value} {metric}", {"metric": metric, "dataset": dataset})
                return f"{subject} reaches {value} {metric} on {dataset}.", found
            case 2:
                used = self._name(source_number)
                return f"{subject} uses {used}.", (subject, "uses", used, {})
            case _:
                day = f"20{self._random.integers(10, 27)}-{self._random.integers(1, 13):02}-11"
                return f"{subject} launches on {day}.", (subject, "launch_date", day, {})

    def _name(self, source_number: int) -> str:
        if self._random.random() < POPULAR_SHARE:
            rank = int(np.searchsorted(self._popular, self._random.random()))
            return f"{word_of(rank).capitalize()}Net"
        rank = source_number * LOCAL_COUNT + int(self._random.integers(LOCAL_COUNT))
        return f"{word_of(rank).capitalize()} Method"

    def _metric(self) -> str:
        return METRICS[int(self._random.integers(len(METRICS)))]

    def _dataset(self) -> str:
        return f"{word_of(int(self._random.integers(50))).capitalize()}Bench"


def batched(given: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    left = iter(given)
    while batch := tuple(itertools.islice(left, size)):
        yield batch


def _zipf(count: int, exponent: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    shares = 1.0 / np.arange(1, count + 1) ** exponent
    return np.cumsum(shares / shares.sum())


# ---------------------------------------------------------------- drafts for the log


def page_drafts(source_id: SourceId, number: int, page: Iterable[Written]) -> Iterator[Draft]:
    texts = [one.text for one in page]
    yield Draft(
        kind=Kind.PAGE,
        text="\n\n".join(texts),
        source_id=source_id,
        locator=Locator(kind="page", page=number),
        payload=PageDetails(verdict=PageVerdict.OK),
        external_key=f"source:{source_id}:page:{number}",
    )
    start = 0
    for place, text in enumerate(texts):
        yield Draft(
            kind=Kind.RAW_SOURCE,
            text=text,
            source_id=source_id,
            group_id=source_id,
            locator=Locator(kind="page", page=number, start=start, end=start + len(text)),
            external_key=f"source:{source_id}:chunk:{number}:{place}",
        )
        start += len(text) + 2


def fact_drafts(part: Iterable[tuple[Record, Written]]) -> list[Draft]:
    """Return the facts of a batch and the receipt that says it was read, as ``pipelines/extraction.py`` writes them."""
    pairs = list(part)
    facts = [fact_draft(record, stated) for record, written in pairs for stated in written.facts]
    ids = tuple(record.id for record, _ in pairs)
    details = ExtractionDetails(extractor="pattern", extractor_version=1, target_record_ids=ids, fact_count=len(facts))
    receipt = Draft(
        kind=Kind.EXTRACTION,
        text=f"Read {len(ids)} records, found {len(facts)} facts.",
        source_id=pairs[0][0].source_id,
        payload=details,
        external_key=f"extraction:pattern/1:{ids[0]}",
    )
    return [*facts, receipt]


def fact_draft(record: Record, stated: Stated) -> Draft:
    place = record.locator
    assert place is not None
    assert place.start is not None
    return Draft(
        kind=Kind.FACT,
        text=record.text[stated.start : stated.end],
        actor=Actor(type="extraction", id="pattern/1"),
        group_id=record.group_id,
        source_id=record.source_id,
        locator=Locator(kind="page", page=place.page, start=place.start + stated.start, end=place.start + stated.end),
        evidence_ids=(record.id,),
        confidence=0.98,
        subject=stated.subject,
        relation=stated.relation,
        object=stated.object,
        payload=FactDetails(
            pattern=PATTERN,
            extractor="pattern",
            extractor_version=1,
            spans=((stated.start, stated.end),),
            qualifiers=stated.qualifiers,
        ),
        external_key=f"fact:pattern/1:{record.id}:{stated.start:020x}",
    )
