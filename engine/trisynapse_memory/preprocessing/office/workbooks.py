"""A workbook file in, its sheets as pages out, and what is written beside the cells; no formula is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import (
    SourceEmptyError,
    SourceError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.office.cell_sheets import CellSheets, open_cells
from trisynapse_memory.preprocessing.office.compound import COMPOUND, COMPOUND_KINDS, compound_kinds
from trisynapse_memory.preprocessing.office.packages import ZIP, Package, open_package, read_head
from trisynapse_memory.preprocessing.office.properties import Properties, core_properties, odf_properties, title_of
from trisynapse_memory.preprocessing.office.sheet_marks import (
    AREA_MAX,
    SheetMarks,
    sheet_marks,
    sheet_parts,
    sheet_remarks,
)
from trisynapse_memory.preprocessing.office.sheets import Plan, SheetPage, SheetReader, plan
from trisynapse_memory.types import Heading, Listing, Locator, Page, PageVerdict, Section

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MEDIA_TYPE_ODS: Final = "application/vnd.oasis.opendocument.spreadsheet"
MEDIA_TYPE_OLD: Final = "application/vnd.ms-excel"
_COUNTED_BYTES: Final = 16 * 1024**2  # of the XML of all sheets; counting that takes about a second


def open_workbook(path: Path, name: str, password: str | None = None) -> Workbook:
    """Open a workbook of any format.

    Args:
        path: the file.
        name: what messages call it.
        password: opens one that is encrypted.

    Raises:
        PasswordNeededError: it is encrypted, and the password is missing or wrong.
        SourceUnsupportedError: it is no workbook.
        SourceDamagedError, SourceTooLargeError: it cannot be read.
        SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
    """
    head = read_head(path, name)
    package = None
    if head.startswith(COMPOUND):
        if _is_locked(path, name):
            package = open_package(path, name, "workbook", password)
    elif head.startswith(ZIP):
        package = open_package(path, name, "workbook")
    else:
        raise SourceUnsupportedError(f"'{name}' is no workbook.", hint="Open it with the program it is from.")
    try:
        return Workbook(open_cells(path, name, password), package, name)
    except SourceError:
        if package is not None:
            package.close()
        raise


def _is_locked(path: Path, name: str) -> bool:
    """Whether a file in the older container of Office is an encrypted package; else it must be a workbook."""
    kinds = compound_kinds(path)
    if "encrypted" in kinds:
        return True
    if kinds and "sheet" not in kinds:
        what, hint = COMPOUND_KINDS[kinds[0]]
        raise SourceUnsupportedError(f"'{name}' is {what}.", hint=hint)
    return False


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One sheet: its name, its part, what is hidden of it, how it is cut; ``refusal`` says why it is not read.

    ``made`` is None until the sheet is looked at.
    """

    name: str
    part: str
    is_hidden: bool = False
    marks: SheetMarks = field(default_factory=SheetMarks)
    made: Plan | None = None
    refusal: str = ""

    @property
    def page_count(self) -> int:
        """How many pages the sheet has, as far as is known."""
        return self.made.page_count if self.made else 1


class Workbook:
    """A workbook that is open.

    A sheet is counted before it is read, so that its pages are known. Small workbooks are counted when they are opened,
    the sheets of large ones when their turn comes: then ``heading`` changes.
    """

    def __init__(self, cells: CellSheets, package: Package | None, name: str) -> None:
        self._cells = cells
        self._package = package
        parts = sheet_parts(package) if package is not None else {}
        self._sheets = [_Sheet(sheet, parts.get(sheet, ""), hidden) for sheet, hidden in cells.names()]
        if not self._sheets:
            raise SourceEmptyError(f"'{name}' holds no sheet.", hint="Save it again.")
        properties, media_type = _stated(package)
        self.heading = Heading(
            page_count=len(self._sheets),
            title=title_of(properties, ()),
            authors=properties.authors,
            published=properties.published,
            language=properties.language,
            tags=properties.tags,
            media_type=media_type,
            method="cells",
        )
        self._said_at = properties.written_at
        parts_bytes = sum(package.size(sheet.part) for sheet in self._sheets) if package is not None else 0
        if parts_bytes <= _COUNTED_BYTES:
            for place in range(len(self._sheets)):
                self._look_at(place)

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; earlier pages of its sheet are read for its headers."""
        number = 0
        for place in range(len(self._sheets)):
            self._look_at(place)
            sheet = self._sheets[place]
            if number + sheet.page_count < start:
                number += sheet.page_count
                continue
            for page, sections in self._pages_of(sheet, number):
                number += 1
                if number >= start:
                    yield page, sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: embedded files of workbooks are not read."""
        yield from ()

    def close(self) -> None:
        """Let go of the file; twice does no harm."""
        self._cells.close()
        if self._package is not None:
            self._package.close()

    def _look_at(self, place: int) -> None:
        """Find out how many pages a sheet has; once."""
        sheet = self._sheets[place]
        if sheet.made is not None:
            return
        self._sheets[place] = self._counted(sheet)
        self.heading = structs.replace(self.heading, page_count=sum(one.page_count for one in self._sheets))

    def _counted(self, sheet: _Sheet) -> _Sheet:
        marks = sheet_marks(self._package, sheet.part) if sheet.part and self._package is not None else SheetMarks()
        if marks.area > AREA_MAX:
            refusal = f"its cells span {marks.area:,} places; delete the cells far outside and save it again"
            return replace(sheet, marks=marks, made=Plan(), refusal=refusal)
        if self._cells.rows(sheet.name) is None:
            return replace(sheet, marks=marks, made=Plan(), refusal="this sheet cannot be read; it may be a chart")
        return replace(sheet, marks=marks, made=plan(self._cells.counts(sheet.name)))

    def _pages_of(self, sheet: _Sheet, before: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        rows = None if sheet.refusal else self._cells.rows(sheet.name)
        if rows is None or sheet.made is None:
            verdict = PageVerdict.UNSUPPORTED
            note = sheet.refusal
            yield Page(number=before + 1, text="", verdict=verdict, label=sheet.name, method="cells", note=note), ()
            return
        reader = SheetReader(sheet.name, sheet.made, sheet.marks)
        for place, made in enumerate(reader.pages(rows), 1):
            if place == sheet.page_count:
                self._add_remarks(made, sheet)
            yield self._page(before + place, made, sheet)

    def _add_remarks(self, made: SheetPage, sheet: _Sheet) -> None:
        """Comments and text boxes stand beside the cells: under the last of them."""
        if self._package is None or not sheet.part:
            return
        for remark in sheet_remarks(self._package, sheet.part):
            locator = Locator(kind="row", sheet=sheet.name, row=remark.row)
            fields = {"note": f"comment on {remark.cell}"} if remark.cell else {}
            section = Section(
                start=0,
                end=len(remark.words),
                kind="margin" if remark.cell else "body",
                fields=fields,
                locator=locator,
            )
            made.text.add(remark.words, (section,), (sheet.name,))

    def _page(self, number: int, made: SheetPage, sheet: _Sheet) -> tuple[Page, tuple[Section, ...]]:
        text = "".join(made.text.parts)
        hidden = "\n".join(made.hidden)
        flags: list[str] = []
        notes: list[str] = []
        if sheet.is_hidden:
            text, hidden = "", "\n".join(filter(None, (text, hidden)))
            flags.append("hidden-sheet")
            notes.append("this sheet is hidden; its words are kept apart")
        elif hidden:
            notes.append("hidden rows or columns are kept apart")
        if sheet.marks.is_filtered and sheet.marks.hidden_rows:
            flags.append("filtered-rows")
            notes.append("rows that a filter hides are read too")
        if not text and not hidden:
            notes.append("no cell holds a word")
        several = sheet.page_count > 1 and made.first
        page = Page(
            number=number,
            text=text,
            verdict=PageVerdict.OK if text else PageVerdict.EMPTY,
            label=f"{sheet.name}, rows {made.first}\u2013{made.last}" if several else sheet.name,
            flags=(*(("hidden-text",) if hidden else ()), *flags),
            method="cells",
            note="; ".join(notes),
            hidden_text=hidden,
        )
        sections = tuple(structs.replace(one, observed_at=self._said_at) for one in made.text.sections)
        return page, sections if text else ()


def _stated(package: Package | None) -> tuple[Properties, str]:
    """What the file says of itself, and its media type."""
    if package is None:
        return Properties(), MEDIA_TYPE_OLD
    if package.has("mimetype"):
        return odf_properties(package), MEDIA_TYPE_ODS
    return core_properties(package), MEDIA_TYPE
