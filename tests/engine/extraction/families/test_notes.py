"""Works that notes cite by their titles."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.notes import find
from trisynapse_memory.types import Passage


def cited(text: str, **fields: object) -> list[str]:
    return [one.object for one in find(Passage(seq=1, text=text, title="Lights", **fields))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See Winter’s “Geology of Holm,” Trans. Geol. Soc., Vol. IV., p. 30, (1816).", "Geology of Holm"),
        ("12. Mina Sato, “Keepers and Wives,” Coastal History 12, no. 3 (1999): 45.", "Keepers and Wives"),
        ("Stern, Ida. “The Cost of Oil.” Lamp Studies, vol. 7, 1988, pp. 12-30.", "The Cost of Oil"),
        ("F. Braun, “Who Paid for the Lamps?” Notes 34, no. 2 (2005): 81.", "Who Paid for the Lamps?"),
        ('W. Okafor, "Paraffin comes north," Review, vol. 3, pp. 201-209, 1911.', "Paraffin comes north"),
    ],
)
def test_a_quoted_title_with_its_place_and_year(text: str, found: str) -> None:
    assert cited(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "“The gate was open,” said Mr. Ashby in 1999, p. 3.",
        "The song “Northern Lights” (1965) was on every ship.",
        "The ship “Orla,” built 1962, sank off Holm (p. 14).",
        "“Good,” wrote Adler, “p. 42 is right.”",
    ],
)
def test_quoted_words_are_no_titles(text: str) -> None:
    assert cited(text) == []


def test_lists_of_references_are_left_to_their_own_family() -> None:
    text = "A. B. Moore, “Fog signals,” Proc. Inst., vol. 71, p. 180, 1882."
    assert cited(text, section="References") == []
    assert cited(f"[3] {text}") == []
