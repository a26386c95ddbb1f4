"""The commands of watched folders: ``watch``. What changes in them is taken in by itself while the vault is open."""

from __future__ import annotations

import time
from argparse import Namespace as Options
from pathlib import Path
from typing import Final

from trisynapse_memory.surfaces.commands.intake import result_lines
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import IngestRun, WatchedFolder

LOOK_S: Final = 5.0  # how often `watch run` looks for changes


def watch_list(options: Options, printer: Printer) -> int:
    """List the folders of this machine that are watched."""
    with Session(options) as session:
        folders: tuple[WatchedFolder, ...] = session.call("watching.list")
    printer.result({"folders": folders}, [_line(one) for one in folders] or ["No folder is watched."])
    return 0


def watch_add(options: Options, printer: Printer) -> int:
    """Watch a folder, and take in what it holds."""
    with Session(options) as session:
        folder: WatchedFolder = session.call("watching.add", path=_path(options), collection=options.collection or "")
        runs: tuple[IngestRun, ...] = session.call("watching.sync")
    printer.result({"folder": folder, "runs": runs}, [_line(folder), *_rows(runs)])
    return 0


def watch_remove(options: Options, printer: Printer) -> int:
    """Watch a folder no longer; what was taken in stays."""
    with Session(options) as session:
        folders: tuple[WatchedFolder, ...] = session.call("watching.remove", path=_path(options))
    printer.result({"folders": folders}, [_line(one) for one in folders] or ["No folder is watched any more."])
    return 0


def watch_sync(options: Options, printer: Printer) -> int:
    """Take in now what has changed in the watched folders."""
    with Session(options) as session:
        runs: tuple[IngestRun, ...] = session.call("watching.sync")
    printer.result({"runs": runs}, _rows(runs) or ["Nothing has changed."])
    return 0


def watch_run(options: Options, printer: Printer) -> int:
    """Stay, and take in what changes in the watched folders until interrupted."""
    with Session(options) as session:
        while True:
            for line in _rows(session.call("watching.sync")):
                printer.note(line)
            time.sleep(LOOK_S)


def _path(options: Options) -> str:
    # An owner has another working folder, so a path must not depend on it.
    return str(Path(options.folder).expanduser().absolute())


def _rows(runs: tuple[IngestRun, ...]) -> list[str]:
    return [line for run in runs for line in result_lines(run.results)]


def _line(folder: WatchedFolder) -> str:
    into = f" -> {folder.collection}" if folder.collection else ""
    return f"{folder.path}{into}{'' if folder.is_there else '  (not there now)'}"
