"""A question and its hits in, candidate sentences and the numbers that judge them out. Nothing is decided here.

Which measures tell an answerable question from one that is not was measured first (``docs/user/answers.md``): how much
of the question the best sentence and the best passage have, by idf, the cosine of the best sentence, and the BM25
share. For chats it is who the words are about: "I" in a turn is its speaker, "you" the one addressed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final

import numpy as np

from trisynapse_memory.answering.answer_types import Expected, binding, fits_type, gives, proximity
from trisynapse_memory.answering.attribution import attributed_gap
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.sentences import Passage, Sentence
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.scoring.bm25 import K1, bm25_scores
from trisynapse_memory.text.tokens import STEM_PREFIX

Embed = Callable[[Sequence[str]], FloatArray]

SENTENCES_READ: Final = 40  # of all, by words, whose words are looked at one by one
SENTENCES_EMBEDDED: Final = 4  # of those, by all that words tell; 10 ms each (stack.md A1)
EMBEDDED_CHARS: Final = 240  # of a sentence; a longer one is a list, and costs as much as three
# Log-odds that a sentence holds the answer, without its cosine, by the order of ``Measured.vector``; see
# ``selection.RANKER``.
RANKER_WORDS: Final = (4.22, 2.87, 2.33, 0.0, 4.68, 2.58, -2.0, 1.44, 1.12, 0.97)
BACKGROUND_RANK: Final = 3  # two records may well answer a question; what comes behind is only near it. Not tuned
# Cosine; a third record farther away tells that the store is small, and nothing of the question. XQuAD: at most .002 in
# AUROC between 0 and 0.5, and the median of its questions is .44.
BACKGROUND_LEAST: Final = 0.4
SAME_SUBJECT: Final = 0.6  # of the best passage's coverage, for an attribute given there to be the one asked for


@dataclass(frozen=True, slots=True)
class Measured:
    """A candidate sentence with its measures, each in [0, 1] but ``cosine``, in [-1, 1] (0 where not embedded)."""

    sentence: Sentence
    coverage: float
    context: float  # coverage of the sentence with the one before it
    passage: float  # coverage of its passage
    hit_score: float  # its hit's score as a share of the best
    source: float = 0.0  # coverage of its source: title and all its hits together
    cosine: float = 0.0
    fits_type: float = 0.0  # 0 where the question asks for no type
    fragment: float = 0.0
    bound: float = 0.0  # how closely its number or value is tied to what is asked
    proximity: float = 0.0  # how close together it has neighbours of the question

    @property
    def support(self) -> float:
        """How far this one place carries the question: sentence, passage and meaning together, in [-1/3, 1]."""
        return (self.context + self.passage + self.cosine) / 3.0

    @property
    def promise(self) -> float:
        """The log-odds that it holds the answer by words alone, to choose what is embedded."""
        return sum(weight * measure for weight, measure in zip(RANKER_WORDS, self.vector(), strict=True))

    def vector(self) -> tuple[float, ...]:
        """The measures in the order of ``selection.RANKER``."""
        return (
            self.coverage, self.context, self.passage, self.cosine, self.hit_score, self.fits_type, self.fragment,
            self.bound, self.proximity, self.source,
        )  # fmt: skip


def measure_sentences(inquiry: Inquiry, passages: Sequence[Passage], embed: Embed | None) -> list[Measured]:
    """Measure every quotable sentence against the question; at most ``SENTENCES_EMBEDDED`` of them are embedded."""
    best = max((passage.hit.score for passage in passages), default=0.0) or 1.0
    sources = _source_coverages(inquiry, passages)
    rows: list[Measured] = []
    for passage in passages:
        covered = inquiry.coverage(passage.keys)
        for sentence in passage.sentences:
            own = inquiry.coverage(sentence.keys)
            beside = sentence.around or (sentence.previous.keys if sentence.previous else None)
            context = inquiry.coverage(sentence.keys, beside) if beside else own
            source = sources[_source_of(passage)]
            rows.append(Measured(sentence, own, context, covered, passage.hit.score / best, source))
    _read_closely(inquiry, rows)
    if embed is not None:
        _embed_best(inquiry.question, rows, embed)
    return rows


def _source_of(passage: Passage) -> str:
    return str(passage.hit.record.source_id or passage.hit.source_key)


def _source_coverages(inquiry: Inquiry, passages: Sequence[Passage]) -> dict[str, float]:
    groups: dict[str, list[Passage]] = {}
    for passage in passages:
        groups.setdefault(_source_of(passage), []).append(passage)
    return {name: inquiry.coverage(*(passage.keys for passage in group)) for name, group in groups.items()}


def _read_closely(inquiry: Inquiry, rows: list[Measured]) -> None:
    """Look at the type, the ties and the order of words, which take longer than counting, where it may matter."""
    stems = [frozenset(key.removeprefix(STEM_PREFIX) for key in word.keys | word.stems) for word in inquiry.words]
    weights = [word.weight for word in inquiry.words]
    typed = inquiry.expected is not Expected.ANY
    order = sorted(range(len(rows)), key=lambda index: (-rows[index].promise, index))
    for index in order[:SENTENCES_READ]:
        text = rows[index].sentence.text
        rows[index] = replace(
            rows[index],
            fits_type=float(typed and fits_type(inquiry.expected, text, inquiry.sought.given)),
            fragment=float(rows[index].sentence.is_fragment),
            bound=1.0 if rows[index].sentence.is_extreme else binding(inquiry.sought, text),
            proximity=proximity(stems, weights, text),
        )
    for index in order[SENTENCES_READ:]:
        rows[index] = replace(rows[index], fragment=1.0)


def _embed_best(question: str, rows: list[Measured], embed: Embed) -> None:
    """Give the most promising sentences their cosine; a row of a table has that of the table, which is known."""
    order = sorted(range(len(rows)), key=lambda index: (-rows[index].promise, index))
    chosen = [index for index in order if not rows[index].sentence.is_row][:SENTENCES_EMBEDDED]
    for index, row in enumerate(rows):
        if row.sentence.is_row:
            rows[index] = replace(row, cosine=row.sentence.hit.parts.get("semantic", 0.0))
    if not chosen:
        return
    vectors = embed([question, *(rows[index].sentence.text[:EMBEDDED_CHARS] for index in chosen)])
    cosines = vectors[1:] @ vectors[0]
    for index, cosine in zip(chosen, cosines.tolist(), strict=True):
        rows[index] = replace(rows[index], cosine=float(cosine))


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well all hits together carry a question; shares in [0, 1], cosines and ``gap`` in [-1, 1].

    ``support`` is the best of ``Measured.support``: measures of one place tell more than the best of each anywhere.
    ``rarest_missing`` is the idf of the rarest word the best passage lacks, as a share of the rarest possible.
    ``gap`` is for chats: the best that is said about the person asked about, minus the best about somebody else.
    ``apart`` is the share of the question's names and numbers that even the passage with most of them lacks.
    ``bound`` is the best support of a sentence that ties a number to what is counted, ``typed`` of one that holds a
    thing of the asked type; ``support`` where nothing is counted, or no type is asked for.
    ``attribute_missing`` is 1 where a known attribute is asked for (a weight, a salary) that no sentence gives.
    ``background`` is the cosine of the third best record, in [0.4, 1]: how near the store is to the question anyway.
    ``demand`` is the natural logarithm of the weight of the question's words, >= 0: a passage that answers a long
    question has a smaller share of it.
    """

    support: float
    sentence: float
    passage: float
    cosine: float
    bm25_share: float
    rarest_missing: float
    names_missing: float
    numbers_missing: float
    fits_type: float
    gap: float
    bound: float = 0.0
    attribute_missing: float = 0.0
    apart: float = 0.0
    typed: float = 0.0
    background: float = 0.0
    demand: float = 0.0


def measure_evidence(inquiry: Inquiry, passages: Sequence[Passage], rows: Sequence[Measured]) -> Evidence:
    """Sum up what the hits say about a question, for the decision whether to answer at all."""
    best = max(passages, key=lambda passage: (inquiry.coverage(passage.keys), -passage.rank), default=None)
    missing = [word for word in inquiry.words if best is None or not word.share(best.keys)]
    rarest = max((word.weight for word in inquiry.words), default=1.0)
    return Evidence(
        support=max((row.support for row in rows), default=0.0),
        sentence=max((row.coverage for row in rows), default=0.0),
        passage=inquiry.coverage(best.keys) if best else 0.0,
        cosine=max((row.cosine for row in rows), default=0.0),
        bm25_share=_bm25_share(inquiry, passages),
        rarest_missing=max((word.weight for word in missing), default=0.0) / rarest,
        names_missing=_share([word in missing for word in inquiry.words if word.is_name]),
        numbers_missing=_share([word in missing for word in inquiry.words if word.is_number]),
        fits_type=max((row.fits_type for row in rows if row.coverage > 0), default=0.0),
        gap=attributed_gap(inquiry, passages, [(row.sentence, row.coverage) for row in rows]),
        bound=max((row.support for row in rows if row.bound or not inquiry.sought.counted), default=0.0),
        attribute_missing=float(_lacks_attribute(inquiry, rows)),
        apart=_share_apart(inquiry, passages),
        typed=max((row.support for row in rows if row.fits_type or inquiry.expected is Expected.ANY), default=0.0),
        background=_background(passages),
        demand=log(max(1.0, inquiry.total)),
    )


def _background(passages: Sequence[Passage]) -> float:
    """The cosine of the record at ``BACKGROUND_RANK`` by meaning, ``BACKGROUND_LEAST`` at least."""
    cosines = sorted((passage.hit.parts.get("semantic", 0.0) for passage in passages), reverse=True)
    return max([BACKGROUND_LEAST, *cosines[BACKGROUND_RANK - 1 : BACKGROUND_RANK]])


def _share_apart(inquiry: Inquiry, passages: Sequence[Passage]) -> float:
    """How many of the names and numbers of the question no single passage has together, as a share of them."""
    named = [word for word in inquiry.words if word.is_name or word.is_number]
    return min((_share([not word.share(passage.keys) for word in named]) for passage in passages), default=0.0)


def _lacks_attribute(inquiry: Inquiry, rows: Sequence[Measured]) -> bool:
    """Whether the question asks for a known attribute, and no sentence about its subject gives one."""
    attribute = inquiry.sought.attribute
    if attribute is None:
        return False
    least = SAME_SUBJECT * max((row.passage for row in rows), default=0.0)
    return not any(row.passage >= least and gives(attribute, row.sentence.text) for row in rows)


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0


def _bm25_share(inquiry: Inquiry, passages: Sequence[Passage]) -> float:
    """The best BM25 score as a share of what a passage made of the question's words alone could reach."""
    ceiling = inquiry.total * (K1 + 1.0)
    if not passages or not ceiling:
        return 0.0
    lengths = [passage.keys.length for passage in passages]
    scores = np.zeros(len(passages))
    for word in inquiry.words:
        forms = word.keys | word.stems
        counts = [max(passage.keys.frequencies.get(form, 0) for form in forms) for passage in passages]
        scores += bm25_scores(counts, lengths, term_idf=word.weight, average_length=float(np.mean(lengths)))
    return float(scores.max() / ceiling)
