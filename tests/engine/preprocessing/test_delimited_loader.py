"""CSV and its kin: dialects, headers, encodings, and files too large for memory (R24, R30)."""

from __future__ import annotations

import tracemalloc

import pytest

from trisynapse_memory.errors import SourceEmptyError, SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders.delimited import DelimitedLoader
from trisynapse_memory.types import PageVerdict


def opened(tmp_path, content, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return DelimitedLoader().open(path)


def rows(tmp_path, content, name="a.csv"):
    document = opened(tmp_path, content, name)
    found = [
        (page.text[one.start : one.end], one.locator.row, one.fields.get("headers", ""))
        for page, sections in document.pages(1)
        for one in sections
    ]
    document.close()
    return found


def test_a_row_is_cited_by_its_number_and_headers(tmp_path):
    assert rows(tmp_path, 'metal,melts\nTin,231.93\n"Lead, soft",327.46\n')[1:] == [
        ("Tin | 231.93", 2, "metal | melts"),
        ("Lead, soft | 327.46", 3, "metal | melts"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "cp1251"])
def test_other_encodings_are_read(tmp_path, encoding):
    words = "Москва" if encoding == "cp1251" else "München für Größe"
    text = "город;мера\n" if encoding == "cp1251" else "Ort;Maß\n"
    text += f"{words};2,5\n" * 5
    assert rows(tmp_path, text.encode(encoding))[1][0] == f"{words} | 2,5"


def test_notes_above_the_header_are_told_and_not_taken_for_it(tmp_path):
    found = rows(tmp_path, "# from the laboratory\n\nid,mass\n1,2.5\n2,3.5\n")
    assert found[0] == ("# from the laboratory", 1, "")
    assert found[2:] == [("1 | 2.5", 4, "id | mass"), ("2 | 3.5", 5, "id | mass")]


def test_rows_with_too_few_or_too_many_cells_keep_what_they_have(tmp_path):
    found = rows(tmp_path, "a,b,c\nx,1,2\ny,1\nz,1,2,3\n")
    assert [one[0] for one in found[1:]] == ["x | 1 | 2", "y | 1", "z | 1 | 2 | 3"]


def test_a_text_that_is_all_tabs_is_a_table_and_any_other_text_is_not():
    loader = DelimitedLoader()
    assert loader.suits(b"a\tb\n1\t2\n" * 5, "a.txt") > 0.8
    assert loader.suits(b"a\tb\nno tabs here\n" * 5, "a.txt") == 0
    assert loader.suits(b"a,b\n", "a.md") == 0


def test_a_large_table_is_data_and_its_later_pages_are_read_alone(tmp_path):
    text = "station,date,value\n" + "".join(f"S{n},2024-01-{n % 28 + 1:02},{n / 8}\n" for n in range(20_000))
    document = opened(tmp_path, text)
    found = list(document.pages(1))
    assert len(found) == document.heading.page_count > 4
    assert list(document.pages(3)) == found[2:]
    assert found[0][0].label.startswith("Rows 1\u2013")
    assert found[-1][0].label.endswith("\u201320001")
    page, sections = found[2]
    first = sections[0]
    assert page.text[first.start :].startswith(f"S{first.locator.row - 2} | ")
    assert first.locator.headers == ("station", "date", "value")
    document.close()


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("id,name,comment\n")
        for number in range(30_000):
            file.write(f'{number},"Station {number}, north","all is well with number {number}"\n')
    tracemalloc.start()
    document = DelimitedLoader().open(path)
    count = sum(page.text.count("\n") + 1 for page, _ in document.pages(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    document.close()
    assert count == 30_001
    assert peak < 5_000_000


def test_a_quote_left_open_is_said(tmp_path):
    document = opened(tmp_path, 'a,b\n1,"open\n2,x\n')
    ((page, _),) = document.pages(1)
    document.close()
    assert page.flags == ("quotes-unclosed",)
    assert "1 quotes are never closed" in page.note
    assert page.text == 'a | b\n1 | "open\n2 | x'


def test_a_table_of_nothing_is_empty(tmp_path):
    document = opened(tmp_path, ",,\n,,\n")
    ((page, sections),) = document.pages(1)
    document.close()
    assert (page.verdict, page.note, sections) == (PageVerdict.EMPTY, "no cell holds a word", ())


@pytest.mark.parametrize(
    ("content", "error"), [(b"", SourceEmptyError), (b"PK\x03\x04" + b"\0\xff" * 99, SourceUnsupportedError)]
)
def test_what_is_no_table_is_refused(tmp_path, content, error):
    with pytest.raises(error, match=r"a\.csv"):
        opened(tmp_path, content)
