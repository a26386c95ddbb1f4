"""Nothing in, a small vault of the present format out, the same log on every run. Nothing of the machine gets in.

A saved vault of every format proves that later programs still read it. Run it once per format, before the format
changes, and commit what it writes::

    python packaging/scripts/make_golden_vault.py tests/golden/vaults/v2

Only truth is kept (``vault.toml``, ``log.db``, ``blobs``); projections and history are rebuilt by whoever opens it.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from trisynapse_memory.config import Config
from trisynapse_memory.log import conversation, lifecycle, store
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines import amendments, furnishing
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.pipelines.messages import take_messages
from trisynapse_memory.pipelines.removal import remove
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.preprocessing.sandbox import Sandbox
from trisynapse_memory.types import (
    AliasDetails,
    Draft,
    EditionDetails,
    EditionSentence,
    ExtractionDetails,
    FactDetails,
    FeedbackDetails,
    Kind,
    Message,
    Namespace,
    Payload,
    Record,
    ResolutionDetails,
    SourceId,
    SourceInput,
    SummaryDetails,
)
from trisynapse_memory.vault import Vault

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


def fill(rooms: Rooms, sandbox: Sandbox) -> None:
    """Let everything that the format knows happen once."""

    def take(name: str, text: str) -> str:
        given = SourceInput(text=text, filename=name, source_key=f"golden/{name}")
        run = Ingest(rooms, sandbox, lambda _: None).run((given,), Options(), threading.Event())
        return str(run.results[0].source_id)

    take("mirror.md", TEXTS["mirror.md"])
    device, old = take("device.txt", TEXTS["device.txt"]), take("old.txt", TEXTS["old.txt"])
    mirror = take("mirror.md", SECOND)
    said = Message(role="user", content="The ether wind was never found.", id="m1", observed_at="1887-11-01T12:00:00")
    take_messages(rooms, Namespace(), "talk", "A talk", [said])
    lifecycle.forget_source(rooms.log, rooms.shelf, old, "for the test")
    curate(rooms, device, mirror)
    derive(rooms.log, rooms.log.of_source(mirror, Kind.RAW_SOURCE)[0])
    green = next(one for one in rooms.log.of_source(device, Kind.RAW_SOURCE) if "green" in one.text)
    amendments.correct(rooms.log, green.id, "It was painted blue in 1970.", "seen at the museum")
    Sensitivity(rooms.log).mark(source_ids=[device])
    snapshots = Snapshots(rooms.log)
    snapshots.enter(snapshots.create("All papers read").snapshot_id)
    snapshots.leave()
    remove(rooms, source_id=take("gone.txt", "Nobody may read of the amber key.\n"), reason="for the test")


def curate(rooms: Rooms, device: str, mirror: str) -> None:
    """Let her make something of two sources."""
    curation = Curation(rooms.log, rooms.shelf)
    curation.tag(device, "devices")
    curation.collect(mirror, "Light")
    passage = rooms.log.of_source(mirror, Kind.RAW_SOURCE)[0]
    assert passage.locator is not None
    curation.highlight(mirror, "rotating mirror", passage.locator, "green", "the method")
    threads = Conversations(rooms.log)
    thread = threads.create("Light", (SourceId(mirror),))
    threads.append(thread.thread_id, "user", "Who measured it?")


def derive(log: MemoryLog, base: Record) -> None:
    """Append what is read out of a record, and what is made of that."""
    words = "Foucault measured the speed of light with a rotating mirror in 1862."
    start = base.text.index(words)
    fact = Draft(
        kind=Kind.FACT,
        text=words,
        source_id=base.source_id,
        group_id=base.group_id,
        locator=base.locator,
        evidence_ids=(base.id,),
        subject="speed of light",
        relation="measured_by",
        object="Foucault",
        payload=FactDetails(
            pattern="golden", extractor="golden", extractor_version=1, spans=((start, start + len(words)),)
        ),
    )
    sentence = EditionSentence(key="k1", text=words, record_ids=(base.id,))
    group = f"source:{base.source_id}"
    payloads: tuple[tuple[Kind, Payload], ...] = (
        (Kind.EXTRACTION, ExtractionDetails(extractor="golden", extractor_version=1, target_record_ids=(base.id,))),
        (
            Kind.SUMMARY,
            SummaryDetails(
                group_id=group,
                evidence_hash="0" * 64,
                topic="light",
                sentences=(words,),
                sentence_record_ids=((base.id,),),
            ),
        ),
        (Kind.ALIAS, AliasDetails(names=("Foucault", "Leon Foucault"), canonical="Foucault")),
        (Kind.REVIEW, ResolutionDetails(claim_id="c_golden", value="298,000 km/s", reason="the later paper")),
        (Kind.EDITION, EditionDetails(slug="light", title="Light", page_kind="concept", sentences=(sentence,))),
        (Kind.FEEDBACK, FeedbackDetails(query_id="q_golden", helpful=True)),
    )
    log.append([fact, *(Draft(kind=kind, payload=payload) for kind, payload in payloads)])
    log.append([Draft(kind=Kind.NOTE, text="Read it again before the talk.", evidence_ids=(base.id,))])


def write(place: Path) -> None:
    """Make the vault in a folder, without any work in the background: what it appends would differ from run to run."""
    vault, config = Vault.create(place), Config()
    furniture = furnishing.furnish(vault, config, furnishing.Conditions(offline=True))
    sandbox = Sandbox(config)
    try:
        fill(furniture.rooms, sandbox)
        furniture.rooms.log.database.checkpoint()
    finally:
        sandbox.close()
        furniture.rooms.projector.close()
        furniture.rooms.log.close()
        vault.close()


def main(target: Path) -> None:
    """Write the vault into a folder that is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "v"
        furnishing.MemoryLog = FixedLog
        conversation.uuid4 = lambda: UUID(VAULT_ID)
        write(place)
        manifest = (place / "vault.toml").read_text(encoding="utf-8").splitlines()
        (place / "vault.toml").write_text(f'{manifest[0]}\nvault_id = "{VAULT_ID}"\n', encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in ("vault.toml", "log.db"):
            shutil.copyfile(place / name, target / name)
        shutil.copytree(place / "blobs" / "sha256", target / "blobs" / "sha256")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
