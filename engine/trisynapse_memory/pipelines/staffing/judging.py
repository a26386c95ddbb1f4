"""A choice of a model and a check in, the choice with its state out: ready, or why not. Nobody is asked here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import (
    BudgetSpentError,
    ConsentNeededError,
    KeyNeededError,
    OfflineError,
    TrisynapseError,
)
from trisynapse_memory.types import RoleChoice

_STATES: Final[dict[type[TrisynapseError], str]] = {
    OfflineError: "offline",
    KeyNeededError: "no-key",
    ConsentNeededError: "not-allowed",
    BudgetSpentError: "budget",
}


def judged(choice: RoleChoice, check: Callable[[], object]) -> RoleChoice:
    """Return the choice with the state that a check finds; see ``RoleChoice``.

    Args:
        choice: of a role.
        check: raises what stands against the choice.
    """
    try:
        check()
    except TrisynapseError as error:
        state = next((state for kind, state in _STATES.items() if isinstance(error, kind)), "missing")
        # What to do is a button or a command where she decides; what has to be installed is said in words.
        return structs.replace(choice, state=state, note=str(error) if state == "missing" else error.problem)
    return structs.replace(choice, state="ready")
