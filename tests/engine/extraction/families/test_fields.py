"""Fields of forms and data sheets."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.fields import find
from trisynapse_memory.types import Passage


def filled(text: str, **fields: object) -> list[tuple[str, str]]:
    found = list(find(Passage(seq=1, text=text, title="Merlin 200", **fields)))  # type: ignore[arg-type]
    assert all((one.subject, one.relation) == ("Merlin 200", "has_cell") for one in found)
    return [(one.qualifiers["part"], one.object) for one in found]


def test_lines_of_a_data_sheet() -> None:
    text = "Voltage: 230 V\nNoise level:\t84 dB\n\nMade in : Portugal"
    assert filled(text) == [("Voltage", "230 V"), ("Noise level", "84 dB"), ("Made in", "Portugal")]


def test_the_section_tells_two_forms_apart() -> None:
    (first, _) = find(Passage(seq=1, text="Filed: 1998\nJudge: Ruth Holm", title="Case 4", section="Appeal"))
    assert first.qualifiers == {"part": "Filed", "condition": "Appeal"}


@pytest.mark.parametrize(
    "text",
    [
        "Voltage: 230 V",  # alone
        "Nurse: Good Morning\nPatient: Not Well\nNurse: Why",  # a dialogue
        "Note: 5 screws\nWarning: 230 V",
        "Step 1: Turn Left\nStep 2: Turn Right",
        "Input: a list of tokens\nOutput: a single label",
        "Keep it: Simple\nIn short: Off",
        "Trust: We act with care.\nPeace: We keep calm.",
        "Tide: Low\nThe tide: low water at 5.",
        "Phone:\nFax:",
        "Appendix A: Tide Tables ........ 14\nAppendix B: Lamps ........ 19",
        "LRPP: Long Range Program Plan\nQI: Quality Improvement",
        "Hello: there\nGood: morning",  # neither figures nor names
    ],
)
def test_what_is_no_field(text: str) -> None:
    assert filled(text) == []


def test_a_value_that_goes_on_below_is_left_out() -> None:
    assert filled("Venue: Marlow Hall,\n2 Quay Street\n\nDate: 4 May\nTime: 3 pm") == [
        ("Date", "4 May"),
        ("Time", "3 pm"),
    ]
