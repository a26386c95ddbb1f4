"""What somebody is reported to have said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.extraction.families.conftest import Reader


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mr. Hart said that the pier was old.", ["Mr. Hart | stated | the pier was old"]),
        ("Mr. PIKE said, he had seen the water rise.", ["Mr. PIKE | stated | he had seen the water rise"]),
        ("Holm Ferries argued that its permit was valid.", ["Holm Ferries | stated | its permit was valid"]),
        ("The Supreme Court held that a permit may end.", ["Supreme Court | stated | a permit may end"]),
        ("Voss told the Board that the lamp was out.", ["Voss | stated | the lamp was out"]),
        ("Voss said the lamp was out and added that it rained.", ["Voss | stated | the lamp was out"]),
        ("Mr. Parr said that there was no wind, but the log shows a gale.", ["Mr. Parr | stated | there was no wind"]),
    ],
)
def test_who_said_what(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert facts(text, "reports") == found


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Hart did not say that the pier was safe.",
        "Voss might have said that the lamp was out.",
        "The results show that salt marsh protects the wall.",
        "Did Voss say that the lamp was out?",
        "They said that the road was closed.",
        "It is said that the pier is haunted.",
        "Mr. Pike asked whether the pumps run by night.",
        "Voss thought it essential to close the pier.",
        "Voss said, pointing to the lamp that was out.",
        "If Voss says that the lamp was out, ask when.",
    ],
)
def test_what_nobody_with_a_name_says_outright(facts: Callable[..., list[str]], text: str) -> None:
    assert facts(text, "reports") == []


def test_a_sentence_that_an_empty_line_cuts_is_followed_to_its_stop(read: Reader) -> None:
    text = "Mr. Parr said that the Company begins\n\npumping in the morning. It rains."
    (found,) = read(text, "reports")
    assert found.object == "the Company begins pumping in the morning"
    assert text[found.start : found.end] == text.removesuffix(" It rains.")


def test_a_sentence_without_a_stop_says_nothing(facts: Callable[..., list[str]]) -> None:
    assert facts("Mr. Parr said that the level of the water between the", "reports") == []
    assert (
        facts("It was presumed after a long talk upon that matter that\n\nHart said that the pier fell.", "reports")
        == []
    )
