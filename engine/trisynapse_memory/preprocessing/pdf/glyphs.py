"""A page as pymupdf's ``rawdict`` tells it in, fragments of glyphs in reading frames out. Nothing is put in order here.

A *frame* is the page turned so that its text runs to the right: ``u`` goes along the text, ``v`` down from line to
line. For text that runs straight to the right, u and v are the x and y of the unrotated crop box. Everything after this
module works in frames, so turned pages, sideways tables and stamps at the margin need no code of their own.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.preprocessing.pdf.bidi import RIGHT_TO_LEFT

BAD_CHARACTER: Final = "\ufffd"
SPLIT_EM: Final = 0.9  # em; a wider hole inside a line may be a gutter
_TOUCH_EM: Final = 0.02  # em; what lies nearer is the edge of one glyph

# Fonts state their ascent loosely (0.68 for Nimbus, 2.0 for some maths fonts): too little leaves ink uncovered, too
# much covers the line above.
_ASCENT: Final = (0.75, 1.05)
_DESCENT: Final = (0.22, 0.35)
_BOLD_FLAG: Final = 16
_BOLD_NAME: Final = re.compile(r"bold|black|heavy|semib|[-,.]medi|cmbx|sfbx", re.IGNORECASE)
_BREAKS: Final = frozenset("\n\r\x0b\x0c\x85\u2028\u2029\t")
_UNCLEAN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UPRIGHT: Final = (1.0, 0.0)

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
    """How a span of glyphs is drawn: ``colour`` is 0xRRGGBB, ``alpha`` 0 (invisible) to 255, the others in points."""

    size: float
    bold: bool
    colour: int
    alpha: int
    ascent: float
    descent: float


class Look(NamedTuple):
    """What all glyphs of a span share: top and bottom in the frame, size in points, weight."""

    top: float
    bottom: float
    size: float
    bold: bool


class Span(NamedTuple):
    """Glyphs of one style in one frame, in stream order; ``lefts``, ``rights`` are u, ``base`` is v.

    A tuple and not a dataclass: a page has 300 of them, and making a frozen dataclass takes four times as long.
    """

    frame: Frame
    line: int
    style: Style
    text: str
    lefts: list[float]
    rights: list[float]
    base: float
    look: Look
    box: tuple[float, float, float, float]
    """Where the span lies on the page: x0, y0, x1, y1."""

    def picked(self, order: Sequence[int]) -> Span:
        """Return the span with these of its glyphs, in this order."""
        text = "".join([self.text[index] for index in order])
        lefts, rights = [self.lefts[index] for index in order], [self.rights[index] for index in order]
        return self._replace(text=text, lefts=lefts, rights=rights)


@dataclass(slots=True)
class Fragment:
    """Glyphs that stand next to each other on one line, in stream order.

    ``lefts`` and ``rights`` have one entry per character; the looks are run lengths: ``counts[i]`` glyphs in a row
    have ``looks[i]``.
    """

    frame: Frame
    text: str = ""
    lefts: list[float] = field(default_factory=list[float])
    rights: list[float] = field(default_factory=list[float])
    looks: list[Look] = field(default_factory=list[Look])
    counts: list[int] = field(default_factory=list[int])

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in the frame."""
        if len(self.looks) == 1:
            return min(self.lefts), self.looks[0].top, max(self.rights), self.looks[0].bottom
        top, bottom = min([look.top for look in self.looks]), max([look.bottom for look in self.looks])
        return min(self.lefts), top, max(self.rights), bottom


def float_column(values: Sequence[float]) -> NDArray[np.float64]:
    """Return numbers as an array, read-only; a page has 3,000 places, and ``np.array`` takes three times as long."""
    return np.frombuffer(struct.pack(f"{len(values)}d", *values))


def read_spans(raw: Json) -> Iterator[Span]:
    """Yield the spans of a ``rawdict`` in stream order; images are left out."""
    line_number = 0
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            line_number += 1
            vertical = line["wmode"] == 1
            frame = Frame(0.0, 1.0) if vertical else _frame_of(line["dir"])
            build = _vertical_span if vertical else _upright_span if frame == _UPRIGHT else _turned_span
            spans = [build(span, frame, line_number) for span in line["spans"] if span["chars"]]
            if any(not span.text.isascii() and RIGHT_TO_LEFT.search(span.text) for span in spans):
                # mupdf turns these runs around by rules of its own; the page itself is the better witness.
                drawn = [_without_fillers(span) for span in line["spans"]]
                spans = [build(span, frame, line_number) for span in drawn if span["chars"]]
                spans = sorted(map(_from_left, map(_parted, spans)), key=lambda span: span.lefts[0])
            yield from spans


def join_fragments(spans: Sequence[Span]) -> list[Fragment]:
    """Glue the spans of one line together, and cut a line where a hole in it may be a gutter."""
    fragments: list[Fragment] = []
    open_fragment: Fragment | None = None
    line = -1
    for span in spans:
        if span.line != line or open_fragment is None:
            open_fragment, line = Fragment(span.frame), span.line
            fragments.append(open_fragment)
        open_fragment = _append(open_fragment, span, fragments)
    for fragment in fragments:
        _trim(fragment)
    return [fragment for fragment in fragments if fragment.text]


@lru_cache(maxsize=256)
def _frame_of(direction: tuple[float, float]) -> Frame:
    cos, sin = direction
    angle = round(math.degrees(math.atan2(sin, cos)), 1) % 360
    quarter, rest = divmod(angle, 90)
    if rest < 0.6 or rest > 89.4:
        turns = int(quarter + (rest > 45)) % 4
        return (Frame(1.0, 0.0), Frame(0.0, 1.0), Frame(-1.0, 0.0), Frame(0.0, -1.0))[turns]
    return Frame(math.cos(math.radians(angle)), math.sin(math.radians(angle)))


def _upright_span(span: Json, frame: Frame, line: int) -> Span:
    """Nearly every span: its text runs to the right, so boxes need no turning."""
    glyphs = span["chars"]
    style = _style_of(span)
    boxes = [glyph["bbox"] for glyph in glyphs]
    base = glyphs[0]["origin"][1]
    look = Look(base - style.ascent, base + style.descent, style.size, style.bold)
    lefts, rights = [box[0] for box in boxes], [box[2] for box in boxes]
    return Span(frame, line, style, _text(glyphs), lefts, rights, base, look, span["bbox"])


def _turned_span(span: Json, frame: Frame, line: int) -> Span:
    glyphs = span["chars"]
    style = _style_of(span)
    height = (span["ascender"] - span["descender"]) * style.size
    lefts = [frame.place(*glyph["origin"])[0] for glyph in glyphs]
    advances = [_advance(glyph["bbox"], frame, height) for glyph in glyphs]
    rights = [left + advance for left, advance in zip(lefts, advances, strict=True)]
    base = frame.place(*glyphs[0]["origin"])[1]
    look = Look(base - style.ascent, base + style.descent, style.size, style.bold)
    return Span(frame, line, style, _text(glyphs), lefts, rights, base, look, span["bbox"])


def _vertical_span(span: Json, frame: Frame, line: int) -> Span:
    """Chinese and Japanese set top to bottom: the text runs down, its lines follow each other to the left."""
    glyphs = span["chars"]
    style = _style_of(span)
    boxes = [glyph["bbox"] for glyph in glyphs]
    top, bottom = -max(box[2] for box in boxes), -min(box[0] for box in boxes)
    look = Look(top, bottom, style.size, style.bold)
    lefts, rights = [box[1] for box in boxes], [box[3] for box in boxes]
    return Span(frame, line, style, _text(glyphs), lefts, rights, bottom, look, span["bbox"])


def _without_fillers(span: Json) -> Json:
    """A span without the blanks that mupdf invented over its glyphs: it seeks holes before it turns a run around."""
    glyphs = span["chars"]
    inked = [(glyph["bbox"][0] + glyph["bbox"][2]) / 2 for glyph in glyphs if not glyph["c"].isspace()]

    def is_filler(glyph: Json) -> bool:
        return bool(glyph.get("synthetic")) and any(glyph["bbox"][0] < middle < glyph["bbox"][2] for middle in inked)

    return {**span, "chars": [glyph for glyph in glyphs if not is_filler(glyph)]}


def _parted(span: Span) -> Span:
    """Give every letter of an Arabic ligature its share of the glyph.

    One glyph may stand for lam and alef; mupdf gives the first letter its whole width and puts the others, without any,
    at its right edge, from where they would be read in the wrong order.
    """
    touch = _TOUCH_EM * span.style.size
    lefts, rights = list(span.lefts), list(span.rights)
    bare = [
        rights[index] - lefts[index] < touch / 4 and RIGHT_TO_LEFT.match(char) is not None and not char.isspace()
        for index, char in enumerate(span.text)
    ]
    index = 0
    while index < len(bare):
        if not bare[index]:
            index += 1
            continue
        end = next((place for place in range(index, len(bare)) if not bare[place]), len(bare))
        edge = lefts[index]
        if not any(map(str.isalpha, span.text[index:end])):
            letters = range(0)  # a mark alone stands where it was put
        elif end < len(bare) and abs(rights[end] - edge) < touch < rights[end] - lefts[end]:
            letters = range(end, index - 1, -1)  # turned around: the first letter comes last
        else:
            letters = range(index - 1, end) if index and abs(rights[index - 1] - edge) < touch else range(0)
        if letters:
            left, right = lefts[letters[0]], rights[letters[0]]
            share = (right - left) / len(letters)
            for rank, place in enumerate(letters):
                lefts[place], rights[place] = right - (rank + 1) * share, right - rank * share
        index = end
    return span._replace(lefts=lefts, rights=rights)


def _from_left(span: Span) -> Span:
    return span.picked(sorted(range(len(span.text)), key=span.lefts.__getitem__))


def _advance(box: tuple[float, float, float, float], frame: Frame, height: float) -> float:
    """The width along the text of a glyph whose upright bounding box is known."""
    cos, sin = abs(frame.cos), abs(frame.sin)
    if cos > sin:
        return max((box[2] - box[0] - height * sin) / cos, 0.0)
    return max((box[3] - box[1] - height * cos) / sin, 0.0)


def _style_of(span: Json) -> Style:
    return _style(
        span["font"], span["size"], span["flags"], span["color"], span["alpha"], span["ascender"], span["descender"]
    )


@lru_cache(maxsize=1024)
def _style(font: str, size: float, flags: int, colour: int, alpha: int, ascender: float, descender: float) -> Style:
    bold = bool(flags & _BOLD_FLAG) or _BOLD_NAME.search(font) is not None
    ascent = min(max(ascender, _ASCENT[0]), _ASCENT[1]) * size
    descent = min(max(-descender, _DESCENT[0]), _DESCENT[1]) * size
    return Style(size, bold, colour, alpha, ascent, descent)


def _text(glyphs: Sequence[Json]) -> str:
    """One character per glyph, all of them such as may stand inside a stored line."""
    chars: list[str] = [glyph["c"] for glyph in glyphs]
    text = "".join(chars)
    if len(text) == len(chars) and "" not in chars and (text.isprintable() or _UNCLEAN.search(text) is None):
        return text
    return "".join(map(_clean, chars))


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


def _append(fragment: Fragment, span: Span, fragments: list[Fragment]) -> Fragment:
    limit = SPLIT_EM * span.style.size
    first = 0
    previous = _last_right(fragment)
    if _has_no_hole(span, previous, limit):
        fragment.text += span.text
        fragment.lefts += span.lefts
        fragment.rights += span.rights
        fragment.looks.append(span.look)
        fragment.counts.append(len(span.lefts))
        return fragment
    for index, char in enumerate(span.text):
        if char.isspace():
            continue
        # Glyphs that jump far to the left start anew as well: the stream went back over its own line.
        if previous is not None and not -4 * limit < span.lefts[index] - previous < limit:
            _extend(fragment, span, first, index)
            fragment, first = Fragment(span.frame), index
            fragments.append(fragment)
        previous = span.rights[index]
    _extend(fragment, span, first, len(span.text))
    return fragment


def _has_no_hole(span: Span, previous: float | None, limit: float) -> bool:
    """Whether a span can be taken whole: the usual case, told by sums instead of by a walk over its glyphs."""
    lefts, rights, text = span.lefts, span.rights, span.text
    slack = rights[-1] - lefts[0] - (sum(rights) - sum(lefts))
    if not -limit < slack < limit / 2 or text[0].isspace():
        return False
    if previous is not None and not -4 * limit < lefts[0] - previous < limit:
        return False
    return "  " not in text


def _last_right(fragment: Fragment) -> float | None:
    text = fragment.text
    if text and not text[-1].isspace():
        return fragment.rights[-1]
    solid = len(text.rstrip())
    return fragment.rights[solid - 1] if solid else None


def _extend(fragment: Fragment, span: Span, first: int, last: int) -> None:
    if first < last:
        fragment.text += span.text[first:last]
        fragment.lefts += span.lefts[first:last]
        fragment.rights += span.rights[first:last]
        fragment.looks.append(span.look)
        fragment.counts.append(last - first)


def _trim(fragment: Fragment) -> None:
    """Take away the blanks at the ends, which would make the box of the fragment too wide."""
    text = fragment.text
    solid = text.strip()
    if len(solid) == len(text):
        return
    first = len(text) - len(text.lstrip())
    cut = slice(first, first + len(solid))
    fragment.text, fragment.lefts, fragment.rights = solid, fragment.lefts[cut], fragment.rights[cut]
    _drop_looks(fragment, first, 0)
    _drop_looks(fragment, len(text) - first - len(solid), -1)


def _drop_looks(fragment: Fragment, count: int, end: int) -> None:
    """Shorten the run lengths by some glyphs at one end (0 or -1)."""
    while count and fragment.counts:
        gone = min(count, fragment.counts[end])
        fragment.counts[end] -= gone
        count -= gone
        if not fragment.counts[end]:
            del fragment.counts[end], fragment.looks[end]
