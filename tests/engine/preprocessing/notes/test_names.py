"""What a note is called, by the name of its file."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_memory.preprocessing.notes.names import has_id, journal_day, note_name, without_id

ID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("Random  graphs.md", "Random graphs"),
        (f"Reading list {ID}.md", "Reading list"),
        (f"Tasks {ID}_all.csv", "Tasks"),
        (f"{ID}.md", ID),
        ("projects___memory%3F.md", "projects/memory?"),
        ("2024_01_05.md", "2024-01-05"),
        ("50% done.md", "50% done"),
        ("v1.2 notes.md", "v1.2 notes"),
    ],
)
def test_a_note_is_called_by_its_file_without_ending_and_id(filename, name):
    assert note_name(filename) == name


def test_only_a_whole_id_at_the_end_is_one():
    assert without_id(f"A page {ID}") == "A page"
    assert without_id("deadbeef") == "deadbeef"
    assert has_id(f"A page {ID}.md")
    assert not has_id("A page 0123.md")


def test_a_day_that_is_none_is_no_journal():
    assert journal_day("2024-02-29.md") == datetime(2024, 2, 29, tzinfo=UTC)
    assert journal_day("2023-02-29.md") is None
    assert journal_day("2024-02-29 meeting.md") is None
