"""Claims, quotes and names in, wiki pages out. Nothing is read and nothing is remembered: same values, same page.

Only shown claims may be handed in. Every sentence of a page is a passage of a source as it stands or a claim in its own
words (``sentences.py``); both carry their evidence, and without any they raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from msgspec import structs

from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import Claim, ClaimSide, ClaimStatus, SourceId, WikiPage, WikiSentence
from trisynapse_memory.types.compiled import WikiSection
from trisynapse_memory.wiki.sentences import (
    Quote,
    anchored,
    corrected,
    disputed,
    is_disputed,
    quoted,
    replaced,
    sentence_key,
    standing_sides,
    stated,
)
from trisynapse_memory.wiki.wording import DATED, capitalised, date_of, quote_of

DEFINITION_LIMIT: Final = 6  # sentences under "What it is"; a seventh definition tells a reader nothing new
RESULT_LIMIT: Final = 200  # rows of a table
RELATION_LIMIT: Final = 80
INVERSE_LIMIT: Final = 30  # what others say of a hub ("X uses GLUE") would bury what is said of itself
KEY_CLAIM_LIMIT: Final = 10

DEFINING: Final = frozenset(("is_a", "defined_as", "stands_for"))
VALUED: Final = frozenset(("has_value", "measured_as", "has_result", "costs", "has_cell"))
UNTOLD: Final = frozenset(("about", "cites"))
"""Relations of documents, not of things: they link pages and are no sentence of one."""
BOOKISH: Final = UNTOLD | frozenset(
    "authored_by published_in published_on has_cell has_section found_under imports defines".split()
)
"""Relations that say nothing a reader of the source would call its message."""


TELLING: Final = frozenset(
    "measured_as has_result has_value outperforms improves reduces increases causes prevents supports contradicts"
    " defined_as is_a introduced_in introduced_by".split()
)
"""Relations that are a source's findings rather than its means."""


@dataclass(frozen=True, slots=True)
class Names:
    """Which page stands for what: slugs by entity key and by source id."""

    entities: Mapping[str, str] = field(default_factory=dict[str, str])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


Struck = tuple[ClaimSide, str]
"""A value that she corrected, and why."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about, and all that is known of it.

    ``about`` is the entity key, source id or collection name; ``lead`` its summary and ``contents`` its headings, or,
    for a collection, one sentence a source. ``corrections`` are her reasons by the id of the correcting fact;
    ``struck`` are the values that she corrected, with her reason, by claim.
    """

    slug: str
    title: str
    about: str
    aliases: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    lead: tuple[Quote, ...] = ()
    contents: tuple[Quote, ...] = ()
    source_ids: tuple[SourceId, ...] = ()
    corrections: Mapping[str, str] = field(default_factory=dict[str, str])
    struck: Mapping[str, tuple[Struck, ...]] = field(default_factory=dict[str, tuple[Struck, ...]])


def compile_concept(subject: Subject, names: Names) -> WikiPage:
    """Return the page of a concept: what it is, its values, relations, history, and what is in dispute or replaced."""
    keys = {subject.about, *map(entity_key, (subject.title, *subject.aliases))} - {""}
    told = [claim for claim in in_claim_order(subject.claims) if claim.relation not in UNTOLD]
    standing = [claim for claim in told if claim.status is not ClaimStatus.SUPERSEDED]
    own = [claim for claim in standing if _is_about(claim, keys)]
    inverse = [claim for claim in standing if not _is_about(claim, keys)]
    lead = _quotes(subject.lead, WikiSection.LEAD)
    said = {sentence.text for sentence in lead}
    dated = [claim for claim in own if _is_event(claim)]
    related = [claim for claim in own if claim.relation not in DEFINING | VALUED and not _is_event(claim)]
    sentences = [
        *lead,
        *_definitions([claim for claim in own if claim.relation in DEFINING and not _says_itself(claim)], said),
        *_rows([claim for claim in own if claim.relation in VALUED]),
        *_relations(related, _toward(inverse, keys)),
        *(quoted(claim, WikiSection.TIMELINE) for claim in sorted(dated, key=_day)),
        *(sentence for claim in own if is_disputed(claim) for sentence in disputed(claim)),
        *_former([claim for claim in told if _is_about(claim, keys)], subject),
    ]
    return _page(subject, "concept", sentences, names)


def compile_source(subject: Subject, names: Names) -> WikiPage:
    """Return the page of a source: summary, key claims, what disagrees with other sources, contents."""
    lead = _quotes(subject.lead, WikiSection.LEAD)
    said = {sentence.text for sentence in lead}
    disputes = [claim for claim in in_claim_order(subject.claims) if is_disputed(claim)]
    sentences = [
        *lead,
        *_key_claims(subject.claims, subject.about, said),
        *(sentence for claim in disputes for sentence in disputed(claim, WikiSection.DISAGREEMENTS)),
        *_quotes(subject.contents, WikiSection.CONTENTS),
    ]
    return _page(subject, "source", sentences, names)


def compile_collection(subject: Subject, names: Names) -> WikiPage:
    """Return the page of a collection: summary, one sentence a source, and what its sources disagree about."""
    members = set(subject.source_ids)
    inside = [
        claim
        for claim in in_claim_order(subject.claims)
        if is_disputed(claim) and len({one.source_id for side in claim.sides for one in side.supports} & members) > 1
    ]
    sentences = [
        *_quotes(subject.lead, WikiSection.LEAD),
        *_quotes(subject.contents, WikiSection.SOURCES),
        *(sentence for claim in inside for sentence in disputed(claim, WikiSection.DISAGREEMENTS)),
    ]
    return _page(subject, "collection", sentences, names)


def in_claim_order(claims: Iterable[Claim]) -> list[Claim]:
    """Return claims, oldest evidence first: an order that a new claim does not change."""
    return sorted(claims, key=lambda claim: (min(claim.evidence, default=""), claim.claim_id))


def _key_claims(claims: Sequence[Claim], source_id: str, said: set[str]) -> list[WikiSentence]:
    """Return a source's message in its own words and order: findings first, and what it says most often."""
    told = [own for claim in in_claim_order(claims) if (own := _own_part(claim, source_id)) is not None]
    sentences = _distinct((quoted(claim, WikiSection.KEY_CLAIMS) for claim in told), said)
    weights = {claim.claim_id: _weight(claim) for claim in told}
    best = sorted(sentences, key=lambda sentence: weights[sentence.claim_ids[0]], reverse=True)[:KEY_CLAIM_LIMIT]
    return [sentence for sentence in sentences if sentence in best]


def _own_part(claim: Claim, source_id: str) -> Claim | None:
    """Return a claim with nothing but what one source says of the value that holds; None for what is no message."""
    if claim.status is not ClaimStatus.ACTIVE or claim.resolution or claim.relation in BOOKISH or _says_itself(claim):
        return None
    supports = tuple(one for one in claim.sides[0].supports if one.source_id == source_id)
    return structs.replace(claim, sides=(structs.replace(claim.sides[0], supports=supports),)) if supports else None


def _weight(claim: Claim) -> tuple[bool, bool, int]:
    """Return how much a claim tells about its source: said in a sentence that stands alone, a finding, how often."""
    supports = claim.sides[0].supports
    return quote_of(supports) is not None, claim.relation in TELLING, len(supports)


def _says_itself(claim: Claim) -> bool:
    """Tell whether subject and value are one name by now: "LLM stands for ..." where the page goes by both."""
    merged = bool(claim.subject_entity) and claim.subject_entity == claim.object_entity
    return merged or entity_key(claim.subject) == entity_key(claim.object)


def _definitions(claims: Sequence[Claim], said: set[str]) -> list[WikiSentence]:
    return _distinct((quoted(claim, WikiSection.WHAT_IT_IS) for claim in claims), said)[:DEFINITION_LIMIT]


def _rows(claims: Sequence[Claim]) -> list[WikiSentence]:
    rows = [sentence for claim in claims for sentence in stated(claim, WikiSection.RESULTS)][:RESULT_LIMIT]
    return sorted(rows, key=lambda row: (row.cells[0], row.cells[2].casefold(), row.cells[3], row.key))


def _relations(own: Sequence[Claim], inverse: Sequence[Claim]) -> list[WikiSentence]:
    """Relations of the concept, those of one kind together, oldest kind first; then what others say of it."""
    forward = [sentence for claim in own[:RELATION_LIMIT] for sentence in stated(claim, WikiSection.RELATIONS)]
    phrases = list(dict.fromkeys(sentence.cells[0] for sentence in forward))
    forward.sort(key=lambda sentence: phrases.index(sentence.cells[0]))
    others = [claim for claim in inverse if claim.relation not in VALUED][:INVERSE_LIMIT]
    return forward + [sentence for claim in others for sentence in stated(claim, WikiSection.RELATIONS, is_about=False)]


def _is_about(claim: Claim, keys: Set[str]) -> bool:
    return claim.subject_entity in keys or entity_key(claim.subject) in keys


def _toward(claims: Sequence[Claim], keys: Set[str]) -> list[Claim]:
    """Return claims of other things, each with the value alone that the page is about, where that still holds."""
    found: list[Claim] = []
    for claim in claims:
        held = standing_sides(claim)
        sides = tuple(side for side in held if entity_key(side.value) in keys)
        if not sides and claim.object_entity in keys:
            sides = held[:1]  # by another of its names
        if sides:
            denied = claim.negated and sides[0] is claim.sides[0]
            found.append(structs.replace(claim, sides=sides, negated=denied))
    return found


def _former(claims: Sequence[Claim], subject: Subject) -> list[WikiSentence]:
    """Old values: those that a newer statement replaced, and those that she corrected."""
    made: dict[str, WikiSentence] = {}
    for claim in claims:
        struck = [corrected(claim, side, reason) for side, reason in subject.struck.get(claim.claim_id, ())]
        for sentence in (*replaced(claim, subject.corrections), *struck):
            made.setdefault(sentence.key, sentence)
    return list(made.values())


def _is_event(claim: Claim) -> bool:
    """Tell whether a claim belongs on a time line: dated, and neither a definition nor a row of values."""
    if claim.relation in DEFINING | VALUED:
        return False
    return claim.relation in DATED or bool(claim.qualifiers.get("time") and _day(claim))


def _day(claim: Claim) -> str:
    return date_of(claim, claim.sides[0]) if claim.sides else ""


def _quotes(quotes: Sequence[Quote], section: str) -> list[WikiSentence]:
    """Verbatim passages as sentences. Their key is their text: a new version that says the same changes nothing."""
    made: dict[str, WikiSentence] = {}
    for quote in quotes:
        key = sentence_key(section, quote.text)
        made.setdefault(key, anchored(key, quote.text, quote.supports, section=section, cells=quote.cells))
    return list(made.values())


def _distinct(sentences: Iterable[WikiSentence], said: set[str]) -> list[WikiSentence]:
    """Say a sentence once, however many claims it holds, and not at all where the page has said it already."""
    first: dict[str, WikiSentence] = {}
    for sentence in sentences:
        first.setdefault(sentence.text, sentence)
    return [sentence for text, sentence in first.items() if text not in said]


def _page(subject: Subject, kind: str, sentences: Sequence[WikiSentence], names: Names) -> WikiPage:
    sources = dict.fromkeys(one.source_id for sentence in sentences for one in sentence.supports if one.source_id)
    links = [slug for slug in _linked(subject, sentences, names) if slug != subject.slug]
    return WikiPage(
        slug=subject.slug,
        title=capitalised(subject.title) if kind == "concept" else subject.title,
        kind=kind,
        sentences=tuple(sentences),
        links=tuple(dict.fromkeys(links)),
        source_ids=subject.source_ids or tuple(sources),
        about=subject.about,
        aliases=subject.aliases,
    )


def _linked(subject: Subject, sentences: Sequence[WikiSentence], names: Names) -> list[str]:
    """Concepts of the claims that are said, then the sources they rest on."""
    said = {claim_id for sentence in sentences for claim_id in sentence.claim_ids}
    ends = (
        end
        for claim in in_claim_order(subject.claims)
        if claim.claim_id in said or claim.relation in UNTOLD
        for end in (claim.subject, *claim.objects)
    )
    found = _known(names.entities, (entity_key(end) for end in ends))
    sources = [*subject.source_ids, *(one.source_id or "" for sentence in sentences for one in sentence.supports)]
    return found + _known(names.sources, sources)


def _known(slugs: Mapping[str, str], keys: Iterable[str]) -> list[str]:
    find: Callable[[str], str | None] = slugs.get
    return [slug for slug in map(find, keys) if slug]
