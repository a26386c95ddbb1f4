"""Bookmarks in, a plan of their pages out; with her consent, their pages in the background."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_memory.types import IngestRun, Link, LinkPlan, Outcome

BOOKMARK = "bookmark"
LISTED_LIMIT = 500  # links of each kind of trouble; a list that is longer is not read to its end


async def plan(context: Context, source_ids: Sequence[str] = ()) -> LinkPlan:
    """Ask what fetching the pages of these bookmarks would mean; of all of them where none is named."""
    return await context.bridge.call("links.plan", source_ids=list(source_ids) or None)


async def read(context: Context, agreed: LinkPlan) -> None:
    """Let the pages she agreed to be fetched, and say where they can be watched."""
    done: LinkPlan = await context.bridge.call("links.fetch", source_ids=list(agreed.source_ids))
    count = f"{done.total:,} page{'' if done.total == 1 else 's'}"
    hint = "Each becomes a source, or says why it cannot. One site is asked slowly."
    context.announce(
        Announcement(
            f"Reading {count} in the background.",
            hint,
            "good",
            "Activity",
            lambda: context.selection.open(Target("activity")),
        )
    )


async def troubled(context: Context) -> tuple[Link, ...]:
    """Return the links whose page could not be had, then those that wait because something is in their way."""
    failed: Sequence[Link] = await context.bridge.call("links.list", status="failed", limit=LISTED_LIMIT)
    waiting: Sequence[Link] = await context.bridge.call("links.list", status="waiting", limit=LISTED_LIMIT)
    return (*failed, *(link for link in waiting if link.verdict))


async def try_again(context: Context, source_ids: Sequence[str]) -> None:
    """Ask once more for pages that could not be had; she allowed their sites before."""
    done: LinkPlan = await context.bridge.call("links.fetch", source_ids=list(source_ids))
    count = f"{done.total:,} page{'' if done.total == 1 else 's'}"
    context.announce(Announcement(f"Asking for {count} again.", "One site is asked slowly."))


def bookmark_count(run: IngestRun) -> int:
    """Return how many bookmarks a run brought in."""
    return sum(result.kind == BOOKMARK and result.status is Outcome.SUCCESS for result in run.results)


def offer(context: Context, count: int) -> None:
    """Say of bookmarks that came in that their pages have not been read, with a way to read them."""
    text = f"{count:,} bookmark{'' if count == 1 else 's'} can be searched."
    hint = "By title, folder, tag and date. Their pages have not been fetched."
    context.announce(Announcement(text, hint, "plain", "Read the pages…", context.actions.action("links.read").trigger))
