"""The commands of learning from use: off by default, their keys are a promise, and nothing is applied unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.surfaces.cli import build_parser, main
from trisynapse_memory.surfaces.commands.tuning import state_lines, trial_lines
from trisynapse_memory.types import ExampleMove, GuardCheck, Trial, TrialStatus, TuningState, WeightMove

Run = Callable[..., Any]
STATE_KEYS = {"is_on", "in_force", "question_count", "needed_count", "proposal", "trials", "trouble"}
MOVE = WeightMove(name="coverage_weight", meaning="Score for words.", before=0.5, after=1.0, gain=0.04)
PROPOSED = Trial(
    trial_id="t",
    created_at=datetime(2026, 12, 1, tzinfo=UTC),
    status=TrialStatus.PROPOSED,
    reason="",
    question_count=42,
    before=0.61,
    after=0.67,
    low=0.02,
    moves=(MOVE,),
    examples=(ExampleMove(query_id="q", record_id="r", before=None, after=1, question="Who?", title="Atlas"),),
    raised=1,
    guards=(GuardCheck(kind="title", count=2, before=2, after=2),),
)


@pytest.fixture
def run(
    in_process: None,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run a command on a vault with one text; return its document."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    text = tmp_path / "atlas.txt"
    text.write_text("Priya Raman is the tech lead of Project Atlas.\n")

    def command(*arguments: object, code: int = 0) -> Any:
        ended = main(["--path", str(tmp_path / "v"), "--json", *map(str, arguments)])
        out = capsys.readouterr().out
        assert ended == code, out
        return json.loads(out)

    command("init")
    command("ingest", text)
    return command


def test_every_command_is_understood():
    for line in ("show", "on", "off", "learn", "apply", "revert", "clear", "note q r"):
        assert callable(build_parser().parse_args(["tuning", *line.split()]).run), line


def test_it_is_off_until_switched_on_and_the_states_promise_their_keys(run: Run):
    state = run("tuning", "show")
    assert set(state) == STATE_KEYS
    assert (state["is_on"], state["in_force"], state["proposal"]) == (False, [], None)
    assert run("tuning", "learn", code=2)["error"]["code"]
    assert run("tuning", "on")["is_on"]
    assert run("tuning", "show")["is_on"]  # each command opens the vault anew
    trial = run("tuning", "learn")
    assert (trial["status"], trial["question_count"]) == ("too_few", 0)
    assert run("tuning", "apply", code=2)["error"]["message"] == "No weights are proposed."
    assert run("tuning", "revert")["in_force"] == []
    assert not run("tuning", "off")["is_on"]


def test_a_record_is_noted_for_a_question_and_forgotten_again(run: Run):
    found = run("search", "Who leads Atlas?")
    record_id = found["hits"][0]["record_id"]
    assert run("tuning", "note", found["query_id"], record_id) == {"kept": True}
    assert run("tuning", "show")["question_count"] == 1
    assert run("tuning", "note", "q_none", record_id) == {"kept": False}
    assert run("tuning", "clear") == {"cleared": 1}
    assert run("tuning", "show")["question_count"] == 0


def test_a_proposal_is_told_with_what_it_would_do():
    text = "\n".join(trial_lines(PROPOSED))
    for said in ("Proposed.", "42 questions", "coverage_weight 0.5 -> 1", "- -> 1.  Who? (Atlas)", "`tuning apply`"):
        assert said in text
    assert "2 of 2 found before, 2 after" in text


def test_the_state_tells_what_is_in_force_and_what_was_tried():
    told = Trial(
        trial_id="t0", created_at=PROPOSED.created_at, status=TrialStatus.GUARDED, reason="It would lose titles."
    )
    state = TuningState(
        is_on=True, in_force=(MOVE,), question_count=42, needed_count=30, proposal=PROPOSED, trials=(PROPOSED, told)
    )
    text = "\n".join(state_lines(state))
    for said in ("Learning from use is on.", "42 of 30", "learned weights", "refused  It would lose titles."):
        assert said in text
