"""A kind and a name in, a class out; nothing is imported before it is asked for, and nothing is built here."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

from trisynapse_memory.branches import BRANCHES, ENTRY_POINT_GROUP, Branch
from trisynapse_memory.errors import BranchUnavailableError, UnknownBranchError


class Registry:
    """Looks branches up by kind and name.

    Args:
        rows: the table; ours by default, a smaller one in tests.
        guests: also read the entry points of installed packages.
    """

    def __init__(self, rows: tuple[Branch, ...] = BRANCHES, *, guests: bool = True) -> None:
        self._rows = rows
        self._guests = guests
        self._known: dict[str, tuple[Branch, ...]] = {}  # reading entry points walks the whole installation

    def rows(self, kind: str) -> tuple[Branch, ...]:
        """Return all rows of one kind, ours first, in the order of the table."""
        if kind not in self._known:
            self._known[kind] = self._read_rows(kind)
        return self._known[kind]

    def _read_rows(self, kind: str) -> tuple[Branch, ...]:
        own = tuple(row for row in self._rows if row.kind == kind)
        if not self._guests:
            return own
        taken = {row.name for row in own}
        found = entry_points(group=f"{ENTRY_POINT_GROUP}.{kind}")
        return own + tuple(Branch(kind, point.name, point.value) for point in found if point.name not in taken)

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of one kind, for messages and menus."""
        return tuple(row.name for row in self.rows(kind))

    def load(self, kind: str, name: str) -> Any:
        """Import and return the class of one branch.

        Raises:
            UnknownBranchError: no branch of that kind has that name.
            BranchUnavailableError: a package it needs is not installed.
        """
        for row in self.rows(kind):
            if row.name == name:
                return _import_target(row)
        known = ", ".join(self.names(kind)) or "none"
        raise UnknownBranchError(f"There is no {kind} named '{name}'.", hint=f"Known: {known}.")

    def missing(self, row: Branch) -> tuple[str, ...]:
        """Return the packages a branch needs that are not installed."""
        return tuple(package for package in row.needs if find_spec(package) is None)

    def is_available(self, kind: str, name: str) -> bool:
        """Tell whether a branch is in the table and all that it needs is installed; nothing is imported."""
        return any(row.name == name and not self.missing(row) for row in self.rows(kind))


def _import_target(row: Branch) -> Any:
    module, _, attribute = row.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == "trisynapse_memory":
            raise
        install = f"pip install 'trisynapse-desktop[{row.extra}]'" if row.extra else f"pip install {error.name}"
        raise BranchUnavailableError(
            f"The {row.kind} '{row.name}' needs the package '{error.name}'.", hint=f"Install it: {install}."
        ) from error
