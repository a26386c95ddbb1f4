"""The price list: what it knows is counted, what it does not know has no price."""

from __future__ import annotations

import json
import re

import pytest

from trisynapse_memory.providers.services import SERVICES
from trisynapse_memory.providers.wires.prices import LIST_PATH, Known, added, known_model, known_of
from trisynapse_memory.types import ModelCard, Usage

LIST = json.loads(LIST_PATH.read_bytes())


def test_the_list_says_where_and_when_its_prices_are_from() -> None:
    assert LIST["source"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", LIST["priced_on"])


def test_every_row_is_of_a_service_of_the_table_and_has_a_pattern_that_can_be_read() -> None:
    assert set(LIST["services"]) <= {service.name for service in SERVICES}
    for rows in LIST["services"].values():
        for pattern, window, paid_in, paid_out in rows:
            re.compile(pattern)
            assert window >= 0
            assert 0 <= paid_in < 1000
            assert 0 <= paid_out < 1000


@pytest.mark.parametrize(
    "service", [one for one in SERVICES if one.is_remote and one.default_model], ids=lambda s: s.name
)
def test_the_default_models_have_a_price(service) -> None:
    assert known_model(service.name, service.default_model).cost(1_000_000, 0)


def test_a_dated_name_has_the_price_of_its_model_and_a_cousin_has_not() -> None:
    assert known_model("openai", "gpt-4.1-mini-2025-04-14") == known_model("openai", "gpt-4.1-mini")
    assert known_model("openai", "gpt-4.1-mini") != known_model("openai", "gpt-4.1")
    assert known_model("openai", "gpt-4.1").context_tokens == 1_000_000


def test_what_is_not_listed_has_no_price_and_no_window() -> None:
    assert known_model("openai", "gpt-of-tomorrow") == Known() == known_model("ollama", "gpt-4.1")
    assert Known().cost(1, 1) is None


def test_a_cost_is_dollars_per_million_tokens() -> None:
    assert Known(0, 2.0, 10.0).cost(500_000, 100_000) == pytest.approx(2.0)
    assert Known(0, 2.0).cost(500_000, 0) == pytest.approx(1.0)
    assert Known(0, 2.0).cost(500_000, 1) is None


def test_what_a_service_says_of_its_model_goes_before_the_list() -> None:
    card = ModelCard(service="openai", name="gpt-4.1", context_tokens=7, input_price_usd=0.0)
    listed = known_model("openai", "gpt-4.1")
    assert known_of(card) == Known(7, 0.0, listed.output_price_usd)


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    first = Usage(input_tokens=1, output_tokens=2, cost_usd=0.5, first_token_ms=9, total_ms=10)
    second = Usage(input_tokens=10, output_tokens=20, cost_usd=0.25, first_token_ms=3, total_ms=5)
    assert added(first, second) == Usage(
        input_tokens=11, output_tokens=22, cost_usd=0.75, first_token_ms=9, total_ms=15
    )
    assert added(first, Usage()).cost_usd is None
