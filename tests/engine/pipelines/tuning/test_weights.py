"""The weights in force are the defaults to the last bit, or what she agreed to; nothing else is ever used."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.pipelines.staffing.choices import ChoiceFile
from trisynapse_memory.pipelines.tuning.weights import (
    STRETCHED,
    Weights,
    default_share,
    shares_around,
    unstretched,
    weights_of,
)
from trisynapse_memory.scoring.weighting import Weighting

ONES = (1.0,) * len(STRETCHED)


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    return Weights(Config(), ChoiceFile(tmp_path / "settings.toml"))


def test_without_her_word_the_settings_are_the_very_same(weights: Weights):
    assert weights.in_force() is weights.default
    assert not weights.is_on
    assert weights.changed == {}


def test_what_she_agreed_to_holds_until_it_is_taken_back_and_over_a_restart(weights: Weights, tmp_path: Path):
    weights.switch(True)
    weights.use({"coverage_weight": 1.0})
    assert weights.in_force().coverage_weight == 1.0
    again = Weights(Config(), ChoiceFile(tmp_path / "settings.toml"))
    assert (again.is_on, again.changed) == (True, {"coverage_weight": 1.0})
    again.use({})
    assert again.in_force() is again.default
    again.use({"coverage_weight": 1.0})
    again.switch(False)
    assert again.in_force() is again.default
    assert not again.is_on


@pytest.mark.parametrize("wrong", [{"hit_limit": 3.0}, {"coverage_weight": 7.0}, {"colour": 1.0}])
def test_weights_that_cannot_be_are_refused_and_nothing_changes(weights: Weights, wrong: dict[str, float]):
    weights.use({"time_weight": 0.2})
    with pytest.raises(InvalidSettingError):
        weights.use(wrong)
    assert weights.changed == {"time_weight": 0.2}


def test_kept_weights_that_cannot_be_used_are_told_and_the_defaults_hold(tmp_path: Path):
    (tmp_path / "settings.toml").write_text("[tuning]\nis_on = true\n\n[tuning.weights]\ncoverage_weight = 9\n")
    weights = Weights(Config(), ChoiceFile(tmp_path / "settings.toml"))
    assert weights.in_force() is weights.default
    assert "coverage_weight" in weights.trouble
    weights.use({})
    assert weights.in_force() is weights.default
    assert weights.trouble == ""


def test_a_weighting_names_only_what_moves_each_inside_its_range():
    config = Config()
    share = default_share(config)
    assert weights_of(config, Weighting(share, ONES)) == {}
    places = dict(zip(STRETCHED, range(len(STRETCHED)), strict=True))
    factors = list(ONES)
    factors[places["exchange"]], factors[places["neighbour"]] = 2.0, 0.0
    found = weights_of(config, Weighting(share, tuple(factors)))
    assert found == {
        "document_neighbour_weight": 0.0,
        "exchange_weight": min(2.0, 2 * config.exchange_weight),
        "turn_neighbour_weight": 0.0,
    }


def test_the_shares_tried_lie_around_the_default_and_sum_to_the_same_whole():
    config = Config()
    shares = shares_around(config)
    assert shares[0] == default_share(config)
    assert all(0.0 <= share <= 1.0 for share in shares)
    whole = config.lexical_weight + config.semantic_weight
    for share in shares:
        moved = unstretched(config, share)
        assert moved.lexical_weight + moved.semantic_weight == pytest.approx(whole, abs=1e-3)
        assert moved.coverage_weight == config.coverage_weight
