"""Nothing in, a small vault of the present format out, the same log on every run. Nothing of the machine gets in.

A saved vault of every format proves that later programs still read it. Run it once per format, before the format
changes, and commit what it writes::

    python packaging/scripts/make_golden_vault.py tests/golden/vaults/v1

Only truth is kept (``vault.toml``, ``log.db``, ``blobs``); projections and history are rebuilt by whoever opens it.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from trisynapse_memory.config import Config
from trisynapse_memory.log import conversation, lifecycle, store
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import opening
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Kind, Message, SourceInput

VAULT_ID = "0123456789abcdef0123456789abcdef"
TEXTS = {
    "mirror.md": "# The turning mirror\n\nFoucault measured the speed of light with a rotating mirror in 1862.\n",
    "device.txt": "The calibration code of device KX-00120 is 4711.\n\nIt was painted green in 1970.\n",
    "old.txt": "This source was forgotten, and no answer may cite the purple lamp.\n",
}
SECOND = f"{TEXTS['mirror.md']}\nHe got 298,000 km/s.\n"


class FixedLog(store.MemoryLog):
    """The log with a clock and dice that repeat."""

    def __init__(self, path: Path, device_id: str) -> None:
        self._moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self._throws = 0
        super().__init__(path, "dev_golden", self._tick, self._throw)

    def _tick(self) -> datetime:
        self._moment += timedelta(seconds=1)
        return self._moment

    def _throw(self, count: int) -> bytes:
        self._throws += 1
        return hashlib.sha256(f"golden {self._throws}".encode()).digest()[:count]


def fill(engine: MemoryEngine) -> None:
    """Let everything that format 1 knows happen once."""
    rooms = engine._rooms

    def take(name: str, text: str) -> str:
        given = SourceInput(text=text, filename=name, source_key=f"golden/{name}")
        return str(engine.ingest(given, wait=False).results[0].source_id)

    take("mirror.md", TEXTS["mirror.md"])
    device, old = take("device.txt", TEXTS["device.txt"]), take("old.txt", TEXTS["old.txt"])
    mirror = take("mirror.md", SECOND)
    engine.ingest_messages(
        [Message(role="user", content="The ether wind was never found.", id="m1", observed_at="1887-11-01T12:00:00")],
        group_id="talk",
        title="A talk",
    )
    lifecycle.forget_source(rooms.log, rooms.shelf, old, "for the test")
    curation = Curation(rooms.log, rooms.shelf)
    curation.tag(device, "devices")
    curation.collect(mirror, "Light")
    passage = rooms.log.of_source(mirror, Kind.RAW_SOURCE)[0]
    assert passage.locator is not None
    curation.highlight(mirror, "rotating mirror", passage.locator, "green", "the method")
    threads = Conversations(rooms.log)
    thread = threads.create("Light", (mirror,))
    threads.append(thread.thread_id, "user", "Who measured it?")


def main(target: Path) -> None:
    """Write the vault into a folder that is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "v"
        opening.MemoryLog = FixedLog  # pyright: ignore[reportAttributeAccessIssue]
        conversation.uuid4 = lambda: UUID(VAULT_ID)
        logging.disable()  # the embedding worker is stopped in the middle of its work; vectors are not kept anyway
        with MemoryEngine.open(place, create=True, offline=True, config=Config()) as engine:
            fill(engine)
        database = Database(place / "log.db")
        database.checkpoint()
        database.close()
        manifest = (place / "vault.toml").read_text(encoding="utf-8").splitlines()
        (place / "vault.toml").write_text(f'{manifest[0]}\nvault_id = "{VAULT_ID}"\n', encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in ("vault.toml", "log.db"):
            shutil.copyfile(place / name, target / name)
        shutil.copytree(place / "blobs" / "sha256", target / "blobs" / "sha256")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
