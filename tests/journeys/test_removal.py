"""A secret is taken in, read, asked about and put on a page; then it is removed, and no byte of it is left."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trisynapse_memory.log.rows import PACK_WORDS
from trisynapse_memory.memory_engine import MemoryEngine

pytestmark = [pytest.mark.journey, pytest.mark.timeout(300)]

CANARY = "Qx7Kv9Rm2Tz4Wp8Ls6Jd3Hf5Nb1Yc0Gu"
PAGE = (
    f"The cold store of the institute is called {CANARY}. {CANARY} is part of the northern wing. "
    f"The northern wing uses {CANARY} for samples. Nothing else is kept there."
)
OTHER = "The southern wing holds the lecture hall. The lecture hall seats two hundred people."
ZLIB_HEAD = re.compile(rb"\x78[\x01\x5e\x9c\xda\x20\x7d\xbb\xf9]")


def opened(content: bytes) -> Iterator[bytes]:
    """Bytes as they lie on the disk, and what every compressed stream that begins among them holds."""
    yield content
    for match in ZLIB_HEAD.finditer(content):
        for words in (b"", PACK_WORDS):
            stream = zlib.decompressobj(zdict=words) if words else zlib.decompressobj()
            with contextlib.suppress(zlib.error):
                yield stream.decompress(content[match.start() : match.start() + 200_000])


def holders(vault: Path) -> list[str]:
    """The files of a vault in which any part of the secret can still be read, in one or two bytes a letter."""
    needles = [CANARY.encode(), CANARY.lower().encode(), CANARY.encode("utf-16-le")]
    found = []
    for path in sorted(vault.rglob("*")):
        if path.is_file() and any(needle in part for part in opened(path.read_bytes()) for needle in needles):
            found.append(path.relative_to(vault).as_posix())
    return found


@pytest.fixture
def full(program, tmp_path: Path, write_pdf: Callable[..., Path]) -> str:
    """A vault that knows the secret in every way it can; returns the id of its source."""
    secret = write_pdf(tmp_path / "store.pdf", PAGE, OTHER)
    other = tmp_path / "other.md"
    other.write_text("# Wings\n\nThe eastern wing uses gas lamps. The northern wing is part of the institute.\n")
    results = program.ask("ingest", secret, other)["results"]
    program.ask("query", f"What is {CANARY} part of?")
    program.ask("search", CANARY)
    assert program.ask("list", "--kind", "fact", "--limit", "100")["records"], "it was read for facts"
    program.ask("wiki", "build")
    with MemoryEngine.open(program.vault, offline=True) as engine:
        thread = engine.threads.create(f"About {CANARY}")
        engine.threads.append(thread.thread_id, "user", f"What is {CANARY} part of?")
        answer = engine.query(f"What is {CANARY} part of?")
        engine.threads.append(thread.thread_id, "assistant", answer.answer or CANARY, query_id=answer.query_id)
        engine.curation.highlight(results[0]["source_id"], CANARY, engine.list_records(kind="raw_source")[0].locator)
    return results[0]["source_id"]


def test_a_removed_source_leaves_no_byte(program, full: str) -> None:
    before = holders(program.vault)
    assert {"log.db", "index.db", "runs.db"} <= set(before), before
    receipt = program.ask("sources", "remove", full, "--reason", "it was told in confidence", "--yes")["receipt"]
    assert holders(program.vault) == []
    assert receipt["reason"] == "it was told in confidence"
    assert len(receipt["originals"]) == 1
    assert receipt["blanked"]["raw_source"] == 2
    assert receipt["blanked"]["page"] == 2
    assert receipt["blanked"]["fact"] >= 1
    assert receipt["other_copies"] == []
    program.prove()
    assert program.ask("query", "Which wing uses gas lamps?")["abstain"] is False, "the rest is as it was"
    assert program.ask("reindex") is not None
    assert holders(program.vault) == []


def test_a_removed_record_leaves_no_byte_and_the_rest_of_its_source_stays(program, full: str) -> None:
    records = program.ask("list", "--kind", "raw_source", "--limit", "100")["records"]
    mine = [record["id"] for record in records if CANARY in record["text"]]
    kept = [record["id"] for record in records if record["source_id"] == full and CANARY not in record["text"]]
    program.ask("remove", *mine, "--reason", "it was told in confidence", "--yes")
    assert holders(program.vault) == []
    left = program.ask("list", "--kind", "raw_source", "--limit", "100")["records"]
    assert {record["id"] for record in left} >= set(kept)
    assert program.ask("query", "How many people does the lecture hall seat?")["abstain"] is False
    program.prove()


def test_nothing_is_removed_without_a_word_of_consent(program, full: str) -> None:
    done = program.run("sources", "remove", full, "--reason", "by mistake")
    assert done.code == 2
    assert "log.db" in holders(program.vault)
