"""Rows end where they end: quotes, line breaks inside cells, old line ends, and quotes nobody closed."""

from __future__ import annotations

import io
import random

import pytest

from trisynapse_memory.preprocessing.charsets import Reading
from trisynapse_memory.preprocessing.paging import PAGE_BYTES, PagedText
from trisynapse_memory.preprocessing.tabular import rows as tabular_rows
from trisynapse_memory.preprocessing.tabular.dialects import Dialect
from trisynapse_memory.preprocessing.tabular.rows import ROW_MAX_CHARS, measure, rows_of, sample_lines

COMMA = Dialect(",")


def read(raw, dialect=COMMA):
    file = io.BytesIO(raw)
    spans, extent = measure(file, dialect)
    paged = PagedText(file, spans, Reading("utf-8", "utf-8"))
    rows = [row for page, first in enumerate(extent.first_rows, 1) for row in rows_of(paged, page, first, dialect)]
    return rows, spans, extent


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_and_cells_are_counted_whatever_the_line_ends(end):
    rows, spans, extent = read(f'a,b{end}"1{end}2",3{end}{end}4,5'.encode())
    assert [(row.number, row.cells) for row in rows] == [(1, ("a", "b")), (2, ("1 2", "3")), (3, ()), (4, ("4", "5"))]
    assert (len(spans), extent.row_count, extent.cell_count, extent.unclosed_count) == (1, 4, 6, 0)


def test_pages_are_whole_rows_and_together_the_file():
    random.seed(4)
    lines = [f'{number},"cell {number},\nsecond line {"x" * random.randint(0, 90)}"\n' for number in range(4000)]
    raw = "".join(lines).encode()
    rows, spans, extent = read(raw)
    assert len(spans) > 3
    assert [first for first, _ in spans[1:]] == [last for _, last in spans[:-1]]
    assert (spans[0][0], spans[-1][1]) == (0, len(raw))
    assert [row.number for row in rows] == list(range(1, 4001))
    assert [row.cells[0] for row in rows] == [str(number) for number in range(4000)]
    assert max(last - first for first, last in spans) < PAGE_BYTES + 300
    assert extent.first_rows[0] == 1


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_long_file_is_counted_by_lines_where_no_quote_is_torn_and_the_rows_are_the_same(end, monkeypatch):
    random.seed(6)
    cells = ["plain", '"a, b"', '"say ""so"""', "5 pipes", f'"two{end}lines"', '5" pipe', ""]
    weights = [40, 20, 5, 20, 0.02, 0.02, 5]
    lines = [f"{n},{','.join(random.choices(cells, weights, k=8))}{end}" for n in range(30_000)]
    raw = "".join(lines).encode()
    counted = read(raw)
    monkeypatch.setattr(tabular_rows, "EXACT_PAGES", 10**9)
    exact = read(raw)
    assert len(counted[1]) > 20
    assert [row.number for row in counted[0]] == [row.number for row in exact[0]] == list(range(1, 30_001))
    assert [row.cells for row in counted[0]] == [row.cells for row in exact[0]]
    assert counted[2].row_count == exact[2].row_count == 30_000


def test_a_quote_that_is_never_closed_costs_its_own_line():
    rows, _, extent = read(b'a,b\n1,"open\n2,x\n3,"y, z"\n')
    # The stray quote meets the next one; what is left open at the end is read as it stands.
    assert extent.row_count == len(rows)
    rows, _, extent = read(b'a,b\n1,"open\n2,x\n3,y\n')
    assert [row.cells for row in rows] == [("a", "b"), ("1", '"open'), ("2", "x"), ("3", "y")]
    assert extent.unclosed_count == 1


def test_an_open_quote_does_not_swallow_a_large_file_and_pages_read_as_they_were_measured():
    raw = b'a,b\n1,"open\n' + b"2,many words of one row, and so on to the end of it\n" * (ROW_MAX_CHARS // 40)
    rows, spans, extent = read(raw)
    assert rows[1].cells == ("1", '"open')
    assert extent.row_count == len(rows) == 2 + ROW_MAX_CHARS // 40
    assert extent.unclosed_count == 1
    assert len(spans) > 20


@pytest.mark.parametrize("raw", [b"a,b\n1\r2", b"a\r\r\nb\r\n", b'"a\rb",c\rd', b"a,b\r", b"\r", b"x\r\ny\rz\r\n"])
def test_line_ends_of_all_kinds_may_be_mixed(raw):
    rows, spans, _ = read(raw)
    assert spans[-1][1] == len(raw)
    assert "".join("".join(row.cells) for row in rows).replace(" ", "") == "".join(
        chr(one) for one in raw if one not in b'\r\n,"'
    )


def test_an_inch_mark_inside_a_cell_is_no_quote():
    rows, _, _ = read(b'size,n\n5" pipe,2\n6" pipe,3\n')
    assert [row.cells for row in rows[1:]] == [('5" pipe', "2"), ('6" pipe', "3")]


def test_a_line_without_end_is_cut_and_memory_holds():
    rows, _, extent = read(b"x" * (3 * ROW_MAX_CHARS))
    assert extent.row_count == len(rows)
    assert sum(len(cell) for row in rows for cell in row.cells) == 3 * ROW_MAX_CHARS


def test_nul_and_byte_order_mark_are_not_passed_on():
    rows, _, _ = read(b"\xef\xbb\xbfa,b\n1\x002,3\n")
    assert [row.cells for row in rows] == [("a", "b"), ("1\ufffd2", "3")]


def test_a_sample_has_no_torn_line():
    raw = b"0123456789,abcdefg\n" * 20_000
    lines = sample_lines(io.BytesIO(raw))
    assert len(lines) > 1000
    assert set(lines) == {"0123456789,abcdefg\n"}
