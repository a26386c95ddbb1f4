from __future__ import annotations

from PySide6.QtWidgets import QListWidget, QPushButton

from trisynapse_desktop.widgets.page_ledger import PageLedger, line_of, summary_of
from trisynapse_desktop.widgets.wrapped_link import WrappedLink
from trisynapse_memory.types import PageNote, PageVerdict


def page(number, verdict="ok", note="", method="text"):
    return PageNote(page=number, verdict=PageVerdict(verdict), note=note, method=method)


def lines(ledger):
    few = [one.text() for one in ledger.findChildren(WrappedLink)]
    return few + [one.item(row).text() for one in ledger.findChildren(QListWidget) for row in range(one.count())]


def test_each_way_of_reading_a_page_is_said_in_words():
    ocr = page(4, "ocr", "read from the picture by tesseract, 91% sure", "ocr:tesseract")
    assert line_of(ocr) == "p. 4   read from the picture by tesseract, 91% sure"
    assert line_of(page(5, "garbled", "too few words", "ocr:rapidocr")) == (
        "p. 5   garbled · tried by rapidocr · too few words"
    )
    assert line_of(page(6, method="ocr-layer")) == (
        "p. 6   readable · from the text that a scanner put under the picture"
    )
    assert line_of(page(3, "timed-out"), "pptx") == "Slide 3   took too long"
    heard = page(2, "transcribed", "many words may be wrong", "speech:whisper:tiny@0123")
    assert line_of(heard, "recording", 7) == "Part 2–7   written down by a transcriber · many words may be wrong"
    assert line_of(page(9, "audio-only", "nobody listened"), "recording") == (
        "Part 9   not written down yet · nobody listened"
    )


def test_pages_in_a_row_that_came_out_alike_share_a_line(qtbot):
    pages = [page(1, "empty"), page(2, "empty"), page(3), page(4, "empty"), page(5, "garbled"), page(6, "garbled")]
    ledger = PageLedger(pages)
    qtbot.addWidget(ledger)
    assert lines(ledger) == ["p. 1–2   blank", "p. 4   blank", "p. 5–6   garbled"]
    opened = []
    ledger.opened.connect(opened.append)
    ledger.findChildren(WrappedLink)[2].link.click()
    assert opened == [5]


def test_many_lines_are_a_list_to_scroll_through(qtbot):
    ledger = PageLedger([page(number, "garbled" if number % 2 else "empty") for number in range(1, 41)])
    qtbot.addWidget(ledger)
    assert (len(lines(ledger)), ledger.findChildren(WrappedLink)) == (40, [])
    opened = []
    ledger.opened.connect(opened.append)
    shown = ledger.findChild(QListWidget)
    shown.itemActivated.emit(shown.item(2))
    assert opened == [3]


def test_the_only_page_needs_no_number(qtbot):
    ledger = PageLedger([page(1, "image-only", "a picture: its words are read in the background")], "image")
    qtbot.addWidget(ledger)
    assert lines(ledger) == ["picture only · a picture: its words are read in the background"]


def test_plain_pages_are_only_counted(qtbot):
    ledger = PageLedger([page(1), page(2, note="2 pictures, not read"), page(3, "empty")])
    qtbot.addWidget(ledger)
    assert lines(ledger) == ["p. 2   readable · 2 pictures, not read", "p. 3   blank"]
    assert summary_of([page(1), page(2), page(3, "empty")]) == "2 readable, 1 blank"
    assert summary_of([page(1), page(2)]) == "All 2 pages: readable."
    assert summary_of([page(1, "image-only")]) == "1 page: picture only."
    assert summary_of([]) == "No page has been read yet."


def test_only_what_another_try_may_read_is_offered_to_be_read_again(qtbot):
    for verdict, offered in (("timed-out", 1), ("damaged", 1), ("garbled", 0), ("ok", 0)):
        ledger = PageLedger([page(1), page(2, verdict)])
        qtbot.addWidget(ledger)
        found = [one for one in ledger.findChildren(QPushButton) if one.text() == "Read again"]
        assert len(found) == offered
        wanted = []
        ledger.again_wanted.connect(lambda wanted=wanted: wanted.append(1))
        for one in found:
            one.click()
        assert len(wanted) == offered


def test_a_long_ledger_lists_its_trouble_first_of_all(qtbot):
    pages = [page(number, "ocr", f"read {number}") for number in range(1, 3001)] + [page(3001, "garbled")]
    ledger = PageLedger(pages)
    qtbot.addWidget(ledger)
    assert lines(ledger) == ["p. 3001   garbled"]
