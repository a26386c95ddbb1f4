"""A picture in, the words that RapidOCR sees in it out; its models lie inside its package, nothing is downloaded.

The extra ``ocr``. It finds 96 to 99 % of the words of 150 dpi pages and takes 5 to 10 seconds of one core a page
(stack.md).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol, cast

from trisynapse_memory.contracts import SeenWord
from trisynapse_memory.errors import BranchUnavailableError, SourceDamagedError

PACKAGE: Final = "rapidocr"

Corner = Sequence[float]


class _Found(Protocol):
    """The lines of a picture: their corners, or None where there are none, their texts, how sure they are."""

    boxes: Sequence[Sequence[Corner]] | None
    txts: Sequence[str]
    scores: Sequence[float]


class _Engine(Protocol):
    def __call__(self, picture: bytes) -> _Found: ...


class _Library(Protocol):
    """What is used of rapidocr, which has no types of its own."""

    def RapidOCR(self) -> _Engine: ...  # noqa: N802


class RapidRecogniser:
    """Reads pictures with RapidOCR, Latin and Chinese scripts."""

    name = "rapidocr"

    def __init__(self) -> None:
        self._engine: _Engine | None = None

    def obstacle(self) -> str:
        """Say that the extra is missing, if it is."""
        return "" if find_spec(PACKAGE) else "RapidOCR is not installed (pip install 'trisynapse-desktop[ocr]')."

    def recognise(self, picture: bytes) -> Sequence[SeenWord]:
        """Return the words of a PNG, line after line as they were detected.

        Raises:
            SourceDamagedError: the picture cannot be read.
            BranchUnavailableError: the extra ``ocr`` is not installed.
        """
        if obstacle := self.obstacle():
            raise BranchUnavailableError("RapidOCR cannot be run.", hint=obstacle)
        if self._engine is None:
            # It tells the paths of its models on standard error.
            logging.getLogger("RapidOCR").setLevel(logging.ERROR)
            self._engine = cast("_Library", import_module(PACKAGE)).RapidOCR()
        try:
            found = self._engine(picture)
        except (ValueError, OSError) as error:
            raise SourceDamagedError(f"RapidOCR cannot read this picture: {error}.") from error
        if found.boxes is None:
            return ()
        rows = zip(found.boxes, found.txts, found.scores, strict=True)
        return tuple(word for line, (box, text, score) in enumerate(rows) for word in _words(box, text, score, line))


def _words(box: Sequence[Corner], text: str, score: float, line: int) -> Iterator[SeenWord]:
    """Share the box of a line among its words by their length: RapidOCR tells lines only."""
    xs, ys = [float(point[0]) for point in box], [float(point[1]) for point in box]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    step = (right - left) / max(1, len(text))
    start = 0
    for word in text.split():
        start = text.index(word, start)
        end = start + len(word)
        yield SeenWord(word, left + start * step, top, left + end * step, bottom, line, float(score))
        start = end
