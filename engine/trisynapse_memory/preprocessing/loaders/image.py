"""An image file in, one page a frame out, each waiting to be read from its picture; drawn upright as a viewer shows it.

There is no text in a picture: its verdict is ``image-only`` until OCR (``pipelines/recognition.py``) has looked at it
or a model has described it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

if TYPE_CHECKING:
    from PIL.Image import Exif, Image

MAX_PIXELS: Final = 200_000_000  # a scanned poster; each takes four bytes of memory when it is opened
MAX_FRAMES: Final = 2_000
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"BM", "BMP"),
)
_MEDIA_TYPES: Final = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "TIFF": "image/tiff",
    "BMP": "image/bmp",
    "WEBP": "image/webp",
}
_BMP_SUFFIX: Final = ".bmp"  # two letters are no proof
_TAKEN, _TITLE, _ARTIST, _ORIENTATION = 0x9003, 0x010E, 0x013B, 0x0112  # tags of EXIF
_EXIF_FOLDER: Final = 0x8769
_QUARTER_TURNS: Final = (5, 6, 7, 8)
_POINTS_PER_INCH: Final = 72
_NOTE: Final = "a picture: its words are read by OCR, if it is installed"


class ImageLoader:
    """Reads PNG, JPEG, GIF, TIFF, BMP and WebP files; a TIFF of several pages has several."""

    name = "image"
    version = 1
    modality = Modality.IMAGE.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say whether the file starts like an image; a name alone is not believed."""
        kind = _kind_of(head)
        if kind == "BMP" and not filename.lower().endswith(_BMP_SUFFIX):
            return 0.0
        return 1.0 if kind else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ImageDocument:
        """Open an image; it has no password.

        Raises:
            SourceDamagedError: it cannot be read as an image.
            SourceTooLargeError: it has more pixels or frames than a machine should be asked to hold.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        from PIL import Image, UnidentifiedImageError

        name = filename or path.name
        content = read_original(path, name, again="Save the picture again.")
        # Our own limit, said in our own words, instead of a warning that nobody sees.
        Image.MAX_IMAGE_PIXELS = None
        try:
            image = Image.open(io.BytesIO(content), formats=tuple(_MEDIA_TYPES))
            count = int(getattr(image, "n_frames", 1))
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
            raise SourceDamagedError(f"'{name}' cannot be read as a picture.", hint="Save it again.") from error
        if image.width * image.height > MAX_PIXELS or count > MAX_FRAMES:
            size = f"{image.width} x {image.height} pixels, {count} frames"
            raise SourceTooLargeError(f"'{name}' is too large a picture ({size}).", hint="Save it smaller.")
        return ImageDocument(image, count, name)


class ImageDocument:
    """An image that is open; an animation is one page, a TIFF of several pages is several."""

    def __init__(self, image: Image, count: int, name: str) -> None:
        self._image = image
        self._name = name
        self._count = count if image.format == "TIFF" else 1
        exif = _exif(image)
        taken = from_iso(_date_of(str(exif.get_ifd(_EXIF_FOLDER).get(_TAKEN) or "")))
        artist = _words(exif.get(_ARTIST))
        self.heading = Heading(
            page_count=self._count,
            title=_words(exif.get(_TITLE)),
            authors=(artist,) if artist else (),
            published=taken.date().isoformat() if taken else "",
            media_type=_MEDIA_TYPES.get(image.format or "", "image/*"),
            method="image",
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield frame ``start`` and the following ones, each as a page without text."""
        for number in range(max(1, start), self._count + 1):
            width, height = self._size(number)
            page = Page(
                number=number,
                text="",
                verdict=PageVerdict.IMAGE_ONLY,
                method="image",
                note=_NOTE,
                width=round(width, 3),
                height=round(height, 3),
            )
            yield page, ()

    def draw(self, number: int, side: int) -> bytes:
        """Return frame ``number`` (from 1) as a PNG, upright, its longer side at most ``side`` pixels.

        Raises:
            SourceDamagedError: there is no such frame, or it cannot be decoded.
        """
        from PIL import ImageOps

        try:
            self._image.seek(number - 1)
            upright = ImageOps.exif_transpose(self._image).convert("RGB")
        except (EOFError, OSError, SyntaxError, ValueError) as error:
            raise SourceDamagedError(f"Picture {number} of '{self._name}' cannot be decoded.") from error
        upright.thumbnail((side, side))
        out = io.BytesIO()
        upright.save(out, "PNG")
        return out.getvalue()

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a picture contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._image.close()

    def _size(self, number: int) -> tuple[float, float]:
        """Width and height in points, upright, by the resolution the file states; else a pixel is a point."""
        try:
            self._image.seek(number - 1)
        except (EOFError, OSError):
            return 0.0, 0.0
        width, height = self._image.size
        if _exif(self._image).get(_ORIENTATION, 1) in _QUARTER_TURNS:
            width, height = height, width
        stated = float((self._image.info.get("dpi") or (0, 0))[0])
        dpi = stated if 50 <= stated <= 2400 else float(_POINTS_PER_INCH)
        return width * _POINTS_PER_INCH / dpi, height * _POINTS_PER_INCH / dpi


def _exif(image: Image) -> Exif:
    """What the camera wrote; nothing where the picture ends too early to tell."""
    from PIL.Image import Exif

    try:
        return image.getexif()
    except (OSError, SyntaxError, ValueError):
        return Exif()


def _kind_of(head: bytes) -> str:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    return next((kind for sign, kind in _SIGNATURES if head.startswith(sign)), "")


def _date_of(stated: str) -> str:
    """EXIF writes 2024:05:31 10:20:30."""
    day, _, time = stated.strip("\0 ").partition(" ")
    return f"{day.replace(':', '-')}T{time}" if time else day.replace(":", "-")


def _words(value: object) -> str:
    return " ".join(str(value or "").replace("\0", " ").split())[:300]
