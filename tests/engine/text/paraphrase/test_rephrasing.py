"""Turns of phrase in, the one form they share out: those that say the same meet, those that do not stay apart."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.paraphrase.rephrasing import abbreviations, canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The tenant has to pay.", "The tenant shall pay."),
        ("Guests are allowed to smoke.", "Guests may smoke."),
        ("It costs no more than 40 euros.", "It costs at most 40 euros."),
        ("It costs 40 euros or more.", "It costs at least 40 euros."),
        ("People over 65 were excluded.", "People older than 65 were excluded."),
        ("It weighs twenty-three tonnes.", "It weighs 23 tonnes."),
        ("It cost 1.2 million euros.", "It cost 1,200,000 euros.".replace(",", "")),
        ("They meet every month.", "They meet monthly."),
        ("A third of the loss", "One third of the loss"),
        ("Prices went up.", "Prices rose."),
        ("He won't come.", "He will not come."),
        ("Marek: sold the old van.", "Marek sold the old van."),
    ],
)
def test_two_ways_to_say_one_thing_become_one(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The tenant must pay.", "The tenant need not pay."),
        ("The tenant must pay.", "The tenant may pay."),
        ("It costs at most 40 euros.", "It costs at least 40 euros."),
        ("People over 65 were excluded.", "People under 65 were excluded."),
        ("Prices went up.", "Prices went down."),
        ("They meet every month.", "They meet every year."),
        ("It took over 90 days.", "It took more than 90 days."),
        ("A third of the loss", "The third loss"),
    ],
)
def test_what_differs_in_meaning_stays_apart(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_a_short_form_is_spelled_out_where_its_initials_agree() -> None:
    short = abbreviations(["We use Low-Rank Adaptation (LRA) and a shelf (BOOK)."])
    assert short == {"LRA": "Low-Rank Adaptation"}
    assert canonical("LRA is cheap.", short) == "Low-Rank Adaptation is cheap."
