"""What she does with background work in, calls of the engine out; no widget is built here."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_desktop.pane import Context
from trisynapse_memory.types import Task


async def tasks(context: Context) -> Sequence[Task]:
    """Return every kind of background work and how it is doing."""
    return await context.bridge.call("jobs.list")


async def pause(context: Context, name: str) -> Sequence[Task]:
    """Let one kind of work rest until she says so; what waits is kept."""
    return await context.bridge.call("jobs.pause", name=name)


async def resume(context: Context, name: str) -> Sequence[Task]:
    """Let it go on, also before its next try is due."""
    return await context.bridge.call("jobs.resume", name=name)


async def cancel(context: Context, name: str) -> Sequence[Task]:
    """Leave what waits for now; it is taken up again when something new arrives."""
    return await context.bridge.call("jobs.cancel", name=name)
