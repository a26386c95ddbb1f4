"""What a source has sections on."""

from __future__ import annotations

from trisynapse_memory.extraction.families.contents import find
from trisynapse_memory.types import Modality, Passage


def sections(text: str, **fields: object) -> list[str]:
    named = {"title": "Pump Manual"} | fields
    return [one.object for one in find(Passage(seq=1, text=text, **named))]  # type: ignore[arg-type]


def test_entries_of_a_table_of_contents() -> None:
    text = "Contents\n\n1.1 Filling the tank ........ 4\n1.2 Draining the tank ........ 7\nReferences ........ 9"
    assert sections(text) == ["Filling the tank", "Draining the tank"]
    assert sections("Charging\t8\nUpdating the pump\t9", section="Contents > Care") == ["Charging", "Updating the pump"]


def test_without_the_heading_three_lines_with_rising_pages_are_needed() -> None:
    assert sections("Soup .... 4\nTrout .... 14\nTart .... 6") == []
    assert sections("Filling .... 4\nDraining .... 14") == []
    assert sections("Filling .... 4\nDraining .... 14\nRepairs .... 16") == ["Filling", "Draining", "Repairs"]


def test_the_rest_of_an_entry_that_began_above_is_left_out() -> None:
    assert sections("A letter to every\nmember of the club .... 2", section="Contents") == []
    lines = "Medicine at Holm .... 56\nThe first pump .... 59\nThe second pump .... 61\nThe third pump .... 64"
    assert sections(lines, before="Heaney, Professor of") == ["The first pump", "The second pump", "The third pump"]


def test_titles_of_divisions() -> None:
    assert sections("UNIT 3: Reading Tide Tables\n\nBring a pencil.") == ["Reading Tide Tables"]
    assert sections("Chapter IV. The Distress Call") == ["The Distress Call"]
    assert sections("Unit 4: How Living Things Respond to Changes in\ntheir Surroundings") == []
    assert sections("In Chapter 5: The Collapse we saw rust.") == []
    assert sections("Unit 5: Introduction") == []


def test_figures_are_no_sections_and_sources_without_a_title_have_none() -> None:
    assert sections("Figure 1: Map ........ 3", section="Contents") == []
    assert sections("UNIT 3: Reading Tide Tables", title="") == []
    assert sections("UNIT 3: Reading Tide Tables", modality=Modality.CODE) == []
