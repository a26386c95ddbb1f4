"""Every row of the list of cases that concerns reading and finding names tests, and each of them is there."""

from __future__ import annotations

import re

import pytest

from house_files import ROOT, read

PAGE = "docs/cases.md"
ROWS = (1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 16, 18, 19, 20, 22, 23, 24, 25, 26, 27, 30, 31, 33, 35, 36, 37, 38, 41)
"""The list has no other numbers up to 41: those missing are kept back by whoever wrote it."""
_ROW = re.compile(r"^\| R(\d+) \|(.*)\|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def missing(page: str) -> list[str]:
    """The tests that a page of cases names and that are nowhere."""
    found: list[str] = []
    for path, test in _TEST.findall(page):
        file = ROOT / "tests" / path
        if not file.is_file() or not re.search(rf"^(?:async )?def {test}\(", file.read_text("utf-8"), re.MULTILINE):
            found.append(f"{path}::{test}")
    return found


def test_every_row_of_the_list_names_a_test():
    rows = {int(number): _TEST.findall(text) for number, text in _ROW.findall(read(PAGE))}
    assert tuple(sorted(rows)) == ROWS
    assert [number for number, tests in rows.items() if not tests] == []


def test_the_tests_that_are_named_are_there():
    assert missing(read(PAGE)) == []


@pytest.mark.parametrize("name", ["house/test_cases.py::test_nobody_wrote", "house/nowhere.py::test_x"])
def test_a_test_that_is_gone_is_found(name: str):
    assert missing(f"| R1 | x | `{name}` |") == [name]
