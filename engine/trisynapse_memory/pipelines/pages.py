"""The files of the wiki in, the same files up to date out: what was forgotten stands in none of them. Idle work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trisynapse_memory.errors import TrisynapseError


class PageFiles:
    """Writes the pages of a wiki that was built anew when what they rest on may have changed.

    Nothing is remembered between openings: each begins by looking once.

    Args:
        folder: ``wiki/`` of the vault; while it holds no page there is nothing to do.
        refresh: writes the files as the pages show now, and nothing into the log.
    """

    def __init__(self, folder: Path, refresh: Callable[[], None]) -> None:
        self._folder = folder
        self._refresh = refresh
        self._is_stale = True

    def touch(self) -> None:
        """Say that evidence was corrected, hidden, brought back, removed or replaced."""
        self._is_stale = True

    def pending(self) -> int:
        """Return 1 when the files may show what no longer holds, else 0."""
        return int(self._is_stale and any(self._folder.glob("*.md")))

    def step(self) -> int:
        """Write the files; return 1.

        Raises:
            VaultError: the folder cannot be written; it is tried again.
        """
        self._is_stale = False  # before: what changes meanwhile counts for the next time
        try:
            self._refresh()
        except TrisynapseError:
            self._is_stale = True
            raise
        return 1
