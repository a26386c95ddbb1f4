"""A sentence in, who wrote a work and when things were published, introduced and founded out.

Relations: authored_by, introduced_by and introduced_in, published_on and published_in, founded_in. Who developed or
proposed something in plain words is read by ``makers``; here only "Smith et al. (2020) introduced X" is, whose year is
part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from trisynapse_memory.extraction.amounts import confidence_of, dates_in, is_garbled, with_anchor
from trisynapse_memory.extraction.clauses import Clause, clauses_of, objects_of, propose, subjects_of
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import is_vague, trimmed
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.dates import DateSpan
from trisynapse_memory.text.references import SURNAME
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "authorship"

_WRITING: Final = frozenset("write author compose pen co-author coauthor".split())
_INTRODUCING: Final = frozenset("introduce invent propose unveil".split())
_PUBLISHING: Final = frozenset("publish appear".split())
_FOUNDING: Final = frozenset("found establish incorporate".split())


_SOMEWHERE: Final = r"(?:\s*,?\s*(?:in|at|by|as|with|near)\s+(?:[^;.()]|\bal\.|\b[A-Z]\.){2,70}?)?,?"
_DATE_GAP: Final = re.compile(
    rf"(?:\s+first)?{_SOMEWHERE}{_SOMEWHERE}\s+(?:back\s+)?(?:in|on|during)\s+(?:the\s+year\s+|the\s+)?"
)
_VENUE: Final = re.compile(
    r"(?:\s+(?:first|originally|on\s+[^,;]{4,30}?))?\s+in\s+(?:[Tt]he\s+(?=(?:[A-Z]\w+\s+)*(?:Journal|Proceedings|Transactions|Annals|Bulletin|"
    r"Review|Magazine|Times|Lancet|Gazette|Quarterly|Philosophical)))?(?P<venue>[A-Z][\w’'&-]*(?:\s+(?:(?:of|the|and|for|in|on|&)\s+)*[A-Z][\w’'&-]*)*)"
)
_OPENED: Final = re.compile(r"\s*(?:First\s+)?(?P<verb>Founded|Established|Incorporated|Introduced|Published)\b")
_OPENED_AS: Final = MappingProxyType({"Introduced": "introduced_in", "Published": "published_on"})
_TITLE_BY: Final = re.compile(
    r"[“\"«](?P<title>[^“”\"«»]{2,120}?)[,.]?[”\"»],?\s+(?:written\s+)?by\s+(?P<names>[A-Z][\w.’'-]*(?:(?:,\s+and\s+|,\s+|\s+and\s+|\s+)"
    r"[A-Z][\w.’'-]*)+)"
)
_CITING: Final = re.compile(
    rf"(?P<names>{SURNAME}(?:(?:,\s+{SURNAME})*,?\s+(?:and|&)\s+{SURNAME}|\s+et\s+al\.?)?)\s+\((?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)\s+"
    r"(?:first\s+|originally\s+|later\s+)?(?P<verb>introduced|proposed|invented|pioneered|coined|presented|developed|created|designed)\b"
)
_PROPOSALS: Final = frozenset("introduced proposed invented pioneered coined".split())
_QUOTED: Final = re.compile(
    r"[“\"«](?P<title>[^“”\"«»]{2,120}?)[,.]?[”\"»]\s+(?:(?:was|were|has|had|been|is|first|both)\s+)*$"
)
_TITLED: Final = re.compile(r"[A-Z“\"«]")
_BYLINE: Final = re.compile(
    r"^\s*(?:[Ww]ritten\s+|WRITTEN\s+)?(?:[Bb]y|BY|[Aa]uthors?:)\s+(?P<names>[A-Z][\w.'’-]*(?:(?:,\s*(?:and\s+|&\s+)?|\s+(?:and|&)\s+|\s+)"
    r"(?:(?:de|van|von|der|la|le|du|al)\s+)*[A-Z][\w.'’-]*){1,24})\s*$",
    re.MULTILINE,
)
_NAME_JOINT: Final = re.compile(r"\s*(?:,\s*(?:and|&)\s+|,\s*|\s+(?:and|&)\s+)\s*")
_TITLE_PAGE_LINES: Final = 14


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield who wrote what, and when things were introduced, published and founded, as a sentence says it."""
    yield from _cited(sentence)
    yield from _titled(sentence)
    for clause in clauses_of(sentence):
        if clause.lemma in _WRITING:
            yield from _written(sentence, clause)
        elif clause.lemma == "be":
            yield from _written_by(sentence, clause)
        elif clause.lemma in _INTRODUCING:
            yield from _dated(sentence, clause, "introduced_in")
        elif clause.lemma in _PUBLISHING:
            yield from _published(sentence, clause)
        elif clause.lemma in _FOUNDING:
            yield from _dated(sentence, clause, "founded_in")
    yield from _opened(sentence)


def find_bylines(passage: Passage) -> Iterator[Proposal]:
    """Yield the authors that a line of its first page names: "By Jane Smith and John Lee"."""
    if not passage.title or passage.page > 1 or passage.before or passage.modality is not Modality.DOCUMENT:
        return
    head = "\n".join(passage.text.split("\n")[:_TITLE_PAGE_LINES])
    match = _BYLINE.search(head)
    for name in _NAME_JOINT.split(match["names"]) if match else ():
        if match is not None and len(name.split()) >= 2:
            yield Proposal(
                seq=passage.seq,
                start=match.start("names"),
                end=match.end("names"),
                subject=passage.title,
                relation="authored_by",
                object=name.strip(),
                pattern=f"{PATTERN}.byline",
                confidence=confidence_of(f"{PATTERN}.byline"),
            )


def _written(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X was written by A and B" and "A wrote X", each author a fact."""
    if sentence.child(clause.verb, "prt") is not None:
        return  # "wrote the car off"
    if clause.is_passive:
        works, authors = _subjects(sentence, clause), objects_of(sentence, _agent(sentence, clause.verb))
    else:
        works, authors = objects_of(sentence, sentence.child(clause.verb, "dobj")), clause.subjects
    for work in works:
        for author in authors:
            plain = _TITLED.match(author.text) is not None
            plain = plain and (clause.is_passive or _TITLED.match(work.text) is not None)
            yield _fact(sentence, work, "authored_by", author, clause.mood, is_plain=plain)


def _titled(sentence: Sentence) -> Iterator[Proposal]:
    """Read "“Notes on Lichen”, by Okafor and Whitcombe, ...": each name a fact."""
    for match in _TITLE_BY.finditer(sentence.passage.text, sentence.start, sentence.end):
        work = sentence.cut(match.start("title"), match.end("title"))
        position = match.start("names")
        for name in re.split(r"(,\s+and\s+|,\s+|\s+and\s+)", match["names"])[::2]:
            start = sentence.passage.text.index(name, position)
            position = start + len(name)
            if len(name.split()) > 1:
                author = sentence.cut(start, position)
                yield _fact(
                    sentence, work, "authored_by", author, Mood(), is_plain=not sentence.raw.rstrip().endswith("?")
                )


def _written_by(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X is the author of Y"."""
    attribute = sentence.child(clause.verb, "attr")
    if attribute is None or sentence.words[attribute].lower not in ("author", "co-author", "coauthor", "writer"):
        return
    of = next((one for one in sentence.children(attribute, "prep") if sentence.words[one].lower == "of"), None)
    target = sentence.child(of, "pobj") if of is not None else None
    for work in objects_of(sentence, target):
        for author in clause.subjects:
            plain = bool(_TITLED.match(author.text) and _TITLED.match(work.text))
            yield _fact(sentence, work, "authored_by", author, clause.mood, is_plain=plain)


def _agent(sentence: Sentence, verb: int) -> int | None:
    by = next((one for one in sentence.children(verb, "agent", "prep") if sentence.words[one].lower == "by"), None)
    return sentence.child(by, "pobj") if by is not None else None


def _subjects(sentence: Sentence, clause: Clause) -> tuple[Phrase, ...]:
    """The subjects; a title in quotes right before the verb is the work itself: Okafor's “A Year on the Ice”."""
    before = sentence.passage.text[sentence.start : sentence.words[clause.verb].start]
    quoted = _QUOTED.search(before)
    if quoted is None:
        return clause.subjects
    start = sentence.start + quoted.start("title")
    return (sentence.cut(start, start + len(quoted["title"])),)


def _things(sentence: Sentence, clause: Clause) -> tuple[tuple[Phrase, ...], int]:
    """What was introduced or founded, and where the words behind it begin."""
    verb = sentence.words[clause.verb]
    if clause.is_passive or clause.lemma == "appear":
        return _subjects(sentence, clause), verb.end
    target = sentence.child(clause.verb, "dobj")
    things = objects_of(sentence, target)
    return things, things[-1].end if things else verb.end


def _dated(sentence: Sentence, clause: Clause, relation: str) -> Iterator[Proposal]:
    things, start = _things(sentence, clause)
    found = _date_of(sentence, clause, start)
    for thing in things:
        if found is not None:
            plain = clause.is_passive or _TITLED.match(thing.text) is not None
            yield _date_fact(sentence, thing, relation, found, clause.mood, is_plain=plain)


def _date_of(sentence: Sentence, clause: Clause, start: int) -> DateSpan | None:
    """The date right behind, or at the front of the sentence: "In 1911, Rutherford ..."."""
    text = sentence.passage.text
    for one in dates_in(sentence):
        if one.start >= start and _DATE_GAP.fullmatch(text[start : one.start]):
            return one
    first = next(iter(dates_in(sentence)), None)
    leads = first is not None and re.fullmatch(r"\s*(?:In|On)\s+(?:the\s+)?", text[sentence.start : first.start])
    before = (
        clause.subject_head is not None and first is not None and first.end <= sentence.words[clause.subject_head].start
    )
    return first if leads and before else None


def _published(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Read "X was published in Nature on 3 May 2001": when, and where."""
    things, start = _things(sentence, clause)
    if not (clause.is_passive or clause.lemma == "appear"):
        plain_work = bool(things) and _TITLED.match(things[0].text) is not None
    else:
        plain_work = True
    found = _date_of(sentence, clause, start)
    venue = _VENUE.match(sentence.passage.text, start, sentence.end)
    name = trimmed(sentence, venue.start("venue"), venue.end("venue")) if venue else None
    dated = name is not None and any(one.start < name.end and name.start < one.end for one in dates_in(sentence))
    placed = name is not None and _is_place(sentence, name)
    for thing in things:
        if found is not None and clause.lemma != "appear":
            yield _date_fact(sentence, thing, "published_on", found, clause.mood, is_plain=plain_work)
        if name is not None and not dated and not placed:
            yield _fact(
                sentence, thing, "published_in", name, clause.mood, is_plain=plain_work and clause.lemma == "publish"
            )


def _is_place(sentence: Sentence, phrase: Phrase) -> bool:
    index = sentence.word_at(phrase.start)
    return index is not None and sentence.words[index].entity in ("GPE", "LOC", "DATE")


def _opened(sentence: Sentence) -> Iterator[Proposal]:
    """Read "Founded in 1911, the Harbour Institute ...": the subject of the main clause was founded."""
    opened = _OPENED.match(sentence.passage.text, sentence.start, sentence.end)
    root = next((at for at, word in enumerate(sentence.words) if word.head == at), None)
    if opened is None or root is None:
        return
    found = next(
        (one for one in dates_in(sentence) if _DATE_GAP.fullmatch(sentence.passage.text[opened.end() : one.start])),
        None,
    )
    head = sentence.child(root, "nsubj", "nsubjpass")
    for subject in subjects_of(sentence, head) if found is not None else ():
        if found is not None and subject.start > found.end:
            relation = _OPENED_AS.get(opened["verb"], "founded_in")
            yield _date_fact(sentence, subject, relation, found, Mood(), is_plain=True)


def _cited(sentence: Sentence) -> Iterator[Proposal]:
    """Read "Smith et al. (2020) introduced X"."""
    for match in _CITING.finditer(sentence.passage.text, sentence.start, sentence.end):
        verb = sentence.word_at(match.start("verb"))
        target = sentence.child(verb, "dobj") if verb is not None else None
        names = sentence.cut(match.start("names"), match.end("names"))
        relation = "introduced_by" if match["verb"] in _PROPOSALS else "developed_by"
        if match["verb"] == "presented":
            relation = "introduced_by"
        for thing in objects_of(sentence, target):
            if _TITLED.search(thing.text):
                yield _fact(sentence, thing, relation, names, Mood(), is_plain=True)
                if match["verb"] in _PROPOSALS:
                    year = sentence.cut(match.start("year"), match.end("year"))
                    yield _fact(sentence, thing, "introduced_in", year, Mood(), is_plain=True)


def _date_fact(
    sentence: Sentence, subject: Phrase, relation: str, found: DateSpan, mood: Mood, *, is_plain: bool
) -> Proposal:
    value = sentence.cut(found.point_start, found.end)
    plain = is_plain and not found.point.fuzzy and found.point == found.interval
    return with_anchor(_fact(sentence, subject, relation, value, mood, is_plain=plain), found)


def _fact(sentence: Sentence, subject: Phrase, relation: str, value: Phrase, mood: Mood, *, is_plain: bool) -> Proposal:
    if relation == "founded_in":
        is_plain = is_plain and re.search(r"(?:^|\s)[A-Z][\w’'-]*$|[A-Z][\w-]+\s+of\s", subject.text) is not None
    is_plain = is_plain and not is_garbled(subject)
    plain = is_plain and not (mood.hedged or mood.negated or subject.anaphor or is_vague(subject.text))
    return propose(sentence, subject, relation, value, PATTERN if plain else f"{PATTERN}.loose", mood)
