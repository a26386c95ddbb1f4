"""What she dropped, pasted or picked in, a run of the ingest corridor out; no file is opened in this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QMimeData

from trisynapse_desktop.operations import knowledge, links
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_memory.types import IngestRun, Outcome, Source, SourceCard, SourceInput

CARD_LIMIT = 3  # sources up to which each is announced with its card; those of a folder are in the library
KEPT_RUNS = 30  # newest runs in which the one of a source is looked for
TITLE_LENGTH = 60  # characters of a pasted text that name it
_URL = re.compile(r"https?://[^\s<>\"]+")


def inputs_of_mime(mime: QMimeData) -> tuple[SourceInput, ...]:
    """Read what a drop or the clipboard holds: files and folders, links, else text. Pictures alone give nothing."""
    if mime.hasUrls():
        return tuple(_of_address(url.toLocalFile(), url.toString()) for url in mime.urls())
    return inputs_of_text(mime.text()) if mime.hasText() else ()


def inputs_of_text(text: str) -> tuple[SourceInput, ...]:
    """Read typed or pasted text: nothing but links means those pages, anything else is a text of its own."""
    stripped = text.strip()
    if not stripped:
        return ()
    words = stripped.split()
    if all(_URL.fullmatch(word) for word in words):
        return tuple(SourceInput(url=word) for word in dict.fromkeys(words))
    return (SourceInput(text=stripped, title=title_of(stripped)),)


def inputs_of_paths(paths: Iterable[str | Path]) -> tuple[SourceInput, ...]:
    """Name files and folders by their paths."""
    return tuple(SourceInput(path=str(path)) for path in paths)


def hosts_of(inputs: Iterable[SourceInput]) -> tuple[str, ...]:
    """Return the hosts that fetching these inputs would contact, each once."""
    hosts = (urlsplit(entry.url).hostname or "" for entry in inputs if entry.url)
    return tuple(dict.fromkeys(host for host in hosts if host))


def title_of(text: str) -> str:
    """Name a pasted text by its first line."""
    first = text.strip().splitlines()[0].strip()
    return first if len(first) <= TITLE_LENGTH else f"{first[: TITLE_LENGTH - 1].rstrip()}…"


async def ingest(context: Context, inputs: Sequence[SourceInput], fetch: bool = False) -> IngestRun | None:
    """Take things in, say what became of them, and offer to undo it.

    Args:
        context: the window's context.
        inputs: what to take in; nothing gives nothing.
        fetch: whether the hosts of links may be contacted; only after she agreed.
    """
    if not inputs:
        return None
    run: IngestRun = await context.bridge.call("ingest", inputs=list(inputs), fetch=fetch, wait=False)
    context.announce(_outcome(context, run))
    if count := links.bookmark_count(run):
        links.offer(context, count)
    # She can ask by words now; embedding takes minutes more, and is only waited for so that its progress is told.
    await context.bridge.call("jobs.wait")
    added = fresh_source_ids(run)
    for source_id in added if len(added) <= CARD_LIMIT else ():
        await _show_card(context, source_id)
    return run


async def _show_card(context: Context, source_id: str) -> None:
    """Say in one line what a new source brings, with a way to its card."""
    card = await knowledge.card(context, source_id)

    def show() -> None:
        context.selection.select_source(source_id)
        context.selection.open(Target("details", source_id=source_id))

    if line := card_line(card):
        tone = "bad" if card.disagreements else "good"
        context.announce(Announcement(f"“{card.title}”", line, tone, "Show", show))


def card_line(card: SourceCard) -> str:
    """Count what a source brings, e.g. ``5 key claims · 1 disagrees with the vault``; empty where it brings none."""
    claims, disputes = len(card.key_claims), len(card.disagreements)
    parts = [f"{claims} key claim{'s' * (claims != 1)}"] if claims else []
    if disputes:
        parts.append(f"{disputes} disagree{'s' * (disputes == 1)} with the vault")
    if card.new_concepts:
        parts.append(f"{len(card.new_concepts)} new concept{'s' * (len(card.new_concepts) != 1)}")
    return " · ".join(parts)


async def undo(context: Context, run: IngestRun) -> None:
    """Forget every source a run brought in; the log keeps them, so they can come back."""
    source_ids = fresh_source_ids(run)
    for source_id in source_ids:
        await context.bridge.call("sources.forget", source_id=source_id, reason="Undid adding it.")
    count = len(source_ids)
    context.announce(Announcement(f"{count:,} source{'' if count == 1 else 's'} taken back."))


async def cancel(context: Context, run_id: str) -> None:
    """Stop a run; what it had finished stays."""
    await context.bridge.call("runs.cancel", run_id=run_id)


async def retry(context: Context, run_id: str) -> None:
    """Try again what a run could not do."""
    run: IngestRun = await context.bridge.call("runs.retry", run_id=run_id)
    context.announce(_outcome(context, run))


async def read_again(context: Context, source: Source) -> None:
    """Try once more the pages of a source that took too long or broke off, with the run that brought it in."""
    runs: Sequence[IngestRun] = await context.bridge.call("runs.list", limit=KEPT_RUNS)
    for run in runs:
        if run.status != "running" and any(result.source_id == source.source_id for result in run.results):
            context.announce(Announcement(f"Reading “{source.title}” again.", "What was read whole is kept."))
            await retry(context, run.run_id)
            return
    text = "The import that brought it in is no longer in the history."
    context.announce(Announcement(text, "Add the file again: only what was not read is read anew.", "bad"))


def fresh_source_ids(run: IngestRun) -> tuple[str, ...]:
    """Return the sources a run added; those that were there before are not among them."""
    added = (Outcome.SUCCESS, Outcome.PARTIAL)
    return tuple(result.source_id for result in run.results if result.source_id and result.status in added)


def _outcome(context: Context, run: IngestRun) -> Announcement:
    added = fresh_source_ids(run)
    failed = [result for result in run.results if result.status is Outcome.FAILED]
    if run.status == "cancelled":
        return Announcement(
            "Stopped.", f"{len(added):,} were added before.", undo_text="Undo", undo=_undoing(context, run)
        )
    if failed and not added:
        fault = failed[0].error
        text = fault.message if fault else failed[0].reason or "It could not be read."
        return Announcement(
            text, fault.hint if fault else "Activity has the details.", "bad", "Activity", _activity(context)
        )
    if not added:
        return Announcement("Nothing new: all of it is in the vault already.")
    name = _name(run, added)
    gaps = f"{len(failed):,} could not be read; Activity has the details." if failed else "Askable by its words now."
    return Announcement(f"Added {name}.", gaps, "good", "Undo", _undoing(context, run))


def _name(run: IngestRun, added: Sequence[str]) -> str:
    if len(added) > 1:
        return f"{len(added):,} sources"
    title = next((result.title for result in run.results if result.source_id == added[0]), "")
    return f"“{title}”" if title else "1 source"


def _undoing(context: Context, run: IngestRun) -> Callable[[], None] | None:
    def do() -> None:
        context.bridge.run(undo(context, run))

    return do if fresh_source_ids(run) else None


def _activity(context: Context) -> Callable[[], None]:
    def do() -> None:
        context.selection.open(Target("activity"))

    return do


def _of_address(path: str, address: str) -> SourceInput:
    return SourceInput(path=path) if path else SourceInput(url=address)
