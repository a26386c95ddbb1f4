"""A record in, the entities it names and those it is about out. Nothing is stored and no text is kept here.

Two roles: a record *names* what its text mentions; a fact is *about* its subject and, where that is a thing and no
value, its object. Pronouns, numbers and words that name nothing by themselves ("our method") are no entities.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.text.names import names_of
from trisynapse_memory.types import Record, is_searchable

NAMES_PER_RECORD: Final = 64  # of one text; an index page of a book would name thousands
CACHE_SIZE: Final = 65_536  # names; each name of a vault is met many times
# Speakers (engine.md A4 step 5), and what stands with a capital in any paper, form or manual without naming a thing.
_NO_ENTITIES: Final = frozenset(
    """user speaker assistant arxiv corr pmlr url doi isbn issn http https www proceeding proceedings conference
    workshop journal volume press publisher editor association transaction note no te no reuse setting service online
    resource management information quality code define capability increase decrease percentage advance device state
    company department agency committee commission board court chairman director president member office federal
    national international local public general section part chapter page exhibit schedule attachment yes no ok
    university institute school college center centre library copyright all right reserved january february march april
    may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
    english email e mail phone fax address name date time today tomorrow yesterday""".split()
) | {"no te", "no reuse", "all right reserved", "e mail", "international conference", "empirical method"}
# Their objects are dates, amounts, cells and whole sentences: nothing two records could be about.
_VALUE_RELATIONS: Final = frozenset(
    "has_result measured_as has_value has_cell published_on occurred_on born_on died_on founded_in introduced_in"
    " launch_date due_date start_date end_date costs has_version has_status serial_number stated cites"
    " defined_as has_role has_section found_under".split()
)

Forms = dict[str, str]
"""Entity key -> the name as this record writes it first."""


def named_entities(record: Record) -> Forms:
    """Return the entities a record's text mentions; none for a fact that only repeats a sentence of its evidence."""
    if not is_searchable(record):
        return {}
    found: Forms = {}
    for name in names_of(record.text):
        _add(found, name.text)
        if len(found) >= NAMES_PER_RECORD:
            break
    return found


def subject_entities(record: Record) -> Forms:
    """Return the entities a record is about: its subject and object, without pronouns, values and generic words."""
    found: Forms = {}
    _add(found, record.subject or "")
    if record.relation not in _VALUE_RELATIONS:
        _add(found, record.object or "")
    return found


def _add(found: Forms, name: str) -> None:
    key = _key_of(name)
    if key:
        found.setdefault(key, " ".join(name.split()))


@lru_cache(CACHE_SIZE)
def _key_of(name: str) -> str:
    """The key of a name, empty for one that names nothing by itself."""
    if not name or is_generic(name):
        return ""
    key = entity_key(name)
    return "" if key in _NO_ENTITIES else key
