from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable

import pytest

from trisynapse_desktop.watchdog import TickMeter, Watchdog


@pytest.fixture
def watchdog(qapp):
    made = Watchdog(limit_ms=60)
    yield made
    made.stop()


def stay_busy(seconds: float, enough: Callable[[], bool] = lambda: False) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not enough():
        sum(range(200))


def test_a_blocked_window_leaves_the_stack_it_was_blocked_in(watchdog, caplog, qtbot):
    watchdog.start()
    with caplog.at_level(logging.WARNING):
        stay_busy(0.4)
        stay_busy(5.0, lambda: bool(caplog.records))  # on a crowded machine the other thread may come late
    assert sum("blocked" in record.message for record in caplog.records) == 1
    assert "stay_busy" in caplog.text


def test_a_window_that_keeps_painting_is_left_in_peace(qapp, caplog, qtbot):
    watchdog = Watchdog(limit_ms=2000)
    watchdog.start()
    qtbot.wait(150)
    watchdog.stop()
    assert caplog.records == []


def test_nothing_is_watched_after_stopping(watchdog, caplog):
    watchdog.start()
    watchdog.stop()
    stay_busy(0.2)
    assert caplog.records == []


def test_lateness_is_measured_only_where_a_file_is_named_for_it(qapp, qtbot, monkeypatch, tmp_path):
    monkeypatch.delenv("TRISYNAPSE_TICKS", raising=False)
    TickMeter().write()
    monkeypatch.setenv("TRISYNAPSE_TICKS", str(tmp_path / "ticks.json"))
    meter = TickMeter()
    qtbot.wait(60)
    stay_busy(0.15)
    qtbot.wait(60)
    meter.write()
    late_ms = [late for _at, late in json.loads((tmp_path / "ticks.json").read_text())]
    assert max(late_ms) > 120
    assert len(late_ms) > 3
