from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.text_flow import TextKind
from trisynapse_desktop.widgets.text_view import TextView

NOTE = """# Title

The **first** line says [much](https://example.org).

- one
- two

| a | b |
|---|---|
| cell one | cell two |
"""


@pytest.fixture
def view(qapp, qtbot):
    view = TextView(Theme(qapp, "light"))
    qtbot.addWidget(view)
    view.resize(1200, 700)
    view.show()
    return view


@pytest.mark.parametrize(
    ("phrase", "shown"),
    [
        ("first", "first"),
        ("**first** line", "first line"),
        ("[much]", "much"),
        ("cell two", "cell two"),
        ("# Title", "Title"),
    ],
)
def test_a_stretch_of_the_stored_text_is_what_is_marked(view, phrase, shown):
    view.show_text([NOTE], TextKind.MARKDOWN)
    start = NOTE.index(phrase)
    view.show_passage(start, start + len(phrase))
    assert view.passage_text() == shown


def test_a_passage_far_down_a_long_text_is_in_view_at_once(view, qtbot):
    text = "\n\n".join(f"Paragraph {number} about light." for number in range(5000))
    view.show_text([text], TextKind.PLAIN)
    start = text.index("Paragraph 4321 ")
    with qtbot.waitSignal(view.passage_painted, timeout=10_000):
        view.show_passage(start, start + 14)
    assert view.passage_text() == "Paragraph 4321"
    assert 0 < view.cursorRect(view._cursor(start, start + 14)).top() < view.viewport().height()


def test_a_long_text_is_laid_out_in_slices(view, qtbot):
    view.show_text(["\n\n".join(f"Paragraph {number}." for number in range(3000))], TextKind.PLAIN)
    assert "Paragraph 2999" not in view.toPlainText()
    qtbot.waitUntil(lambda: "Paragraph 2999" in view.toPlainText(), timeout=20_000)


def test_offsets_of_a_later_page_count_on(view):
    pages = ["First page.", "Second page here."]
    view.show_text(pages, TextKind.PLAIN)
    view.show_passage(12, 18)
    assert view.passage_text() == "Second"


def test_lines_hold_sixty_to_eighty_characters(view):
    text = "Light from the slit is thrown back by the turning mirror and falls on the fixed one again. " * 20
    view.show_text([text], TextKind.PLAIN)
    view.grab()
    layout = view.document().firstBlock().layout()
    lengths = [layout.lineAt(line).textLength() for line in range(layout.lineCount() - 1)]
    assert 58 <= sum(lengths) / len(lengths) <= 82


def test_pictures_named_in_a_text_are_never_loaded(view, tmp_path):
    (tmp_path / "spy.png").write_bytes(b"x")
    for address in (f"file://{tmp_path}/spy.png", "https://example.org/spy.png", "data:image/png;base64,AAAA"):
        assert view.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl(address)) is None


def test_links_are_told_and_not_followed(view, qtbot):
    view.show_text([NOTE], TextKind.MARKDOWN)
    with qtbot.waitSignal(view.link_wanted) as seen:
        view.anchorClicked.emit(QUrl("https://example.org"))
    assert seen.args == ["https://example.org"]
    assert "much" in view.toPlainText()


def test_finding_counts_and_goes_round(view):
    view.show_text(["light and light\n\nand more Light"], TextKind.PLAIN)
    assert view.find_text("light") == 3
    assert [view.step(1), view.step(1), view.step(1)] == [2, 3, 1]
    assert view.step(-1) == 3
    assert view.find_text("dark") == 0
    assert view.step(1) == 0


def size_of(view, word):
    return view.document().find(word).charFormat().fontPointSize()


def test_a_change_of_style_leaves_the_letters_as_large_as_they_were(view, qapp):
    view.show_text([NOTE], TextKind.MARKDOWN)
    before = size_of(view, "first")
    view._theme.choose("dark")
    qapp.processEvents()
    assert size_of(view, "first") == before


def test_zooming_keeps_the_passage(view):
    view.show_text([NOTE], TextKind.MARKDOWN)
    view.show_passage(NOTE.index("two"), NOTE.index("two") + 3)
    before = size_of(view, "first")
    assert before > 1.1 * view.font().pointSizeF()
    view.zoom(1.5)
    assert size_of(view, "first") == pytest.approx(1.5 * before)
    assert view.passage_text() == "two"
    assert view.percent == 150
