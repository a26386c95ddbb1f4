"""The command that measures: ``bench``. The benchmark is loaded by name, so that nothing else pays for it."""

from __future__ import annotations

from argparse import Namespace as Options
from importlib import import_module
from pathlib import Path
from typing import Any

from trisynapse_memory.surfaces.printing import Printer


def bench(options: Options, printer: Printer) -> int:
    """Run one suite of the benchmark and print its table."""
    runner: Any = import_module("trisynapse_memory.bench.runner")
    ablate, peers = runner.names_of(options.ablate), runner.peers_of(options.peers)
    order = runner.Order(limit=options.limit, ablate=ablate, settle=options.settle, peers=peers)
    report = runner.run(
        options.suite,
        Path(options.data),
        labels=Path(options.labels),
        order=order,
        note=printer.note,
    )
    printer.result(report, runner.table(report))
    return 0
