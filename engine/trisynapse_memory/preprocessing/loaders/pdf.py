"""A PDF file in, its pages with text, geometry, sections and verdicts out, or one page as a picture.

This module alone speaks to pymupdf; what it reports goes through ``preprocessing/pdf``. It runs inside a worker that
may be killed at any moment: pymupdf can hang for ever or crash on a hostile file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from trisynapse_memory.errors import (
    PasswordNeededError,
    SourceDamagedError,
    SourceDeniedError,
    SourceEmptyError,
    SourceMissingError,
)
from trisynapse_memory.preprocessing.pdf import annotations as marks
from trisynapse_memory.preprocessing.pdf.asides import annotations_on, attachments_in, outline_of, stated_in
from trisynapse_memory.preprocessing.pdf.attachments import list_attachments
from trisynapse_memory.preprocessing.pdf.composition import Composition, compose
from trisynapse_memory.preprocessing.pdf.glyphs import Span, join_fragments, read_spans
from trisynapse_memory.preprocessing.pdf.metadata import (
    UNCONFIRMED_FLAG,
    Checked,
    FrontPage,
    check_stated,
)
from trisynapse_memory.preprocessing.pdf.regions import with_regions
from trisynapse_memory.preprocessing.pdf.rules import read_rules
from trisynapse_memory.preprocessing.pdf.structure import MARGIN_KIND, Structure
from trisynapse_memory.preprocessing.pdf.twins import drop_twins
from trisynapse_memory.preprocessing.pdf.verdicts import Reading, is_garbled, judge
from trisynapse_memory.preprocessing.pdf.visibility import Box, Fill, Painting, Survey, divide_spans
from trisynapse_memory.types import Heading, Listing, Page, PageVerdict, Section

MEDIA_TYPE: Final = "application/pdf"
HEAD_BYTES: Final = 1024
"""Where the signature may stand: Acrobat accepts rubbish before it within the first 1024 bytes."""
MAX_STATED_PAGES: Final = 100_000  # a broken page tree may state any number
MAX_DRAWING_BYTES: Final = 400_000  # compressed; a map or a plot with more is not searched for backgrounds
MIN_FILL_PT: Final = 3.0  # points; what is thinner is a rule, and nothing stands on it

_SIGNATURE: Final = b"%PDF-"
_STATED_COUNT: Final = re.compile(
    rb"/Type\s*/Pages\b[^>]{0,4000}?/Count\s+(\d{1,9})|/Count\s+(\d{1,9})[^>]{0,4000}?/Type\s*/Pages\b"
)
_PAGE_OBJECT: Final = re.compile(rb"/Type\s*/Page\b(?!s)")
_READ_ERROR: Final = re.compile(
    r"zlib error|premature end|unexpected end|cannot (?:find|load|read) (?:object|page)|truncated|corrupt|"
    r"ignoring.*(?:error|broken)|object out of range|cycle in page tree",
    re.IGNORECASE,
)


class PdfLoader:
    """Reads PDF files with pymupdf."""

    name = "pdf"
    version = 2
    modality = "document"
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say whether the file starts like a PDF; a name alone is not believed."""
        if head.lstrip().startswith(_SIGNATURE):
            return 1.0
        # Behind other bytes it may lie in an archive or a mail as well, which know better; a name settles it.
        behind = 0.95 if filename.lower().endswith(".pdf") else 0.4
        return behind if _SIGNATURE in head[:HEAD_BYTES] else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> PdfDocument:
        """Open a PDF.

        Raises:
            SourceMissingError, SourceDeniedError: the file cannot be read.
            SourceEmptyError: it has no bytes.
            SourceDamagedError: it is no PDF, or is broken beyond reading.
            PasswordNeededError: it is encrypted, and the password is missing or wrong.
        """
        name = filename or path.name
        content = _read_file(path, name)
        pymupdf = _pymupdf()
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        try:
            document = pymupdf.open(str(path), filetype="pdf")
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
            raise _broken(name) from error
        if document.needs_pass and not (password and document.authenticate(password)):
            document.close()
            said = "the password that was given does not open it" if password else "it needs a password"
            raise PasswordNeededError(f"'{name}' is encrypted, and {said}.", hint="Enter the password to import it.")
        try:
            return PdfDocument(document, name, content)
        except _faults() as error:
            raise _broken(name) from error


class PdfDocument:
    """An open PDF; ``heading`` gets its title from page 1, once that was read, where the metadata has none."""

    def __init__(self, document: Any, filename: str, content: bytes) -> None:
        self._document = document
        self._structure = Structure()
        self._opened_count = int(document.page_count)
        self._repaired = bool(document.is_repaired)
        self._broken = self._repaired or b"%%EOF" not in content[-4096:]
        self._count = max(self._opened_count, _stated_count(content)) if self._broken else self._opened_count
        if self._count == 0:
            raise SourceDamagedError(f"'{filename}' is a PDF without pages.", hint="Download it again.")
        self._stated = stated_in(document, _faults())
        self._outline = outline_of(document, self._stated.title, _faults())
        self.heading = self._describe()

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield every page from ``start`` on; a page that cannot be read is yielded with its verdict."""
        self._structure = Structure()  # headings and running heads are learned on the way, anew for each reading
        for number in range(start, self._count + 1):
            if number > self._opened_count:
                yield self._lost(number), ()
                continue
            try:
                page = self._read(number)
            except _faults():
                page = self._lost(number), ()
            yield self._checked(*page) if number == 1 else page

    def draw(self, number: int, side: int) -> bytes:
        """Return a page as a PNG, as a reader sees it; its longer side has ``side`` pixels.

        Raises:
            SourceDamagedError: the file has no such page, or it cannot be drawn.
        """
        pymupdf = _pymupdf()
        try:
            page = self._document[number - 1]
            scale = side / max(page.rect.width, page.rect.height)
            picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
            return bytes(picture.tobytes("png"))
        except (RuntimeError, ValueError, IndexError, TypeError, ArithmeticError, pymupdf.mupdf.FzErrorBase) as error:
            raise SourceDamagedError(f"Page {number} cannot be drawn.") from error

    def members(self) -> Iterator[Listing]:
        """Yield the files that lie inside the PDF."""
        return list_attachments(attachments_in(self._document, _faults()))

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if not self._document.is_closed:
            self._document.close()

    def _describe(self) -> Heading:
        return Heading(
            page_count=self._count,
            title=self._stated.title,
            authors=self._stated.authors,
            published=self._stated.published,
            language=str(self._document.language or ""),
            media_type=MEDIA_TYPE,
            method="repaired" if self._repaired else "text",
        )

    def _checked(self, page: Page, sections: tuple[Section, ...]) -> tuple[Page, tuple[Section, ...]]:
        """Hold what the file states of itself against page 1, and say there what it does not bear out."""
        largest, text = self._structure.largest_text, page.text
        edge = [text[section.start : section.end] for section in sections if section.kind == MARGIN_KIND]
        front = FrontPage(text, "" if is_garbled(largest) else largest, self._structure.masthead, "\n".join(edge))
        checked = check_stated(self._stated, front) if not is_garbled(text) else Checked.unseen(self._stated)
        self.heading = structs.replace(
            self.heading,
            title=checked.title,
            authors=checked.authors,
            published=checked.published,
            identifiers=checked.identifiers,
        )
        if checked.doubt:
            note = " ".join(part for part in (page.note, checked.doubt) if part)
            page = structs.replace(page, flags=(*page.flags, UNCONFIRMED_FLAG), note=note)
        return page, sections

    def _lost(self, number: int) -> Page:
        return Page(
            number=number,
            text="",
            verdict=PageVerdict.DAMAGED,
            flags=("repaired",) if self._repaired else (),
            note=f"The file is damaged: {self._opened_count} of {self._count} pages could be opened.",
        )

    def _read(self, number: int) -> tuple[Page, tuple[Section, ...]]:
        pymupdf = _pymupdf()
        pymupdf.TOOLS.reset_mupdf_warnings()
        page = self._document[number - 1]
        rotation = int(page.rotation)
        # Everything below is told in the unrotated crop box; pymupdf's own calls turn the page back and forth.
        page.set_rotation(0)
        flags = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE
        # Without a clip text off the page would be lost instead of told (case R12).
        textpage = page.get_textpage(flags=flags, clip=pymupdf.INFINITE_RECT())
        box: Box = (0.0, 0.0, float(page.rect.width), float(page.rect.height))
        notes = annotations_on(page)
        spans = marks.without_written_over(list(read_spans(textpage.extractRAWDICT())), notes)
        drawn = _Drawn(page)
        painting = Painting(box, partial(_survey, page), partial(_fills, drawn))
        sight = divide_spans(spans, painting)
        composition = compose(join_fragments(drop_twins(sight.seen)), read_rules(drawn.shapes or (), box))
        sections = self._sections(number, composition, _height(sight.seen, box))
        sections = with_regions(composition.text, sections, composition.blocks, partial(_parts, painting, drawn), box)
        reading = Reading(
            text=composition.text,
            hidden=_plain(drop_twins(sight.hidden)),
            painting=painting,
            uncertain=composition.uncertain,
            broken_file=self._broken,
            repaired=self._repaired,
            read_errors=_had_errors(pymupdf),
            ocr_layer=sight.ocr_layer,
        )
        read = _page(number, str(page.get_label() or ""), reading, composition.layout, rotation)
        return _with_marks(read, marks.tell_annotations(notes, read.text, read.layout)), sections

    def _sections(self, number: int, composition: Composition, height: tuple[float, float]) -> tuple[Section, ...]:
        return self._structure.sections(composition, height, number == 1, self._outline.get(number, ()))


def _with_marks(page: Page, told: str) -> Page:
    """List what readers left on a page beside what a reader cannot see on it: neither is its text."""
    if not told:
        return page
    hidden = f"{page.hidden_text}\n\n{told}".strip()
    return structs.replace(page, hidden_text=hidden, flags=(*page.flags, marks.FLAG))


def _page(number: int, label: str, reading: Reading, layout: bytes, rotation: int) -> Page:
    box = reading.painting.page
    judgement = judge(reading)
    return Page(
        number=number,
        text=reading.text,
        verdict=judgement.verdict,
        label=label,
        flags=judgement.flags,
        method="ocr-layer" if reading.ocr_layer else "text",
        note=judgement.note,
        width=round(box[2], 3),
        height=round(box[3], 3),
        rotation=rotation,
        hidden_text=reading.hidden,
        layout=layout,
    )


def _pymupdf() -> Any:
    """The library, imported at first use; it ships no types."""
    import pymupdf

    return pymupdf


def _broken(name: str) -> SourceDamagedError:
    return SourceDamagedError(f"'{name}' starts like a PDF, but is broken beyond reading.", hint="Download it again.")


def _faults() -> tuple[type[Exception], ...]:
    """What pymupdf answers broken objects with: whatever its bindings stumble over."""
    named = (RuntimeError, ValueError, IndexError, KeyError, TypeError, AttributeError)
    return (*named, _pymupdf().mupdf.FzErrorBase)


def _read_file(path: Path, name: str) -> bytes:
    """Read the bytes once, to tell apart what pymupdf reports as one error, or not at all (case R8)."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise SourceMissingError(f"There is no file '{name}'.") from error
    except OSError as error:
        raise SourceDeniedError(f"'{name}' cannot be read.", hint="Check its permissions.") from error
    if not content:
        raise SourceEmptyError(f"'{name}' is empty: it has no bytes.", hint="Download it again.")
    if _SIGNATURE not in content[:HEAD_BYTES]:
        found = "text" if b"\x00" not in content[:HEAD_BYTES] else "other data"
        raise SourceDamagedError(
            f"'{name}' is named .pdf but holds {found}.", hint="Download it again, or rename it to what it is."
        )
    return content


def _stated_count(content: bytes) -> int:
    """How many pages the raw bytes speak of, whatever could be opened."""
    stated = [int(one or other) for one, other in _STATED_COUNT.findall(content)]
    count = max([*stated, sum(1 for _ in _PAGE_OBJECT.finditer(content))])
    return count if count <= MAX_STATED_PAGES else 0


def _had_errors(pymupdf_module: Any) -> bool:
    return _READ_ERROR.search(pymupdf_module.TOOLS.mupdf_warnings()) is not None


def _survey(page: Any) -> Survey:
    images: list[Box] = []
    path_count = text_count = 0
    for kind, rectangle in page.get_bboxlog():
        if kind in ("fill-image", "fill-imgmask", "fill-shade"):
            images.append(tuple(rectangle))
        elif kind in ("fill-path", "stroke-path"):
            path_count += 1
        elif kind.endswith("text"):
            text_count += 1
    return Survey(tuple(images), path_count, text_count)


class _Drawn:
    """The shapes drawn on a page, asked for once; ``None`` where there are too many to look at."""

    def __init__(self, page: Any) -> None:
        self._page = page

    @cached_property
    def shapes(self) -> Sequence[Mapping[str, Any]] | None:
        """What pymupdf lists."""
        page = self._page
        lengths = (page.parent.xref_get_key(xref, "Length")[1] for xref in page.get_contents())
        if sum(int(length) for length in lengths if length.isdigit()) > MAX_DRAWING_BYTES:
            return None
        return page.get_cdrawings()


def _parts(painting: Painting, drawn: _Drawn) -> Sequence[Box]:
    """The boxes of the pictures and shapes of a page: what a figure can be made of."""
    return [*painting.survey.images, *(tuple(shape["rect"]) for shape in drawn.shapes or ())]


def _fills(drawn: _Drawn) -> Sequence[Fill] | None:
    if drawn.shapes is None:
        return None
    fills: list[Fill] = []
    for drawing in drawn.shapes:
        colour = drawing.get("fill")
        if colour is not None and (drawing.get("fill_opacity") or 0) > 0.95:
            shapes: list[Box] = [item[1] for item in drawing["items"] if item[0] == "re"]
            if shapes and len(shapes) == len(drawing["items"]):
                if _has_hole(drawing):
                    shapes = _strips(*shapes)
                large = [shape for shape in shapes if min(shape[2] - shape[0], shape[3] - shape[1]) >= MIN_FILL_PT]
                fills.extend(Fill(shape, _packed(colour), exact=True) for shape in large)
                continue
        if colour is not None or (drawing.get("width") or 0) > 4:
            fills.append(Fill(tuple(drawing["rect"]), None, exact=False))
    return fills


def _has_hole(drawing: Mapping[str, Any]) -> bool:
    """Whether two boxes of one drawing are a frame: the second lies in the first and leaves it unpainted."""
    if len(drawing["items"]) != 2:
        return False
    (_, outer, one), (_, inner, other) = drawing["items"]
    inside = outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
    return inside and (bool(drawing.get("even_odd")) or one != other)


def _strips(outer: Box, inner: Box) -> list[Box]:
    """The four sides of a frame."""
    (x0, y0, x1, y1), (left, top, right, bottom) = outer, inner
    return [(x0, y0, x1, top), (x0, bottom, x1, y1), (x0, y0, left, y1), (right, y0, x1, y1)]


def _packed(colour: Sequence[float]) -> int:
    red, green, blue = (round(255 * channel) for channel in colour)
    return red << 16 | green << 8 | blue


def _height(spans: Sequence[Span], box: Box) -> tuple[float, float]:
    """Top and bottom of the page in the frame most of its text stands in."""
    if not spans:
        return box[1], box[3]
    counts: dict[Any, int] = {}
    for span in spans:
        counts[span.frame] = counts.get(span.frame, 0) + len(span.text)
    frame = max(counts, key=lambda each: counts[each])
    corners = [(box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3])]
    heights = [frame.place(x, y)[1] for x, y in corners]
    return min(heights), max(heights)


def _plain(spans: Sequence[Span]) -> str:
    """Hidden text in stream order, one line per span: nobody reads it, so no order is claimed."""
    lines = (span.text.strip() for span in spans)
    return "\n".join(line for line in lines if line)
