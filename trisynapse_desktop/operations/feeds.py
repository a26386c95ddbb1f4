"""Feeds she wants followed in, calls of the engine out; nothing is asked of anybody before she has agreed."""

from __future__ import annotations

from collections.abc import Sequence

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import Feed, FeedPlan, FeedStatus


async def plan(context: Context, address: str) -> FeedPlan:
    """Say who would be asked for a feed, and how often; nobody is."""
    return await context.bridge.call("feeds.plan", address=address)


async def feeds(context: Context) -> Sequence[Feed]:
    """Return the feeds that are followed on this computer."""
    return await context.bridge.call("feeds.list")


async def follow(context: Context, address: str, collection: str = "") -> None:
    """Follow a feed that she agreed to, read it, and say what it brought."""
    made: Feed = await context.bridge.call("feeds.follow", address=address, collection=collection)
    found: Sequence[Feed] = await context.bridge.call("feeds.refresh", feed_id=made.feed_id)
    for feed in found:
        context.announce(_told(feed, f"“{feed.title}” is followed."))


async def refresh(context: Context, feed_id: str = "") -> None:
    """Ask for one feed or all of them now, and say what they brought."""
    before = {feed.feed_id: feed.came_at for feed in await feeds(context)}
    found: Sequence[Feed] = await context.bridge.call("feeds.refresh", feed_id=feed_id)
    if len(found) == 1:
        (feed,) = found
        nothing = f"Nothing new in “{feed.title}”."
        context.announce(_told(feed, "" if feed.came_at != before.get(feed.feed_id) else nothing))
        return
    came = [feed for feed in found if feed.came_at != before.get(feed.feed_id)]
    troubled = sum(feed.status is FeedStatus.FAILING for feed in found)
    count = sum(feed.new_count for feed in came)
    text = f"{count:,} new entr{'y' if count == 1 else 'ies'}." if came else "Nothing new in your feeds."
    hint = f"{troubled} could not be read; Settings, Folders and feeds says why." if troubled else ""
    context.announce(Announcement(text, hint, "bad" if troubled else "good" if count else "plain"))


async def pause(context: Context, feed: Feed) -> None:
    """Ask for a feed no more by itself, or again."""
    verb = "feeds.resume" if feed.status is FeedStatus.PAUSED else "feeds.pause"
    await context.bridge.call(verb, feed_id=feed.feed_id)


async def unfollow(context: Context, feed: Feed) -> None:
    """Follow a feed no longer, and offer to follow it again; its entries stay."""
    await context.bridge.call("feeds.unfollow", feed_id=feed.feed_id)

    def again() -> None:
        context.bridge.run(follow(context, feed.query or feed.url, feed.collection))

    text = f"“{feed.title}” is no longer followed."
    context.announce(Announcement(text, "Its entries stay.", undo_text="Undo", undo=again))


def _told(feed: Feed, otherwise: str) -> Announcement:
    """What became of one feed, in a sentence."""
    if feed.status is FeedStatus.OFFLINE:
        return Announcement(f"“{feed.title}” waits.", "Offline is on. It is asked for once you lift it.")
    if feed.fault is not None:
        return Announcement(f"“{feed.title}” could not be read.", f"{feed.fault.message} {feed.fault.hint}", "bad")
    if otherwise.startswith("Nothing"):
        return Announcement(otherwise)
    count = f"{feed.new_count:,} new entr{'y' if feed.new_count == 1 else 'ies'}"
    return Announcement(
        otherwise or f"“{feed.title}”: {count}.", f"{count} in the library." if otherwise else "", "good"
    )
