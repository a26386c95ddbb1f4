from __future__ import annotations

import pytest

from trisynapse_memory.pipelines.outcomes import gaps_of, with_gaps
from trisynapse_memory.types import IngestResult, Outcome


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ({"ok": 5}, ""),
        ({"ok": 1, "ocr": 2, "empty": 1, "order-uncertain": 1, "hidden-text": 1}, ""),
        ({"image-only": 1}, "1 of 1 page cannot be read: 1 image-only"),
        ({"ok": 3, "damaged": 1, "garbled": 2}, "3 of 6 pages cannot be read: 2 garbled, 1 damaged"),
    ],
)
def test_what_cannot_be_read_is_counted_and_named(verdicts, words):
    assert gaps_of(verdicts) == words


def test_a_source_with_gaps_is_partial_and_keeps_what_else_was_said_of_it():
    result = IngestResult(
        input="a.pdf", status=Outcome.SUCCESS, verdicts={"ok": 1, "timed-out": 1}, reason="new version"
    )
    told = with_gaps(result)
    assert (told.status, told.reason) == (
        Outcome.PARTIAL,
        "new version; 1 of 2 pages cannot be read: 1 timed-out",
    )
    for status in (Outcome.SKIPPED, Outcome.FAILED):
        other = IngestResult(input="a.pdf", status=status, verdicts={"damaged": 1})
        assert with_gaps(other) is other
