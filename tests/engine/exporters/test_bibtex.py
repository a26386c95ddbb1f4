"""BibTeX goes out as it came in, letter by letter; what came from elsewhere is written so that it reads the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.exporters.holdings import made
from trisynapse_memory.contracts import SourceExporter
from trisynapse_memory.exporters.bibtex import BibtexExporter
from trisynapse_memory.pipelines.exports import export_sources
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.loaders.bibtex import BibtexLoader
from trisynapse_memory.types import IngestRun, Namespace

ENTRIES = (
    (
        "@InProceedings {foucault:1862,\n  author    = \"L{\\'e}on Foucault and {Acad{\\'e}mie}\",\n"
        "  title     = {On a Turning {M}irror},\n  booktitle = nips # { Workshop},\n  year      = 1862,\n"
        '  odd_field = {kept {\\"u} as   it is},\n  Title     = {twice}\n}'
    ),
    "@article(paren, title = {In parentheses}, year = 2000)",
    "@incollection{child, title={A chapter}, crossref={parent}}",
    "@book{parent, title={The whole book}, year={2001}}",
)
FILE = '@string{nips = "Advances"}\n\n' + "\n\n".join(ENTRIES) + "\n\n"


@pytest.fixture
def export(rooms: Rooms, tmp_path: Path) -> Callable[..., str]:
    def run(*only: str, name: str = "out.bib") -> str:
        export_sources(rooms, Namespace(), tmp_path / name, "", only)
        return (tmp_path / name).read_text(encoding="utf-8")

    return run


@pytest.fixture
def bring(take: Callable[..., IngestRun], tmp_path: Path) -> Callable[[str, str], IngestRun]:
    def run(name: str, content: str) -> IngestRun:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return take(tmp_path / name)

    return run


def test_it_is_an_exporter_of_sources():
    assert isinstance(BibtexExporter(), SourceExporter)


def test_a_file_goes_out_as_it_came_in(bring, export):
    bring("refs.bib", FILE)
    assert export() == FILE


def test_what_goes_out_comes_in_as_the_same_entries(bring, export, tmp_path: Path):
    bring("refs.bib", FILE)
    export()
    first = list(BibtexLoader().open(tmp_path / "refs.bib").members())
    assert list(BibtexLoader().open(tmp_path / "out.bib").members()) == first


def test_a_chosen_entry_brings_along_the_macro_that_it_uses(bring, export):
    results = bring("refs.bib", FILE).results
    assert export(results[0].source_id) == f'@string{{nips = "Advances"}}\n\n{ENTRIES[0]}\n\n'


def test_a_changed_entry_stays_where_it_stands_in_its_file(bring, export):
    bring("refs.bib", FILE)
    bring("refs.bib", FILE.replace("In parentheses", "In round brackets"))
    assert export() == FILE.replace("In parentheses", "In round brackets")


def test_two_files_that_use_one_key_or_macro_for_two_things_stay_apart(bring, export):
    bring("a.bib", '@string{j = "One"}\n@article{k, title={A}, journal=j}')
    bring("b.bib", '@string{j = "Two"}\n@article{k, title={B}, journal=j}')
    assert export() == (
        '@string{j = "One"}\n\n@article{k, title={A}, journal=j}\n\n'
        '@string{j = "Two"}\n\n@article{k-2, title={B}, journal=j}\n\n'
    )


def test_what_came_from_elsewhere_is_written_and_reads_the_same(tmp_path: Path):
    fields = {
        "type": "article", "journal": "Comptes & rendus", "pages": "501–503", "issue": "2", "doi": "10.1000/a_b",
        "arxiv": "1706.03762", "url": "https://a.b/c_d", "editors": "Or, Edit", "file": "/a.pdf\n/b.pdf",
    }  # fmt: skip
    text = BibtexExporter().compose([made(**fields)])
    path = tmp_path / "made.bib"
    path.write_text(text, encoding="utf-8")
    (entry,) = BibtexLoader().open(path).members()
    assert (entry.key, entry.title) == ("foucault1862more", "Ten % of $ & more: A_b {c}")
    assert (entry.authors, entry.published, entry.tags) == (
        ("Foucault, Léon", "The Royal Academy"),
        "1862-11-24",
        ("optics",),
    )
    wanted = {**fields, "citekey": "foucault1862more"}
    assert {name: entry.fields[name] for name in wanted} == wanted


def test_a_stated_citekey_is_used():
    assert BibtexExporter().compose([made(identifiers={"citekey": "mine:1"})]).startswith("@misc{mine:1,")
