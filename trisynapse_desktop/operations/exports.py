"""A file name in, the sources that its format can say in that file; the ending says which format."""

from __future__ import annotations

from pathlib import Path

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import SourceExport

FILTERS = ("References as BibTeX (*.bib)", "References as CSL JSON (*.json)", "Bookmarks for a browser (*.html)")
FIRST_NAME = "references.bib"


async def export(context: Context, name: str) -> None:
    """Write references or bookmarks where she said, and say what is in the file and what stayed out."""
    report: SourceExport = await context.bridge.call("sources.export", path=name)
    what = f"{report.sources:,} {'reference' if report.format != 'bookmarks' else 'bookmark'}"
    hint = f"{report.left_out:,} marked sensitive stayed out." if report.left_out else ""
    context.announce(
        Announcement(f"Wrote {what}{'' if report.sources == 1 else 's'} into “{Path(name).name}”.", hint, "good")
    )
