"""Schemas in the dialects of the services; what is left must still say the same of fields and types."""

from __future__ import annotations

from trisynapse_memory.providers.wires.schemas import is_strict, older_dialect, without_limits

NUMBER = {"type": "integer", "enum": [1, 2], "minimum": 1}
ROW = {
    "type": "object",
    "properties": {
        "format": {"type": "string", "maxLength": 9},
        "of": {"type": "array", "items": NUMBER, "minItems": 1},
    },
    "required": ["format", "of"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": ROW, "maxItems": 3},
        "kind": {"anyOf": [NUMBER, {"type": "null"}]},
    },
    "required": ["rows", "kind"],
    "additionalProperties": False,
}


def test_bounds_are_left_out_at_every_depth_and_fields_with_such_names_stay() -> None:
    row = without_limits(SCHEMA)["properties"]["rows"]["items"]
    assert row["properties"] == {
        "format": {"type": "string"},
        "of": {"type": "array", "items": {"type": "integer", "enum": [1, 2]}},
    }
    text = repr(without_limits(SCHEMA))
    assert not any(word in text for word in ("minimum", "maxItems", "minItems", "maxLength"))
    assert row["required"] == ["format", "of"]


def test_the_schema_that_was_given_is_left_as_it_is() -> None:
    before = repr(SCHEMA)
    without_limits(SCHEMA)
    older_dialect(SCHEMA)
    assert repr(SCHEMA) == before


def test_strict_wants_every_object_closed_and_every_field_required() -> None:
    assert is_strict(SCHEMA)
    assert is_strict({})
    assert not is_strict(SCHEMA | {"additionalProperties": True})
    assert not is_strict(SCHEMA | {"required": ["rows"]})
    open_row = {"type": "object", "properties": {}}
    assert not is_strict(SCHEMA | {"properties": {**SCHEMA["properties"], "kind": {"anyOf": [open_row]}}})
    assert not is_strict({"type": "array", "items": open_row})


def test_the_older_dialect_has_capital_types_and_no_word_it_does_not_know() -> None:
    written = older_dialect(SCHEMA)
    row = written["properties"]["rows"]["items"]
    assert written["type"] == "OBJECT"
    assert "additionalProperties" not in repr(written)
    assert row["properties"]["of"]["items"] == {"type": "INTEGER", "minimum": 1}
    assert older_dialect({"type": "string", "enum": ["a", "b"]}) == {"type": "STRING", "enum": ["a", "b"]}
    assert written["properties"]["kind"]["anyOf"][1] == {"type": "NULL"}
