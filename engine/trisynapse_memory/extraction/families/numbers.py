"""A sentence in, the values of quantities out: what was measured (measured_as) and what is so large (has_value).

Who measured and when are no qualifiers: two measurers of one quantity must meet under one key. The year is the fact's
temporal anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.amounts import (
    date_of,
    dates_in,
    front_scope,
    is_contrary,
    is_exact,
    is_example,
    is_garbled,
    quantities_in,
    quantity_name,
    region_behind,
    value_phrase,
    with_anchor,
)
from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.metrics import IS_METRIC
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import trimmed
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.tiers import goes_on, is_bare_definite, is_ruined, is_unnamed
from trisynapse_memory.text.quantity_spans import QuantitySpan
from trisynapse_memory.types import Proposal

PATTERN: Final = "numbers"

_MEASURING: Final = frozenset(
    "measure determine estimate calculate compute find record report establish give put".split()
)
_AMOUNTING: Final = frozenset("equal total average exceed".split())
_TO: Final = re.compile(
    r"\s*(?:,?\s*(?:by|in|at|with|using|from|on)\s[^,;]{2,60}?,?\s+)?(?:as|at|to\s+be|to\s+equal)\s+(?:being\s+)?(?:an?\s+|some\s+)?"
    r"(?:about\s+|around\s+|approximately\s+|roughly\s+|nearly\s+|~|≈)?"
)
_NEXT: Final = re.compile(
    r"\s*(?:(?:not|only|just|now|currently|exactly|then|already|thus|therefore|still|about|around|approximately|roughly|nearly|almost|"
    r"some|over|under|at\s+least|at\s+most|up\s+to|more\s+than|less\s+than|an?\s+estimated)\s+|~|≈)*(?:US\$|[$€£¥])?"
)
_AT: Final = re.compile(
    r"\s*(?:at|to|for)\s+(?:about\s+|around\s+|approximately\s+|nearly\s+|roughly\s+|some\s+|over\s+)?(?:[$€£¥])?"
)
_MONEY: Final = re.compile(r"[$€£¥₹%]|dollars?|euros?|per\s?cent", re.IGNORECASE)
_HOLDING: Final = frozenset(
    "have contain employ hold comprise include cover number enrol enroll recruit house own".split()
)
_OWNING: Final = frozenset("have report post earn".split())
_OWN: Final = frozenset("weigh measure cost".split())
_STANDING: Final = frozenset("stand amount come remain sell run".split())
_QUALITY: Final = re.compile(
    r"\s*(?P<metric>long|tall|high|wide|deep|thick|old|across|in\s+(?:length|height|width|depth|diameter|area|volume|weight|"
    r"circumference|radius)|above\s+sea\s+level)(?!\w)"
)
_COUNTED: Final = re.compile(
    r"\s*(?P<noun>(?!(?:of|in|on|at|to|for|and|or|by|with|as|from|than|per|when|while)\b)[^\W\d_][\w-]*)"
)
_DIFFERENT: Final = re.compile(
    r"\s*(?:times|-?fold|(?:percentage\s+)?points?|higher|lower|more|less|fewer|greater|larger|smaller|longer|shorter|"
    r"faster|slower|older|younger|out\s+of|of\s+(?:the|these|those|all)|away|ago|later|earlier|before|after|short|below|above|under|over|from)\b",
    re.IGNORECASE,
)
_PHRASES: Final = re.compile(r"\s+(?:to|of|from|between|in|at)\s+(?:the\s+)?[\w’'-]+(?:\s+[\w’'-]+){0,4}\s+")
_CERTAIN: Final = re.compile(
    r"\s+(?!(?:of|in|at|for|on|by|from|to|and|or|per|when|while|with|under|among|as|than|during|after|if)\b)[a-z]"
)
_COUNTABLE: Final = re.compile(
    r"(?:(?:total|overall|average|mean|estimated)\s+)?(?:number|population|count)\s+of\s\w|[a-z][\w\s-]*?\s+of\s+[A-Z][\w-]"
)
"""What needs no unit: "number of layers in PaxFormer", "learning rate of HydraMix"."""
_LISTED: Final = re.compile(r"\brespectively\b|\d%?,\s+\d[\d.]*%?,?\s+and\s+\d")
_HAS: Final = re.compile(
    r"\s*(?:(?:an?|the)\s+)?(?P<metric>(?:[\w-]+\s+){0,3}?[\w-]+)\s+of\s+(?:about\s+|around\s+|approximately\s+|roughly\s+|nearly\s+|"
    r"over\s+|only\s+|some\s+|~)?(?:[$€£¥])?$"
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield the values that a sentence gives.

    "Michelson measured the speed of light as 299,796 ± 4 km/s in 1926", "the depth of the lake is 43.5 m", "the bridge
    is 512 m long", "the tower has a height of 324 m".
    """
    if not quantities_in(sentence) or is_contrary(sentence) or _LISTED.search(sentence.raw):
        return
    for clause in clauses_of(sentence):
        if clause.lemma in _MEASURING:
            yield from _measured(sentence, clause)
        elif clause.lemma == "be":
            yield from _equated(sentence, clause)
        elif clause.lemma in _AMOUNTING and not clause.is_passive:
            yield from _plain_value(sentence, clause, _NEXT, "")
        elif clause.lemma in _OWN and not clause.is_passive:
            yield from _plain_value(sentence, clause, _NEXT, sentence.words[clause.verb].text)
        elif clause.lemma in _STANDING and not clause.is_passive:
            yield from _plain_value(sentence, clause, _AT, "")
        if clause.lemma in _OWNING and not clause.is_passive:
            yield from _owned(sentence, clause)
        if clause.lemma in _HOLDING and not clause.is_passive:
            yield from _counted(sentence, clause)
        if clause.lemma == "measure" and not clause.is_passive:
            yield from _plain_value(sentence, clause, _NEXT, sentence.words[clause.verb].text)


def _first_behind(sentence: Sentence, start: int) -> QuantitySpan | None:
    _, end = region_behind(sentence, start)
    return next((one for one in quantities_in(sentence) if start <= one.start < end), None)


def _gap(sentence: Sentence, start: int, quantity: QuantitySpan) -> str:
    return sentence.passage.text[start : quantity.start]


def _measured(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "measured X as V", "X was measured as V by N", "X was found to be V"."""
    verb = sentence.words[clause.verb]
    if clause.is_passive:
        head = clause.subject_head
        start = verb.end
    else:
        head = sentence.child(clause.verb, "dobj") or _object_of_complement(sentence, clause.verb)
        start = _end_of(sentence, head) if head is not None else verb.end
    quantity = _first_behind(sentence, start)
    if head is None or quantity is None or _TO.fullmatch(_gap(sentence, start, quantity)) is None:
        return
    if clause.is_passive and verb.tag != "VBN":
        return
    if clause.lemma == "find" and _gap(sentence, start, quantity).split()[0] == "at":
        return  # "found the wreck at 43.5 m"
    name = quantity_name(sentence, head)
    if name is not None:
        # Money and shares are counted, not measured.
        counted = _MONEY.search(sentence.passage.text, quantity.start, quantity.end) is not None
        yield from _fact(sentence, name, "has_value" if counted else "measured_as", quantity, clause.mood, {})


def _object_of_complement(sentence: Sentence, verb: int) -> int | None:
    """In "found the mass to be 5 kg", parsers make "mass" the subject of "be"."""
    inner = sentence.child(verb, "ccomp", "xcomp")
    return sentence.child(inner, "nsubj") if inner is not None else None


def _end_of(sentence: Sentence, head: int) -> int:
    name = quantity_name(sentence, head)
    return name.end if name else sentence.words[head].end


def _equated(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X is V", "X measured by N was V", "X is V long"."""
    start = sentence.words[clause.verb].end
    quantity = _first_behind(sentence, start)
    head = clause.subject_head
    if head is None or head > clause.verb or quantity is None or not _NEXT.fullmatch(_gap(sentence, start, quantity)):
        return
    name = quantity_name(sentence, head)
    text = sentence.passage.text
    quality = _QUALITY.match(text, quantity.end, sentence.end)
    if name is None or (quality is None and _DIFFERENT.match(text, quantity.end, sentence.end)):
        return
    if text[quantity.start : quantity.end].endswith("%") and _CERTAIN.match(text, quantity.end, sentence.end):
        return  # "is 100% certain"
    name = _up_to(sentence, name, sentence.words[clause.verb].start)
    if quality is not None:
        parts = {"metric": " ".join(quality["metric"].split())}
        yield from _fact(sentence, name, "has_value", quantity, clause.mood, parts)
        return
    if not quantity.has_unit and _COUNTED.match(text, quantity.end, sentence.end):
        return
    if IS_METRIC.search(name.text) and re.search(r"[A-Z]", name.text[1:]):
        return  # The result of something named; results.py reads it.
    above = sentence.words[sentence.words[clause.verb].head].lemma if sentence.words[clause.verb].dep == "xcomp" else ""
    taken = above in _MEASURING or any(sentence.words[one].lemma == "measure" for one in sentence.children(head, "acl"))
    yield from _fact(sentence, name, "measured_as" if taken else "has_value", quantity, clause.mood, {})


def _up_to(sentence: Sentence, name: Phrase, verb: int) -> Phrase:
    """The name with the phrases that a parser hung elsewhere: "from the mill | to the church" is one distance."""
    rest = sentence.passage.text[name.end : verb]
    if _PHRASES.fullmatch(rest) and not any(name.start < one.start < verb for one in dates_in(sentence)):
        return trimmed(sentence, name.start, verb) or name
    return name


def _plain_value(sentence: Sentence, clause: Clause, gap: re.Pattern[str], metric: str) -> Iterator[Proposal]:
    """Read "X weighs V", "X stands at V", "X equals V"."""
    start = sentence.words[clause.verb].end
    quantity = _first_behind(sentence, start)
    head = clause.subject_head
    if head is None or head > clause.verb or quantity is None or not gap.fullmatch(_gap(sentence, start, quantity)):
        return
    name = quantity_name(sentence, head)
    if name is None or not quantity.has_unit or _DIFFERENT.match(sentence.passage.text, quantity.end, sentence.end):
        return
    yield from _fact(sentence, name, "has_value", quantity, clause.mood, {"metric": metric} if metric else {})


def _owned(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X has a height of V": the height of X."""
    start = sentence.words[clause.verb].end
    quantity = _first_behind(sentence, start)
    head = clause.subject_head
    match = _HAS.fullmatch(_gap(sentence, start, quantity)) if quantity else None
    if head is None or head > clause.verb or quantity is None or match is None or not quantity.has_unit:
        return
    name = quantity_name(sentence, head)
    if name is not None:
        yield from _fact(
            sentence, name, "has_value", quantity, clause.mood, {"metric": " ".join(match["metric"].split())}
        )


def _counted(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X had 1,240 employees": what is counted is the metric."""
    start, text = sentence.words[clause.verb].end, sentence.passage.text
    quantity = _first_behind(sentence, start)
    if quantity is None or quantity.has_unit or not _NEXT.fullmatch(_gap(sentence, start, quantity)):
        return
    if not text[quantity.start].isdigit() or re.fullmatch(r"\d", text[quantity.start : quantity.end]):
        return  # "has two objectives" begins an enumeration.
    counted = next((one for one in sentence.children(clause.verb, "dobj", "attr")), None)
    if counted is None or sentence.words[counted].start < quantity.end or _DIFFERENT.match(text, quantity.end):
        return
    noun = sentence.cut(quantity.end, sentence.words[counted].end).text
    for subject in clause.subjects:
        if 0 < len(noun.split()) <= 4:
            yield from _fact(sentence, subject, "has_value", quantity, clause.mood, {"metric": noun}, is_count=True)


def _fact(
    sentence: Sentence,
    name: Phrase,
    relation: str,
    quantity: QuantitySpan,
    mood: Mood,
    parts: dict[str, str],
    *,
    is_count: bool = False,
) -> Iterator[Proposal]:
    """Write one value; strict where the value is exact, has a unit, and its name is short and complete."""
    condition = _condition(sentence, quantity)
    known = dict(parts)
    if condition:
        known["condition"] = condition
    plain = (
        is_exact(quantity)
        and (quantity.has_unit or is_count or _COUNTABLE.match(name.text) is not None)
        and not mood.hedged
        and not mood.negated
        and len(name.text.split()) <= 9
    )
    plain = plain and not mood.speaker and not quantity.is_range and not is_garbled(name) and not is_example(sentence)
    plain = (
        plain
        and not is_ruined(name.text)
        and not is_unnamed(name.text)
        and not is_bare_definite(sentence, name)
        and not _is_narrowed(sentence, name)
    )
    if (head := sentence.word_at(name.start)) is not None:
        known = front_scope(sentence, head) | known
    dated = date_of(sentence, quantity)
    if relation == "has_value" and dated is not None:
        known.setdefault("time", sentence.cut(dated.point_start, dated.end).text)
    pattern = PATTERN if plain else f"{PATTERN}.loose"
    yield with_anchor(propose(sentence, name, relation, value_phrase(sentence, quantity), pattern, mood, known), dated)


def _is_narrowed(sentence: Sentence, name: Phrase) -> bool:
    """Whether a participle behind a name says which one is meant: "quantity of water delivered by the company"."""
    following = next((at for at, word in enumerate(sentence.words) if word.start >= name.end), None)
    if following is None or not goes_on(sentence, name):
        return False
    word = sentence.words[following]
    return word.dep == "acl" and word.lemma.lower() not in _MEASURING


_CONDITION: Final = re.compile(
    r"\s*,?\s*(?:at|under|in)\s+(?P<condition>[^,;.]*?(?:°C|°F|\bK|pressure|humidity|vacuum|air|water|"
    r"conditions|temperature|voltage|load|light|darkness))(?!\w)"
)


def _condition(sentence: Sentence, quantity: QuantitySpan) -> str:
    """What the value holds under: "at 25 °C", "in vacuum", named right behind it."""
    match = _CONDITION.match(sentence.passage.text, quantity.end, sentence.end)
    found = trimmed(sentence, match.start("condition"), match.end("condition")) if match else None
    return found.text if found and len(found.text.split()) <= 6 else ""
