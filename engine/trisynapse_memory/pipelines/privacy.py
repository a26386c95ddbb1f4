"""What leaves this machine as she decides it: who may be asked, what may be shown, what has left."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.staffing.choices import Choices, with_permission, with_rule
from trisynapse_memory.pipelines.staffing.staff import Staff
from trisynapse_memory.providers.ledger import all_rows
from trisynapse_memory.providers.network.addresses import host_of
from trisynapse_memory.types import (
    ConsentSheet,
    EgressRow,
    Role,
    ServiceState,
    Sharing,
    SharingRule,
    Spending,
)

_SENT: Final = {
    Role.ANSWER: "Your questions, with the passages found for them.",
    Role.EXTRACTION: "Passages of your sources, to find the facts they state.",
    Role.SUMMARY: "Passages of your sources, to sum them up.",
    Role.WIKI: "Claims and summaries of your sources, to write wiki pages.",
    Role.REWRITING: "The last questions of a chat, to understand a follow-up question.",
    Role.VISION: "Pictures and scanned pages of your sources, to describe them.",
    Role.EMBEDDING: "Every passage of your sources, and every question, to compare their meaning.",
    Role.TRANSCRIPTION: "The sound of your recordings, to write down what is said in them.",
    Role.RERANKING: "Every question, with the passages found for it, to put the best ones first.",
}
_KEPT: Final = (
    "The files themselves, your notes, boards and highlights.",
    "Whatever you mark sensitive, and collections that are never shared.",
    "Your keys for other services, and the rest of your vault.",
)


class Privacy:
    """The noun door ``engine.privacy``."""

    def __init__(self, rooms: Rooms, staff: Staff, reading: Reading) -> None:
        self._rooms = rooms
        self._staff = staff
        self._reading = reading

    def sheet(self, service: str) -> ConsentSheet:
        """Return what would be sent to a service and what never is, before she allows it.

        The roles are those it fills now; of a service that fills none, those it could.

        Raises:
            UnknownServiceError: no service has that name.
        """
        found = self._staff.service(service)
        roles = self._staff.roles_of(found)
        sources = self._rooms.shelf.list(self._reading.namespace)
        marked = len(self._staff.means.sharer.sensitive_sources(source.source_id for source in sources))
        return ConsentSheet(
            service=found.name,
            label=found.label,
            host=host_of(found.base_url) if found.base_url else "",
            roles=roles,
            sent=tuple(dict.fromkeys(_SENT[role] for role in roles)) if found.is_remote else (),
            kept_here=_KEPT,
            sensitive_count=marked,
            never_collections=tuple(
                name for name, rule in self._choices.sharing.items() if name and rule is Sharing.NEVER
            ),
        )

    def allow(self, service: str) -> ServiceState:
        """Let a service be sent what its sheet says, from this machine; a service in this machine needs no leave.

        A role it is chosen for later sends other things, and wants her leave anew.

        Raises:
            UnknownServiceError: no service has that name.
        """
        return self._permit(service, True)

    def disallow(self, service: str) -> ServiceState:
        """Let nothing be sent to a service any more; what is under way in the background ends."""
        return self._permit(service, False)

    def rules(self) -> tuple[SharingRule, ...]:
        """Return the rule of every collection; the empty name is that of sources in none that has one."""
        rules = self._choices.sharing
        sources = self._rooms.shelf.list(self._reading.namespace)
        names = sorted({*rules, *(name for source in sources for name in source.collections)} - {""})
        rest = rules.get("", Sharing.ALLOW)
        return (
            SharingRule(collection="", sharing=rest),
            *(SharingRule(collection=name, sharing=rules.get(name, rest)) for name in names),
        )

    def set_rule(self, collection: str, sharing: Sharing) -> tuple[SharingRule, ...]:
        """Say whether the words of a collection may go to a remote model; it holds from the next request on.

        What waits for a remote model and must not be sent any more waits no longer; a model in this machine may still
        read it.
        """
        self._change(lambda choices: with_rule(choices, collection.strip(), sharing))
        return self.rules()

    def requests(self, limit: int = 200, before: datetime | None = None) -> tuple[EgressRow, ...]:
        """Return what left this machine or was refused at the door, newest first; with ``before``, what is older.

        What was asked where no vault was open, such as a model file by the command line, is among it.
        """
        return all_rows(self._rooms.history.ledger, self._rooms.config, limit, before)

    def offline(self) -> bool:
        """Tell whether nothing may leave at all."""
        return self._rooms.egress.offline

    def set_offline(self, on: bool) -> bool:
        """Let nothing leave, or let what she allowed leave again; what waits for the network is kept meanwhile.

        Returns whether offline is on: a process that was started with ``--offline`` stays so.
        """
        self._change(lambda choices: structs.replace(choices, offline=on))
        return self.offline()

    def follow_offline(self, switch: Callable[[bool], object]) -> None:
        """Turn another switch with offline, now and whenever it changes; the engine process brings its own guard."""
        self._rooms.egress.follow(switch)

    def follow_requests(self, told: Callable[[EgressRow], None]) -> None:
        """Tell somebody in this process of each request as it ends, from the thread that made it."""
        self._rooms.requests.listen(told)

    def spending(self) -> Spending:
        """Return what remote models have cost this calendar month (UTC), and the most she allows."""
        return self._staff.means.purse.spending(self._choices.budget_usd)

    def set_budget(self, usd: float | None) -> Spending:
        """Set the most that remote models may cost in a calendar month; None takes the limit away.

        The reply that passes the limit is the last one: its price is known when it is there. Replies of a model whose
        price is not known are counted, and cost nothing here.

        Raises:
            InvalidInputError: it is no amount of money.
        """
        if usd is not None and not (math.isfinite(usd) and usd >= 0):
            raise InvalidInputError("A budget is an amount of US dollars, 0 or more.", hint="For example 5.")
        self._change(lambda choices: structs.replace(choices, budget_usd=usd))
        return self.spending()

    @property
    def _choices(self) -> Choices:
        return self._staff.means.choices.choices

    def _permit(self, service: str, allowed: bool) -> ServiceState:
        found, device = self._staff.service(service), self._staff.means.device
        roles = self._staff.roles_of(found) if allowed else ()
        self._change(lambda choices: with_permission(choices, device, found.name, roles))
        return self._staff.state_of(found)

    def _change(self, edit: Callable[[Choices], Choices]) -> None:
        self._staff.means.choices.change(edit)
