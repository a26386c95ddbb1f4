"""Where menus keep things."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.menus import find
from trisynapse_memory.types import Passage


def places(text: str) -> list[tuple[str, str]]:
    return [(one.subject, one.object) for one in find(Passage(seq=1, text=text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Go to Settings > System > Restart, then touch OK.", [("Restart", "Settings > System")]),
        ("open Settings > Display >\nSleep to change it.", [("Sleep", "Settings > Display")]),
        ("Choose File > Export as PDF.", [("Export as PDF", "File")]),
        ("It is in Settings > Privacy.", [("Privacy", "Settings")]),
        ("Go to Alarm > SMART, or go to Alarm > EVENT.", [("SMART", "Alarm"), ("EVENT", "Alarm")]),
        ("Tap Me > Units, Me > Goals and Me > Weight.", [("Units", "Me"), ("Goals", "Me"), ("Weight", "Me")]),
        ("Go to Settings > Watch face & home and switch it on.", [("Watch face & home", "Settings")]),
    ],
)
def test_the_last_name_lies_under_those_before(text: str, found: list[tuple[str, str]]) -> None:
    assert places(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Larch > Merlin > Kestrel in battery life.",
        "in Orrin > Holm > Marlow",
        "Sizes: XL > L > M",
        "touch Yes > Next.",
        "Go to Settings > Sound and vibration.",  # may be one name or two
        "Go to Devices > Smart\n\nWatch, and touch it.",
    ],
)
def test_what_compares_or_cannot_be_told(text: str) -> None:
    assert places(text) == []
