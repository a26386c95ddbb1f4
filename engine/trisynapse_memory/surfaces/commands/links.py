"""The commands that fetch the pages of bookmarks: ``links``. No host is asked before she has seen its name."""

from __future__ import annotations

import sys
from argparse import Namespace as Options
from typing import Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import Link, LinkPlan, LinkStatus

HOSTS_SHOWN: Final = 20


def links_plan(options: Options, printer: Printer) -> int:
    """Say which hosts fetching the pages of bookmarks would contact; nothing is contacted."""
    with Session(options) as session:
        plan: LinkPlan = session.call("links.plan", source_ids=options.id or None, collection=options.collection)
    printer.result({"plan": plan}, plan_lines(plan))
    return 0


def links_fetch(options: Options, printer: Printer) -> int:
    """Fetch the pages of bookmarks, after naming the hosts; it goes on in the background and after a restart."""
    with Session(options) as session:
        plan: LinkPlan = session.call("links.plan", source_ids=options.id or None, collection=options.collection)
        if plan.total and not consents(options, plan):
            raise InvalidInputError("Nothing was fetched.", hint="Type 'yes', or add --yes.")
        fetch_planned(session, printer, plan, wait=not options.no_wait)
        links: tuple[Link, ...] = session.call("links.list")
    printer.result({"plan": plan, "links": links}, [_line(link) for link in links] or ["No links."])
    return 0


def links_refresh(options: Options, printer: Printer) -> int:
    """Ask again for pages that are in the vault; what has changed becomes a new version."""
    with Session(options) as session:
        plan: LinkPlan = session.call("links.refresh", source_ids=options.id or None)
        if not options.no_wait:
            session.call("links.wait", progress=printer.progress)
        links: tuple[Link, ...] = session.call("links.list")
    chosen = [link for link in links if link.source_id in plan.source_ids]
    printer.result({"plan": plan, "links": chosen}, [_line(link) for link in chosen] or ["No pages of the web."])
    return 0


def links_list(options: Options, printer: Printer) -> int:
    """List the links that were allowed, with what became of each."""
    with Session(options) as session:
        links: tuple[Link, ...] = session.call("links.list", status=options.status, limit=options.limit)
    printer.result({"links": links}, [_line(link) for link in links] or ["No links."])
    return 0


def links_cancel(options: Options, printer: Printer) -> int:
    """Let no link wait any more."""
    with Session(options) as session:
        count: int = session.call("links.cancel")
    printer.result({"cancelled": count}, [f"{count} links wait no more."])
    return 0


def consents(options: Options, plan: LinkPlan) -> bool:
    """Ask, on a terminal, whether the hosts of a plan may be contacted; ``--yes`` says so, silence does not.

    Raises:
        InvalidInputError: there is nobody to ask, and no ``--yes``.
    """
    if options.yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInputError(question(plan), hint="Add --yes to say that they may.")
    print("\n".join(plan_lines(plan)), file=sys.stderr)
    print(f"{question(plan)} Type 'yes' to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("yes", "y")


def fetch_planned(session: Session, printer: Printer, plan: LinkPlan, *, wait: bool, run_id: str = "") -> None:
    """Carry a plan out that she agreed to, and say what still waits."""
    session.call("links.fetch", source_ids=list(plan.source_ids), run_id=run_id)
    if not wait:
        return
    waiting: tuple[Link, ...] = session.call("links.wait", progress=printer.progress)
    if waiting:
        printer.note(f"{len(waiting)} links still wait; they go on when the vault is open. See `links list`.")


def plan_lines(plan: LinkPlan) -> list[str]:
    """Return a plan as a person reads it."""
    rows = [f"{count:6}  {host}" for host, count in list(plan.hosts.items())[:HOSTS_SHOWN]]
    left = len(plan.hosts) - len(rows)
    if left > 0:
        rows.append(f"{sum(list(plan.hosts.values())[HOSTS_SHOWN:]):6}  on {left} other hosts")
    if plan.also:
        rows.append(f"        besides: {', '.join(plan.also)}")
    known = f"{plan.fetched} are in the vault already, {plan.waiting} wait already."
    return [*rows, f"{plan.total:6}  pages of {len(plan.hosts)} hosts in all; {known}"]


def question(plan: LinkPlan) -> str:
    """Return the one question that names how many pages and hosts it is about."""
    first = ", ".join(list(plan.hosts)[:3])
    more = f" and {len(plan.hosts) - 3} more" if len(plan.hosts) > 3 else ""
    return f"{plan.total} pages would be fetched from {len(plan.hosts)} hosts ({first}{more})."


def _line(link: Link) -> str:
    when = f", again {link.retry_at:%Y-%m-%d %H:%M} UTC" if link.retry_at and link.status is LinkStatus.WAITING else ""
    why = f" ({link.verdict}{when})" if link.verdict else ""
    return f"{link.status.value:9} {link.url}{why}"
