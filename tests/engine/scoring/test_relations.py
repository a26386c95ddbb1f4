"""The table of relations: what may hold many values, what a later date replaces, and what an unknown relation is."""

from __future__ import annotations

from trisynapse_memory.scoring.relations import RELATIONS, Nature, relation_of


def test_names_are_unique_and_readable() -> None:
    assert all(name == row.name and name == name.lower() and " " not in name for name, row in RELATIONS.items())
    assert all(row.phrase for row in RELATIONS.values())


def test_the_examples_of_the_specification() -> None:
    assert all(relation_of(name).many for name in ("uses", "cites", "authored_by"))
    assert not any(relation_of(name).many for name in ("pretrained_with", "located_in", "born_on"))
    states = {"role_held_by", "owned_by", "has_address", "has_status", "has_version", "launch_date"}
    assert {relation_of(name).nature for name in states} == {Nature.STATE}
    assert relation_of("measured_as").nature is Nature.FINDING


def test_an_unknown_relation_never_contradicts() -> None:
    row = relation_of("decorates")
    assert (row.many, row.nature, row.phrase) == (True, Nature.FINDING, "decorates")
    assert relation_of("is_named_after").phrase == "is named after"


def test_dates_are_no_entities_and_constants_meet_across_methods() -> None:
    assert not any(row.entity_valued for row in RELATIONS.values() if row.name.endswith(("_date", "_on")) and row.dated)
    assert relation_of("measured_as").ignored == ("method",)
    assert relation_of("has_value").timed
    assert not relation_of("measured_as").timed
