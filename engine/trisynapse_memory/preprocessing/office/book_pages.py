"""An open book in, its chapters as pages out; a chapter is read when its page is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import SourceDamagedError, SourceError
from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.markup import read_blocks
from trisynapse_memory.preprocessing.office.books import Book, Chapter, chapter_tree
from trisynapse_memory.preprocessing.office.leaves import HIDDEN, LEAF_CHARS, Leaf, cut, write_leaf
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.pictures import draw_pictures, linked_pictures
from trisynapse_memory.preprocessing.office.xml import below
from trisynapse_memory.preprocessing.visibility import take_hidden
from trisynapse_memory.types import Heading, Listing, Locator, Page, PageVerdict, Section

MEDIA_TYPE: Final = "application/epub+zip"
_CHAPTER: Final = Locator(kind="section")  # the number of a chapter is nothing a reader would cite
_LONG_BYTES: Final = 4 * LEAF_CHARS  # of markup; a longer chapter is cut, a shorter one is a page


class BookPages:
    """A book that is open; a chapter is read when its page is asked for."""

    def __init__(self, package: Package, book: Book) -> None:
        self._package = package
        self._book = book
        self._counts = [self._count(chapter) for chapter in book.chapters]
        self.heading = Heading(
            page_count=sum(self._counts),
            title=book.properties.title,
            authors=book.properties.authors,
            published=book.published,
            language=book.properties.language,
            tags=book.properties.tags,
            media_type=MEDIA_TYPE,
            method="epub",
            identifiers=book.identifiers,
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones."""
        number = 0
        for chapter, count in zip(self._book.chapters, self._counts, strict=True):
            if number + count < start:
                number += count
                continue
            for page, sections in self._pages_of(chapter, number, count):
                number += 1
                if number >= start:
                    yield page, sections

    def draw(self, number: int, side: int) -> bytes:
        """Return the pictures of a page as one PNG, its longer side at most ``side`` pixels.

        Raises:
            SourceDamagedError: there is no such page, or none of its pictures can be decoded.
        """
        last = 0
        for chapter, count in zip(self._book.chapters, self._counts, strict=True):
            last += count
            if 1 <= number <= last:
                root = chapter_tree(self._package, chapter.part)
                return draw_pictures(self._package, linked_pictures(chapter.part, root), side)
        raise SourceDamagedError(f"There is no page {number} in '{self._package.name}'.")

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a book contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Let go of the file."""
        self._package.close()

    def _count(self, chapter: Chapter) -> int:
        """How many pages a chapter takes; long ones have to be read for that."""
        if self._package.size(chapter.part) <= _LONG_BYTES:
            return 1
        try:
            return len(cut(self._blocks(chapter)[0] or []))
        except SourceError:
            return 1

    def _pages_of(self, chapter: Chapter, before: int, count: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        label = chapter.title
        try:
            blocks, picture_count = self._blocks(chapter)
        except SourceError as error:
            yield Page(number=before + 1, text="", verdict=PageVerdict.DAMAGED, label=label, note=error.problem), ()
            return
        if blocks is None:
            note = "this chapter is missing or broken in the file"
            yield Page(number=before + 1, text="", verdict=PageVerdict.DAMAGED, label=label, note=note), ()
            return
        above = tuple((0, title) for title in _path(chapter, blocks))
        leaves = cut(blocks, label, above) if count > 1 else [Leaf(tuple(blocks), label, above=above)]
        for place, leaf in enumerate(leaves, 1):
            page, sections = write_leaf(leaf, before + place, "epub", self._book.properties.written_at)
            if not page.text and picture_count:
                page = _picture_page(page, picture_count)
            yield page, sections

    def _blocks(self, chapter: Chapter) -> tuple[list[Block] | None, int]:
        root = chapter_tree(self._package, chapter.part)
        if root is None:
            return None, 0
        picture_count = sum(1 for _ in below(root, "img", "image"))
        hidden = take_hidden(root)
        body = root.find("body")
        blocks = read_blocks(body if body is not None else root)
        if chapter.is_contents:
            hidden = ""  # lists of pages for the reading program
            blocks = [Block(block.text, "margin") for block in blocks]
        placed = [replace(block, locator=block.locator or _CHAPTER) for block in blocks]
        return [*placed, *([Block(hidden, HIDDEN)] if hidden else [])], picture_count


def _path(chapter: Chapter, blocks: list[Block]) -> tuple[str, ...]:
    """The titles over a chapter, and its own where its text does not say it."""
    shown = any(block.level for block in blocks[:5])
    return chapter.path if shown or not chapter.title else (*chapter.path, chapter.title)


def _picture_page(page: Page, count: int) -> Page:
    note = f"{count} picture{'s' if count > 1 else ''} and no words"
    return structs.replace(page, verdict=PageVerdict.IMAGE_ONLY, note=note)
