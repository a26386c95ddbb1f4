"""The picture of a screen in, where something is on it out: a colour, a shape, an icon of the set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from trisynapse_desktop.theme import LIGHT

ICONS = Path(__file__).resolve().parents[2] / "resources" / "icons"
RAIL = (0, 40, 52, 772)  # left, top, right, bottom of the parts of a window of 1280 x 800, in px
CENTRE = (56, 84, 900, 768)
SIDEBAR = (924, 80, 1280, 670)
COMPOSER = (1180, 720, 1276, 770)
TABS = (56, 2, 120, 38)
READER_HEADER = (840, 44, 918, 82)
PICTURE = (56, 88, 596, 768)  # the graph pane: the picture, and the evidence beside it
EVIDENCE = (640, 160, 890, 768)
PANE_HEADER = (700, 44, 918, 80)
PAGE = (330, 84, 900, 768)  # the text of a wiki page, right of the list
AMBER = QColor(LIGHT.warning).lighter(140).name()  # an edge that sources dispute
ICON_SIZE = 18  # px
ICON_ERROR = 60  # of 765, the mean difference of an inked pixel; another icon differs by 200 and more
BAR_HOLE = 14  # px


class Eyes:
    """Finds things in the picture of the screen, as a person does: by their colour and their shape."""

    def __init__(self, screen: Any) -> None:
        self._screen = screen

    def mask(self, tone: str, part: tuple[int, int, int, int]) -> np.ndarray:
        left, top, right, bottom = part
        shade = QColor(tone)
        wanted = np.array([shade.red(), shade.green(), shade.blue()])
        whole = np.zeros((800, 1280), bool)
        region = self._screen.picture()[top:bottom, left:right].astype(int)
        whole[top:bottom, left:right] = (np.abs(region - wanted) <= 1).all(axis=2)
        return whole

    def count(self, tone: str, part: tuple[int, int, int, int]) -> int:
        return int(self.mask(tone, part).sum())

    def middle(self, tone: str, part: tuple[int, int, int, int]) -> tuple[int, int] | None:
        """Return the middle of the first bar of a colour, from the top, or nothing."""
        mask = self.mask(tone, part)
        rows = np.flatnonzero(mask.sum(axis=1) > 20)
        if not len(rows):
            return None
        row = int(rows[0]) + 6
        columns = np.flatnonzero(mask[row])
        # Two bars may stand beside each other: between them there is nothing to click. Letters leave smaller holes.
        bars = np.split(columns, np.flatnonzero(np.diff(columns) > BAR_HOLE) + 1)
        return (int(np.median(bars[0])), row) if len(columns) else None

    def middle_of_mass(self, tone: str, part: tuple[int, int, int, int], least: int = 40) -> tuple[int, int] | None:
        """Return a place of a colour, the one in the middle of all of them, or nothing where there is too little."""
        rows, columns = np.nonzero(self.mask(tone, part))
        if len(rows) < least:
            return None
        place = len(rows) // 2
        return int(columns[place]), int(rows[place])

    def in_reader(self) -> bool:
        """Tell whether a source is open in front: only a reader offers to copy a citation."""
        return self.find_icon("quote", READER_HEADER, LIGHT.muted, LIGHT.surface) is not None

    def find_icon(self, name: str, part: tuple[int, int, int, int], tone: str, ground: str) -> tuple[int, int] | None:
        """Return the middle of an icon of the set, or nothing where it is not on the screen."""
        drawn = _draw(name, tone, ground).astype(int)
        ink = np.abs(drawn - drawn[0, 0]).sum(axis=2) > 30
        left, top, right, bottom = part
        region = self._screen.picture()[top:bottom, left:right].astype(int)
        height, width = region.shape[0] - ICON_SIZE + 1, region.shape[1] - ICON_SIZE + 1
        error = np.zeros((height, width))
        for y, x in zip(*np.nonzero(ink), strict=True):
            error += np.abs(region[y : y + height, x : x + width] - drawn[y, x]).sum(axis=2)
        y, x = np.unravel_index(int(error.argmin()), error.shape)
        if error[y, x] / ink.sum() > ICON_ERROR:
            return None
        return int(x) + left + ICON_SIZE // 2, int(y) + top + ICON_SIZE // 2


def _draw(name: str, tone: str, ground: str) -> np.ndarray:
    size = ICON_SIZE
    source = (ICONS / f"{name}.svg").read_text("utf-8").replace("currentColor", tone)
    image = QImage(size, size, QImage.Format.Format_RGB32)
    image.fill(QColor(ground))
    with QPainter(image) as painter:
        QSvgRenderer(QByteArray(source.encode())).render(painter)
    pixels = np.frombuffer(bytes(image.constBits()), np.uint8).reshape(size, size, 4)
    return pixels[:, :, 2::-1]
