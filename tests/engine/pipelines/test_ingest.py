"""The write corridor: every input gets its result, a crash costs nothing, versions follow each other, nothing twice."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docx
import msoffcrypto
import pymupdf
import pytest

from trisynapse_memory.errors import DiskFullError, WorkerDiedError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.providers.egress import Reply
from trisynapse_memory.types import IngestRun, Kind, Outcome, Progress, QueryTerm, Scope, SourceInput, SourceStatus

Take = Callable[..., IngestRun]


def found(rooms: Rooms, word: str) -> list[str]:
    """Return the texts that hold a word, as the word index and the log agree on them."""
    hits = rooms.lexical.search([QueryTerm(word)], Scope(), 100)
    return [record.text for record in rooms.log.by_seqs(sorted(hit.seq for hit in hits))]


def crash(*_: object) -> None:
    raise KeyboardInterrupt


def kinds(log: MemoryLog) -> list[str]:
    return [record.kind.value for record in log.after(0, 10_000)]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """Twelve pages, one of them empty."""
    document = pymupdf.open()
    for number in range(1, 13):
        page = document.new_page()
        if number != 5:
            page.insert_text((72, 100), f"Page {number} speaks of mirrors and of the number {number * 111}.")
    document.save(tmp_path / "paper.pdf")
    document.close()
    return tmp_path / "paper.pdf"


def test_a_file_becomes_source_pages_chunks_and_a_completion(take: Take, rooms: Rooms, papers: Path):
    run = take(papers / "light.txt")
    (result,) = run.results
    assert (run.status, result.status, result.version, result.reason) == ("completed", Outcome.SUCCESS, 1, "")
    assert kinds(rooms.log) == ["source", "page", "raw_source", "completion"]
    assert found(rooms, "foucault") == ["Foucault measured the speed of light with a rotating mirror in 1862."]
    source = rooms.shelf.get(result.source_id)
    assert (source.status, source.title, source.filename) == (SourceStatus.ACTIVE, "light", "light.txt")
    assert rooms.blobs.path(source.blob_hash).read_bytes() == (papers / "light.txt").read_bytes()


def test_offsets_of_a_chunk_point_into_its_stored_page(take: Take, rooms: Rooms, papers: Path):
    take(papers)
    chunks = rooms.log.of_kind(Kind.RAW_SOURCE)
    assert len(chunks) == 2
    for chunk in chunks:
        page = rooms.log.page(chunk.source_id, 1)
        assert page.text[chunk.locator.start : chunk.locator.end] == chunk.text


def test_each_page_has_one_verdict_and_the_totals_agree(take: Take, rooms: Rooms, paper: Path):
    (result,) = take(paper).results
    assert [note.page for note in result.pages] == list(range(1, 13))
    assert result.verdicts == {"ok": 11, "empty": 1}
    assert sum(result.verdicts.values()) == rooms.shelf.get(result.source_id).page_count == 12


def test_words_are_searchable_before_the_source_is_whole(take: Take, rooms: Rooms, paper: Path):
    seen: list[int] = []

    def notify(progress: Progress) -> None:
        if progress.stage == "words":
            seen.append(len(found(rooms, "mirrors")))

    take(paper, notify=notify)
    assert seen[0] > 0
    assert seen == sorted(seen)
    assert seen[-1] == 11
    assert len(seen) > 1, "the first pages come in a batch of their own"


def test_the_same_file_again_is_skipped_and_nothing_is_written(take: Take, rooms: Rooms, papers: Path):
    first = take(papers)
    head = rooms.log.head()
    again = take(papers)
    assert [result.reason for result in again.results] == ["unchanged", "unchanged"]
    assert {result.source_id for result in again.results} == {result.source_id for result in first.results}
    assert (rooms.log.head(), again.status) == (head, "completed")


def test_the_same_bytes_under_another_name_are_a_duplicate(take: Take, rooms: Rooms, papers: Path):
    take(papers / "light.txt")
    (papers / "copy.txt").write_bytes((papers / "light.txt").read_bytes())
    (result,) = take(papers / "copy.txt").results
    assert (result.status, result.reason) == (Outcome.SKIPPED, "duplicate of 'light'")
    assert len(found(rooms, "foucault")) == 1


def test_a_changed_file_is_a_new_version_and_the_old_words_leave(take: Take, rooms: Rooms, papers: Path):
    take(papers / "light.txt")
    (papers / "light.txt").write_text("Michelson measured it with a better mirror in 1879.\n")
    (result,) = take(papers / "light.txt").results
    assert (result.version, result.reason, result.status) == (2, "new version", Outcome.SUCCESS)
    assert found(rooms, "foucault") == []
    assert len(found(rooms, "mirror")) == 1
    old, new = rooms.shelf.versions(str(papers / "light.txt"), rooms.shelf.get(result.source_id).namespace)
    assert (old.status, new.status, new.previous_source_id) == (
        SourceStatus.SUPERSEDED,
        SourceStatus.ACTIVE,
        old.source_id,
    )


def test_a_b_a_restores_a_and_writes_no_chunk_again(take: Take, rooms: Rooms, papers: Path):
    path = papers / "light.txt"
    first = path.read_text()
    (one,) = take(path).results
    path.write_text("Something else entirely.\n")
    take(path)
    chunks = len(rooms.log.of_kind(Kind.RAW_SOURCE))
    path.write_text(first)
    (back,) = take(path).results
    assert (back.source_id, back.version, back.reason) == (one.source_id, 1, "version 1 restored")
    assert len(found(rooms, "foucault")) == 1
    assert found(rooms, "entirely") == []
    assert len(rooms.log.of_kind(Kind.RAW_SOURCE)) == chunks
    assert take(path).results[0].reason == "unchanged"


def test_an_edit_of_a_long_source_leaves_every_passage_once(take: Take, rooms: Rooms, tmp_path: Path):
    lines = [f"## Part {n}\n\nThe mirror turned {n} times in trial {n}.\n" for n in range(60)]
    (tmp_path / "long.md").write_text("\n".join(lines))
    take(tmp_path / "long.md")
    lines[30] = "## Part 30\n\nThe mirror stood still in trial 30.\n"
    (tmp_path / "long.md").write_text("\n".join(lines))
    take(tmp_path / "long.md")
    texts = found(rooms, "mirror")
    assert len(texts) == len(set(texts)) == 60
    assert rooms.lexical.record_count(Scope()) == rooms.log.visible_count() == 60


def test_a_crash_leaves_whole_batches_and_the_next_run_goes_on_after_the_last_page(
    take: Take, rooms: Rooms, paper: Path, sandbox
):
    sandbox.die_after = 6
    with pytest.raises(KeyboardInterrupt):
        take(paper)
    half = rooms.log.of_kind(Kind.PAGE)
    assert len(half) == 4, "the first batch has four pages; the pages after it were not committed"
    asked: list[int] = []
    load = sandbox.load
    sandbox.die_after = None
    sandbox.load = lambda *args, start_page=1, **wishes: (
        asked.append(start_page) or load(*args, start_page=start_page, **wishes)
    )
    (result,) = take(paper).results
    assert asked == [5]
    assert result.verdicts == {"ok": 11, "empty": 1}
    keys = [record.external_key for record in rooms.log.after(0, 1000) if record.external_key]
    assert len(keys) == len(set(keys))
    assert check_log(rooms.log, rooms.blobs)[0] == []
    assert len(found(rooms, "mirrors")) == 11


def test_a_crash_before_the_completion_is_mended_too(take: Take, rooms: Rooms, paper: Path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("trisynapse_memory.pipelines.closing.complete", crash)
        with pytest.raises(KeyboardInterrupt):
            take(paper)
    assert rooms.shelf.counts() == {"arriving": 1}
    (result,) = take(paper).results
    assert (result.status, rooms.shelf.counts()) == (Outcome.SUCCESS, {"active": 1})
    assert len(rooms.log.of_kind(Kind.PAGE)) == 12


def test_a_crash_an_edit_and_the_file_again_leave_nothing_of_the_half(take: Take, rooms: Rooms, tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_text("# One\n\nThe old mirror.\n")
    with monkeypatch.context() as patch:
        patch.setattr("trisynapse_memory.pipelines.closing.complete", crash)
        with pytest.raises(KeyboardInterrupt):
            take(path)
    path.write_text("# One\n\nThe new mirror.\n")
    take(path)
    assert found(rooms, "mirror") == ["# One\n\nThe new mirror."]
    path.write_text("# One\n\nThe old mirror.\n")
    (back,) = take(path).results
    assert back.status is Outcome.SUCCESS
    assert found(rooms, "mirror") == ["# One\n\nThe old mirror."]
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_forgetting_half_a_source_and_adding_it_again_gives_the_whole(take: Take, rooms: Rooms, paper: Path, sandbox):
    sandbox.die_after = 6
    with pytest.raises(KeyboardInterrupt):
        take(paper)
    (half,) = rooms.shelf.list(SourceInput(text="").namespace)
    lifecycle.forget_source(rooms.log, rooms.shelf, half.source_id, "no")
    rooms.projector.catch_up()
    assert found(rooms, "mirrors") == []
    sandbox.die_after = None
    (result,) = take(paper).results
    assert result.verdicts == {"ok": 11, "empty": 1}
    assert len(found(rooms, "mirrors")) == 11
    assert rooms.shelf.get(half.source_id).status is SourceStatus.ACTIVE


def test_a_bad_file_costs_itself_only(take: Take, rooms: Rooms, tmp_path: Path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.txt").write_text("A good mirror.")
    (folder / "b.pdf").write_bytes(b"%PDF-1.7\nbroken beyond reading")
    (folder / "c.txt").write_bytes(b"")
    (folder / "d.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "e.txt").write_text("Another mirror.")
    run = take(folder)
    by_name = {Path(result.input).name: result for result in run.results}
    status = {name: (result.status.value, result.error and result.error.code) for name, result in by_name.items()}
    assert status == {
        "a.txt": ("success", None),
        "b.pdf": ("failed", "source.damaged"),
        "c.txt": ("failed", "source.empty"),
        "d.bin": ("failed", "source.unsupported"),
        "e.txt": ("success", None),
    }
    for name in ("b.pdf", "c.txt", "d.bin"):
        result = by_name[name]
        assert name in result.error.message
        assert sum(result.verdicts.values()) == len(result.pages) == 1
    assert run.status == "partial"
    assert len(found(rooms, "mirror")) == 2
    names = {source.filename for source in rooms.shelf.list(SourceInput(text="").namespace)}
    assert names == {"a.txt", "e.txt"}
    assert len(list(rooms.blobs.hashes())) == 2, "a refused file leaves no original behind"


def test_a_file_that_vanishes_between_listing_and_reading_costs_itself_only(take: Take, papers: Path):
    def notify(progress: Progress) -> None:
        if (progress.stage, progress.label) == ("reading", "light.txt"):
            (papers / "light.txt").unlink()

    taken, gone = take(papers, notify=notify).results
    assert (taken.status, gone.status) == (Outcome.SUCCESS, Outcome.FAILED)
    assert gone.error.code == "source.missing"


def test_a_worker_that_dies_for_good_costs_its_file_only(take: Take, rooms: Rooms, papers: Path, sandbox):
    load = sandbox.load

    def dying(path, kind, **wishes):
        if wishes["filename"] == "device.md":
            raise WorkerDiedError("Opening 'device.md' ended the worker.")
        return load(path, kind, **wishes)

    sandbox.load = dying
    bad, good = take(papers).results
    assert (bad.error.code, good.status) == ("source.worker_died", Outcome.SUCCESS)


def test_a_full_disk_ends_the_run_says_so_and_a_later_run_completes_it(
    take: Take, rooms: Rooms, papers: Path, monkeypatch
):
    def full(*_: object) -> None:
        raise DiskFullError("The disk that holds the vault is full.", hint="Free some space.")

    with monkeypatch.context() as patch:
        patch.setattr(BlobStore, "put_file", full)
        run = take(papers)
    assert [result.error.code for result in run.results] == ["vault.disk_full", "vault.disk_full"]
    assert [result.reason for result in run.results][1] == "not tried"
    assert run.status == "failed"
    assert take(papers).status == "completed"
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_a_cancelled_run_keeps_what_is_done_and_can_be_gone_on_with(
    take: Take, rooms: Rooms, papers: Path, paper: Path
):
    stop = threading.Event()

    def notify(progress: Progress) -> None:
        if progress.stage == "words":
            stop.set()

    run = take(paper, papers, stop=stop, notify=notify)
    assert run.status == "cancelled"
    assert [(result.status, result.reason) for result in run.results] == [(Outcome.PARTIAL, "cancelled")]
    assert take(paper, papers).status == "completed"
    assert len(rooms.log.of_kind(Kind.PAGE)) == 14


def test_a_dry_run_writes_nothing_anywhere(take: Take, rooms: Rooms, papers: Path):
    run = take(papers, dry_run=True)
    assert run.dry_run
    assert [result.reason for result in run.results] == ["new", "new"]
    assert rooms.log.head() == 0
    assert list(rooms.blobs.hashes()) == []
    assert rooms.history.list(10) == ()


def test_sources_land_in_the_collection_of_the_run(take: Take, rooms: Rooms, papers: Path):
    take(papers, collection="Optics")
    assert {source.collections for source in rooms.shelf.list(SourceInput(text="").namespace)} == {("Optics",)}


def test_texts_and_bytes_are_sources_too(take: Take, rooms: Rooms):
    run = take(
        SourceInput(text="A mirror.", filename="note.md"),
        SourceInput(content=b"Another mirror.", title="Bytes"),
    )
    assert [result.title for result in run.results] == ["note", "Bytes"]
    assert found(rooms, "mirror") == ["A mirror.", "Another mirror."]


def test_offline_refuses_a_url_by_name_and_the_rest_goes_on(take: Take, papers: Path):
    refused, good = take(SourceInput(url="https://example.org/x"), papers / "light.txt").results
    assert (refused.error.code, good.status) == ("network.offline", Outcome.SUCCESS)
    assert "https://example.org/x" in refused.error.message


def test_the_password_is_used_and_kept_nowhere(take: Take, rooms: Rooms, tmp_path: Path):
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "A secret mirror on this page, in whole sentences.")
    document.save(tmp_path / "s.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="Sesam-4711", owner_pw="o")
    document.close()
    (locked,) = take(tmp_path / "s.pdf").results
    assert (locked.error.code, locked.verdicts) == ("source.password", {"needs-password": 1})
    (wrong,) = take(SourceInput(path=str(tmp_path / "s.pdf"), password="no")).results
    assert wrong.error.code == "source.password"
    (opened,) = take(SourceInput(path=str(tmp_path / "s.pdf"), password="Sesam-4711")).results
    assert opened.status is Outcome.SUCCESS
    letter = docx.Document()
    letter.add_paragraph("A secret mirror in this letter, in whole sentences.")
    letter.save(packed := io.BytesIO())
    with (tmp_path / "s.docx").open("wb") as stream:
        msoffcrypto.OfficeFile(packed).encrypt("Sesam-4711", stream)
    (locked,) = take(tmp_path / "s.docx").results
    assert (locked.error.code, locked.verdicts) == ("source.password", {"needs-password": 1})
    (opened,) = take(SourceInput(path=str(tmp_path / "s.docx"), password="Sesam-4711")).results
    assert (opened.status, opened.kind) == (Outcome.SUCCESS, "docx")
    rooms.log.database.checkpoint()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.stem != "s"]
    assert not [path for path in kept if b"Sesam-4711" in path.read_bytes()]


def test_options_are_values():
    assert Options() == Options(dry_run=False, fetch=False, collection=None)


ARTICLE = b"""<html><head><title>How the mirror turned</title></head><body><article><h1>How the mirror turned</h1>
<p>Eight hundred turns a second were counted with a stroboscope, which was driven by a clock of its own.</p>
<p>The air turbine was built by Froment, who had made the clockwork of the observatory.</p></article></body></html>"""


class Site:
    """Stands for the door to the network: gives one page, and says who asked for what."""

    def __init__(self, offline: bool = False) -> None:
        self.asked: list[str] = []
        self.offline = offline

    def get(self, url: str, purpose: str, *_: object) -> Reply:
        self.asked.append(url)
        return Reply(url, 200, {"content-type": "text/html; charset=utf-8"}, ARTICLE)


def test_nothing_is_fetched_while_offline_is_on(rooms: Rooms, sandbox):
    site = Site(offline=True)
    run = Ingest(replace(rooms, egress=site), sandbox, lambda progress: None).run(
        (SourceInput(url="https://example.org/mirror"),), Options(), threading.Event()
    )
    assert (run.results[0].status, run.results[0].error.code, site.asked) == (Outcome.FAILED, "network.offline", [])
