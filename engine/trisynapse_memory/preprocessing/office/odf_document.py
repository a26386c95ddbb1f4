"""An open OpenDocument package in, the text or presentation out: its pages, and what it says about itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trisynapse_memory.errors import PasswordNeededError, SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.leaves import BROKEN, Leaf, LeafDocument, cut
from trisynapse_memory.preprocessing.office.odf_slides import PageReader
from trisynapse_memory.preprocessing.office.odf_styles import Looks
from trisynapse_memory.preprocessing.office.odf_text import TextReader
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.properties import Properties, odf_properties, title_of
from trisynapse_memory.preprocessing.office.xml import below, child, children, name
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Heading, PageVerdict

_MEDIA: Final = "application/vnd.oasis.opendocument."


def read_odf(package: Package, called: str) -> LeafDocument:
    """Read a whole document.

    Args:
        package: the open package; it may be closed afterwards.
        called: what messages call the file.

    Raises:
        PasswordNeededError: it is encrypted.
        SourceUnsupportedError: it is an OpenDocument file of another kind.
        SourceDamagedError, SourceTooLargeError: it cannot be read.
    """
    if _is_encrypted(package):
        hint = "Save it without a password and add it again."
        raise PasswordNeededError(f"'{called}' is encrypted with a password.", hint=hint)
    content = package.xml("content.xml")
    body = next((part for part in children(child(content, "body"))), None)
    if body is None:
        raise SourceDamagedError(
            f"'{called}' is damaged: its text ('content.xml') is missing or broken.",
            hint="Open it in LibreOffice and save it again.",
        )
    kind = name(body)
    if kind not in ("text", "presentation", "drawing"):
        raise SourceUnsupportedError(f"'{called}' is an OpenDocument {kind}, not a text.", hint="Save it as .ods.")
    styles = package.xml("styles.xml")
    looks = Looks(styles, content)
    properties = odf_properties(package)
    if kind == "text":
        return _text(package, looks, (body, styles), properties)
    return _slides(package, looks, body, (kind, properties))


def _text(
    package: Package, looks: Looks, parts: tuple[Element, Element | None], properties: Properties
) -> LeafDocument:
    body, styles = parts
    reader = TextReader(package, looks)
    inner = list(reader.read(body))
    around = {place: _margins(styles, place, TextReader(package, looks)) for place in ("header", "footer")}
    blocks = [*around["header"], *inner, *reader.comments, *around["footer"]]
    leaves = [*cut(blocks), BROKEN] if "content.xml" in package.broken else cut(blocks)
    leaves[0] = replace(leaves[0], note=_pictures(reader.picture_count), verdict=_wordless(reader.picture_count))
    heading = _heading("text", properties, title_of(properties, blocks, reader.titled), len(leaves))
    return LeafDocument(heading, leaves, said_at=properties.written_at)


def _slides(package: Package, looks: Looks, body: Element, told: tuple[str, Properties]) -> LeafDocument:
    kind, properties = told
    leaves: list[Leaf] = []
    for number, page in enumerate(children(body, "page"), 1):
        reader = PageReader(package, looks, page, number)
        blocks = tuple(reader.blocks())
        notes = ["this slide is hidden when the show runs"] if reader.is_hidden else []
        notes += filter(None, [_pictures(reader.picture_count)])
        label = f"Slide {number}" if kind == "presentation" else f"Page {number}"
        leaves.append(
            Leaf(
                blocks,
                label,
                ("hidden-slide",) if reader.is_hidden else (),
                "; ".join(notes),
                verdict=_wordless(reader.picture_count),
            )
        )
    first = leaves[0].blocks if leaves else ()
    if "content.xml" in package.broken:
        leaves.append(BROKEN)
    title = title_of(properties, first, next((block.text for block in first if block.level), ""))
    heading = _heading(kind, properties, title, len(leaves))
    return LeafDocument(heading, leaves, said_at=properties.written_at)


def _heading(kind: str, properties: Properties, title: str, page_count: int) -> Heading:
    return Heading(
        page_count=page_count,
        title=title,
        authors=properties.authors,
        published=properties.published,
        language=properties.language,
        tags=properties.tags,
        media_type=_MEDIA + {"drawing": "graphics"}.get(kind, kind),
        method="odf",
    )


def _margins(styles: Element | None, place: str, reader: TextReader) -> list[Block]:
    """Headers or footers of all page styles, each text once."""
    blocks = [block for part in below(child(styles, "master-styles"), place) for block in reader.read(part, 1)]
    texts = dict.fromkeys(" ".join(block.text.split()) for block in blocks)
    return [Block(text, "margin") for text in texts if text]


def _is_encrypted(package: Package) -> bool:
    manifest = package.xml("META-INF/manifest.xml")
    return next(below(manifest, "encryption-data"), None) is not None or package.has("encrypted-package")


def _wordless(picture_count: int) -> PageVerdict:
    """What a page is that holds no words."""
    return PageVerdict.IMAGE_ONLY if picture_count else PageVerdict.EMPTY


def _pictures(count: int) -> str:
    return f"{count} picture{'s' if count > 1 else ''}, not read" if count else ""
