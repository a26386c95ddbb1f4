"""PageRank over mentions: values by hand, and what must hold of any graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.scoring.importance import DAMPING, prepare_walk, rank_entities

MENTIONS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 9)), min_size=1, max_size=40)


def ranks_of(*pairs: tuple[int, int]) -> list[float]:
    entities, records = np.array(pairs, np.int64).T
    return rank_entities(np.ascontiguousarray(entities), np.ascontiguousarray(records)).tolist()


def test_entities_that_share_one_record_are_equal():
    assert ranks_of((0, 0), (1, 0), (2, 0)) == pytest.approx([1 / 3] * 3)


def test_two_records_that_share_their_middle_entity():
    # Entity 1 stands in both records. By symmetry a = c and 2a + b = 1; a = (1-d)/3 + d (a/2 + b/4).
    walk_on = DAMPING
    side = ((1 - walk_on) / 3 + walk_on / 4) / (1 - walk_on / 2 + walk_on / 2)
    assert ranks_of((0, 0), (1, 0), (1, 1), (2, 1)) == pytest.approx([side, 1 - 2 * side, side])


def test_no_mention_has_no_rank():
    none = np.zeros(0, np.int64)
    assert rank_entities(none, none).size == 0


def test_arrays_of_different_length_are_refused():
    with pytest.raises(InvalidInputError, match="2 entities came with 1 records"):
        prepare_walk(np.array([0, 1], np.int64), np.array([0], np.int64))


@given(MENTIONS)
def test_ranks_sum_to_one_and_nobody_is_below_the_jump(pairs: set[tuple[int, int]]):
    names = {entity: place for place, entity in enumerate(sorted({entity for entity, _ in pairs}))}
    places = {record: place for place, record in enumerate(sorted({record for _, record in pairs}))}
    ranks = ranks_of(*((names[entity], places[record]) for entity, record in sorted(pairs)))
    assert sum(ranks) == pytest.approx(1.0)
    assert min(ranks) >= (1 - DAMPING) / len(names) - 1e-12
