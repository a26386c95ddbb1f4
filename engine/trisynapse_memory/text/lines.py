"""A place and a stretch of the text it covers in, the place of that stretch out: lines and rows go with line breaks."""

from __future__ import annotations

from msgspec import structs

from trisynapse_memory.types import Locator


def narrowed(place: Locator, text: str, start: int, end: int) -> Locator:
    """Return the place of ``text[start:end]``, where ``place`` is that of ``text``.

    A row of a table is one line, and code keeps its lines, so that line breaks tell how far down a stretch begins.
    Other kinds of places stay as they are; offsets are not touched.
    """
    above = text.count("\n", 0, start)
    if place.kind == "row" and place.row is not None:
        return structs.replace(place, row=place.row + above)
    if place.start_line is not None:
        first = place.start_line + above
        return structs.replace(place, start_line=first, end_line=first + text.count("\n", start, end))
    return place
