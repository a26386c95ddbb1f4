"""A question in, evidence and then an answer out, both kept in a thread of the log; nothing is shown here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trisynapse_desktop.pane import Context
from trisynapse_memory.types import Answer, Hit, SearchResult, Thread, Turn

TITLE_LENGTH = 60  # characters of the first question that name its thread
EVIDENCE_COUNT = 4  # cards shown while the answer is written; more would push it off the sidebar


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


async def find_evidence(
    context: Context, question: str, source_ids: Sequence[str] | None = None, count: int = EVIDENCE_COUNT
) -> tuple[Hit, ...]:
    """Return the best passages at once, so that something true is on the screen before the answer."""
    arguments: dict[str, Any] = {} if source_ids is None else {"source_ids": list(source_ids)}
    result: SearchResult = await context.bridge.call("search", question=question, top_k=count, **arguments)
    return result.hits


async def ask(
    context: Context,
    question: str,
    thread: Thread | None = None,
    source_ids: Sequence[str] | None = None,
    on_evidence: Callable[[tuple[Hit, ...]], None] | None = None,
) -> Exchange:
    """Ask the vault and keep both sides.

    Args:
        context: the window's context.
        question: what she asked.
        thread: where it is kept; ``None`` starts a thread.
        source_ids: what may answer; ``None`` means every source.
        on_evidence: called with the best passages before the answer is there.

    Raises:
        TrisynapseError: the engine could not answer; the question stays in the thread.
    """
    scope = list(source_ids) if source_ids is not None else None
    kept = thread or await start_thread(context, question, scope or ())
    await context.bridge.call("threads.append", thread_id=kept.thread_id, role="user", text=question)
    if on_evidence is not None:
        on_evidence(await find_evidence(context, question, scope))
    arguments: dict[str, Any] = {} if scope is None else {"source_ids": scope}
    answer: Answer = await context.bridge.call("query", question=question, **arguments)
    turn: Turn = await context.bridge.call(
        "threads.append",
        thread_id=kept.thread_id,
        role="assistant",
        text=answer.answer,
        query_id=answer.query_id,
        answer=msgspec.json.encode(answer).decode(),
    )
    return Exchange(kept, answer, turn)
