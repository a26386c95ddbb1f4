"""A package in, the documents that lie inside it out; the workbooks behind charts are their charts, not documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from trisynapse_memory.errors import SourceDamagedError, SourceError
from trisynapse_memory.preprocessing.office.packages import Package
from trisynapse_memory.types import Fault, Listing

_ARROWS: Final = frozenset({"package", "aFChunk", "oleObject"})


def embedded_files(package: Package, *parts: str) -> Iterator[Listing]:
    """Yield the files that these parts embed; what another program wrapped in a form of its own is a skip.

    Args:
        package: the open package.
        parts: the names of the parts whose embedded files count: the body, the slides.
    """
    told: set[str] = set()
    for part in parts:
        for arrow in package.relations(part).values():
            if arrow.kind not in _ARROWS or arrow.is_external or arrow.target in told or not package.has(arrow.target):
                continue
            told.add(arrow.target)
            yield _listing(package, arrow.target)


def _listing(package: Package, part: str) -> Listing:
    name = PurePosixPath(part).name
    if name.lower().endswith(".bin"):
        return Listing(key=part, title=name, kind="file", filename=name, skipped="an object of another program")
    try:
        content = package.read(part)
        if not content:
            raise SourceDamagedError(f"'{name}' cannot be unpacked from '{package.name}'.")
    except SourceError as error:
        return Listing(key=part, title=name, kind="file", filename=name, fault=Fault.of(error))
    return Listing(key=part, title=name, kind="file", filename=name, content=content)
