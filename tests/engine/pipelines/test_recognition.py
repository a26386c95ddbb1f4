"""A scan is read from its pictures in the background: askable, placed, counted, and never twice."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import SeenWord
from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import furnishing, jobs
from trisynapse_memory.pipelines.recognition import choose_recogniser
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.preprocessing.recognition import Sheet, page_of
from trisynapse_memory.preprocessing.sandbox import LoadedPage, RecogniseWorker
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import PageVerdict

WORDS = "Foucault measured the speed of light with a rotating mirror in 1862."
WAIT_S = 60.0
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x58\0\0\3\x20"  # 600 x 800 pixels


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """Two pages that are pictures: one of a sentence, one of nothing."""
    written = pymupdf.open()
    written.new_page(width=600, height=800).insert_text((60, 100), WORDS, fontsize=14)
    picture = written[0].get_pixmap(dpi=150)
    scan = pymupdf.open()
    scan.new_page(width=600, height=800).insert_image((0, 0, 600, 800), pixmap=picture)
    blank = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 40, 20))
    blank.clear_with(200)
    scan.new_page(width=600, height=800).insert_image((0, 0, 600, 800), pixmap=blank)
    path = tmp_path / "scan.pdf"
    scan.save(path)
    return path


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let an eye that sees the sentence on page 1 look; the pages it looked at."""
    looked: list[int] = []

    def recognise(self: RecogniseWorker, path: Path, loader: str, name: str, sheet: Sheet, title: str) -> LoadedPage:
        looked.append(sheet.number)
        words = [SeenWord(w, 60 + 40 * n, 100, 98 + 40 * n, 120, 0, 0.9) for n, w in enumerate(WORDS.split())]
        page, sections = page_of(sheet, PNG, words if sheet.number == 1 else [], name)
        return LoadedPage(page=page, sections=sections, chunks=chunk_page(page, sections, _lengths, Config()))

    monkeypatch.setattr(furnishing, "choose_recogniser", lambda registry: ("eye", ""))
    monkeypatch.setattr(RecogniseWorker, "recognise", recognise)
    monkeypatch.setattr(jobs, "BACKOFF_S", 0.02)
    return looked


def _lengths(texts):
    return [len(text.split()) + 2 for text in texts]


@pytest.fixture
def reopen(tmp_path: Path, in_process: None) -> Iterator[Callable[[], MemoryEngine]]:
    opened: list[MemoryEngine] = []

    def make() -> MemoryEngine:
        for one in opened:
            one.close()
        opened.append(MemoryEngine.open(tmp_path / "one.vault"))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_a_scan_becomes_askable_and_its_first_reading_stays(reopen, scan, seen):
    engine = reopen()
    (result,) = engine.ingest(scan).results
    # The run tells what became of the pages once all that waited was done.
    assert result.verdicts == {"ocr": 1, "image-only": 1}
    assert (result.status, result.reason) == ("partial", "1 of 2 pages cannot be read: 1 image-only")
    assert [(note.page, note.verdict, note.method) for note in result.pages] == [
        (1, PageVerdict.OCR, "ocr:eye"),
        (2, PageVerdict.IMAGE_ONLY, "ocr:eye"),
    ]
    assert result.pages[1].note == "eye found no text in the picture"
    (source,) = engine.sources.list()
    assert (source.verdicts, source.record_count) == ({"ocr": 1, "image-only": 1}, 1)
    answer = engine.query("Who measured the speed of light with a rotating mirror?")
    assert not answer.abstain
    assert answer.citations[0].locator.page == 1
    assert answer.citations[0].locator.quads
    pages = engine.sources.text(source.source_id)
    assert [page.text for page in pages] == [WORDS, ""]
    readings = engine.list_records(kind="page", include_retracted=True)
    assert len(readings) == 4
    assert engine.validate().ok


def test_no_page_is_looked_at_twice_also_after_a_restart_and_a_rebuild(reopen, scan, seen):
    engine = reopen()
    engine.ingest(scan)
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    assert seen == [1, 2]
    before = engine.search("rotating mirror").hits
    engine.reindex()
    assert [hit.record.id for hit in engine.search("rotating mirror").hits] == [hit.record.id for hit in before]
    assert engine.sources.list()[0].verdicts == {"ocr": 1, "image-only": 1}
    assert engine.validate().ok


def test_a_scan_that_says_what_a_note_says_is_its_copy_once_all_its_pages_are_read(reopen, scan, seen, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text(WORDS + "\n")
    engine = reopen()
    engine.ingest(note)
    engine.ingest(scan)
    assert seen == [1, 2]
    (read, written) = engine.sources.list()
    assert (read.same_text_as, written.same_text_as) == (written.source_id, None)
    assert [one.source_id for one in engine.sources.copies(written.source_id)] == [read.source_id]
    engine.reindex()
    assert engine.sources.list()[0].same_text_as == written.source_id
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    assert engine.validate().ok


def garbled(path: Path) -> Path:
    """A page whose letters come in a mixture that no language has, as with a font that lies about them."""
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    for line in range(12):
        page.insert_text((60, 100 + 20 * line), "bcdfg hjklm npqrs tvwxz " * 2, fontsize=12)
    document.save(path)
    return path


def test_a_garbled_page_is_read_from_its_picture_too(reopen, seen, tmp_path):
    engine = reopen()
    (before,) = engine.ingest(garbled(tmp_path / "garbled.pdf"), wait=False).results
    assert before.verdicts == {"garbled": 1}
    engine.jobs.wait(WAIT_S)
    assert engine.sources.list()[0].verdicts == {"ocr": 1}
    assert engine.search("rotating mirror").hits
    assert engine.validate().ok


def test_a_garbled_page_on_which_nothing_is_seen_keeps_what_it_had(reopen, seen, tmp_path, monkeypatch):
    def see_nothing(self, path, loader, name, sheet, title):
        page, sections = page_of(sheet, PNG, [], name)
        return LoadedPage(page=page, sections=sections)

    monkeypatch.setattr(RecogniseWorker, "recognise", see_nothing)
    engine = reopen()
    (result,) = engine.ingest(garbled(tmp_path / "garbled.pdf")).results
    assert result.verdicts == {"garbled": 1}
    (page,) = engine.sources.text(result.source_id)
    assert page.text.startswith("bcdfg hjklm")
    assert not any(task.pending for task in engine.jobs.list() if task.name == "scans")


def test_a_page_that_kills_its_reader_twice_is_settled_with_the_reason(reopen, scan, seen, monkeypatch):
    def die(*_: object) -> LoadedPage:
        raise WorkerDiedError("The worker died: signal 9.")

    monkeypatch.setattr(RecogniseWorker, "recognise", die)
    engine = reopen()
    (result,) = engine.ingest(scan).results
    assert result.verdicts == {"image-only": 2}
    assert "could not be read from its picture: The worker died" in result.pages[0].note
    assert not any(task.pending for task in engine.jobs.list() if task.name == "scans")


def test_where_nothing_can_read_pictures_the_work_is_not_listed_and_the_page_keeps_its_verdict(
    reopen, scan, monkeypatch
):
    monkeypatch.setattr(furnishing, "choose_recogniser", lambda registry: ("", "install it"))
    engine = reopen()
    (result,) = engine.ingest(scan).results
    assert result.verdicts == {"image-only": 2}
    assert "scans" not in {task.name for task in engine.jobs.list()}


def test_what_was_read_goes_with_its_source(reopen, scan, seen, tmp_path):
    engine = reopen()
    (result,) = engine.ingest(scan).results
    engine.sources.forget(result.source_id, reason="wrong scan")
    assert engine.search("rotating mirror").hits == ()
    engine.sources.reinstate(result.source_id, reason="right after all")
    assert engine.search("rotating mirror").hits
    engine.sources.remove(result.source_id, reason="private")
    engine.close()
    held = b"".join(path.read_bytes() for path in sorted((tmp_path / "one.vault").rglob("*")) if path.is_file())
    assert b"Foucault" not in held


def test_the_first_recogniser_that_can_work_is_chosen_and_else_every_obstacle_is_told(monkeypatch):
    name, obstacle = choose_recogniser(Registry(guests=False))
    assert bool(name) != bool(obstacle)
    monkeypatch.setattr("trisynapse_memory.preprocessing.recognisers.tesseract.shutil.which", lambda name: None)
    monkeypatch.setattr("trisynapse_memory.preprocessing.recognisers.rapid.find_spec", lambda name: None)
    name, obstacle = choose_recogniser(Registry(guests=False))
    assert name == ""
    assert "trisynapse-desktop[ocr]" in obstacle
    assert "tesseract-ocr" in obstacle


@pytest.mark.real
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract-ocr")
def test_a_real_scan_is_read_by_tesseract_in_a_worker(tmp_path, scan):
    with MemoryEngine.open(tmp_path / "real.vault") as engine:
        (result,) = engine.ingest(scan).results
        assert result.verdicts == {"ocr": 1, "image-only": 1}
        (hit,) = engine.search("rotating mirror").hits[:1]
        assert WORDS in " ".join(hit.record.text.split())
        (quad, *_) = hit.locator.quads
        assert quad[0] == pytest.approx(60, abs=3)
        assert 84 < quad[1] < 100 < quad[5] < 108  # the base line stands at 100
