"""A sentence in, what part of a population does something, and to what a quantity rose out: has_value.

"62% of Hispanic adults owned a smartphone in 2015": the subject is the population, the predicate is the metric and the
year is the time, so that two surveys meet only where they asked the same of the same people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from trisynapse_memory.extraction.amounts import (
    date_of,
    dates_in,
    is_contrary,
    is_exact,
    is_garbled,
    quantities_in,
    quantity_name,
    region_behind,
    value_phrase,
    with_anchor,
)
from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.frames import behind
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import trimmed
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.dates import DateSpan
from trisynapse_memory.text.quantity_spans import QuantitySpan
from trisynapse_memory.types import Proposal

PATTERN: Final = "shares"

_FRACTION: Final = re.compile(
    r"(?<!\w)(?:(?P<lead>about|around|nearly|roughly|almost|over|more\s+than|less\s+than)\s+)?"
    r"(?P<share>half|(?:an?|one)[\s-](?:third|quarter|fifth|tenth)|two[\s-](?:thirds|fifths)|three[\s-](?:quarters|fifths)|"
    r"four[\s-]fifths)(?=\s+of\s)",
    re.IGNORECASE,
)
_SMALL: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
_ONE_IN: Final = re.compile(
    r"(?<![\w-])(?:(?P<lead>about|around|nearly|roughly|almost|over|more\s+than|less\s+than)\s+)?"
    rf"(?P<share>{_SMALL}\s+(?:in|out\s+of)\s+(?:every\s+)?{_SMALL})(?=\s+[a-z])",
    re.IGNORECASE,
)
"""As in "nine in ten teenagers"."""
_SOURCE: Final = re.compile(r"(?:(?:an?|the|its|our)\s+)?[a-z\d][\w\s-]*$")
_CHANGING: Final = frozenset(
    "rise fall grow increase decline drop climb shrink jump decrease reach soar sink double go".split()
)
_MAKING_UP: Final = re.compile(r"\s*(?:for|up)?\s*(?:about|around|nearly|roughly|almost|over|only|just|some)?\s*")
_SHARING: Final = frozenset("account make represent constitute comprise".split())
_OF: Final = re.compile(r"\s+of\s+(?:(?:the|all)\s+)*")
_LED: Final = re.compile(
    r"(?:^|[,;]\s)(?P<lead>[Aa]mong|[Oo]f|[Ii]n)\s+(?:the\s+|all\s+)*(?P<population>[^,;]{3,80}),\s*(?:about\s|some\s|only\s|nearly\s)?$"
)
_SUBGROUP: Final = re.compile(
    r"(?:^|\s)(?:them|those|these|which|whom|whose|us|it|this|that|our|their)(?:\s|$)", re.IGNORECASE
)
_TO: Final = re.compile(
    r"\s*(?:(?:steadily|sharply|slightly|further|again|back|from\s[^,;]{1,40}?)\s+)*(?:to)\s+"
    r"(?:about\s+|around\s+|nearly\s+|over\s+|almost\s+|only\s+|just\s+|some\s+)?[$€£¥]?"
)
_FROM: Final = re.compile(r"\s*(?:steadily\s+|sharply\s+|slightly\s+)?from\s+(?:about\s+|around\s+|some\s+)?")
_DIRECT: Final = re.compile(r"\s*(?:about\s+|around\s+|nearly\s+|over\s+|almost\s+|only\s+|just\s+|some\s+)?[$€£¥]?")
_JOINED: Final = re.compile(r"\s*,?\s*(?:\b(?:and|but|versus|nearly|about|some|only)\s*)*$")
_DATE_LEAD: Final = re.compile(r"[\s,]*(?:\b(?:in|during|by|since|at|on|of|for|the|end|year|between|from|as)\s*)*$")
_FURTHER: Final = re.compile(
    r"\s*,?\s+(?:and|but|while|whereas)\s+(?:(?:by|in|since)\s+\d{4},?\s+)?(?:[a-z]+\s+){0,2}$"
)
"""What leads to a second share that has a predicate of its own."""
_TAIL: Final = re.compile(r"(?:because\s+of|than)\s+[^,;.]+")
"""What ``region_behind`` leaves out and a predicate needs."""
_NEW_CLAUSE: Final = re.compile(r",\s+(?:and|but|so)\s+(?:it|they|he|she|we|this|that|there|these|those)\b")
_COMPARED: Final = re.compile(
    r",?\s+(?:compared\s+(?:with|to)|versus|against)\s+(?:(?:about|just|only|some|nearly)\s+)?"
)
_NOTED_YEAR: Final = re.compile(r"\s+(?:in|by|since)\s+(?P<year>(?:1\d|20)\d\d)\.\d{1,2}$")
"""A year with the number of a footnote behind its stop: "in 2016.2"."""
_COUNTED: Final = re.compile(r"(?:total\s+)?(?:number|population)\s+of\s", re.IGNORECASE)
_MOMENTS: Final = frozenset("when once until till after before whenever".split())
_LONGEST_METRIC: Final = 12  # words
_LONGEST_POPULATION: Final = 9  # words


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield the shares of populations and the levels of quantities that a sentence gives."""
    if not (quantities_in(sentence) or _fractions(sentence)) or is_contrary(sentence):
        return
    for clause in clauses_of(sentence):
        if clause.subject_head is not None:
            yield from _share(sentence, clause)
        if clause.is_passive:
            yield from _share_of_agents(sentence, clause)
        if clause.lemma in _CHANGING and not clause.is_passive:
            yield from _level(sentence, clause)
        if clause.lemma in _SHARING and not clause.is_passive:
            yield from _part(sentence, clause)


def _percentage_at(sentence: Sentence, start: int, end: int) -> QuantitySpan | None:
    """Return the percentage that covers one of these offsets."""
    for one in (*quantities_in(sentence), *_fractions(sentence)):
        if one.start < end and start < one.end and one.has_unit and _is_percentage(sentence, one):
            return one
    return None


def _fractions(sentence: Sentence) -> tuple[QuantitySpan, ...]:
    """The shares written in words: "half of", "about two thirds of"."""
    return tuple(
        QuantitySpan(
            start=match.start("share"), end=match.end("share"), lead=(match["lead"] or "").lower(), has_unit=True
        )
        for form in (_FRACTION, _ONE_IN)
        for match in form.finditer(sentence.passage.text, sentence.start, sentence.end)
    )


def _is_percentage(sentence: Sentence, quantity: QuantitySpan) -> bool:
    return (
        re.search(
            r"(?:%|percent|per\s+cent|half|thirds?|quarters?|fifths?|tenths?|\b(?:in|out\s+of)\s+[a-z\d]+)$",
            sentence.passage.text[quantity.start : quantity.end],
            re.IGNORECASE,
        )
        is not None
    )


def _share(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "V% of POPULATION do something" and "among POPULATION, V% do something"."""
    head = clause.subject_head
    if head is None or head > clause.verb:
        return
    quantity = _share_in(sentence, head)
    verb = _first_of_verb(sentence, clause, head)
    if quantity is None or verb < quantity.end or _is_unsaid(sentence, clause):
        return
    end = _end_of_predicate(sentence, clause)
    predicate = _predicate(sentence, verb, end)
    dated = next((one for one in dates_in(sentence) if verb <= one.start < end), None)
    joined = [
        one for one in quantities_in(sentence) if quantity.end < one.start < verb and _is_percentage(sentence, one)
    ]
    for one, stop in zip((quantity, *joined), (*(each.start for each in joined), verb), strict=True):
        population = _population(sentence, one, stop)
        if population is not None:
            yield from _fact(sentence, population, one, predicate, clause.mood, dated)
    for one, population in _compared(sentence, end):
        yield from _fact(sentence, population, one, predicate, clause.mood, dated or date_of(sentence, quantity))


def _compared(sentence: Sentence, start: int) -> Iterator[tuple[QuantitySpan, Phrase]]:
    """The share that a first one is held against: "..., compared with 49% of rural households"."""
    text = sentence.passage.text
    lead = _COMPARED.match(text, start, sentence.end)
    quantity = _percentage_at(sentence, lead.end(), lead.end() + 1) if lead else None
    of = _OF.match(text, quantity.end, sentence.end) if quantity else None
    if quantity is None or of is None:
        return
    stop = re.compile(r"[^,;.()]*").match(text, of.end(), sentence.end)
    population = _named(trimmed(sentence, of.end(), stop.end())) if stop else None
    if population is not None and not re.search(r"\b(?:who|that|in \d{4})\b", population.text):
        yield quantity, population


def _share_in(sentence: Sentence, head: int) -> QuantitySpan | None:
    """The share that a subject begins with: "34% of men", "a total of 34% of men", "nine in ten men"."""
    word = sentence.words[head]
    if word.lower == "total":
        target = behind(sentence, head, "of")
        return _percentage_at(sentence, sentence.words[target].start, sentence.words[target].end) if target else None
    found = _percentage_at(sentence, word.start, word.end)
    if found is not None:
        return found
    first = sentence.words[min(sentence.subtree(head))].start
    text = sentence.passage.text
    return next(
        (one for one in _fractions(sentence) if first <= one.start < word.start and not _OF.match(text, one.end)), None
    )


def _is_unsaid(sentence: Sentence, clause: Clause) -> bool:
    """Whether a clause tells what is wanted ("wants 90% of pupils to learn") or a moment ("only when 75% had")."""
    below = [sentence.words[one].lower for one in sentence.children(clause.verb, "aux", "mark", "advmod")]
    return "to" in below or (sentence.words[clause.verb].dep == "advcl" and not _MOMENTS.isdisjoint(below))


def _end_of_predicate(sentence: Sentence, clause: Clause) -> int:
    """Where the predicate ends: with its "because of ...", without a second share that has a predicate of its own."""
    text = sentence.passage.text
    start, end = region_behind(sentence, sentence.words[clause.verb].end)
    if (tail := _TAIL.match(text, end, sentence.end)) is not None:
        end = tail.end()
    if (joint := _NEW_CLAUSE.search(text, start, end)) is not None:
        end = joint.start()
    for one in (*quantities_in(sentence), *_fractions(sentence)):
        further = _FURTHER.search(text, start, one.start) if start < one.start < end else None
        if further is not None and _is_percentage(sentence, one):
            return further.start()
    return end


def _first_of_verb(sentence: Sentence, clause: Clause, head: int) -> int:
    """Where the verb begins, with its auxiliaries and its "not"."""
    own = [one for one in sentence.children(clause.verb, "aux", "auxpass", "neg", "advmod") if head < one < clause.verb]
    return sentence.words[min([*own, clause.verb])].start


def _population(sentence: Sentence, quantity: QuantitySpan, verb: int) -> Phrase | None:
    """The words between "V% of" and the verb, or those of "among ..." in front."""
    text = sentence.passage.text
    of = _OF.match(text, quantity.end, verb)
    if of is not None:
        # "34% of men and 41% of women": what joins the next share is not part of this population.
        return _named(trimmed(sentence, of.end(), of.end() + len(_JOINED.sub("", text[of.end() : verb]))))
    if re.search(r"\s(?:in|of)\s+\S+$", text[quantity.start : quantity.end]) and text[quantity.end : verb].strip():
        return _named(trimmed(sentence, quantity.end, verb))
    led = _LED.search(text, sentence.start, quantity.start)
    if led is None or text[quantity.end : verb].strip(" ,"):
        return None
    if led["lead"].lower() == "in" and re.fullmatch(r"\d{4}|\d.*", led["population"]):
        return None
    return _named(trimmed(sentence, led.start("population"), led.end("population")))


def _named(phrase: Phrase | None) -> Phrase | None:
    if phrase is None or _SUBGROUP.search(phrase.text):
        return None
    return phrase if len(phrase.text.split()) <= _LONGEST_POPULATION and "," not in phrase.text else None


def _share_of_agents(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X was reported by V% of POPULATION"."""
    start, end = region_behind(sentence, sentence.words[clause.verb].end)
    text = sentence.passage.text
    by = re.compile(r"\s+by\s+(?:about\s+|some\s+|nearly\s+|only\s+)?").match(text, start, end)
    quantity = _percentage_at(sentence, by.end(), by.end() + 1) if by else None
    head = clause.subject_head
    of = _OF.match(text, quantity.end, end) if quantity else None
    if quantity is None or of is None or head is None:
        return
    dated = next((one for one in dates_in(sentence) if one.start >= of.end()), None)
    stop = _before(sentence, dated, of.end()) if dated else end
    population = _named(trimmed(sentence, of.end(), min(stop, end)))
    first = sentence.words[min(sentence.subtree(head))].start
    if population is not None and first < sentence.words[clause.verb].end:
        metric = sentence.cut(first, sentence.words[clause.verb].end).text
        yield from _fact(sentence, population, quantity, metric, clause.mood)


def _before(sentence: Sentence, dated: DateSpan, floor: int) -> int:
    """Where the words in front of a date end, without the preposition that leads to it."""
    match = _DATE_LEAD.search(sentence.passage.text, floor, dated.start)
    return match.start() if match else dated.start


def _predicate(sentence: Sentence, start: int, end: int) -> str:
    """The predicate without its date: "owned a smartphone"."""
    dated = next((one for one in dates_in(sentence) if start <= one.start < end), None)
    stop = _before(sentence, dated, start) if dated else end
    phrase = trimmed(sentence, start, stop) if stop > start else None
    return phrase.text if phrase else ""


def _level(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "the unemployment rate rose from 4% to V in 2009" and "revenue reached V"."""
    head, text = clause.subject_head, sentence.passage.text
    if head is None or head > clause.verb:
        return
    start, end = region_behind(sentence, sentence.words[clause.verb].end)
    gap = _DIRECT if clause.lemma == "reach" else _TO
    inside = [one for one in quantities_in(sentence) if start <= one.start < end]
    quantity = next((one for one in inside if gap.fullmatch(text[start : one.start])), None)
    if quantity is None and inside and inside[0].is_range and _FROM.fullmatch(text[start : inside[0].start]):
        quantity = _upper_end(sentence, inside[0])
    name = quantity_name(sentence, head)
    if quantity is None or name is None or not (quantity.has_unit or _COUNTED.match(name.text)):
        return
    if clause.lemma == "reach" and (_is_percentage(sentence, quantity) and re.search("[A-Z]", name.text)):
        return  # A result; results.py reads it.
    yield from _fact(sentence, name, quantity, "", clause.mood)


def _upper_end(sentence: Sentence, both: QuantitySpan) -> QuantitySpan:
    """The second of two numbers: in "rose from 31% to 37%" it is the level, the first one is history."""
    joint = re.compile(r"\s(?:to)\s").search(sentence.passage.text, both.start, both.end)
    return replace(both, start=joint.end(), is_range=False) if joint else both


def _part(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X accounted for V% of Y": the metric is what it is a part of."""
    head, text = clause.subject_head, sentence.passage.text
    if head is None or head > clause.verb:
        return
    start, end = region_behind(sentence, sentence.words[clause.verb].end)
    quantity = next((one for one in quantities_in(sentence) if start <= one.start < end), None)
    if (
        quantity is None
        or not _is_percentage(sentence, quantity)
        or not _MAKING_UP.fullmatch(text[start : quantity.start])
    ):
        return
    name = quantity_name(sentence, head)
    of = _OF.match(text, quantity.end, end)
    if name is not None and of is not None:
        whole = _predicate(sentence, of.end(), end)
        yield from _fact(sentence, name, quantity, f"of {whole}" if whole else "", clause.mood)


def _fact(
    sentence: Sentence,
    subject: Phrase,
    quantity: QuantitySpan,
    metric: str,
    mood: Mood,
    dated: DateSpan | None = None,
) -> Iterator[Proposal]:
    """Write one share or level; ``dated`` is the date of its predicate, where that was looked for."""
    dated = dated or date_of(sentence, quantity)
    noted = _NOTED_YEAR.search(metric)
    parts = {"metric": metric[: noted.start()] if noted else metric} if metric else {}
    if dated is not None:
        parts["time"] = sentence.cut(dated.point_start, dated.end).text
    elif noted is not None:
        parts["time"] = noted["year"]
    if len(metric.split()) > _LONGEST_METRIC:
        return
    plain = (
        is_exact(quantity)
        and not quantity.is_range
        and not mood.hedged
        and (not mood.speaker or _SOURCE.match(mood.speaker) is not None)
        and not mood.negated
        and not is_garbled(subject)
    )
    name = PATTERN if plain else f"{PATTERN}.loose"
    # "no broadband" and "did not own" are part of the metric; the share itself is not denied.
    asserted = mood._replace(negated=False)
    yield with_anchor(
        propose(sentence, subject, "has_value", value_phrase(sentence, quantity), name, asserted, parts), dated
    )
