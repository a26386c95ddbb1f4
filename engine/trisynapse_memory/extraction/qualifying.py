"""A verb of a parsed sentence in, the qualifiers of its statement out: on what data, among whom, where, when.

Only phrases whose meaning shows by their own words are named; what is left unnamed makes no two statements differ.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.extraction.phrases import noun_phrase
from trisynapse_memory.extraction.sentence import Sentence

_POPULATION: Final = frozenset(
    """adolescent adult animal bird boy child cohort cow elder employee family farmer female fish girl household human
    individual infant male man mouse newborn parent participant patient people person primate rabbit rat respondent
    student survivor teenager teacher user veteran volunteer voter woman worker""".split()
)
_TASK: Final = re.compile(
    r"\b(?:answering|classification|clustering|detection|entailment|extraction|forecasting|generation|inference"
    r"|modeling|modelling|parsing|prediction|ranking|recognition|regression|retrieval|segmentation|summari[sz]ation"
    r"|tagging|translation)\b"
)
_DATASET: Final = re.compile(r"\b(?:benchmark|corpus|dataset|data set|test set|validation set|dev set|split)s?\b", re.I)
_NAME: Final = re.compile(r"[A-Z]\w*[A-Z\d]|[A-Z][\w-]+\d*(?:[ -][A-Z\d][\w-]*)*")
_TIME: Final = re.compile(
    r"\b(?:1[0-9]|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_PLACES: Final = frozenset(("GPE", "LOC"))


def qualifiers_of(sentence: Sentence, verb: int) -> dict[str, str]:
    """Return what the phrases around a verb say about its statement's scope, by names of ``QUALIFIERS``.

    "reduces mortality in adults" gives population, "outperforms X on MNLI" dataset, "in Kenya" place, "in 2015" time,
    "for machine translation" task, "under low light" condition. Empty when nothing is said.
    """
    found: dict[str, str] = {}
    for owner in (verb, *sentence.children(verb, "dobj", "attr", "acomp")):
        for prep in sentence.children(owner, "prep"):
            target = sentence.child(prep, "pobj")
            if target is None:
                continue
            phrase = noun_phrase(sentence, target)
            name = qualifier_name(sentence, prep, target)
            if phrase is not None and name:
                found.setdefault(name, phrase.text)
    return found


def qualifier_name(sentence: Sentence, preposition: int, target: int) -> str:
    """Return the name of the qualifier that a preposition and its noun make, or empty when their words name none."""
    phrase = noun_phrase(sentence, target)
    if phrase is None:
        return ""
    word = sentence.words[target]
    return _name_of(sentence.words[preposition].lower, phrase.text, word.lemma.lower(), word.entity)


def _name_of(preposition: str, phrase: str, lemma: str, entity: str) -> str:
    if preposition in {"in", "among", "for"} and lemma in _POPULATION:
        return "population"
    if preposition in {"in", "during", "since"} and _TIME.search(phrase):
        return "time"
    if preposition == "in" and entity in _PLACES:
        return "place"
    if preposition in {"on", "for", "in", "at"} and _TASK.search(phrase):
        return "task"
    if preposition == "on" and (_DATASET.search(phrase) or _NAME.fullmatch(phrase)):
        return "dataset"
    return "condition" if preposition == "under" else ""
