"""The name of a suite and a folder of corpora in, its report out. Nothing is measured here.

The command line loads this module by name (``bench``); the suites and what they measure stand in docs/benchmark.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from trisynapse_memory.bench import conflicts, fuzz, intake, locomo, papers, pdf, scale
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.report import Report, table
from trisynapse_memory.errors import InvalidInputError

__all__ = ["SUITES", "run", "table"]

Suite = Callable[[Path, int | None, Note], Report]

SUITES: Final[Mapping[str, Suite]] = MappingProxyType(
    {
        "locomo": locomo.run,
        "papers": papers.run,
        "scale": scale.run,
        "pdf": pdf.run,
        "conflicts": conflicts.run,
        "intake": intake.run,
        "fuzz": fuzz.run,
    }
)


def run(suite: str, data: Path, *, limit: int | None = None, note: Note | None = None) -> Report:
    """Measure one suite.

    Args:
        suite: one of ``SUITES``.
        data: the folder that holds the corpora, each in a folder of its own; nothing in it is changed or copied.
        limit: stop after so many questions or pages; for ``scale`` how many records.
        note: told how far the run is.

    Raises:
        InvalidInputError: there is no such suite, its corpus is not there, or the limit is below 1.
    """
    measure = SUITES.get(suite)
    if measure is None:
        raise InvalidInputError(f"There is no suite '{suite}'.", hint=f"Known: {', '.join(sorted(SUITES))}.")
    if limit is not None and limit < 1:
        raise InvalidInputError(f"The limit is {limit}; it must be above 0.", hint="Leave it out for a whole run.")
    return measure(data, limit, note or _silent)


def _silent(_: str) -> None:
    return None
