"""The table of what patterns are worth says what the labelled sentences say today."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from trisynapse_memory.scoring.patterns import PATTERNS

SCRIPT = Path(__file__).parents[3] / "packaging/scripts/measure_extraction.py"
SHOWN = (
    *("acronym", "authorship", "cause", "citations", "comparison", "composition", "conversation", "dates"),
    *("definition", "named", "numbers", "results", "shares", "usage", "values"),
)
FORMS = ("columns", "contents", "fields", "laws", "menus", "notes", "reports", "rosters", "tables")
"""Patterns of forms and layouts: they read what is certain, or nothing, and have no other tier."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("measure_extraction", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # its data classes look their annotations up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_table_is_what_is_measured(script: ModuleType) -> None:
    score = script.measure(script.labels())
    measured = {name: (score.hits[name], score.right[name]) for name in score.hits}
    assert measured == {name: (worth.hits, worth.right) for name, worth in PATTERNS.items()}


@pytest.mark.parametrize("pattern", [*SHOWN, *FORMS])
def test_the_facts_of_these_patterns_are_shown(pattern: str) -> None:
    assert PATTERNS[pattern].shown


@pytest.mark.parametrize("pattern", SHOWN)
def test_the_facts_of_the_other_tier_are_not(pattern: str) -> None:
    assert not PATTERNS[f"{pattern}.loose"].shown


@pytest.mark.parametrize(
    ("right", "hits", "low", "high"), [(97, 100, 0.9155, 0.9897), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)]
)
def test_the_interval_is_that_of_wilson(script: ModuleType, right: int, hits: int, low: float, high: float) -> None:
    assert script.interval(right, hits) == pytest.approx((low, high), abs=1e-4)


def test_sides_are_compared_without_case_articles_and_stops(script: ModuleType) -> None:
    assert script.fold(" The  Error\nRate. ") == script.fold("error rate")
    assert script.fold("Theory") == "theory"
