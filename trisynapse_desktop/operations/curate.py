"""Her decisions about sources in, records of the log out; each can be undone, so none asks first."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import Locator, Record, Source


async def forget(context: Context, sources: Sequence[Source]) -> None:
    """Hide sources from every answer and offer to bring them back; the log keeps them."""
    for source in sources:
        await context.bridge.call("sources.forget", source_id=source.source_id, reason="Forgotten in the library.")

    def bring_back() -> None:
        context.bridge.run(reinstate(context, sources))

    context.announce(Announcement(f"Forgot {name_of(sources)}.", "No answer uses it now.", "plain", "Undo", bring_back))


async def reinstate(context: Context, sources: Sequence[Source]) -> None:
    """Let forgotten sources answer again."""
    for source in sources:
        await context.bridge.call(
            "sources.reinstate", source_id=source.source_id, reason="Brought back in the library."
        )
    context.announce(Announcement(f"Brought back {name_of(sources)}.", tone="good"))


async def highlight(
    context: Context, source_id: str, quote: str, locator: Locator, colour: str = "yellow", note: str = ""
) -> Record:
    """Mark a passage; the mark is a record of the log and survives a new version of the file."""
    return await context.bridge.call(
        "curation.highlight", source_id=source_id, quote=quote, locator=locator, colour=colour, note=note
    )


async def highlights(context: Context, source_id: str) -> tuple[Record, ...]:
    """Return the marks of a source."""
    return await context.bridge.call("curation.highlights", source_id=source_id)


async def tag(context: Context, source_id: str, name: str) -> None:
    """Put a tag on a source."""
    await context.bridge.call("curation.tag", source_id=source_id, name=name)


async def untag(context: Context, source_id: str, name: str) -> None:
    """Take a tag off a source."""
    await context.bridge.call("curation.untag", source_id=source_id, name=name)


def name_of(sources: Sequence[Source]) -> str:
    """Name one source by its title, several by their number."""
    return f"“{sources[0].title}”" if len(sources) == 1 else f"{len(sources):,} sources"
