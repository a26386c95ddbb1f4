"""What may leave this computer in, what has left it out; no widget is built here."""

from __future__ import annotations

from trisynapse_desktop.pane import Context
from trisynapse_memory.types import ConsentSheet, EgressRow, ServiceState, Sharing, SharingRule, Spending

REQUEST_LIMIT = 500  # rows of the ledger shown; the engine keeps more


async def sheet(context: Context, service: str) -> ConsentSheet:
    """Return what would be sent to a service, in sentences, and what never is."""
    return await context.bridge.call("privacy.sheet", service=service)


async def allow(context: Context, service: str) -> ServiceState:
    """Let a service be used from now on."""
    return await context.bridge.call("privacy.allow", service=service)


async def disallow(context: Context, service: str) -> ServiceState:
    """Let nothing be sent to a service any more."""
    return await context.bridge.call("privacy.disallow", service=service)


async def rules(context: Context) -> tuple[SharingRule, ...]:
    """Return what may be sent of each collection; the empty name stands for sources in none."""
    return await context.bridge.call("privacy.rules")


async def set_rule(context: Context, collection: str, sharing: Sharing) -> tuple[SharingRule, ...]:
    """Say what may be sent of a collection."""
    return await context.bridge.call("privacy.set_rule", collection=collection, sharing=sharing)


async def requests(context: Context, limit: int = REQUEST_LIMIT) -> tuple[EgressRow, ...]:
    """Return the requests that left this computer or were refused, newest first."""
    return await context.bridge.call("privacy.requests", limit=limit)


async def request_count(context: Context) -> int:
    """Return how many requests have left since the vault was opened."""
    return await context.bridge.call("request_count")


async def is_offline(context: Context) -> bool:
    """Return whether nothing may leave at all."""
    return await context.bridge.call("privacy.offline")


async def set_offline(context: Context, offline: bool) -> bool:
    """Let nothing leave, or let what she allowed leave again; what waits is kept meanwhile."""
    return await context.bridge.call("privacy.set_offline", on=offline)


async def spending(context: Context) -> Spending:
    """Return what remote models have cost this month, and the limit."""
    return await context.bridge.call("privacy.spending")


async def set_budget(context: Context, dollars: float | None) -> Spending:
    """Set the most that may be spent in a month; None takes the limit away."""
    return await context.bridge.call("privacy.set_budget", usd=dollars)
