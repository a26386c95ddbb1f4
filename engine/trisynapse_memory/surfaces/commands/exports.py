"""The command that writes sources for other programs: ``sources export``."""

from __future__ import annotations

from argparse import Namespace as Options
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import SourceExport

FORMATS: Final = ("bookmarks", "bibtex", "csl")
"""Rows of kind ``exporter`` whose class is a ``SourceExporter``."""


def sources_export(options: Options, printer: Printer) -> int:
    """Write bookmarks or references into a file that other programs read."""
    path = Path(options.file).expanduser().absolute()  # an owner has another working folder
    if path.is_dir():
        raise InvalidInputError(f"'{path}' is a folder.", hint="Give the name of a file.")
    with Session(options) as session:
        report: SourceExport = session.call(
            "sources.export", path=str(path), format=options.format or "", only=tuple(options.only or ())
        )
    kept = f"; {report.left_out} marked sensitive stayed out" if report.left_out else ""
    printer.result(report, [f"Wrote {report.sources} sources as {report.format} into {report.path}{kept}."])
    return 0
