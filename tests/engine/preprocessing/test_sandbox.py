"""A parser that hangs, crashes, eats memory or dies costs one page, and never the process that asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import (
    BadEmbeddingError,
    PasswordNeededError,
    SourceTimedOutError,
    UnknownBranchError,
    WorkerDiedError,
)
from trisynapse_memory.preprocessing import children as children_module
from trisynapse_memory.preprocessing import sandbox as sandbox_module
from trisynapse_memory.preprocessing.sandbox import EmbedWorker, LoadedPage, Sandbox
from trisynapse_memory.types import Heading, PageVerdict

pytestmark = pytest.mark.timeout(110)

GUEST = """
    import ctypes, os, sys, time
    import numpy as np
    from trisynapse_memory.types import Heading, Listing, Page, PageVerdict, Section

    def reach_out():
        import socket
        try:
            socket.create_connection(("127.0.0.1", 9))
        except BaseException as error:
            by_python = type(error).__name__
        return f"{by_python} {ctypes.CDLL(None).socket(2, 1, 0)} {os.environ['HF_HUB_OFFLINE']}"

    class GuestLoader:
        name, version, modality = "guest", 1, "document"

        def suits(self, head, filename):
            return 0.0

        def open(self, path, password=None, *, filename=""):
            return GuestDocument(path.read_text().split("|"))

    class GuestDocument:
        def __init__(self, deeds):
            self.deeds = deeds
            if "hang-open" in deeds:
                time.sleep(600)
            self.heading = Heading(page_count=0 if "list" in deeds else len(deeds))

        def members(self):
            if "list" in self.deeds:
                yield Listing(key="a", title="A")
                yield Listing(key="b", title="B")
            if "attached" in self.deeds:
                yield Listing(key="c", title="C", kind="file", content=b"words")
                os._exit(4)

        def pages(self, start):
            if "list" in self.deeds:
                return
            for number, deed in list(enumerate(self.deeds, start=1))[start - 1:]:
                if deed == "hang":
                    while True:
                        pass
                if deed == "segfault":
                    ctypes.string_at(0)
                if deed == "memory":
                    hoard = bytearray(64 * 2 ** 30)
                if deed == "print":
                    print("noise on standard output", flush=True)
                    os.write(1, b"more noise")
                if deed == "stop":
                    return
                if deed == "network":
                    deed = reach_out()
                if deed == "title":
                    self.heading = Heading(page_count=len(self.deeds), title="Found on page 1")
                text = deed * (400_000 if deed == "big" else 1)
                said = f"{text} on page {number}. pid {os.getpid()}"
                yield Page(number=number, text=said, verdict=PageVerdict.OK), ()
            if "die-late" in self.deeds:
                os._exit(3)

        def close(self):
            pass

    class GuestEmbedder:
        model_id, dimension, max_tokens = "guest", 3, 256

        def token_counts(self, texts):
            return tuple(len(text.split()) + 2 for text in texts)

        def embed(self, texts):
            if texts[0] == "die":
                os._exit(9)
            if texts[0] == "hang":
                time.sleep(600)
            if texts[0] == "nan":
                return np.full((len(texts), 3), np.nan, dtype=np.float32)
            if texts[0] == "few":
                return np.zeros((0, 3), dtype=np.float32)
            return np.array([[len(text), os.nice(0), os.getpid()] for text in texts], dtype=np.float32)
"""


@pytest.fixture(autouse=True)
def guests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a loader and an embedder as a third party would: a module and its entry points."""
    site = tmp_path / "site"
    metadata = site / "guest-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "guest_branches.py").write_text(textwrap.dedent(GUEST))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[trisynapse_memory.loader]\nguest = guest_branches:GuestLoader\n"
        "[trisynapse_memory.embedder]\nguest = guest_branches:GuestEmbedder\n"
    )
    monkeypatch.syspath_prepend(str(site))


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Config(page_budget_s=1.5), counter="guest")
    yield made
    made.close()


@pytest.fixture
def deeds(tmp_path: Path) -> Any:
    def write(*steps: str) -> Path:
        path = tmp_path / "deeds.txt"
        path.write_text("|".join(steps))
        return path

    return write


def verdicts(sandbox: Sandbox, path: Path, loader: str = "guest") -> list[str]:
    heading, *pages = sandbox.load(path, loader)
    assert isinstance(heading, Heading)
    assert all(isinstance(page, LoadedPage) for page in pages)
    assert [page.page.number for page in pages] == list(range(1, heading.page_count + 1))
    return [str(page.page.verdict) for page in pages]


def test_pages_come_with_chunks_and_their_index_terms(sandbox: Sandbox, deeds: Any):
    heading, page = sandbox.load(deeds("hello"), "guest")
    assert heading == Heading(page_count=1)
    (chunk,) = page.chunks
    assert chunk.text.startswith("hello on page 1.")
    assert chunk.locator.page == 1
    assert dict(zip(chunk.terms.keys, chunk.terms.positions, strict=True))["hello"] == (0,)


@pytest.mark.parametrize(("deed", "verdict"), [("hang", "timed-out"), ("segfault", "damaged"), ("memory", "damaged")])
def test_a_page_that_hangs_or_kills_its_worker_costs_that_page_only(
    sandbox: Sandbox, deeds: Any, deed: str, verdict: str
):
    assert verdicts(sandbox, deeds("fine", deed, "fine", "fine")) == ["ok", verdict, "ok", "ok"]


def test_a_worker_has_no_network_by_python_and_on_linux_by_nothing_else(sandbox: Sandbox, deeds: Any):
    _, page = sandbox.load(deeds("network"), "guest")
    by_python, by_library, told = page.page.text.split()[:3]
    assert (by_python, told) == ("OfflineError", "1")
    assert by_library == "-1" or sys.platform != "linux"


def test_the_note_says_what_happened(sandbox: Sandbox, deeds: Any):
    _, page = sandbox.load(deeds("segfault"), "guest")
    assert page.page.note == f"Reading this page ended the worker: it was ended by signal {int(signal.SIGSEGV)}."


def test_after_too_many_broken_pages_the_rest_is_given_up_but_counted(
    sandbox: Sandbox, deeds: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sandbox_module, "MAX_RESTARTS", 2)
    heading, *pages = sandbox.load(deeds(*["segfault"] * 5, "fine"), "guest")
    assert len(pages) == heading.page_count == 6
    assert {page.page.verdict for page in pages} == {PageVerdict.DAMAGED}
    assert pages[-1].page.note == "Given up after 3 broken pages."


def test_a_file_over_its_budget_ends_with_timed_out_pages(deeds: Any):
    made = Sandbox(Config(page_budget_s=20, file_budget_s=1), counter="guest")
    heading, *pages = made.load(deeds("fine", "hang", "fine"), "guest")
    made.close()
    assert [str(page.page.verdict) for page in pages][1:] == ["timed-out", "timed-out"]
    assert len(pages) == heading.page_count


def test_a_loader_that_stops_early_leaves_no_page_out(sandbox: Sandbox, deeds: Any):
    assert verdicts(sandbox, deeds("fine", "stop", "fine")) == ["ok", "damaged", "damaged"]


def test_a_worker_that_dies_after_its_last_page_has_done_its_work(sandbox: Sandbox, deeds: Any):
    assert verdicts(sandbox, deeds("fine", "die-late")) == ["ok", "ok"]


def test_what_a_library_prints_does_not_reach_the_pipe(sandbox: Sandbox, deeds: Any):
    assert verdicts(sandbox, deeds("print", "fine")) == ["ok", "ok"]


def test_a_title_found_on_page_one_is_in_the_heading(sandbox: Sandbox, deeds: Any):
    heading, *pages = sandbox.load(deeds("title", "fine"), "guest")
    assert heading.title == "Found on page 1"
    assert len(pages) == 2


def test_members_of_a_container_come_one_by_one(sandbox: Sandbox, deeds: Any):
    heading, first, second = sandbox.load(deeds("list"), "guest")
    assert (heading.page_count, first.key, second.key) == (0, "a", "b")


def test_a_file_that_hangs_while_opening_is_an_error_of_that_file(
    sandbox: Sandbox, deeds: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(children_module, "OPEN_GRACE_S", 0.5)
    with pytest.raises(SourceTimedOutError, match=r"Opening 'deeds\.txt'"):
        list(sandbox.load(deeds("hang-open"), "guest"))


def test_errors_of_the_loader_come_back_as_themselves(sandbox: Sandbox, tmp_path: Path):
    document = pymupdf.open()
    document.new_page()
    path = tmp_path / "locked.pdf"
    document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    with pytest.raises(PasswordNeededError) as caught:
        list(sandbox.load(path, "pdf"))
    assert caught.value.hint
    with pytest.raises(UnknownBranchError):
        list(sandbox.load(path, "nosuch"))
    assert len(list(sandbox.load(path, "pdf", password="open"))) == 2


def test_one_worker_serves_file_after_file(sandbox: Sandbox, deeds: Any):
    _, first = sandbox.load(deeds("fine"), "guest")
    _, second = sandbox.load(deeds("fine"), "guest")
    assert first.page.text == second.page.text


def test_closing_the_iterator_ends_the_worker(sandbox: Sandbox, deeds: Any):
    pages = sandbox.load(deeds("fine", "hang"), "guest")
    next(pages)
    worker = int(next(pages).page.text.rsplit(" ", 1)[1])
    pages.close()
    assert not _is_alive(worker)


def test_reading_can_start_at_a_later_page(sandbox: Sandbox, deeds: Any):
    _, *pages = sandbox.load(deeds("a", "b", "c"), "guest", start_page=3)
    assert [page.page.number for page in pages] == [3]


def test_a_slow_reader_holds_the_worker_back_and_is_not_taken_for_a_hang(deeds: Any):
    made = Sandbox(Config(page_budget_s=1), counter="guest")
    pages = made.load(deeds(*["big"] * 12), "guest")
    next(pages)
    time.sleep(1.5)
    assert len(list(pages)) == 12
    made.close()


def test_r11_nested_forms_that_never_end_time_out_and_the_other_pages_are_read(tmp_path: Path):
    path = tmp_path / "bomb.pdf"
    path.write_bytes(_nested_forms(depth=40))
    made = Sandbox(Config(page_budget_s=4), counter="guest")
    began = time.monotonic()
    found = verdicts(made, path, "pdf")
    made.close()
    assert found == ["ok", "timed-out", "ok"]
    assert time.monotonic() - began < 45


def test_a_worker_dies_with_its_parent_even_while_it_hangs(deeds: Any, tmp_path: Path):
    path = deeds("fine", "hang")
    script = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from pathlib import Path
        from trisynapse_memory.config import Config
        from trisynapse_memory.preprocessing.sandbox import Sandbox
        pages = Sandbox(Config(page_budget_s=90), counter="guest").load(Path({str(path)!r}), "guest")
        next(pages)
        print(next(pages).page.text.rsplit(" ", 1)[1], flush=True)
        next(pages)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent:
        worker = int(parent.stdout.readline())
        assert _is_alive(worker)
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 15
        while _is_alive(worker) and time.monotonic() < deadline:
            os.sched_yield()
    assert not _is_alive(worker)


def test_texts_are_embedded_in_a_child_of_low_priority():
    worker = EmbedWorker(Config(), "guest")
    vectors = worker.embed(["one", "three"])
    assert vectors.dtype == np.float32
    assert vectors[:, 0].tolist() == [3, 5]
    assert vectors[0, 1] >= 10 or os.nice(0) + 10 <= vectors[0, 1]
    assert int(vectors[0, 2]) != os.getpid()
    assert worker.embed([]).shape[0] == 0
    worker.close()


def test_bad_vectors_and_dead_embedders_are_errors_and_the_next_call_works():
    worker = EmbedWorker(Config(), "guest")
    with pytest.raises(BadEmbeddingError, match="not finite"):
        worker.embed(["nan"])
    with pytest.raises(BadEmbeddingError, match="one vector for each of 2"):
        worker.embed(["few", "x"])
    with pytest.raises(WorkerDiedError, match="code 9"):
        worker.embed(["die"])
    assert worker.embed(["back"])[0, 0] == 4
    worker.close()


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def _nested_forms(depth: int) -> bytes:
    """Three pages; the second draws a form that draws another one twice, and so on: 2^depth of them."""
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((72, 72), f"page {number + 1}")
    inner = document.get_new_xref()
    document.update_object(inner, "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]>>")
    document.update_stream(inner, b"0 0 1 1 re f", new=True)
    for _ in range(depth):
        outer = document.get_new_xref()
        form = f"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F {inner} 0 R>>>>>>"
        document.update_object(outer, form)
        document.update_stream(outer, b"/F Do /F Do", new=True)
        inner = outer
    page = document[1]
    contents = page.get_contents()[0]
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</F {inner} 0 R>>>>")
    document.update_stream(contents, b"/F Do")
    return document.tobytes()


def test_a_worker_that_dies_over_what_lies_in_a_file_is_told_after_its_pages(sandbox: Sandbox, deeds: Any):
    parts: list[Any] = []
    with pytest.raises(WorkerDiedError, match="ended with code 4"):
        parts.extend(sandbox.load(deeds("one", "attached"), "guest"))
    assert [getattr(part, "content", b"") for part in parts if hasattr(part, "content")] == [b"words"]
    assert [part.page.number for part in parts if isinstance(part, LoadedPage)] == [1, 2]


def test_closing_wakes_whoever_waits_for_an_embedder_that_hangs():
    """Closing a vault must not wait three minutes for a reply that will never come."""
    worker = EmbedWorker(Config(), "guest")
    worker.embed(["warm"])
    outcome: list[Exception] = []

    def wait() -> None:
        try:
            worker.embed(["hang"])
        except WorkerDiedError as error:
            outcome.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not worker._worker._inbox.replies.empty() or not waiting.is_alive():
        time.sleep(0.01)
    worker.close()
    waiting.join(timeout=20)
    assert not waiting.is_alive()
    assert len(outcome) == 1
