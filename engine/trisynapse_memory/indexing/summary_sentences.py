"""Records of a group in, the few sentences that stand for it out, verbatim with their places; no model, no storage.

A sentence is fit when it is understood alone: no pronoun or connective at its start, no pointer to a figure or to
"the above", no heading, reference entry or table row, 8 to 45 words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from trisynapse_memory.scoring.salience import centrality, choose_diverse, sentence_similarities
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import normalise
from trisynapse_memory.text.tokens import STEM_PREFIX, count_terms
from trisynapse_memory.text.unsaid import is_order
from trisynapse_memory.types import Modality, Record, RecordId, SourceId

SENTENCE_LIMIT: Final = 4  # of one summary; engine.md A8.6 asks a model for two to four
WORD_LIMIT: Final = 120  # of one summary; a sentence that exceeds it is left out once two are in
LEAST_COUNT: Final = 2
SHORTEST_WORDS: Final = 8
LONGEST_WORDS: Final = 45
CANDIDATE_LIMIT: Final = 240  # sentences compared with each other; 240 x 240 cosines take a few milliseconds
LETTER_SHARE: Final = 0.75  # of the visible characters; below it is a formula, a table row, an address

ABSTRACT_WEIGHT: Final = 2.5  # what a paper says of itself; the weights are ours, only their order is relied on
FRAME_WEIGHT: Final = 1.3  # introduction and conclusion
FIRST_WEIGHT: Final = 0.5  # added for the first record, falling with the number of records before

_DANGLING: Final = frozenset(
    """it its they them their theirs this these those that he him his she her hers such here there which who whose
    however therefore thus hence moreover furthermore also but and or so then yet nor besides additionally consequently
    accordingly instead otherwise nevertheless nonetheless meanwhile similarly likewise conversely finally lastly
    first second third secondly thirdly next again indeed still further specifically namely both neither either another
    others one some most many same above below later earlier afterwards after because since while whereas although
    though yes no well ok okay oh hi hello thanks i'm it's that's they're he's she's there's what's""".split()
)
_STARTS: Final = re.compile(
    r"(?:in (?:contrast|addition|particular|this(?! (?:paper|work|study|survey|report|article)\b)|that|these|such"
    r"|other words|summary|short|turn)\b|for (?:example"
    r"|instance|this|these|that)\b|on the (?:other|contrary)|as (?:a result|such|shown|seen|described|mentioned|above)"
    r"|to (?:this|that) end|to \w+ (?:this|that|these|it|them)\b|at (?:this|that)|by (?:this|doing)"
    r"|(?:fig|figs|figure|figures|table|tables|eq|equation"
    r"|section|algorithm|appendix|chapter|theorem|lemma)\b|let\b|note\b|see\b|recall\b|keywords?\b|e-?mail\b"
    r"|copyright\b|permission\b|published\b|received\b|accepted\b|proceedings\b|doi\b|arxiv\b)",
    re.IGNORECASE,
)
_POINTERS: Final = re.compile(
    r"\b(?:fig(?:ure|s)?\.?|table|tab\.|eq(?:uation|s)?\.?|section|sec\.|appendix|chapter)\s*\(?[\dIVX]"
    r"|\bthis (?:using|by|with|is|was|can|may|in|to|and|as|,|\.)"
    r"|\b(?:as (?:shown|described|mentioned|discussed|noted)|the (?:former|latter)|see (?:also|above|below)"
    r"|(?:above|below)[,.)]|this (?:sub)?section|this chapter|aforementioned|respectively\.$|page \d+)",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"^\[\d+\]|https?://|www\.|@|\bpp?\.\s?\d|\bvol\.\s?\d|\barXiv\b|\bISBN\b|\bdoi\b|\bIn Proceedings\b|\(eds?\.\)"
)
_ENUMERATED: Final = re.compile(r"[(\[]|\d{1,4}[.)]?\s+[A-Z]")
_BULLET: Final = re.compile("[\u2022\u2023\u25aa\u25cf\u25a0\ue000-\uf8ff|]")
# A word that may be a finite verb; without one it is a heading or an entry of a list.
_VERB: Final = re.compile(
    r"(?<=\s)(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must"
    r"|(?:we|you|they|I|who|which|that)\s+[a-z-]+|[a-z-]{2,}(?:ed|[^sui\W]s)|became|made|held|led|found|showed|gave|took)"
    r"\b"
)
_ENDING: Final = re.compile(r"[.!][\"'\u201d\u2019)\]]*$")
_EMPTY_SECTION: Final = re.compile(
    r"^\W*[\d.IVX]*\W*(?:references|bibliography|acknowledge?ments?|appendix|supplementary|index|contents|funding"
    r"|author contributions?|conflicts? of interest|ccs concepts|keywords|acm reference format|notes)\b",
    re.IGNORECASE,
)
_ABSTRACT: Final = re.compile(r"^\W*(?:abstract|summary|executive summary)\b", re.IGNORECASE)
_FRAME: Final = re.compile(r"^\W*[\d.IVX]*\W*(?:introduction|conclusions?|overview|background)\b", re.IGNORECASE)
_RUN_IN: Final = re.compile(r"^(?:abstract|summary)\s*[.:\u2014\u2013-]\s*", re.IGNORECASE)


class Candidate(NamedTuple):
    """A sentence that may stand for its group: as it is read, where it stands, and what its place is worth."""

    text: str
    record_ids: tuple[RecordId, ...]
    seqs: tuple[int, ...]
    source_id: SourceId | None
    start: int
    end: int
    weight: float
    terms: tuple[str, ...]


def stands_alone(sentence: str) -> bool:
    """Tell whether a sentence is understood without what stands before it, and states something."""
    words = sentence.split()
    if not SHORTEST_WORDS <= len(words) <= LONGEST_WORDS or not _ENDING.search(sentence):
        return False
    opening = sentence.lstrip("\"'\u201c\u2018")
    if _ENUMERATED.match(opening) or _BULLET.search(sentence) or not _is_closed(sentence):
        return False
    if not (opening[:1].isupper() or opening[:1].isdigit()) or words[0].strip("\"',;:\u201c").lower() in _DANGLING:
        return False
    if (
        not _VERB.search(sentence)
        or _STARTS.match(opening)
        or _POINTERS.search(sentence)
        or _REFERENCE.search(sentence)
    ):
        return False
    visible = [letter for letter in sentence if not letter.isspace()]
    letter_count = sum(letter.isalpha() for letter in visible)
    return letter_count >= LETTER_SHARE * len(visible) and not is_order(sentence)


def _is_closed(sentence: str) -> bool:
    """Whether every bracket and curly quote it opens is closed: else it was cut out of something."""
    return all(sentence.count(left) == sentence.count(right) for left, right in ("()", "[]", "\u201c\u201d"))


def as_read(text: str) -> str:
    """Return a stretch of a record as a reader would type it: broken words joined, one space between words."""
    return normalise(text).text.strip() if "-\n" in text or "\u00ad" in text else " ".join(text.split())


def candidates_of(records: Sequence[Record]) -> list[Candidate]:
    """Return the fit sentences of records given in log order, at most ``CANDIDATE_LIMIT``, each text once."""
    found: dict[str, Candidate] = {}
    for place, record in enumerate(records):
        weight = _weight_of(record, place)
        if weight <= 0:
            continue
        for start, end in _spans(record):
            text = as_read(record.text[start:end])
            if stands_alone(text) and text not in found:
                found[text] = _candidate(record, (start, end), text, weight)
            if len(found) >= CANDIDATE_LIMIT:
                return list(found.values())
    return list(found.values())


def fact_candidates(facts: Sequence[Record], evidence: dict[RecordId, Record]) -> list[Candidate]:
    """Return the fit sentences that facts were read from, in log order, each text once, with fact and evidence."""
    found: dict[str, Candidate] = {}
    for place, record in enumerate(facts):
        lead = _RUN_IN.match(record.text)
        words = record.text[lead.end() if lead else 0 :]
        text = as_read(words)
        sources = [evidence[one] for one in record.evidence_ids if one in evidence]
        if not stands_alone(text) or text in found:
            continue
        start = max(sources[0].text.find(words), 0) if sources else 0
        base = _candidate(record, (start, start + len(words)), text, _first(place))
        found[text] = base._replace(
            record_ids=tuple(one.id for one in sources) or base.record_ids,
            seqs=(record.seq, *(one.seq for one in sources)),
        )
    return list(found.values())


def choose(candidates: Sequence[Candidate], limit: int = SENTENCE_LIMIT) -> list[Candidate]:
    """Choose the most central sentences that do not repeat each other, in the order of the text.

    Centrality (TextRank over idf-weighted stems) times the weight of the place, then MMR; at most ``limit`` sentences
    and, from the third on, ``WORD_LIMIT`` words.
    """
    if not candidates:
        return []
    similarities = sentence_similarities([one.terms for one in candidates])
    scores = centrality(similarities) * np.array([one.weight for one in candidates])
    kept: list[int] = []
    word_count = 0
    for place in choose_diverse(scores, similarities, limit):
        length = len(candidates[place].text.split())
        if len(kept) >= LEAST_COUNT and word_count + length > WORD_LIMIT:
            continue
        kept.append(place)
        word_count += length
    return [candidates[place] for place in sorted(kept)]


def _candidate(record: Record, span: tuple[int, int], text: str, weight: float) -> Candidate:
    stems = count_terms(text).frequencies
    terms = tuple(key for key, count in stems.items() if key.startswith(STEM_PREFIX) for _ in range(count))
    return Candidate(text, (record.id,), (record.seq,), record.source_id, *span, weight, terms)


def _spans(record: Record) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(record.text):
        lead = _RUN_IN.match(record.text[start:end])
        yield (start + lead.end() if lead else start), end


def _weight_of(record: Record, place: int) -> float:
    section = record.fields.get("section", "")
    if _EMPTY_SECTION.match(section) or record.modality in (Modality.TABLE, Modality.CODE):
        return 0.0
    if _ABSTRACT.match(section) or _ABSTRACT.match(record.text):
        return ABSTRACT_WEIGHT + _first(place)
    return (FRAME_WEIGHT if _FRAME.match(section) else 1.0) + _first(place)


def _first(place: int) -> float:
    return FIRST_WEIGHT / (1 + place)
