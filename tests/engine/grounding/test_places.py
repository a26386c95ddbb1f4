"""A stretch of a record is found on its page; pages are read once, and what has no geometry has no quads."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Draft, Kind, Locator, Record


@pytest.fixture
def chunk(take, rooms: Rooms, tmp_path: Path) -> Record:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The first line speaks of mirrors")
    page.insert_text((72, 120), "and goes on below about lamps.")
    document.save(tmp_path / "a.pdf")
    document.close()
    take(tmp_path / "a.pdf")
    return rooms.log.of_kind(Kind.RAW_SOURCE)[0]


def test_offsets_of_the_locator_are_those_of_the_page(chunk: Record, rooms: Rooms):
    start = chunk.text.index("mirrors")
    place = Places(rooms.log).locate(chunk, start, start + 7)
    page = rooms.log.page(chunk.source_id, 1)
    assert page.text[place.start : place.end] == "mirrors"
    assert (place.kind, place.page, len(place.quads)) == ("page", 1, 1)


def test_a_stretch_over_two_lines_has_two_quads_in_reading_order(chunk: Record, rooms: Rooms):
    place = Places(rooms.log).locate(chunk, 0, len(chunk.text))
    upper, lower = place.quads
    assert upper[1] < lower[1]
    x0, y0, x1, y1, x2, y2, x3, y3 = upper
    assert x0 < x1
    assert x3 < x2
    assert y0 < y3
    assert (y0, y2) == (y1, y3)


def test_a_row_of_a_table_is_painted_where_it_stands(take, rooms: Rooms, tmp_path: Path):
    document = pymupdf.open()
    page = document.new_page()
    for row, texts in enumerate((("River", "Length", "Depth"), ("Elbe", "1094", "6"), ("Oder", "840", "4"))):
        for column, text in enumerate(texts):
            page.insert_text((72 + 150 * column, 100 + 14 * row), text)
    document.save(tmp_path / "a.pdf")
    document.close()
    take(tmp_path / "a.pdf")
    (chunk,) = rooms.log.of_kind(Kind.RAW_SOURCE)
    start = chunk.text.index("840")
    place = Places(rooms.log).locate(chunk, start, start + 3)
    assert place.kind == "region"
    assert place.headers == ("River", "Length", "Depth")
    (quad,) = place.quads
    assert quad[0] == pytest.approx(222, abs=1)
    assert quad[1] < 128 < quad[5]


def test_a_page_is_read_from_the_log_once(chunk: Record, rooms: Rooms, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    page = MemoryLog.page
    monkeypatch.setattr(MemoryLog, "page", lambda log, source, n: asked.append(n) or page(log, source, n))
    places = Places(rooms.log)
    for _ in range(3):
        places.locate(chunk, 0, 5)
    assert asked == [1]


def test_records_without_a_page_keep_their_place_and_have_no_quads(log: MemoryLog):
    turn = Locator(kind="turn", index=3, start=0, end=9)
    bare, without = log.append(
        [
            Draft(kind=Kind.RAW_SOURCE, text="some words", locator=turn),
            Draft(kind=Kind.RAW_SOURCE, text="some words"),
        ]
    )
    places = Places(log)
    assert places.locate(bare, 5, 10) == Locator(kind="turn", index=3, start=5, end=10)
    assert places.locate(without, 0, 4) is None
    assert places.quads("src_x", 1, 0, 5) == ()
