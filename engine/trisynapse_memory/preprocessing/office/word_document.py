"""An open Word package in, the document out: its pages, what it says about itself, the files that lie in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.office.embedded import embedded_files
from trisynapse_memory.preprocessing.office.leaves import BROKEN, Leaf, LeafDocument, cut
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.pictures import draw_pictures, office_pictures
from trisynapse_memory.preprocessing.office.properties import core_properties, title_of
from trisynapse_memory.preprocessing.office.word_body import BodyReader
from trisynapse_memory.types import Heading, PageVerdict

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class WordDocument(LeafDocument):
    """A Word document that is open; its pictures are decoded when they are asked for."""

    def __init__(
        self, package: Package, part: str, heading: Heading, leaves: Sequence[Leaf], said_at: datetime | None
    ) -> None:
        super().__init__(heading, leaves, tuple(embedded_files(package, part)), said_at)
        self._package = package
        self._part = part

    def draw(self, number: int, side: int) -> bytes:
        """Return the pictures of the document as one PNG, its longer side at most ``side`` pixels.

        Which page they stand on is known only to a printer, so it is asked for only where there is but one.

        Raises:
            SourceDamagedError: there is no such page, or no picture that can be decoded.
        """
        if not 1 <= number <= self.heading.page_count:
            raise SourceDamagedError(f"There is no page {number} in '{self._package.name}'.")
        parts = office_pictures(self._package, self._part, self._package.xml(self._part))
        return draw_pictures(self._package, parts, side)

    def close(self) -> None:
        """Let go of the file."""
        self._package.close()


def read_word(package: Package, name: str) -> WordDocument:
    """Read a whole document.

    Args:
        package: the open package; the document closes it.
        name: what messages call the file.

    Raises:
        SourceDamagedError: it has no body.
        SourceTooLargeError: one of its parts is.
    """
    part = package.main_part("word/document.xml")
    reader = BodyReader(package, part)
    if not reader.is_document:
        raise SourceDamagedError(
            f"'{name}' is damaged: its text ('{part}') is missing or broken.", hint="Open it in Word and save it again."
        )
    blocks = reader.blocks()
    properties = core_properties(package)
    leaves = [*cut(blocks), BROKEN] if part in package.broken else cut(blocks)
    if reader.picture_count:
        note = f"{reader.picture_count} picture{'s' if reader.picture_count > 1 else ''}, not read"
        leaves[0] = replace(leaves[0], note=note, verdict=PageVerdict.IMAGE_ONLY)
    heading = Heading(
        page_count=len(leaves),
        title=title_of(properties, blocks, reader.titled),
        authors=properties.authors,
        published=properties.published,
        language=properties.language or reader.language,
        tags=properties.tags,
        media_type=MEDIA_TYPE,
        method="docx",
    )
    return WordDocument(package, part, heading, leaves, properties.written_at)
