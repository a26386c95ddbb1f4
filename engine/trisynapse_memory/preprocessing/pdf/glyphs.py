"""A page as pymupdf's ``rawdict`` tells it in, fragments of glyphs in reading frames out. Nothing is put in order here.

A *frame* is the page turned so that its text runs to the right: ``u`` goes along the text, ``v`` down from line to
line. For text that runs straight to the right, u and v are the x and y of the unrotated crop box. Everything after this
module works in frames, so turned pages, sideways tables and stamps at the margin need no code of their own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.preprocessing.pdf.bidi import RIGHT_TO_LEFT

BAD_CHARACTER: Final = "\ufffd"
SPLIT_EM: Final = 0.9  # em; a wider hole inside a line may be a gutter
DUPLICATE_EM: Final = 0.1  # em; twins nearer than this are one glyph drawn twice; a narrow "ll" stands 0.2 apart

# Fonts state their ascent loosely (0.68 for Nimbus, 2.0 for some maths fonts): too little leaves ink uncovered, too
# much covers the line above.
_ASCENT: Final = (0.75, 1.05)
_DESCENT: Final = (0.22, 0.35)
_BOLD_FLAG: Final = 16
_BOLD_NAME: Final = re.compile(r"bold|black|heavy|semib|[-,.]medi|cmbx|sfbx", re.IGNORECASE)
_BREAKS: Final = frozenset("\n\r\x0b\x0c\x85\u2028\u2029\t")

Json = Mapping[str, Any]


class Frame(NamedTuple):
    """The direction text runs in: cosine and sine in page coordinates (y down)."""

    cos: float
    sin: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return (u, v) of a page point."""
        return x * self.cos + y * self.sin, y * self.cos - x * self.sin


@dataclass(frozen=True, slots=True)
class Style:
    """How a span of glyphs is drawn. ``colour`` is 0xRRGGBB, ``alpha`` 0 (invisible) to 255, ``size`` in points."""

    size: float
    bold: bool
    colour: int
    alpha: int


@dataclass(frozen=True, slots=True)
class Span:
    """Glyphs of one style in one frame, in stream order; ``lefts`` and ``rights`` are u, the others v."""

    frame: Frame
    line: int
    style: Style
    chars: list[str]
    lefts: list[float]
    rights: list[float]
    base: float
    top: float
    bottom: float
    box: tuple[float, float, float, float]
    """Where the span lies on the page: x0, y0, x1, y1."""


class Look(NamedTuple):
    """What all glyphs of a span share: top and bottom in the frame, size in points, weight."""

    top: float
    bottom: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Fragment:
    """Glyphs that stand next to each other on one line, as parallel lists in stream order."""

    frame: Frame
    chars: list[str] = field(default_factory=list[str])
    lefts: list[float] = field(default_factory=list[float])
    rights: list[float] = field(default_factory=list[float])
    looks: list[Look] = field(default_factory=list[Look])

    @property
    def text(self) -> str:
        """The glyphs as a string."""
        return "".join(self.chars)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in the frame."""
        looks = distinct(self.looks)
        top, bottom = min(look.top for look in looks), max(look.bottom for look in looks)
        return min(self.lefts), top, max(self.rights), bottom


def distinct(looks: list[Look]) -> Collection[Look]:
    """Return each look once; nearly always there is one, and counting by identity is cheaper than hashing them all."""
    first = looks[0]
    return (first,) if looks.count(first) == len(looks) else set(looks)


def read_spans(raw: Json) -> Iterator[Span]:
    """Yield the spans of a ``rawdict`` in stream order; images are left out."""
    line_number = 0
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            line_number += 1
            vertical = line["wmode"] == 1
            frame = Frame(0.0, 1.0) if vertical else _frame_of(line["dir"])
            spans = [
                _vertical_span(span, line_number) if vertical else _span(span, frame, line_number)
                for span in line["spans"]
                if span["chars"]
            ]
            if any(_is_turned(span.chars) for span in spans):
                # mupdf turns these runs around by rules of its own; the page itself is the better witness.
                spans = sorted(map(_from_left, spans), key=lambda span: span.lefts[0])
            yield from spans


def drop_twins(spans: Sequence[Span]) -> list[Span]:
    """Collapse glyphs that are drawn twice at nearly the same place (fake bold), keeping the first."""
    if not spans:
        return []
    lengths = [len(span.chars) for span in spans]
    codes = np.array([ord(char) for span in spans for char in span.chars], dtype=np.int64)
    left = np.array([value for span in spans for value in span.lefts])
    base = np.repeat([span.base for span in spans], lengths)
    size = np.repeat([max(span.style.size, 0.05) for span in spans], lengths)
    way = np.repeat([round(math.degrees(math.atan2(span.frame.sin, span.frame.cos))) for span in spans], lengths)
    twins = np.zeros(len(codes), dtype=bool)
    row_height = max(float(np.median(size)) * DUPLICATE_EM, 0.1)
    # Rounding cuts some twins apart, so the rows are laid a second time, moved by half a row.
    for shift in (0.0, 0.5):
        rows = np.floor(base / row_height + shift).astype(np.int64) & 0xFFFFFF
        kinds = codes << 36 | (way & 0xFFF) << 24 | rows
        order = np.lexsort((left, kinds))
        near = (np.diff(kinds[order]) == 0) & (np.diff(left[order]) < DUPLICATE_EM * size[order][1:])
        twins[np.maximum(order[1:], order[:-1])[near]] = True
    twins &= codes != 32
    if not twins.any():
        return list(spans)
    return [each for each in _without(spans, lengths, ~twins) if each.chars]


def join_fragments(spans: Sequence[Span]) -> list[Fragment]:
    """Glue the spans of one line together, and cut a line where a hole in it may be a gutter."""
    fragments: list[Fragment] = []
    open_fragment: Fragment | None = None
    line = -1
    for span in spans:
        if span.line != line or open_fragment is None or open_fragment.frame != span.frame:
            open_fragment, line = Fragment(span.frame), span.line
            fragments.append(open_fragment)
        open_fragment = _append(open_fragment, span, fragments)
    trimmed = [_trimmed(fragment) for fragment in fragments]
    return [fragment for fragment in trimmed if fragment.chars]


@lru_cache(maxsize=256)
def _frame_of(direction: tuple[float, float]) -> Frame:
    cos, sin = direction
    angle = round(math.degrees(math.atan2(sin, cos)), 1) % 360
    quarter, rest = divmod(angle, 90)
    if rest < 0.6 or rest > 89.4:
        turns = int(quarter + (rest > 45)) % 4
        return (Frame(1.0, 0.0), Frame(0.0, 1.0), Frame(-1.0, 0.0), Frame(0.0, -1.0))[turns]
    return Frame(math.cos(math.radians(angle)), math.sin(math.radians(angle)))


def _span(span: Json, frame: Frame, line: int) -> Span:
    glyphs = span["chars"]
    size = span["size"]
    ascent = min(max(span["ascender"], _ASCENT[0]), _ASCENT[1]) * size
    descent = min(max(-span["descender"], _DESCENT[0]), _DESCENT[1]) * size
    boxes = [glyph["bbox"] for glyph in glyphs]
    if frame.sin == 0.0 and frame.cos == 1.0:
        lefts, rights = [box[0] for box in boxes], [box[2] for box in boxes]
        base = glyphs[0]["origin"][1]
    else:
        height = (span["ascender"] - span["descender"]) * size
        lefts = [frame.place(*glyph["origin"])[0] for glyph in glyphs]
        rights = [left + _advance(box, frame, height) for left, box in zip(lefts, boxes, strict=True)]
        base = frame.place(*glyphs[0]["origin"])[1]
    chars = [char if " " <= (char := glyph["c"]) < "\x7f" else _clean(char) for glyph in glyphs]
    return Span(
        frame, line, _style(span), chars, lefts, rights, base, base - ascent, base + descent, tuple(span["bbox"])
    )


def _from_left(span: Span) -> Span:
    order = sorted(range(len(span.chars)), key=span.lefts.__getitem__)
    chars, lefts, rights = ([each[index] for index in order] for each in (span.chars, span.lefts, span.rights))
    return replace(span, chars=chars, lefts=lefts, rights=rights)


def _is_turned(chars: list[str]) -> bool:
    text = "".join(chars)
    return not text.isascii() and RIGHT_TO_LEFT.search(text) is not None


def _advance(box: tuple[float, float, float, float], frame: Frame, height: float) -> float:
    """The width along the text of a glyph whose upright bounding box is known."""
    cos, sin = abs(frame.cos), abs(frame.sin)
    if cos > sin:
        return max((box[2] - box[0] - height * sin) / cos, 0.0)
    return max((box[3] - box[1] - height * cos) / sin, 0.0)


def _vertical_span(span: Json, line: int) -> Span:
    """Chinese and Japanese set top to bottom: the text runs down, its lines follow each other to the left."""
    boxes = [glyph["bbox"] for glyph in span["chars"]]
    chars = [_clean(glyph["c"]) for glyph in span["chars"]]
    top, bottom = -max(box[2] for box in boxes), -min(box[0] for box in boxes)
    lefts, rights = [box[1] for box in boxes], [box[3] for box in boxes]
    style = _style(span)
    return Span(Frame(0.0, 1.0), line, style, chars, lefts, rights, bottom, top, bottom, tuple(span["bbox"]))


def _style(span: Json) -> Style:
    bold = bool(span["flags"] & _BOLD_FLAG) or _is_bold_name(span["font"])
    return Style(span["size"], bold, span["color"], span["alpha"])


@lru_cache(maxsize=1024)
def _is_bold_name(font: str) -> bool:
    return _BOLD_NAME.search(font) is not None


def _clean(char: str) -> str:
    """One character that may stand inside a stored line: breaks become spaces, controls and halves become U+FFFD."""
    if " " <= char < "\x7f":
        return char
    if len(char) != 1:
        # What one glyph stands for (an f-ligature without a code of its own) would break the one-to-one map.
        return char[:1] or BAD_CHARACTER
    if char in _BREAKS:
        return " "
    code = ord(char)
    return BAD_CHARACTER if code < 32 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 else char


def _without(spans: Sequence[Span], lengths: list[int], keep: NDArray[np.bool_]) -> Iterator[Span]:
    cursor = 0
    for span, length in zip(spans, lengths, strict=True):
        kept = np.flatnonzero(keep[cursor : cursor + length]).tolist()
        cursor += length
        if len(kept) == length:
            yield span
            continue
        chars, lefts, rights = ([each[index] for index in kept] for each in (span.chars, span.lefts, span.rights))
        yield replace(span, chars=chars, lefts=lefts, rights=rights)


def _append(fragment: Fragment, span: Span, fragments: list[Fragment]) -> Fragment:
    limit = SPLIT_EM * span.style.size
    first = 0
    previous = _last_right(fragment)
    if _has_no_hole(span, previous, limit):
        _extend(fragment, span, 0, len(span.chars))
        return fragment
    for index, char in enumerate(span.chars):
        if char.isspace():
            continue
        # Glyphs that jump far to the left start anew as well: the stream went back over its own line.
        if previous is not None and not -4 * limit < span.lefts[index] - previous < limit:
            _extend(fragment, span, first, index)
            fragment, first = Fragment(span.frame), index
            fragments.append(fragment)
        previous = span.rights[index]
    _extend(fragment, span, first, len(span.chars))
    return fragment


def _has_no_hole(span: Span, previous: float | None, limit: float) -> bool:
    """Whether a span can be taken whole: the usual case, told by sums instead of by a walk over its glyphs."""
    slack = span.rights[-1] - span.lefts[0] - (sum(span.rights) - sum(span.lefts))
    if not -limit < slack < limit / 2 or span.chars[0].isspace():
        return False
    if previous is not None and not -4 * limit < span.lefts[0] - previous < limit:
        return False
    return "  " not in "".join(span.chars)


def _last_right(fragment: Fragment) -> float | None:
    for char, right in zip(reversed(fragment.chars), reversed(fragment.rights), strict=True):
        if not char.isspace():
            return right
    return None


def _extend(fragment: Fragment, span: Span, first: int, last: int) -> None:
    count = last - first
    fragment.chars.extend(span.chars[first:last])
    fragment.lefts.extend(span.lefts[first:last])
    fragment.rights.extend(span.rights[first:last])
    fragment.looks.extend([Look(span.top, span.bottom, span.style.size, span.style.bold)] * count)


def _trimmed(fragment: Fragment) -> Fragment:
    """The fragment without the blanks at its ends, which would make its box too wide."""
    text = fragment.text
    first = len(text) - len(text.lstrip())
    last = len(text.rstrip())
    if first == 0 and last == len(text):
        return fragment
    cut = slice(first, max(first, last))
    return Fragment(fragment.frame, fragment.chars[cut], fragment.lefts[cut], fragment.rights[cut], fragment.looks[cut])
