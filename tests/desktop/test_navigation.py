from __future__ import annotations

import pytest

from trisynapse_desktop.navigation import LENGTH, Navigation
from trisynapse_desktop.target import Target

A, B, C = Target("sources"), Target("search", text="x"), Target("reader", source_id="s1")


@pytest.fixture
def navigation(qapp):
    return Navigation()


def test_back_goes_to_the_place_before_and_forward_returns(navigation):
    went = []
    navigation.went.connect(went.append)
    for place in (A, B, C):
        navigation.visit(place)
    navigation.back()
    navigation.back()
    navigation.forward()
    assert went == [B, A, B]


def test_a_new_jump_drops_what_lay_ahead(navigation):
    for place in (A, B):
        navigation.visit(place)
    navigation.back()
    navigation.visit(C)
    assert not navigation.can_go_forward
    navigation.back()
    assert navigation.here == A


def test_the_same_place_twice_in_a_row_counts_once(navigation):
    navigation.visit(A)
    navigation.visit(A)
    assert not navigation.can_go_back


def test_stepping_beyond_either_end_does_nothing(navigation):
    went = []
    navigation.went.connect(went.append)
    navigation.back()
    navigation.visit(A)
    navigation.back()
    navigation.forward()
    assert went == []


def test_the_places_of_a_closed_source_are_not_come_back_to(navigation):
    for place in (A, C, B):
        navigation.visit(place)
    navigation.forget("s1")
    navigation.back()
    assert navigation.here == A


def test_history_forgets_the_oldest_place_instead_of_growing(navigation):
    for number in range(LENGTH + 5):
        navigation.visit(Target("search", text=str(number)))
    for _step in range(LENGTH):
        navigation.back()
    assert navigation.here == Target("search", text="5")
