"""The pictures of a page that holds nothing else in, one picture of them all out, so that OCR can read it.

Scans are pasted into documents, screenshots into slides, and old books are pictures of their pages. Drawings of Windows
(EMF, WMF) cannot be decoded here and are left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from trisynapse_memory.errors import SourceDamagedError, SourceError
from trisynapse_memory.preprocessing.office.packages import Package, resolve
from trisynapse_memory.preprocessing.office.xml import attribute, below, name
from trisynapse_memory.preprocessing.trees import Element

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES_MAX: Final = 12  # of one page; the largest are drawn
PIXELS_MAX: Final = 80_000_000  # of one picture; a scan of A3 at 600 dpi has 70 million
_ICON_SHARE: Final = 0.05  # of the largest picture's pixels; smaller ones are ornaments
_GAP: Final = 20  # pixels between two pictures


def office_pictures(package: Package, part: str, root: Element | None) -> Iterator[str]:
    """Yield the parts of the pictures that an Open XML part shows, in its order."""
    arrows = package.relations(part)
    for element in below(root, "blip", "imagedata"):
        ident = attribute(element, "embed") or attribute(element, "id")
        arrow = arrows.get(ident)
        if arrow is not None and not arrow.is_external:
            yield arrow.target


def linked_pictures(part: str, root: Element | None) -> Iterator[str]:
    """Yield the parts of the pictures that a chapter or an OpenDocument page shows, in its order."""
    for element in below(root, "img", "image"):
        target = attribute(element, "src") if name(element) == "img" else attribute(element, "href")
        if target and ":" not in target:
            yield resolve(part, target)


def draw_pictures(package: Package, parts: Iterable[str], side: int) -> bytes:
    """Draw pictures below each other.

    Args:
        package: where they lie.
        parts: their names, in the order of the page.
        side: the longer side of the result, at most, in pixels.

    Returns:
        A PNG.

    Raises:
        SourceDamagedError: there is no picture, or none that can be decoded.
    """
    # Only pages without words pay for it.
    from PIL import Image

    images = _telling([image for part in dict.fromkeys(parts) if (image := _decoded(package, part)) is not None])
    if not images:
        raise SourceDamagedError(f"No picture of this page of '{package.name}' can be decoded.")
    width = max(image.width for image in images)
    height = sum(image.height for image in images) + _GAP * (len(images) - 1)
    sheet = Image.new("RGB", (width, height), "white")
    top = 0
    for image in images:
        sheet.paste(image, (0, top))
        top += image.height + _GAP
    sheet.thumbnail((side, side))
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def _telling(images: list[Image]) -> list[Image]:
    """The pictures that may hold text, in their order: no ornaments, and not more than a page has room for."""
    largest = max((image.width * image.height for image in images), default=0)
    kept = [image for image in images if image.width * image.height >= _ICON_SHARE * largest]
    chosen = sorted(kept, key=lambda image: -image.width * image.height)[:PICTURES_MAX]
    return [image for image in kept if image in chosen]


def _decoded(package: Package, part: str) -> Image | None:
    from PIL import Image

    try:
        content = package.read(part)
        with Image.open(io.BytesIO(content or b"")) as image:
            if image.width * image.height > PIXELS_MAX:
                return None
            clear = image.convert("RGBA")
    except (SourceError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    sheet = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(sheet, clear).convert("RGB")
