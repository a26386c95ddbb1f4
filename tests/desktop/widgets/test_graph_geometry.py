from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, QSizeF

from trisynapse_desktop.widgets.graph_geometry import (
    Wish,
    _crosses,
    along_edge,
    arrow_head,
    beside_node,
    distance,
    next_place,
    place_labels,
    radius_of,
    short,
)
from trisynapse_memory.types import Node

BOUNDS = QRectF(0, 0, 400, 300)
SIZE = QSizeF(60, 16)
points = st.builds(QPointF, st.floats(0, 400), st.floats(0, 300))


@given(st.lists(points, max_size=25))
def test_labels_never_cover_each_other_nor_a_node_nor_the_edge_of_the_picture(places):
    nodes = [QRectF(place.x() - 6, place.y() - 6, 12, 12) for place in places]
    wishes = [Wish(number, beside_node(place, 6, SIZE)) for number, place in enumerate(places)]
    placed = place_labels(wishes, nodes, BOUNDS)
    boxes = list(placed.values())
    assert all(BOUNDS.contains(box) for box in boxes)
    assert not any(box.intersects(node) for box in boxes for node in nodes)
    assert not any(box.intersects(other) for box in boxes for other in boxes if other is not box)


def test_a_label_that_must_be_seen_is_placed_where_there_is_no_room():
    here = (QRectF(10, 10, 60, 16),)
    assert place_labels([Wish("a", here)], here, BOUNDS) == {}
    assert place_labels([Wish("a", here, must=True)], here, BOUNDS) == {"a": here[0]}


def test_a_node_has_its_label_below_unless_an_edge_runs_there():
    middle = QPointF(200, 150)
    assert beside_node(middle, 6, SIZE)[0].center() == QPointF(200, 167)
    assert beside_node(middle, 6, SIZE, [QPointF(200, 290)])[0].center() == QPointF(200, 133)


def test_an_edge_has_its_label_in_the_middle_or_near_it():
    boxes = along_edge(QPointF(0, 0), QPointF(100, 0), SIZE)
    assert [round(box.center().x()) for box in boxes] == [50, 40, 60, 30, 70]


def test_arrow_keys_go_where_they_point():
    places = {"a": QPointF(0, 0), "right": QPointF(50, 10), "far": QPointF(300, 0), "down": QPointF(5, 40)}
    assert next_place(places, "a", 1, 0) == "right"
    assert next_place(places, "right", 1, 0) == "far"
    assert next_place(places, "a", 0, 1) == "down"
    assert next_place(places, "a", -1, 0) == "a"


def test_distances_end_with_the_line():
    start, end = QPointF(0, 0), QPointF(10, 0)
    assert [distance(QPointF(*at), start, end) for at in ((5, 3), (14, 3), (-3, 0))] == [3, 5, 3]
    assert distance(QPointF(3, 4), start, start) == 5


def test_sizes_and_labels_keep_their_bounds():
    assert [radius_of(Node(node_id="n", kind="entity", label="n", weight=w)) for w in (-1, 0, 1, 9)] == [5, 5, 13, 13]
    assert short("x" * 26) == "x" * 26
    assert short("a very long name of a concept indeed") == "a very long name of a con…"


@given(points, points, st.builds(QRectF, st.floats(0, 300), st.floats(0, 200), st.floats(5, 90), st.floats(5, 60)))
def test_an_edge_runs_through_a_box_when_some_point_of_it_lies_inside(start, end, box):
    if any(box.contains(start + (end - start) * (step / 400)) for step in range(401)):
        assert _crosses(start, end, box)


def test_an_edge_that_passes_beside_a_box_does_not_run_through_it():
    box = QRectF(10, 10, 20, 10)
    assert not _crosses(QPointF(0, 0), QPointF(100, 0), box)
    assert not _crosses(QPointF(0, 15), QPointF(9, 15), box), "it ends before the box"
    assert not _crosses(QPointF(0, 30), QPointF(30, 60), box)
    assert _crosses(QPointF(0, 15), QPointF(100, 15), box)


def test_an_arrow_points_at_the_rim_and_has_no_head_where_nodes_touch():
    head = arrow_head(QPointF(0, 0), QPointF(100, 0), 10)
    assert [(point.x(), point.y()) for point in head.toList()] == [(88, 0), (80, 4), (80, -4)]
    assert arrow_head(QPointF(0, 0), QPointF(15, 0), 10).isEmpty()
