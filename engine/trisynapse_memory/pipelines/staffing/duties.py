"""A role in, the background work that goes with it out, done by whatever model fills the role now.

A role may be filled, emptied or filled anew while a vault is open. What belongs to one model (the index of what it has
not read) is opened and closed here, in the thread that works, so that nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from trisynapse_memory.contracts import Completer
from trisynapse_memory.pipelines.jobs import Work
from trisynapse_memory.types import Role, RoleChoice


class Holders(Protocol):
    """Who fills a role."""

    def holder(self, role: Role) -> Completer | None:
        """Return the model that fills a role, whether or not it may be asked now; the same one while it does."""
        ...

    def choice(self, role: Role, *, in_haste: bool) -> RoleChoice:
        """Return the choice for a role, with the reason why it cannot be used; in haste, without waiting."""
        ...


def _nothing() -> None:
    return None


class Duty:
    """One kind of background work of one role.

    Args:
        role: whose model does it.
        staff: knows who that is.
        begin: builds the work for one model.
        end: lets go of what ``begin`` opened.
    """

    def __init__(
        self, role: Role, staff: Holders, begin: Callable[[Completer], Work], end: Callable[[], None] = _nothing
    ) -> None:
        self._role = role
        self._staff = staff
        self._begin = begin
        self._end = end
        self._held: tuple[Completer, Work] | None = None

    def prepare(self) -> None:
        """Let whoever fills the role now take up the work, and whoever no longer does leave it."""
        holder = self._staff.holder(self._role)
        held = self._held
        if held is not None and held[0] is not holder:
            self._held = None
            self._end()
        if holder is not None and self._held is None:
            self._held = (holder, self._begin(holder))

    def pending(self) -> int:
        """Return how many units of work wait; 1 where the role has changed hands and nobody has noticed yet."""
        held = self._held
        if self._staff.holder(self._role) is not (None if held is None else held[0]):
            return 1
        return 0 if held is None else held[1].pending()

    def step(self) -> int:
        """Do one piece of work; 0 where only the hands have changed.

        Raises:
            TrisynapseError: it cannot go on now; nothing of what waits is lost.
        """
        held = self._held
        if held is None or self._staff.holder(self._role) is not held[0]:
            self.prepare()
            return 0
        return held[1].step()

    def held_up(self) -> str | None:
        """Why the work cannot go on now, an empty text where it can, None where nobody fills the role."""
        choice = self._staff.choice(self._role, in_haste=True)
        if choice.state == "off":
            return None if self._held is None else ""
        return "" if choice.state == "ready" else choice.note
