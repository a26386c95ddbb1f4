"""An appearance in, palette, style sheet and icons out; widgets get their colours here and nowhere else.

One accent, one radius, one spacing grid. Every pair of text and ground is listed in ``Tones.pairs`` and a test
computes its contrast.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

GRID = 4  # px; every margin, gap and height is a multiple
RADIUS = 6  # px; the only one
ICON_SIZE = 18  # px, drawn on a 24-unit grid

APPEARANCES = ("system", "light", "dark", "contrast")


@dataclass(frozen=True, slots=True)
class Tones:
    """The colours of one appearance, by what they are for."""

    name: str
    window: str
    surface: str
    hover: str
    chosen: str
    line: str
    field_line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    good: str
    warning: str
    bad: str
    warning_ground: str
    bad_ground: str
    mark: str
    on_mark: str

    @property
    def dark(self) -> bool:
        """Whether text is lighter than its ground."""
        return QColor(self.text).lightness() > QColor(self.window).lightness()

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return every pair of text colour and ground that the app paints."""
        grounds = (self.window, self.surface, self.hover, self.chosen)
        texts = (self.text, self.muted, self.accent)
        states = (self.good, self.warning, self.bad)
        return (
            *((text, ground) for text in texts for ground in grounds),
            *((state, ground) for state in states for ground in (self.window, self.surface, self.chosen)),
            (self.on_accent, self.accent),
            (self.text, self.warning_ground),
            (self.text, self.bad_ground),
            (self.bad, self.bad_ground),
            (self.warning, self.warning_ground),
            (self.on_mark, self.mark),
        )


LIGHT = Tones(
    name="light",
    window="#f6f6f4",
    surface="#ffffff",
    hover="#efefec",
    chosen="#e6eaf6",
    line="#e3e3df",
    field_line="#d2d2cc",
    text="#1d1e20",
    muted="#5f6166",
    accent="#3450b4",
    on_accent="#ffffff",
    good="#1f6b3f",
    warning="#8a5000",
    bad="#b3261e",
    warning_ground="#fdf1dc",
    bad_ground="#fdeceb",
    mark="#ffe9a3",
    on_mark="#1d1e20",
)

DARK = Tones(
    name="dark",
    window="#18191b",
    surface="#1f2022",
    hover="#292a2d",
    chosen="#2b3147",
    line="#2f3034",
    field_line="#43454b",
    text="#e7e7e4",
    muted="#a3a5aa",
    accent="#a3b5ff",
    on_accent="#151a2e",
    good="#7fcf9c",
    warning="#f0b35e",
    bad="#ff9a91",
    warning_ground="#3a2d17",
    bad_ground="#41211f",
    mark="#6b5a1e",
    on_mark="#fffbe9",
)

CONTRAST = Tones(
    name="contrast",
    window="#000000",
    surface="#000000",
    hover="#262626",
    chosen="#003a5c",
    line="#ffffff",
    field_line="#ffffff",
    text="#ffffff",
    muted="#e6e6e6",
    accent="#ffd84d",
    on_accent="#000000",
    good="#7dff9e",
    warning="#ffd84d",
    bad="#ffb0a8",
    warning_ground="#332800",
    bad_ground="#3d0b06",
    mark="#ffd84d",
    on_mark="#000000",
)


def resources_folder() -> Path:
    """Return where icons and samples lie: inside an installed package, or beside it in a source tree."""
    inside = Path(__file__).parent / "resources"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "resources"


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    Source:
        WCAG 2.2, relative luminance and contrast ratio.
    """
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


class Theme(QObject):
    """Dresses the application, and hands out icons in the right colour.

    ``changed`` says that colours are different now; widgets that paint themselves repaint.
    """

    changed = Signal()

    def __init__(self, application: QApplication, appearance: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._appearance = appearance if appearance in APPEARANCES else "system"
        self._font = QFont(application.font())
        application.setStyle("Fusion")
        self._tones = self._pick()
        self._dress()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def appearance(self) -> str:
        """What she chose: ``system``, ``light``, ``dark`` or ``contrast``."""
        return self._appearance

    @property
    def tones(self) -> Tones:
        """The colours in use."""
        return self._tones

    def choose(self, appearance: str) -> None:
        """Change the appearance now."""
        self._appearance = appearance if appearance in APPEARANCES else "system"
        self._follow()

    def icon(self, name: str, tone: str = "", size: int = ICON_SIZE) -> QIcon:
        """Return an icon of the set, in the muted text colour, or in the tone named (``accent``, ``bad``, ..).

        It turns to the accent when its button is on, and pale when it is disabled.
        """
        colour = getattr(self._tones, tone) if tone else self._tones.muted
        faint = QColor(self._tones.muted)
        faint.setAlphaF(0.4)
        ratio = self._application.devicePixelRatio()
        icon = QIcon()
        icon.addPixmap(draw_icon(name, colour, size, ratio), QIcon.Mode.Normal, QIcon.State.Off)
        icon.addPixmap(draw_icon(name, self._tones.accent, size, ratio), QIcon.Mode.Normal, QIcon.State.On)
        icon.addPixmap(draw_icon(name, colour, size, ratio), QIcon.Mode.Selected, QIcon.State.Off)
        disabled = draw_icon(name, faint.name(QColor.NameFormat.HexArgb), size, ratio)
        icon.addPixmap(disabled, QIcon.Mode.Disabled, QIcon.State.Off)
        return icon

    def pixmap(self, name: str, tone: str = "muted", size: int = ICON_SIZE) -> QPixmap:
        """Return one icon as a picture, for labels."""
        return draw_icon(name, getattr(self._tones, tone), size, self._application.devicePixelRatio())

    def _pick(self) -> Tones:
        if self._appearance == "contrast":
            return CONTRAST
        if self._appearance == "system":
            scheme = QGuiApplication.styleHints().colorScheme()
            return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._appearance == "dark" else LIGHT

    def _follow(self) -> None:
        tones = self._pick()
        if tones is not self._tones:
            self._tones = tones
            self._dress()
            self.changed.emit()

    def _dress(self) -> None:
        self._application.setPalette(palette_of(self._tones))
        self._application.setStyleSheet(style_sheet(self._tones, self._font.pointSizeF()))


def palette_of(tones: Tones) -> QPalette:
    """Fill Qt's palette, so that every stock widget is right without a style sheet."""
    role = QPalette.ColorRole
    palette = QPalette()
    for name, colour in (
        (role.Window, tones.window),
        (role.WindowText, tones.text),
        (role.Base, tones.surface),
        (role.AlternateBase, tones.window),
        (role.Text, tones.text),
        (role.PlaceholderText, tones.muted),
        (role.Button, tones.surface),
        (role.ButtonText, tones.text),
        (role.BrightText, tones.bad),
        (role.Highlight, tones.chosen),
        (role.HighlightedText, tones.text),
        (role.ToolTipBase, tones.surface),
        (role.ToolTipText, tones.text),
        (role.Link, tones.accent),
        (role.LinkVisited, tones.accent),
        (role.Accent, tones.accent),
        (role.Mid, tones.line),
        (role.Midlight, tones.line),
        (role.Light, tones.surface),
        (role.Dark, tones.field_line),
        (role.Shadow, tones.line),
    ):
        palette.setColor(name, QColor(colour))
    faint = QColor(tones.muted)
    faint.setAlphaF(0.6)
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, faint)
    return palette


def style_sheet(tones: Tones, point_size: float) -> str:
    """Return the one style sheet: what a palette cannot say (radius, focus ring, quiet buttons)."""
    text = (resources_folder() / "styles" / "app.qss").read_text("utf-8")
    values = {name: str(getattr(tones, name)) for name in Tones.__dataclass_fields__}
    size = point_size if point_size > 0 else 10.0
    values |= {
        "radius": f"{RADIUS}px",
        "small": f"{size * 0.9:.2f}pt",
        "base": f"{size:.2f}pt",
        "large": f"{size * 1.2:.2f}pt",
        "huge": f"{size * 1.7:.2f}pt",
        "icons": (resources_folder() / "icons").as_posix(),
    }
    return re.sub(r"@(\w+)", lambda match: values[match.group(1)], text)


@lru_cache(maxsize=512)
def draw_icon(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """Draw one icon of ``resources/icons`` in a colour; a name that is not there gives an empty picture."""
    pixmap = QPixmap(QSize(size, size) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    path = resources_folder() / "icons" / f"{name}.svg"
    if not path.is_file():
        return pixmap
    shade = QColor(colour)
    source = path.read_text("utf-8").replace("currentColor", shade.name())
    renderer = QSvgRenderer(QByteArray(source.encode()))
    with QPainter(pixmap) as painter:
        painter.setOpacity(shade.alphaF())
        # The place must be named: without it the picture fills the pixels, four times too many on a dense screen.
        renderer.render(painter, QRectF(0, 0, size, size))
    return pixmap


def _luminance(colour: str) -> float:
    shade = QColor(colour)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (shade.redF(), shade.greenF(), shade.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
