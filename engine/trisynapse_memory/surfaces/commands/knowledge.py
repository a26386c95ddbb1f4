"""The commands about what was compiled: ``claims``, ``graph``, ``groups``, ``aliases``, ``snapshots``, ``wiki``."""

from __future__ import annotations

from argparse import Namespace as Options
from pathlib import Path
from typing import Any

import msgspec

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import Alias, Claim, Graph, Snapshot, Summary, WikiChange, WikiExport, WikiPage


def claims(options: Options, printer: Printer) -> int:
    """Print what the sources claim, the best supported first."""
    with Session(options) as session:
        found: tuple[Claim, ...] = session.call(
            "claims.list",
            status=options.status or "",
            about=options.about or "",
            include_all=options.all,
            limit=options.limit,
        )
    printer.result(
        {"claims": [claim_body(claim) for claim in found]}, [_claim_line(c) for c in found] or ["No claims."]
    )
    return 0


def claim_body(claim: Claim) -> dict[str, Any]:
    """Return one claim as the command-line contract words it (spec/cli.md); its sides say who says what."""
    return {
        **msgspec.to_builtins(claim),
        "objects": list(claim.objects),
        "evidence": list(claim.evidence),
    }


def graph(options: Options, printer: Printer) -> int:
    """Print the concept graph, around one entity or around the best connected ones."""
    chosen: dict[str, Any] = {"about": options.about or "", "hops": options.hops, "limit": options.limit}
    with Session(options) as session:
        if options.format == "graphml":
            text: str = session.call("graph.export", **chosen)
            printer.result({"format": "graphml", "graphml": text}, [text])
            return 0
        found: Graph = session.call("graph.around", **chosen)
    labels = {node.node_id: node.label for node in found.nodes}
    lines = [f"{labels[e.source]} -- {e.label} ({e.status}) --> {labels[e.target]}" for e in found.edges]
    printer.result(found, lines or [node.label for node in found.nodes] or ["Nothing is known yet."])
    return 0


def groups_list(options: Options, printer: Printer) -> int:
    """List the summaries of sources, collections, chats and concepts, newest first."""
    with Session(options) as session:
        found: tuple[Summary, ...] = session.call("groups.list", limit=options.limit)
    lines = [f"{s.group_id}  {s.title}: {s.topic}{' (stale)' if s.stale else ''}" for s in found]
    printer.result({"groups": [_summary_body(one) for one in found]}, lines or ["No summaries."])
    return 0


def groups_summarize(options: Options, printer: Printer) -> int:
    """Summarise one group now."""
    with Session(options) as session:
        found: Summary = session.call("groups.summarize", group_id=options.id)
    printer.result({"group": _summary_body(found)}, [found.title, found.text])
    return 0


def aliases_list(options: Options, printer: Printer) -> int:
    """List the names that were merged."""
    with Session(options) as session:
        found: tuple[Alias, ...] = session.call("aliases.list")
    return _print_aliases(found, printer)


def aliases_merge(options: Options, printer: Printer) -> int:
    """Say that two names mean one thing; the first one is what it is called."""
    with Session(options) as session:
        found: Alias = session.call("aliases.merge", name=options.name, other=options.other)
    printer.result({"alias": found}, [_alias_line(found)])
    return 0


def aliases_unmerge(options: Options, printer: Printer) -> int:
    """Say that a merge was wrong."""
    with Session(options) as session:
        left: tuple[Alias, ...] = session.call("aliases.unmerge", alias_id=options.id)
    return _print_aliases(left, printer)


def snapshots_list(options: Options, printer: Printer) -> int:
    """List the named moments of the vault."""
    with Session(options) as session:
        found: tuple[Snapshot, ...] = session.call("snapshots.list")
    printer.result({"snapshots": found}, [_snapshot_line(one) for one in found] or ["No snapshots."])
    return 0


def snapshots_create(options: Options, printer: Printer) -> int:
    """Name the present moment."""
    return _snapshot("create", options, printer, label=options.label)


def snapshots_enter(options: Options, printer: Printer) -> int:
    """Read the vault as it was then, until it is left."""
    return _snapshot("enter", options, printer, snapshot_id=options.id)


def snapshots_leave(options: Options, printer: Printer) -> int:
    """Return to the present."""
    return _snapshot("leave", options, printer)


def _snapshot(verb: str, options: Options, printer: Printer, **wanted: Any) -> int:
    with Session(options) as session:
        found: Snapshot | None = session.call(f"snapshots.{verb}", **wanted)
    printer.result({"snapshot": found}, [_snapshot_line(found) if found else "No snapshot was entered."])
    return 0


def wiki_build(options: Options, printer: Printer) -> int:
    """Compile the wiki from claims and summaries; what she accepted before stays until she accepts its change."""
    with Session(options) as session:
        session.call("jobs.wait", progress=printer.progress)
        pages: tuple[WikiPage, ...] = session.call("wiki.build")
    printer.result({"pages": pages}, [f"{page.slug}  {page.title}" for page in pages] or ["No pages yet."])
    return 0


def wiki_show(options: Options, printer: Printer) -> int:
    """Print one page."""
    with Session(options) as session:
        page: WikiPage = session.call("wiki.show", slug=options.page)
    lines = [f"# {page.title}", *(_wiki_line(one.text, one.stale, one.reason) for one in page.sentences)]
    printer.result({"pages": [page]}, lines)
    return 0


def wiki_write(options: Options, printer: Printer) -> int:
    """Let the model that is chosen for the wiki tell a page as connected prose, each sentence checked against it."""
    with Session(options) as session:
        page: WikiPage = session.call("wiki.write", slug=options.page)
    lines = [f"# {page.title}", " ".join(one.text for one in page.prose), f"written by {page.prose_model}"]
    printer.result({"pages": [page]}, lines)
    return 0


def wiki_changes(options: Options, printer: Printer) -> int:
    """List what the evidence would change on the pages."""
    with Session(options) as session:
        found: tuple[WikiChange, ...] = session.call("wiki.changes")
    lines = [f"{c.slug} {c.key}: {c.before or '(new)'} -> {c.after or '(gone)'} ({c.reason})" for c in found]
    printer.result({"changes": found}, lines or ["Nothing has changed."])
    return 0


def wiki_accept(options: Options, printer: Printer) -> int:
    """Take the changes of a page, or of one sentence of it."""
    return _judge("wiki.accept", options, printer)


def wiki_reject(options: Options, printer: Printer) -> int:
    """Refuse the changes of a page, or of one sentence of it; they are not proposed again."""
    return _judge("wiki.reject", options, printer)


def wiki_keep(options: Options, printer: Printer) -> int:
    """Keep one sentence of a page as it stands, whatever its evidence says now."""
    return _judge("wiki.keep", options, printer)


def _judge(verb: str, options: Options, printer: Printer) -> int:
    with Session(options) as session:
        page: WikiPage = session.call(verb, slug=options.page, key=options.key)
    printer.result({"pages": [page]}, [f"{page.slug}: {len(page.sentences)} sentences"])
    return 0


def wiki_export(options: Options, printer: Printer) -> int:
    """Write the wiki into a folder that other programs read."""
    folder = Path(options.folder).expanduser().absolute()  # an owner has another working folder
    if folder.exists() and not folder.is_dir():
        raise InvalidInputError(f"'{folder}' is a file.", hint="Give a folder.")
    with Session(options) as session:
        report: WikiExport = session.call("wiki.export", folder=str(folder), format=options.format)
    printer.result(report, [f"Wrote {report.pages} pages, {report.files} files, into {report.folder}"])
    return 0


def _wiki_line(text: str, stale: bool, reason: str) -> str:
    return f"- {text}" + (f"  [{reason or 'stale'}]" if stale else "")


def _claim_line(claim: Claim) -> str:
    values = " / ".join(claim.objects)
    where = ", ".join(f"{name} {value}" for name, value in claim.qualifiers.items())
    said = f"{claim.subject} {claim.relation}{' (not)' if claim.negated else ''}: {values}"
    return f"{claim.claim_id}  {claim.status.value:10} {claim.confidence:.2f}  {said}{f' ({where})' if where else ''}"


def _summary_body(summary: Summary) -> dict[str, Any]:
    return {**msgspec.to_builtins(summary), "text": summary.text}


def _print_aliases(found: tuple[Alias, ...], printer: Printer) -> int:
    printer.result({"aliases": found}, [_alias_line(one) for one in found] or ["No names are merged."])
    return 0


def _alias_line(alias: Alias) -> str:
    return f"{alias.alias_id}  {alias.canonical}: {', '.join(alias.names)} ({alias.origin})"


def _snapshot_line(snapshot: Snapshot) -> str:
    mark = "  (entered)" if snapshot.entered else ""
    return f"{snapshot.snapshot_id}  {snapshot.created_at:%Y-%m-%d %H:%M}  {snapshot.label}{mark}"
