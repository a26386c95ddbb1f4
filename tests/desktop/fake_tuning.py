"""Learning from use in the fake engine: a proposal waits, and what she says of it is kept in memory."""

from __future__ import annotations

import msgspec
from fake_papers import NOW

from trisynapse_memory.types import (
    ExampleMove,
    GuardCheck,
    Trial,
    TrialStatus,
    TuningState,
    WeightMove,
)

MOVE = WeightMove(
    name="coverage_weight",
    meaning="Score for the share of the question's words that a passage holds, by rarity.",
    before=0.5,
    after=1.0,
    gain=0.04,
)
PROPOSAL = Trial(
    trial_id="t1",
    created_at=NOW,
    status=TrialStatus.PROPOSED,
    reason="",
    question_count=42,
    before=0.61,
    after=0.67,
    low=0.02,
    weights={"coverage_weight": 1.0},
    moves=(MOVE,),
    examples=(
        ExampleMove(query_id="q1", record_id="r1", before=6, after=1, question="Who turned a mirror?", title="Mirrors"),
        ExampleMove(query_id="q2", record_id="r2", before=2, after=None, question="What is ether?"),
    ),
    raised=12,
    lowered=3,
    guards=(GuardCheck(kind="title", count=20, before=20, after=20),),
)
OFF = TuningState(is_on=False, in_force=(), question_count=0, needed_count=30, proposal=None, trials=())
WAITING = TuningState(
    is_on=True, in_force=(), question_count=42, needed_count=30, proposal=PROPOSAL, trials=(PROPOSAL,)
)


class FakeTuning:
    """The verbs of ``tuning``; ``on`` brings a proposal at once."""

    def start_tuning(self) -> None:
        self.tuning = OFF

    def do_tuning_show(self) -> TuningState:
        return self.tuning

    def do_tuning_switch(self, on: bool) -> TuningState:
        self.tuning = WAITING if on else OFF
        return self.tuning

    def do_tuning_note(self, query_id: str, record_id: str, judged_by: str = "opened") -> bool:
        return self.tuning.is_on or judged_by == "marked"

    def do_tuning_learn(self) -> Trial:
        return PROPOSAL

    def do_tuning_apply(self) -> TuningState:
        applied = msgspec.structs.replace(PROPOSAL, status=TrialStatus.APPLIED)
        self.tuning = msgspec.structs.replace(WAITING, in_force=(MOVE,), proposal=None, trials=(applied,))
        return self.tuning

    def do_tuning_revert(self) -> TuningState:
        self.tuning = msgspec.structs.replace(WAITING, proposal=None, trials=())
        return self.tuning

    def do_tuning_clear(self) -> int:
        self.tuning = msgspec.structs.replace(WAITING, question_count=0, proposal=None, trials=())
        return 42

    def do_feedback(self, query_id: str, helpful: bool) -> str:
        return "r_feedback"
