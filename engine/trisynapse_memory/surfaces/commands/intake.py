"""The commands that take things in: ``ingest``, ``runs``."""

from __future__ import annotations

import json
import sys
from argparse import Namespace as Options
from pathlib import Path
from typing import Any

import msgspec

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.commands.links import consents, fetch_planned, question
from trisynapse_memory.surfaces.printing import Printer, step_line
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import (
    IngestResult,
    IngestRun,
    LinkPlan,
    Message,
    Outcome,
    QueryRun,
    RecordId,
    SourceInput,
)

SOME_FAILED, ALL_FAILED = 3, 4


def ingest(options: Options, printer: Printer) -> int:
    """Take files, folders, URLs and conversations in."""
    if not options.source and not options.messages:
        raise InvalidInputError("There is nothing to take in.", hint="Give a file, a folder, a URL or --messages FILE.")
    password = sys.stdin.readline().rstrip("\n") if options.password_stdin else None
    inputs = [_input(text, password) for text in options.source]
    with Session(options) as session:
        record_ids = _take_messages(session, options, printer) if options.messages else ()
        run = _take_inputs(session, options, printer, inputs)
        if options.fetch and not options.dry_run:
            run = _fetch_links(session, options, printer, run)
        backlog = session.call("jobs.backlog")
    body = {**msgspec.to_builtins(run), "record_ids": record_ids, "backlog": msgspec.to_builtins(backlog)}
    printer.result(body, [*result_lines(run.results), _summary(run)])
    return _exit_code(run)


def _take_inputs(session: Session, options: Options, printer: Printer, inputs: list[SourceInput]) -> IngestRun:
    if inputs:
        return session.call(
            "ingest",
            *inputs,
            progress=printer.progress,
            wait=not options.no_wait,
            dry_run=options.dry_run,
            collection=options.collection,
        )
    if not options.no_wait:
        session.call("jobs.wait", progress=printer.progress)
    return IngestRun(run_id="", status="completed", dry_run=options.dry_run)


def _fetch_links(session: Session, options: Options, printer: Printer, run: IngestRun) -> IngestRun:
    """Fetch the pages of the bookmarks of a run, once she has seen which hosts that means."""
    ids = [one.source_id for one in run.results if one.kind == "bookmark" and one.source_id is not None]
    plan: LinkPlan = session.call("links.plan", source_ids=ids)
    if not plan.total:
        return run
    if not options.yes and not sys.stdin.isatty():
        printer.note(f"{question(plan)} They were not: add --yes to say that they may.")
        return run
    if consents(options, plan):
        fetch_planned(session, printer, plan, wait=not options.no_wait, run_id=run.run_id)
    shown: IngestRun = session.call("runs.show", run_id=run.run_id)
    return shown


def runs_list(options: Options, printer: Printer) -> int:
    """List what was taken in and what was asked, newest first."""
    with Session(options) as session:
        ingests: tuple[IngestRun, ...] = session.call("runs.list", limit=options.limit)
        queries: tuple[QueryRun, ...] = session.call("runs.queries", limit=options.limit)
    lines = [f"{run.run_id}  {run.status:11} {len(run.results)} inputs" for run in ingests]
    lines += [f"{run.query_id}  {run.mode:11} {run.question}" for run in queries]
    rows = [{"run_id": q.query_id, "mode": q.mode, "question": q.question, "status": q.status} for q in queries]
    printer.result({"runs": ingests, "queries": rows}, lines or ["No runs yet."])
    return 0


def runs_show(options: Options, printer: Printer) -> int:
    """Show one run with everything that is known of it."""
    with Session(options) as session:
        run: IngestRun | QueryRun = session.call("runs.show", run_id=options.id)
    lines = result_lines(run.results) if isinstance(run, IngestRun) else [step_line(step) for step in run.steps]
    printer.result({"run": run}, lines)
    return 0


def runs_retry(options: Options, printer: Printer) -> int:
    """Try again what failed in a run."""
    with Session(options) as session:
        run: IngestRun = session.call("runs.retry", run_id=options.id)
    printer.result(run, [*result_lines(run.results), _summary(run)])
    return _exit_code(run)


def sources_read_again(options: Options, printer: Printer) -> int:
    """Try the pages of one source that could not be read."""
    with Session(options) as session:
        run: IngestRun = session.call("runs.read_again", source_id=options.id)
    printer.result(run, [*result_lines(run.results), _summary(run)])
    return _exit_code(run)


def _input(text: str, password: str | None) -> SourceInput:
    if text.lower().startswith(("http://", "https://")):
        return SourceInput(url=text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"The name {text!a} is no valid UTF-8.", hint="Rename the file.") from error
    path = Path(text).expanduser()
    # An owner has another working folder, so a path must not depend on it. What is none ("git@host:x.git") is told as
    # it was typed.
    told = text if ":" in text and not path.exists() else str(path.absolute())
    return SourceInput(path=told, password=password)


def _take_messages(session: Session, options: Options, printer: Printer) -> tuple[RecordId, ...]:
    """Read a chat file: a list of messages, or ``{"group_id": ..., "title": ..., "messages": [...]}``."""
    path = Path(options.messages)
    try:
        read: Any = json.loads(path.read_text(encoding="utf-8"))
        body: dict[str, Any] = {"messages": read} if isinstance(read, list) else dict(read)
        messages = msgspec.convert(body["messages"], list[Message])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(
            f"'{path}' is no chat file ({error}).", hint='Give a JSON list of {"role": ..., "content": ...}.'
        ) from error
    group_id, title = str(body.get("group_id", path.stem)), str(body.get("title", path.stem))
    if options.dry_run:
        printer.note(f"{len(messages)} messages of '{title}' would be remembered.")
        return ()
    ids: tuple[RecordId, ...] = session.call(
        "ingest_messages", messages=tuple(messages), group_id=group_id, title=title
    )
    printer.note(f"Remembered {len(ids)} messages of '{title}'.")
    return ids


def result_lines(results: tuple[IngestResult, ...]) -> list[str]:
    """Return what became of each input as a person reads it."""
    return [_result_line(result) for result in results]


def _result_line(result: IngestResult) -> str:
    verdicts = ", ".join(f"{count} {name}" for name, count in result.verdicts.items())
    why = f" ({result.reason})" if result.reason else ""
    hint = f" {result.error.hint}" if result.error else ""
    return f"{result.status.value:8} {result.title or result.input}: {verdicts or '-'}{why}{hint}"


def _summary(run: IngestRun) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in run.counts.items() if count)
    return f"{run.status}: {counts or 'nothing to do'}"


def _exit_code(run: IngestRun) -> int:
    failed = sum(result.status is Outcome.FAILED for result in run.results)
    if not failed:
        return 0
    return ALL_FAILED if failed == len(run.results) else SOME_FAILED
