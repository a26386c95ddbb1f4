"""The words seen in the picture of a page in, the page as text with the place of each word out. No picture is read.

What was seen goes through the same composition as the glyphs of a PDF, so that columns, lines, headings and highlights
of a scan are those of any page. A recognised letter may be wrong, so the verdict says ``ocr`` for good.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import SeenWord
from trisynapse_memory.preprocessing.pdf.composition import compose
from trisynapse_memory.preprocessing.pdf.glyphs import SPLIT_EM, Fragment, Frame, Look
from trisynapse_memory.preprocessing.pdf.structure import Structure
from trisynapse_memory.types import Page, PageVerdict, Section

SIDE: Final = 2_480  # pixels of the longer side: 210 dpi on A4; below 200 small type is lost, above 300 nothing is won
LEAST_CONFIDENCE: Final = 0.35  # chosen; below it, what is seen in stamps, photos and grain is not text
LOW_CONFIDENCE: Final = 0.7  # mean of a page; below it the page says that letters may be wrong
GARBLED_CONFIDENCE: Final = 0.5
LINE_EM: Final = 1.2  # em; the height of a line from the tallest to the deepest letter
METHOD: Final = "ocr"

_DIRECTIONS: Final = {0: (1.0, 0.0), 90: (0.0, -1.0), 180: (-1.0, 0.0), 270: (0.0, 1.0)}


class Sheet(Struct, frozen=True, kw_only=True):
    """The page a picture shows: its number (from 1), its label, its unrotated size in points and its rotation.

    ``width`` and ``height`` are 0 where a page has no size of its own (an image file); a pixel is a point then.
    """

    number: int
    label: str = ""
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0


def page_of(
    sheet: Sheet, picture: bytes, words: Sequence[SeenWord], recogniser: str
) -> tuple[Page, tuple[Section, ...]]:
    """Write down what was seen on a page.

    Args:
        sheet: the page.
        picture: the PNG that was looked at, as a reader sees the page (turned); its size is read.
        words: what was seen, line by line, in pixels of the picture.
        recogniser: who saw it.

    Returns:
        The page with its text, geometry in points of the unrotated page, and sections. Without a readable word the
        verdict stays ``image-only``; where most words are doubtful it is ``garbled``.
    """
    pixels = _size_of(picture)
    width, height = (sheet.width, sheet.height) if sheet.width and sheet.height else pixels
    turned = (height, width) if sheet.rotation % 180 else (width, height)
    scale = (turned[0] / pixels[0], turned[1] / pixels[1])
    sure = [word for word in words if word.confidence >= LEAST_CONFIDENCE and word.text.strip()]
    fragments = list(_fragments(sure, scale, _frame(sheet.rotation), _shift(sheet.rotation, width, height)))
    composition = compose(fragments)
    limits = (_shift(sheet.rotation, width, height)[1], _shift(sheet.rotation, width, height)[1] + turned[1])
    verdict, note = _judge(sure, recogniser)
    page = Page(
        number=sheet.number,
        text=composition.text,
        verdict=verdict,
        label=sheet.label,
        flags=("order-uncertain",) if composition.uncertain and composition.text else (),
        method=f"{METHOD}:{recogniser}",
        note=note,
        width=round(width, 3),
        height=round(height, 3),
        rotation=sheet.rotation,
        layout=composition.layout,
    )
    return page, Structure().sections(composition, limits, sheet.number == 1) if composition.text else ()


def unread(sheet: Sheet, recogniser: str, why: str) -> Page:
    """Return a page that could not be read from its picture, so that it is not tried for ever."""
    return Page(
        number=sheet.number,
        text="",
        verdict=PageVerdict.IMAGE_ONLY,
        label=sheet.label,
        method=f"{METHOD}:{recogniser}",
        note=why,
        width=sheet.width,
        height=sheet.height,
        rotation=sheet.rotation,
    )


def _size_of(picture: bytes) -> tuple[float, float]:
    """Width and height in pixels, from the header of the PNG."""
    width, height = struct.unpack(">II", picture[16:24])
    return float(max(1, width)), float(max(1, height))


def _frame(rotation: int) -> Frame:
    return Frame(*_DIRECTIONS.get(rotation % 360, (1.0, 0.0)))


def _shift(rotation: int, width: float, height: float) -> tuple[float, float]:
    """What turns places on the turned page into places of its frame, which starts at the unrotated origin."""
    return {90: (-height, 0.0), 180: (-width, -height), 270: (0.0, -width)}.get(rotation % 360, (0.0, 0.0))


def _fragments(
    words: Sequence[SeenWord], scale: tuple[float, float], frame: Frame, shift: tuple[float, float]
) -> Iterator[Fragment]:
    """The runs of words that stand next to each other; those of one line share top and bottom, as glyphs do."""
    for _, group in groupby(words, key=lambda word: word.line):
        line = list(group)
        top = min(word.top for word in line) * scale[1] + shift[1]
        bottom = max(word.bottom for word in line) * scale[1] + shift[1]
        look = Look(top, bottom, round((bottom - top) / LINE_EM, 1), False)
        run = Fragment(frame)
        for word in line:
            left, right = word.left * scale[0] + shift[0], word.right * scale[0] + shift[0]
            if run.text and not 0 <= left - run.rights[-1] < SPLIT_EM * look.size:
                yield _looking(run, look)
                run = Fragment(frame)
            if run.text:
                _add(run, " ", run.rights[-1], left)
            _add(run, word.text, left, right)
        yield _looking(run, look)


def _add(run: Fragment, text: str, left: float, right: float) -> None:
    """Give each character an equal share of the place."""
    step = (right - left) / len(text)
    run.text += text
    run.lefts += [left + step * index for index in range(len(text))]
    run.rights += [left + step * (index + 1) for index in range(len(text))]


def _looking(run: Fragment, look: Look) -> Fragment:
    run.looks, run.counts = [look], [len(run.text)]
    return run


def _judge(words: Sequence[SeenWord], recogniser: str) -> tuple[PageVerdict, str]:
    if not words:
        return PageVerdict.IMAGE_ONLY, f"{recogniser} found no text in the picture"
    letters = sum(len(word.text) for word in words)
    mean = sum(word.confidence * len(word.text) for word in words) / letters
    if mean < GARBLED_CONFIDENCE:
        return PageVerdict.GARBLED, f"{recogniser} could not make out most of the words"
    doubt = "; many letters may be wrong" if mean < LOW_CONFIDENCE else ""
    return PageVerdict.OCR, f"read from the picture by {recogniser}, {mean:.0%} sure{doubt}"
