"""The command line of a measurement in, the runner's arguments and its document out; nothing is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trisynapse_memory.bench import runner
from trisynapse_memory.bench.report import Report
from trisynapse_memory.surfaces.cli import main


@pytest.fixture
def asked(monkeypatch):
    calls = []

    def run(suite, data, **wishes):
        calls.append((suite, data, wishes["labels"], wishes["order"]))
        return Report(suite=suite, corpus_sha256="0" * 64, metrics={"recall@10": 0.5})

    monkeypatch.setattr(runner, "run", run)
    return calls


def test_every_wish_reaches_the_runner(asked, capsys):
    line = "bench locomo --data d --labels l --limit 3 --ablate rrf-fusion,exact-terms --settle --peers txtai --json"
    assert main(line.split()) == 0
    order = runner.Order(limit=3, ablate=("rrf-fusion", "exact-terms"), settle=True, peers=("txtai",))
    assert asked == [("locomo", Path("d"), Path("l"), order)]
    assert json.loads(capsys.readouterr().out)["metrics"] == {"recall@10": 0.5}


def test_nothing_is_switched_off_unless_asked_for(asked):
    assert main(["bench", "locomo", "--quiet"]) == 0
    assert asked == [("locomo", Path("../shared/data"), Path("tests/corpora"), runner.Order())]


def test_an_unknown_part_is_told_before_anything_is_measured(asked, capsys):
    assert main(["bench", "locomo", "--ablate", "magic"]) != 0
    assert asked == []
    assert "no part 'magic'" in capsys.readouterr().err


def test_an_unknown_peer_is_told_before_anything_is_measured(asked, capsys):
    assert main(["bench", "locomo", "--peers", "solr"]) != 0
    assert asked == []
    assert "no peer 'solr'" in capsys.readouterr().err
