"""What a service said of its models is known until it says otherwise; the rest comes from the program's own list."""

from __future__ import annotations

from tests.engine.providers.canned_door import CannedDoor, key_of, table_service
from trisynapse_memory.providers.wires.exchange import Exchange
from trisynapse_memory.providers.wires.offers import Offers
from trisynapse_memory.types import ModelCard


def offers_of(context_tokens: int = 0) -> Offers:
    exchange = Exchange(table_service("openai"), CannedDoor(), key_of, ("authorization", "Bearer "))
    return Offers(exchange, None, context_tokens)  # type: ignore[arg-type]  # no model is asked here


def test_the_service_itself_is_believed_first():
    offers = offers_of()
    before = offers.known("unheard-of").context_tokens
    (card,) = offers.keep(ModelCard(service="openai", name=name, context_tokens=4_321) for name in ("unheard-of",))
    assert (before, card.context_tokens, offers.known("unheard-of").context_tokens) == (0, 4_321, 4_321)
    offers.keep(())
    assert offers.known("unheard-of").context_tokens == 0


def test_a_window_that_nobody_says_is_the_one_at_hand():
    assert offers_of(context_tokens=9_000).known("unheard-of").context_tokens == 9_000
