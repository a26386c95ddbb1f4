"""The passages of one source in, what it is about out: a few phrases that it keeps coming back to. No parser is used.

A topic is a few content words in a row that a heading or the title writes, and that several passages come back to. Its
evidence is the first sentence that holds it.

Source:
    Rose, Engel, Cramer and Cowley, *Automatic Keyword Extraction from Individual Documents*, 2010 (RAKE), without its
    scoring of single words: phrases of one word are names here or nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.extraction.reading import is_reference_list
from trisynapse_memory.extraction.vocabulary import PRONOUNS, VAGUE_HEADS, WEAK_MODIFIERS
from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "topic"
MOST_TOPICS: Final = 8  # of the passages of a source that are read together
_FEWEST_PASSAGES: Final = 3  # that hold a topic
_LONGEST: Final = 4  # words
_RUN: Final = re.compile(r"[^\W\d_][\w\u2019'-]*(?:[ \n][^\W\d_][\w\u2019'-]*)*")
_NUMBER: Final = re.compile(r"^[\s\d.IVX]+\.?\s+")
_OTHER: Final = frozenset(
    """also based can could et al etc eg get give given go going however include including made make many may might
    much must need new old one own said say see seen shall show shown shows take taken two use used uses using via will
    would www com http https figure table section page chapter appendix arxiv
    preprint brought look touch press click tap select""".split()
)
_STOPS: Final = FUNCTION_WORDS | _OTHER | WEAK_MODIFIERS | PRONOUNS


def topics_of(passages: Sequence[Passage]) -> Iterator[Proposal]:
    """Yield ``about`` facts of one source: its title, and up to eight phrases, the most telling first.

    Nothing is yielded without a title, and for sources too short to come back to anything.
    """
    prose = [
        passage
        for passage in passages
        if passage.title and passage.modality is Modality.DOCUMENT and not is_reference_list(passage)
    ]
    holders: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in prose:
        for phrase in set(_phrases(passage.text)):
            holders[phrase].append(passage)
    named = {phrase for passage in prose for part in (_heading(passage), passage.title) for phrase in _phrases(part)}
    known = {phrase: found for phrase, found in holders.items() if len(found) >= _FEWEST_PASSAGES and phrase in named}
    chosen: list[str] = []
    for phrase in sorted(known, key=lambda one: (-_weight(one, len(known[one])), one)):
        if len(chosen) == MOST_TOPICS:
            return
        if not any(phrase in other or other in phrase for other in chosen):
            chosen.append(phrase)
            yield from _fact(known[phrase][0], phrase)


def _weight(phrase: str, passage_count: int) -> float:
    return passage_count * len(phrase.split()) ** 0.5


def _heading(passage: Passage) -> str:
    return _NUMBER.sub("", passage.section.rsplit(">", 1)[-1].strip())


def _phrases(text: str) -> Iterator[str]:
    """Every two to four content words in a row, in lower case."""
    for match in _RUN.finditer(text):
        run: list[str] = []
        for word in [*match[0].lower().split(), ""]:
            if word and word not in _STOPS:
                run.append(word)
                continue
            for first in range(len(run) - 1):
                for last in range(first + 2, min(first + _LONGEST, len(run)) + 1):
                    if _may_end(run[last - 1], last - first):
                        yield " ".join(run[first:last])
            run = []


def _may_end(word: str, length: int) -> bool:
    """Whether a phrase may end with this word: "national lunch program" tells something, "lunch program" little."""
    return not word.endswith("ed") and (length > 2 or word not in VAGUE_HEADS)


def _fact(passage: Passage, phrase: str) -> Iterator[Proposal]:
    """The fact with the first sentence that holds the phrase; the phrase is written as it stands there."""
    spelled = re.compile(r"\s+".join(map(re.escape, phrase.split())), re.IGNORECASE)
    for start, end in sentence_spans(passage.text):
        match = spelled.search(passage.text, start, end)
        if match is not None:
            yield Proposal(
                seq=passage.seq,
                start=start,
                end=end,
                subject=passage.title,
                relation="about",
                object=" ".join(match[0].split()),
                pattern=PATTERN,
                confidence=worth_of(PATTERN).precision,
            )
            return
