"""Data files: records with key paths; what is broken is read as text and says so."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from trisynapse_memory.errors import SourceUnsupportedError
from trisynapse_memory.preprocessing.loaders.structured import StructuredLoader
from trisynapse_memory.preprocessing.structured import json_text
from trisynapse_memory.types import Modality, PageVerdict


def opened(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return StructuredLoader().open(path)


def read(tmp_path, content, name):
    document = opened(tmp_path, content, name)
    found = list(document.pages(1))
    document.close()
    return found


def told(tmp_path, content, name):
    return [
        (one.path, page.text[one.start : one.end])
        for page, sections in read(tmp_path, content, name)
        for one in sections
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '{"m": [{"n": "Tin"}, {"n": "Lead"}]}', [(("m", "[0]"), "n: Tin"), (("m", "[1]"), "n: Lead")]),
        ("a.jsonl", '{"n": 1}\n{"n": 2}\n', [(("line 1",), "n: 1"), (("line 2",), "n: 2")]),
        ("a.yaml", "a: 1\nb: 2\n", [(("a",), "a: 1"), (("b",), "b: 2")]),
        ("a.toml", "[t]\na = 1\n", [(("t",), "[t]\na = 1")]),
        ("a.ini", "[t]\na = 1\n; why\n[u]\nb\n", [(("t",), "[t]\na = 1"), (("u",), "; why\n[u]\nb")]),
        ("a.xml", "<r><x>1</x><y>2</y></r>", [(("r",), "x: 1\ny: 2")]),
        ("a.kml", "<?xml version='1.0'?><kml><name>Bonn</name></kml>", [(("kml",), "name: Bonn")]),
        ("a.cff", "title: A tool\ndoi: 10.1/x\n", [(("title",), "title: A tool"), (("doi",), "doi: 10.1/x")]),
        ("nameless", ' {"n": "x"}', [((), "n: x")]),
    ],
)
def test_each_format_gives_its_records(tmp_path, name, content, expected):
    assert told(tmp_path, content, name) == expected


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("a.json", '{"a": 1,\n"b": ]}', "not valid JSON at line 2; read as plain text"),
        ("a.yaml", "a: [1\nb: }", "not valid YAML at line 2; read as plain text"),
        ("a.xml", "<a>words<b></a>", "not valid XML at line 1; read as plain text"),
        ("a.toml", "a = = 1", "not valid TOML: Invalid value (at line 1, column 5); read as it stands"),
    ],
)
def test_what_is_broken_is_read_as_text_and_says_so(tmp_path, name, content, note):
    ((page, sections),) = read(tmp_path, content, name)
    assert (page.text, page.note, page.verdict) == (content, note, PageVerdict.OK)
    assert {one.modality for one in sections} == {Modality.STRUCTURED}


def test_an_encoding_that_xml_declares_is_used(tmp_path):
    raw = '<?xml version="1.0" encoding="iso-8859-2"?><r><x>Łódź</x></r>'.encode("iso-8859-2")
    assert told(tmp_path, raw, "a.xml") == [(("r",), "x: Łódź")]


def test_a_long_list_is_streamed_page_by_page(tmp_path):
    text = json.dumps([{"id": n, "name": f"Sample {n}", "words": "ice " * 10} for n in range(5000)])
    document = opened(tmp_path, text, "a.json")
    found = list(document.pages(1))
    assert len(found) == document.heading.page_count > 3
    assert list(document.pages(3)) == found[2:]
    page, (section, *_) = found[2]
    number = section.locator.row
    assert page.text.startswith(f"id: {number - 1}; name: Sample {number - 1}; ")
    document.close()


def test_a_file_larger_than_memory_allows_is_streamed_or_read_as_text(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "WHOLE_MAX_BYTES", 1000)
    rows = json.dumps([{"id": n} for n in range(200)])
    assert told(tmp_path, rows, "list.json")[3] == (("[3]",), "id: 3")
    ((page, _),) = read(tmp_path, json.dumps({"a": "x" * 2000}), "one.json")
    assert page.note.startswith("a single value larger than the")


def test_memory_does_not_grow_with_json_lines(tmp_path):
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for number in range(15_000):
            file.write(json.dumps({"id": number, "text": "some words of a line " * 20}) + "\n")
    tracemalloc.start()
    document = StructuredLoader().open(path)
    count = sum(len(page.text) > 0 for page, _ in document.pages(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    document.close()
    assert count == document.heading.page_count > 80
    assert peak < 6_000_000


def test_what_is_told_in_short_is_said(tmp_path):
    ((page, _),) = read(tmp_path, json.dumps({"vector": list(range(300))}), "a.json")
    assert page.text == "vector: 0, 1, 2, \u2026 299 (300 numbers)"
    assert page.note == "long lists of numbers are told in short"


def test_a_title_is_what_the_file_calls_itself(tmp_path):
    document = opened(tmp_path, '{"Title": " Metals ", "a": 1}', "a.json")
    document.close()
    assert document.heading.title == "Metals"


def test_nothing_in_it_is_empty_and_binary_is_refused(tmp_path):
    ((page, sections),) = read(tmp_path, "{}", "a.json")
    assert (page.verdict, sections) == (PageVerdict.EMPTY, ())
    with pytest.raises(SourceUnsupportedError, match=r"b\.json"):
        opened(tmp_path, b"\0\1\2" * 99, "b.json")


def test_it_leaves_files_of_others_alone():
    loader = StructuredLoader()
    assert loader.suits(b"a, b\n", "a.csv") == 0
    assert loader.suits(b"# words", "a") == 0
    assert 0.3 < loader.suits(b'[{"a": 1}]', "a.dump") < 0.5  # above any text, below a text's own name
    assert 0 < loader.suits(b'{"a": 1}', "a.json") <= 0.6
