"""A PDF file in, its pages with text, geometry, sections and verdicts out, or one page as a picture.

This module alone speaks to pymupdf; what it reports goes through ``preprocessing/pdf``. It runs inside a worker that
may be killed at any moment: pymupdf can hang for ever or crash on a hostile file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
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
from trisynapse_memory.preprocessing.pdf.composition import compose
from trisynapse_memory.preprocessing.pdf.glyphs import Span, join_fragments, read_spans
from trisynapse_memory.preprocessing.pdf.structure import Structure
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
_NO_TITLE: Final = re.compile(
    r"untitled|unknown|title|document\d*|microsoft (?:word|powerpoint).*|powerpoint.*|slide ?\d+|presentation\d*|"
    r"\S+\.(?:docx?|tex|dvi|pdf|indd|pptx?|odt|rtf|qxd|fm)|[\W\d_]*",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")


class PdfLoader:
    """Reads PDF files with pymupdf."""

    name = "pdf"
    version = 1
    modality = "document"
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say whether the file starts like a PDF; a name alone is not believed."""
        return 1.0 if _SIGNATURE in head[:HEAD_BYTES] else 0.0

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
            raise SourceDamagedError(
                f"'{name}' starts like a PDF, but is broken beyond reading.", hint="Download it again."
            ) from error
        if document.needs_pass and not (password and document.authenticate(password)):
            document.close()
            said = "the password that was given does not open it" if password else "it needs a password"
            raise PasswordNeededError(f"'{name}' is encrypted, and {said}.", hint="Enter the password to import it.")
        return PdfDocument(document, name, content)


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
            except (
                RuntimeError, ValueError, IndexError, KeyError, TypeError, AttributeError, _pymupdf().mupdf.FzErrorBase
            ):  # fmt: skip
                # pymupdf answers broken objects with whatever its bindings stumble over; all of them mean this page.
                page = self._lost(number), ()
            title = self._structure.largest_text
            if number == 1 and not self.heading.title and not is_garbled(title):
                self.heading = structs.replace(self.heading, title=title)
            yield page

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
        """Yield nothing: a PDF is no container."""
        return iter(())

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if not self._document.is_closed:
            self._document.close()

    def _describe(self) -> Heading:
        stated: dict[str, Any] = self._document.metadata or {}
        title = " ".join(str(stated.get("title") or "").split())
        return Heading(
            page_count=self._count,
            title="" if len(title) < 4 or _NO_TITLE.fullmatch(title) else title,
            authors=_authors(str(stated.get("author") or "")),
            published=_published(str(stated.get("creationDate") or "")),
            language=str(self._document.language or ""),
            media_type=MEDIA_TYPE,
            method="repaired" if self._repaired else "text",
        )

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
        spans = list(read_spans(textpage.extractRAWDICT()))
        box: Box = (0.0, 0.0, float(page.rect.width), float(page.rect.height))
        painting = Painting(box, partial(_survey, page), partial(_fills, page))
        sight = divide_spans(spans, painting)
        composition = compose(join_fragments(drop_twins(sight.seen)))
        sections = self._structure.sections(composition, _height(sight.seen, box), number == 1)
        hidden = _plain(drop_twins(sight.hidden))
        reading = Reading(
            text=composition.text,
            hidden=hidden,
            painting=painting,
            uncertain=composition.uncertain,
            broken_file=self._broken,
            repaired=self._repaired,
            read_errors=_had_errors(pymupdf),
            ocr_layer=sight.ocr_layer,
        )
        return _page(number, str(page.get_label() or ""), reading, composition.layout, rotation), sections


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


def _fills(page: Any) -> Sequence[Fill] | None:
    lengths = (page.parent.xref_get_key(xref, "Length")[1] for xref in page.get_contents())
    if sum(int(length) for length in lengths if length.isdigit()) > MAX_DRAWING_BYTES:
        return None
    fills: list[Fill] = []
    for drawing in page.get_cdrawings():
        colour = drawing.get("fill")
        if colour is not None and (drawing.get("fill_opacity") or 0) > 0.95:
            shapes = [item[1] for item in drawing["items"] if item[0] == "re"]
            if shapes and len(shapes) == len(drawing["items"]):
                large = [shape for shape in shapes if min(shape[2] - shape[0], shape[3] - shape[1]) >= MIN_FILL_PT]
                fills.extend(Fill(tuple(shape), _packed(colour), exact=True) for shape in large)
                continue
        if colour is not None or (drawing.get("width") or 0) > 4:
            fills.append(Fill(tuple(drawing["rect"]), None, exact=False))
    return fills


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


def _authors(stated: str) -> tuple[str, ...]:
    """Names from the metadata; one with digits or an at sign is an account, not a person."""
    names = [" ".join(name.split()) for name in re.split(r"\s*;\s*|\s+and\s+|\s*,\s*(?=\w+\s)", stated)]
    return tuple(name for name in names if 3 <= len(name) <= 80 and not re.search(r"[\d@\\/]", name))


def _published(stated: str) -> str:
    """The creation date as ISO, as far as it is stated and possible."""
    match = _DATE.match(stated)
    if match is None or not 1980 <= int(match[1]) <= 2100:
        return ""
    parts = [match[1]]
    for part, highest in ((match[2], 12), (match[3], 31)):
        if part is None or not 1 <= int(part) <= highest:
            break
        parts.append(part)
    return "-".join(parts)
