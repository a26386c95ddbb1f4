from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.graph_view import GraphView
from trisynapse_desktop.widgets.passage_card import PassageCard
from trisynapse_desktop.widgets.toast import Toast


@pytest.fixture
def view(window, find, qtbot):
    window.show_target(Target("graph", text="speed of light"))
    shown = find(window, "Concept graph")
    qtbot.waitUntil(shown.isVisible)
    return shown


@pytest.fixture
def panel(window, find):
    return lambda: find(window, "Evidence of the chosen claim")


def buttons(root, text):
    return [one for one in root.findChildren(QPushButton) if text in one.text() and one.isVisible()]


def test_it_shows_the_concepts_around_what_was_asked(view, calls, qtbot):
    assert calls("graph.around")[-1] == {"about": "speed of light", "limit": 40}
    qtbot.waitUntil(lambda: "7 concepts, 6 claims" in view.accessibleDescription())


def test_arrow_keys_walk_and_enter_makes_a_concept_the_centre(window, view, qtbot):
    opened = []
    window.context.selection.opened.connect(opened.append)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.chosen == "speed of light", "from nowhere, the most important concept"
    walked = {view.chosen}
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Right) * 3:
        qtbot.keyClick(view, key)
        walked.add(view.chosen)
    assert len(walked) > 3
    view.choose_node("Michelson")
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened[-1] == Target("graph", text="Michelson")


def test_a_click_on_the_contested_edge_shows_both_sides_and_a_passage_opens(window, view, panel, qtbot):
    opened = []
    window.context.selection.opened.connect(opened.append)
    middle = (view.place_of("speed of light") + view.place_of("299,796 ± 4 km/s")) / 2
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(middle.x()), round(middle.y())))
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Resolve as mine")))
    cards = panel().findChildren(PassageCard)
    assert len(cards) == 2
    qtbot.keyClick(cards[0], Qt.Key.Key_Return)
    assert (opened[-1].pane, opened[-1].source_id, opened[-1].locator.page) == ("reader", "s3", 2)


def test_a_dispute_is_resolved_in_place_with_a_reason_and_taken_back(window, view, panel, calls, qtbot):
    view.choose_edge(view.graph.edges[0])
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Resolve as mine")))
    qtbot.mouseClick(buttons(panel(), "Resolve as mine")[0], Qt.MouseButton.LeftButton)
    reason = next(one for one in panel().findChildren(QLineEdit) if one.isVisible())
    qtbot.keyClick(reason, Qt.Key.Key_Return)
    assert not calls("claims.resolve"), "no reason, no word"
    reason.setText("the tube leaked")
    qtbot.keyClick(reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Take it back")))
    expected = {"claim_id": "claim-0", "value": "299,796 ± 4 km/s", "reason": "the tube leaked"}
    assert calls("claims.resolve")[-1] == expected
    qtbot.mouseClick(buttons(panel(), "Take it back")[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Resolve as mine")))


def test_the_list_says_the_same_contested_first(window, view, find, panel, qtbot):
    qtbot.mouseClick(buttons(window, "List")[0], Qt.MouseButton.LeftButton)
    table = find(window, "Claims of the graph")
    assert table.isVisible()
    model = table.model()
    rows = [[model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())]
    assert rows[0] == ["speed of light", "measured as", "299,796 ± 4 km/s", "contested"]
    assert [row[3] for row in rows] == ["contested"] * 2 + ["agreed"] * 3 + ["replaced"]
    table.setCurrentIndex(model.index(0, 0))
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Resolve as mine")))


def test_nothing_known_is_said_so(window, view, qtbot):
    window.show_target(Target("graph", text="zzz"))
    qtbot.waitUntil(lambda: any(one.title == "No claims about zzz" for one in window.findChildren(EmptyState)))


def test_the_picture_is_saved_as_png_and_svg(window, view, tmp_path, qtbot):
    qtbot.waitUntil(lambda: "7 concepts" in view.accessibleDescription())
    pane = window._slots["graph"].pane
    pane.save_picture(tmp_path / "graph.png")
    pane.save_picture(tmp_path / "graph.svg")
    picture = QImage(str(tmp_path / "graph.png"))
    assert (picture.width(), picture.height()) == (2 * view.width(), 2 * view.height())
    assert "speed of light" in (tmp_path / "graph.svg").read_text()


def test_zoom_keeps_the_point_under_the_pointer(view):
    before = view.place_of("Michelson")
    view.zoom(2.0, before)
    after = view.place_of("Michelson")
    assert (after - before).manhattanLength() < 1e-6
    view.show_all()
    assert view.place_of("Michelson") == before


def choose_dispute(view, panel, qtbot):
    view.choose_edge(view.graph.edges[0])
    qtbot.waitUntil(lambda: bool(buttons(panel(), "Resolve as mine")))


def undo(window, text, qtbot):
    """Press Undo on the message that says so."""
    toast = next(one for one in window.findChildren(Toast) if text in one.announcement.text)
    qtbot.mouseClick(buttons(toast, "Undo")[0], Qt.MouseButton.LeftButton)


def test_a_passage_is_forgotten_from_its_claim_and_brought_back(window, view, panel, calls, qtbot):
    choose_dispute(view, panel, qtbot)
    qtbot.mouseClick(buttons(panel(), "Forget this passage")[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any(one.text() == "Choose a concept or a claim" for one in panel().findChildren(QLabel)))
    assert calls("forget") == [{"record_id": "rec-s3", "reason": "Forgotten by hand."}]
    undo(window, "Forgot a passage of “The mountain and the tube”.", qtbot)
    qtbot.waitUntil(lambda: calls("reinstate") == [{"record_id": "rec-s3", "reason": "Brought back by hand."}])


def test_a_passage_is_corrected_in_place_and_the_correction_taken_back(window, view, panel, calls, qtbot):
    choose_dispute(view, panel, qtbot)
    qtbot.mouseClick(buttons(panel(), "Correct…")[0], Qt.MouseButton.LeftButton)
    right, why = (one for one in panel().findChildren(QLineEdit) if one.isVisible())
    assert right.text() == "Michelson's value of 1926 was 299,796 ± 4 km/s."
    right.setText("Michelson's value of 1926 was 299,798 ± 4 km/s.")
    why.setText("a misprint")
    qtbot.keyClick(why, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(calls("correct")))
    text = "Michelson's value of 1926 was 299,798 ± 4 km/s."
    assert calls("correct") == [{"record_id": "fact-s3", "text": text, "reason": "a misprint"}]
    qtbot.waitUntil(lambda: any(one.announcement.text == "Corrected." for one in window.findChildren(Toast)))
    undo(window, "Corrected.", qtbot)
    qtbot.waitUntil(lambda: bool(calls("forget")))
    assert calls("forget")[0]["record_id"] == "correction-fact-s3"


def focus_of(qapp):
    return qapp.focusWidget()


def test_the_whole_way_by_keyboard_from_the_rail_to_the_passage(window, qapp, qtbot):
    opened = []
    window.context.selection.opened.connect(opened.append)
    window.context.actions.action("go.graph").trigger()
    qtbot.waitUntil(lambda: isinstance(focus_of(qapp), GraphView))
    view = focus_of(qapp)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.chosen == "speed of light"
    qtbot.waitUntil(lambda: bool(buttons(window, "Wiki page")))
    names = tab_until(qapp, qtbot, "speed of light measured as 299,796 ± 4 km/s")
    assert names[0] in ("Centre here", "Wiki page"), "from the picture, Tab goes to the panel"
    qtbot.keyClick(focus_of(qapp), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(buttons(window, "Resolve as mine")))
    view.setFocus()
    tab_until(qapp, qtbot, "The mountain and the tube, p. 2")
    qtbot.keyClick(focus_of(qapp), Qt.Key.Key_Return)
    assert (opened[-1].pane, opened[-1].source_id) == ("reader", "s3")


def tab_until(qapp, qtbot, name, limit=12):
    """Press Tab until the widget with that name has the keys; return the names on the way."""
    names = []
    while len(names) < limit and not (names and names[-1].startswith(name)):
        qtbot.keyClick(focus_of(qapp), Qt.Key.Key_Tab)
        names.append(focus_of(qapp).accessibleName())
    assert names[-1].startswith(name), names
    return names


def test_keys_stay_where_she_went_while_the_graph_was_loading(window, qapp, find, qtbot):
    window.context.actions.action("go.graph").trigger()
    field = find(window, "Show the graph around")
    field.setFocus()
    view = find(window, "Concept graph")
    qtbot.waitUntil(lambda: "7 concepts" in view.accessibleDescription())
    qtbot.wait(50)
    assert focus_of(qapp) is field


def test_no_label_of_the_picture_covers_another(view, qtbot):
    qtbot.waitUntil(lambda: len(view.labels()) >= 7)
    boxes = list(view.labels().values())
    assert not any(box.intersects(other) for box in boxes for other in boxes if other is not box)


def test_news_from_the_sources_take_neither_her_place_nor_her_words(window, view, panel, qtbot):
    choose_dispute(view, panel, qtbot)
    qtbot.mouseClick(buttons(panel(), "Resolve as mine")[0], Qt.MouseButton.LeftButton)
    reason = next(one for one in panel().findChildren(QLineEdit) if one.isVisible())
    reason.setText("the tube le")
    pane = window._slots["graph"].pane
    fewer = msgspec.structs.replace(view.graph, edges=view.graph.edges[:4], nodes=view.graph.nodes[:6])
    pane._show(fewer)
    assert len(view.graph.nodes) == 6
    assert reason.isVisible()
    assert reason.text() == "the tube le"
    assert "299,796 ± 4 km/s" in view.accessibleDescription(), "the edge is still the chosen one"
