"""Hits in, the kind of store they come from out: prose, long documents or talk. Nothing is measured here.

How much of a question a passage that answers it carries differs between kinds, so a threshold does not travel between
them: the one for short prose refused 57 of 100 questions that a PDF answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from trisynapse_memory.answering.sentences import is_conversation
from trisynapse_memory.types import Hit

LONG_PAGES: Final = 3  # a source with a hit on this page or behind it is long
LONG_HITS: Final = 6  # of one source among the hits; of XQuAD's paragraphs at most 4 come from one


class StoreKind(StrEnum):
    """What most of the hits are: short texts, places in long documents, or turns of a conversation."""

    PROSE = "prose"
    LONG = "long"
    TALK = "talk"


def kind_of(hits: Sequence[Hit]) -> StoreKind:
    """Tell the kind of store by its hits; no hits are prose."""
    if hits and is_conversation(hits):
        return StoreKind.TALK
    counts = Counter(map(_source_of, hits))
    long = {name for name, count in counts.items() if count >= LONG_HITS} | {
        _source_of(hit) for hit in hits if _page_of(hit) >= LONG_PAGES
    }
    return StoreKind.LONG if 2 * sum(counts[name] for name in long) > len(hits) else StoreKind.PROSE


def _source_of(hit: Hit) -> str:
    return str(hit.record.source_id or hit.source_key)


def _page_of(hit: Hit) -> int:
    locator = hit.record.locator
    return (locator.page or 0) if locator is not None else 0
