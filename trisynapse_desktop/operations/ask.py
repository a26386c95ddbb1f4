"""A question in, evidence and then an answer out, both kept in a thread of the log; nothing is shown here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trisynapse_desktop.pane import Context
from trisynapse_memory.types import Answer, AnswerStep, Thread, Turn

TITLE_LENGTH = 60  # characters of the first question that name its thread


@dataclass(frozen=True, slots=True)
class Wish:
    """A question as it is asked.

    ``source_ids`` are all that may answer, empty for every source. ``model`` is who writes, empty for what the settings
    say. ``share`` names collections that a remote model may be shown this once. ``ask_id`` is the name for ``stop``.
    """

    question: str
    source_ids: tuple[str, ...] = ()
    model: str = ""
    share: tuple[str, ...] = ()
    ask_id: str = ""

    def arguments(self) -> dict[str, Any]:
        """Return what the engine is told, without what is not said."""
        given = {"source_ids": self.source_ids, "model": self.model, "share": self.share, "ask_id": self.ask_id}
        said = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value}
        return {"question": self.question, **said}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question with its answer, and the thread it was kept in."""

    thread: Thread
    answer: Answer
    turn: Turn


async def threads(context: Context) -> tuple[Thread, ...]:
    """List the kept threads, as the engine orders them."""
    return await context.bridge.call("threads.list")


async def turns(context: Context, thread_id: str) -> tuple[Turn, ...]:
    """Return the messages of a thread, oldest first."""
    return await context.bridge.call("threads.turns", thread_id=thread_id)


async def start_thread(context: Context, question: str, scope_source_ids: Sequence[str] = ()) -> Thread:
    """Make a thread named by its first question."""
    title = question if len(question) <= TITLE_LENGTH else f"{question[: TITLE_LENGTH - 1].rstrip()}…"
    return await context.bridge.call("threads.create", title=title, scope_source_ids=list(scope_source_ids))


async def choose_model(context: Context, thread: Thread, model: str) -> Thread:
    """Say who writes the answers of a thread: ``service/model``, ``none``, or empty for what the settings say."""
    return await context.bridge.call("threads.choose_model", thread_id=thread.thread_id, model=model)


async def ask(
    context: Context,
    wish: Wish,
    thread: Thread | None = None,
    on_step: Callable[[AnswerStep], None] | None = None,
) -> Exchange:
    """Ask the vault and keep both sides.

    Args:
        context: the window's context.
        wish: what she asked, of whom.
        thread: where it is kept; ``None`` starts a thread.
        on_step: told the best passages first, then each sentence as soon as it stands, then the answer.

    Raises:
        TrisynapseError: the engine could not answer; the question stays in the thread.
    """
    call = context.bridge.call
    kept = thread or await start_thread(context, wish.question, wish.source_ids)
    await call("threads.append", thread_id=kept.thread_id, role="user", text=wish.question)
    answer: Answer = await call("query", progress=on_step, thread_id=kept.thread_id, **wish.arguments())
    turn: Turn = await call(
        "threads.append",
        thread_id=kept.thread_id,
        role="assistant",
        text=answer.answer,
        query_id=answer.query_id,
        answer=msgspec.json.encode(answer).decode(),
    )
    return Exchange(kept, answer, turn)


async def stop(context: Context, ask_id: str) -> None:
    """Let the model that writes an answer stop; what stands by then is the answer."""
    await context.bridge.call("runs.cancel", run_id=ask_id)
