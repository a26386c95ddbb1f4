"""Lines of a passage."""

from __future__ import annotations

from trisynapse_memory.extraction.lines import rows_of


def test_lines_know_where_they_stand_and_what_parts_them() -> None:
    text = "  Voltage: 230 V\nPower: 710 W  \n\n\nWeight: 2 kg"
    rows = rows_of(text)
    assert [(row.text, row.is_apart) for row in rows] == [
        ("Voltage: 230 V", True),
        ("Power: 710 W", False),
        ("Weight: 2 kg", True),
    ]
    assert [text[row.start : row.end] for row in rows] == [row.text for row in rows]


def test_tabs_part_cells() -> None:
    assert [row.cells for row in rows_of("Month\tHigh  (Rs.)\nApril\t390")] == [
        ("Month", "High (Rs.)"),
        ("April", "390"),
    ]


def test_an_empty_text_has_no_lines() -> None:
    assert rows_of(" \n\n") == []
