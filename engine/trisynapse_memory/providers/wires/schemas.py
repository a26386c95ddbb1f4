"""A JSON Schema in, the same in the narrower dialect that a service takes out. No reply is checked here."""

from __future__ import annotations

from typing import Any, Final

_LIMITS: Final = frozenset(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems"
    " uniqueItems".split()
)
_PLAIN_FIELDS: Final = frozenset("format description nullable required minItems maxItems minimum maximum".split())
"""What Gemini's older dialect takes as it is; it refuses any other word of JSON Schema."""


def without_limits(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out bounds of numbers, texts and lists, which Anthropic and some models of OpenAI refuse.

    What stays: types, fields, required fields, enumerations, choices. Whoever reads the reply checks the bounds.
    """
    kept = {field: value for field, value in schema.items() if field not in _LIMITS}
    return _with_inner(kept, schema, without_limits)


def is_strict(schema: dict[str, Any]) -> bool:
    """Tell whether a schema is one that OpenAI's strict mode takes: every object closed, every field required."""
    fields: dict[str, Any] = schema.get("properties") or {}
    required: list[str] = schema.get("required") or []
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False or set(required) != set(fields)
    ):
        return False
    choices: list[Any] = schema.get("anyOf") or []
    entries: list[Any] = [schema["items"]] if "items" in schema else []
    return all(is_strict(one) for one in (*fields.values(), *choices, *entries))


def older_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a schema as Gemini's ``responseSchema``, which its older models know alone; types are in capitals."""
    kept = {field: value for field, value in schema.items() if field in _PLAIN_FIELDS}
    if isinstance(schema.get("type"), str):
        kept["type"] = schema["type"].upper()
    values: list[Any] = schema.get("enum") or []
    if values and all(isinstance(value, str) for value in values):
        kept["enum"] = values  # the dialect knows enumerations of texts only
    return _with_inner(kept, schema, older_dialect)


def _with_inner(kept: dict[str, Any], schema: dict[str, Any], write: Any) -> dict[str, Any]:
    """Write the schemas inside a schema in the same dialect."""
    if "items" in schema:
        kept["items"] = write(schema["items"])
    if "anyOf" in schema:
        kept["anyOf"] = [write(one) for one in schema["anyOf"]]
    if "properties" in schema:
        kept["properties"] = {name: write(one) for name, one in schema["properties"].items()}
    return kept
