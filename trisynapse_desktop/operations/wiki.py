"""What she does with the wiki in, calls of the engine out; no widget is built here."""

from __future__ import annotations

from pathlib import Path

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import WikiExport, WikiPage


async def pages(context: Context) -> tuple[WikiPage, ...]:
    """Return every page as it stands; nothing is built."""
    return await context.bridge.call("wiki.pages")


async def show(context: Context, slug: str) -> WikiPage:
    """Return one page as displayed, stale sentences with what would replace them."""
    return await context.bridge.call("wiki.show", slug=slug)


async def build(context: Context) -> tuple[WikiPage, ...]:
    """Compile pages that are new; those she has are changed only by what she accepts."""
    made: tuple[WikiPage, ...] = await context.bridge.call("wiki.build")
    return made


async def accept(context: Context, slug: str, key: str) -> None:
    """Take a proposed sentence."""
    await context.bridge.call("wiki.accept", slug=slug, key=key)


async def reject(context: Context, slug: str, key: str) -> None:
    """Keep the page as it is; this proposal does not come back until it says something else."""
    await context.bridge.call("wiki.reject", slug=slug, key=key)


async def keep(context: Context, slug: str, key: str) -> None:
    """Keep a sentence as hers: nothing is proposed for it any more."""
    await context.bridge.call("wiki.keep", slug=slug, key=key)


async def export(context: Context, folder: Path) -> None:
    """Write all pages as a folder of Markdown that opens in Obsidian."""
    made: WikiExport = await context.bridge.call("wiki.export", folder=str(folder))
    hints = [f"Open {folder} in Obsidian or any editor."]
    if made.untouched:
        hints.append(f"{len(made.untouched):,} files of yours in that folder were left as they are.")
    if made.left_out:
        hints.append(f"{made.left_out:,} sensitive sources were left out.")
    written = f"{made.pages:,} {'page' if made.pages == 1 else 'pages'} written."
    context.announce(Announcement(written, " ".join(hints), "good"))
