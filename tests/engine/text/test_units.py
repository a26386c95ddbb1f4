"""Units as people write them, in base units."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.units import Unit, read_unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("km", Unit("m", 1e3)),
        ("kilometres", Unit("m", 1e3)),
        ("km/s", Unit("m/s", 1e3)),
        ("kilometres per second", Unit("m/s", 1e3)),
        ("km s-1", Unit("m/s", 1e3)),
        ("km s⁻¹", Unit("m/s", 1e3)),
        ("m/s²", Unit("m/s**2")),
        ("square miles", Unit("m**2", 2589988.11034)),
        ("°C", Unit("K", 1.0, 273.15)),
        ("g/cm³", Unit("kg/m**3", 1e3)),
        ("GB", Unit("bit", 8e9)),
        ("hours", Unit("s", 3600.0)),
        ("%", Unit("%")),
        ("per cent", Unit("%")),
        ("percentage points", Unit("percentage points")),
        ("dollars", Unit("USD")),
        ("€", Unit("EUR")),
    ],
)
def test_a_unit_in_base_units(text: str, unit: Unit) -> None:
    assert read_unit(text) == unit


def test_a_denominator_in_parentheses() -> None:
    assert read_unit("W/(m·K)") == read_unit("W/m/K")
    assert read_unit("W/(m·K)") is not None


@pytest.mark.parametrize("text", ["participants", "tokens", "chains", "hands", "points", "F1", "layers", "", "a/b"])
def test_what_is_counted_is_no_unit(text: str) -> None:
    assert read_unit(text) is None


def test_capitals_make_another_unit() -> None:
    milli, mega = read_unit("mW"), read_unit("MW")
    assert milli is not None
    assert mega is not None
    assert mega.factor / milli.factor == pytest.approx(1e9)
