"""Which words of a question must be matched as written."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.exact_terms import identifiers


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the calibration code of device KX-00120?", ("kx-00120",)),
        ("What changed in v1.2.3 and in 2.0.1?", ("v1.2.3", "2.0.1")),
        ("Who wrote 10.1000/xyz.123, and who arXiv:2312.04350v3?", ("10.1000/xyz.123", "2312.04350v3")),
        ("Does get_user_id call getUserName?", ("get_user_id", "getusername")),
        ("Is C# or C++ faster?", ("c#", "c++")),
        ("Where is order 4711234 of E-CORE?", ("4711234", "e-core")),
        ("How good is GPT-4 on MMLU?", ("gpt-4",)),
        ('Who said "the zebra runs"?', ("zebra", "runs")),
        ("谁说过“数据”？", ("数据",)),
        ("What is KX-00120's code, and what is GPT-4\u2019s?", ("kx-00120", "gpt-4")),
    ],
)
def test_codes_versions_ids_and_quoted_words_are_identifiers(question, expected):
    assert identifiers(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What is a state-of-the-art self-attention layer?",
        "How many people came in 2024, in the 1990s, on the 3rd?",
        "Is a 24-hour run with 10kg and 3.14 mm enough for 1,024 items?",
        "Does McDonald like YouTube and LoRA?",
        "Who is Ada?",
        "What was Apollo 1's crew, and what the 747\u2019s range in the 70's?",
        "",
    ],
)
def test_plain_words_quantities_and_dates_are_not(question):
    assert identifiers(question) == ()
