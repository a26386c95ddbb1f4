"""The name of a suite and a folder of corpora in, its report out. Nothing is measured here.

The command line loads this module by name (``bench``); the suites and what they measure stand in docs/benchmark.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from trisynapse_memory.bench import (
    abstention,
    answers,
    beam,
    citations,
    conflicts,
    fuzz,
    ids,
    intake,
    locomo,
    multihop,
    nfcorpus,
    papers,
    pdf,
    scale,
    xquad,
)
from trisynapse_memory.bench.ablations import names_of
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.evidence_report import measure
from trisynapse_memory.bench.peers import names_of as peers_of
from trisynapse_memory.bench.report import Report, table
from trisynapse_memory.bench.stores import EvidenceSuite, Order
from trisynapse_memory.errors import InvalidInputError

__all__ = ["EVIDENCE", "LABELLED", "SUITES", "Order", "names_of", "peers_of", "run", "table"]

Suite = Callable[[Path, int | None, Note], Report]
LabelledSuite = Callable[[Path, Path, int | None, Note], Report]

DEFAULT: Final = Order()
PAPERS: Final = "papers"
ANSWERS: Final = "answers"
LABELS: Final = Path("tests/corpora")  # where our own sets lie, seen from the root of the project

EVIDENCE: Final[Mapping[str, EvidenceSuite]] = MappingProxyType(
    {suite.name: suite for suite in (locomo.SUITE, multihop.SUITE, beam.SUITE, nfcorpus.SUITE, xquad.SUITE, ids.SUITE)}
)
"""Suites whose stores are asked for evidence; parts of the engine can be switched off in them."""

SUITES: Final[Mapping[str, Suite]] = MappingProxyType(
    {
        PAPERS: papers.run,
        "scale": scale.run,
        "pdf": pdf.run,
        "conflicts": conflicts.run,
        "intake": intake.run,
        "fuzz": fuzz.run,
    }
)

LABELLED: Final[Mapping[str, LabelledSuite]] = MappingProxyType(
    {"abstention": abstention.run, ANSWERS: answers.run, "citations": citations.run}
)
"""Suites that answer questions; our own labelled sets join the public ones."""


def run(
    suite: str,
    data: Path,
    *,
    labels: Path = LABELS,
    order: Order = DEFAULT,
    note: Note | None = None,
) -> Report:
    """Measure one suite.

    Args:
        suite: one of ``EVIDENCE``, ``LABELLED`` or ``SUITES``.
        data: the folder that holds the corpora, each in a folder of its own; nothing in it is changed or copied.
        labels: the folder of our own labelled sets; what is not there is left out.
        order: its limit is of questions or pages, for ``scale`` of records; ``EVIDENCE`` and ``answers``
            have parts to switch off, ``EVIDENCE`` a background to wait for.
        note: told how far the run is.

    Raises:
        InvalidInputError: there is no such suite, its corpus is not there, the limit is below 1, or it has no parts to
            switch off or to ask a peer.
    """
    _check(suite, order)
    tell = note or _silent
    if suite in EVIDENCE:
        return measure(EVIDENCE[suite], data, order, tell)
    if suite == ANSWERS:
        return answers.run(data, labels, order.limit, tell, order.ablate)
    if suite in LABELLED:
        return LABELLED[suite](data, labels, order.limit, tell)
    if suite == PAPERS:
        return papers.run(data, order.limit, tell, order.peers)
    return SUITES[suite](data, order.limit, tell)


def _check(suite: str, order: Order) -> None:
    known = sorted([*EVIDENCE, *LABELLED, *SUITES])
    if suite not in known:
        raise InvalidInputError(f"There is no suite '{suite}'.", hint=f"Known: {', '.join(known)}.")
    if order.limit is not None and order.limit < 1:
        raise InvalidInputError(
            f"The limit is {order.limit}; it must be above 0.", hint="Leave it out for a whole run."
        )
    if suite not in (*EVIDENCE, ANSWERS) and order.ablate:
        raise InvalidInputError(
            f"'{suite}' cannot run with parts off.", hint=f"These can: {', '.join([*EVIDENCE, ANSWERS])}."
        )
    if suite not in EVIDENCE and order.settle:
        raise InvalidInputError(f"'{suite}' cannot run settled.", hint=f"These can: {', '.join(EVIDENCE)}.")
    if suite not in (*EVIDENCE, PAPERS) and order.peers:
        raise InvalidInputError(f"'{suite}' asks no peers.", hint=f"These do: {', '.join([*EVIDENCE, PAPERS])}.")


def _silent(_: str) -> None:
    return None
