"""A question and its hits in, candidate sentences and the numbers that judge them out. Nothing is decided here.

Which measures tell an answerable question from one that is not was measured first (``docs/user/answers.md``): how much
of the question the best sentence and the best passage have, by idf, the cosine of the best sentence, and the BM25
share. For chats it is who the words are about: "I" in a turn is its speaker, "you" the one addressed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from trisynapse_memory.answering.inquiry import Expected, Inquiry, TextKeys
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.scoring.bm25 import K1, bm25_scores
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import normalise
from trisynapse_memory.types import Hit, Modality

Embed = Callable[[Sequence[str]], FloatArray]

PASSAGES_EMBEDDED: Final = 4  # passages whose sentences are embedded; benchmark.md "Refusal without a model"
SENTENCES_EMBEDDED: Final = 24  # sentences in one batch; 0.25 cpu-s (100 sentences per cpu-s, stack.md A1)
HEADING_WORDS: Final = 8

_YEAR: Final = re.compile(
    r"\b(?:1[0-9]\d\d|20\d\d)s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday)\b"
    r"|\blast (?:week|month|year|night)\b|\b\d+ (?:days|weeks|months|years) ago\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|third"
    r"|quarter|twice|once|double)\b",
    re.IGNORECASE,
)
_INNER_CAPITAL: Final = re.compile(r"(?<=[\w,;:(] )\W?[A-Z][\w.'-]+|^[A-Z]\w+ [A-Z]\w+")
_REFERENCE: Final = re.compile(
    r"^(?:\[\d+\]|\d{1,3}\.)\s+[A-Z].*(?:\bet al\b|arXiv|\bdoi\b|\bpp?\.|\bProc|\bJournal|\bvol\b"
    r"|\b(?:19|20)\d\d[a-z]?\b)"
    r"|^[A-Z][\w'-]+,? (?:[A-Z]\.,? ?)+.*\b(?:19|20)\d\d\b|\barXiv preprint\b|\bIn Proceedings of\b|\bURL https?:",
    re.DOTALL,
)
_LEADERS: Final = re.compile(r"(?:\.\s?){5}")  # of a table of contents
_ENTRY: Final = re.compile(r"\[\d{1,3}\]\s")
_CAPTION: Final = re.compile(r"^(?:fig(?:ure|\.)?|table)\s*\d+", re.IGNORECASE)
_END: Final = re.compile(r"[.!?:;\u3002\uff01\uff1f\u06d4\u061f][\"'\u201d\u2019)\]\d]*$")
_DANGLING: Final = re.compile(
    r"^(?:it|its|this|these|those|that|such|he|she|they|his|her|their|here|both|thus|therefore|however|moreover"
    r"|furthermore|also|consequently|instead)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_SECOND_PERSON: Final = re.compile(
    r"\b(?:you|you're|you've|your|yours|congrat\w*)\b|^(?:great|awesome|amazing|nice|good|wow)[ ,!]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a hit; ``start`` and ``end`` count in ``hit.record.text``. ``text`` is it as one line."""

    hit: Hit
    rank: int
    start: int
    end: int
    text: str
    keys: TextKeys
    previous: Sentence | None = None

    @property
    def is_dangling(self) -> bool:
        """Whether it leans on the sentence before it ("It was ...")."""
        return self.previous is not None and _DANGLING.match(self.text) is not None

    @property
    def is_fragment(self) -> bool:
        """Whether it is a caption, a title or a stray cell rather than a sentence; shown only for want of better."""
        return _CAPTION.match(self.text) is not None or (not self.speaker and _END.search(self.text) is None)

    @property
    def speaker(self) -> str:
        """Who said it, in a conversation; else an empty string."""
        return speaker_of(self.hit)


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with its sentences; ``keys`` are those of its text and of its searchable fields."""

    hit: Hit
    rank: int
    sentences: tuple[Sentence, ...]
    keys: TextKeys


@dataclass(frozen=True, slots=True)
class Measured:
    """A candidate sentence with its measures, each in [0, 1] but ``cosine``, in [-1, 1] (0 where not embedded)."""

    sentence: Sentence
    coverage: float
    context: float  # coverage of the sentence with the one before it
    passage: float  # coverage of its passage
    cosine: float
    hit_score: float  # its hit's score as a share of the best
    fits_type: float
    fragment: float

    @property
    def support(self) -> float:
        """How far this one place carries the question: sentence, passage and meaning together, in [-1/3, 1]."""
        return (self.context + self.passage + self.cosine) / 3.0

    def vector(self) -> tuple[float, ...]:
        """The measures in the order of ``selection.RANKER``."""
        return (
            self.coverage, self.context, self.passage, self.cosine, self.hit_score, self.fits_type, self.fragment
        )  # fmt: skip


def is_conversation(hits: Sequence[Hit]) -> bool:
    """Whether most of the hits are turns of a conversation; refusals are calibrated per kind of store."""
    return 2 * sum(hit.record.modality is Modality.CONVERSATION for hit in hits) > len(hits)


def speaker_of(hit: Hit) -> str:
    """The speaker of a conversation hit, or an empty string."""
    locator = hit.record.locator
    return hit.record.fields.get("speaker", "") or (locator.speaker if locator and locator.speaker else "")


def passages_of(hits: Sequence[Hit]) -> tuple[Passage, ...]:
    """Cut each hit into the sentences an answer may quote; headings, references and questions are left out."""
    passages: list[Passage] = []
    for rank, hit in enumerate(hits):
        fields = " ".join(value for name, value in hit.record.fields.items() if name != "speaker")
        keys = TextKeys.of(f"{hit.record.text}\n{fields}\n{hit.title}")
        passages.append(Passage(hit, rank, tuple(_sentences(hit, rank)), keys))
    return tuple(passages)


def _sentences(hit: Hit, rank: int) -> Iterator[Sentence]:
    text = hit.record.text
    talk = hit.record.modality is Modality.CONVERSATION
    previous: Sentence | None = None
    for start, end in sentence_spans(text):
        line = one_line(text[start:end])
        if not _is_quotable(line, talk) or (not talk and _in_reference(text, start)):
            previous = None
            continue
        keys = TextKeys.of(line)
        yield Sentence(hit, rank, start, end, line, keys, previous)
        # Only the neighbour is kept, not the chain of all before it.
        previous = Sentence(hit, rank, start, end, line, keys)


def one_line(text: str) -> str:
    """A stretch of a page as one line, words that a line end broke joined again."""
    return normalise(text).text.strip() if "-\n" in text or "\u00ad" in text else " ".join(text.split())


def _in_reference(text: str, start: int) -> bool:
    """Whether a sentence stands in an entry of a reference list; a splitter cuts entries at their initials."""
    begin = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    end = text.find("\n\n", start)
    return (
        _ENTRY.match(text, begin) is not None and _REFERENCE.search(text[begin : end if end >= 0 else None]) is not None
    )


def _is_quotable(line: str, talk: bool) -> bool:
    if line.endswith(("?", "\uff1f", "\u061f")) or not any(letter.isalnum() for letter in line):
        return False
    if talk:
        return True
    if not any(letter.isalpha() for letter in line):
        return False
    if line.startswith("#") or _REFERENCE.search(line) or _LEADERS.search(line):
        return False
    short = len(line.split()) <= HEADING_WORDS
    return not (short and not _END.search(line) and not any(letter.isdigit() for letter in line))


def measure_sentences(inquiry: Inquiry, passages: Sequence[Passage], embed: Embed | None) -> list[Measured]:
    """Measure every quotable sentence against the question; at most ``SENTENCES_EMBEDDED`` of them are embedded."""
    best = max((passage.hit.score for passage in passages), default=0.0) or 1.0
    rows: list[Measured] = []
    for passage in passages:
        covered = inquiry.coverage(passage.keys)
        for sentence in passage.sentences:
            own = inquiry.coverage(sentence.keys)
            context = inquiry.coverage(sentence.keys, sentence.previous.keys) if sentence.previous else own
            rows.append(
                Measured(
                    sentence, own, context, covered, 0.0, passage.hit.score / best,
                    float(fits_type(inquiry.expected, sentence.text)), float(sentence.is_fragment),
                )
            )  # fmt: skip
    return _with_cosines(inquiry.question, rows, embed) if embed is not None else rows


def _with_cosines(question: str, rows: list[Measured], embed: Embed) -> list[Measured]:
    near = [index for index, row in enumerate(rows) if row.sentence.rank < PASSAGES_EMBEDDED]
    chosen = sorted(near, key=lambda index: (-rows[index].context - rows[index].passage, index))[:SENTENCES_EMBEDDED]
    if not chosen:
        return rows
    vectors = embed([question, *(rows[index].sentence.text for index in chosen)])
    cosines = vectors[1:] @ vectors[0]
    for index, cosine in zip(chosen, cosines.tolist(), strict=True):
        row = rows[index]
        rows[index] = Measured(
            row.sentence,
            row.coverage,
            row.context,
            row.passage,
            float(cosine),
            row.hit_score,
            row.fits_type,
            row.fragment,
        )
    return rows


def fits_type(expected: Expected, text: str) -> bool:
    """Whether a text has a thing of the type that the question asks for."""
    if expected is Expected.DATE:
        return _YEAR.search(text) is not None
    if expected is Expected.NUMBER:
        return _NUMBER.search(text) is not None
    return expected is Expected.ANY or _INNER_CAPITAL.search(text) is not None


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well all hits together carry a question; shares in [0, 1], ``cosine`` and ``gap`` in [-1, 1].

    ``support`` is the best of ``Measured.support``: measures of one place tell more than the best of each anywhere.
    ``rarest_missing`` is the idf of the rarest word the best passage lacks, as a share of the rarest possible.
    ``gap`` is for chats: the best sentence about the person who is asked about, minus the best about somebody else.
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
        gap=_attributed_gap(inquiry, rows),
    )


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


def people_of(sentence: Sentence, speakers: frozenset[str]) -> frozenset[str]:
    """Whom a sentence of a turn is about: "I" is its speaker, "you" the others, a name that person."""
    people = {name for name in speakers if re.search(rf"\b{re.escape(name.split()[0])}\b", sentence.text)}
    if _FIRST_PERSON.search(sentence.text):
        people.add(sentence.speaker)
    if _SECOND_PERSON.search(sentence.text):
        people |= speakers - {sentence.speaker}
    return frozenset(people) or frozenset({sentence.speaker})


def _attributed_gap(inquiry: Inquiry, rows: Sequence[Measured]) -> float:
    asked = inquiry.people
    if not asked:
        return 0.0
    speakers = asked | {row.sentence.speaker for row in rows if row.sentence.speaker}
    about: list[float] = [0.0]
    others: list[float] = [0.0]
    for row in rows:
        people = people_of(row.sentence, speakers)
        strength = 0.5 * row.coverage + 0.5 * max(0.0, row.cosine)
        if people & asked:
            about.append(strength)
        if people - asked:
            others.append(strength)
    return max(about) - max(others)
