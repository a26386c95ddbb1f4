"""Every number has a row with its unit, range and source, and no value outside its range gets in."""

from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.config import FUSIONS, SETTINGS, Config
from trisynapse_memory.errors import InvalidSettingError

NUMBERS = [field.name for field in structs.fields(Config) if field.name != "fusion"]


def test_every_number_has_exactly_one_row():
    assert sorted(setting.name for setting in SETTINGS) == sorted(NUMBERS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_row_says_unit_source_and_meaning_and_the_default_lies_inside(setting):
    assert setting.unit
    assert setting.source
    assert setting.meaning.endswith(".")
    assert setting.low <= getattr(Config(), setting.name) <= setting.high


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_value_outside_its_range_is_refused_by_name(setting):
    for value in (setting.low - 1, setting.high + 1):
        with pytest.raises(InvalidSettingError, match=f"'{setting.name}'") as caught:
            Config(**{setting.name: value})
        assert "default" in caught.value.hint


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_the_ends_of_a_range_are_allowed(setting):
    kind = type(getattr(Config(), setting.name))
    for value in (setting.low, setting.high):
        assert getattr(Config(**{setting.name: kind(value)}), setting.name) == value


def test_a_number_that_is_none_is_refused():
    with pytest.raises(InvalidSettingError, match="bm25_k1"):
        Config(bm25_k1=float("nan"))


def test_an_unknown_fusion_lists_the_known_ones():
    with pytest.raises(InvalidSettingError, match=r"'borda'.*convex, rrf"):
        Config(fusion="borda")
    assert [Config(fusion=name).fusion for name in FUSIONS] == list(FUSIONS)
