"""What a service listed in, its models as the engine asks them out: what the leaves of all services have in common."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from trisynapse_memory.contracts import Completer
from trisynapse_memory.providers.wires.completing import Manner, RemoteCompleter, Wire
from trisynapse_memory.providers.wires.exchange import Exchange
from trisynapse_memory.providers.wires.prices import Known, known_model, known_of
from trisynapse_memory.types import ModelCard


class Offers:
    """The models of one service. It remembers how each wants to be asked, and what the service said of it.

    Args:
        exchange: asks the service.
        wire: its language.
        context_tokens: the window of a model of which nobody says it; 0: as ``RemoteCompleter`` takes it.
    """

    def __init__(self, exchange: Exchange, wire: Wire, context_tokens: int = 0) -> None:
        self._exchange = exchange
        self._wire = wire
        self._context_tokens = context_tokens
        self._manners: dict[str, Manner] = {}
        self._listed: dict[str, Known] = {}

    def keep(self, cards: Iterable[ModelCard]) -> tuple[ModelCard, ...]:
        """Remember what the service has just said of its models, and return it."""
        kept = tuple(cards)
        self._listed = {card.name: known_of(card) for card in kept}
        return kept

    def known(self, model: str) -> Known:
        """Return what is known of a model: from the service itself, else from the list of this program."""
        found = self._listed.get(model) or known_model(self._exchange.service.name, model)
        return found if found.context_tokens else structs.replace(found, context_tokens=self._context_tokens)

    def completer(self, model: str) -> Completer:
        """Return a model that answers prompts; the service is not asked yet."""
        return RemoteCompleter(self._exchange, self._wire, model, self.known(model), self._manners)
