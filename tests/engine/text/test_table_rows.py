"""A row and its headers in, a statement out; and only the row's own statements pass."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.table_rows import (
    cells_of,
    header_names,
    headers_for,
    judge_in_table,
    judge_row,
    row_statement,
)
from trisynapse_memory.types import CitationVerdict

HEADERS = ("Model", "Accuracy", "Gap (%)")
ROW = "ResNet50 | 63.7 | 57.8"


@pytest.mark.parametrize(
    ("line", "count", "cells"),
    [
        (ROW, 3, ("ResNet50", "63.7", "57.8")),
        (" | 2-hop | 3-hop", 3, ("", "2-hop", "3-hop")),
        ("| ResNet50 | 63.7 |", 2, ("ResNet50", "63.7")),
        ("| 63.7 |", 3, ("", "63.7", "")),
        ("|---|:--:|", 2, ()),
        ("A sentence without cells.", 3, ()),
        (r"a \| b | c", 0, (r"a \| b", "c")),
    ],
    ids=["plain", "empty first cell", "Markdown", "empty first and last cell", "border", "prose", "escaped"],
)
def test_a_line_is_cut_into_its_cells(line: str, count: int, cells: tuple[str, ...]) -> None:
    assert cells_of(line, count) == cells


def test_a_header_without_a_word_keeps_its_place() -> None:
    assert header_names("| Total | Rung 1") == ("", "Total", "Rung 1")
    assert header_names("") == ()


def test_a_row_is_told_with_the_headers_of_the_chosen_columns() -> None:
    cells = cells_of(ROW, 3)
    assert row_statement(cells, HEADERS, [1, 2]) == "ResNet50 \u2013 Accuracy: 63.7; Gap (%): 57.8"
    assert row_statement(cells, HEADERS, [2]) == "ResNet50 \u2013 Gap (%): 57.8"


def test_headers_that_do_not_fit_the_cells_are_not_used() -> None:
    cells = cells_of(ROW, 2)
    assert row_statement(cells, headers_for(cells, ("Model", "Accuracy")), [1, 2]) == "ResNet50 \u2013 63.7; 57.8"


@pytest.mark.parametrize(
    "statement",
    [
        "ResNet50 \u2013 Accuracy: 63.7; Gap (%): 57.8",
        "ResNet50 \u2013 Accuracy: 63.7",
        "ResNet50 \u2013 Gap (%): 57.8",
    ],
)
def test_a_statement_of_the_row_passes(statement: str) -> None:
    assert judge_row(statement, ROW, HEADERS) is CitationVerdict.NORMALISED


@pytest.mark.parametrize(
    "statement",
    [
        "ResNet50 \u2013 Accuracy: 57.8",
        "ResNet50 \u2013 Gap (%): 63.7",
        "ViT-B/8 \u2013 Accuracy: 63.7",
        "ResNet50 \u2013 Accuracy: 63.8",
        "ResNet50 \u2013 Accuracy: 63",
        "ResNet50 \u2013 Gap (%): 57.8; Accuracy: 63.7",
        "ResNet50 \u2013 63.7",
        "ResNet50 \u2013 Accuracy: 63.7; and it is the best",
        "ResNet50 \u2013 Accuracy: 63.7; Accuracy: 63.7",
        "ResNet50",
        "ResNet50 \u2013 ",
        "",
    ],
    ids=[
        "value of another column",
        "header of another column",
        "another row",
        "another digit",
        "a cut value",
        "other order",
        "without the header",
        "with more",
        "twice",
        "label alone",
        "nothing told",
        "empty",
    ],
)
def test_anything_else_is_not_found(statement: str) -> None:
    assert judge_row(statement, ROW, HEADERS) is CitationVerdict.NOT_FOUND


def test_a_statement_is_looked_for_in_every_row_of_a_table() -> None:
    text = f"Model | Accuracy | Gap (%)\nViT-B/8 | 64.2 | 41.5\n{ROW}"
    assert judge_in_table("ResNet50 \u2013 Accuracy: 63.7", text, HEADERS) is CitationVerdict.NORMALISED
    assert judge_in_table("ResNet50 \u2013 Accuracy: 64.2", text, HEADERS) is CitationVerdict.NOT_FOUND


def test_cells_that_hold_the_joints_themselves_are_still_whole() -> None:
    line, headers = "FLAN R2 | Nie et al.; Wei et al. | 7", ("Dataset", "Source", "Size")
    whole = row_statement(cells_of(line, 3), headers, [1, 2])
    assert judge_row(whole, line, headers) is CitationVerdict.NORMALISED
    assert judge_row("FLAN R2 \u2013 Source: Nie et al.", line, headers) is CitationVerdict.NOT_FOUND
