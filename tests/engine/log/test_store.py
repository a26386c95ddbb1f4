"""Appending: numbers without gaps, whole batches or nothing, nothing twice, and readers that never wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.log.rows import GENESIS
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Draft, Kind, Namespace, PageVerdict


def note(text: str, **fields) -> Draft:
    return Draft(kind=Kind.RAW_SOURCE, text=text, **fields)


def texts(log: MemoryLog) -> list[str]:
    return [record.text for record in log.after(0, 1000)]


def test_an_empty_log_has_head_zero_and_nothing_after_it(log: MemoryLog):
    assert log.head() == 0
    assert log.after(0, 10) == ()


def test_positions_are_contiguous_from_one(log: MemoryLog):
    log.append([note("a"), note("b")])
    log.append([note("c")])
    assert [(record.seq, record.device_seq) for record in log.after(0, 10)] == [(1, 1), (2, 2), (3, 3)]


def test_the_first_record_follows_the_genesis_hash_and_each_link_follows_the_last(log: MemoryLog, tmp_path: Path):
    first, second = log.append([note("a"), note("b")])
    assert len({GENESIS, first.chain_hash, second.chain_hash}) == 3
    assert check_log(log, BlobStore(tmp_path))[0] == []


def test_ids_sort_by_time(log: MemoryLog):
    ids = [record.id for record in log.append([note(str(n)) for n in range(20)])]
    assert ids == sorted(ids)
    assert len(set(ids)) == 20


def test_the_same_clock_and_dice_write_the_same_log(tmp_path: Path, clock, dice, log: MemoryLog):
    def write(path: Path) -> list[str]:
        other = MemoryLog(path, "d", lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda count: b"\x07" * count)
        (record,) = other.append([note("a")])
        other.close()
        return [record.id, record.chain_hash, record.content_hash]

    assert write(tmp_path / "one.db") == write(tmp_path / "two.db")


def test_a_batch_that_fails_in_the_middle_leaves_nothing(log: MemoryLog):
    log.append([note("before")])

    def drafts() -> Iterator[Draft]:
        yield note("kept?")
        raise RuntimeError("the power goes out")

    with pytest.raises(RuntimeError):
        log.append(drafts())  # pyright: ignore[reportArgumentType]
    assert texts(log) == ["before"]
    (after,) = log.append([note("after")])
    assert after.seq == 2


def test_several_appends_in_a_transaction_are_one(log: MemoryLog):
    def fail() -> None:
        with log.transaction():
            log.append([note("a")])
            log.append([note("b")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert texts(log) == []
    with log.transaction():
        log.append([note("a")])
        log.append([note("b")])
    assert texts(log) == ["a", "b"]


def test_nobody_else_sees_a_batch_before_it_is_whole(log: MemoryLog):
    seen: list[int] = []
    with log.transaction():
        log.append([note("a")])
        other = threading.Thread(target=lambda: seen.append(log.head()))
        other.start()
        other.join()
    assert seen == [0]
    assert log.head() == 1


def test_a_known_external_key_writes_nothing_and_returns_what_holds_it(log: MemoryLog):
    (first,) = log.append([note("a", external_key="k")])
    again, new = log.append([note("a changed", external_key="k"), note("b", external_key="l")])
    assert (again.id, again.text) == (first.id, "a")
    assert new.seq == 2
    assert texts(log) == ["a", "b"]


def test_a_key_twice_in_one_batch_is_written_once(log: MemoryLog):
    one, two = log.append([note("a", external_key="k"), note("a", external_key="k")])
    assert one.id == two.id
    assert log.head() == 1


def test_records_are_read_in_the_order_asked_and_missing_ones_are_left_out(log: MemoryLog):
    log.append([note("a"), note("b"), note("c")])
    assert [record.text for record in log.by_seqs([3, 99, 1])] == ["c", "a"]
    assert set(log.ids([1, 99])) == {1}


def test_an_unknown_id_is_a_named_error(log: MemoryLog):
    with pytest.raises(UnknownRecordError, match="r_nothing"):
        log.get("r_nothing")


def test_records_are_found_by_source_group_and_kind(log: MemoryLog, grow: Callable):
    one = grow("a", "first", "second")
    grow("b", "third")
    assert [record.text for record in log.of_source(one, Kind.RAW_SOURCE)] == ["first", "second"]
    assert log.count_of_source(one, Kind.PAGE) == 2
    assert len(log.of_kind(Kind.SOURCE)) == 2
    log.append([note("in the group", group_id="g"), note("elsewhere", group_id="h")])
    assert [record.text for record in log.of_group("g", Kind.RAW_SOURCE)] == ["in the group"]


def test_a_group_that_is_a_source_is_found_as_well_and_in_log_order_with_what_joined_it(log: MemoryLog, grow: Callable):
    one = grow("a", "first", "second")
    log.append(
        [note("of the source", source_id=one, group_id=one), note("of another", source_id=grow("b"), group_id=one)]
    )
    found = [record.text for record in log.of_group(one, Kind.RAW_SOURCE)]
    assert found == [record.text for record in log.of_source(one, Kind.RAW_SOURCE) if record.group_id == one] + [
        "of another"
    ]
    assert found[-2:] == ["of the source", "of another"]
    assert log.of_group("", Kind.RAW_SOURCE) == ()


def test_a_page_is_found_by_its_number_and_a_missing_one_is_none(log: MemoryLog, grow: Callable):
    source_id = grow("a", "first", "second")
    found = log.page(source_id, 2)
    assert found is not None
    assert found.text == "second"
    assert log.page(source_id, 3) is None
    assert [(page.page, page.verdict) for page in log.page_notes(source_id)] == [
        (1, PageVerdict.OK),
        (2, PageVerdict.OK),
    ]


def test_a_listing_is_cut_after_the_cursor_and_shows_only_what_the_reader_may_see(log: MemoryLog):
    log.append([note("mine", namespace=Namespace(user_id="me")), note("hers", namespace=Namespace(user_id="her"))])
    log.append([note("mine too", namespace=Namespace(user_id="me", project_id="p"))])
    mine = Namespace(user_id="me", project_id=None)
    assert [r.text for r in log.listing(mine, None, 0, 10, False)] == ["mine", "mine too"]
    assert [r.text for r in log.listing(mine, None, 1, 10, False)] == ["mine too"]
    assert [r.text for r in log.listing(Namespace(project_id=None), Kind.RAW_SOURCE, 0, 2, False)] == ["mine", "hers"]
    assert log.listing(Namespace(project_id=None), Kind.FACT, 0, 2, False) == ()


def test_history_names_only_what_points_at_the_record(log: MemoryLog):
    one, other = log.append([note("a"), note("b")])
    (fact,) = log.append([Draft(kind=Kind.FACT, text="f", evidence_ids=(one.id,))])
    assert [record.id for record in log.pointing_at(one.id)] == [fact.id]
    assert log.pointing_at(other.id) == ()


def test_a_reopened_log_goes_on_where_it_ended(tmp_path: Path, clock, dice):
    for number in range(3):
        opened = MemoryLog(tmp_path / "again.db", "d", clock, dice)
        opened.append([note(str(number))])
        opened.close()
    opened = MemoryLog(tmp_path / "again.db", "d", clock, dice)
    assert [(record.seq, record.device_seq) for record in opened.after(0, 9)] == [(1, 1), (2, 2), (3, 3)]
    assert check_log(opened, BlobStore(tmp_path))[0] == []
    opened.close()


def test_two_machines_in_one_log_have_a_chain_each(tmp_path: Path, clock, dice):
    for device in ("one", "two", "one"):
        opened = MemoryLog(tmp_path / "both.db", device, clock, dice)
        opened.append([note(device)])
        opened.close()
    opened = MemoryLog(tmp_path / "both.db", "one", clock, dice)
    assert [(r.seq, r.device_id, r.device_seq) for r in opened.after(0, 9)] == [
        (1, "one", 1),
        (2, "two", 1),
        (3, "one", 2),
    ]
    assert check_log(opened, BlobStore(tmp_path))[0] == []
    opened.close()


def test_four_writers_and_four_readers_lose_nothing_and_fail_nowhere(log: MemoryLog, tmp_path: Path):
    # engine.md 0.1 row 10: the first system lost 371 of 450 writes.
    errors: list[BaseException] = []
    stop = threading.Event()

    def guarded(work: Callable[[], None]) -> threading.Thread:
        def body() -> None:
            try:
                work()
            except BaseException as error:
                errors.append(error)

        return threading.Thread(target=body)

    def write(writer: int) -> Callable[[], None]:
        def work() -> None:
            for n in range(25):
                log.append([note(f"{writer}-{n}-{part}", external_key=f"{writer}-{n}-{part}") for part in (0, 1)])

        return work

    def read() -> None:
        while not stop.is_set():
            records = log.after(0, 1000)
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert len(records) % 2 == 0, "half a batch was seen"

    writers = [guarded(write(n)) for n in range(4)]
    readers = [guarded(read) for _ in range(4)]
    for thread in (*writers, *readers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []
    assert log.head() == 200
    assert set(texts(log)) == {f"{w}-{n}-{p}" for w in range(4) for n in range(25) for p in (0, 1)}
    assert check_log(log, BlobStore(tmp_path))[0] == []
