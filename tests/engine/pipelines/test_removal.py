"""What is removed is gone from every byte of the vault, the rest is whole and proven, and a crash changes nothing."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError, UnknownSourceError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.log.removal import unfinished
from trisynapse_memory.log.rows import PACK_WORDS, REMOVED_TEXT
from trisynapse_memory.log.schema import DERIVED_TABLES
from trisynapse_memory.pipelines import removal
from trisynapse_memory.pipelines.integrity import validate
from trisynapse_memory.pipelines.quotations import Quotations
from trisynapse_memory.pipelines.removal import finish_removals, remove
from trisynapse_memory.pipelines.residues import purge_history
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    AliasDetails,
    Draft,
    EditionDetails,
    EditionSentence,
    FactDetails,
    IngestRun,
    Kind,
    QueryRun,
    Record,
    SourceInput,
    SourceStatus,
    SummaryDetails,
)

CANARY = "kq7vXw3ZpL9rT2mY8sB5nD4hJ6cF1gAe"
SECRET = f"The password of the archive is {CANARY} since March."
PLAIN = "Foucault measured the speed of light with a rotating mirror in 1862."
TEXT = f"# Notes\n\n{PLAIN}\n\n# Archive\n\n{SECRET}\n"
Take = Callable[..., IngestRun]


def given(text: str, key: str = "k", **fields) -> SourceInput:
    return SourceInput(text=text, filename="notes.md", source_key=key, **fields)


def holder(rooms: Rooms, source_id: str | None = None) -> Record:
    """The raw record that says the secret."""
    found = [
        one for one in rooms.log.of_kind(Kind.RAW_SOURCE) if CANARY in one.text and source_id in (None, one.source_id)
    ]
    return found[-1]


def holding(folder: Path, word: str = CANARY) -> list[str]:
    """The files of a vault in which a word can be found, byte by byte and inside whatever is compressed in them."""
    needles = (word.encode(), word.lower().encode())
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in files if any(needle in _opened(path.read_bytes()) for needle in needles)]


def _opened(content: bytes) -> bytes:
    """Bytes, followed by what every zlib stream that begins in them gives, as far as it goes."""
    parts = [content]
    for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda\x20\x7d\xbb\xf9]", content):
        stream = zlib.decompressobj(zdict=PACK_WORDS)
        with contextlib.suppress(zlib.error):
            for start in range(match.start(), len(content), 512):  # what an overwritten page cut off is kept so far
                parts.append(stream.decompress(content[start : start + 512]))
                if stream.eof:
                    break
    return b"".join(parts)


def derived(rooms: Rooms) -> list[tuple]:
    with rooms.log.database.read() as connection:
        return [
            (table, sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr))
            for table in DERIVED_TABLES
        ]


@pytest.fixture
def full(rooms: Rooms, take: Take, vault_folder: Path) -> Rooms:
    """A vault in which the secret was taken in, read, summarised, marked, asked about and written down."""
    take(given("An early draft. " + SECRET), given("Another source on lamps and mirrors.", "other"))
    take(given(TEXT))
    log, record = rooms.log, holder(rooms)
    start = record.text.index("The password")
    details = FactDetails(pattern="p", extractor="pattern", extractor_version=1, spans=((start, start + len(SECRET)),))
    fact = Draft(
        kind=Kind.FACT,
        text=SECRET,
        evidence_ids=(record.id,),
        source_id=record.source_id,
        payload=details,
        subject="password",
        relation="is",
        object=CANARY,
    )
    summary = SummaryDetails(
        group_id=f"source:{record.source_id}",
        evidence_hash="h",
        topic="archive",
        sentences=(SECRET,),
        sentence_record_ids=((record.id,),),
    )
    log.append([fact, Draft(kind=Kind.SUMMARY, text=SECRET, payload=summary)])
    lifecycle.correct(log, log.of_kind(Kind.FACT)[0].id, f"The password is {CANARY} no more.", "it was changed")
    assert record.locator is not None
    Curation(log, rooms.shelf).highlight(str(record.source_id), f"is {CANARY}", record.locator)
    threads = Conversations(log)
    thread = threads.create(f"What is {CANARY}?")
    threads.append(thread.thread_id, "user", f"What is {CANARY}?")
    threads.append(thread.thread_id, "user", "And who measured the speed of light?")
    moment = datetime.now(UTC)  # the history drops what is older than its limit
    for number, question in enumerate((f"Where is {CANARY}?", "Who measured light?")):
        rooms.history.keep_query(
            QueryRun(query_id=f"q{number}", mode="query", question=question, status="done", created_at=moment)
        )
    for drawer in ("wiki", "notes"):
        (vault_folder / drawer).mkdir()
        (vault_folder / drawer / "plain.md").write_text("Nothing to hide: mirrors.")
    (vault_folder / "wiki" / "archive.md").write_text(f"# Archive\n\n{SECRET}\n")
    rooms.projector.catch_up()
    assert {"log.db-wal", "archive.md"} <= set(holding(vault_folder))
    return rooms


def test_no_byte_of_a_removed_record_is_left_and_the_rest_is_whole(full: Rooms, vault_folder: Path):
    record = holder(full)
    receipt = remove(full, record_ids=[record.id], reason="not mine to keep")
    assert holding(vault_folder) == []
    findings, _ = check_log(full.log, full.blobs)
    assert findings == []
    assert receipt.blanked == {
        "raw_source": 2,  # and the one of the first version
        "page": 2,
        "fact": 2,  # and the correction
        "summary": 1,
        "highlight": 1,
        "thread": 1,
        "turn": 1,
    }
    assert set(receipt.record_ids) >= {record.id}
    assert len(receipt.originals) == 2
    assert receipt.purged["query_runs"] == 1
    assert receipt.purged["wiki"] == 1
    assert (receipt.other_copies, receipt.outside) == ((), ())
    assert full.log.get(receipt.removal_id).text == "not mine to keep"
    assert full.log.get(record.id).text == REMOVED_TEXT
    (left,) = [one for one in full.log.of_source(str(record.source_id), Kind.RAW_SOURCE) if PLAIN in one.text]
    assert full.log.visible([left.seq, record.seq]) == {left.seq}


def test_what_says_nothing_of_it_stays(full: Rooms, vault_folder: Path):
    remove(full, record_ids=[holder(full).id], reason="r")
    threads = Conversations(full.log)
    (thread,) = threads.list()
    assert thread.title == REMOVED_TEXT
    assert [turn.text for turn in threads.turns(thread.thread_id)] == ["And who measured the speed of light?"]
    assert [run.query_id for run in full.history.queries(9)] == ["q1"]
    assert (vault_folder / "wiki" / "plain.md").exists()
    other = next(one for one in full.shelf.list(Draft(kind=Kind.PAGE).namespace) if one.source_key == "other")
    assert full.blobs.path(other.blob_hash).exists()


def test_a_removed_source_leaves_with_its_old_versions_and_can_be_added_again(
    full: Rooms, take: Take, vault_folder: Path
):
    source_id = str(holder(full).source_id)
    receipt = remove(full, source_id=source_id, reason="r")
    assert holding(vault_folder) == []
    assert holding(vault_folder, "Foucault") == []
    assert receipt.blanked["source"] == 2
    assert full.shelf.get(source_id).status is SourceStatus.REMOVED
    assert full.shelf.get(source_id).title == ""
    assert check_log(full.log, full.blobs)[0] == []
    with pytest.raises(InvalidInputError, match="removed for good"):
        lifecycle.reinstate_source(full.log, full.shelf, source_id, "back")
    take(given(TEXT))
    assert full.shelf.get(source_id).status is SourceStatus.ACTIVE
    assert full.log.visible([holder(full).seq]) == {holder(full).seq}
    before = derived(full)
    full.log.refold()
    assert derived(full) == before


def test_the_derived_tables_are_those_of_the_log_that_is_left(full: Rooms):
    remove(full, record_ids=[holder(full).id], reason="r")
    before = derived(full)
    full.log.refold()
    assert derived(full) == before


def test_the_indexes_forget_it(full: Rooms):
    record = holder(full)
    remove(full, record_ids=[record.id], reason="r")
    from trisynapse_memory.types import Namespace, Scope

    everything = Scope(namespace=Namespace(project_id=None))
    assert full.lexical.holders(CANARY.lower(), everything, 5) == ()
    assert set(full.projector.lag().values()) == {0}


def test_a_removed_fact_takes_the_record_along_that_it_repeats(full: Rooms, vault_folder: Path):
    fact = next(one for one in full.log.of_kind(Kind.FACT) if isinstance(one.payload, FactDetails))
    receipt = remove(full, record_ids=[fact.id], reason="r")
    assert holding(vault_folder) == []
    assert receipt.blanked["raw_source"] == 2


def test_copies_in_other_sources_are_named_and_kept(full: Rooms, take: Take):
    record = holder(full)
    take(given(f"Elsewhere. {record.text} So it is.", "copy"))
    copy = holder(full)
    assert copy.source_id != record.source_id
    receipt = remove(full, record_ids=[record.id], reason="r")
    assert receipt.other_copies == (copy.id,)
    assert CANARY in full.log.get(copy.id).text
    assert {run.query_id for run in full.history.queries(9)} == {"q0", "q1"}, "the word is still in the vault"


def test_a_file_that_was_handed_over_as_bytes_leaves_the_history_too(full: Rooms, take: Take, vault_folder: Path):
    packed = zlib.compress(f"{SECRET} twice".encode())  # the words do not show in it, only its hash does
    for content, key in ((TEXT.encode(), "bytes"), (b"\x00" + packed, "packed")):
        run = full.history.begin([SourceInput(content=content, filename="x.md", source_key=key)])
        full.history.finish(run)
    blob = full.blobs.put_bytes(b"\x00" + packed)
    counts = purge_history(vault_folder, Quotations(), (blob.content_hash,))
    assert counts == {"ingest_runs": 1}
    remove(full, record_ids=[holder(full).id], reason="r")
    assert full.history.list(9) == ()


def test_a_removed_bookmark_leaves_the_file_it_came_in_too(rooms: Rooms, take: Take, vault_folder: Path):
    lines = [
        f'<DT><A HREF="https://example.org/{name}">{title}</A>'
        for name, title in (("a", "Mirrors &amp; light"), ("b", "Lamps of the world"))
    ]
    text = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n" + "\n".join(lines) + "\n</DL><p>\n"
    take(SourceInput(text=text, filename="bookmarks.html", source_key="marks"))
    gone = next(one for one in rooms.log.of_kind(Kind.RAW_SOURCE) if "Mirrors" in one.text)
    assert holding(vault_folder, "Mirrors")
    remove(rooms, source_id=str(gone.source_id), reason="r")
    assert holding(vault_folder, "Mirrors") == []
    assert holding(vault_folder, "Lamps")
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_her_own_files_are_named_and_never_touched(full: Rooms, vault_folder: Path):
    (vault_folder / "notes" / "mine.md").write_text(f"remember {CANARY}")
    receipt = remove(full, record_ids=[holder(full).id], reason="r")
    assert receipt.outside == ("notes/mine.md",)
    assert holding(vault_folder) == ["mine.md"]


def test_what_she_wrote_about_other_things_stays_though_it_shares_an_ordinary_word(full: Rooms):
    (note, tag) = full.log.append(
        [
            Draft(kind=Kind.NOTE, text="Ask the archive for a password."),
            Draft(kind=Kind.ALIAS, payload=AliasDetails(names=("password", "pass word"), canonical="password")),
        ]
    )
    remove(full, record_ids=[holder(full).id], reason="the password was old")
    assert full.log.get(note.id) == note
    assert full.log.get(tag.id) == tag


def test_a_reason_that_repeats_it_is_not_kept(full: Rooms, vault_folder: Path):
    receipt = remove(full, record_ids=[holder(full).id], reason=f"nobody may know {CANARY}")
    assert receipt.reason == REMOVED_TEXT
    assert holding(vault_folder) == []


def test_a_verb_whose_reason_repeats_it_keeps_its_effect(full: Rooms, vault_folder: Path):
    other = next(one for one in full.shelf.list(Draft(kind=Kind.PAGE).namespace) if one.source_key == "other")
    lifecycle.forget_source(full.log, full.shelf, str(other.source_id), f"it hints at {CANARY}")
    remove(full, record_ids=[holder(full).id], reason="r")
    assert holding(vault_folder) == []
    assert full.shelf.get(other.source_id).status is SourceStatus.FORGOTTEN


def test_what_a_removed_correction_struck_is_seen_again_by_log_and_indexes(full: Rooms):
    base = next(one for one in full.log.of_kind(Kind.RAW_SOURCE) if PLAIN in one.text)
    start = base.text.index(PLAIN)
    details = FactDetails(pattern="p", extractor="model", extractor_version=1, spans=((start, start + len(PLAIN)),))
    (fact,) = full.log.append([Draft(kind=Kind.FACT, text=PLAIN, evidence_ids=(base.id,), payload=details)])
    change = lifecycle.correct(full.log, fact.id, f"Nobody measured {CANARY}.", "r")
    full.projector.catch_up()
    assert full.log.visible([fact.seq]) == set()
    receipt = remove(full, record_ids=[change.record_id], reason="r")
    assert receipt.blanked["fact"] == 1
    assert receipt.originals == (), "the original never said it"
    assert full.log.visible([base.seq, fact.seq]) == {base.seq, fact.seq}
    removed = full.log.get(receipt.removal_id)
    assert full.log.changed_visibility([removed])[fact.seq] is True
    assert validate(full, ()).ok


def test_what_was_changed_since_is_not_said_again(full: Rooms):
    other = next(one for one in full.shelf.list(Draft(kind=Kind.PAGE).namespace) if one.source_key == "other")
    lifecycle.forget_source(full.log, full.shelf, str(other.source_id), f"it hints at {CANARY}")
    lifecycle.reinstate_source(full.log, full.shelf, str(other.source_id), "it does not")
    threads = Conversations(full.log)
    (thread,) = threads.list()
    threads.rename(thread.thread_id, "On light")
    remove(full, record_ids=[holder(full).id], reason="r")
    assert full.shelf.get(other.source_id).status is SourceStatus.ACTIVE
    assert [one.title for one in threads.list()] == ["On light"]


def test_of_a_page_she_accepted_the_other_sentences_stay(full: Rooms, vault_folder: Path):
    record = holder(full)
    sentences = (
        EditionSentence(key="1", text="Light is quick.", record_ids=("r_other",)),
        EditionSentence(key="2", text=SECRET, record_ids=(record.id,)),
    )
    page = EditionDetails(
        slug="light", title="Light", page_kind="concept", sentences=sentences, rejected={"3": SECRET, "4": "No."}
    )
    full.log.append([Draft(kind=Kind.EDITION, payload=page)])
    remove(full, record_ids=[record.id], reason="r")
    assert holding(vault_folder) == []
    left = full.log.of_kind(Kind.EDITION)[-1].payload
    assert left == EditionDetails(
        slug="light", title="Light", page_kind="concept", sentences=sentences[:1], rejected={"4": "No."}
    )


@pytest.mark.parametrize("step", ["purge_history", "purge_pages", "compact", "purge_set_aside"])
def test_a_crash_leaves_work_that_the_next_opening_finishes(
    full: Rooms, vault_folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
):
    record = holder(full)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(removal.residues, step, crash)
        with pytest.raises(KeyboardInterrupt):
            remove(full, record_ids=[record.id], reason="r")
    assert len(unfinished(full.log)) == 1
    assert finish_removals(full) == 1
    assert holding(vault_folder) == []
    assert finish_removals(full) == 0
    assert check_log(full.log, full.blobs)[0] == []


def test_a_fact_that_was_read_while_it_was_removed_goes_too(
    full: Rooms, vault_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    record = holder(full)
    purge = removal.residues.purge_pages

    def read_meanwhile(folder: Path, quotations) -> int:
        details = FactDetails(pattern="p", extractor="pattern", extractor_version=1, spans=((0, 3),))
        full.log.append([Draft(kind=Kind.FACT, text=SECRET, evidence_ids=(record.id,), payload=details)])
        return purge(folder, quotations)

    monkeypatch.setattr(removal.residues, "purge_pages", read_meanwhile)
    remove(full, record_ids=[record.id], reason="r")
    assert holding(vault_folder) == []
    assert check_log(full.log, full.blobs)[0] == []


def test_nothing_is_removed_without_a_reason_a_target_or_a_kind_that_can_be(full: Rooms):
    head = full.log.head()
    record = holder(full)
    for wrong in (
        {"record_ids": [record.id], "reason": " "},
        {"reason": "r"},
        {"record_ids": [record.id], "source_id": str(record.source_id), "reason": "r"},
        {"record_ids": [full.log.of_kind(Kind.PAGE)[0].id], "reason": "r"},
    ):
        with pytest.raises(InvalidInputError):
            remove(full, **wrong)
    with pytest.raises(UnknownRecordError):
        remove(full, record_ids=[record.id, "r_x"], reason="r")
    with pytest.raises(UnknownSourceError):
        remove(full, source_id="src_x", reason="r")
    assert full.log.head() == head
    remove(full, record_ids=[record.id], reason="r")
    with pytest.raises(InvalidInputError, match="removed before"):
        remove(full, record_ids=[record.id], reason="r")
    with pytest.raises(InvalidInputError, match="removed for good"):
        lifecycle.correct(full.log, record.id, "t", "r")
