"""The door of the sources: what the vault holds, page by page, hidden and brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.library import Library
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import IngestRun, Namespace, PageDetails, PageVerdict, QueryTerm, Scope

Take = Callable[..., IngestRun]


def settle_of(rooms: Rooms) -> Callable[[], None]:
    def settle() -> None:
        rooms.projector.catch_up()

    return settle


def door(rooms: Rooms, namespace: Namespace) -> Library:
    return Library(rooms, Places(rooms.log), Reading(rooms, namespace), settle_of(rooms))


@pytest.fixture
def library(rooms: Rooms) -> Library:
    return door(rooms, Namespace(project_id=None))


@pytest.fixture
def paper(tmp_path: Path, take: Take) -> str:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "The first page speaks of mirrors in one sentence.")
    document.new_page()
    document.save(tmp_path / "paper.pdf")
    document.close()
    return str(take(tmp_path / "paper.pdf").results[0].source_id)


def test_sources_are_listed_for_their_readers_only(take: Take, papers: Path, rooms: Rooms):
    take(papers)
    assert len(door(rooms, Namespace()).list()) == 2
    assert len(door(rooms, Namespace()).list(limit=1)) == 1
    assert door(rooms, Namespace(user_id="u")).list() == ()


def test_every_page_is_accounted_for_the_empty_one_too(library: Library, paper: str):
    assert [(note.page, note.verdict) for note in library.pages(paper)] == [(1, PageVerdict.OK), (2, PageVerdict.EMPTY)]
    first, second = library.text(paper)
    assert "mirrors" in first.text
    assert isinstance(second.payload, PageDetails)
    assert (second.text, library.text(paper, 2)) == ("", (second,))


def test_a_page_beyond_the_end_is_named_with_the_pages_there_are(library: Library, paper: str):
    with pytest.raises(UnknownSourceError, match=r"no page 3.*1 to 2"):
        library.text(paper, 3)


def test_the_stored_original_is_the_file_that_came(library: Library, paper: str, tmp_path: Path):
    assert Path(library.original(paper)).read_bytes() == (tmp_path / "paper.pdf").read_bytes()


def test_words_have_their_place_on_the_page(library: Library, paper: str):
    text = library.text(paper, 1)[0].text
    start = text.index("mirrors")
    (quad,) = library.quads(paper, 1, start, start + 7)
    assert 72 < quad[0] < quad[2] < 400
    assert 80 < quad[1] < quad[5] < 110


def test_a_forgotten_source_leaves_every_answer_and_comes_back(library: Library, paper: str, rooms: Rooms):
    def hits() -> int:
        return len(rooms.lexical.search([QueryTerm("mirrors")], Scope(), 10))

    assert hits() == 1
    change = library.forget(paper, "wrong paper")
    assert (change.affected_count, hits(), library.list()) == (1, 0, ())
    assert [source.status.value for source in library.list(include_all=True)] == ["forgotten"]
    assert library.show(paper).source_id == paper
    assert (library.reinstate(paper, "right").affected_count, hits(), len(library.list())) == (1, 1, 1)


@pytest.mark.parametrize("verb", ["show", "pages", "text", "original"])
def test_an_unknown_source_is_named(library: Library, verb: str):
    with pytest.raises(UnknownSourceError, match="src_x"):
        getattr(library, verb)("src_x")
