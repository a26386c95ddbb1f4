"""Folders she wants followed in, calls of the engine out; the engine watches them, this only says which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import IngestRun, WatchedFolder


async def folders(context: Context) -> Sequence[WatchedFolder]:
    """Return the folders of this computer that are watched."""
    return await context.bridge.call("watching.list")


async def add(context: Context, folder: Path, collection: str = "") -> None:
    """Watch a folder from now on; what lies in it is taken in as well."""
    made: WatchedFolder = await context.bridge.call("watching.add", path=str(folder), collection=collection)
    hint = "What lies in it comes in now, and later what changes."
    context.announce(Announcement(f"“{Path(made.path).name}” is watched.", hint, "good"))


async def remove(context: Context, path: str) -> None:
    """Watch a folder no longer, and offer to watch it again; its sources stay."""
    former = next((one for one in await folders(context) if one.path == path), None)
    await context.bridge.call("watching.remove", path=path)

    def again() -> None:
        collection = former.collection if former is not None else ""
        context.bridge.run(add(context, Path(path), collection))

    name = Path(path).name
    context.announce(Announcement(f"“{name}” is no longer watched.", "Its sources stay.", undo_text="Undo", undo=again))


async def look(context: Context) -> None:
    """Bring the vault up to every watched folder now, and say whether anything had changed."""
    runs: Sequence[IngestRun] = await context.bridge.call("watching.sync")
    count = sum(len(run.results) for run in runs)
    text = f"{count:,} file{'' if count == 1 else 's'} had changed." if count else "Nothing has changed."
    context.announce(Announcement(text, "Activity has the details." if count else "", "good" if count else "plain"))
