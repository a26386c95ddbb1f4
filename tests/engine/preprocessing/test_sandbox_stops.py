"""A stop is heard wherever a worker is; a large file has more time than a small one."""

from __future__ import annotations

import textwrap
import threading
from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.preprocessing.sandbox import LoadedPage, Sandbox, file_budget_s
from trisynapse_memory.types import Heading

pytestmark = pytest.mark.timeout(110)

GUEST = """
    import threading
    from trisynapse_memory.types import Heading, Page, PageVerdict

    class GuestLoader:
        name, version, modality = "guest", 1, "document"

        def suits(self, head, filename):
            return 0.0

        def open(self, path, password=None, *, filename=""):
            if path.name == "never":
                threading.Event().wait()
            return GuestDocument()

    class GuestDocument:
        heading = Heading(page_count=2)

        def pages(self, start):
            yield Page(number=1, text="A mirror turns.", verdict=PageVerdict.OK), ()
            threading.Event().wait()

        def close(self):
            pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a loader that hangs as a third party would; two files for it: one is opened, the other never is."""
    site = tmp_path / "site"
    metadata = site / "guest-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "guest_branches.py").write_text(textwrap.dedent(GUEST))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[trisynapse_memory.loader]\nguest = guest_branches:GuestLoader\n")
    monkeypatch.syspath_prepend(str(site))
    for name in ("opened", "never"):
        (tmp_path / name).write_text("words")
    return tmp_path


@pytest.mark.parametrize(("size", "share"), [(0, 1), (1, 1), (32 * 2**20, 1), (32 * 2**20 + 1, 2), (100_000_000, 3)])
def test_a_large_file_has_more_time_and_a_small_one_no_less(tmp_path: Path, size: int, share: int):
    path = tmp_path / "large.txt"
    with path.open("wb") as stream:
        stream.truncate(size)
    assert file_budget_s(path, Config(file_budget_s=100.0)) == 100.0 * share
    assert file_budget_s(tmp_path / "gone", Config(file_budget_s=100.0)) == 100.0


def test_a_stop_is_heard_in_the_middle_of_a_page(folder: Path):
    stop, found = threading.Event(), []
    sandbox = Sandbox(Config(page_budget_s=600.0), counter="")
    for part in sandbox.load(folder / "opened", "guest", stop=stop):
        found.append(part)
        if isinstance(part, LoadedPage):
            threading.Timer(0.5, stop.set).start()
    sandbox.close()
    assert [type(part) for part in found] == [Heading, LoadedPage]


def test_a_stop_is_heard_while_a_file_is_opened(folder: Path):
    stop = threading.Event()
    sandbox = Sandbox(Config(page_budget_s=600.0), counter="")
    threading.Timer(0.5, stop.set).start()
    assert list(sandbox.load(folder / "never", "guest", stop=stop)) == []
    sandbox.close()
