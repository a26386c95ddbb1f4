from __future__ import annotations

import pytest

from trisynapse_memory.bench import baselines, evidence
from trisynapse_memory.bench.ablations import ABLATIONS, changes_of, names_of, settings_without
from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError


@pytest.mark.parametrize("name", ABLATIONS)
def test_every_part_that_can_be_switched_off_is_one_of_the_settings_and_makes_a_difference(name):
    changed = settings_without(name)
    assert changed != Config()
    assert all(getattr(changed, key) == value for key, value in changes_of(name).items())


def test_names_are_read_once_each_and_all_stands_for_every_one():
    assert names_of("rrf-fusion, lexical-only,rrf-fusion") == ("rrf-fusion", "lexical-only")
    assert names_of("all") == tuple(ABLATIONS)
    assert names_of(None) == names_of("") == ()


def test_no_part_is_called_as_a_baseline_is():
    assert not set(ABLATIONS) & {evidence.ENGINE, *baselines.NAMES}


def test_an_unknown_part_is_named_with_the_known_ones():
    with pytest.raises(InvalidInputError, match="no part 'magic'") as caught:
        names_of("rrf-fusion,magic")
    assert "lexical-only" in caught.value.hint
