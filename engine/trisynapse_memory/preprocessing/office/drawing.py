"""Shapes, tables, charts and diagrams of Office (DrawingML) in, their words as blocks out; no picture is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.equations import equation_text
from trisynapse_memory.preprocessing.office.grids import Cell, grid_block, spread
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.preprocessing.office.word_runs import raised
from trisynapse_memory.preprocessing.office.xml import attribute, below, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element
from trisynapse_memory.types import Locator

POINTS_MAX: Final = 5000  # of one series of a chart; more is a plot, not a table
_SERIES_MAX: Final = 100


def paragraph_text(paragraph: Element) -> str:
    """Return the words of an ``a:p``: runs, fields and equations, line breaks kept."""
    parts: list[str] = []
    for part in paragraph:
        tag = name(part)
        if tag in ("r", "fld"):
            words = "".join(one.text or "" for one in children(part, "t"))
            lifted = attribute(child(part, "rPr"), "baseline")
            parts.append(raised(words, parts) if lifted not in ("", "0") and not lifted.startswith("-") else words)
        elif tag == "br":
            parts.append("\n")
        elif tag in ("AlternateContent", "m", "oMath", "oMathPara"):
            chosen = child(part, "Choice") if tag == "AlternateContent" else part
            equation = next(below(chosen, "oMathPara", "oMath"), None)
            if equation is not None:
                parts.append(equation_text(equation))
    text = "".join(parts).replace("\v", "\n").replace("\u00a0", " ")
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def body_text(body: Element | None) -> str:
    """Return the words of a text body, a line for each paragraph."""
    return "\n".join(words for paragraph in children(body, "p") if (words := paragraph_text(paragraph)))


def drawn_table(table: Element, locator: Locator | None = None) -> Block | None:
    """Return an ``a:tbl`` as a block; None when it holds no word."""
    rows: list[list[Cell]] = []
    for row in children(table, "tr"):
        cells: list[Cell] = []
        for cell in children(row, "tc"):
            # Cells that another one covers are written out too, and marked.
            if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                continue
            columns, count = (_count(attribute(cell, span)) for span in ("gridSpan", "rowSpan"))
            cells.append(Cell(body_text(child(cell, "txBody")), columns, count))
        rows.append(cells)
    return grid_block(spread(rows), locator=locator)


def chart_blocks(package: Package, part: str, locator: Locator | None = None) -> list[Block]:
    """Return a chart as a caption and a table: a row for each category, a column for each series."""
    root = package.xml(part)
    chart = next(below(root, "chart"), None)
    if chart is None:
        return []
    title = " ".join(body_text(child(chart, "title", "tx", "rich")).split())
    blocks = [Block(title, "caption", locator=locator)] if title else []
    series = list(below(child(chart, "plotArea"), "ser"))[:_SERIES_MAX]
    names = [text_below(child(one, "tx"), ("v", "t")) or f"Series {place}" for place, one in enumerate(series, 1)]
    columns = [_points(_either(one, "val", "yVal")) for one in series]
    labels = _labels(series)
    if not series or not any(columns):
        return blocks
    places = sorted({place for column in columns for place in column} | set(labels))[:POINTS_MAX]
    rows = [["", *names]] + [
        [labels.get(place, str(place + 1)), *(column.get(place, "") for column in columns)] for place in places
    ]
    table = grid_block(rows, stated=1, locator=locator)
    return [*blocks, table] if table else blocks


def _labels(series: Sequence[Element]) -> dict[int, str]:
    for one in series:
        found = _points(_either(one, "cat", "xVal"))
        if found:
            return found
    return {}


def _either(series: Element, first: str, second: str) -> Element | None:
    """The one of two parts that is there: charts of points name their parts otherwise."""
    found = child(series, first)
    return found if found is not None else child(series, second)


def _points(values: Element | None) -> dict[int, str]:
    """The cached points of a series by their place; levels of labels below each other are joined."""
    found: dict[int, list[str]] = {}
    for point in below(values, "pt"):
        words = text_below(child(point, "v"))
        place = attribute(point, "idx")
        if words and place.isdigit() and int(place) < POINTS_MAX:
            found.setdefault(int(place), []).append(plain_number(words))
    return {place: " ".join(reversed(words)) for place, words in found.items()}


def plain_number(words: str) -> str:
    """A cached number as a person writes it: 4.2999999999999998 is 4.3."""
    if len(words) < 15 and "E" not in words.upper():
        return words
    try:
        return f"{float(words):.15g}"
    except ValueError:
        return words


def diagram_block(package: Package, part: str, locator: Locator | None = None) -> Block | None:
    """Return the words of a diagram (SmartArt), a line for each of its nodes; None when it has none."""
    root = package.xml(part)
    lines = [
        words
        for point in below(root, "pt")
        if attribute(point, "type") in ("", "node") and (words := body_text(child(point, "t")))
    ]
    return Block("\n".join(lines), locator=locator) if lines else None


def _count(text: str) -> int:
    return max(1, int(text)) if text.isdigit() and len(text) < 6 else 1
