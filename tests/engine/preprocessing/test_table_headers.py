"""A table whose corner is empty: in every format its headers keep their columns, as they are searched and shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import odfdo
import pptx
import pytest
from pptx.util import Inches

from trisynapse_memory.preprocessing.blocks import CELL_JOINT, header_line, table_block
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, choose_loader
from trisynapse_memory.registry import Registry

ROWS = (("", "Paris", "Berlin"), ("Turns", "800", "640"), ("Distance", "20 m", "35 m"))


def in_markdown(path: Path) -> None:
    head, *rows = ("| " + " | ".join(row) + " |" for row in ROWS)
    path.write_text("# Mirrors\n\nTwo of them.\n\n" + "\n".join((head, "|---|---|---|", *rows)) + "\n")


def in_html(path: Path) -> None:
    cells = (
        "".join(f"<{tag}>{cell}</{tag}>" for cell in row) for tag, row in zip(("th", "td", "td"), ROWS, strict=True)
    )
    words = "".join(
        f"<p>Paragraph {n} says at length how a turning mirror measures the speed of light.</p>" for n in range(9)
    )
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    path.write_text(f"<html><body><article><h1>Mirrors</h1>{words}<table>{table}</table></article></body></html>")


def in_docx(path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for line, row in zip(table.rows, ROWS, strict=True):
        for cell, text in zip(line.cells, row, strict=True):
            cell.text = text
    document.save(str(path))


def in_pptx(path: Path) -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(6), Inches(2)).table
    for place, row in enumerate(ROWS):
        for column, text in enumerate(row):
            table.cell(place, column).text = text
    show.save(str(path))


def in_odt(path: Path) -> None:
    document = odfdo.Document("text")
    table = odfdo.Table("Mirrors")
    for row in ROWS:
        table.append_row(odfdo.Row(width=0))
        made = odfdo.Row()
        for text in row:
            made.append_cell(odfdo.Cell(text=text, cell_type="string"))
        table.append_row(made)
    document.body.append(table)
    document.save(str(path))


def in_rst(path: Path) -> None:
    path.write_text(
        "Mirrors\n=======\n\n.. list-table::\n   :header-rows: 1\n\n"
        + "".join("   * - " + "\n     - ".join(row) + "\n" for row in ROWS)
    )


def in_csv(path: Path) -> None:
    path.write_text("\n".join(",".join(row) for row in ROWS) + "\n")


WRITERS = {
    "md": in_markdown, "html": in_html, "docx": in_docx, "pptx": in_pptx, "odt": in_odt, "rst": in_rst, "csv": in_csv
}  # fmt: skip


def tables(path: Path) -> list[Any]:
    registry = Registry()
    loader = registry.load("loader", choose_loader(path.read_bytes()[:HEAD_BYTES], path.name, registry))()
    document = loader.open(path)
    try:
        return [one for _, sections in document.pages(1) for one in sections if "headers" in one.fields]
    finally:
        document.close()


@pytest.mark.parametrize(("ending", "write"), WRITERS.items(), ids=list(WRITERS))
def test_an_empty_corner_keeps_its_column(ending: str, write: Callable[[Path], None], tmp_path: Path):
    path = tmp_path / f"mirrors.{ending}"
    write(path)
    found = tables(path)
    assert found
    for section in found:
        assert tuple(section.fields["headers"].split(CELL_JOINT)) == ROWS[0]
        if section.locator is not None and section.locator.headers:
            assert tuple(section.locator.headers) == ROWS[0]


@pytest.mark.parametrize(
    ("headers", "line"),
    [
        (("", "Paris", "", "Berlin\n2", ""), " | Paris |  | Berlin 2 | "),
        (("", " ", ""), ""),
        ((), ""),
        (("Paris",), "Paris"),
    ],
)
def test_headers_keep_their_places_and_can_be_told_apart_again(headers: tuple[str, ...], line: str):
    assert header_line(headers) == line
    if line:
        assert line.split(CELL_JOINT) == [" ".join(one.split()) for one in headers]
    block = table_block(ROWS, headers)
    assert block is not None
    assert block.headers == line
