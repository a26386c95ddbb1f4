"""A source in, what it brings out: summary, key claims, what disagrees, new concepts, questions. Nothing is written.

A question is a frame around the fields of one claim that this source supports, so the source answers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from trisynapse_memory.contracts import ClaimReader, SummaryReader
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.types import Claim, ClaimStatus, Scope, SourceCard, SourceId, Support
from trisynapse_memory.wiki.compiler import BOOKISH, in_claim_order
from trisynapse_memory.wiki.sentences import current_sides, is_disputed
from trisynapse_memory.wiki.wording import reading

CLAIM_LIMIT: Final = 500  # claims of one source that are looked at
KEY_CLAIMS: Final = 5
DISAGREEMENTS: Final = 5
NEW_CONCEPTS: Final = 8
CONCEPTS_TRIED: Final = 30  # each costs one look into the claims
QUESTIONS: Final = 3

_FRAMES: Final = MappingProxyType(
    {
        "measured_as": "What value was measured for {subject}?",
        "has_result": "What {metric} does {subject} reach{on}?",
        "has_value": "What is the {metric} of {subject}?",
        "costs": "What does {subject} cost?",
        "defined_as": "What is {subject}?",
        "is_a": "What is {subject}?",
        "stands_for": "What does {subject} stand for?",
        "outperforms": "What does {subject} outperform?",
        "compared_with": "What is {subject} compared with?",
        "uses": "What does {subject} use?",
        "based_on": "What is {subject} based on?",
        "trained_on": "What was {subject} trained on?",
        "pretrained_on": "What was {subject} pretrained on?",
        "pretrained_with": "What was {subject} pretrained with?",
        "causes": "What does {subject} cause?",
        "prevents": "What does {subject} prevent?",
        "improves": "What does {subject} improve?",
        "reduces": "What does {subject} reduce?",
        "increases": "What does {subject} increase?",
        "introduced_by": "Who introduced {subject}?",
        "developed_by": "Who developed {subject}?",
        "authored_by": "Who wrote {subject}?",
        "introduced_in": "When was {subject} introduced?",
        "published_on": "When was {subject} published?",
        "founded_in": "When was {subject} founded?",
        "occurred_on": "When did {subject} happen?",
        "born_on": "When was {subject} born?",
        "died_on": "When did {subject} die?",
        "launch_date": "When does {subject} launch?",
        "due_date": "When is {subject} due?",
        "start_date": "When does {subject} start?",
        "end_date": "When does {subject} end?",
        "located_in": "Where is {subject}?",
        "owned_by": "Who owns {subject}?",
        "works_at": "Where does {subject} work?",
        "lives_in": "Where does {subject} live?",
        "prefers": "What does {subject} prefer?",
        "has_status": "What is the status of {subject}?",
        "has_version": "What version does {subject} have?",
        "part_of": "What is {subject} part of?",
    }
)


class Cards:
    """Makes source cards.

    Args:
        shelf: the sources.
        claims: the claims that may be shown.
        summaries: what a source is about.
        scope: whose memory is read, and as of when; asked anew at each call.
        is_pending: whether facts or the summary of a source are still to be made.
    """

    def __init__(
        self,
        shelf: Shelf,
        claims: ClaimReader,
        summaries: SummaryReader,
        scope: Callable[[], Scope],
        is_pending: Callable[[SourceId], bool],
    ) -> None:
        self._shelf = shelf
        self._claims = claims
        self._summaries = summaries
        self._scope = scope
        self._is_pending = is_pending

    def card(self, source_id: str) -> SourceCard:
        """Return the card of a source; ``ready`` is False while facts or summary are still being made.

        Raises:
            UnknownSourceError: no source has that id.
        """
        source = self._shelf.get(source_id)
        scope = self._scope()
        claims = self._claims.of_source(source.source_id, scope, shown=True, limit=CLAIM_LIMIT)
        summary = self._summaries.get(f"source:{source.source_id}")
        key_claims = _key_claims(claims, source.source_id)
        return SourceCard(
            source_id=source.source_id,
            title=source.title,
            summary=summary,
            key_claims=key_claims,
            disagreements=_disagreements(claims, source.source_id),
            new_concepts=self._new_concepts(claims, source.source_id, scope),
            questions=questions_of((*key_claims, *claims), source.source_id),
            ready=not self._is_pending(source.source_id) and (summary is None or not summary.stale),
        )

    def _new_concepts(self, claims: Sequence[Claim], source_id: SourceId, scope: Scope) -> tuple[str, ...]:
        """Return the entities whose oldest evidence in the vault is of this source, the most spoken of first."""
        counts = Counter(entity_key(name) for claim in claims for name in _ends(claim, source_id))
        names = {entity_key(name): name for claim in reversed(claims) for name in _ends(claim, source_id)}
        found: list[str] = []
        for key, _ in counts.most_common(CONCEPTS_TRIED):
            about = self._claims.list(scope, about=names[key], shown=True, limit=CLAIM_LIMIT)
            oldest = min((one for claim in about for one in _supports(claim)), key=_age, default=None)
            if oldest is not None and oldest.source_id == source_id:
                found.append(names[key])
            if len(found) == NEW_CONCEPTS:
                break
        return tuple(found)


def questions_of(claims: Sequence[Claim], source_id: SourceId, limit: int = QUESTIONS) -> tuple[str, ...]:
    """Return questions that a source answers: one a subject while there are other subjects, in the order of the claims.

    Only claims ask that this source states and that have a frame; a denied claim and a name of nothing ask nothing.
    """
    asked: dict[str, str] = {}  # question -> subject
    for claim in claims:
        question = _question(claim) if _states(claim, source_id) else ""
        if question:
            asked.setdefault(question, entity_key(claim.subject))
    firsts: list[str] = []
    subjects: set[str] = set()
    for question, subject in asked.items():
        if subject not in subjects:
            subjects.add(subject)
            firsts.append(question)
    others = [question for question in asked if question not in firsts]
    return tuple((firsts + others)[:limit])


def _question(claim: Claim) -> str:
    frame = _FRAMES.get(claim.relation, "")
    metric, dataset = reading(claim.qualifiers.get("metric", "")), reading(claim.qualifiers.get("dataset", ""))
    if not frame or claim.negated or is_generic(claim.subject) or ("{metric}" in frame and not metric):
        return ""
    on = f" on {dataset}" if dataset and dataset.casefold() not in claim.subject.casefold() else ""
    return frame.format(subject=reading(claim.subject), metric=metric, on=on)


def _key_claims(claims: Sequence[Claim], source_id: SourceId) -> tuple[Claim, ...]:
    """Return the claims a reader should know: supported best, about what the source speaks of most, one a subject."""
    told = [claim for claim in claims if claim.relation not in BOOKISH and _states(claim, source_id)]
    told = [claim for claim in told if claim.status is ClaimStatus.ACTIVE]
    weight = Counter(entity_key(claim.subject) for claim in told)
    ranked = sorted(
        in_claim_order(told),
        key=lambda claim: (-round(claim.confidence, 1), -weight[entity_key(claim.subject)]),
    )
    chosen: dict[str, Claim] = {}
    for claim in ranked:
        chosen.setdefault(entity_key(claim.subject), claim)
    rest = [claim for claim in ranked if claim not in chosen.values()]
    return tuple([*chosen.values(), *rest][:KEY_CLAIMS])


def _disagreements(claims: Sequence[Claim], source_id: SourceId) -> tuple[Claim, ...]:
    """Return the open disputes in which this source takes a side."""
    disputes = (claim for claim in claims if is_disputed(claim) and not claim.resolution and _states(claim, source_id))
    return tuple(in_claim_order(disputes)[:DISAGREEMENTS])


def _states(claim: Claim, source_id: SourceId) -> bool:
    """Tell whether this source says one of the values that hold."""
    return any(one.source_id == source_id for side in current_sides(claim) for one in side.supports)


def _ends(claim: Claim, source_id: SourceId) -> tuple[str, ...]:
    """Return what a claim of this source is about, and its value where that is a thing."""
    if claim.relation in BOOKISH or not _states(claim, source_id):
        return ()
    return tuple(name for name in (claim.subject, claim.object) if not is_generic(name) and _is_name(name))


def _is_name(name: str) -> bool:
    return any(letter.isalpha() for letter in name) and not name[:1].isdigit()


def _supports(claim: Claim) -> tuple[Support, ...]:
    return tuple(one for side in claim.sides for one in side.supports)


def _age(support: Support) -> tuple[str, str]:
    return support.record_id, support.fact_id
