"""Marks on pages, held against the ink that QtPdf paints there; pymupdf only makes the files and measures the words."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPolygonF
from PySide6.QtPdf import QPdfDocument

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.page_geometry import PageFrame, polygons_of
from trisynapse_desktop.widgets.page_view import PageView

LINES = (
    "Light from the slit is thrown back by the turning mirror",
    "and falls on a fixed one. Foucault found 298,000 ± 500 km/s",
    "in 1862, at the Paris Observatory, with a path of twenty metres.",
)
QUOTE = ("Foucault", "found", "298,000", "±", "500", "km/s", "in", "1862,")
DARK = 110  # grey level; below it a pixel is ink


def write_page(path, rotation=0, keep=lambda word: True, crop=False):
    """Write three lines, word by word, so that a file with some words only has them in exactly the same places."""
    with pymupdf.open() as document:
        page = document.new_page(width=420, height=300)
        boxes = []
        for number, line in enumerate(LINES):
            x, y = 40.0, 90.0 + 26 * number
            for word in line.split():
                if keep(word):
                    page.insert_text((x, y), word, fontsize=13, fontname="helv", encoding=pymupdf.TEXT_ENCODING_LATIN)
                width = pymupdf.get_text_length(word, fontname="helv", fontsize=13)
                boxes.append((word, (x, y - 11.5, x + width, y + 3.0)))
                x += width + 3.6
        left, top = 0.0, 0.0
        if crop:
            left, top = 20.0, 30.0
            page.set_cropbox(pymupdf.Rect(left, top, 415, 260))
        frame = PageFrame(page.cropbox.width, page.cropbox.height, rotation)
        page.set_rotation(rotation)
        document.save(path)
    return frame, [(word, (x0 - left, y0 - top, x1 - left, y1 - top)) for word, (x0, y0, x1, y1) in boxes]


def quads_of_words(boxes, words):
    return [(x0, y0, x1, y0, x1, y1, x0, y1) for word, (x0, y0, x1, y1) in boxes if word in words]


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).astype(int)


def grown(mask: np.ndarray, steps: int) -> np.ndarray:
    for _step in range(steps):
        wider = mask.copy()
        wider[1:] |= mask[:-1]
        wider[:-1] |= mask[1:]
        wider[:, 1:] |= mask[:, :-1]
        wider[:, :-1] |= mask[:, 1:]
        mask = wider
    return mask


def closed(mask: np.ndarray, steps: int = 3) -> np.ndarray:
    """Fill the letters, which stay black under a mark, without growing its edge."""
    return ~grown(~grown(mask, steps), steps)


@pytest.fixture
def view(qapp, qtbot):
    view = PageView(Theme(qapp, "light"))
    qtbot.addWidget(view)
    view.resize(960, 960)  # the page fits, whichever way it is turned: nothing scrolls between two pictures
    view.show()
    return view


def shown(view, qtbot, path) -> np.ndarray:
    with qtbot.waitSignal(view._cache.ready, timeout=10_000):
        assert view.load(str(path)) is QPdfDocument.Error.None_
    return pixels(view.grab().toImage())


def mark(view, qtbot, frame, quads, page=0) -> np.ndarray:
    with qtbot.waitSignal(view.passage_painted, timeout=10_000):
        view.show_passage(page, polygons_of(quads, frame, view.document.pagePointSize(page)))
    view._pulse.stop()
    return pixels(view.grab().toImage())


@pytest.mark.parametrize("crop", [False, True], ids=["whole", "cropped"])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_mark_lies_on_the_ink_of_the_quote_and_on_no_other(view, qtbot, tmp_path, rotation, crop):
    frame, boxes = write_page(tmp_path / "all.pdf", rotation, crop=crop)
    write_page(tmp_path / "quote.pdf", rotation, lambda word: word in QUOTE, crop)
    write_page(tmp_path / "rest.pdf", rotation, lambda word: word not in QUOTE, crop)
    quote_ink = shown(view, qtbot, tmp_path / "quote.pdf").mean(axis=2) < DARK
    rest_ink = shown(view, qtbot, tmp_path / "rest.pdf").mean(axis=2) < DARK
    plain = shown(view, qtbot, tmp_path / "all.pdf")
    marked = mark(view, qtbot, frame, quads_of_words(boxes, QUOTE))
    area = closed(np.abs(marked - plain).sum(axis=2) > 12)
    assert quote_ink.sum() > 300
    assert rest_ink.sum() > 300
    assert (quote_ink & ~area).sum() == 0
    assert (rest_ink & area).sum() == 0


def test_the_ink_check_notices_a_mark_that_takes_in_a_neighbour(view, qtbot, tmp_path):
    frame, boxes = write_page(tmp_path / "all.pdf")
    write_page(tmp_path / "rest.pdf", keep=lambda word: word not in QUOTE)
    rest_ink = shown(view, qtbot, tmp_path / "rest.pdf").mean(axis=2) < DARK
    plain = shown(view, qtbot, tmp_path / "all.pdf")
    marked = mark(view, qtbot, frame, quads_of_words(boxes, (*QUOTE, "one.")))
    assert (rest_ink & closed(np.abs(marked - plain).sum(axis=2) > 12)).sum() > 20


def test_letters_stay_as_dark_under_a_mark_as_without(view, qtbot, tmp_path):
    frame, boxes = write_page(tmp_path / "all.pdf")
    plain = shown(view, qtbot, tmp_path / "all.pdf")
    marked = mark(view, qtbot, frame, quads_of_words(boxes, QUOTE))
    black = plain.max(axis=2) < 40
    assert black.sum() > 100
    assert (marked[black] <= plain[black]).all()


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_paper_and_mark_are_the_same_in_the_dark(qapp, qtbot, tmp_path, appearance):
    view = PageView(Theme(qapp, appearance))
    qtbot.addWidget(view)
    view.resize(760, 560)
    view.show()
    frame, boxes = write_page(tmp_path / "all.pdf")
    shown(view, qtbot, tmp_path / "all.pdf")
    image = mark(view, qtbot, frame, quads_of_words(boxes, QUOTE))
    assert ((image == (0xFF, 0xE9, 0xA3)).all(axis=2)).sum() > 500


def test_a_jump_brings_the_first_line_to_the_middle(view, qtbot, tmp_path):
    with pymupdf.open() as document:
        for number in range(9):
            document.new_page(width=420, height=600).insert_text((40, 500), f"page {number}")
        document.save(tmp_path / "long.pdf")
    shown(view, qtbot, tmp_path / "long.pdf")
    mark(view, qtbot, PageFrame(420, 600, 0), [(40, 490, 90, 490, 90, 504, 40, 504)], page=6)
    (rect,) = view.passage_rects()
    assert abs(rect.center().y() - view.viewport().height() / 2) < 2
    assert view.page == 6


def test_the_passage_stays_in_the_middle_when_the_first_size_comes_late(view, qtbot, tmp_path):
    """A tab opened by a click gets its size after the jump."""
    with pymupdf.open() as document:
        for number in range(9):
            document.new_page(width=420, height=600).insert_text((40, 500), f"page {number}")
        document.save(tmp_path / "long.pdf")
    view.load(str(tmp_path / "long.pdf"))
    shape = polygons_of([(40, 490, 90, 490, 90, 504, 40, 504)], PageFrame(420, 600, 0), view.document.pagePointSize(6))
    view.show_passage(6, shape)
    view.resize(500, 700)
    (rect,) = view.passage_rects()
    assert abs(rect.center().y() - view.viewport().height() / 2) < 2


def test_the_keyboard_walks_the_pages(view, qtbot, tmp_path):
    with pymupdf.open() as document:
        for _number in range(4):
            document.new_page(width=420, height=600)
        document.save(tmp_path / "long.pdf")
    shown(view, qtbot, tmp_path / "long.pdf")
    bar = view.verticalScrollBar()
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    after_page = bar.value()
    assert 0.8 * view.viewport().height() < after_page < view.viewport().height()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert after_page < bar.value() < after_page + 100
    with qtbot.waitSignal(view.page_changed):
        qtbot.keyClick(view, Qt.Key.Key_End)
    assert (bar.value(), view.page) == (bar.maximum(), 3)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert (bar.value(), view.page) == (0, 0)


def test_zooming_keeps_what_is_in_the_middle_and_fit_fills_the_width(view, qtbot, tmp_path):
    _frame, _boxes = write_page(tmp_path / "all.pdf")
    shown(view, qtbot, tmp_path / "all.pdf")
    fitted = view.percent
    middle = QPointF(view.viewport().width() / 2, view.viewport().height() / 2)
    view.zoom(2.0)
    before = view.to_page(middle)
    view.zoom(1.5)
    after = view.to_page(middle)
    assert view.percent == pytest.approx(3 * fitted, abs=2)
    assert (before[1] - after[1]).manhattanLength() < 2
    view.fit()
    assert view.percent == fitted
    for _step in range(40):
        view.zoom(1.2)
    assert view.percent == 500


@pytest.mark.parametrize("rotation", [0, 90])
def test_text_dragged_over_is_what_is_copied(view, qtbot, tmp_path, rotation):
    frame, boxes = write_page(tmp_path / "all.pdf", rotation)
    shown(view, qtbot, tmp_path / "all.pdf")
    boxes = dict(boxes)
    quads = quads_of_words(boxes.items(), ("Foucault", "298,000"))
    view.show_passage(0, polygons_of(quads, frame, view.document.pagePointSize(0)))
    first, last = view.passage_rects()
    ends = {
        0: (first.center() - QPointF(first.width() / 2 - 2, 0), last.center() + QPointF(last.width() / 2 - 2, 0)),
        90: (first.center() - QPointF(0, first.height() / 2 - 2), last.center() + QPointF(0, last.height() / 2 - 2)),
    }
    start, end = (point.toPoint() for point in ends[rotation])
    viewport = view.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(5, 5))
    event_to(viewport, end)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)
    assert view.selection.text == "Foucault found 298,000"
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Foucault found 298,000"


def event_to(widget, point):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(point),
        widget.mapToGlobal(QPointF(point)),
        left,
        left,
        Qt.KeyboardModifier.NoModifier,
    )
    QGuiApplication.sendEvent(widget, event)


def test_a_double_click_takes_the_word(view, qtbot, tmp_path):
    frame, boxes = write_page(tmp_path / "all.pdf")
    shown(view, qtbot, tmp_path / "all.pdf")
    view.show_passage(0, polygons_of(quads_of_words(boxes, ("Observatory,",)), frame, view.document.pagePointSize(0)))
    (rect,) = view.passage_rects()
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert view.selection.text == "Observatory"


def test_a_locked_and_a_broken_file_say_what_they_are(view, tmp_path):
    with pymupdf.open() as document:
        document.new_page()
        document.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="own")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    assert view.load(str(tmp_path / "locked.pdf")) is QPdfDocument.Error.IncorrectPassword
    assert view.load(str(tmp_path / "broken.pdf")) is QPdfDocument.Error.InvalidFileFormat
    assert view.load(str(tmp_path / "absent.pdf")) is QPdfDocument.Error.FileNotFound
    view.show_passage(0, [QPolygonF()])
    view.grab()


def test_pictures_kept_are_few(view, qtbot, tmp_path):
    with pymupdf.open() as document:
        for _number in range(30):
            document.new_page(width=200, height=200)
        document.save(tmp_path / "long.pdf")
    shown(view, qtbot, tmp_path / "long.pdf")
    for page in range(0, 30, 3):
        view.show_page(page)
        qtbot.waitUntil(lambda page=page: view._cache.is_sharp(page, view._pixels(page)), timeout=10_000)
    assert len(view._cache._images) <= 12
