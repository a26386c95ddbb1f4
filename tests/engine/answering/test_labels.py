"""A question and hits in, the tables and figures it names that nothing names out."""

from __future__ import annotations

import pytest

from trisynapse_memory.answering.labels import missing_labels

TEXTS = (
    "Table 6: Accuracy of all models.",
    "As Figs. 3 and 4 show, it falls.",
    "TABLE II\nlists the sizes; see Fig.2.",
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does Table 7 list?", ("Table 7",)),
        ("What does Table 6 list?", ()),
        ("What does table II list?", ()),
        ("What does Figure 4 show?", ()),
        ("What does Figure 2 show?", ()),
        ("What do Fig. 9 and Table 6 show?", ("Fig. 9",)),
        ("Which table lists 7 models?", ()),
        ("What did the figure 1990s fashion look like?", ()),
        ("Who wrote it?", ()),
    ],
)
def test_a_label_is_missing_where_no_passage_has_it_in_any_spelling(make_hits, question, missing) -> None:
    assert missing_labels(question, make_hits(*TEXTS)) == missing
