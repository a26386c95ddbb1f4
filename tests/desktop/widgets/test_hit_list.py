from __future__ import annotations

import msgspec
import pytest
from fake_papers import make_hit
from PySide6.QtCore import Qt

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.hit_list import HitList, marks_of, page_text, place_of, shortened
from trisynapse_memory.types import Hit, Kind, Locator, Record


def marked(text, question):
    return [text[start : start + length] for start, length in marks_of(text, question)]


def test_words_of_the_question_are_marked_in_any_case_and_inflection():
    assert marked("Velocities: the velocity of LIGHT.", "velocity light") == ["Velocities", "velocity", "LIGHT"]


def test_half_a_word_marks_what_it_begins():
    assert marked("The mirror and the mirage", "mirr") == ["mirror"]


def test_small_words_are_not_marked_but_numbers_are():
    assert marked("of it in 7 rooms", "of in 7") == ["7"]
    assert marked("anything", "") == []


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        (Locator(kind="page", page=12, page_label="iv"), "p. iv"),
        (Locator(kind="page", page=12), "p. 12"),
        (Locator(kind="row", sheet="Values", row=3), "Values, row 3"),
        (Locator(kind="symbol", start_line=4, end_line=9), "lines 4–9"),
        (Locator(kind="section", heading="Method"), "Method"),
        (Locator(kind="time", page=3, page_label="2:00–3:00", start_s=754.2, end_s=790.0), "12:34"),
        (Locator(kind="time", page=3, start_s=3723.0), "1:02:03"),
        (None, ""),
    ],
)
def test_a_place_is_named_as_a_reader_would(locator, expected):
    assert page_text(locator) == expected


def hit(number, at):
    record = Record(
        id=f"r{number}", seq=number, device_id="d", device_seq=number, written_at=at, kind=Kind.RAW_SOURCE,
        content_hash="0", chain_hash="0", source_id="s1",
    )  # fmt: skip
    return Hit(record=record, score=1.0, title=f"Title {number}", excerpt="light " * 90, locator=None)


@pytest.fixture
def listed(qtbot, qapp):
    from datetime import UTC, datetime

    made = HitList(Theme(qapp))
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    made.show_hits([hit(number, datetime(2026, 1, 1, tzinfo=UTC)) for number in range(3)], "light")
    return made


def test_the_first_hit_is_chosen_and_enter_opens_it(listed, qtbot):
    with qtbot.waitSignal(listed.opened) as opened:
        qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert opened.args[0].title == "Title 0"


def test_down_and_click_move_and_up_from_the_first_leaves(listed, qtbot):
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert listed.current().title == "Title 1"
    qtbot.keyClick(listed, Qt.Key.Key_Up)
    with qtbot.waitSignal(listed.left):
        qtbot.keyClick(listed, Qt.Key.Key_Up)
    rect = listed.visualRect(listed.model().index(2, 0))
    with qtbot.waitSignal(listed.opened) as opened:
        qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert opened.args[0].title == "Title 2"


def test_a_row_is_as_high_as_its_text_and_no_higher_than_three_lines(listed):
    tall = listed.visualRect(listed.model().index(0, 0)).height()
    short = hit(9, listed.hits()[0].record.written_at)
    listed.show_hits(
        [short.__class__(**{**{f: getattr(short, f) for f in short.__struct_fields__}, "excerpt": "one line"})], "light"
    )
    assert listed.visualRect(listed.model().index(0, 0)).height() < tall < 140


def test_a_passage_that_is_cut_ends_in_an_ellipsis_at_a_word(qapp, qtbot):
    hits = HitList(Theme(qapp))
    qtbot.addWidget(hits)
    layout = hits.itemDelegate()._laid_out("wheel mirror " * 200, hits.font(), 400)
    assert layout.lineCount() == 3
    assert layout.text().endswith((" wheel …", " mirror …"))
    short = hits.itemDelegate()._laid_out("A short passage.", hits.font(), 400)
    assert short.text() == "A short passage."
    unbroken = hits.itemDelegate()._laid_out("x" * 900, hits.font(), 400)
    assert unbroken.text().endswith("…")
    assert unbroken.lineCount() == 3


@pytest.mark.parametrize("text", ["x" * 50, "x" * 50 + " …", "two words", "a …", "…"])
def test_a_text_that_is_cut_again_and_again_gets_shorter_every_time(text):
    for _cut in range(60):
        cut = shortened(text, len(text))
        assert len(cut) < max(len(text), 3)
        text = cut


def test_words_that_are_not_the_sources_own_say_so_first():
    hit = make_hit(0, "The mirror", "s1", 4, "A wheel.")
    assert place_of(hit) == "p. 4"
    marked_hit = msgspec.structs.replace(hit, mark="a model's description of the page")
    assert place_of(marked_hit) == "a model's description of the page · p. 4"
