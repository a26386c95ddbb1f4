"""A sentence in, the results it reports out: who reaches which value of which metric on which data (has_result).

The metric, the data and the condition are qualifiers: results on two datasets never meet. Gains and differences ("2.3
points higher") are no results and give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import (
    date_of,
    is_contrary,
    is_exact,
    is_example,
    is_garbled,
    quantities_in,
    region_behind,
    value_phrase,
    with_anchor,
)
from trisynapse_memory.extraction.clauses import Clause, clauses_of, objects_of, propose
from trisynapse_memory.extraction.metrics import IS_METRIC, METRIC, is_metric
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import is_vague, noun_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.quantity_spans import QuantitySpan
from trisynapse_memory.types import Proposal

PATTERN: Final = "results"

_REACHING: Final = frozenset(
    """achieve reach obtain attain score get yield hit post record deliver register produce show demonstrate
    exhibit""".split()
)
_METRIC_BEHIND: Final = re.compile(rf"\s*(?:\(\s*)?(?:in\s+)?{METRIC}", re.IGNORECASE)
_METRIC_BEFORE: Final = re.compile(
    rf"{METRIC}\s+(?:score\s+)?of\s+(?:only\s+|just\s+)?(?:about\s+|around\s+)?$", re.IGNORECASE
)
_DATA: Final = re.compile(
    r"\b(?:on|over|across|in(?=\s+the\s+[\w-]+\s+(?:data\s?set|benchmark|corpus|task)\b))\s+(?:(?:all\s+of|both|"
    r"each\s+of)\s+)?(?:the\s+)?"
    r"(?P<data>(?!(?:average|top|par|which|this|that|it|a|an)\b)[\w'./+-]+(?:\s+(?!(?:with|without|after|using|"
    r"and|in|at|by|is|was|"
    r"were|are|for|under|when|from|of|has|had|as|to|reaches|achieves|obtains|gets|scores|yields|on)\b)[\w'./+-]+){0,5})"
)
_DATA_NOUN: Final = re.compile(
    r"\s+(?:data\s?sets?|benchmarks?|corpus|corpora|tasks?|(?:test|dev|validation|development|"
    r"evaluation)(?:\s+(?:set|split))?)$"
)
_HAVING: Final = frozenset("have show demonstrate exhibit produce".split())
_OPENING: Final = re.compile(
    r"\s*(?P<lead>(?:On|With|After|Without|Using)\s[^,;]{2,60},\s)?"
    r"(?P<name>(?!(?:If|When|While|Suppose|Assume|Had|It|This|That|We|They|The|Our|No|Neither|Only|Not|On|In|With|"
    r"For|As|Where|Whereas|Though|Although|Because|Since|Even)\b)"
    r"[A-Z][\w.]*(?:-[\w.]+)*(?:\s(?:[A-Z\d][\w.]*)(?:-[\w.]+)*){0,2})\s"
    r"(?:achieves|achieved|reaches|reached|attains|attained|obtains|obtained|scores|scored|gets|yields)\b"
)
_CONDITION: Final = re.compile(
    r"\b(?:with|without|after|using|under|when|given)\s+(?P<condition>(?:(?!(?:and|but|which|"
    r"while)\b)[^\s,;.()]+\s*){1,8})"
)
_GAIN: Final = re.compile(
    r"\b(?:higher|lower|better|worse|more|less|fewer|faster|slower|improvements?|gains?|increases?|reductions?|drops?|"
    r"decreases?|relative|absolute|speed-?ups?|boosts?|margins?|points?|times|over|above|below|twice|difference|"
    r"compared)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"[A-Z\d]")
_JOINED: Final = re.compile(r"(?:,|\band)\s+(?:an?\s+|the\s+)?$")
_DIRECT: Final = re.compile(r"\s*(?:an?\s+|only\s+|the\s+)?(?:~|≈|about\s+|around\s+)?")
_CIRCUMSTANCE: Final = re.compile(r"\b(?:with|after|using|within|under|at|per|top)\s+(?:only\s+|just\s+|about\s+)?$")
_NAMESAKES: Final = frozenset("Brier Cohen Cronbach Fleiss Kendall Krippendorff Matthews Pearson Spearman".split())
"""Their names are parts of metrics: "Cohen's kappa" is nobody's result."""
_IDENTIFIER: Final = re.compile(r"(?<!\w)(?!(?:BLEU|F1|EM|AUC|AUROC|WER|MRR)\b)[A-Z][\w-]*[A-Z\d][\w-]*\s$")


class Reading(NamedTuple):
    """One value with what it is a value of; ``is_plain`` tells whether every part was read without doubt."""

    quantity: QuantitySpan
    metric: str
    data: str
    condition: str
    is_plain: bool


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield the results that a sentence reports.

    "BERT-large achieves 92.3% accuracy on MNLI", "the F1 of Corvid on SQuAD is 88.1", "an accuracy of 71% on ImageNet
    is achieved by HydraMix" and "on GLUE, X scores 80.5" are read.
    """
    if not quantities_in(sentence) or is_contrary(sentence):
        return
    worded = _worded(sentence)
    if worded is not None:
        yield from worded
        return
    for clause in clauses_of(sentence):
        if clause.lemma in _REACHING:
            yield from _reached_by(sentence, clause) if clause.is_passive else _reached(sentence, clause)
        elif clause.lemma == "have":
            yield from _reached(sentence, clause)
        elif clause.lemma == "be" and clause.subject_head is not None:
            yield from _stated(sentence, clause)


def _worded(sentence: Sentence) -> list[Proposal] | None:
    """Read "NAME achieves ..." at the start of a sentence by its words: parsers stumble over names like BERT-large.

    None where the sentence does not begin so, and its tree is read instead.
    """
    opened = _OPENING.match(sentence.passage.text, sentence.start, sentence.end)
    if opened is None or sentence.raw.rstrip().endswith("?"):
        return None
    start, end = region_behind(sentence, opened.end())
    lead = opened["lead"] or ""
    lead = lead[:1].lower() + lead[1:]
    subject = sentence.cut(opened.start("name"), opened.end("name"))
    found = [
        _proposal(sentence, subject, one._replace(condition=one.condition or _condition_in(lead)), Mood())
        for one in _readings(sentence, start, end, _data_in(lead))
    ]
    return found if found and "respectively" not in sentence.raw else None


def _reached(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X achieves V METRIC on D" and "X reaches a METRIC of V on D"."""
    start, end = region_behind(sentence, sentence.words[clause.verb].end)
    front = _data_in(_lead(sentence, clause))
    if "respectively" in sentence.raw and (len(clause.subjects) > 1 or " and " in _lead(sentence, clause)):
        return  # Which value belongs to which name is not read.
    for reading in _readings(sentence, start, end, front):
        if clause.lemma in _HAVING and not reading.metric:
            continue
        condition = reading.condition or _condition_in(_lead(sentence, clause))
        for subject in clause.subjects:
            yield _proposal(sentence, subject, reading._replace(condition=condition), clause.mood)


def _reached_by(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "a METRIC of V on D is achieved by X"."""
    agent = sentence.child(clause.verb, "agent", "prep")
    target = sentence.child(agent, "pobj") if agent is not None and sentence.words[agent].lower == "by" else None
    for reading in _readings(sentence, sentence.start, sentence.words[clause.verb].start, ""):
        for subject in objects_of(sentence, target):
            yield _proposal(sentence, subject, reading, clause.mood)


def _stated(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "the METRIC of X on D is V" and "X's METRIC on D was V"."""
    verb, head = clause.verb, clause.subject_head
    start, end = region_behind(sentence, sentence.words[verb].end)
    quantity = next((one for one in quantities_in(sentence) if start <= one.start < end), None)
    if quantity is None or head is None or head > verb:
        return
    between = sentence.passage.text[start : quantity.start]
    if not re.fullmatch(r"\s*(?:only|just|about|around|approximately|therefore|now|also|then)?\s*(?:~|≈)?\s*", between):
        return
    owner = _owner(sentence, head)
    first = min((owner[1], *sentence.subtree(head))) if owner else head
    lead = sentence.passage.text[sentence.words[first].start : sentence.words[verb].start]
    metric = IS_METRIC.search(lead)
    if owner is None or metric is None or _GAIN.search(lead) or not is_metric(sentence.words[head].text):
        return
    data = _data_in(lead) or _data_in(_lead(sentence, clause)) or _data_in(sentence.passage.text[quantity.end : end])
    condition = _condition_in(sentence.passage.text[quantity.end : end])
    name = sentence.cut(sentence.words[_metric_start(sentence, head)].start, sentence.words[head].end).text
    reading = Reading(quantity, name, data, condition, is_exact(quantity) and not quantity.is_range)
    yield _proposal(sentence, owner[0], reading, clause.mood)


def _metric_start(sentence: Sentence, head: int) -> int:
    """The first word of a metric's name: nouns and adjectives before it, no owner and no article."""
    first = head
    while (
        first > 0
        and sentence.words[first - 1].head == head
        and sentence.words[first - 1].dep in ("compound", "amod", "nmod")
    ):
        first -= 1
    return first


def _owner(sentence: Sentence, head: int) -> tuple[Phrase, int] | None:
    """Whose metric it is: "the accuracy of X", "X's accuracy"; its phrase and the index of its first word."""
    possessor = sentence.child(head, "poss")
    if possessor is None:
        of = next((one for one in sentence.children(head, "prep") if sentence.words[one].lower in ("of", "for")), None)
        possessor = sentence.child(of, "pobj") if of is not None else None
    if possessor is None or sentence.words[possessor].text in _NAMESAKES:
        return None
    phrase = noun_phrase(sentence, possessor)
    if phrase is None or is_vague(phrase.text):
        return None
    return Phrase(re.sub(r"['’]s?$", "", phrase.text), phrase.start, phrase.end), min(sentence.subtree(possessor))


# ---------------------------------------------------------------- the words around a value


def _readings(sentence: Sentence, start: int, end: int, front: str) -> list[Reading]:
    """Read the values between two offsets, each with its metric and its data.

    "90.8% on MNLI and 95.3% on SST-2" shares the metric, "a precision of 0.91 and a recall of 0.87 on VOC" the data.
    """
    text = sentence.passage.text
    inside = [one for one in quantities_in(sentence) if start <= one.start and one.end <= end]
    inside = [
        one
        for one in inside
        if not _CIRCUMSTANCE.search(text, start, one.start)
        and (one.has_unit or not _IDENTIFIER.search(text, start, one.start))
    ]
    found: list[Reading] = []
    for index, quantity in enumerate(inside):
        before = text[inside[index - 1].end if index else start : quantity.start]
        behind = text[quantity.end : inside[index + 1].start if index + 1 < len(inside) else end]
        if "respectively" in sentence.raw and not _METRIC_BEHIND.match(behind):
            continue  # Which value belongs to which name is not read.
        reading = _read(quantity, before, behind, found[-1] if found else None)
        if reading is not None:
            found.append(reading)
    shared = front or (found[-1].data if found else "")
    alone = len(inside) < 4
    return [one._replace(data=one.data or shared, is_plain=one.is_plain and alone) for one in found]


def _read(quantity: QuantitySpan, before: str, behind: str, previous: Reading | None) -> Reading | None:
    """Read one value from the words before and behind it; None where it is a difference or stands alone."""
    named = _METRIC_BEHIND.match(behind)
    led = None if named else _METRIC_BEFORE.search(before)
    if _GAIN.search(_last_clause(before)) or _GAIN.search(behind[: named.end() + 12 if named else 24]):
        return None
    metric = " ".join((named or led)["metric"].split()) if named or led else ""  # type: ignore[index]
    direct = _DIRECT.fullmatch(before) is not None
    joined = previous is not None and _JOINED.search(before) is not None
    data = _data_in(behind)
    if previous is not None and joined and not metric and data:
        metric = previous.metric
    if not metric and not (data and (direct or joined)):
        return None
    plain = is_exact(quantity) and not quantity.is_range and (direct or joined or led is not None)
    return Reading(quantity, metric, data, _condition_in(behind), plain)


def _last_clause(text: str) -> str:
    return re.split(r",|\band\b", text)[-1]


def _lead(sentence: Sentence, clause: Clause) -> str:
    """What stands in front of the subject, in small letters at its beginning: "on SQuAD, ", "with 16 shots, "."""
    first = clause.subject_head
    if first is None:
        return ""
    lead = sentence.passage.text[sentence.start : sentence.words[min(sentence.subtree(first))].start]
    return lead[:1].lower() + lead[1:]


def _data_in(text: str) -> str:
    """The dataset named behind "on"; it has a capital letter, a digit, or calls itself one."""
    match = _DATA.search(text)
    if match is None:
        return ""
    data = " ".join(match["data"].split()).rstrip(".,'")
    short = _DATA_NOUN.sub("", data)
    if _NAMED.search(short):
        return short
    return data if _DATA_NOUN.search(f" {data}") else ""


def _condition_in(text: str) -> str:
    match = _CONDITION.search(text)
    return " ".join(match["condition"].split()) if match else ""


def _proposal(sentence: Sentence, subject: Phrase, reading: Reading, mood: Mood) -> Proposal:
    parts = {"metric": reading.metric, "dataset": reading.data, "condition": reading.condition}
    value = value_phrase(sentence, reading.quantity)
    plain = reading.is_plain and not mood.hedged and not mood.negated and not subject.anaphor
    plain = (
        plain
        and not is_garbled(subject)
        and not is_example(sentence)
        and len(subject.text.split()) <= 6
        and _NAMED.search(subject.text) is not None
    )
    name = PATTERN if plain else f"{PATTERN}.loose"
    found = propose(
        sentence, subject, "has_result", value, name, mood, {key: said for key, said in parts.items() if said}
    )
    return with_anchor(found, date_of(sentence, reading.quantity))
