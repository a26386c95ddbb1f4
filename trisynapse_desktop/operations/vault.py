"""A folder in, an open vault or the sample out; the engine makes and reads the vault, this only says which."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.session import default_vault_folder
from trisynapse_desktop.theme import resources_folder
from trisynapse_memory.types import Backlog, Source, SourceInput, Validation

SAMPLE_NAME = "The speed of light.vault"
VAULT_MARK = "vault.toml"


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
    return tuple(SourceInput(path=str(folder / name), source_key=f"sample/{name}") for name in names)


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
    return await context.bridge.call("backlog")


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
