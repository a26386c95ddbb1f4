"""What she wants to know of the vault in, claims, graphs and cards out; no widget is built here."""

from __future__ import annotations

from trisynapse_desktop.pane import Announcement, Context
from trisynapse_memory.types import Claim, Graph, SourceCard

NODE_LIMIT = 40  # labels that can be read at once in a pane; desktop.md 7


async def around(context: Context, about: str = "", source_id: str = "", limit: int = NODE_LIMIT) -> Graph:
    """Return the concept graph around a concept or a source; around the best connected concepts without either."""
    if source_id:
        return await context.bridge.call("graph.around", source_id=source_id, limit=limit)
    return await context.bridge.call("graph.around", about=about, limit=limit)


async def claim(context: Context, claim_id: str) -> Claim:
    """Return one claim with all its sides and their evidence."""
    return await context.bridge.call("claims.show", claim_id=claim_id)


async def resolve(context: Context, disputed: Claim, value: str, reason: str) -> None:
    """Keep her word on a dispute: which value she takes, and why. The other side stays, marked as not hers."""
    await context.bridge.call("claims.resolve", claim_id=disputed.claim_id, value=value, reason=reason)

    def take_back() -> None:
        context.bridge.run(unresolve(context, disputed))

    context.announce(Announcement(f"You take {value}.", "Both sides are kept.", "good", "Undo", take_back))


async def unresolve(context: Context, resolved: Claim) -> None:
    """Let a claim be contested again."""
    await context.bridge.call("claims.unresolve", claim_id=resolved.claim_id)
    context.announce(Announcement("The claim is contested again."))


async def card(context: Context, source_id: str) -> SourceCard:
    """Return what a source brings: summary, key claims, what disagrees, questions it answers."""
    return await context.bridge.call("sources.card", source_id=source_id)
