"""Spans and what is painted on a page in, which spans a reader cannot see out. Nothing is rendered here.

Case R12: instructions to a machine are hidden in text no person reads: white on white, half a point high, painted with
render mode 3, or off the page. One invisible text is honest: what a scanner program recognised, laid over its scan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.pdf.glyphs import Span

MIN_ALPHA: Final = 8  # of 255; fainter text is invisible on any ground
MIN_SIZE_PT: Final = 2.0  # points; chosen, not measured: R12 hides at 0.5, print starts near 4
NEAR_COLOUR: Final = 24  # of 255 in every channel; chosen, not measured
SCAN_SHARE: Final = 0.5  # of the page under one image
OCR_RATIO: Final = 3  # times as much invisible as visible text
_WHITE: Final = 0xFFFFFF
_LIGHT: Final = 0xDC

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Fill:
    """An area painted on the page: its box, its colour (None: unknown or see-through), and whether it fills its box."""

    box: Box
    colour: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Survey:
    """What is drawn on a page beside readable text: the boxes of its images, how many paths, how many runs of text."""

    images: tuple[Box, ...]
    path_count: int
    text_count: int


class Painting:
    """What a page shows beside its text, looked at only where it matters: a look costs as much as reading the text.

    Args:
        page: the box of the page.
        survey: counts what is drawn.
        fills: lists what could be a background, in the order it is painted; ``None`` where that would take too long.
    """

    def __init__(self, page: Box, survey: Callable[[], Survey], fills: Callable[[], Sequence[Fill] | None]) -> None:
        self.page = page
        self._survey = survey
        self._fills = fills
        self._seen: Survey | None = None
        self._painted: tuple[Sequence[Fill] | None] | None = None

    @property
    def survey(self) -> Survey:
        """What is drawn."""
        if self._seen is None:
            self._seen = self._survey()
        return self._seen

    @property
    def fills(self) -> Sequence[Fill] | None:
        """What could be a background."""
        if self._painted is None:
            self._painted = (self._fills(),)
        return self._painted[0]

    @property
    def scan_share(self) -> float:
        """How much of the page its largest image covers, in [0, 1]."""
        area = max((self.page[2] - self.page[0]) * (self.page[3] - self.page[1]), 1.0)
        return max((_shared(image, self.page) / area for image in self.survey.images), default=0.0)


@dataclass(frozen=True, slots=True)
class Sight:
    """The spans of a page by whether a reader sees them; ``ocr_layer`` where the seen text lies invisible on a scan."""

    seen: tuple[Span, ...]
    hidden: tuple[Span, ...]
    ocr_layer: bool


def divide_spans(spans: Sequence[Span], painting: Painting) -> Sight:
    """Tell what can be read on the page from what cannot."""
    ocr = _is_ocr_layer(spans, painting)
    backdrop = _Backdrop(painting)
    left, top, right, bottom = painting.page
    seen: list[Span] = []
    hidden: list[Span] = []
    for span in spans:
        style = span.style
        x, y = _centre(span.box)
        if style.alpha == 0:
            readable = ocr and any(_holds(image, (x, y)) for image in painting.survey.images)
        elif style.size < MIN_SIZE_PT or style.alpha < MIN_ALPHA or not (left <= x <= right and top <= y <= bottom):
            readable = False
        else:
            readable = not backdrop.swallows(style.colour, (x, y))
        (seen if readable else hidden).append(span)
    return Sight(tuple(seen), tuple(hidden), ocr)


class _Backdrop:
    """What lies under the text of a page, asked for once, and only where it can matter."""

    def __init__(self, painting: Painting) -> None:
        self._painting = painting
        self._suspicious: dict[int, bool] = {}

    def swallows(self, colour: int, centre: tuple[float, float]) -> bool:
        """Whether a span of a colour has the colour of what it stands on."""
        if not self._is_suspicious(colour):
            return False
        fills = self._painting.fills
        if fills is None or any(_holds(box, centre) for box in self._painting.survey.images):
            return False
        background: int | None = _WHITE
        for fill in fills:
            if _holds(fill.box, centre):
                # A shape that does not fill its box may or may not lie under the text: the doubt counts for the text.
                background = fill.colour if fill.exact else None
        return background is not None and _difference(background, colour) < NEAR_COLOUR

    def _is_suspicious(self, colour: int) -> bool:
        """Whether text of a colour could vanish on this page at all: light text, or a box of the same colour."""
        known = self._suspicious.get(colour)
        if known is None:
            known = self._suspicious[colour] = _is_light(colour) or any(
                fill.colour is not None and _difference(fill.colour, colour) < NEAR_COLOUR
                for fill in self._painting.fills or ()
            )
        return known


def _is_ocr_layer(spans: Sequence[Span], painting: Painting) -> bool:
    invisible = sum([len(span.text) for span in spans if span.style.alpha == 0])
    if not invisible:
        return False
    visible = sum([len(span.text) for span in spans]) - invisible
    return invisible >= OCR_RATIO * visible and painting.scan_share >= SCAN_SHARE


def _is_light(colour: int) -> bool:
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) >= _LIGHT


def _difference(one: int, other: int) -> int:
    return max(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (16, 8, 0))


def _centre(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _holds(box: Box, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
