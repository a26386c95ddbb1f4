"""Sources into a file: which, in which format, and what stays at home."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownBranchError
from trisynapse_memory.memory_engine import MemoryEngine

FILE = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Papers</H3><DL><p>"
    '<DT><A HREF="https://a.example/">A</A></DL><DT><A HREF="https://b.example/">B</A></DL>'
)


@pytest.fixture
def filled(engine: MemoryEngine, tmp_path) -> MemoryEngine:
    (tmp_path / "bookmarks.html").write_text(FILE)
    engine.ingest(tmp_path / "bookmarks.html")
    return engine


def test_the_ending_tells_the_format_and_the_file_is_for_its_owner_only(filled, tmp_path):
    path = tmp_path / "out.htm"
    report = filled.sources.export(str(path))
    assert (report.format, report.sources, report.left_out, report.path) == ("bookmarks", 2, 0, str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.glob(".*.tmp")] == []


def test_a_collection_or_a_source_can_be_chosen(filled, tmp_path):
    path = tmp_path / "out.html"
    assert filled.sources.export(str(path), only=("Papers",)).sources == 1
    assert "https://a.example/" in path.read_text()
    chosen = next(one for one in filled.sources.list() if one.title == "B")
    assert filled.sources.export(str(path), only=(chosen.source_id,)).sources == 1
    assert "https://a.example/" not in path.read_text()


def test_a_sensitive_source_stays_out_unless_it_is_named(filled, tmp_path):
    path = tmp_path / "out.html"
    marked = next(one for one in filled.sources.list() if one.title == "A")
    filled.sources.mark_sensitive(marked.source_id)
    report = filled.sources.export(str(path))
    assert (report.sources, report.left_out) == (1, 1)
    assert "https://a.example/" not in path.read_text()
    assert filled.sources.export(str(path), only=(marked.source_id,)).sources == 1


def test_a_forgotten_source_does_not_go_out(filled, tmp_path):
    for source in filled.sources.list():
        filled.sources.forget(source.source_id, "old")
    with pytest.raises(InvalidInputError, match="nothing that 'bookmarks' could hold"):
        filled.sources.export(str(tmp_path / "out.html"))
    assert not (tmp_path / "out.html").exists()


def test_a_format_nobody_knows_and_a_place_nobody_can_write_to_are_said(filled, tmp_path):
    with pytest.raises(InvalidInputError, match=r"does not say which format") as caught:
        filled.sources.export(str(tmp_path / "out.xyz"))
    assert "bookmarks (.html .htm)" in caught.value.hint
    with pytest.raises(InvalidInputError, match=r"'markdown' writes no sources"):
        filled.sources.export(str(tmp_path / "out.html"), format="markdown")
    with pytest.raises(UnknownBranchError):
        filled.sources.export(str(tmp_path / "out.html"), format="none")
    with pytest.raises(InvalidInputError, match=r"cannot be written"):
        filled.sources.export(str(tmp_path / "missing" / "out.html"))
