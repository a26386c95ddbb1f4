"""The marks that readers left on a page in, lines that tell them out. They are nobody's evidence.

What a reader highlights and writes at the margin is not what the author says (case R12 hides orders there), so it is
kept apart from the page's text and listed beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.pdf.glyphs import Span
from trisynapse_memory.preprocessing.pdf.lines import Box
from trisynapse_memory.preprocessing.pdf.outline import folded
from trisynapse_memory.text.geometry import unpack_layout

FLAG: Final = "annotations"
MAX_ANNOTATIONS: Final = 500  # of one page
MAX_NOTE_CHARS: Final = 4_000
_SILENT: Final = frozenset({"Link", "Popup", "Widget"})
MARKING: Final = frozenset({"Highlight", "Underline", "Squiggly", "StrikeOut"})


@dataclass(frozen=True, slots=True)
class Annotation:
    """One mark: its kind as PDF calls it, who made it, what it says, and where it lies (one box a line)."""

    kind: str
    author: str
    note: str
    boxes: tuple[Box, ...]


def without_written_over(spans: Sequence[Span], annotations: Sequence[Annotation]) -> list[Span]:
    """Take away what readers typed onto the page: it stands among the author's words, and is none of them."""
    typed = [(folded(one.note), box) for one in annotations if one.kind == "FreeText" for box in one.boxes]
    if not typed:
        return list(spans)
    return [
        span for span in spans if not any(folded(span.text) in note and _meets(span.box, box) for note, box in typed)
    ]


def tell_annotations(annotations: Sequence[Annotation], text: str, layout: bytes) -> str:
    """Write one line for each mark: its kind, who made it, the words it lies on, and what it says."""
    lines: list[str] = []
    for one in annotations:
        if one.kind in _SILENT:
            continue
        words = _under(one.boxes, text, layout) if one.kind in MARKING else ""
        if words or one.note:
            head = f"{one.kind} by {one.author}" if one.author else one.kind
            quoted = f"\u201c{words}\u201d" if words else ""
            lines.append(f"[{head}] {' '.join(part for part in (quoted, one.note) if part)}")
    return "\n".join(lines)


def _under(boxes: Sequence[Box], text: str, layout: bytes) -> str:
    page = unpack_layout(layout)
    if not len(page):
        return ""
    middles = page.corners + (page.along + page.down) / 2
    found = [
        text[page.starts[index] : page.ends[index]]
        for index, (x, y) in enumerate(middles.tolist())
        if any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes)
    ]
    return " ".join(found)


def _meets(span: Box, box: Box) -> bool:
    x, y = (span[0] + span[2]) / 2, (span[1] + span[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
