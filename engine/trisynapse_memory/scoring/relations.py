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
    """One relation: its name, whether it takes many values at once, its nature, and how a sentence says it."""

    name: str
    many: bool
    nature: Nature
    phrase: str


_STATE, _FINDING, _IDENTITY = Nature.STATE, Nature.FINDING, Nature.IDENTITY

_ROWS: Final = (
    Relation("is_a", True, _IDENTITY, "is"),
    Relation("defined_as", True, _IDENTITY, "is defined as"),
    Relation("stands_for", True, _IDENTITY, "stands for"),
    Relation("part_of", True, _IDENTITY, "is part of"),
    Relation("has_part", True, _IDENTITY, "has"),
    Relation("authored_by", True, _IDENTITY, "was written by"),
    Relation("introduced_by", True, _IDENTITY, "was introduced by"),
    Relation("developed_by", True, _IDENTITY, "was developed by"),
    Relation("introduced_in", False, _FINDING, "was introduced in"),
    Relation("published_in", True, _IDENTITY, "was published in"),
    Relation("published_on", False, _FINDING, "was published on"),
    Relation("founded_in", False, _FINDING, "was founded in"),
    Relation("occurred_on", False, _FINDING, "happened on"),
    Relation("born_on", False, _FINDING, "was born on"),
    Relation("died_on", False, _FINDING, "died on"),
    Relation("born_in", False, _FINDING, "was born in"),
    Relation("located_in", False, _STATE, "is in"),
    Relation("capital_of", True, _STATE, "is the capital of"),
    Relation("measured_as", False, _FINDING, "was measured as"),
    Relation("has_value", False, _FINDING, "is"),
    Relation("has_result", False, _FINDING, "reaches"),
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
    Relation("has_cell", False, _FINDING, "is"),
    Relation("has_role", True, _STATE, "is"),
    Relation("role_held_by", False, _STATE, "is"),
    Relation("owned_by", False, _STATE, "is owned by"),
    Relation("has_status", False, _STATE, "is"),
    Relation("has_version", False, _STATE, "has version"),
    Relation("has_address", False, _STATE, "has the address"),
    Relation("launch_date", False, _STATE, "launches on"),
    Relation("due_date", False, _STATE, "is due on"),
    Relation("start_date", False, _STATE, "starts on"),
    Relation("end_date", False, _STATE, "ends on"),
    Relation("costs", False, _STATE, "costs"),
    Relation("works_at", False, _STATE, "works at"),
    Relation("lives_in", False, _STATE, "lives in"),
    Relation("prefers", True, _STATE, "prefers"),
    Relation("dislikes", True, _STATE, "dislikes"),
    Relation("stated", True, _FINDING, "said"),
    Relation("defines", True, _IDENTITY, "defines"),
    Relation("imports", True, _IDENTITY, "imports"),
    Relation("serial_number", False, _IDENTITY, "has the serial number"),
)

RELATIONS: Final = MappingProxyType({row.name: row for row in _ROWS})


def relation_of(name: str) -> Relation:
    """Return what a relation allows; one that is not listed takes many values and is a finding."""
    return RELATIONS.get(name) or Relation(name, True, Nature.FINDING, name.replace("_", " "))
