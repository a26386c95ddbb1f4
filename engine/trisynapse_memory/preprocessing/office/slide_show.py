"""An open presentation package in, the show out: a page for each slide, read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trisynapse_memory.errors import SourceDamagedError, SourceError
from trisynapse_memory.preprocessing.office.embedded import embedded_files
from trisynapse_memory.preprocessing.office.leaves import Leaf, write_leaf
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.pictures import draw_pictures
from trisynapse_memory.preprocessing.office.properties import Properties, core_properties, title_of
from trisynapse_memory.preprocessing.office.slides import SlideReader
from trisynapse_memory.preprocessing.office.xml import child, children
from trisynapse_memory.types import Heading, Listing, Page, PageVerdict, Section

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class SlideShow:
    """A presentation that is open; a slide is read when its page is asked for."""

    def __init__(self, package: Package, name: str) -> None:
        self._package = package
        main = package.main_part("ppt/presentation.xml")
        self._parts = _slide_parts(package, main)
        if not self._parts:
            raise SourceDamagedError(
                f"'{name}' is damaged: it holds no slides.", hint="Open it in PowerPoint and save it again."
            )
        self._properties = core_properties(package)
        self.heading = Heading(
            page_count=len(self._parts),
            title=self._title(self._properties),
            authors=self._properties.authors,
            published=self._properties.published,
            language=self._properties.language,
            tags=self._properties.tags,
            media_type=MEDIA_TYPE,
            method="pptx",
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield slide ``start`` and the following ones."""
        for number in range(max(1, start), len(self._parts) + 1):
            yield self._page(number)

    def draw(self, number: int, side: int) -> bytes:
        """Return the pictures of slide ``number`` (from 1) as one PNG, its longer side at most ``side`` pixels.

        Raises:
            SourceDamagedError: there is no such slide, or none of its pictures can be decoded.
        """
        if not 1 <= number <= len(self._parts):
            raise SourceDamagedError(f"There is no slide {number} in '{self._package.name}'.")
        reader = SlideReader(self._package, self._parts[number - 1], number)
        return draw_pictures(self._package, reader.pictures(), side)

    def members(self) -> Iterator[Listing]:
        """Yield the files that are embedded in slides."""
        yield from embedded_files(self._package, *self._parts)

    def close(self) -> None:
        """Let go of the file."""
        self._package.close()

    def _page(self, number: int) -> tuple[Page, tuple[Section, ...]]:
        label = f"Slide {number}"
        try:
            reader = SlideReader(self._package, self._parts[number - 1], number)
            blocks = tuple(reader.blocks())
        except SourceError as error:
            return Page(number=number, text="", verdict=PageVerdict.DAMAGED, label=label, note=error.problem), ()
        if not reader.is_readable:
            note = "this slide is missing or broken in the file"
            return Page(number=number, text="", verdict=PageVerdict.DAMAGED, label=label, method="pptx", note=note), ()
        notes = ["this slide is hidden when the show runs"] if reader.is_hidden else []
        if reader.picture_count:
            notes.append(f"{reader.picture_count} picture{'s' if reader.picture_count > 1 else ''}, not read")
        if self._parts[number - 1] in self._package.broken:
            notes.append("its text breaks off: the rest is broken in the file")
        flags = ("hidden-slide",) if reader.is_hidden else ()
        verdict = PageVerdict.IMAGE_ONLY if reader.picture_count else PageVerdict.EMPTY
        leaf = Leaf(blocks, label, flags, "; ".join(notes), verdict=verdict)
        return write_leaf(leaf, number, "pptx", self._properties.written_at)

    def _title(self, properties: Properties) -> str:
        """The title as the file states it, or that of the first slide."""
        try:
            blocks = SlideReader(self._package, self._parts[0], 1).blocks()
        except SourceError:
            return properties.title
        return title_of(properties, blocks, next((block.text for block in blocks if block.level), ""))


def _slide_parts(package: Package, main: str) -> list[str]:
    """The parts of all slides in the order of the show; by their names where the list of slides is broken."""
    relations = package.relations(main)
    listed = children(child(package.xml(main), "sldIdLst"), "sldId")
    # A slide id has two attributes called "id"; the one that leads somewhere is in a namespace.
    idents = [next((value for key, value in one.attrib.items() if key.endswith("}id")), "") for one in listed]
    parts = [arrow.target for ident in idents if (arrow := relations.get(ident)) is not None and not arrow.is_external]
    if parts:
        return parts
    found = [name for key, name in package.names.items() if key.startswith("ppt/slides/slide") and key.endswith(".xml")]
    return sorted(found, key=lambda part: (len(part), part))
