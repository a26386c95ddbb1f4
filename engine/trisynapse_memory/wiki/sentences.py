"""One claim in, the sentences of one section out, each with its key, its cells and the evidence it rests on.

No page is put together here (``compiler.py``), and nothing is said without evidence: a sentence without a place in a
source cannot be made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.types import Claim, ClaimSide, ClaimStatus, RecordId, Support, WikiSentence
from trisynapse_memory.types.compiled import WikiSection
from trisynapse_memory.wiki.wording import (
    conditions_of,
    date_of,
    in_order,
    label_of,
    phrase_of,
    published_date,
    question_of,
    quote_of,
    said_value,
    state,
    value_of,
)

_KEY_LENGTH: Final = 16  # hex digits: 64 bits, no two sentences of a vault share them


class Quote(NamedTuple):
    """A verbatim passage with the place it stands at; ``cells`` say more about it, as a table would."""

    text: str
    supports: tuple[Support, ...]
    cells: tuple[str, ...] = ()


def sentence_key(section: str, *parts: str) -> str:
    """Return the key of a sentence: the same for the same claim in the same section, wherever it stands."""
    return hashlib.sha256("\x1f".join((section, *parts)).encode()).hexdigest()[:_KEY_LENGTH]


def anchored(
    key: str,
    text: str,
    supports: Sequence[Support],
    *,
    section: str,
    claim_ids: tuple[str, ...] = (),
    status: str = "active",
    cells: tuple[str, ...] = (),
) -> WikiSentence:
    """Return a sentence with its evidence.

    Raises:
        InvalidInputError: it has no words, or rests on nothing.
    """
    if not text.strip() or not supports:
        raise InvalidInputError(
            f"The sentence '{text[:80]}' rests on no evidence.", hint="Leave it out, or rebuild the claims (`reindex`)."
        )
    return WikiSentence(
        key=key,
        text=text,
        claim_ids=claim_ids,
        record_ids=tuple(dict.fromkeys(RecordId(one.record_id) for one in supports)),
        section=str(section),
        status=status,
        cells=cells,
        supports=tuple(supports),
    )


def current_sides(claim: Claim) -> tuple[ClaimSide, ...]:
    """Return the values that hold: all sides of a dispute, else the first; none of a claim that was replaced."""
    if claim.status is ClaimStatus.SUPERSEDED:
        return ()
    if claim.status is ClaimStatus.CONTESTED or claim.resolution:
        return tuple(side for side in claim.sides if not side.valid_to)
    return claim.sides[:1]


def former_sides(claim: Claim) -> tuple[ClaimSide, ...]:
    """Return the values that held once."""
    held = current_sides(claim)
    return tuple(side for side in claim.sides if side not in held)


def is_disputed(claim: Claim) -> bool:
    """Tell whether a claim has a dispute to show, open or resolved by her."""
    return claim.status is ClaimStatus.CONTESTED or bool(claim.resolution)


def quoted(claim: Claim, section: str) -> WikiSentence:
    """Say a claim as a source says it, in a sentence that stands alone; else in the claim's own words."""
    (side, *_) = standing_sides(claim) or claim.sides
    text, supports = quote_of(side.supports) or (state(claim, side), in_order(side.supports))
    return anchored(
        sentence_key(section, claim.claim_id),
        text,
        supports,
        section=str(section),
        claim_ids=(claim.claim_id,),
        status=claim.status.value,
        cells=(date_of(claim, side),) if section == WikiSection.TIMELINE else (),
    )


def stated(claim: Claim, section: str, *, is_about: bool = True) -> tuple[WikiSentence, ...]:
    """Say every value that holds in the claim's own words, with its parts for a table.

    A row of values reads (phrase, value, conditions, date), a relation (phrase, other end); one seen from its other end
    (``is_about`` False) is a plain sentence.
    """
    sides = standing_sides(claim)
    made: list[WikiSentence] = []
    for side in sides:
        cells = (label_of(claim, side), value_of(claim, side)) if is_about else ()
        if section == WikiSection.RESULTS:
            date = date_of(claim, side) or published_date(side.supports)
            cells = (phrase_of(claim, side), value_of(claim, side), conditions_of(claim, side), date)
        own = (side.normalised,) if len(sides) > 1 else ()
        made.append(
            anchored(
                sentence_key(section, claim.claim_id, *own),
                state(claim, side),
                in_order(side.supports),
                section=section,
                claim_ids=(claim.claim_id,),
                status=claim.status.value,
                cells=cells,
            )
        )
    return tuple(made)


def disputed(claim: Claim, section: str = WikiSection.CONTESTED) -> tuple[WikiSentence, ...]:
    """Say both sides of a dispute as their sources say them, the older date first, then her word if she gave one."""
    sides = sorted(current_sides(claim), key=lambda side: (_moment(claim, side), side.normalised))
    made: list[WikiSentence] = []
    for side in sides:
        text, supports = quote_of(side.supports) or (state(claim, side), in_order(side.supports))
        made.append(
            anchored(
                sentence_key(section, claim.claim_id, side.normalised),
                text,
                supports,
                section=section,
                claim_ids=(claim.claim_id,),
                status=ClaimStatus.CONTESTED.value,
                cells=(question_of(claim), said_value(claim, side), _moment(claim, side)),
            )
        )
    preferred = [side for side in sides if side.preferred] or sides[:1]
    if claim.resolution and preferred:
        made.append(
            anchored(
                sentence_key(section, claim.claim_id, "\x1fresolution"),
                claim.resolution,
                in_order(preferred[0].supports),
                section=section,
                claim_ids=(claim.claim_id,),
                status="resolved",
                cells=(question_of(claim), said_value(claim, preferred[0]), ""),
            )
        )
    return tuple(made)


def replaced(claim: Claim, corrections: Mapping[str, str]) -> tuple[WikiSentence, ...]:
    """Say every value that held once, with until when and why it left.

    Args:
        claim: a claim with sides that were replaced.
        corrections: reason by the id of the fact she corrected with.
    """
    why = _why_left(claim, corrections)
    return tuple(
        _old_value(claim, side, " to ".join(dict.fromkeys(day for day in (side.valid_from, side.valid_to) if day)), why)
        for side in former_sides(claim)
    )


def corrected(claim: Claim, side: ClaimSide, reason: str) -> WikiSentence:
    """Say a value that she corrected, with her reason."""
    return _old_value(structs.replace(claim, status=ClaimStatus.SUPERSEDED), side, "", f"corrected: {reason}")


def _old_value(claim: Claim, side: ClaimSide, spell: str, why: str) -> WikiSentence:
    return anchored(
        sentence_key(WikiSection.SUPERSEDED, claim.claim_id, side.normalised),
        state(claim, side),
        in_order(side.supports),
        section=WikiSection.SUPERSEDED,
        claim_ids=(claim.claim_id,),
        status=ClaimStatus.SUPERSEDED.value,
        cells=(said_value(claim, side), spell, why),
    )


def standing_sides(claim: Claim) -> tuple[ClaimSide, ...]:
    """Return the values that hold, only hers where she took one."""
    sides = current_sides(claim)
    return tuple(side for side in sides if side.preferred) or sides if claim.resolution else sides


def _why_left(claim: Claim, corrections: Mapping[str, str]) -> str:
    held = current_sides(claim)[:1]
    for side in held:
        for one in side.supports:
            if one.fact_id in corrections:
                return f"corrected: {corrections[one.fact_id]}"
    return f"now {said_value(claim, held[0])}" if held else ""


def _moment(claim: Claim, side: ClaimSide) -> str:
    return date_of(claim, side) or published_date(side.supports)
