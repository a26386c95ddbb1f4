"""Requests are kept in order, a crash leaves its row, and the table stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.providers import ledger as ledger_module
from trisynapse_memory.providers.ledger import SCHEMA, UNFINISHED, Ledger, all_rows, open_machine_ledger
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import EgressRow, SourceId

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def row(minute: float, **more) -> EgressRow:
    chosen = {"host": "a.example", "purpose": "p", "failed": UNFINISHED} | more
    return EgressRow(at=NOON + timedelta(minutes=minute), **chosen)


@pytest.fixture
def database(tmp_path) -> Iterator[Database]:
    opened = Database(tmp_path / "runs.db", SCHEMA, durable=False)
    yield opened
    opened.close()


@pytest.fixture
def ledger(database) -> Ledger:
    return Ledger(database, Config(egress_max_count=100, egress_max_age_days=30))


def test_a_row_comes_back_as_it_was_written_and_as_it_ended(ledger):
    begun = row(0, service="mine", source_ids=(SourceId("src_1"), SourceId("src_2")))
    number = ledger.begin(begun)
    assert ledger.rows() == (begun,)
    ended = structs.replace(begun, status=200, sent_bytes=10, received_bytes=20, failed="")
    ledger.update(number, ended)
    assert ledger.rows() == (ended,)


def test_rows_are_paged_by_time_newest_first(ledger):
    for minute in (3, 1, 5, 2, 4):
        ledger.begin(row(minute, host=f"h{minute}"))
    first = ledger.rows(2)
    assert [one.host for one in first] == ["h5", "h4"]
    assert [one.host for one in ledger.rows(9, before=first[-1].at)] == ["h3", "h2", "h1"]


def test_a_row_that_nobody_finished_is_found_again_after_a_restart(tmp_path):
    first = Database(tmp_path / "runs.db", SCHEMA, durable=False)
    Ledger(first, Config()).begin(row(0))
    # Not closed: what a process that dies leaves.
    second = Database(tmp_path / "runs.db", SCHEMA, durable=False)
    assert [one.failed for one in Ledger(second, Config()).rows()] == [UNFINISHED]
    first.close()
    second.close()


def test_old_rows_and_too_many_rows_are_dropped(ledger):
    ledger.begin(row(-31 * 24 * 60, host="old"))
    for minute in range(100):
        ledger.begin(row(minute))
    assert "old" not in {one.host for one in ledger.rows(500)}
    ledger.begin(row(200))
    rows = ledger.rows(500)
    assert len(rows) == 100
    assert rows[-1].at == NOON + timedelta(minutes=1)


def test_requests_without_a_vault_are_kept_by_the_machine_and_shown_with_the_others(tmp_path, ledger):
    folder = tmp_path / "new" / "folder"
    ledger.begin(row(0, host="first"))
    assert [one.host for one in all_rows(ledger, Config(), folder=folder)] == ["first"]
    assert not folder.exists(), "looking makes no file"
    machine, file = open_machine_ledger(Config(), folder)
    machine.begin(row(1, host="models.example"))
    file.close()
    ledger.begin(row(2, host="last"))
    assert [one.host for one in all_rows(ledger, Config(), folder=folder)] == ["last", "models.example", "first"]
    page = all_rows(ledger, Config(), 1, before=NOON + timedelta(minutes=2), folder=folder)
    assert [one.host for one in page] == ["models.example"]


def test_the_machine_keeps_its_ledger_in_the_users_data_folder(tmp_path, monkeypatch, ledger):
    monkeypatch.setattr(ledger_module.platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "home"))
    machine, file = open_machine_ledger(Config())
    machine.begin(row(1, host="models.example"))
    file.close()
    assert (tmp_path / "home" / "egress.db").is_file()
    assert [one.host for one in all_rows(ledger, Config())] == ["models.example"]


def test_two_processes_may_write_to_one_file(tmp_path):
    ledgers = [open_machine_ledger(Config(), tmp_path) for _ in range(2)]
    numbers = [ledger.begin(row(minute)) for minute, (ledger, _) in enumerate(ledgers * 3)]
    assert len(set(numbers)) == 6
    assert len(ledgers[0][0].rows()) == 6
    for _, file in ledgers:
        file.close()
