"""A service and a model's name in, its price and window out, from a dated list; a service's own word goes before it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.types import ModelCard, Usage

LIST_PATH: Final = Path(__file__).parent / "prices.json"
"""Made by packaging/scripts/make_prices.py from a public list; names its source and day."""

PER_TOKENS: Final = 1_000_000


class Known(Struct, frozen=True):
    """What is known of a model: its window in tokens (0: not known) and US dollars per million tokens."""

    context_tokens: int = 0
    input_price_usd: float | None = None
    output_price_usd: float | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return what so many tokens cost in US dollars, or None where a price is not known."""
        if self.input_price_usd is None or (output_tokens and self.output_price_usd is None):
            return None
        return (input_tokens * self.input_price_usd + output_tokens * (self.output_price_usd or 0.0)) / PER_TOKENS


class _PriceList(Struct, frozen=True):
    source: str
    priced_on: str
    services: dict[str, list[tuple[str, int, float, float]]]


def known_model(service: str, model: str) -> Known:
    """Return what the list says of a model of a service; an empty ``Known`` where it does not have it.

    The list is of one day (``priced_on``); the highest of several hourly prices stands in it, so that what is counted
    against her budget is rather too much than too little.
    """
    for pattern, context_tokens, input_price, output_price in _price_list().services.get(service, ()):
        if re.match(pattern, model):
            return Known(context_tokens, input_price, output_price)
    return Known()


def known_of(card: ModelCard) -> Known:
    """Return what a card says, with what the list knows where the card is silent."""
    listed = known_model(card.service, card.name)
    return Known(
        card.context_tokens or listed.context_tokens,
        listed.input_price_usd if card.input_price_usd is None else card.input_price_usd,
        listed.output_price_usd if card.output_price_usd is None else card.output_price_usd,
    )


def added(first: Usage, second: Usage) -> Usage:
    """Return what two requests took together; a cost that is not known makes the sum unknown."""
    known = first.cost_usd is not None and second.cost_usd is not None
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cost_usd=(first.cost_usd or 0.0) + (second.cost_usd or 0.0) if known else None,
        first_token_ms=first.first_token_ms,
        total_ms=first.total_ms + second.total_ms,
    )


@cache
def _price_list() -> _PriceList:
    return msgspec.json.decode(LIST_PATH.read_bytes(), type=_PriceList)
