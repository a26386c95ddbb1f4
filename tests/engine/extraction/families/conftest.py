"""What the tests of families share: sentences parsed once, and proposals as short lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from trisynapse_memory.extraction.extractors.pattern import PatternExtractor
from trisynapse_memory.extraction.runner import fault_of
from trisynapse_memory.types import Passage, Proposal

Reader = Callable[..., list[Proposal]]


@pytest.fixture(scope="session")
def extractor() -> PatternExtractor:
    return PatternExtractor()


@pytest.fixture
def read(extractor: PatternExtractor) -> Reader:
    """Read a text with the whole extractor and keep the facts of one family."""

    def read_family(text: str, pattern: str, **fields: object) -> list[Proposal]:
        observed = fields.pop("observed_at", None)
        moment = datetime.fromisoformat(str(observed)) if observed else None
        passage = Passage(seq=1, text=text, observed_at=moment, **fields)  # type: ignore[arg-type]
        found = [one for one in extractor.extract([passage]) if one.pattern.split(".")[0] == pattern]
        assert all(0 <= one.start < one.end <= len(text) and 0 < one.confidence <= 1 for one in found)
        assert [fault_of(one, passage) for one in found if one.relation != "cites"] == [
            "" for one in found if one.relation != "cites"
        ]
        return found

    return read_family


@pytest.fixture
def facts(read: Reader) -> Callable[..., list[str]]:
    """The facts as lines: "subject | relation | object", with "not" and "?" for denied and doubted ones."""

    def lines(text: str, pattern: str, **fields: object) -> list[str]:
        return list(_lines(read(text, pattern, **fields)))

    return lines


def _lines(found: list[Proposal]) -> Iterator[str]:
    for one in found:
        marks = f"{'not ' if one.negated else ''}{one.relation}{'?' if one.hedged else ''}"
        yield f"{one.subject} | {marks} | {one.object}"
