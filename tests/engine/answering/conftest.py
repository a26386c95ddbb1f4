"""Texts in, hits and offline tools out, for the tests of answering. No log, index or model is opened."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from trisynapse_memory.answering.inquiry import Statistics
from trisynapse_memory.answering.synthesizer import Tools
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.text.tokens import STEM_PREFIX, count_terms
from trisynapse_memory.types import Hit, Kind, Locator, Modality, Record, RecordId, SourceId

MakeHits = Callable[..., list[Hit]]


def bag_of_stems(texts: Sequence[str]) -> FloatArray:
    """Unit rows that are near where texts share stems: an embedder without a model."""
    rows = np.full((len(texts), 64), 1e-3, dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for key, count in count_terms(text).frequencies.items():
            if key.startswith(STEM_PREFIX):
                row[zlib.crc32(key.encode()) % 64] += count
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def make_hits() -> MakeHits:
    """Build hits from texts, best first; with ``speakers`` they are turns of a conversation."""

    def build(*texts: str, speakers: Sequence[str] = ()) -> list[Hit]:
        return [_hit(n, text, speakers[n] if speakers else "", len(texts)) for n, text in enumerate(texts)]

    return build


def _hit(n: int, text: str, speaker: str, count: int) -> Hit:
    record = Record(
        id=RecordId(f"r{n}"),
        seq=n + 1,
        device_id="d",
        device_seq=n + 1,
        written_at=datetime(2026, 11, 30, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        text=text,
        source_id=SourceId(f"s{n}"),
        modality=Modality.CONVERSATION if speaker else Modality.DOCUMENT,
        fields={"speaker": speaker} if speaker else {},
    )
    return Hit(
        record=record,
        score=1.0 - n / (2 * count),
        title=f"Source {n}",
        excerpt=text,
        locator=None,
        source_key=f"/s{n}",
    )


@pytest.fixture
def tools() -> Tools:
    """Offsets as a page locator, words as tokens, stems as vectors."""
    return Tools(
        locate=lambda hit, start, end: Locator(kind="page", page=1, start=start, end=end),
        count_tokens=lambda texts: [len(text.split()) for text in texts],
        embed=bag_of_stems,
    )


@pytest.fixture
def statistics_of() -> Callable[..., Statistics]:
    """Count index keys over the hits, as the lexical index would over its records, in a store of ``record_count``."""

    def count(hits: Sequence[Hit], record_count: int = 200) -> Statistics:
        frequencies: dict[str, int] = {}
        for hit in hits:
            for key in count_terms(hit.record.text).frequencies:
                frequencies[key] = frequencies.get(key, 0) + 1
        return Statistics(frequencies=frequencies, record_count=record_count)

    return count
