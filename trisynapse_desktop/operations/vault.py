"""A folder in, an open vault or the sample out; the engine makes and reads the vault, this only says which.

The sample is more than its sources: one printed value in it is corrected as a reader would correct it, its wiki is
built, and one of its papers has a second version that waits to be taken in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, convert
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.session import default_vault_folder
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import resources_folder
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.types import (
    Backlog,
    CorrectionDetails,
    IngestRun,
    Outcome,
    SearchResult,
    Source,
    SourceInput,
    Validation,
    WikiChange,
)

SAMPLE_NAME = "The speed of light.vault"
VAULT_MARK = "vault.toml"


class Call(Protocol):
    """Asks the engine for something: a verb and its arguments by name, as ``Bridge.call`` takes them."""

    async def __call__(self, verb: str, **args: Any) -> Any: ...


class PrintedValue(Struct, frozen=True, kw_only=True):
    """A value of the sample that is corrected: the words on the page, what is right, and why."""

    phrase: str
    correction: str
    reason: str


class SecondVersion(Struct, frozen=True, kw_only=True):
    """A paper of the sample that has a second version: both files, and the one sentence in which they differ."""

    file: str
    replaces: str
    old: str
    new: str


def is_vault(folder: Path) -> bool:
    """Tell whether a folder is a vault, by the one file every vault has."""
    return (folder / VAULT_MARK).is_file()


def sample_vault() -> Path:
    """Return where the sample vault is, or will be made."""
    return default_vault_folder() / SAMPLE_NAME


def sample_inputs() -> tuple[SourceInput, ...]:
    """Return the sources of the sample vault, in reading order: the start page, six papers, a web page, bookmarks."""
    folder = resources_folder() / "sample"
    papers = sorted(path.name for path in folder.glob("*.pdf"))
    names = ("start-here.md", *papers, "history-of-the-metre.html", "bookmarks.html")
    return tuple(SourceInput(path=str(folder / name), source_key=_sample_key(name)) for name in names)


def is_sample(folder: Path | None) -> bool:
    """Tell whether a folder is the sample vault, wherever it was copied to."""
    return folder is not None and folder.name == SAMPLE_NAME


def printed_value() -> PrintedValue:
    """Return the value of the sample that is corrected when the vault is made."""
    asked = next(question for question in _sample_facts()["questions"] if "struck" in question)
    return convert(asked["struck"], PrintedValue)


def second_version() -> SecondVersion:
    """Return the paper of the sample that has a second version."""
    return convert(_sample_facts()["version_2"], SecondVersion)


async def is_finished(call: Call) -> bool:
    """Tell whether the sample was made to its end: its wiki, which comes last, is there."""
    return bool(await call("wiki.pages"))


async def finish_sample(call: Call) -> None:
    """Make of the sample's sources what the start page promises: correct the printed value, and build the wiki.

    Both may be done again: a value that is struck already is left alone, and a page that is there is not built anew.

    Args:
        call: asks the engine that has taken the sources in.
    """
    await _correct(call, printed_value())
    await call("jobs.wait")
    await call("wiki.build")


async def replace_paper(call: Call) -> tuple[WikiChange, ...]:
    """Take the second version of a paper in, as a new version of the same source.

    Args:
        call: asks the engine of the sample vault.

    Returns:
        What the wiki proposes to change now; nothing where the version was taken in before and all was decided.
    """
    version = second_version()
    if not await call("wiki.pages"):
        await call("wiki.build")  # Only a page that is there can have a sentence that is out of date.
    path = resources_folder() / "sample" / version.file
    given = SourceInput(path=str(path), source_key=_sample_key(version.replaces))
    run: IngestRun = await call("ingest", inputs=[given], wait=False)
    failed = next((result for result in run.results if result.status is Outcome.FAILED), None)
    if failed is not None and failed.error is not None:
        raise TrisynapseError(failed.error.message, failed.error.hint)
    await call("jobs.wait")
    changes: tuple[WikiChange, ...] = await call("wiki.changes")
    return changes


async def drop_second_version(context: Context) -> None:
    """Take version 2 of a paper in, and open the wiki page that says differently now."""
    context.announce(Announcement("Version 2 is being read.", "Its wiki page opens when it has been compared."))
    changes = await replace_paper(context.bridge.call)
    if not changes:
        context.announce(Announcement("Version 2 is here already.", "No sentence of the wiki waits for a decision."))
        return
    count = len({change.key for change in changes})
    told = "One sentence" if count == 1 else f"{count:,} sentences"
    context.announce(Announcement("Version 2 of the paper is in.", f"{told} of the wiki may change. You decide."))
    told_by_paper = (change for change in changes if change.before == second_version().old)
    context.selection.open(Target("wiki", text=next(told_by_paper, changes[0]).slug))


async def _correct(call: Call, printed: PrintedValue) -> None:
    """Correct the sentence that holds a printed value, unless it has been corrected."""
    found: SearchResult = await call("search", question=f'"{printed.phrase}"')
    holding = (hit.record for hit in found.hits if printed.phrase in " ".join(hit.record.text.split()))
    record = next(holding, None)
    if record is None:
        return
    history = await call("history", record_id=record.id)
    if not any(isinstance(one.payload, CorrectionDetails) for one in history):
        reason = f"{printed.reason[0].upper()}{printed.reason[1:]}."
        await call("correct", record_id=record.id, text=printed.correction, reason=reason)


def _sample_facts() -> dict[str, Any]:
    path = resources_folder() / "sample" / "questions.json"
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return facts


def _sample_key(name: str) -> str:
    return f"sample/{name}"


async def check(context: Context) -> Validation:
    """Prove the vault and say the result."""
    result: Validation = await context.bridge.call("validate")
    if result.ok:
        count = sum(result.checked.values())
        context.announce(Announcement("The vault is sound.", f"{count:,} things were checked.", "good"))
    else:
        first = result.findings[0]
        more = f" {len(result.findings) - 1:,} more." if len(result.findings) > 1 else ""
        context.announce(Announcement(first.message, f"{first.fix}{more}", "bad"))
    return result


async def backlog(context: Context) -> Backlog:
    """Ask how many records still wait for something."""
    return await context.bridge.call("jobs.backlog")


async def library(context: Context) -> tuple[Source, ...]:
    """Return the sources in use."""
    return await context.bridge.call("sources.list")


async def show_original(context: Context, source_id: str) -> None:
    """Open the original: the file where it lies, or the page's address; otherwise say where the copy is kept."""
    source: Source = await context.bridge.call("sources.show", source_id=source_id)
    path = Path(source.source_key)
    if path.is_file():
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
        return
    copy = await context.bridge.call("sources.original", source_id=source_id)
    context.announce(Announcement("The file is no longer where it was.", f"The vault keeps a copy: {copy}"))
