"""The base of every error raised on purpose; the tree is drawn in the package's head."""

from __future__ import annotations

from typing import ClassVar


class TrisynapseError(Exception):
    """Base of every error raised on purpose; anything else is a bug.

    Args:
        problem: one sentence: what is wrong, with which thing.
        hint: what to do about it, or an empty string where nothing can be done.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.problem} {self.hint}".strip()

    def __reduce__(self) -> tuple[type[TrisynapseError], tuple[str, str]]:
        # Exceptions pickle by args alone; the hint must survive the way out of a worker process.
        return type(self), (self.problem, self.hint)
