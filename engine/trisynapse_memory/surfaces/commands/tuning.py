"""The commands of learning from use: ``tuning``. Nothing is learned unless it is on, and nothing applied unasked."""

from __future__ import annotations

from argparse import Namespace as Options

from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import GuardCheck, JudgedBy, Trial, TrialStatus, TuningState, WeightMove

_STATUS = {
    TrialStatus.TOO_FEW: "too few questions",
    TrialStatus.NO_GAIN: "nothing to gain",
    TrialStatus.GUARDED: "refused",
    TrialStatus.PROPOSED: "proposed",
    TrialStatus.APPLIED: "in force",
    TrialStatus.DECLINED: "taken back",
}


def tuning_show(options: Options, printer: Printer) -> int:
    """Say how learning from use stands, what is in force, what is proposed and what was tried."""
    return _state("tuning.show", options, printer)


def tuning_on(options: Options, printer: Printer) -> int:
    """Let the vault note what is opened from its answers and hits, and look for weights that rank it higher."""
    return _switch(True, options, printer)


def tuning_off(options: Options, printer: Printer) -> int:
    """Note and learn nothing any more, and rank with the default weights again."""
    return _switch(False, options, printer)


def tuning_apply(options: Options, printer: Printer) -> int:
    """Rank with the proposed weights from now on."""
    return _state("tuning.apply", options, printer)


def tuning_revert(options: Options, printer: Printer) -> int:
    """Rank with the default weights again; what was noted stays."""
    return _state("tuning.revert", options, printer)


def tuning_learn(options: Options, printer: Printer) -> int:
    """Look now for weights that would rank higher what was opened; they are proposed, never applied."""
    with Session(options) as session:
        trial: Trial = session.call("tuning.learn", progress=printer.progress)
    printer.result(trial, trial_lines(trial))
    return 0


def tuning_note(options: Options, printer: Printer) -> int:
    """Note that a record was right for a question."""
    with Session(options) as session:
        kept: bool = session.call(
            "tuning.note", query_id=options.query_id, record_id=options.record_id, judged_by=JudgedBy.MARKED
        )
    printer.result({"kept": kept}, ["Noted." if kept else "Not noted: that question is not in the history any more."])
    return 0


def tuning_clear(options: Options, printer: Printer) -> int:
    """Forget all notes and trials, and rank with the default weights again."""
    with Session(options) as session:
        count: int = session.call("tuning.clear")
    printer.result({"cleared": count}, [f"Forgotten: {count:,} notes."])
    return 0


def _state(verb: str, options: Options, printer: Printer) -> int:
    with Session(options) as session:
        return _print(session.call(verb), printer)


def _switch(on: bool, options: Options, printer: Printer) -> int:
    with Session(options) as session:
        return _print(session.call("tuning.switch", on=on), printer)


def _print(state: TuningState, printer: Printer) -> int:
    printer.result(state, state_lines(state))
    return 0


def state_lines(state: TuningState) -> list[str]:
    """Say how learning stands, in lines."""
    known = f"{state.question_count:,} of {state.needed_count:,} questions needed have a passage noted as right."
    lines = [f"Learning from use is {'on' if state.is_on else 'off'}. {known}"]
    lines += [state.trouble] if state.trouble else []
    lines += ["Ranked with the default weights."] if not state.in_force else ["Ranked with learned weights:"]
    lines += [_move(one) for one in state.in_force]
    if state.proposal is not None:
        lines += ["", *trial_lines(state.proposal)]
    tried = [one for one in state.trials if state.proposal is None or one.trial_id != state.proposal.trial_id]
    lines += ["", "Tried before:"] if tried else []
    return lines + [f"  {one.created_at:%Y-%m-%d %H:%M}  {_STATUS[one.status]}  {one.reason}".rstrip() for one in tried]


def trial_lines(trial: Trial) -> list[str]:
    """Say what came of a trial, in lines."""
    if trial.status is TrialStatus.TOO_FEW:
        return [f"Nothing was learned: {trial.reason}"]
    gained = (
        f"{trial.question_count:,} questions: nDCG {trial.before:.3f} now, {trial.after:.3f} with weights learned from"
        f" others (gain at least {trial.low:+.3f})."
    )
    lines = [f"{_STATUS[trial.status].capitalize()}. {trial.reason}".rstrip(), gained]
    lines += [_move(one, with_gain=True) for one in trial.moves]
    lines += [f"  {trial.raised:,} questions rise, {trial.lowered:,} fall"] if trial.examples else []
    lines += [_guard(one) for one in trial.guards]
    lines += [
        f"  {_rank(one.before)} -> {_rank(one.after)}  {one.question}{f' ({one.title})' if one.title else ''}"
        for one in trial.examples
    ]
    return lines + (["`tuning apply` puts it in force."] if trial.status is TrialStatus.PROPOSED else [])


def _move(move: WeightMove, *, with_gain: bool = False) -> str:
    gain = f"  (worth {move.gain:+.3f})" if with_gain else ""
    return f"  {move.name} {move.before:g} -> {move.after:g}{gain}  {move.meaning}"


def _guard(check: GuardCheck) -> str:
    return f"  guard, {check.kind}: {check.before} of {check.count} found before, {check.after} after"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else f"{rank:,}."
