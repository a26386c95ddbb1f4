"""A word in, what it is probably a misspelling of out."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.spelling import near_spellings, slips_between


@pytest.mark.parametrize(
    ("one", "two", "slips"),
    [("same", "same", 0), ("beriod", "beroid", 1), ("cat", "cart", 1), ("kitten", "sitting", 3), ("", "ab", 2)],
)
def test_slips_are_letters_put_in_left_out_replaced_or_swapped(one: str, two: str, slips: int) -> None:
    assert slips_between(one, two) == slips_between(two, one) == slips


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("beriod", {"beroid"}),
        ("ctenohor", {"ctenophor"}),
        ("form", set()),  # too short to tell
        ("mirror", set()),  # itself is no misspelling
        ("b2b2b2", set()),
        ("croid", set()),  # another first letter
    ],
)
def test_near_spellings_begin_alike_and_are_one_slip_apart(word: str, near: set[str]) -> None:
    assert near_spellings(word, ["beroid", "ctenophor", "from", "mirror", "beetle"]) == near
