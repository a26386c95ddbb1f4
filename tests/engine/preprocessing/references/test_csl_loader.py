"""CSL JSON comes in with its names, dates and notes; each entry is kept letter by letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.csl import CslLoader
from trisynapse_memory.types import Listing

ENTRY = """{ "id" : "http://zotero.org/users/1/items/AB",
  "citation-key": "foucault1862", "type": "chapter", "title": "On a <i>turning</i> mirror",
  "author": [{"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"}, {"literal": "The Academy"}],
  "editor": [{"family": "Or", "given": "Edit", "suffix": "Jr."}],
  "issued": {"date-parts": [["1862", 11]]}, "container-title": ["Whole"], "page": "1-9", "number-of-volumes": 2.50,
  "DOI": "10.1000/Mirror", "abstract": "<jats:p>How &amp; why.</jats:p>", "keyword": "optics; light",
  "note": "Read.\\narXiv: 1706.03762\\nPMID: 12", "custom": {"x": [1, null, "\\u00e9"]} }"""


@pytest.fixture
def read(tmp_path: Path):
    def run(content: str) -> list[Listing]:
        path = tmp_path / "refs.json"
        path.write_text(content, encoding="utf-8")
        return list(CslLoader().open(path).members())

    return run


@pytest.mark.parametrize("frame", ["[{}]", '{{"items": [{}]}}', "{}", "[{},\n]"])
def test_an_entry_says_all_it_says_and_is_kept(read, frame: str):
    (entry,) = read(frame.format(ENTRY))
    assert entry.entry == ENTRY
    assert (entry.title, entry.authors, entry.published) == (
        "On a turning mirror",
        ("van der Berg, Jan", "The Academy"),
        "1862-11",
    )
    assert entry.identifiers == {
        "arxiv": "1706.03762",
        "pmid": "12",
        "doi": "10.1000/mirror",
        "citekey": "foucault1862",
    }
    assert (entry.fields["booktitle"], entry.fields["editors"], entry.fields["pages"]) == (
        "Whole",
        "Or, Jr., Edit",
        "1-9",
    )
    assert entry.tags == ("optics", "light")
    assert "How & why." in entry.text


@pytest.mark.parametrize(
    ("issued", "published"),
    [
        ({"date-parts": [[2017, 6, 12], [2017, 7]]}, "2017-06-12"),
        ({"date-parts": [["2017", "6"]]}, "2017-06"),
        ({"raw": "June 2017"}, "2017-06"),
        ({"literal": "in press"}, ""),
        ("2017-06-12", "2017-06-12"),
        ({"date-parts": []}, ""),
        ({"date-parts": [[None]]}, ""),
    ],
)
def test_dates_of_all_shapes_are_read(read, issued: object, published: str):
    (entry,) = read(json.dumps([{"id": "a", "type": "book", "title": "T", "issued": issued}]))
    assert entry.published == published


def test_a_broken_entry_is_told_with_its_line_and_what_stands_before_it_goes_in(read):
    entries = read('[{"id": "a", "type": "book", "title": "A"},\n{"id": "b"},\n7,\n{"id": "c", "title": "C", ]')
    assert [entry.skipped for entry in entries] == [
        "",
        "line 2: the entry has no title and no author",
        "line 3: no entry, but int",
        "line 4 and all after it: Expecting property name enclosed in double quotes",
    ]


def test_repeated_ids_are_told(read):
    entries = read('[{"id": "a", "type": "book", "title": "A"}, {"id": "a", "type": "book", "title": "B"}]')
    assert [entry.duplicate_of for entry in entries] == ["", "a"]


@pytest.mark.parametrize("content", ["[]", "{}", '[{"id": 1}]', "[" * 50_000, "no json"])
def test_a_file_without_one_good_entry_is_refused(read, content: str):
    with pytest.raises(SourceDamagedError, match=r"refs\.json"):
        read(content)


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (f"[{ENTRY}]", True),
        ('{"type": "FeatureCollection", "features": []}', False),
        ('[{"type": "book", "name": "no bibliography"}]', False),
        ('{"title": "T", "DOI": "10.1/x"}', False),
    ],
)
def test_it_knows_its_files(head: str, sure: bool):
    assert (CslLoader().suits(head.encode(), "x.json") > 0) is sure
