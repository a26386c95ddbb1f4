"""A sentence in, the dates of persons, events and plans out: born_on, launch_date, due_date, occurred_on and others.

The object is the date as written; the interval that it stands for is the fact's temporal anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import dates_in, is_contrary, is_garbled, with_anchor
from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose, subject_head
from trisynapse_memory.extraction.moods import Mood, mood_of
from trisynapse_memory.extraction.phrases import is_vague, noun_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.dates import DatePart, DateSpan
from trisynapse_memory.text.intervals import Granularity
from trisynapse_memory.types import Proposal

PATTERN: Final = "dates"


class _Rule(NamedTuple):
    """One way to give a date: verbs, the relation, and what may stand between the verb and the date."""

    lemmas: frozenset[str]
    relation: str
    passive: bool | None
    gap: re.Pattern[str]


_PLACE: Final = r"(?:\s*,?\s*(?:in|at|near|to|into|with|of|from)\s+[^,;.]{2,50}?(?:,\s[A-Z][\w. ]{1,30}?){0,2},?)?"
_ON: Final = re.compile(
    rf"{_PLACE}\s*,?\s*(?:(?:on|in|at|during)\s+(?:the\s+(?:morning|evening|night|afternoon)\s+of\s+)?)?(?:the\s+)?"
)
_FOR: Final = re.compile(
    rf"(?:\s+to\s+(?:launch|start|begin|take\s+place|go\s+live|open|ship|run|be\s+(?:launched|held|released))"
    rf"{_PLACE})?\s+(?:for|on|in|to|at)\s+(?:the\s+)?"
)
_BY: Final = re.compile(
    r"(?:\s+(?:back|in|for\s+review|to\s+[^,;.]{2,40}?))?\s+(?:by|on|before|no\s+later\s+than|in|at)\s+(?:the\s+)?"
)
_MOVED: Final = re.compile(
    r"(?:\s+(?:up|back|forward))?(?:\s*,?\s*(?:from)\s+[^;.]{3,40}?)?\s+(?:to|until|till)\s+(?:the\s+)?"
)
_FROM: Final = re.compile(r"(?:\s+(?:in|at|near)\s+[A-Z][^,;.]{1,40}?,?)?\s+(?:on|in|from|at)\s+(?:the\s+)?")


def _rule(lemmas: str, relation: str, gap: re.Pattern[str], passive: bool | None = None) -> _Rule:
    return _Rule(frozenset(lemmas.split()), relation, passive, gap)


_RULES: Final = (
    _rule("bear", "born_on", _ON, passive=True),
    _rule("die", "died_on", _ON, passive=False),
    _rule("launch", "launch_date", _FROM),
    _rule("start begin commence", "start_date", _FROM, passive=False),
    _rule("end finish close conclude expire", "end_date", _ON, passive=False),
    _rule("occur happen erupt", "occurred_on", _ON, passive=False),
    _rule("hold sign fight ratify", "occurred_on", _ON, passive=True),
    _rule("submit deliver finish complete return hand", "due_date", _BY, passive=True),
)
_SCHEDULED: Final = frozenset("schedule plan set slate fix".split())
_MOVING: Final = frozenset("move postpone push shift reschedule delay defer slip bring change".split())
_LAUNCH: Final = re.compile(r"\b(?:launch|release|go-live|rollout|roll-out|opening|premiere)\b", re.IGNORECASE)
_DUE: Final = re.compile(r"\b(?:deadline|due\s+date|submission|delivery)\b", re.IGNORECASE)
_START: Final = re.compile(r"\b(?:start|kick-?off|beginning)\b", re.IGNORECASE)
_END: Final = re.compile(r"\b(?:end|expiry|closing)\b", re.IGNORECASE)
_DATE_NOUN: Final = (
    (re.compile(r"\b(?:launch|release|go-live)(?:\s+date)?$", re.IGNORECASE), "launch_date"),
    (re.compile(r"\b(?:deadline|due\s+date)$", re.IGNORECASE), "due_date"),
    (re.compile(r"\bstart(?:ing)?(?:\s+date)?$", re.IGNORECASE), "start_date"),
    (re.compile(r"\b(?:end|expiry|closing)(?:\s+date)?$", re.IGNORECASE), "end_date"),
    (re.compile(r"\b(?:birthday|date\s+of\s+birth|birth\s+date)$", re.IGNORECASE), "born_on"),
    (re.compile(r"\b(?:date\s+of\s+death)$", re.IGNORECASE), "died_on"),
)
# There is one every year, so that two dates of "the Annual General Meeting" are no dispute.
_RECURRING: Final = re.compile(
    r"\b(?:meetings?|retreats?|conferences?|workshops?|votes?|elections?|sessions?|hearings?|seminars?|webinars?|calls?|"
    r"interviews?|exams?|festivals?|games?|match(?:es)?|lectures?|training|surveys?|visits?|events?|ceremon(?:y|ies))$",
    re.IGNORECASE,
)
_NEAR: Final = re.compile(
    r"[\s,]*(?:(?:which|that|who)\s+)?(?:(?:was|were|is|are|will|be|been|has|have|had|first|then|later)\s+)*"
)
_OWNED: Final = re.compile(r"\b(?:their|its|his|her|our|my|your|this|that)\b", re.IGNORECASE)
_TITLE: Final = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Professor|President|Chairman|Senator)\b")
_OBLIGING: Final = frozenset("will must shall should".split())
_LIFE: Final = re.compile(
    r"(?P<name>[A-Z][\w.'’-]+(?:\s+(?:(?:de|van|von|der|du|la|le|al|bin)\s+)*[A-Z][\w.'’-]*){1,4})\s*\(\s*"
    r"(?:(?P<born>(?:born|b\.)\s+)|(?P<died>(?:died|d\.)\s+))?"
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield the dates that a sentence gives to what it names.

    "Ada Lovelace was born on 10 December 1815", "the launch of Atlas has moved from May 3 to 14 October 2026", "the
    report is due on Friday", "Project Juniper runs from 9 June 2025 to 17 January 2026".
    """
    if not dates_in(sentence) or is_contrary(sentence):
        return
    yield from _lives(sentence)
    yield from _ranging(sentence)
    if not sentence.raw.rstrip().endswith("?"):
        yield from _beginning(sentence)
    for clause in _dated_clauses(sentence):
        if clause.lemma in _SCHEDULED and clause.is_passive:
            yield from _moved(sentence, clause, planned=True)
        elif clause.lemma in _MOVING:
            yield from _moved(sentence, clause, planned=False)
        elif clause.lemma == "be":
            yield from _equated(sentence, clause)
        elif clause.lemma in ("run", "last", "extend", "take"):
            yield from _running(sentence, clause)
        for rule in _RULES:
            if clause.lemma in rule.lemmas and rule.passive in (None, clause.is_passive):
                yield from _ruled(sentence, clause, rule)


def _dated_clauses(sentence: Sentence) -> Iterator[Clause]:
    """The asserted clauses, and those that say what is to come: a plan is a date as much as an event is."""
    asserted = {clause.verb: clause for clause in clauses_of(sentence)}
    for verb, word in enumerate(sentence.words):
        if verb in asserted:
            yield asserted[verb]
        elif word.pos in ("VERB", "AUX") and _is_planned(sentence, verb):
            head, passive = subject_head(sentence, verb)
            phrase = _subject_phrase(sentence, head)
            yield Clause(verb, word.lemma.lower(), passive, (phrase,) if phrase else (), head, Mood())


def _is_planned(sentence: Sentence, verb: int) -> bool:
    """Whether "will" or "must" alone keeps a main clause from being asserted."""
    words = sentence.words
    modal = [one for one in sentence.children(verb, "aux") if words[one].lower in _OBLIGING]
    marks = sentence.children(verb, "mark", "neg")
    if any(words[one].lower == "have" for one in sentence.children(verb, "aux")):
        return False  # "should have started" did not.
    if not modal or marks or words[verb].dep not in ("ROOT", "ccomp") or sentence.raw.rstrip().endswith("?"):
        return False
    conditional = any(words[one].dep == "advcl" for one in sentence.children(verb))
    return not conditional and mood_of(sentence, verb) is None


def _subject_phrase(sentence: Sentence, head: int | None) -> Phrase | None:
    phrase = noun_phrase(sentence, head) if head is not None else None
    return None if phrase is None or is_vague(phrase.text) else phrase


def _date_behind(sentence: Sentence, start: int, gap: re.Pattern[str]) -> DateSpan | None:
    """Return the first date whose way from ``start`` is made of these words only."""
    text = sentence.passage.text
    for one in dates_in(sentence):
        if one.start >= start and any(gap.fullmatch(text[start:at]) for at in {one.start, one.point_start}):
            return one
    return None


def _moved_to(sentence: Sentence, start: int) -> DateSpan | None:
    """Return the date behind "to", also where "from May 3 to May 9" is written as one stretch."""
    found = _date_behind(sentence, start, _MOVED)
    if found is not None:
        return found
    text = sentence.passage.text
    both = next((one for one in dates_in(sentence) if one.start >= start and one.parts), None)
    if both is None or not re.fullmatch(r"(?:\s+(?:up|back|forward))?\s+(?:from\s+)?", text[start : both.start]):
        return None
    return _single(both.parts[-1])


def _single(part: DatePart) -> DateSpan:
    return DateSpan(start=part.start, end=part.end, interval=part.interval, point_start=part.start, point=part.interval)


def _ruled(sentence: Sentence, clause: Clause, rule: _Rule) -> Iterator[Proposal]:
    found = _date_behind(sentence, sentence.words[clause.verb].end, rule.gap) or _in_front(sentence, clause)
    head = clause.subject_head
    if rule.relation == "due_date" and not _is_owed(sentence, clause):
        return  # "was completed in 1974" was not due then.
    if rule.passive and not sentence.children(clause.verb, "auxpass") and sentence.words[clause.verb].dep != "acl":
        return
    is_person = head is not None and sentence.words[head].entity == "PERSON"
    is_person = is_person or any(_TITLE.match(one.text) for one in clause.subjects)
    if is_person and rule.relation not in ("born_on", "died_on"):
        return  # "Ruth began on 3 May" says nothing of Ruth.
    for subject in _near_subjects(sentence, clause):
        if found is not None:
            yield _fact(sentence, subject, rule.relation, found, clause.mood)


def _is_owed(sentence: Sentence, clause: Clause) -> bool:
    """Whether the verb tells a duty: "must be submitted", "is to be delivered", "has to be finished"."""
    words = sentence.words
    modal = any(words[one].lower in _OBLIGING for one in sentence.children(clause.verb, "aux"))
    above = words[clause.verb].head
    return modal or (words[clause.verb].dep == "xcomp" and words[above].lemma.lower() in ("be", "have", "need"))


def _near_subjects(sentence: Sentence, clause: Clause) -> tuple[Phrase, ...]:
    """The subjects; a participle behind a noun belongs to that noun alone, and only right behind it."""
    if sentence.words[clause.verb].dep not in ("acl", "relcl"):
        return clause.subjects
    start = sentence.words[clause.verb].start
    near = [one for one in clause.subjects if _NEAR.fullmatch(sentence.passage.text[one.end : start])]
    return tuple(near[-1:])


def _in_front(sentence: Sentence, clause: Clause) -> DateSpan | None:
    """Return the date at the front of a main clause: "On 3 May 1808, the treaty was signed"."""
    if sentence.words[clause.verb].dep not in ("ROOT", "conj"):
        return None  # "In 1972 he built a chain of oscillators that begins with ..." dates the building.
    first = dates_in(sentence)[0]
    lead = sentence.passage.text[sentence.start : first.start]
    if clause.subject_head is None or first.end > sentence.words[clause.subject_head].start:
        return None
    return first if re.fullmatch(r"\s*(?:On|In|At|By|During)?\s*(?:the\s+)?", lead) else None


def _moved(sentence: Sentence, clause: Clause, *, planned: bool) -> Iterator[Proposal]:
    """Read "the launch of X was moved to D" and "X is scheduled for D": the last date is the one that holds."""
    head, start = clause.subject_head, sentence.words[clause.verb].end
    target = None if clause.is_passive else sentence.child(clause.verb, "dobj")
    if target is not None:
        head, start = target, sentence.words[max(_near_subtree(sentence, target))].end
    found = _date_behind(sentence, start, _FOR) if planned else _moved_to(sentence, start)
    if found is None or head is None:
        return
    for subject, relation in _owners(sentence, head, _scheduled(sentence, clause)):
        yield _fact(sentence, subject, relation, found, clause.mood)


def _near_subtree(sentence: Sentence, head: int) -> list[int]:
    """The noun with its owner, without a date that a parser hung on it."""
    first = min((one.start for one in dates_in(sentence)), default=sentence.end)
    below = [one for one in sentence.subtree(head) if sentence.words[one].end <= first]
    while below and sentence.words[below[-1]].lower in ("from", "to", "until", "on", "for"):
        below.pop()
    return below or [head]


def _scheduled(sentence: Sentence, clause: Clause) -> str:
    """What a bare subject's date is the date of: its launch where the sentence says so, else of what takes place."""
    rest = sentence.passage.text[sentence.words[clause.verb].end : sentence.end]
    return "launch_date" if re.match(r"\s+to\s+(?:be\s+)?(?:launch|ship|go\s+live|released?)", rest) else "occurred_on"


def _owners(sentence: Sentence, head: int, bare: str) -> Iterator[tuple[Phrase, str]]:
    """Yield whose date it is: of "the launch of X" and "X's deadline" it is X, else the noun itself."""
    words = sentence.words
    name = sentence.cut(words[_compound_start(sentence, head)].start, words[head].end).text
    relation = next((row[1] for row in _DATE_NOUN if row[0].search(name)), "")
    owner = _owner(sentence, head) if relation else None
    if owner is not None:
        yield owner, relation
        return
    phrase = _subject_phrase(sentence, head)
    if phrase is not None:
        yield phrase, relation or bare


def _compound_start(sentence: Sentence, head: int) -> int:
    first = head
    while first > 0 and sentence.words[first - 1].head == head and sentence.words[first - 1].dep == "compound":
        first -= 1
    return first


def _owner(sentence: Sentence, head: int) -> Phrase | None:
    possessor = sentence.child(head, "poss")
    if possessor is None:
        prep = next(
            (one for one in sentence.children(head, "prep") if sentence.words[one].lower in ("of", "for")), None
        )
        possessor = sentence.child(prep, "pobj") if prep is not None else None
    phrase = _subject_phrase(sentence, possessor)
    if phrase is None:
        return None
    return Phrase(re.sub(r"['’]s?$", "", phrase.text), phrase.start, phrase.end)


_RUN_GAP: Final = re.compile(rf"{_PLACE}\s+(?:from\s+)?")
_VERBS: Final = (
    r"(?P<verb>starts|started|begins|began|ends|ended|closes|closed|concludes|concluded|finishes|finished|expires)"
)
_STARTS: Final = re.compile(
    rf"\s*(?:The\s+)?(?P<name>(?!(?:If|When|Once|Unless|Should|Whether|Before|After|Until|While|Because|Although|Suppose|Assume|It|This|That|He|She|They|We|What|Which|In|On|At|Even)\b)(?:Project\s+)?[A-Z][\w'’-]*(?:\s+(?:for|of)(?:\s+the)?\s+[A-Z][\w'’-]*|\s+[A-Z][\w'’-]*){{0,5}})\s+{_VERBS}\s+"
    r"(?:on|in)\s+"
)
_THEN: Final = re.compile(rf"\s*,?\s+and\s+{_VERBS}\s+(?:on|in)\s+")
_RUNS: Final = re.compile(
    r"\s*(?:The\s+)?(?P<name>(?!(?:If|When|Once|Unless|Should|Whether|Before|After|Until|While|It|This|That|He|She|They|We|What|Which)\b)[A-Z][\w'’-]*(?:\s+(?:of|the|for|and|[\w'’-]+)){0,6}?)\s+(?:runs|ran|will\s+run|lasts|lasted)\s+"
)
_DUE_GAP: Final = re.compile(r"\s+(?:now\s+|still\s+)?due\s+(?:back\s+)?(?:(?:on|by|in|at|before)\s+)?(?:the\s+)?")
_IS_GAP: Final = re.compile(r"\s+(?:now\s+|still\s+|currently\s+|set\s+(?:for|to)\s+|on\s+|in\s+|at\s+)*(?:the\s+)?")


def _equated(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X is due on D", "the launch date of X is D", "X's deadline is D"."""
    head = clause.subject_head
    if head is None or head > clause.verb:
        return
    start = sentence.words[clause.verb].end
    due = _date_behind(sentence, start, _DUE_GAP)
    if due is not None:
        for subject in clause.subjects:
            yield _fact(sentence, subject, "due_date", due, clause.mood)
        return
    found = _date_behind(sentence, start, _IS_GAP)
    for subject, relation in _owners(sentence, head, ""):
        if found is not None and relation:
            yield _fact(sentence, subject, relation, found, clause.mood)


def _running(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X runs from D to E" as two facts, and "X took place on D" as one."""
    start = sentence.words[clause.verb].end
    if clause.lemma == "take":
        place = re.compile(r"\s+place").match(sentence.passage.text, start)
        found = _date_behind(sentence, place.end(), _ON) if place else None
        for subject in clause.subjects:
            if found is not None:
                yield _fact(sentence, subject, "occurred_on", found, clause.mood)
        return
    both = next((one for one in dates_in(sentence) if one.start >= start and one.parts), None)
    if both is None or not _RUN_GAP.fullmatch(sentence.passage.text[start : both.start]):
        return
    for subject in clause.subjects:
        for part, relation in zip(both.parts, ("start_date", "end_date"), strict=True):
            yield _fact(sentence, subject, relation, _single(part), clause.mood)


def _ranging(sentence: Sentence) -> Iterator[Proposal]:
    """Read "Project Lantern runs from D to E" by its words: parsers take "runs" for a noun."""
    for one in dates_in(sentence):
        match = _RUNS.fullmatch(sentence.passage.text, sentence.start, one.start) if one.parts else None
        subject = sentence.cut(match.start("name"), match.end("name")) if match else None
        for part, relation in zip(one.parts, ("start_date", "end_date"), strict=False):
            if subject is not None and not is_vague(subject.text):
                yield _fact(sentence, subject, relation, _single(part), Mood())


def _beginning(sentence: Sentence) -> Iterator[Proposal]:
    """Read "X starts on D and ends on E" by its words, for the same reason."""
    text = sentence.passage.text
    subject: Phrase | None = None
    last = sentence.start
    for one in dates_in(sentence):
        first = _STARTS.fullmatch(text, sentence.start, one.point_start)
        if first is not None:
            subject = sentence.cut(first.start("name"), first.end("name"))
        verb = first or _THEN.fullmatch(text, last, one.point_start)
        last = one.end
        if subject is not None and verb is not None and not is_vague(subject.text):
            relation = "end_date" if re.match(r"end|close|conclude|finish|expire", verb["verb"]) else "start_date"
            yield _fact(sentence, subject, relation, one, Mood())


def _lives(sentence: Sentence) -> Iterator[Proposal]:
    """Read "Ada Lovelace (10 December 1815 – 27 November 1852)" and "Niels Bohr (born 7 October 1885)"."""
    text = sentence.passage.text
    for match in _LIFE.finditer(text, sentence.start, sentence.end):
        first = next((one for one in dates_in(sentence) if one.start == match.end()), None)
        if first is None or not (match["born"] or match["died"] or first.interval.granularity is Granularity.DAY):
            continue
        subject = sentence.cut(match.start("name"), match.end("name"))
        if match["died"]:
            yield _fact(sentence, subject, "died_on", first, Mood())
            continue
        ends = [_single(part) for part in first.parts]
        if ends or match["born"]:
            yield _fact(sentence, subject, "born_on", ends[0] if ends else first, Mood())
        if ends:
            yield _fact(sentence, subject, "died_on", ends[1], Mood())


def _fact(sentence: Sentence, subject: Phrase, relation: str, found: DateSpan, mood: Mood) -> Proposal:
    """Write one date; strict for a day, a month or a year that is given as it is."""
    plain = not mood.hedged and not mood.negated and not subject.anaphor and not found.interval.fuzzy
    plain = plain and len(subject.text.split()) <= 8 and not is_garbled(subject) and not _OWNED.search(subject.text)
    if relation == "occurred_on":
        plain = plain and _RECURRING.search(subject.text) is None
    name = PATTERN if plain else f"{PATTERN}.loose"
    value = sentence.cut(found.point_start, found.end)
    return with_anchor(propose(sentence, subject, relation, value, name, mood), found)
