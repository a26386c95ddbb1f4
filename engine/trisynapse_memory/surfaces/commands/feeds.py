"""The commands of followed feeds: ``feeds``. No host is asked before she has seen its name."""

from __future__ import annotations

import sys
from argparse import Namespace as Options

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.commands.intake import ALL_FAILED, SOME_FAILED
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import Feed, FeedPlan, FeedStatus


def feeds_follow(options: Options, printer: Printer) -> int:
    """Follow a feed or a search at arXiv, after naming the host that is asked, and read it."""
    with Session(options) as session:
        plan: FeedPlan = session.call("feeds.plan", address=options.address)
        if not consents(options, plan):
            raise InvalidInputError("Nothing is followed.", hint="Type 'yes', or add --yes.")
        made: Feed = session.call("feeds.follow", address=options.address, collection=options.collection or "")
        (feed,) = session.call("feeds.refresh", feed_id=made.feed_id)
    printer.result({"plan": plan, "feed": feed}, feed_lines(feed))
    return _exit_code((feed,))


def feeds_list(options: Options, printer: Printer) -> int:
    """List the feeds that are followed on this machine, with how each stands."""
    with Session(options) as session:
        feeds: tuple[Feed, ...] = session.call("feeds.list")
    _print(printer, feeds, "No feed is followed.")
    return 0


def feeds_refresh(options: Options, printer: Printer) -> int:
    """Ask for one feed or all now, and take in what is new."""
    with Session(options) as session:
        feeds: tuple[Feed, ...] = session.call("feeds.refresh", feed_id=options.id)
    _print(printer, feeds, "No feed is followed.")
    return _exit_code(feeds)


def feeds_pause(options: Options, printer: Printer) -> int:
    """Ask for a feed no more by itself, until it is resumed."""
    return _change("feeds.pause", options, printer)


def feeds_resume(options: Options, printer: Printer) -> int:
    """Ask for a feed again when it is due."""
    return _change("feeds.resume", options, printer)


def feeds_unfollow(options: Options, printer: Printer) -> int:
    """Follow a feed no longer; its entries stay."""
    with Session(options) as session:
        feeds: tuple[Feed, ...] = session.call("feeds.unfollow", feed_id=options.id)
    _print(printer, feeds, "No feed is followed any more.")
    return 0


def consents(options: Options, plan: FeedPlan) -> bool:
    """Ask, on a terminal, whether a feed may be asked for from now on; ``--yes`` says so, silence does not.

    Raises:
        InvalidInputError: there is nobody to ask, and no ``--yes``.
    """
    if options.yes or plan.is_followed:
        return True
    if not sys.stdin.isatty():
        raise InvalidInputError(question(plan), hint="Add --yes to say that it may.")
    print(f"{plan.url}\n{question(plan)} Type 'yes' to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("yes", "y")


def question(plan: FeedPlan) -> str:
    """Return the one question that names the host, what it learns and how often."""
    what = f"for the newest papers of '{plan.query}'" if plan.query else "for this feed"
    return f"'{plan.host}' would be asked {what}, every {plan.interval_h:g} hours while the vault is open."


def feed_lines(feed: Feed) -> list[str]:
    """Return a feed as a person reads it: what it is, then how it stands."""
    into = f" -> {feed.collection}" if feed.collection else ""
    lines = [f"{feed.feed_id}  {feed.title}{into}", f"    {feed.query or feed.url}", f"    {standing(feed)}"]
    if feed.fault is not None and feed.status is not FeedStatus.OFFLINE:
        lines.append(f"    {feed.fault.message} {feed.fault.hint}".rstrip())
    return lines


def standing(feed: Feed) -> str:
    """Say in one line how a feed stands and when it is asked again."""
    again = f"; asked again from {feed.next_at:%Y-%m-%d %H:%M} UTC" if feed.next_at is not None else ""
    if feed.status is FeedStatus.OFFLINE:
        return "waits: offline is on"
    if feed.status is FeedStatus.WAITING:
        return "not asked yet"
    when = f"{feed.checked_at:%Y-%m-%d %H:%M} UTC" if feed.checked_at is not None else "never"
    if feed.status is FeedStatus.PAUSED:
        return f"paused; last asked {when}"
    if feed.status is FeedStatus.FAILING:
        times = "once" if feed.failure_count == 1 else f"{feed.failure_count} times in a row"
        return f"could not be had, {times}, last {when}{again}"
    came = f"{feed.new_count} new, {feed.changed_count} changed on {feed.came_at:%Y-%m-%d}" if feed.came_at else "none"
    return f"{feed.entry_count} entries ({came}); last asked {when}{again}"


def _exit_code(feeds: tuple[Feed, ...]) -> int:
    """0, or as for inputs of an import: 3 where some could not be had, 4 where none could."""
    failed = sum(feed.status is FeedStatus.FAILING for feed in feeds)
    return 0 if not failed else ALL_FAILED if failed == len(feeds) else SOME_FAILED


def _change(verb: str, options: Options, printer: Printer) -> int:
    with Session(options) as session:
        feed: Feed = session.call(verb, feed_id=options.id)
    printer.result({"feed": feed}, feed_lines(feed))
    return 0


def _print(printer: Printer, feeds: tuple[Feed, ...], nothing: str) -> None:
    printer.result({"feeds": feeds}, [line for feed in feeds for line in feed_lines(feed)] or [nothing])
