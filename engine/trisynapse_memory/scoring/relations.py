"""The relations that facts use, and what each allows: one value or many, a state or a finding. A table, rows only.

A *state* holds from a time on and is replaced by a later explicit date (role, owner, status, launch date). A *finding*
is measured, reported or concluded: two sources that differ stay side by side until she resolves it. An *identity*
neither changes nor is measured (who wrote it, what it stands for). Relations that are not listed are many-valued
findings: two of them never contradict each other.

Source:
    engine.md 0.6.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple


class Nature(StrEnum):
    """What may replace a value: a later date (state), nothing but its own source (finding), or nothing (identity)."""

    STATE = "state"
    FINDING = "finding"
    IDENTITY = "identity"


class Relation(NamedTuple):
    """One relation: its name, whether it takes many values at once, its nature, and how a sentence says it.

    ``entity_valued``: its object may be a thing with a name of its own, which then stands in the graph. ``timed``: what
    it states changes with time, so values of two years are two statements. ``dated``: its value is a date, so a bare
    year is one. ``ignored``: qualifiers that do not tell two of its statements apart (a constant is the same whatever
    it was measured with). ``literal``: its values are compared letter by letter (version 2.1 is not 2.10).
    """

    name: str
    many: bool
    nature: Nature
    phrase: str
    entity_valued: bool = True
    timed: bool = False
    dated: bool = False
    ignored: tuple[str, ...] = ()
    literal: bool = False


_STATE, _FINDING, _IDENTITY = Nature.STATE, Nature.FINDING, Nature.IDENTITY

_ROWS: Final = (
    Relation("is_a", True, _IDENTITY, "is"),
    Relation("defined_as", True, _IDENTITY, "is defined as", entity_valued=False),
    Relation("stands_for", True, _IDENTITY, "stands for"),
    Relation("part_of", True, _IDENTITY, "is part of"),
    Relation("has_part", True, _IDENTITY, "has"),
    Relation("has_section", True, _IDENTITY, "has a section on", entity_valued=False),
    Relation("found_under", True, _FINDING, "is found under", entity_valued=False),
    Relation("authored_by", True, _IDENTITY, "was written by"),
    Relation("introduced_by", True, _IDENTITY, "was introduced by"),
    Relation("developed_by", True, _IDENTITY, "was developed by"),
    Relation("introduced_in", False, _FINDING, "was introduced in", dated=True),
    Relation("published_in", True, _IDENTITY, "was published in"),
    Relation("published_on", False, _FINDING, "was published on", entity_valued=False, dated=True),
    Relation("founded_in", False, _FINDING, "was founded in", dated=True),
    Relation("occurred_on", False, _FINDING, "happened on", entity_valued=False, dated=True),
    Relation("born_on", False, _FINDING, "was born on", entity_valued=False, dated=True),
    Relation("died_on", False, _FINDING, "died on", entity_valued=False, dated=True),
    Relation("born_in", False, _FINDING, "was born in"),
    Relation("located_in", False, _STATE, "is in"),
    Relation("capital_of", True, _STATE, "is the capital of"),
    Relation("measured_as", False, _FINDING, "was measured as", entity_valued=False, ignored=("method",)),
    Relation("has_value", False, _FINDING, "is", entity_valued=False, timed=True),
    Relation("has_result", False, _FINDING, "reaches", entity_valued=False),
    Relation("trained_on", True, _FINDING, "was trained on"),
    Relation("pretrained_with", False, _FINDING, "was pretrained with"),
    Relation("pretrained_on", True, _FINDING, "was pretrained on"),
    Relation("uses", True, _FINDING, "uses"),
    Relation("based_on", True, _FINDING, "is based on"),
    Relation("compared_with", True, _FINDING, "is compared with"),
    Relation("outperforms", True, _FINDING, "outperforms"),
    Relation("improves", True, _FINDING, "improves"),
    Relation("reduces", True, _FINDING, "reduces"),
    Relation("increases", True, _FINDING, "increases"),
    Relation("causes", True, _FINDING, "causes"),
    Relation("prevents", True, _FINDING, "prevents"),
    Relation("supports", True, _FINDING, "supports"),
    Relation("contradicts", True, _FINDING, "contradicts"),
    Relation("cites", True, _IDENTITY, "cites"),
    Relation("about", True, _IDENTITY, "is about"),
    # Two tables never meet: what a cell measures stands in its caption.
    Relation("has_cell", True, _FINDING, "is", entity_valued=False),
    Relation("has_role", True, _STATE, "is", entity_valued=False),
    Relation("role_held_by", False, _STATE, "is"),
    Relation("owned_by", False, _STATE, "is owned by"),
    Relation("has_status", False, _STATE, "is", entity_valued=False),
    Relation("has_version", False, _STATE, "has version", entity_valued=False, literal=True),
    Relation("has_address", False, _STATE, "has the address", entity_valued=False),
    Relation("launch_date", False, _STATE, "launches on", entity_valued=False, dated=True),
    Relation("due_date", False, _STATE, "is due on", entity_valued=False, dated=True),
    Relation("start_date", False, _STATE, "starts on", entity_valued=False, dated=True),
    Relation("end_date", False, _STATE, "ends on", entity_valued=False, dated=True),
    Relation("costs", False, _STATE, "costs", entity_valued=False),
    Relation("works_at", False, _STATE, "works at"),
    Relation("lives_in", False, _STATE, "lives in"),
    Relation("prefers", True, _STATE, "prefers"),
    Relation("dislikes", True, _STATE, "dislikes"),
    Relation("stated", True, _FINDING, "said", entity_valued=False),
    Relation("defines", True, _IDENTITY, "defines"),
    Relation("imports", True, _IDENTITY, "imports"),
    Relation("serial_number", False, _IDENTITY, "has the serial number", entity_valued=False, literal=True),
)

RELATIONS: Final = MappingProxyType({row.name: row for row in _ROWS})


def relation_of(name: str) -> Relation:
    """Return what a relation allows; one that is not listed takes many values and is a finding."""
    return RELATIONS.get(name) or Relation(name, True, Nature.FINDING, name.replace("_", " "))
