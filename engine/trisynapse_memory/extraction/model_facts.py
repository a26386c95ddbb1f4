"""Rows a model wrote and the passages it was shown in, proposals that name words of those passages out, or a reason.

A quote must stand in its passage, a date is worked out by the calendar and never by the model, and ``pattern`` says how
closely the words of the source say the fact. No model is asked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.scoring.relations import relation_of
from trisynapse_memory.text.dates import resolve
from trisynapse_memory.text.replies import (
    is_true,
    mapping_of,
    numbers_of,
    share_of,
    text_of,
)
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import find_quote, normalise
from trisynapse_memory.text.unsaid import is_order
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.text.windows import Part, Window
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import QUALIFIERS, Actor, CitationVerdict, FactDetails, Passage, Proposal

VERBATIM: Final = "llm.verbatim"
"""The fact, said as a sentence, stands literally in the source; the only pattern of a model that may be shown."""
PARAPHRASE: Final = "llm.paraphrase"
"""The source says the fact in other words, by the verdict of ``text/verdicts.py``."""
QUOTED: Final = "llm.quoted"
"""The quote is there and holds both sides; whether it says the fact is the model's word alone."""

LEAST_CONFIDENCE: Final = 0.01
UNSAID_CONFIDENCE: Final = 0.5  # of a fact whose row names none
LEAST_QUOTE_WORDS: Final = 2
MOST_QUOTE_SENTENCES: Final = 3
LONGEST_QUALIFIER: Final = 120  # characters
MOST_FACTS: Final = 100  # of one reply

_NOT_LETTERS: Final = re.compile(r"[^a-z]+")
_QUOTATION_MARKS: Final = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb "
_PRONOUN: Final = re.compile(r"\b(?:it|he|she|they|we|its|his|her|their|our)\b", re.IGNORECASE)
_OPENS: Final = re.compile(r"(?:^|.*[,;:])[\s\"'(]*(?:(?:the|an?)\s+)?$", re.IGNORECASE | re.DOTALL)
_CLOSES: Final = re.compile(
    r"\s*(?:$|[.,;:!?)\]]|(?:and|but|while|whereas|with|without|on|in|at|for|by|to|from|as|during|after|before|since|"
    r"because|when|which|who|using|under|over|via)\b)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:[.,-][^\W_]+)*")
_WORDINGS: Final = MappingProxyType(
    {
        "has_value": ("was",),
        "has_result": ("reached", "achieves", "achieved", "scores", "scored", "obtains", "obtained"),
        "has_part": ("contains", "contained", "includes", "included", "consists of", "comprises"),
        "stands_for": ("means",),
        "uses": ("used", "has used"),
        "causes": ("caused",),
        "increases": ("increased",),
        "reduces": ("reduced",),
        "improves": ("improved",),
        "prevents": ("prevented",),
        "outperforms": ("outperformed",),
        "located_in": ("is located in", "lies in"),
        "due_date": ("was due on",),
        "start_date": ("started on", "begins on", "began on"),
        "end_date": ("ended on",),
        "launch_date": ("launched on",),
        "has_version": ("is at version",),
    }
)
"""Other words that say one relation and no other."""
_COUNTED: Final = ("has_value", "measured_as")
_ARTICLES: Final = ("", "the ", "a ", "an ")
_ARTICLE: Final = re.compile(r"(?:the|an?)\s", re.IGNORECASE)


class Provenance(Struct, frozen=True, kw_only=True):
    """Who wrote a fact: provider and model, and the prompt by its label (``facts-1``) and the hash of its file."""

    provider: str
    model: str
    prompt: str
    prompt_sha256: str


class ModelReading(Struct, frozen=True, kw_only=True):
    """What came of reading passages with a model.

    ``faults`` names passages (by ``seq``) whose window failed twice, with the reason; what could be read of it is among
    the proposals. ``dropped`` counts facts that could not be kept, by reason. ``withheld`` passages were not shown to
    the model, ``unread`` ones wait because it stopped answering (``trouble`` says why); neither counts as read, and no
    proposal rests on them.
    """

    proposals: tuple[Proposal, ...]
    provenance: Provenance
    faults: dict[int, str] = {}
    dropped: dict[str, int] = {}
    withheld: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    trouble: str = ""
    call_count: int = 0


def fact_draft_fields(
    reader: tuple[str, int], proposal: Proposal, provenance: Provenance | None
) -> tuple[FactDetails, Actor]:
    """Return what the record of a fact says about how it was found.

    Args:
        reader: name and version of the extractor.
        proposal: the fact; its span becomes the evidence span.
        provenance: of a model; None for an extractor without one.
    """
    name, version = reader
    details = FactDetails(
        pattern=proposal.pattern,
        extractor=name,
        extractor_version=version,
        spans=((proposal.start, proposal.end),),
        qualifiers=proposal.qualifiers,
        negated=proposal.negated,
        hedged=proposal.hedged,
        provider=provenance.provider if provenance else "",
        prompt_sha256=provenance.prompt_sha256 if provenance else "",
    )
    actor = Actor(
        type="extraction",
        id=f"{name}/{version}",
        model=provenance.model if provenance else None,
        prompt_version=provenance.prompt if provenance else None,
    )
    return details, actor


def facts_schema() -> dict[str, object]:
    """Return the JSON Schema of a reply."""
    text: dict[str, object] = {"type": "string"}
    truth: dict[str, object] = {"type": "boolean"}
    fields: dict[str, object] = {
        "subject": text,
        "relation": text,
        "object": text,
        "evidence": {"type": "integer", "minimum": 1},
        "quote": text,
        "temporal_expression": text,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "negated": truth,
        "hedged": truth,
        "qualifiers": {
            "type": "object",
            "properties": dict.fromkeys(QUALIFIERS, text),
            "additionalProperties": False,
        },
    }
    fact = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact, "maxItems": MOST_FACTS}},
        "required": ["facts"],
        "additionalProperties": False,
    }


def propose(row: dict[str, object], window: Window) -> Proposal | str:
    """Return the fact that a row states, or in a few words why it cannot be kept.

    ``evidence`` may be missing, not wrong: a quote that stands in one of the passages only is enough. The span is that
    of the whole sentences around the quote.
    """
    subject, relation, value = (text_of(row.get(name)) for name in ("subject", "relation", "object"))
    quote = text_of(row.get("quote"))
    if not (subject and relation and value):
        return "incomplete"
    if is_order(f"{subject} {relation.replace('_', ' ')} {value}"):
        return "order to the reader"
    if len(quote.split()) < LEAST_QUOTE_WORDS:
        return "short quote"
    parts = _parts_named(row.get("evidence"), window, quote)
    if not parts:
        return "unknown evidence"
    place = next((found for part in parts if (found := _place(part, quote, value)) is not None), None)
    if place is None:
        return "quote not in passage"
    passage, (start, end), sentence_count = place
    if sentence_count > MOST_QUOTE_SENTENCES:
        return "long quote"
    when = text_of(row.get("temporal_expression"))
    proposal = Proposal(
        seq=passage.seq,
        start=start,
        end=end,
        subject=subject,
        relation=_NOT_LETTERS.sub("_", relation.lower()).strip("_"),
        object=value,
        pattern=QUOTED,
        confidence=max(LEAST_CONFIDENCE, share_of(row.get("confidence"), UNSAID_CONFIDENCE)),
        qualifiers=_qualifiers(row, passage, (start, end), subject),
        negated=is_true(row.get("negated")),
        hedged=is_true(row.get("hedged")),
        temporal_anchor=_anchor(passage, when),
    )
    return _without_made_up(_with_pattern(proposal, passage, when), passage)


# ---------------------------------------------------------------- where the quote stands


def _parts_named(cell: object, window: Window, quote: str) -> tuple[Part, ...]:
    """The parts a row names; where it names none, the one that holds the quote."""
    numbers = numbers_of(cell)
    if numbers:
        return tuple(part for number in numbers if (part := window.part(number)) is not None)
    if text_of(cell):
        return ()  # an identifier that nobody gave it
    holders = [part for part in window.parts if _find(part.text, quote)]
    return tuple(holders) if len({part.passage.seq for part in holders}) == 1 else ()


def _place(part: Part, quote: str, value: str) -> tuple[Passage, tuple[int, int], int] | None:
    """The span of the sentences around the quote and their number; of several places the first that has the value."""
    text = part.passage.text
    sentences = sentence_spans(text)
    places: list[tuple[tuple[int, int], int]] = []
    for left, right in _find(part.text, quote):
        start, end = part.start + left, part.start + right
        around = [(first, last) for first, last in sentences if first < end and start < last] or [(start, end)]
        places.append(((min(start, around[0][0]), max(end, around[-1][1])), len(around)))
    if not places:
        return None
    span, count = next((place for place in places if _find(text[slice(*place[0])], value)), places[0])
    return part.passage, span, count


def _find(text: str, quote: str) -> list[tuple[int, int]]:
    found = find_quote(text, quote, whole_words=True)
    bare = quote.strip(_QUOTATION_MARKS)
    return found or (find_quote(text, bare, whole_words=True) if bare and bare != quote else [])


# ---------------------------------------------------------------- dates and qualifiers


def _anchor(passage: Passage, when: str) -> str:
    """The date of an expression that stands in the passage, from the passage's own date on; else empty."""
    if not when or not find_quote(passage.text, when, ignore_case=True, whole_words=True):
        return ""
    found = resolve(when, passage.observed_at.date() if passage.observed_at else None)
    return found.iso if found is not None else ""


def _qualifiers(row: dict[str, object], passage: Passage, span: tuple[int, int], subject: str) -> dict[str, str]:
    """The known qualifiers of a row, and the pronoun of the span that its subject stands for."""
    given = mapping_of(row.get("qualifiers"))
    kept = {name: given[name] for name in QUALIFIERS if name in given and len(given[name]) <= LONGEST_QUALIFIER}
    sentence = passage.text[slice(*span)]
    pronoun = _PRONOUN.search(sentence)
    if pronoun is not None and not _find(sentence, subject):
        kept["anaphor"] = pronoun.group()
    return kept


def _without_made_up(proposal: Proposal, passage: Passage) -> Proposal:
    """Leave out qualifiers that stand nowhere in the passage; that there were such has cost the fact its pattern."""
    around = f"{passage.title}\n{passage.section}\n{passage.speaker}\n{passage.text}"
    kept = {
        name: value
        for name, value in proposal.qualifiers.items()
        if find_quote(around, value, ignore_case=True, whole_words=True)
    }
    return structs.replace(proposal, qualifiers=kept)


# ---------------------------------------------------------------- how closely the source says it


def _with_pattern(proposal: Proposal, passage: Passage, when: str) -> Proposal:
    """Name the pattern of a fact; one that is literal but for what its qualifiers leave open is a paraphrase."""
    span = passage.text[proposal.start : proposal.end]
    statements = _statements(proposal)
    verdicts = [judge(statement, span, (passage.before,) if passage.before else ()) for statement in statements]
    literal = (CitationVerdict.VERBATIM, CitationVerdict.NORMALISED)
    if any(
        verdict in literal and _is_said_by(statement, proposal) and _stands_whole(proposal, statement, span, when)
        for statement, verdict in zip(statements, verdicts, strict=True)
    ):
        return structs.replace(proposal, pattern=VERBATIM)
    follows = any(verdict.passes for verdict in verdicts)
    return structs.replace(proposal, pattern=PARAPHRASE if follows else QUOTED)


def _statements(proposal: Proposal) -> tuple[str, ...]:
    """The fact as sentences: as its relation is said or with the relation's own words, with and without an article."""
    relation = proposal.relation
    words = relation.replace("_", " ")
    phrases = dict.fromkeys((relation_of(relation).phrase, words, *_WORDINGS.get(relation, ())))
    if proposal.negated:
        phrases = dict.fromkeys(denied for phrase in phrases for denied in _denials(phrase))
    return tuple(
        f"{proposal.subject} {phrase} {article}{proposal.object}"
        for phrase in phrases
        for article in _ARTICLES
        if not (article and _ARTICLE.match(proposal.object))
    )


def _denials(phrase: str) -> tuple[str, ...]:
    """A phrase denied; a verb that is not regular gives a form that stands in no text."""
    verb, _, rest = phrase.partition(" ")
    if verb in ("is", "was"):
        return (f"{verb} not {rest}".strip(),)
    if not verb.endswith("s"):
        return ()
    return tuple(f"{helping} not {verb[:-1]} {rest}".strip() for helping in ("does", "did"))


def _is_said_by(statement: str, proposal: Proposal) -> bool:
    """Whether a statement can mean this relation only: "X is Y" says what X is, not which role or status it has."""
    if relation_of(proposal.relation).phrase != "is":
        return True
    bare = re.match(rf"{re.escape(proposal.subject)} (?:is|was) (?:not )?", statement)
    if bare is None:
        return True
    if proposal.relation == "is_a":
        return _ARTICLE.match(statement, bare.end()) is not None
    return proposal.relation in _COUNTED and any(map(str.isdigit, proposal.object))


def _stands_whole(proposal: Proposal, statement: str, span: str, when: str) -> bool:
    """Whether a literal statement is all that its sentence says of it.

    Neither side may go on ("a model" of "a model organism"), nothing may be hedged, every qualifier and the date must
    stand in the same sentence; and where two values would contradict each other, what the sentence adds must be named.
    """
    if proposal.hedged:
        return False
    for start, end in sentence_spans(span) or [(0, len(span))]:
        sentence = normalise(span[start:end]).text
        at = sentence.casefold().find(normalise(statement).text.casefold())
        if at < 0:
            continue
        left, right = sentence[:at], sentence[at + len(normalise(statement).text) :]
        conditions = [*_values(proposal), *([when] if when else [])]
        if not (_OPENS.match(left) and _is_closed(right, conditions)):
            continue
        if not all(_find(sentence, one) for one in conditions):
            continue
        if relation_of(proposal.relation).many or not _unnamed(left + " " + right, conditions):
            return True
    return False


def _is_closed(right: str, conditions: Sequence[str]) -> bool:
    """Whether the object ends where it was cut: something else begins, or a condition that the fact names."""
    following = right.strip().casefold()
    return bool(_CLOSES.match(right)) or any(following.startswith(normalise(one).text.casefold()) for one in conditions)


def _values(proposal: Proposal) -> list[str]:
    return [value for name, value in proposal.qualifiers.items() if name != "anaphor"]


def _unnamed(rest: str, conditions: Sequence[str]) -> list[str]:
    """The content words around a statement that no condition names."""
    for condition in conditions:
        rest = re.sub(re.escape(normalise(condition).text), " ", rest, flags=re.IGNORECASE)
    return [word for word in _WORD.findall(rest) if word.lower() not in FUNCTION_WORDS]
