"""Layout: labels do not overlap, the picture repeats, known nodes stay."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trisynapse_memory.scoring.layout import CANVAS, CHARACTER_WIDTH, LABEL_CHARACTERS, LABEL_HEIGHT, place_nodes


def overlap_count(places: dict[str, tuple[float, float]], labels: dict[str, str]) -> int:
    def box(name: str) -> tuple[float, float, float, float]:
        x, y = places[name]
        half = max(min(len(labels[name]), LABEL_CHARACTERS) * CHARACTER_WIDTH, 30) / CANVAS[0] / 2
        high = LABEL_HEIGHT / CANVAS[1] / 2
        return x - half, y - high, x + half, y + high

    names = sorted(places)
    found = 0
    for index, left in enumerate(names):
        for right in names[index + 1 :]:
            a, b = box(left), box(right)
            found += a[0] < b[2] - 1e-3 and b[0] < a[2] - 1e-3 and a[1] < b[3] - 1e-3 and b[1] < a[3] - 1e-3
    return found


def ring(count: int) -> tuple[list[str], list[tuple[str, str]]]:
    names = [f"node {index}" for index in range(count)]
    return names, [(names[i], names[(i + 1) % count]) for i in range(count)] + [(names[0], name) for name in names]


def test_no_node_gives_no_place() -> None:
    assert place_nodes([], [], []) == {}


def test_one_node_stands_in_the_middle() -> None:
    assert place_nodes(["a"], [], ["a"]) == {"a": (0.5, 0.5)}


@pytest.mark.parametrize("count", [2, 12, 25, 40])
def test_no_two_labels_overlap(count: int) -> None:
    names, edges = ring(count)
    labels = {name: f"A label of {name}" for name in names}
    places = place_nodes(names, edges, [labels[name] for name in names])
    assert overlap_count(places, labels) == 0
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places.values())


def test_the_picture_does_not_depend_on_the_order_of_edges() -> None:
    names, edges = ring(15)
    assert place_nodes(names, edges, names) == place_nodes(names, list(reversed(edges)), names)


def test_linked_nodes_stand_nearer_than_others() -> None:
    groups = [[f"{letter}{index}" for index in range(6)] for letter in "ab"]
    edges = [(left, right) for group in groups for left in group for right in group if left < right]
    names = [name for group in groups for name in group]
    places = place_nodes(names, edges, names)
    inside = [math.dist(places[a], places[b]) for group in groups for a in group for b in group if a < b]
    across = [math.dist(places[a], places[b]) for a in groups[0] for b in groups[1]]
    assert sum(inside) / len(inside) < 0.75 * sum(across) / len(across)


def test_known_nodes_stay_when_one_joins() -> None:
    names, edges = ring(12)
    before = place_nodes(names, edges, names)
    after = place_nodes([*names, "newcomer"], [*edges, ("newcomer", names[3])], [*names, "newcomer"], before)
    moved = sorted(math.dist(before[name], after[name]) for name in names)
    assert moved[len(moved) // 2] < 0.01, "most nodes keep their place"
    assert math.dist(after["newcomer"], after[names[3]]) < 0.35


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60), st.integers(1, 31))
def test_every_node_gets_a_place_on_the_canvas(pairs: list[tuple[int, int]], count: int) -> None:
    names = [str(index) for index in range(count)]
    places = place_nodes(names, [(str(a), str(b)) for a, b in pairs], names)
    assert set(places) == set(names)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places.values())
