"""Cells of tables."""

from __future__ import annotations

from trisynapse_memory.extraction.families.tables import find
from trisynapse_memory.types import Modality, Passage


def cells(text: str, *headers: str, **fields: object) -> list[tuple[str, str, str]]:
    passage = Passage(seq=1, text=text, cells=headers, **fields)  # type: ignore[arg-type]
    return [(one.subject, one.qualifiers["part"], one.object) for one in find(passage)]


def test_each_cell_has_its_row_and_its_column() -> None:
    text = "Model | Acc | F1\n--- | --- | ---\nBERT | 0.9 | -\nGPT | 0.8 | 0.7"
    assert cells(text, "Model", "Acc", "F1") == [("BERT", "Acc", "0.9"), ("GPT", "Acc", "0.8"), ("GPT", "F1", "0.7")]


def test_the_corner_may_be_missing() -> None:
    assert cells("Under 18 | 12% | 14%", "Male", "Female") == [
        ("Under 18", "Male", "12%"),
        ("Under 18", "Female", "14%"),
    ]


def test_a_column_that_only_counts_the_rows_is_no_label() -> None:
    assert cells("1 | Tin | 231", "Index", "Metal", "Point") == [("Tin", "Point", "231")]
    assert cells("2019 | Tin | 231", "Year", "Metal", "Point") == [("2019", "Metal", "Tin"), ("2019", "Point", "231")]
    assert cells("1 | 2 | 3", "Index", "A", "B") == [("1", "A", "2"), ("1", "B", "3")]


def test_rows_that_do_not_fit_say_nothing() -> None:
    assert cells("Note: all values in mm | x", "Model", "Acc", "F1") == []
    assert cells("* p < 0.05 | ** p < 0.01", "Model", "Acc") == []
    assert cells("0.61 | 0.44 | 0.39", "Model", "Acc", "F1") == []


def test_the_first_row_names_the_columns_of_a_table_without_headers() -> None:
    text = "Element | Symbol | Number\nTin | Sn | 50"
    assert cells(text, modality=Modality.TABLE) == [("Tin", "Symbol", "Sn"), ("Tin", "Number", "50")]
    assert cells("Tin | Sn | 50\nZinc | Zn | 30", modality=Modality.TABLE) == []


def test_the_table_is_part_of_what_makes_cells_comparable() -> None:
    (found,) = find(Passage(seq=1, text="Total | 30", cells=("Kind", "Count"), title="Report", section="Table 2"))
    assert found.qualifiers == {"part": "Count", "condition": "Report: Table 2"}
    assert (found.start, found.end) == (0, 10)


def test_headers_of_several_lines_are_no_row() -> None:
    text = "Dataset | Avg. | Avg. Child\nAll | Length | Count\nQuality | 124 | 87"
    assert cells(text, "Dataset", "Avg. Length", "Avg. Child Count") == [
        ("Quality", "Avg. Length", "124"),
        ("Quality", "Avg. Child Count", "87"),
    ]
