"""A fact record in, what the claims index keeps of it and where it belongs out. No table is read or written here.

A *bucket* holds the facts that speak of one thing: the same subject, relation and discriminating qualifiers, and, where
a relation takes many values, the same object. Inside a bucket a *variant* holds the facts that cannot be told apart.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.scoring.relations import Relation, relation_of
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.text.intervals import Interval, parse_iso
from trisynapse_memory.text.quantities import Value, ValueKind, normalise
from trisynapse_memory.text.units import CURRENCIES, read_unit
from trisynapse_memory.types import (
    CorrectionDetails,
    FactDetails,
    Locator,
    Record,
    RecordId,
    SourceId,
    Span,
)

MICRO: Final = 1_000_000
"""Confidences are summed as whole millionths, so that sums do not depend on the order in which facts come and go."""
ALIAS_RELATION: Final = "stands_for"
OBJECT_WORDS_LIMIT: Final = 6  # words; an object that is longer is a description

# A statement that has one of these and one that has not are about different things (engine.md 0.6).
_STRICT: Final = frozenset("dataset metric condition population place time version part".split())
# These tell statements apart only where both have them and they differ.
_SOFT: Final = frozenset("task method speaker".split())
_RANK_LENGTH: Final = 999  # characters; among equally sure sentences the shorter one speaks for the claim
_SEPARATOR: Final = "\x1f"

Resolve = Callable[[str], str]
"""A raw entity key in, the key of the entity it stands for out."""


class StoredFact(Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """A fact as the index keeps it: ``text`` is its sentence; ``spans[i]`` lies in the text of ``evidence_ids[i]``."""

    seq: int
    fact_id: RecordId
    subject: str
    relation: str
    object: str
    text: str
    written_at: datetime
    source_id: SourceId | None = None
    group_id: str = ""
    evidence_ids: tuple[RecordId, ...] = ()
    spans: tuple[Span, ...] = ()
    locator: Locator | None = None
    qualifiers: dict[str, str] = {}
    anchor: str = ""
    observed_at: datetime | None = None
    pattern: str = ""
    confidence: float = 1.0
    negated: bool = False
    hedged: bool = False
    corrected: bool = False
    shown: bool = False

    @property
    def origin(self) -> str:
        """What tells the voices of a dispute apart: the source, else the group."""
        return self.source_id or self.group_id

    @property
    def newest_us(self) -> int:
        """When it was observed, else written, in microseconds since 1970; a moment without a zone counts as UTC."""
        moment = self.observed_at or self.written_at
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int((aware - _EPOCH).total_seconds() * MICRO)

    @property
    def rank(self) -> int:
        """How well its sentence speaks for the claim: surer first, then shorter."""
        return round(self.confidence * MICRO) * (_RANK_LENGTH + 1) + _RANK_LENGTH - min(len(self.text), _RANK_LENGTH)


class Variant(Struct, frozen=True, array_like=True):
    """What the facts of one variant share; ``value`` is equal for spellings of one value, ``soft`` names qualifiers."""

    value: str
    negated: bool
    hedged: bool
    shown: bool
    corrected: bool
    soft: str


class Place(NamedTuple):
    """Where a fact belongs: its bucket and variant as hashes, and the entities it is about (empty: it names none)."""

    bucket_hash: int
    variant: int
    form: Variant
    subject: str
    object: str


_CLAIM_PREFIX: Final = "claim_"
_CLAIM_ID: Final = re.compile(rf"{_CLAIM_PREFIX}([0-9a-f]{{16}})(?:_[0-9a-f]{{8}})?")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_fact(record: Record) -> StoredFact | None:
    """Return what is kept of a fact record, or None where subject, relation or object is missing."""
    if not record.subject or not record.relation or record.object is None:
        return None
    details = record.payload
    found = details if isinstance(details, FactDetails) else None
    corrected = isinstance(details, CorrectionDetails)
    qualifiers = details.qualifiers if isinstance(details, FactDetails | CorrectionDetails) else {}
    pattern = found.pattern if found else ("correction" if corrected else "")
    return StoredFact(
        seq=record.seq,
        fact_id=record.id,
        subject=record.subject,
        relation=record.relation,
        object=record.object,
        text=record.text,
        written_at=record.written_at,
        source_id=record.source_id,
        group_id=record.group_id or "",
        evidence_ids=record.evidence_ids,
        spans=found.spans if found else (),
        locator=record.locator,
        qualifiers=qualifiers,
        anchor=record.temporal_anchor or "",
        observed_at=record.observed_at,
        pattern=pattern,
        confidence=min(1.0, max(0.0, record.confidence)),
        negated=bool(found and found.negated),
        hedged=bool(found and found.hedged),
        corrected=corrected,
        shown=corrected or is_shown(found),
    )


def is_shown(details: FactDetails | None) -> bool:
    """Tell whether claims that rest on such a fact may be shown (engine.md 0.6).

    Its pattern is measured and good enough, or a model proposed it and the verdict found it there word for word.
    A hedged statement is never shown: a graph and a page of claims have no place for "may".
    """
    if details is None or details.hedged:
        return False
    return worth_of(details.pattern).shown


def value_of(fact: StoredFact) -> Value | None:
    """Return the object as it can be compared; a unit that stands in the qualifiers belongs to a bare number."""
    reference = fact.observed_at.date() if fact.observed_at else None
    value = normalise(fact.object, reference)
    unit = fact.qualifiers.get("unit", "")
    if value is not None and unit and value.kind is ValueKind.NUMBER and not value.unit:
        return normalise(f"{fact.object} {unit}", reference) or value
    return value


def comparable_object(fact: StoredFact) -> str:
    """Return the object as a text to compare: a date in its written form, a number with its unit, else as it stands."""
    value = value_of(fact)
    if value is not None and value.kind is ValueKind.DATE:
        return value.text
    unit = fact.qualifiers.get("unit", "")
    bare = value is not None and value.kind is ValueKind.NUMBER and bool(unit)
    plain = normalise(fact.object) if bare else None
    return f"{fact.object} {unit}" if plain is not None and not plain.unit else fact.object


def names_entity(fact: StoredFact) -> bool:
    """Tell whether the object is a thing with a name, and not a quantity, a date or a description."""
    relation = relation_of(fact.relation)
    if not relation.entity_valued or is_generic(fact.object):
        return False
    if fact.relation != ALIAS_RELATION and len(fact.object.split()) > OBJECT_WORDS_LIMIT:
        return False
    value = normalise(fact.object)
    return value is not None and value.kind is ValueKind.TEXT


def place_of(fact: StoredFact, resolve: Resolve) -> Place:
    """Return where a fact belongs, given what its names stand for.

    What is said of a generic subject ("the model") never leaves its source, and never meets another value.
    """
    relation = relation_of(fact.relation)
    generic = is_generic(fact.subject)
    subject = entity_key(fact.subject) if generic else resolve(entity_key(fact.subject))
    object_entity = resolve(entity_key(fact.object)) if names_entity(fact) else ""
    form = variant_form(fact, object_entity)
    many = relation.many or generic
    told_apart = form.value if many else _family(relation, value_of(fact))
    parts = [subject, fact.relation, strict_qualifiers(fact), told_apart]
    if generic:
        parts.append(fact.origin)
    bucket = number_of(_SEPARATOR.join(parts))
    variant = number_of(msgspec.json.encode(form).decode())
    return Place(bucket, variant, form, "" if generic else subject, object_entity)


def variant_form(fact: StoredFact, object_entity: str) -> Variant:
    """Return what a fact shares with those of its variant; ``object_entity`` is the entity its object stands for."""
    literal = relation_of(fact.relation).literal
    value = _literal_key(fact) if literal else object_entity or _value_key(fact, value_of(fact))
    return Variant(value, fact.negated, fact.hedged, fact.shown, fact.corrected, soft_qualifiers(fact))


def strict_qualifiers(fact: StoredFact) -> str:
    """Return the qualifiers that must agree, missing ones included, in one comparable text.

    For a quantity that changes with time the year of its anchor stands in where it has no time of its own.
    """
    kept = {name: _qualifier(value) for name, value in fact.qualifiers.items() if name in _STRICT and value.strip()}
    if relation_of(fact.relation).timed and "time" not in kept:
        anchor = parse_iso(fact.anchor)
        if anchor is not None:
            kept["time"] = _period(anchor)
    return "\x1e".join(f"{name}={value}" for name, value in sorted(kept.items()))


def soft_qualifiers(fact: StoredFact) -> str:
    """Return the qualifiers that tell statements apart only where both have them, as JSON in a fixed order."""
    ignored = relation_of(fact.relation).ignored
    kept = {
        name: _qualifier(value)
        for name, value in sorted(fact.qualifiers.items())
        if name in _SOFT and name not in ignored and value.strip()
    }
    return msgspec.json.encode(kept).decode()


def dates_of(fact: StoredFact) -> tuple[str, str]:
    """Return the first and last day the statement is dated to (ISO), or two empty strings where nobody dates it.

    The anchor counts, else the day the record was observed. An anchor that is the value itself ("launches on 14
    October") dates the value, not the statement.
    """
    anchor = parse_iso(fact.anchor) if fact.anchor else None
    value = value_of(fact)
    if anchor is not None and (value is None or value.kind is not ValueKind.DATE or value.text != anchor.iso):
        return anchor.start.isoformat(), anchor.end.isoformat()
    if fact.observed_at is not None:
        day: date = fact.observed_at.date()
        return day.isoformat(), day.isoformat()
    return "", ""


def number_of(text: str) -> int:
    """Return a number for a key: 63 bits of its SHA-256, so that no text of a key stays behind in an index."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def claim_id_of(bucket_hash: int, mark: str) -> str:
    """Return the id of a claim: it depends on what the claim is about, never on the facts behind it.

    ``mark`` is empty for the claim of a bucket, else it says which of the others (a former value, a denial).
    """
    which = f"_{hashlib.sha256(mark.encode()).hexdigest()[:8]}" if mark else ""
    return f"{_CLAIM_PREFIX}{bucket_hash:016x}{which}"


def bucket_hash_of(claim_id: str) -> int | None:
    """Return the hash of the bucket that a claim id belongs to, or None where it is no claim id."""
    match = _CLAIM_ID.fullmatch(claim_id)
    return int(match[1], 16) if match else None


def _qualifier(value: str) -> str:
    found = normalise(value)
    if found is not None and found.kind is not ValueKind.TEXT:
        return found.key
    return entity_key(value) or value.strip().casefold()


def _period(anchor: Interval) -> str:
    """A year by itself as it would stand in a qualifier; anything else in its written form."""
    one_year = anchor.start.year == anchor.end.year
    return str(anchor.start.year) if one_year else anchor.iso


def _literal_key(fact: StoredFact) -> str:
    return " ".join(fact.object.casefold().split()).removeprefix("version ").removeprefix("v")


def _value_key(fact: StoredFact, value: Value | None) -> str:
    if value is None:
        return ""
    if value.kind is ValueKind.NUMBER:
        return f"{value.key}#{value.step:g}"  # "92.0" and "92" are one number, but not equally exact
    return value.text if value.kind is ValueKind.DATE else entity_key(fact.object) or value.text


def _family(relation: Relation, value: Value | None) -> str:
    """Name what a value can be compared with at all: its unit, "date" or "text"; different families never meet."""
    if relation.literal or value is None or value.kind is ValueKind.TEXT:
        return "text"
    if value.kind is ValueKind.DATE or (relation.dated and _may_be_year(value)):
        return "date"
    counted = value.unit not in CURRENCIES.values() and read_unit(value.unit) is None and value.unit not in _KNOWN_BASES
    return "count" if counted else f"in {value.unit}"


def _may_be_year(value: Value) -> bool:
    return not value.unit and value.low == value.high and 1000 <= value.low < 2200


_KNOWN_BASES: Final = frozenset({"%", "percentage points"})
