"""How a statement is meant, read through the whole extractor."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.extractors.pattern import PatternExtractor
from trisynapse_memory.types import Passage


@pytest.fixture(scope="module")
def extractor() -> PatternExtractor:
    return PatternExtractor()


def moods(extractor: PatternExtractor, text: str) -> list[tuple[bool, bool, str]]:
    found = extractor.extract([Passage(seq=1, text=text)])
    return [(one.negated, one.hedged, one.qualifiers.get("speaker", "")) for one in found if one.relation == "causes"]


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("Smoking causes lung cancer.", (False, False, "")),
        ("Smoking never causes lung cancer.", (True, False, "")),
        ("Smoking does not only cause lung cancer.", (False, False, "")),
        ("No drug causes lung cancer.", None),
        ("Smoking might cause lung cancer.", (False, True, "")),
        ("Smoking probably causes lung cancer.", (False, True, "")),
        ("Smoking is thought to cause lung cancer.", (False, True, "")),
        ("Smoking was shown to cause lung cancer.", (False, False, "")),
        ("We show that smoking causes lung cancer.", (False, False, "")),
        ("We hypothesise that smoking causes lung cancer.", (False, True, "")),
        ("Rivera argues that smoking causes lung cancer.", (False, False, "Rivera")),
        ("According to Rivera, smoking causes lung cancer.", (False, False, "Rivera")),
        ("Rivera denies that smoking causes lung cancer.", None),
        ("We do not know whether smoking causes lung cancer.", None),
        ("If smoking causes lung cancer, sales fall.", None),
        ("Unless it is filtered, smoke causes lung cancer.", None),
        ("Does smoking cause lung cancer?", None),
        ("Smoking would cause lung cancer.", None),
        ("Smoking hardly causes lung cancer.", None),
    ],
)
def test_a_statement_is_meant_as_it_is_said(
    extractor: PatternExtractor, text: str, mood: tuple[bool, bool, str] | None
) -> None:
    found = moods(extractor, text)
    assert all(negated for negated, _, _ in found) if text.startswith("No ") else found == ([mood] if mood else [])
