"""Hits in, the hits that fit the context out. Token caps are caps, for every record including the first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.grounding.passages import best_passage
from trisynapse_memory.types import Hit

CHARS_PER_TOKEN = 4.0  # engine.md A9.10; only the first guess when a record must be cut, the counter decides


def fit(
    hits: Sequence[Hit], weights: Mapping[str, float], count_tokens: TokenCounter, config: Config
) -> tuple[Hit, ...]:
    """Keep the best hits whose excerpts fit ``context_max_tokens`` in all and ``source_max_tokens`` per source.

    A hit that does not fit is cut at sentence borders around its match; what then still does not fit is left out.

    Source:
        engine.md 0.1 row 13.
    """
    kept: list[Hit] = []
    spent_by_source: dict[str, int] = {}
    counts = count_tokens([hit.excerpt for hit in hits])
    for hit, count in zip(hits, counts, strict=True):
        source = str(hit.record.source_id or hit.record.group_id or hit.record.id)
        room = min(
            config.context_max_tokens - sum(spent_by_source.values()),
            config.source_max_tokens - spent_by_source.get(source, 0),
        )
        fitted, cost = (hit, count) if count <= room else _cut(hit, room, weights, count_tokens)
        if fitted is not None:
            kept.append(fitted)
            spent_by_source[source] = spent_by_source.get(source, 0) + cost
    return tuple(kept)


def _cut(hit: Hit, room: int, weights: Mapping[str, float], count_tokens: TokenCounter) -> tuple[Hit | None, int]:
    max_chars = int(room * CHARS_PER_TOKEN)
    while max_chars >= 80:
        start, end = best_passage(hit.excerpt, weights, max_chars)
        text = hit.excerpt[start:end]
        cost = count_tokens([text])[0]
        if cost <= room:
            return structs.replace(hit, excerpt=text), cost
        max_chars //= 2
    return None, 0
