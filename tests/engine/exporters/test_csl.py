"""CSL JSON goes out as it came in, letter by letter; what came from elsewhere is written so that it reads the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.exporters.holdings import made
from trisynapse_memory.contracts import SourceExporter
from trisynapse_memory.exporters.csl import CslExporter
from trisynapse_memory.pipelines.exports import export_sources
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.loaders.csl import CslLoader
from trisynapse_memory.types import IngestRun, Namespace

ENTRIES = (
    (
        '{ "id": "a", "type" : "book", "title": "\\u00dcber <i>x</i>", "number": 2.50, "custom": {"y": [1, null]},'
        ' "issued": {"date-parts": [["1862"]]} }'
    ),
    '{"id":"b","type":"article-journal","title":"B","author":[{"family":"Foucault","given":"Léon"}]}',
)


@pytest.fixture
def exported(take: Callable[..., IngestRun], rooms: Rooms, tmp_path: Path) -> str:
    (tmp_path / "refs.json").write_text(f"[{', '.join(ENTRIES)}]", encoding="utf-8")
    take(tmp_path / "refs.json")
    export_sources(rooms, Namespace(), tmp_path / "out.json", "csl", ())
    return (tmp_path / "out.json").read_text(encoding="utf-8")


def test_it_is_an_exporter_of_sources():
    assert isinstance(CslExporter(), SourceExporter)


def test_a_file_goes_out_as_it_came_in(exported: str):
    assert exported == f"[\n{ENTRIES[0]},\n{ENTRIES[1]}\n]\n"
    assert json.loads(exported) == json.loads(f"[{', '.join(ENTRIES)}]")


def test_what_goes_out_comes_in_as_the_same_entries(exported: str, tmp_path: Path):
    first = list(CslLoader().open(tmp_path / "refs.json").members())
    assert list(CslLoader().open(tmp_path / "out.json").members()) == first


def test_what_came_from_elsewhere_is_written_and_reads_the_same(tmp_path: Path):
    fields = {
        "type": "incollection", "booktitle": "Whole", "pages": "501-503", "volume": "2", "doi": "10.1000/ab",
        "arxiv": "1706.03762", "editors": "Or, Jr., Edit", "accessed": "2020-01-02",
    }  # fmt: skip
    path = tmp_path / "made.json"
    path.write_text(CslExporter().compose([made(title="A & b", identifiers={"citekey": "k1"}, **fields)]))
    (entry,) = CslLoader().open(path).members()
    assert (entry.title, entry.authors, entry.published, entry.tags) == (
        "A & b",
        ("Foucault, Léon", "The Royal Academy"),
        "1862-11-24",
        ("optics",),
    )
    wanted = {**fields, "citekey": "k1"}
    assert {name: entry.fields[name] for name in wanted} == wanted
