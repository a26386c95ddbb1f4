"""What is counted must be named by a passage, or told in a unit of the same family."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.counting import lacks_counted
from trisynapse_memory.answering.inquiry import Statistics, read_question
from trisynapse_memory.answering.sentences import passages_of

VISAS = "The office issued 40 visas in 1862 and was open for 300 days."
TRIP = "The trip took 90 min and cost $12."


@pytest.mark.parametrize(
    ("question", "is_lacking"),
    [
        ("How many visas did the office issue?", False),
        ("How many visa stamps did the office use?", False),  # one of the words is there
        ("How many passports did the office issue?", True),
        ("How many hours was the office open?", False),  # days are of the family
        ("How many hours did the trip take?", False),
        ("How many dollars did the trip cost?", False),
        ("How many euros did the trip cost?", True),
        ("How many kilometres long was the trip?", True),
        ("Who issued passports?", False),
    ],
)
def test_a_count_of_what_is_nowhere_is_lacking(make_hits, question: str, is_lacking: bool) -> None:
    assert lacks_counted(read_question(question, Statistics()), passages_of(make_hits(VISAS, TRIP))) is is_lacking
