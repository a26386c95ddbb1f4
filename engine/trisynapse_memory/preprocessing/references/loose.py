"""Values as JSON and untyped parsers hand them out in, typed ones out; what has another shape counts as not there."""

from __future__ import annotations

from typing import cast


def as_list(value: object) -> list[object]:
    """Return a list as it is, anything else as an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_map(value: object) -> dict[str, object]:
    """Return a mapping with its names as text, anything else as an empty one."""
    return (
        {str(name): one for name, one in cast("dict[object, object]", value).items()} if isinstance(value, dict) else {}
    )


def as_text(value: object) -> str:
    """Return a text or a number in one line, of a list its first; anything else is an empty text."""
    first = next(iter(as_list(value)), value)  # Crossref wraps titles in lists
    if isinstance(first, str):
        return " ".join(first.split())
    return str(first) if isinstance(first, int | float) and not isinstance(first, bool) else ""
