"""Marked-up texts of the sample vault in, its PDFs out, the same bytes on every run. Never fetches anything.

Run it after a text under ``resources/sample/text`` was edited::

    python packaging/scripts/make_sample.py           # writes the PDFs beside the texts
    python packaging/scripts/make_sample.py --check   # changes nothing; fails when a PDF is stale

A text starts with a TOML header between two ``+++`` lines. In its body a blank line ends a paragraph, ``# `` starts a
heading, ``!page`` starts a page, ``!figure`` and ``!table`` draw the figure or the ruled table (column widths in
percent), and ``!hidden`` writes white text.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path

import pymupdf

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
AUTHOR = "Trisynapse"
# Fixed, so that nothing of the moment or the machine enters the file. The day is the anniversary of the 1983 metre.
PDF_DATE = "D:20251020120000Z"

PAPER = pymupdf.Rect(0, 0, 499, 709)  # pt, B5 upright
LEFT, RIGHT, TOP, BOTTOM = 60.0, 439.0, 66.0, 640.0  # pt; a measure of about 70 characters
FOOT = 659.0  # pt, the rule above the page number
GUTTER = 20.0  # pt between two columns
BODY, CAPTION, TABLE, HEADING, TITLE, SUBTITLE, FOLIO = 10.8, 9.2, 9.2, 12.2, 17.5, 11.4, 9.0  # pt
LEADING, COLUMN_LEADING = 1.42, 1.3  # line distance over type size; short lines need less
COLUMN_BODY = 10.5  # pt, where there are two columns
TABLE_ROW = 18.5  # pt
INK, ACCENT, QUIET, WHITE = (0.12, 0.12, 0.14), (0.13, 0.27, 0.45), (0.42, 0.42, 0.45), (1.0, 1.0, 1.0)
FACES = {"roman": "tiro", "bold": "tibo", "italic": "tiit"}  # Times look-alikes that PyMuPDF carries
CAPTION_START = re.compile(r"(Figure|Table) \d+\. ")
# A line must not end inside "299,796 ± 4 km/s": an exact search, and a reader, want it in one piece.
UNBREAKABLE = re.compile(r" (?=± )|(?<=±) (?=\d)|(?<=\d) (?=km/s|(?:kilo|milli|micro)?metres|turns)")
GLUE = "\ue000"  # private-use stand-in for a space that may not break; never written


@dataclass(frozen=True, slots=True)
class Header:
    """What a text says about itself before its body."""

    title: str
    subtitle: str
    keywords: str
    columns: int = 1
    rotate: int = 0
    labels: str = ""
    version_2: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One thing to set: a paragraph, heading, figure, table, hidden line or page break."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    shares: tuple[float, ...] = ()


@dataclass(slots=True)
class Sheet:
    """A page being filled, column by column, and the document it belongs to."""

    document: pymupdf.Document
    columns: int
    fonts: Mapping[str, pymupdf.Font]
    page: pymupdf.Page = field(init=False)
    column: int = 0
    column_top: float = TOP
    y: float = TOP

    def __post_init__(self) -> None:
        self.turn_page()

    @property
    def width(self) -> float:
        """Width of the current column [pt]."""
        return (RIGHT - LEFT - GUTTER * (self.columns - 1)) / self.columns

    @property
    def x(self) -> float:
        """Left edge of the current column [pt]."""
        return LEFT + self.column * (self.width + GUTTER)

    def turn_page(self) -> None:
        """Go on at the top of a fresh page."""
        self.page = self.document.new_page(width=PAPER.width, height=PAPER.height)
        for face, font in self.fonts.items():
            self.page.insert_font(fontname=face, fontbuffer=font.buffer)
        self.column, self.column_top, self.y = 0, TOP, TOP

    def need(self, height: float) -> None:
        """Move to the next column or page unless `height` [pt] still fits here."""
        if self.y + height <= BOTTOM:
            return
        if self.column + 1 < self.columns:
            self.column, self.y = self.column + 1, self.column_top
        else:
            self.turn_page()

    def write(self, x: float, text: str, face: str, size: float, colour: tuple[float, ...]) -> None:
        """Set one line with its baseline one type size below the current height."""
        self.page.insert_text((x, self.y + size), text, fontname=face, fontsize=size, color=colour)

    def rule(self, y: float, colour: tuple[float, ...] = ACCENT, width: float = 0.8) -> None:
        """Draw a horizontal line over the full measure."""
        self.page.draw_line((LEFT, y), (RIGHT, y), color=colour, width=width)


def read_text(path: Path) -> tuple[Header, str]:
    """Split one sample text into its header and its body.

    Args:
        path: a file that starts with a TOML header between ``+++`` lines.

    Returns:
        The header, and the body without surrounding blank lines.

    Raises:
        ValueError: the header is missing or not closed.
    """
    parts = path.read_text(encoding="utf-8").split("+++\n", 2)
    if len(parts) != 3:
        raise ValueError(f"'{path.name}' has no header; start it with TOML between two '+++' lines.")
    return Header(**tomllib.loads(parts[1])), parts[2].strip()


def parse(body: str) -> Iterator[Block]:
    """Cut a body into blocks, in reading order."""
    for chunk in re.split(r"\n\s*\n", body):
        first, _, rest = chunk.strip().partition("\n")
        if first.startswith("# "):
            yield Block("heading", first[2:])
        elif first.startswith("!table "):
            rows = tuple(tuple(cell.strip() for cell in line.split("|")) for line in rest.splitlines())
            yield Block("table", rows=rows, shares=tuple(float(share) / 100 for share in first.split()[1:]))
            continue
        elif first.startswith("!"):
            kind, _, text = first[1:].partition(" ")
            yield Block(kind, text)
        else:
            rest = chunk
        for line in rest.strip().splitlines():
            yield Block("caption" if CAPTION_START.match(line) else "paragraph", line)


def wrap(text: str, font: pymupdf.Font, size: float, width: float) -> list[str]:
    """Break a text into lines no wider than `width` [pt]; figures stay with their error and unit."""
    lines = [""]
    for word in UNBREAKABLE.sub(GLUE, text).split(" "):
        word = word.replace(GLUE, " ")
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.text_length(longer, fontsize=size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def set_lines(sheet: Sheet, text: str, face: str, size: float, colour: tuple[float, ...] = INK) -> None:
    """Set a text line by line; never one line alone at the foot of a column or at the top of the next."""
    lines = wrap(text, sheet.fonts[face], size, sheet.width)
    step = size * (LEADING if sheet.columns == 1 else COLUMN_LEADING)
    for index, line in enumerate(lines):
        left = len(lines) - index
        sheet.need(step * 2 if left == 2 or (index == 0 and left > 1) else step)
        sheet.write(sheet.x, line, face, size, colour)
        sheet.y += step


def set_block(sheet: Sheet, block: Block) -> None:
    """Set one block at the current place."""
    match block.kind:
        case "heading":
            sheet.y += 0 if sheet.y == sheet.column_top else 9
            sheet.need(HEADING * 1.6 + BODY * LEADING * 2)  # a heading keeps two lines of its text with it
            set_lines(sheet, block.text, "bold", HEADING, ACCENT)
            sheet.y += 3
        case "paragraph":
            set_lines(sheet, block.text, "roman", BODY if sheet.columns == 1 else COLUMN_BODY)
            sheet.y += 6.5
        case "caption":
            set_lines(sheet, block.text, "italic", CAPTION, QUIET)
            sheet.y += 9
        case "hidden":
            # White on white and still in the text layer: a document may carry words its reader cannot see.
            set_lines(sheet, block.text, "roman", 7.0, WHITE)
        case "page":
            sheet.turn_page()
        case "figure":
            draw_apparatus(sheet)
        case "table":
            draw_table(sheet, block)
        case _:
            raise ValueError(f"'!{block.kind}' is no block. Known: page, figure, table, hidden.")


def draw_table(sheet: Sheet, block: Block) -> None:
    """Draw a table with rules on every side of every cell; the first row is its head."""
    sheet.y += 4
    edges = [LEFT]
    for share in block.shares:
        edges.append(edges[-1] + share * (RIGHT - LEFT))
    top = sheet.y
    for number, row in enumerate(block.rows):
        y = top + number * TABLE_ROW
        if number == 0:
            sheet.page.draw_rect(pymupdf.Rect(LEFT, y, RIGHT, y + TABLE_ROW), color=None, fill=(0.91, 0.94, 0.97))
        sheet.rule(y, QUIET, 0.5)
        sheet.y = y + 3.6
        for cell, left in zip(row, edges, strict=False):
            sheet.write(left + 5, cell, "bold" if number == 0 else "roman", TABLE, INK)
    bottom = top + len(block.rows) * TABLE_ROW
    sheet.rule(bottom, QUIET, 0.5)
    for edge in edges:
        sheet.page.draw_line((edge, top), (edge, bottom), color=QUIET, width=0.5)
    sheet.y = bottom + 9


def draw_apparatus(sheet: Sheet) -> None:
    """Draw Figure 1 as vectors: slit, spinning mirror, fixed concave mirror and the displaced image."""
    height = 178.0  # pt
    sheet.need(height + 60)
    page, top = sheet.page, sheet.y + 4
    page.draw_rect(pymupdf.Rect(LEFT, top, RIGHT, top + height), color=(0.8, 0.82, 0.85), width=0.6)
    slit, mirror, image = (LEFT + 46, top + 118), (LEFT + 215, top + 118), (LEFT + 46, top + 82)
    fixed = (RIGHT - 58, top + 42)
    for start, end, colour, dashes in (
        (slit, mirror, ACCENT, ""),
        (mirror, fixed, ACCENT, ""),
        (mirror, image, (0.75, 0.35, 0.1), "[4 3] 0"),
    ):
        page.draw_line(start, end, color=colour, width=1.2, dashes=dashes)
        draw_arrow(page, start, end, colour)
    page.draw_line((slit[0], slit[1] - 13), (slit[0], slit[1] + 13), color=INK, width=2.4)
    page.draw_line((image[0], image[1] - 9), (image[0], image[1] + 9), color=INK, width=1, dashes="[2 2] 0")
    page.draw_line((mirror[0] - 7, mirror[1] - 20), (mirror[0] + 7, mirror[1] + 20), color=INK, width=3)
    page.draw_circle(mirror, 24, color=QUIET, width=0.5, dashes="[2 2] 0")
    bow = (fixed[0] - 12, fixed[1] - 30), (fixed[0] + 12, fixed[1] - 4), (fixed[0] + 8, fixed[1] + 32)
    page.draw_curve(*bow, color=INK, width=2.6)
    for x, y, text, face in (
        (slit[0] - 26, slit[1] - 4, "S", "bold"),
        (image[0] - 26, image[1] - 9, "S'", "bold"),
        (mirror[0] - 4, mirror[1] + 27, "R", "bold"),
        (fixed[0] + 16, fixed[1] - 7, "M", "bold"),
        (slit[0] - 26, slit[1] + 24, "slit", "italic"),
        (mirror[0] - 34, mirror[1] + 41, "spinning mirror", "italic"),
        (fixed[0] - 32, fixed[1] + 42, "fixed mirror", "italic"),
        (LEFT + 108, top + 79, "returning light", "italic"),
    ):
        sheet.y = y
        sheet.write(x, text, face, 9.6, INK)
    sheet.y = top + height + 7


def draw_arrow(
    page: pymupdf.Page, start: tuple[float, float], end: tuple[float, float], colour: tuple[float, ...]
) -> None:
    """Put an arrow head half-way along a ray, pointing the way the light goes."""
    run = pymupdf.Point(end) - pymupdf.Point(start)
    along = run.unit
    across = pymupdf.Point(-along.y, along.x)
    tip = pymupdf.Point(start) + run * 0.56
    head = [tip - along * 7 + across * 3, tip, tip - along * 7 - across * 3]
    page.draw_polyline(head, color=colour, fill=colour, width=0.6, closePath=True)


def set_title(sheet: Sheet, title: str, subtitle: str) -> None:
    """Set title, subtitle and rule across the full measure at the top of the first page."""
    columns, sheet.columns = sheet.columns, 1
    set_lines(sheet, title, "bold", TITLE, ACCENT)
    sheet.y += 1
    set_lines(sheet, subtitle, "italic", SUBTITLE, QUIET)
    sheet.rule(sheet.y + 6)
    sheet.y += 20
    sheet.columns, sheet.column_top = columns, sheet.y


def number_pages(sheet: Sheet, title: str, front_matter: bool) -> None:
    """Write the page number and the short title at the foot of each page, and set the PDF's page labels."""
    for index, page in enumerate(sheet.document):
        label = ("i" if index == 0 else str(index)) if front_matter else str(index + 1)
        sheet.page, sheet.y = page, FOOT + 5
        sheet.rule(FOOT, QUIET, 0.4)
        sheet.write(LEFT, title.partition(":")[0], "italic", FOLIO, QUIET)
        sheet.write(RIGHT - sheet.fonts["roman"].text_length(label, fontsize=FOLIO), label, "roman", FOLIO, QUIET)
    if front_matter:
        sheet.document.set_page_labels(
            [{"startpage": 0, "style": "r", "firstpagenum": 1}, {"startpage": 1, "style": "D", "firstpagenum": 1}]
        )


def turn_sideways(document: pymupdf.Document) -> None:
    """Store each page lying on its side with a /Rotate of 90, as a scanner does; it still shows upright."""
    for page in document:
        stream = page.get_contents()[0]
        turned = b"q 0 1 -1 0 %d 0 cm\n" % PAPER.height + document.xref_stream(stream) + b"\nQ"
        document.update_stream(stream, turned)
        page.set_mediabox(pymupdf.Rect(0, 0, PAPER.height, PAPER.width))
        page.set_rotation(90)


def render(path: Path, version: int = 1) -> bytes:
    """Make one PDF of the sample from its text.

    Args:
        path: the marked-up text.
        version: 2 swaps the sentence named in the header's ``version_2`` table.

    Returns:
        The PDF's bytes; equal for equal input and PyMuPDF release.

    Raises:
        ValueError: the text is malformed, or the sentence to swap does not occur exactly once.
    """
    header, body = read_text(path)
    if version == 2 and (swap := header.version_2):
        if body.count(swap["old"]) != 1:
            raise ValueError(f"The sentence to swap must occur once in '{path.name}'.")
        body = body.replace(swap["old"], swap["new"])
    document = pymupdf.open()
    sheet = Sheet(document, header.columns, {face: pymupdf.Font(name) for face, name in FACES.items()})
    set_title(sheet, header.title, header.subtitle)
    for block in parse(body):
        set_block(sheet, block)
    number_pages(sheet, header.title, header.labels == "front-matter")
    document.subset_fonts()
    for page in document:
        page.clean_contents()  # one content stream a page instead of one a line
    if header.rotate == 90:
        turn_sideways(document)
    document.set_metadata(
        {
            "title": header.title,
            "author": AUTHOR,
            "subject": header.subtitle,
            "keywords": header.keywords,
            "creator": "make_sample.py",
            "producer": f"PyMuPDF {pymupdf.VersionBind}",
            "creationDate": PDF_DATE,
            "modDate": PDF_DATE,
        }
    )
    # A file's ID is random by default; ours says what the file was made from.
    identity = md5(f"{version} {path.read_text(encoding='utf-8')}".encode(), usedforsecurity=False).hexdigest()
    document.xref_set_key(-1, "ID", f"[<{identity}><{identity}>]")
    return document.tobytes(garbage=4, deflate=True, deflate_fonts=True, no_new_id=True)


def outputs(sample: Path = SAMPLE) -> dict[Path, bytes]:
    """Render every PDF of the sample.

    Args:
        sample: the folder that holds ``text``.

    Returns:
        Path to write -> bytes, six papers first, then their second versions.
    """
    texts = sorted((sample / "text").glob("*.txt"))
    made = {sample / f"{path.stem}.pdf": render(path) for path in texts}
    second = [path for path in texts if read_text(path)[0].version_2]
    return made | {sample / "version-2" / f"{path.stem}.pdf": render(path, version=2) for path in second}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the PDFs, or with ``--check`` only compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Make the PDFs of the sample vault.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a PDF is stale")
    check = parser.parse_args(arguments).check
    stale = [path for path, made in outputs().items() if not path.exists() or path.read_bytes() != made]
    if check:
        for path in stale:
            print(f"stale: {path.name}; run make_sample.py", file=sys.stderr)
        return 1 if stale else 0
    for path, made in outputs().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made)
        print(f"{path.relative_to(SAMPLE)}  {len(made):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
