"""Which sentences a parser gets to read, and how."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.reading import is_reference_list, stretches
from trisynapse_memory.text.hyphenation import Vocabulary
from trisynapse_memory.types import Modality, Passage


def read(text: str, **fields: object) -> list[str]:
    passage = Passage(seq=1, text=text, **fields)  # type: ignore[arg-type]
    return [stretch.text for stretch in stretches(passage, Vocabulary())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The pump [12] works well.", ["The pump works well."]),
        ("The pump (Lee & Park, 2019; Wu 2020) works well.", ["The pump works well."]),
        ("The pump (see Table 2) works\nwell.", ["The pump works well."]),
        ("Long short-term memory (LSTM) works well.", ["Long short-term memory works well."]),
        ("The pump works well.¹", ["The pump works well."]),
        ("• The pump works well.", ["The pump works well."]),
        ("(ii) the pump works well;", ["the pump works well;"]),
        ("The pump (which is new) works well.", ["The pump (which is new) works well."]),
    ],
)
def test_what_breaks_a_grammar_is_left_out(text: str, found: list[str]) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "3 DATASET CONSTRUCTION",
        "| a | b | c |",
        "[3] A. Lee. A pump that works well. Pumps, 2019.",
        "Yes.",
        "word " * 90 + "ends.",
        "2005 Strengthening Processes Cycle Time Timeliness of 89% IPMS DoS CPDF OPM Dynamics Score increase.",
    ],
)
def test_what_is_no_prose_is_not_read(text: str) -> None:
    assert read(text) == []


def test_code_and_tables_are_not_prose() -> None:
    text = "The pump works well."
    assert read(text, modality=Modality.CODE) == []
    assert read(text, cells=("a", "b")) == []


def test_every_character_knows_where_it_stands() -> None:
    text = "Here  AdaFold [3] uses represen-\ntations of kind."
    (stretch,) = stretches(Passage(seq=1, text=text), Vocabulary())
    assert stretch.text == "Here Python uses representations of kind."
    assert len(stretch.offsets) == len(stretch.text)
    assert text[stretch.offsets[stretch.text.index("uses")] :].startswith("uses")
    assert list(stretch.offsets) == sorted(stretch.offsets)


def test_a_reference_list_shows_by_its_heading_and_by_its_look() -> None:
    entries = "Lee et al. A pump. In Proc. ACL, pages 1-9, 2019.\nWu et al. A valve. arXiv preprint, 2020."
    assert is_reference_list(Passage(seq=1, text="Anything.", section="7 > References"))
    assert is_reference_list(Passage(seq=1, text=entries))
    assert not is_reference_list(Passage(seq=1, text="We compare with Lee et al. (2019) and find no gap. " * 3))


def test_the_figures_of_dates_make_no_table() -> None:
    assert read("The launch has moved from 3 May 2026 to 14 October 2026.") != []
    assert read("The launch has moved from 3 5 2026 to 14 10 2026 26 27.") == []
