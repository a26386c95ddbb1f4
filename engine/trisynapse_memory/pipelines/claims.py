"""Compiled claims as she uses them: list, look into, settle a dispute. No claim is compiled here."""

from __future__ import annotations

from trisynapse_memory.errors import InvalidInputError, UnknownClaimError
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Claim, ClaimStatus, Draft, Kind, Namespace, ResolutionDetails


class Claims:
    """The noun door ``engine.claims``; called, it lists."""

    def __init__(self, rooms: Rooms, reading: Reading, writer: Namespace) -> None:
        self._rooms = rooms
        self._reading = reading
        self._writer = writer

    def __call__(self, *, status: str = "", about: str = "", limit: int = 100) -> tuple[Claim, ...]:
        """Return the claims that may be shown, the best supported first; see ``list``."""
        return self.list(status=status, about=about, limit=limit)

    def list(
        self, *, status: str = "", about: str = "", include_all: bool = False, limit: int = 100
    ) -> tuple[Claim, ...]:
        """Return claims, the best supported first.

        Args:
            status: active, contested or superseded; empty for all.
            about: an entity, by any of its names; empty for all.
            include_all: also those that rest only on patterns whose precision is not high enough to be shown.
            limit: how many at most.

        Raises:
            InvalidInputError: there is no such status.
        """
        if status and status not in tuple(ClaimStatus):
            known = ", ".join(ClaimStatus)
            raise InvalidInputError(f"There is no claim status '{status}'.", hint=f"Known: {known}.")
        shown = None if include_all else True
        return self._rooms.claims.list(self._reading.scope(), status=status, about=about, shown=shown, limit=limit)

    def show(self, claim_id: str) -> Claim:
        """Return one claim with all its sides and everything that supports them.

        Raises:
            UnknownClaimError: no claim has that id.
        """
        found = self._rooms.claims.get(claim_id, self._reading.scope())
        if found is None:
            raise UnknownClaimError(
                f"There is no claim '{claim_id}'.",
                hint="`claims` lists them; an id changes with what a claim is about.",
            )
        return found

    def resolve(self, claim_id: str, value: str, reason: str) -> Claim:
        """Settle a dispute as her own word, with a reason; both sides are kept.

        Raises:
            UnknownClaimError: no claim has that id.
            InvalidInputError: the value or the reason is empty.
        """
        if not value.strip() or not reason.strip():
            raise InvalidInputError("A dispute is settled with a value and a reason.", hint="Give both in a few words.")
        return self._review(claim_id, ResolutionDetails(claim_id=claim_id, value=value, reason=reason))

    def unresolve(self, claim_id: str) -> Claim:
        """Take her word on a dispute back; the claim is contested again."""
        return self._review(claim_id, ResolutionDetails(claim_id=claim_id, value="", reason="", removed=True))

    def _review(self, claim_id: str, details: ResolutionDetails) -> Claim:
        self.show(claim_id)
        draft = Draft(kind=Kind.REVIEW, text=details.reason, payload=details, namespace=self._writer)
        self._rooms.log.append([draft])
        self._rooms.projector.catch_up()
        return self.show(claim_id)
