"""Who wrote, introduced, published and founded."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Okafor and Stone (2015) introduced AdaFold.",
            ["AdaFold | introduced_by | Okafor and Stone", "AdaFold | introduced_in | 2015"],
        ),
        ("HydraMix was introduced by Whitcombe et al. in 2023.", ["HydraMix | introduced_in | 2023"]),
        ("The Harbour Institute was founded in 1911.", ["Harbour Institute | founded_in | 1911"]),
        ("Founded in 1911, the Harbour Institute has 40 rooms.", ["Harbour Institute | founded_in | 1911"]),
        ("“Winter Accounts” was published in 1801.", ["Winter Accounts | published_on | 1801"]),
        ("“Winter Accounts”, by Amara Okafor, is out of print.", ["Winter Accounts | authored_by | Amara Okafor"]),
        ("Ruth Stone wrote the car off as a loss.", []),
        ("Was the Harbour Institute founded in 1911?", []),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "authorship") == found


def test_a_byline_names_the_authors_of_the_source(facts: Callable[..., list[str]]) -> None:
    text = "Fjord Notes\nBy Jane Smith and John van Lee\nThe fjord is deep."
    assert facts(text, "authorship", title="Fjord Notes", page=1) == [
        "Fjord Notes | authored_by | Jane Smith",
        "Fjord Notes | authored_by | John van Lee",
    ]
    assert facts(text, "authorship", title="Fjord Notes", page=3) == []
