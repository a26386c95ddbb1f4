"""What she opens and says of answers in, how learning from it stands out; no widget is built here."""

from __future__ import annotations

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import JudgedBy, Trial, TrialStatus, TuningState


async def state(context: Context) -> TuningState:
    """Return how learning from use stands."""
    return await context.bridge.call("tuning.show")


async def switch(context: Context, on: bool) -> TuningState:
    """Let the vault learn from what she opens, or let it stop; once off, results stand in their usual order again."""
    return await context.bridge.call("tuning.switch", on=on)


async def learn(context: Context) -> None:
    """Look for a better order now, and say what came of it."""
    trial: Trial = await context.bridge.call("tuning.learn")
    if trial.status is TrialStatus.PROPOSED:
        context.announce(Announcement("A better order was found.", "Settings, Privacy shows it.", tone="good"))
    else:
        context.announce(Announcement("The order stays as it is.", trial.reason))


async def apply(context: Context) -> None:
    """Use the proposed order from now on."""
    await context.bridge.call("tuning.apply")
    context.announce(Announcement("Results stand in the learned order now.", "Settings takes it back.", tone="good"))


async def revert(context: Context) -> None:
    """Use the usual order again."""
    await context.bridge.call("tuning.revert")
    context.announce(Announcement("Results stand in their usual order again.", tone="good"))


async def clear(context: Context) -> None:
    """Forget every note, and use the usual order again."""
    count: int = await context.bridge.call("tuning.clear")
    context.announce(Announcement(f"{count:,} note{'' if count == 1 else 's'} forgotten.", tone="good"))


def note_opened(context: Context, query_id: str, record_id: str) -> None:
    """Tell the engine that she opened a passage from a question; it keeps that only where she lets it learn.

    Whatever comes of it, the passage opens: a note that could not be kept teaches nothing, and is no trouble of hers.
    """
    call = context.bridge.call("tuning.note", query_id=query_id, record_id=record_id)
    context.bridge.run(call, lambda _fault: None)


async def mark(context: Context, query_id: str, record_id: str, title: str) -> None:
    """Note that a passage is right for a question, because she says so."""
    kept: bool = await context.bridge.call(
        "tuning.note", query_id=query_id, record_id=record_id, judged_by=JudgedBy.MARKED
    )
    if kept:
        context.announce(Announcement(f"Noted: “{title}” is right for this question.", tone="good"))
    else:
        context.announce(Announcement("Not noted: this search is not in the history any more.", "Search again."))


async def judge(context: Context, query_id: str, helpful: bool) -> None:
    """Keep whether an answer helped her."""
    await context.bridge.call("feedback", query_id=query_id, helpful=helpful)
    context.announce(Announcement("Noted: this answer helped." if helpful else "Noted: this answer did not help."))
