"""Her decisions about sources and passages in, records of the log out; each can be undone, so none asks first."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import Change, HighlightDetails, Locator, Record, Source


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


async def approve_hidden(context: Context, source_id: str, page: int) -> None:
    """Let the text that cannot be seen on a page (from 1) count as evidence, as she has read it."""
    record_ids = await context.bridge.call("sources.approve_hidden", source_id=source_id, page=page)
    passages = "1 passage" if len(record_ids) == 1 else f"{len(record_ids)} passages"
    context.announce(Announcement(f"The hidden text of page {page} counts now.", f"{passages} can be found and cited."))


async def forget_passage(context: Context, record_id: str, title: str) -> None:
    """Hide one passage, and what rests on it alone, from every answer and page; offer to bring it back."""
    await context.bridge.call("forget", record_id=record_id, reason="Forgotten by hand.")

    def bring_back() -> None:
        context.bridge.run(reinstate_passage(context, record_id, title))

    text = f"Forgot a passage of “{title}”." if title else "Forgot the passage."
    context.announce(Announcement(text, "No answer uses it now.", "plain", "Undo", bring_back))


async def reinstate_passage(context: Context, record_id: str, title: str) -> None:
    """Let a forgotten passage answer again."""
    await context.bridge.call("reinstate", record_id=record_id, reason="Brought back by hand.")
    text = f"Brought back a passage of “{title}”." if title else "Brought the passage back."
    context.announce(Announcement(text, tone="good"))


async def correct(context: Context, record_id: str, text: str, reason: str) -> None:
    """Say what is right instead of what a record says; to undo it, the correction itself is forgotten."""
    change: Change = await context.bridge.call("correct", record_id=record_id, text=text, reason=reason)

    def take_back() -> None:
        context.bridge.run(withdraw(context, change.record_id))

    hint = "Answers use your words now; the history shows both."
    context.announce(Announcement("Corrected.", hint, "good", "Undo", take_back))


async def withdraw(context: Context, correction_id: str) -> None:
    """Let a correction no longer hold; what it corrected answers again."""
    await context.bridge.call("forget", record_id=correction_id, reason="The correction was taken back.")
    context.announce(Announcement("The correction is taken back.", tone="good"))


async def highlight(
    context: Context, source_id: str, quote: str, locator: Locator, colour: str = "yellow", note: str = ""
) -> Record:
    """Mark a passage; the mark is a record of the log and survives a new version of the file."""
    return await context.bridge.call(
        "curation.highlight", source_id=source_id, quote=quote, locator=locator, colour=colour, note=note
    )


async def highlights(context: Context, source_id: str) -> tuple[Record, ...]:
    """Return the marks of a source, one for each place: a mark with a note follows the same one without it."""
    found: tuple[Record, ...] = await context.bridge.call("curation.highlights", source_id=source_id)
    latest: dict[tuple[str, int | None], Record] = {}
    for record in found:
        latest[(record.text, record.locator.page if record.locator is not None else None)] = record
    return tuple(record for record in latest.values() if not is_deleted(record))


async def unhighlight(context: Context, mark: Record) -> None:
    """Take a mark away and offer to put it back as it was."""
    await context.bridge.call("curation.unhighlight", record_id=mark.id)

    def put_back() -> None:
        if mark.source_id is not None and mark.locator is not None:
            colour = mark.payload.colour if isinstance(mark.payload, HighlightDetails) else "yellow"
            context.bridge.run(highlight(context, mark.source_id, mark.text, mark.locator, colour, note_of(mark)))

    context.announce(Announcement("The highlight is taken away.", undo_text="Undo", undo=put_back))


def is_deleted(record: Record) -> bool:
    """Tell whether a mark was taken away again."""
    return isinstance(record.payload, HighlightDetails) and record.payload.deleted


def note_of(record: Record) -> str:
    """Return her note on a mark, or an empty text."""
    return record.payload.note if isinstance(record.payload, HighlightDetails) else ""


async def tag(context: Context, source_id: str, name: str) -> None:
    """Put a tag on a source."""
    await context.bridge.call("curation.tag", source_id=source_id, name=name)


async def take_off(context: Context, source_id: str, name: str) -> None:
    """Take a tag off a source and offer to put it back."""
    await untag(context, source_id, name)

    def put_back() -> None:
        context.bridge.run(tag(context, source_id, name))

    context.announce(Announcement(f"Took off the tag “{name}”.", "", "plain", "Undo", put_back))


async def untag(context: Context, source_id: str, name: str) -> None:
    """Take a tag off a source."""
    await context.bridge.call("curation.untag", source_id=source_id, name=name)


def name_of(sources: Sequence[Source]) -> str:
    """Name one source by its title, several by their number."""
    return f"“{sources[0].title}”" if len(sources) == 1 else f"{len(sources):,} sources"
