"""A file and its entry find each other in either order; a match that is not borne out is told, never made (R33)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Draft, IngestRun, Kind, MetadataDetails, Namespace, Source, SourceInput

TITLE = "On a turning mirror that measures light"
PAPER = f"# {TITLE}\n\nLéon Foucault\n\nThe speed of light was found to be 298,000 km/s.\n"
ENTRY = (
    f"@article{{foucault62, title={{{TITLE}}}, author={{Foucault, L{{\\'e}}on}}, year=1862, doi={{10.1000/mirror}}}}"
)


@pytest.fixture
def library(tmp_path: Path, take: Callable[..., IngestRun]) -> Callable[..., IngestRun]:
    def run(name: str, content: str) -> IngestRun:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return take(tmp_path / name)

    return run


@pytest.fixture
def find(rooms: Rooms) -> Callable[[str], Source]:
    def run(kind: str) -> Source:
        return next(one for one in rooms.shelf.list(Namespace()) if one.kind == kind)

    return run


@pytest.mark.parametrize("order", [("paper.md", "refs.bib"), ("refs.bib", "paper.md")])
def test_a_file_is_described_by_its_entry_whichever_comes_first(library, find, rooms: Rooms, order: tuple[str, str]):
    texts = {"paper.md": PAPER, "refs.bib": ENTRY}
    for name in order:
        library(name, texts[name])
    file, entry = find("text"), find("reference")
    assert (file.reference, entry.files, entry.reference) == (entry.source_id, (file.source_id,), None)
    assert (file.authors, file.published) == (("Foucault, Léon",), "1862")
    assert file.identifiers == {"doi": "10.1000/mirror", "citekey": "foucault62"}
    (record,) = rooms.log.of_kind(Kind.METADATA)
    assert record.payload == MetadataDetails(
        target_source_id=file.source_id, name="reference", value=entry.source_key, origin="match: title"
    )
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_a_match_survives_a_rebuild_and_says_nothing_while_either_is_forgotten(library, find, rooms: Rooms):
    library("paper.md", PAPER)
    library("refs.bib", ENTRY)
    rooms.log.refold()
    entry = find("reference")
    assert find("text").reference == entry.source_id
    lifecycle.forget_source(rooms.log, rooms.shelf, entry.source_id, "not mine")
    file = find("text")
    assert (file.reference, file.authors, file.identifiers) == (None, (), {})
    lifecycle.reinstate_source(rooms.log, rooms.shelf, entry.source_id, "mine after all")
    assert find("text").reference == entry.source_id
    lifecycle.forget_source(rooms.log, rooms.shelf, file.source_id, "old")
    assert find("reference").files == ()


def test_a_changed_entry_keeps_its_file_and_a_new_version_of_the_file_finds_its_entry(library, find):
    library("paper.md", PAPER)
    library("refs.bib", ENTRY)
    library("refs.bib", ENTRY.replace("1862", "1863"))
    assert find("text").published == "1863"
    library("paper.md", PAPER + "\nA second thought.\n")
    file = find("text")
    assert (file.version, file.reference) == (2, find("reference").source_id)


def test_a_title_alone_is_not_enough(library, find):
    library("paper.md", PAPER)
    library("refs.bib", f"@article{{a, title={{{TITLE}}}, author={{Somebody Else}}, year=2001}}")
    assert find("text").reference is None


def test_two_dois_are_two_works(library, find, take, tmp_path: Path):
    """A preprint and its paper have one title and one author."""
    library("refs.bib", ENTRY)
    page_of(take, tmp_path, TITLE, "10.1000/other", "By Leon Foucault, 1862. Light is fast.")
    assert find("pdf").identifiers.get("doi") == "10.1000/other"
    assert find("pdf").reference is None


def page_of(take: Callable[..., IngestRun], tmp_path: Path, title: str, doi: str, body: str):
    """A file that states a DOI itself."""
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), title, fontsize=20)
    page.insert_textbox((72, 100, 500, 400), f"{body}\n\nhttps://doi.org/{doi}")
    document.set_metadata({"title": title})
    document.save(tmp_path / "paper.pdf")
    document.close()
    return take(tmp_path / "paper.pdf").results[-1]


def test_a_doi_whose_title_is_not_on_the_page_is_told_and_not_matched(
    library, find, take, tmp_path: Path, rooms: Rooms
):
    """R33: the DOI of the issue, or of another paper, stands on the page."""
    library("refs.bib", ENTRY.replace(TITLE, "A wholly different paper about whales in the sea"))
    result = page_of(take, tmp_path, TITLE, "10.1000/mirror", "By Leon Foucault. Light is fast.")
    file = find("pdf")
    assert file.reference is None
    assert file.identifiers.get("doi") == "10.1000/mirror"
    assert "'A wholly different paper about whales in the sea' state the same doi, 10.1000/mirror" in result.reason
    again = library("more.bib", ENTRY.replace(TITLE, "Whales in the sea and their songs")).results[0]
    assert "not matched" in again.reason


def test_an_entry_that_names_the_path_of_a_file_describes_it(library, find):
    library("scan.md", f"Library copy\n\n{TITLE}\n\nNo name here.\n")
    entry = ENTRY.replace("doi={10.1000/mirror}", "file={:scan.md:MD}")
    library("refs.bib", entry)
    assert find("text").reference == find("reference").source_id
    # The file is called like its name on the disk, so the title of its entry is the better one.
    assert find("text").title == TITLE


def test_an_entry_that_names_a_file_with_another_title_does_not_describe_it(library, find):
    library("refs.bib", ENTRY.replace("doi={10.1000/mirror}", "file={/elsewhere/scan.md}"))
    library("scan.md", "# Cooking at home\n\nTake two eggs.\n")
    assert find("text").reference is None


def test_the_first_of_two_bibliographies_speaks_and_the_other_takes_over(library, find, rooms: Rooms):
    library("a.bib", ENTRY)
    library("b.bib", ENTRY.replace("foucault62", "second"))
    library("paper.md", PAPER)
    assert find("text").identifiers["citekey"] == "foucault62"
    first = next(one for one in rooms.shelf.list(Namespace()) if one.identifiers.get("citekey") == "foucault62")
    lifecycle.forget_source(rooms.log, rooms.shelf, _entry_of(rooms, first), "old file")
    assert find("text").identifiers["citekey"] == "second"


def _entry_of(rooms: Rooms, source: Source) -> str:
    return source.reference or source.source_id


def test_what_she_takes_back_is_not_matched_again(library, find, rooms: Rooms):
    library("paper.md", PAPER)
    library("refs.bib", ENTRY)
    file = find("text")
    details = MetadataDetails(target_source_id=file.source_id, name="reference", value="")
    rooms.log.append([Draft(kind=Kind.METADATA, payload=details, source_id=file.source_id)])
    assert find("text").reference is None
    library("refs.bib", ENTRY.replace("1862", "1863"))
    assert find("text").reference is None


def test_another_namespace_is_another_library(library, find, take, tmp_path: Path):
    library("refs.bib", ENTRY)
    (tmp_path / "paper.md").write_text(PAPER)
    take(SourceInput(path=str(tmp_path / "paper.md"), namespace=Namespace(project_id="other")))
    assert find("reference").files == ()
