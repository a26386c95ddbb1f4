"""What she does on a claim card in, changes of the engine out; the card itself is made by the pane."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from trisynapse_desktop.operations import curate, knowledge
from trisynapse_desktop.pane import Context
from trisynapse_memory.types import Claim, Support


class Signal(Protocol):
    """What is connected to: a signal of Qt."""

    def connect(self, slot: Callable[..., object], /) -> object: ...


class Card(Protocol):
    """A claim shown with what can be done to it; the signals carry what ``ClaimCard`` says."""

    opened: Signal
    resolved: Signal
    taken_back: Signal
    forgotten: Signal
    corrected: Signal

    @property
    def claim(self) -> Claim: ...


def follow_card(context: Context, card: Card, changed: Callable[[str], None]) -> None:
    """Do what she asks for on a card.

    Args:
        context: where the engine is reached.
        card: the card; it must live as long as its signals are wanted.
        changed: called after each change, with the id of the claim to show again; empty where it may be gone.
    """
    claim = card.claim

    def do(change: Coroutine[Any, Any, None], claim_id: str = "") -> None:
        async def make() -> None:
            await change
            changed(claim_id)

        context.bridge.run(make())

    def resolve(value: str, reason: str) -> None:
        do(knowledge.resolve(context, claim, value, reason), claim.claim_id)

    def take_back() -> None:
        do(knowledge.unresolve(context, claim), claim.claim_id)

    def forget(support: Support) -> None:
        do(curate.forget_passage(context, support.record_id, support.title))

    def correct(support: Support, text: str, reason: str) -> None:
        do(curate.correct(context, support.fact_id, text, reason))

    card.opened.connect(lambda support: open_support(context, support))
    card.resolved.connect(resolve)
    card.taken_back.connect(take_back)
    card.forgotten.connect(forget)
    card.corrected.connect(correct)


def open_support(context: Context, support: Support) -> None:
    """Show a passage in its source."""
    if support.source_id:
        context.selection.select_record(support.record_id)
        context.selection.open_passage(support.source_id, support.locator, support.title)
